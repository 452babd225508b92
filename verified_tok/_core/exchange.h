// What the bindings take from Python and give to it: texts, ids and spans.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdlib>
#include <optional>
#include <utility>

#include "engine.h"

namespace vt {

using SpanArray = nanobind::ndarray<nanobind::numpy, int64_t, nanobind::ndim<2>>;

// Below this many bytes, letting other threads run costs more than it gives.
constexpr uint64_t worth_releasing = 2048;

// Lets other Python threads run meanwhile, if there is enough to do.
class Released {
 public:
  explicit Released(uint64_t bytes) {
    if (bytes >= worth_releasing) released_.emplace();
  }

 private:
  std::optional<nanobind::gil_scoped_release> released_;
};

// The UTF-8 of a str, as long as that lives. Python's own errors for anything else, and for lone surrogates.
inline Text text_of(nanobind::handle value) {
  if (!PyUnicode_Check(value.ptr())) throw nanobind::type_error("a text must be a str");
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (data == nullptr) throw nanobind::python_error();
  return {reinterpret_cast<const uint8_t*>(data), static_cast<uint64_t>(size)};
}

// The characters of a str where they lie, as long as that lives. Asking for UTF-8 would make Python keep it with the str, which
// costs as much memory again, and is slower.
inline Chars chars_of(nanobind::handle value) {
#if !defined(Py_LIMITED_API) && !defined(Py_GIL_DISABLED) && !defined(PYPY_VERSION)
  PyObject* const str = value.ptr();
#if PY_VERSION_HEX < 0x030C0000
  if (PyUnicode_Check(str) && PyUnicode_READY(str) < 0) throw nanobind::python_error();
#endif
  if (PyUnicode_Check(str) && !PyUnicode_IS_COMPACT_ASCII(str) && reinterpret_cast<PyCompactUnicodeObject*>(str)->utf8 == nullptr) {
    return {static_cast<const uint8_t*>(PyUnicode_DATA(str)), static_cast<uint64_t>(PyUnicode_GET_LENGTH(str)), PyUnicode_KIND(str)};
  }
#endif
  return text_of(value);
}

// What `use` makes of a str's characters.
template <class Use>
auto with_chars(nanobind::handle value, Use use) {
  try {
    return use(chars_of(value));
  } catch (const LoneSurrogate&) {
    text_of(value);  // Python's own error says where it is
    throw;
  }
}

inline nanobind::ndarray<nanobind::numpy, uint32_t, nanobind::ndim<1>> ids_array(Ids&& ids) {
  const size_t count = ids.count();
  uint32_t* memory = ids.release();
  nanobind::capsule owner(memory, [](void* kept) noexcept { std::free(kept); });
  return nanobind::ndarray<nanobind::numpy, uint32_t, nanobind::ndim<1>>(memory, {count}, owner);
}

inline SpanArray spans_of(Spans&& spans) {
  auto* kept = new Spans(std::move(spans));
  nanobind::capsule owner(kept, [](void* memory) noexcept { delete static_cast<Spans*>(memory); });
  return SpanArray(kept->data(), {kept->size() / 2, 2}, owner);
}

}  // namespace vt
