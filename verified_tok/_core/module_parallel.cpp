// Encoding on several threads, seen from Python.
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>

#include "bindings.h"
#include "exchange.h"
#include "parallel.h"
#include "text_array.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace vt {

namespace {

nb::object encode_in_parts(const Engine& engine, const Image::Ptr& seams, const Chars& chars, uint32_t threads) {
  View view{};
  look_into(view, seams->data(), seams->data());
  Ids ids;
  {
    const Released released(chars.count);
    ids = encode_parallel(engine, view, chars, threads);
  }
  return ids_array(std::move(ids));
}

nb::object encode_str(const Engine& engine, const Image::Ptr& seams, nb::handle text, uint32_t threads) {
  return with_chars(text, [&](const Chars& chars) { return encode_in_parts(engine, seams, chars, threads); });
}

nb::object encode_first(const Engine& engine, const Image::Ptr& seams, const TextArray& texts, uint32_t threads) {
  if (texts.texts().empty()) throw nb::index_error("there is no text");
  texts.check(threads);
  return encode_in_parts(engine, seams, texts.texts()[0], threads);
}

}  // namespace

void bind_parallel(nb::module_& module) {
  module.def("encode_parallel", &encode_first, "engine"_a, "seams"_a, "texts"_a, "threads"_a);
  module.def("encode_parallel", &encode_str, "engine"_a, "seams"_a, "text"_a, "threads"_a);
}

}  // namespace vt
