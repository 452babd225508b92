// The tables of a model, seen from Python.
#include <nanobind/ndarray.h>

#include "bindings.h"
#include "encode_piece.h"
#include "image_host.h"
#include "merge_many.h"
#include "model_build.h"
#include "arrays.h"
#include "without_gil.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace vt {

namespace {

template <class T>
std::vector<T> vector_of(const In<T>& array) {
  return std::vector<T>(array.data(), array.data() + array.size());
}

nb::dict build(bool of_chars, bool fuses_unknown, uint32_t unknown, In<uint32_t> ids, In<uint64_t> offsets,
               In<uint8_t> bytes, In<uint8_t> whole, In<uint32_t> byte_symbols, In<uint32_t> fallback_symbols,
               In<uint32_t> char_codes, In<uint32_t> char_tokens, In<uint32_t> rules, bool ranks, In<uint32_t> banned) {
  ModelSource source;
  source.of_chars = of_chars;
  source.fuses_unknown = fuses_unknown;
  source.unknown = unknown;
  source.ids = vector_of(ids);
  source.offsets = vector_of(offsets);
  source.bytes = vector_of(bytes);
  source.whole = vector_of(whole);
  source.byte_symbols = vector_of(byte_symbols);
  source.fallback_symbols = vector_of(fallback_symbols);
  source.char_codes = vector_of(char_codes);
  source.char_tokens = vector_of(char_tokens);
  source.rules = vector_of(rules);
  ModelTables tables;
  {
    const WithoutGil released;
    if (ranks) source.rules = rules_of_ranks(source, vector_of(banned));
    tables = build_model(std::move(source));
  }
  nb::dict made;
#define VT_GIVE(name) made[#name] = array_of(std::move(tables.name))
  VT_GIVE(model_options);
  VT_GIVE(byte_symbols);
  VT_GIVE(fallback_symbols);
  VT_GIVE(char_pages);
  VT_GIVE(char_tokens);
  VT_GIVE(pair_pilots);
  VT_GIVE(pair_slots);
  VT_GIVE(pair_results);
  VT_GIVE(join_bits);
  VT_GIVE(short_entries);
  VT_GIVE(long_slots);
  VT_GIVE(long_entries);
  VT_GIVE(token_lengths);
  VT_GIVE(births);
  VT_GIVE(byte_ranks);
  VT_GIVE(cut_pairs);
  VT_GIVE(cut_bound);
  VT_GIVE(prefix_cells);
#undef VT_GIVE
  return made;
}

}  // namespace

void bind_model(nb::module_& module) {
  module.def("build_model", &build, "of_chars"_a, "fuses_unknown"_a, "unknown"_a, "ids"_a, "offsets"_a, "bytes"_a,
             "whole"_a, "byte_symbols"_a, "fallback_symbols"_a, "char_codes"_a, "char_tokens"_a, "rules"_a, "ranks"_a,
             "banned"_a);
}

}  // namespace vt
