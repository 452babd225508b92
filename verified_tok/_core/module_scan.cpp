// Reading tokenizer files, seen from Python.
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings.h"
#include "scan.h"
#include "without_gil.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace vt {

namespace {

std::string_view view_of(const nb::bytes& data) { return {data.c_str(), data.size()}; }

EntriesView view_of(const In<uint8_t>& bytes, const In<uint32_t>& offsets) {
  if (offsets.size() == 0 || offsets.data()[offsets.size() - 1] > bytes.size()) {
    throw std::invalid_argument("offsets that do not fit");
  }
  return {bytes.data(), offsets.data(), offsets.size() - 1};
}

nb::tuple arrays_of(Entries&& entries) {
  return nb::make_tuple(array_of(std::move(entries.bytes)), array_of(std::move(entries.offsets)),
                        array_of(std::move(entries.ids)));
}

nb::object model(const nb::bytes& file) {
  std::optional<ScannedModel> found;
  {
    const WithoutGil released;
    found = scan_model(view_of(file));
  }
  if (!found) return nb::none();
  return nb::make_tuple(arrays_of(std::move(found->vocab)), array_of(std::move(found->merges)),
                        nb::make_tuple(found->vocab_start, found->vocab_stop, found->merges_start, found->merges_stop));
}

nb::object ranks(const nb::bytes& file) {
  std::optional<Entries> found;
  {
    const WithoutGil released;
    found = scan_ranks(view_of(file));
  }
  if (!found) return nb::none();
  return arrays_of(std::move(*found));
}

std::vector<int64_t> places(In<uint8_t> bytes, In<uint32_t> offsets, const std::vector<nb::bytes>& wanted) {
  std::vector<std::string_view> tokens;
  for (const nb::bytes& token : wanted) tokens.push_back(view_of(token));
  return places_of(view_of(bytes, offsets), tokens);
}

nb::tuple spelled(In<uint8_t> bytes, In<uint32_t> offsets, In<int16_t> alphabet) {
  Spelled found = spelled_in(view_of(bytes, offsets), alphabet.data(), alphabet.size());
  return nb::make_tuple(array_of(std::move(found.places)), array_of(std::move(found.bytes)),
                        array_of(std::move(found.offsets)));
}

}  // namespace

void bind_scan(nb::module_& module) {
  module.def("scan_model", &model, "file"_a);
  module.def("scan_ranks", &ranks, "file"_a);
  module.def("places_of", &places, "bytes"_a, "offsets"_a, "wanted"_a);
  module.def("spelled_in", &spelled, "bytes"_a, "offsets"_a, "alphabet"_a);
}

}  // namespace vt
