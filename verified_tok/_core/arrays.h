// Arrays from Python, and NumPy arrays of what C++ has made.
#pragma once

#include <nanobind/ndarray.h>
#include <nanobind/nanobind.h>

#include <utility>
#include <vector>

namespace vt {

// An array that is read.
template <class T>
using In = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

// An array that owns the vector's memory.
template <class T>
nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>> array_of(std::vector<T>&& vector) {
  auto* kept = new std::vector<T>(std::move(vector));
  nanobind::capsule owner(kept, [](void* memory) noexcept { delete static_cast<std::vector<T>*>(memory); });
  return nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(kept->data(), {kept->size()}, owner);
}

}  // namespace vt
