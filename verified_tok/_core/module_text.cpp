// What happens to text before it is cut into pieces: added tokens and the normalizer.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

#include "bindings.h"
#include "image_host.h"
#include "literals.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace vt {

namespace {

View view_of(const Image& image) {
  View view{};
  look_into(view, image.data(), image.data());
  return view;
}

nb::list literal_parts(const Image& image, const nb::bytes& text, bool normalized) {
  const View view = view_of(image);
  const auto* begin = reinterpret_cast<const uint8_t*>(text.data());
  Parts parts(normalized ? normalized_literals(view) : raw_literals(view), begin, begin + text.size());
  nb::list found;
  for (Part part; parts.next(part);) found.append(nb::make_tuple(part.begin - begin, part.end - begin, part.id));
  return found;
}

}  // namespace

void bind_text(nb::module_& module) {
  module.def("literal_parts", &literal_parts, "image"_a, "text"_a, "normalized"_a);
}

}  // namespace vt
