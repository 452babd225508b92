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
