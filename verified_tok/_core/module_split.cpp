// Cutting a text into pieces, seen from Python.
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>

#include <vector>

#include "bindings.h"
#include "image_host.h"
#include "next_piece.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace vt {

namespace {

using Spans = nb::ndarray<nb::numpy, int64_t, nb::ndim<2>>;

std::vector<int64_t> spans_of(const Image& image, const uint8_t* text, uint64_t size) {
  View view{};
  look_into(view, image.data(), image.data());
  std::vector<int64_t> spans;
  Cursor cursor{};
  const uint8_t* end = text + size;
  for (const uint8_t* at = text; at < end;) {
    const Piece piece = next_piece(view, at, end, cursor);
    if (piece.begin < piece.end) {
      spans.push_back(piece.begin - text);
      spans.push_back(piece.end - text);
    }
    at = piece.end;
  }
  return spans;
}

Spans split(const Image& image, nb::bytes text) {
  std::vector<int64_t>* spans;
  {
    nb::gil_scoped_release released;
    spans = new std::vector<int64_t>(spans_of(image, static_cast<const uint8_t*>(text.data()), text.size()));
  }
  nb::capsule owner(spans, [](void* vector) noexcept { delete static_cast<std::vector<int64_t>*>(vector); });
  return Spans(spans->data(), {spans->size() / 2, 2}, owner);
}

}  // namespace

void bind_split(nb::module_& module) { module.def("split", &split, "image"_a, "text"_a); }

}  // namespace vt
