// Merging: the rules of pairs of tokens, and the run of merges on a few symbols.
#pragma once

#include "model.h"

namespace vt {

constexpr uint32_t no_rank = 0xFFFFFFFFu;

// The table of pairs that have a rule. A pair's group has a number (`pilots`) that was chosen so that no two pairs are
// sent to one slot; a slot is a pair and its rank. So one look at each answers, whatever the pair, without a loop.
struct PairTable {
  const uint16_t* pilots;
  const uint64_t* slots;
  uint32_t groups;
  uint32_t size;

  // The rank of the rule for `left` before `right`, or `no_rank`.
  VT_HD uint32_t rank(uint32_t left, uint32_t right) const {
    const uint64_t pair = pair_of(left, right);
    return rank_in(*slot_of(pair), pair);
  }

  // The same, by what stands in the slot of the pair.
  VT_HD static uint32_t rank_in(uint64_t slot, uint64_t pair) {
    const uint64_t found = slot ^ pair << rank_bits;
    return found < rank_limit ? static_cast<uint32_t>(found) : no_rank;
  }

  static constexpr uint32_t id_bits = 21;  // every token of a rule is below 2 ** this, ...
  static constexpr uint32_t rank_bits = 64 - 2 * id_bits;
  static constexpr uint32_t rank_limit = (1u << rank_bits) - 1;  // ... and every rank below this
  static constexpr uint64_t empty = ~0ull;                       // so that it is no pair's slot

  VT_HD static uint64_t pair_of(uint32_t left, uint32_t right) { return static_cast<uint64_t>(left) << id_bits | right; }

  // The slot of a pair, if it has a rule.
  VT_HD const uint64_t* slot_of(uint64_t pair) const {
    const uint64_t hash = mixed(pair);
    return slots + place(hash, pilots[group(hash)]);
  }

  VT_HD uint32_t group(uint64_t hash) const { return static_cast<uint32_t>((hash >> 32) * groups >> 32); }

  VT_HD uint32_t place(uint64_t hash, uint32_t pilot) const {
    const uint32_t moved = static_cast<uint32_t>(hash) + pilot * 0x85EBCA6Bu;
    return static_cast<uint32_t>(static_cast<uint64_t>(moved) * size >> 32);
  }
};

VT_HD PairTable pair_table_of(const View& v) {
  return {v.pair_pilots, v.pair_slots, static_cast<uint32_t>(v.pair_pilots_count), static_cast<uint32_t>(v.pair_slots_count)};
}

VT_HD uint32_t rank_of(const View& v, uint32_t left, uint32_t right) { return pair_table_of(v).rank(left, right); }

// Where 2 ** `bits` bits have the one of a pair of symbols, which it shares with others.
VT_HD uint64_t join_bit(uint64_t left, uint32_t right, uint32_t bits) { return (left << 32 | right) * golden >> (64 - bits); }

// Whether some rule joins a token that ends with the symbol `left` to one that begins with `right`. It may say so
// where none does: the pairs share bits.
VT_HD bool may_join(const View& v, uint32_t left, uint32_t right) {
  const uint64_t bit = join_bit(left, right, v.model_options[model_join_bits]);
  return v.join_bits[bit >> 6] >> (bit & 63) & 1;
}

// The symbols of a run that merges stay inside, and where in the piece they stand. `Places` says whether anyone
// asks for the places.
struct Symbols {
  uint32_t* token;
  uint32_t* start;
  uint32_t* stop;
};

// So many symbols are merged by looking at all of them each time. A GPU has nothing else: it is to have room for lines
// that are drawn with one character.
#ifdef __CUDACC__
constexpr uint32_t few = 128;
#else
constexpr uint32_t few = 64;
#endif

// Merges `count` symbols (at most `few`) until no rule applies: lowest rank first, then leftmost. Returns how many
// are left.
template <bool places>
VT_HD uint32_t merge_few(const View& v, Symbols s, uint32_t count) {
  uint32_t rank[few];  // of each symbol with the next one
  for (uint32_t i = 0; i + 1 < count; ++i) rank[i] = rank_of(v, s.token[i], s.token[i + 1]);
  while (count > 1) {
    uint32_t best = 0;
    for (uint32_t i = 1; i + 1 < count; ++i) {
      if (rank[i] < rank[best]) best = i;
    }
    if (rank[best] == no_rank) break;
    s.token[best] = v.pair_results[rank[best]];
    if (places) {
      if (s.start[best + 1] < s.start[best]) s.start[best] = s.start[best + 1];
      if (s.stop[best + 1] > s.stop[best]) s.stop[best] = s.stop[best + 1];
    }
    --count;
    for (uint32_t i = best + 1; i < count; ++i) {
      s.token[i] = s.token[i + 1];
      rank[i - 1] = rank[i];
      if (places) {
        s.start[i] = s.start[i + 1];
        s.stop[i] = s.stop[i + 1];
      }
    }
    if (best > 0) rank[best - 1] = rank_of(v, s.token[best - 1], s.token[best]);
    if (best + 1 < count) rank[best] = rank_of(v, s.token[best], s.token[best + 1]);
  }
  return count;
}

}  // namespace vt
