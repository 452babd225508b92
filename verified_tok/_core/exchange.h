// What the bindings take from Python and give to it: texts, ids and spans.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdlib>
#include <optional>
#include <utility>

#include "engine.h"
#include "numpy_arrays.h"
#include "own_abi.h"
#include "without_gil.h"

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
  std::optional<WithoutGil> released_;
};

// The UTF-8 of a str, as long as that lives. Python's own errors for anything else, and for lone surrogates.
inline Text text_of(nanobind::handle value) {
  if (!PyUnicode_Check(value.ptr())) throw nanobind::type_error("a text must be a str");
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (data == nullptr) throw nanobind::python_error();
  return {reinterpret_cast<const uint8_t*>(data), static_cast<uint64_t>(size)};
}

// The characters of a str, as long as that lives. Asking for UTF-8 would make Python keep it with the str, which costs as much
// memory again, and is slower.
class StrChars {
 public:
  explicit StrChars(nanobind::handle value) : chars_(Text{nullptr, 0}) {
    PyObject* const str = value.ptr();
#ifndef VT_OWN_ABI
    if (PyUnicode_Check(str) && !nanobind::cast<bool>(value.attr("isascii")())) {
      utf8_ = nanobind::steal(PyUnicode_AsUTF8String(str));
      if (!utf8_.is_valid()) throw nanobind::python_error();
      chars_ = Text{reinterpret_cast<const uint8_t*>(PyBytes_AsString(utf8_.ptr())), static_cast<uint64_t>(PyBytes_Size(utf8_.ptr()))};
      return;
    }
#else
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_Check(str) && PyUnicode_READY(str) < 0) throw nanobind::python_error();
#endif
    if (PyUnicode_Check(str) && !PyUnicode_IS_COMPACT_ASCII(str) && reinterpret_cast<PyCompactUnicodeObject*>(str)->utf8 == nullptr) {
      const auto count = static_cast<uint64_t>(PyUnicode_GET_LENGTH(str));
      chars_ = Chars(static_cast<const uint8_t*>(PyUnicode_DATA(str)), count, PyUnicode_KIND(str));
      return;
    }
#endif
    chars_ = text_of(value);
  }

  const Chars& get() const { return chars_; }

 private:
  Chars chars_;
#ifndef VT_OWN_ABI
  nanobind::object utf8_;
#endif
};

// What `use` makes of a str's characters.
template <class Use>
auto with_chars(nanobind::handle value, Use use) {
  const StrChars chars(value);
  try {
    return use(chars.get());
  } catch (const LoneSurrogate&) {
    text_of(value);  // Python's own error says where it is
    throw;
  }
}

// The same with its UTF-8, for work that other Python threads need not wait for.
template <class Use>
auto with_utf8(nanobind::handle value, Use use) {
  return with_chars(value, [&](const Chars& chars) {
    ByteBuffer room;
    const Released released(chars.count);
    return use(as_utf8(chars, room));
  });
}

inline nanobind::object ids_array(Ids&& ids) {
  const size_t count = ids.count();
  uint32_t* memory = ids.release();
  return uint32_array(memory, count, nanobind::capsule(memory, [](void* kept) noexcept { std::free(kept); }));
}

inline SpanArray spans_of(Spans&& spans) {
  auto* kept = new Spans(std::move(spans));
  nanobind::capsule owner(kept, [](void* memory) noexcept { delete static_cast<Spans*>(memory); });
  return SpanArray(kept->data(), {kept->size() / 2, 2}, owner);
}

}  // namespace vt
