// What happens to text before it is cut into pieces: added tokens and the normalizer.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

#include "bindings.h"
#include "image_host.h"
#include "literals.h"
#include "normalizer.h"

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

nb::tuple normalize_segment(const Image& image, const nb::bytes& segment, bool inside, bool with_origins) {
  Normalizer normalizer(view_of(image));
  const auto* begin = reinterpret_cast<const uint8_t*>(segment.data());
  const Normal text = normalizer.normalize(begin, begin + segment.size(), inside, with_origins);
  if (!with_origins) return nb::make_tuple(nb::bytes(text.begin, text.size()), nb::none());
  Sources sources(text);
  nb::list origins;
  for (uint32_t at = 0; at < text.size(); ++at) {
    const Source source = sources.hull(at, at + 1);
    origins.append(nb::make_tuple(source.start, source.stop));
  }
  return nb::make_tuple(nb::bytes(text.begin, text.size()), origins);
}

}  // namespace

void bind_text(nb::module_& module) {
  module.def("literal_parts", &literal_parts, "image"_a, "text"_a, "normalized"_a);
  module.def("normalize_segment", &normalize_segment, "image"_a, "segment"_a, "inside"_a, "origins"_a);
}

}  // namespace vt
