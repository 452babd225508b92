// Building the tables of a model from its tokens and rules. Host only, once for a tokenizer.
#pragma once

#include <cstdint>
#include <vector>

#include "model.h"

namespace vt {

struct ModelSource {
  bool of_chars = false;      // symbols are characters, else bytes
  bool fuses_unknown = false;
  uint32_t unknown = no_token;

  // The tokens that text can become: ids, bytes as a piece has them (token k's are
  // `bytes[offsets[k]:offsets[k + 1]]`), and whether a piece of these bytes is this token, whatever the merges say.
  std::vector<uint32_t> ids;
  std::vector<uint64_t> offsets;
  std::vector<uint8_t> bytes;
  std::vector<uint8_t> whole;

  std::vector<uint32_t> byte_symbols;      // 256 in a model of bytes
  std::vector<uint32_t> fallback_symbols;  // 256 if unknown characters become bytes, else none
  std::vector<uint32_t> char_codes;        // characters with a token, in a model of characters, ...
  std::vector<uint32_t> char_tokens;       // ... and their tokens

  // Rules: (left, right, rank, result), four numbers each. The first of a pair counts.
  std::vector<uint32_t> rules;
};

struct ModelTables {
  std::vector<uint32_t> model_options, byte_symbols, fallback_symbols, char_tokens, pair_results, token_lengths, byte_ranks;
  std::vector<uint16_t> char_pages, pair_pilots;
  std::vector<uint64_t> pair_slots, join_bits, short_entries, long_slots, prefix_cells, births, cut_pairs, cut_bound;
  std::vector<uint8_t> long_entries;
};

// The rules of a vocabulary of ranks: two tokens merge where their bytes together are a token that is
// not banned. `banned` is sorted.
std::vector<uint32_t> rules_of_ranks(const ModelSource& source, const std::vector<uint32_t>& banned);

// Throws std::length_error if ids are too large for the table of pairs.
ModelTables build_model(ModelSource source);

}  // namespace vt
