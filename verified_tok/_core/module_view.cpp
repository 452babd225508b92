// What goes to code that runs outside this module, GPU kernels: views of images, and texts.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <stdexcept>

#include "bindings.h"
#include "exchange.h"
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

using Bounds = nb::ndarray<nb::numpy, int64_t, nb::ndim<1>>;
using Target = nb::ndarray<uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Bounds text_bounds(const nb::list& texts) {
  const size_t count = texts.size() + 1;
  std::unique_ptr<int64_t[]> bounds(new int64_t[count]);
  bounds[0] = 0;
  for (size_t k = 0; k + 1 < count; ++k) bounds[k + 1] = bounds[k] + static_cast<int64_t>(text_of(texts[k]).size);
  nb::capsule owner(bounds.get(), [](void* memory) noexcept { delete[] static_cast<int64_t*>(memory); });
  return Bounds(bounds.release(), {count}, owner);
}

void copy_texts(const nb::list& values, Target memory) {
  std::vector<Text> texts;
  texts.reserve(values.size());
  uint64_t size = 0;
  for (nb::handle value : values) {
    texts.push_back(text_of(value));
    size += texts.back().size;
  }
  if (size > memory.size()) throw std::invalid_argument("more text than there is memory for");
  const Released released(size);
  uint8_t* at = memory.data();
  for (const Text& text : texts) {
    if (text.size != 0) std::memcpy(at, text.data, text.size);
    at += text.size;
  }
}

}  // namespace

void bind_view(nb::module_& module) {
  module.def("view_at", &view_at, "images"_a, "addresses"_a);
  module.def("text_bounds", &text_bounds, "texts"_a);
  module.def("copy_texts", &copy_texts, "texts"_a, "memory"_a);
}

}  // namespace vt
