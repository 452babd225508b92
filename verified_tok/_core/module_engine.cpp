#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include "arrays.h"
#include "bindings.h"
#include "encode_piece.h"
#include "image_host.h"
#include "merge_many.h"
namespace nb = nanobind;
using namespace nb::literals;
namespace vt {
namespace {
struct Rows {
  static constexpr bool places = true;
  std::vector<uint32_t> rows;
  void put(uint32_t token, uint32_t start, uint32_t stop) { for (uint32_t n : {token, start, stop}) rows.push_back(n); }
};
}
void bind_engine(nanobind::module_& module) {
  module.def("encode_piece", [](const Image& image, nb::bytes piece) {
    View v{}; look_into(v, image.data(), image.data());
    HostWork work; Rows rows;
    const uint8_t* at = reinterpret_cast<const uint8_t*>(piece.data());
    encode_piece(v, at, static_cast<uint32_t>(piece.size()), at + piece.size(), work, rows);
    return array_of(std::move(rows.rows));
  });
}
}
