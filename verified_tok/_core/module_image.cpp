// Images, seen from Python: made of arrays, or lying in memory that something else owns (as it was read from a file).
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <stdexcept>

#include "bindings.h"
#include "checksum.h"
#include "image_host.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace vt {

namespace {

using Bytes = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Image::Ptr from_arrays(const nb::dict& arrays) {
  std::vector<Image::Part> parts;
  for (auto [key, value] : arrays) {
    const auto name = nb::cast<std::string>(key);
    const auto array = nb::cast<nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(value);
    parts.push_back({section_named(name), array.data(), array.shape(0), array.itemsize()});
  }
  return Image::of_parts(parts);
}

// A section's elements as an array that keeps the image; no elements if the image lacks it.
nb::object section_of(nb::handle self, const std::string& name) {
  const Image& image = nb::cast<const Image&>(self);
  View view{};
  look_into(view, image.data(), image.data());
#define VT_SECTION(known, type)                                                                              \
  if (name == #known) {                                                                                      \
    return nb::cast(nb::ndarray<nb::numpy, const type, nb::ndim<1>>(view.known, {view.known##_count}, self)); \
  }
  VT_SECTIONS(VT_SECTION)
#undef VT_SECTION
  throw std::invalid_argument("an image has no section " + name);
}

// Memory for an image that will be read from a file: what is in it is not defined.
nb::ndarray<nb::numpy, uint8_t, nb::ndim<1>> memory_for(size_t size) {
  auto* kept = new std::shared_ptr<void>(table_room(size == 0 ? 1 : size));
  nb::capsule owner(kept, [](void* memory) noexcept { delete static_cast<std::shared_ptr<void>*>(memory); });
  return nb::ndarray<nb::numpy, uint8_t, nb::ndim<1>>(kept->get(), {size}, owner);
}

}  // namespace

void bind_image(nb::module_& module) {
  nb::class_<Image>(module, "Image")
      .def_static("of", &from_arrays, "arrays"_a)
      .def_static(
          "over",
          [](Bytes bytes) { return Image::over(bytes.data(), bytes.size(), std::make_shared<Bytes>(bytes)); },
          "memory"_a)
      .def("section", &section_of, "name"_a)
      .def_prop_ro(
          "memory",
          [](const Image& image) { return nb::ndarray<nb::numpy, const uint8_t, nb::ndim<1>>(image.data(), {image.size()}); },
          nb::rv_policy::reference_internal);
  module.def("memory_for", &memory_for, "size"_a);
  module.def("give_memory_back", [] {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
  });
  module.def("checksum", [](Bytes bytes) { return checksum(bytes.data(), bytes.size()); }, "bytes"_a);
  nb::dict sections;
#define VT_SECTION(name, type) sections[#name] = nb::int_(sizeof(type));
  VT_SECTIONS(VT_SECTION)
#undef VT_SECTION
  module.attr("SECTIONS") = sections;
}

}  // namespace vt
