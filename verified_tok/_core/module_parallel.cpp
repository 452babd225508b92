// Encoding on several threads, seen from Python.
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>

#include "bindings.h"
#include "exchange.h"
#include "parallel.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace vt {

namespace {

nb::ndarray<nb::numpy, uint32_t, nb::ndim<1>> encode_in_parts(const Engine& engine, const Image::Ptr& seams,
                                                              nb::handle value, uint32_t threads) {
  const Text text = text_of(value);
  View view{};
  look_into(view, seams->data(), seams->data());
  Ids ids;
  {
    const Released released(text.size);
    ids = encode_parallel(engine, view, text, threads);
  }
  return ids_array(std::move(ids));
}

}  // namespace

void bind_parallel(nb::module_& module) {
  module.def("encode_parallel", &encode_in_parts, "engine"_a, "seams"_a, "text"_a, "threads"_a);
}

}  // namespace vt
