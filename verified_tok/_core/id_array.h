// Ids that come from Python: an array of any type of integers, or a list or tuple of them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <vector>

namespace vt {

// The ids as an array of uint32; those that are too large or negative become `no_id`.
class IdArray {
 public:
  static constexpr uint32_t no_id = UINT32_MAX;

  // Whether `ids` are of such a kind, and each is an integer; an array that this object must not outlive.
  bool read(nanobind::handle ids) {
    if (PyList_Check(ids.ptr()) || PyTuple_Check(ids.ptr())) return read_sequence(ids);
    return has_strides(ids) && nanobind::try_cast(ids, array_) && read_array();
  }

  template <typename Id>
  static uint32_t id_of(Id id) {
    if constexpr (sizeof(Id) > sizeof(uint32_t)) {
      return static_cast<uint64_t>(id) > UINT32_MAX ? no_id : static_cast<uint32_t>(id);
    } else {
      return id < 0 ? no_id : static_cast<uint32_t>(id);
    }
  }

  const uint32_t* data() const { return data_; }
  uint64_t count() const { return count_; }

 private:
  using Array = nanobind::ndarray<nanobind::ro, nanobind::ndim<1>, nanobind::device::cpu>;

  // The cast reads the strides of every buffer, also where there are none: NumPy's dates, one by one, are such buffers.
  static bool has_strides(nanobind::handle ids) {
    if (PyObject_HasAttrString(ids.ptr(), "__dlpack__")) return true;
    Py_buffer buffer;
    if (PyObject_GetBuffer(ids.ptr(), &buffer, PyBUF_RECORDS_RO) != 0) {
      PyErr_Clear();
      return false;
    }
    const bool has = buffer.strides != nullptr;
    PyBuffer_Release(&buffer);
    return has;
  }

  bool read_sequence(nanobind::handle ids) {
    const bool is_list = PyList_Check(ids.ptr());
    count_ = static_cast<uint64_t>(nanobind::len(ids));
    copy_.resize(count_);
    for (uint64_t at = 0; at < count_; ++at) {
      PyObject* id = is_list ? PyList_GetItem(ids.ptr(), static_cast<Py_ssize_t>(at))
                             : PyTuple_GetItem(ids.ptr(), static_cast<Py_ssize_t>(at));
      if (!PyLong_CheckExact(id)) return false;
      int overflow = 0;
      copy_[at] = id_of(PyLong_AsLongLongAndOverflow(id, &overflow));
      if (overflow != 0) copy_[at] = no_id;
    }
    data_ = copy_.data();
    return true;
  }

  bool read_array() {
    const nanobind::dlpack::dtype type = array_.dtype();
    if (type.lanes != 1) return false;
    count_ = array_.shape(0);
    if (type == nanobind::dtype<uint32_t>() && (array_.stride(0) == 1 || count_ < 2)) {
      data_ = static_cast<const uint32_t*>(array_.data());
      return true;
    }
    return copy_of<uint32_t>(type) || copy_of<int64_t>(type) || copy_of<int32_t>(type) || copy_of<uint64_t>(type) ||
           copy_of<uint16_t>(type) || copy_of<int16_t>(type) || copy_of<uint8_t>(type) || copy_of<int8_t>(type);
  }

  template <typename Id>
  bool copy_of(nanobind::dlpack::dtype type) {
    if (type != nanobind::dtype<Id>()) return false;
    copy_.resize(count_);
    const Id* from = static_cast<const Id*>(array_.data());
    const int64_t stride = array_.stride(0);
    for (uint64_t at = 0; at < count_; ++at) copy_[at] = id_of(from[static_cast<int64_t>(at) * stride]);
    data_ = copy_.data();
    return true;
  }

  Array array_;
  std::vector<uint32_t> copy_;
  const uint32_t* data_ = nullptr;
  uint64_t count_ = 0;
};

}  // namespace vt
