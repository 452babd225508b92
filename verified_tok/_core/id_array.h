// Ids that come from Python: an array of any type of integers, or a list or tuple of them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <vector>

#include "numpy_arrays.h"
#include "own_abi.h"

namespace vt {

// The ids as an array of uint32; those that are too large or negative become `no_id`.
class IdArray {
 public:
  static constexpr uint32_t no_id = UINT32_MAX;

  // Whether `ids` are of such a kind, and each is an integer; an array that this object must not outlive. Of a class
  // derived from list or tuple only its own methods know what is in it, and a masked array is more than its memory says.
  // Of NumPy's own arrays nothing needs to be asked: questions to which the answer is no take longer than a short array.
  bool read(nanobind::handle ids) {
    if (PyList_CheckExact(ids.ptr()) || PyTuple_CheckExact(ids.ptr())) return read_sequence(ids);
    const bool plain = Py_TYPE(ids.ptr()) == numpy_functions()[PyArray_Type];
    if (!plain && (!has_strides(ids) || PyObject_HasAttrString(ids.ptr(), "mask"))) return false;
    return nanobind::try_cast(ids, array_) && read_array();
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

#ifdef VT_OWN_ABI
  // Where the items of a list or a tuple lie. (Asking for one after the other takes three times as long.)
  class Items {
   public:
    explicit Items(PyObject* ids) : items_(PySequence_Fast_ITEMS(ids)) {}
    PyObject* operator[](uint64_t at) const { return items_[at]; }

   private:
    PyObject** items_;
  };

  // Whether an int is one digit of its own representation, and which.
  static bool is_digit(PyObject* id, uint32_t& digit) {
    const auto* number = reinterpret_cast<const PyLongObject*>(id);
#if PY_VERSION_HEX >= 0x030C0000
    if (!PyUnstable_Long_IsCompact(number)) return false;
    digit = id_of(PyUnstable_Long_CompactValue(number));
#else
    if (Py_SIZE(number) != 1) return false;
    digit = number->ob_digit[0];
#endif
    return true;
  }
#else
  class Items {
   public:
    explicit Items(PyObject* ids) : ids_(ids), is_list_(PyList_Check(ids)) {}
    PyObject* operator[](uint64_t at) const {
      const auto place = static_cast<Py_ssize_t>(at);
      PyObject* item = is_list_ ? PyList_GetItem(ids_, place) : PyTuple_GetItem(ids_, place);
      if (item != nullptr) return item;
      PyErr_Clear();  // without Python's lock, a list may have become shorter
      return Py_None;
    }

   private:
    PyObject* ids_;
    bool is_list_;
  };

  static bool is_digit(PyObject*, uint32_t&) { return false; }
#endif

  bool read_sequence(nanobind::handle ids) {
    count_ = static_cast<uint64_t>(PyList_Check(ids.ptr()) ? PyList_Size(ids.ptr()) : PyTuple_Size(ids.ptr()));
    copy_.resize(count_);
    const Items items(ids.ptr());
    for (uint64_t at = 0; at < count_; ++at) {
      PyObject* id = items[at];
      if (!PyLong_CheckExact(id)) return false;
      if (is_digit(id, copy_[at])) continue;
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
