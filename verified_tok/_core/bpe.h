// Merging: the rules of pairs of tokens, and the run of merges on a few symbols.
#pragma once

#include "model.h"

namespace vt {

constexpr uint32_t no_rank = 0xFFFFFFFFu;

// A pair as a number of twice `id_bits` bits, well mixed. Multiplications by odd numbers and shifts to the right take
// no two pairs to the same number.
VT_HD uint64_t mixed_pair(uint32_t id_bits, uint32_t left, uint32_t right) {
  const uint64_t mask = (1ull << 2 * id_bits) - 1;
  uint64_t mixed = static_cast<uint64_t>(left) << id_bits | right;
  mixed = mixed * 0x9E3779B97F4A7C15ull & mask;
  mixed ^= mixed >> id_bits;
  return mixed * 0xC2B2AE3D27D4EB4Full & mask;
}

// Where a pair of tokens lies: its bucket, and what tells it there from all others. The upper bits of a mixed pair
// name its bucket; the others, with 8 bits of the bucket's name (for a pair that found its bucket full), are the check.
struct PairPlace {
  uint64_t bucket;
  uint32_t check;
};

VT_HD PairPlace place_of_pair(uint64_t mixed, uint32_t id_bits, uint32_t bucket_bits) {
  const uint32_t rest_bits = 2 * id_bits - bucket_bits;
  const uint64_t bucket = mixed >> rest_bits;
  const uint64_t rest = mixed & ((1ull << rest_bits) - 1);
  return {bucket, static_cast<uint32_t>(rest << 8 | (bucket & 0xFF))};
}

constexpr uint32_t bucket_size = 8;  // pairs; a bucket is one line of a cache
constexpr uint64_t empty_pair = ~0ull;

// The rank of the rule for `left` before `right`, or `no_rank`. Most pairs have none, which a table of bits says that
// is small enough to stay in a cache: bit k is set if a pair with a rule has k as its upper bits. A slot is a rank
// (upper half) and a check.
VT_HD uint32_t rank_of(const View& v, uint32_t left, uint32_t right) {
  const uint32_t id_bits = v.model_options[model_id_bits], bucket_bits = v.model_options[model_bucket_bits];
  const uint64_t mixed = mixed_pair(id_bits, left, right);
  const uint64_t bit = mixed >> (2 * id_bits - v.model_options[model_pair_bits]);
  if ((v.pair_bits[bit >> 6] >> (bit & 63) & 1) == 0) return no_rank;
  const PairPlace place = place_of_pair(mixed, id_bits, bucket_bits);
  const uint64_t mask = (1ull << bucket_bits) - 1;
  for (uint64_t bucket = place.bucket;; bucket = (bucket + 1) & mask) {
    const uint64_t* line = v.pair_buckets + bucket * bucket_size;
    for (uint32_t k = 0; k < bucket_size; ++k) {
      if (line[k] == empty_pair) return no_rank;
      if (static_cast<uint32_t>(line[k]) == place.check) return static_cast<uint32_t>(line[k] >> 32);
    }
  }
}

// Whether some rule joins a token that ends with the symbol `left` to one that begins with `right`. It may say so
// where none does: the pairs share bits.
VT_HD bool may_join(const View& v, uint32_t left, uint32_t right) {
  const uint64_t hash = (static_cast<uint64_t>(left) << 32 | right) * 0x9E3779B97F4A7C15ull;
  const uint64_t bit = hash >> (64 - v.model_options[model_join_bits]);
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
