// Views of images, for code that runs outside this module: GPU kernels.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "bindings.h"
#include "image_host.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace vt {

namespace {

// The view of several images, of which the later ones go before the earlier ones, each as it lies at an address.
nb::bytes view_at(const std::vector<Image::Ptr>& images, const std::vector<uint64_t>& addresses) {
  if (images.size() != addresses.size()) throw std::invalid_argument("an address for each image");
  View view{};
  for (size_t k = 0; k < images.size(); ++k) {
    look_into(view, images[k]->data(), reinterpret_cast<const uint8_t*>(addresses[k]));
  }
  return nb::bytes(&view, sizeof view);
}

}  // namespace

void bind_view(nb::module_& module) { module.def("view_at", &view_at, "images"_a, "addresses"_a); }

}  // namespace vt
