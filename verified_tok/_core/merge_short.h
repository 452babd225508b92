// The merges of a short piece, where ranks are tokens and symbols are bytes: no table tells what a rule makes, and one
// that is small tells the ranks of bytes beside bytes.
#pragma once

#include "bpe.h"

namespace vt {

// Whether the tables of a model allow it.
VT_HD bool merges_short(const View& v) { return v.byte_ranks_count != 0; }

// Writes the tokens of a piece of at most `short_limit` bytes, and returns where they end.
VT_HD uint32_t* merge_short(const View& v, const uint8_t* piece, uint32_t size, uint32_t* to) {
  uint32_t token[short_limit + 1], rank[short_limit + 1];  // of each token, and of it with the next one
  for (uint32_t i = 0; i < size; ++i) token[i] = v.byte_symbols[piece[i]];
  for (uint32_t i = 0; i + 1 < size; ++i) rank[i] = v.byte_ranks[piece[i] << 8 | piece[i + 1]];
  uint32_t count = size;
  while (count > 1) {
    uint64_t least = ~0ull;  // of ranks, and where it is: a comparison of both at once is not worth a guess
    for (uint32_t i = 0; i + 1 < count; ++i) {
      const uint64_t here = static_cast<uint64_t>(rank[i]) << 8 | i;
      least = here < least ? here : least;
    }
    const uint32_t best = static_cast<uint32_t>(least & 0xFF);
    if (rank[best] == no_rank) break;
    token[best] = rank[best];
    --count;
    for (uint32_t i = best + 1; i < count; ++i) {
      token[i] = token[i + 1];
      rank[i - 1] = rank[i];
    }
    if (best > 0) rank[best - 1] = rank_of(v, token[best - 1], token[best]);
    if (best + 1 < count) rank[best] = rank_of(v, token[best], token[best + 1]);
  }
  for (uint32_t i = 0; i < count; ++i) to[i] = token[i];
  return to + count;
}

}  // namespace vt
