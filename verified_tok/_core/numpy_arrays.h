// Arrays that NumPy makes itself: for a short text, nanobind's way to one takes most of the time. Host only.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <utility>

namespace vt {

// NumPy's C interface: a table of functions. These are the places of some in it, the same in NumPy 1 and 2.
enum NumpyFunction : size_t {
  PyArray_Type = 2,
  PyArray_New = 93,
  PyArray_SetBaseObject = 282,
};

inline void** numpy_functions() {
  static std::atomic<void**> found{nullptr};
  if (found.load() == nullptr) {
    nanobind::object numpy;
    try {
      numpy = nanobind::module_::import_("numpy._core._multiarray_umath");
    } catch (nanobind::python_error& error) {
      if (!error.matches(PyExc_ImportError)) throw;
      numpy = nanobind::module_::import_("numpy.core._multiarray_umath");  // NumPy 1
    }
    void* table = PyCapsule_GetPointer(nanobind::object(numpy.attr("_ARRAY_API")).ptr(), nullptr);
    if (table == nullptr) throw nanobind::python_error();
    found.store(static_cast<void**>(table));
  }
  return found.load();
}

template <class Function>
Function* numpy_function(size_t place) {
  return reinterpret_cast<Function*>(numpy_functions()[place]);
}

// The `count` ids in `memory`, which `owner` keeps.
inline nanobind::object uint32_array(uint32_t* memory, size_t count, nanobind::object owner) {
  constexpr int type = 6, flags = 0x0501;  // NPY_UINT, NPY_ARRAY_CARRAY
  const Py_ssize_t shape[1] = {static_cast<Py_ssize_t>(count)};
  using New = PyObject*(PyTypeObject*, int, const Py_ssize_t*, int, const Py_ssize_t*, void*, int, int, PyObject*);
  auto* const array_type = static_cast<PyTypeObject*>(numpy_functions()[PyArray_Type]);
  nanobind::object array =
      nanobind::steal(numpy_function<New>(PyArray_New)(array_type, 1, shape, type, nullptr, memory, 0, flags, nullptr));
  if (!array.is_valid() || numpy_function<int(PyObject*, PyObject*)>(PyArray_SetBaseObject)(array.ptr(), owner.release().ptr()) < 0) {
    throw nanobind::python_error();
  }
  return array;
}

}  // namespace vt
