// The merges of short pieces, where ranks are tokens and symbols are bytes: no table tells what a rule makes, and one
// that is small tells the ranks of bytes beside bytes. Host only.
//
// Merges of several pieces take turns. Each is begun in one turn, which asks memory for the rules of the two new pairs, and ended
// in the next. Nothing in it is a branch that depends on the piece. Measured on words that are no entries, with tables
// that have left the caches: half of the time; with vectors a third.
#pragma once

#include "bpe.h"
#include "hash.h"
#include "simd.h"

namespace vt {

// Whether the tables of a model allow it.
inline bool merges_short(const View& v) { return v.byte_ranks_count != 0; }

// Ranks of pairs, beside where they are; a pair without a rule has none. The least of them is the next merge.
constexpr uint32_t no_merge = 0xFFFFFFFFu;
constexpr uint32_t merge_place_bits = 4;
constexpr uint32_t merge_places = 1u << merge_place_bits;
static_assert(short_limit < merge_places);

inline uint32_t merge_at(uint32_t rank, uint32_t place) {
  return rank == no_rank ? no_merge : rank << merge_place_bits | place;
}

// A pair, and where its rule stands if it has one.
struct PairLookup {
  uint64_t pair = 0;
  const uint64_t* slot = &PairTable::empty;

  void begin(const PairTable& pairs, bool exists, uint32_t left, uint32_t right) {
    pair = PairTable::pair_of(left, right);
    slot = exists ? pairs.slot_of(pair) : &PairTable::empty;
    __builtin_prefetch(slot);
  }
  uint32_t merge(uint32_t place) const { return merge_at(PairTable::rank_in(*slot, pair), place); }
};

// The merges of one piece, one after the other.
class ShortMerges {
 public:
  void begin(const View& v, Key key) {
    uint8_t piece[merge_places];
    std::memcpy(piece, &key, sizeof piece);
    size_ = static_cast<uint32_t>(key.high >> 56);
    here_ = before_ = nowhere;
    with_next_ = with_previous_ = PairLookup();
    for (uint32_t i = 0; i < merge_places; ++i) {
      merge_[i] = no_merge;
      next_[i] = static_cast<uint8_t>(i + 1);
      previous_[i] = static_cast<uint8_t>(i - 1);
    }
    previous_[0] = nowhere;
    token_[nowhere] = token_[size_] = 0;
    for (uint32_t i = 0; i < size_; ++i) token_[i] = v.byte_symbols[piece[i]];
    for (uint32_t i = 0; i + 1 < size_; ++i) merge_[i] = merge_at(v.byte_ranks[piece[i] << 8 | piece[i + 1]], i);
  }

  // Ends a merge and begins the next one. False: there is none.
  bool step(const PairTable& pairs) {
    merge_[here_] = with_next_.merge(here_);
    merge_[before_] = with_previous_.merge(before_);
    const auto least_of = [](uint32_t a, uint32_t b) { return a < b ? a : b; };
    uint32_t least[merge_places / 2];
    for (uint32_t i = 0; i < merge_places / 2; ++i) least[i] = least_of(merge_[i], merge_[i + merge_places / 2]);
    const uint32_t first = least_of(least_of(least_of(least[0], least[1]), least_of(least[2], least[3])),
                                    least_of(least_of(least[4], least[5]), least_of(least[6], least[7])));
    if (first == no_merge) return false;
    here_ = first & (merge_places - 1);
    before_ = previous_[here_];
    const uint32_t taken = next_[here_], after = next_[taken];
    const uint32_t made = first >> merge_place_bits;
    token_[here_] = made;
    next_[here_] = static_cast<uint8_t>(after);
    previous_[after] = static_cast<uint8_t>(here_);
    merge_[taken] = no_merge;
    with_next_.begin(pairs, after != size_, made, token_[after]);
    with_previous_.begin(pairs, before_ != nowhere, token_[before_], made);
    return true;
  }

  // Writes the tokens that are left, and returns where they end.
  uint32_t* end(uint32_t* to) const {
    for (uint32_t i = 0; i != size_; i = next_[i]) *to++ = token_[i];
    return to;
  }

 private:
  static constexpr uint32_t nowhere = merge_places;

  uint32_t size_;
  uint32_t here_, before_;  // where the merge is that was begun, and where the token before it begins
  PairLookup with_next_, with_previous_;
  // Of each byte that a token begins with: the token, its merge with the next one, and where its neighbours begin. What
  // stands behind the last one, and at `nowhere`, only saves asking whether there is a neighbour.
  uint32_t token_[merge_places + 1], merge_[merge_places + 1];
  uint8_t next_[merge_places + 1], previous_[merge_places + 1];
};

// Merges `count` pieces, `width` at a time. `key(k)` gives the kth, and `take(k, merges)` is called when no rule applies to it
// any more.
template <class Merges, class KeyOf, class Take>
__attribute__((always_inline)) inline void merge_in_turn(const View& v, size_t count, KeyOf& key, Take& take) {
  constexpr size_t width = 8;
  const PairTable pairs = pair_table_of(v);
  Merges merges[width];
  size_t number[width];
  size_t begun = 0, live = 0;
  const auto begin = [&](size_t lane) {
    number[lane] = begun++;
    merges[lane].begin(v, key(number[lane]));
  };
  while (live < width && begun < count) begin(live++);
  while (live != 0) {
    for (size_t lane = 0; lane < live;) {
      if (merges[lane].step(pairs)) {
        ++lane;
        continue;
      }
      take(number[lane], merges[lane]);
      if (begun < count) {
        begin(lane);
      } else if (--live != lane) {
        merges[lane] = merges[live];
        number[lane] = number[live];
      }
    }
  }
}

#ifdef VT_SIMD
#define VT_ISA __attribute__((target("avx2")))

// A number of 32 bits for each place.
struct Numbers {
  static_assert(merge_places == 16);
  __m256i low, high;

  VT_ISA static Numbers load(const uint32_t* at) {
    const __m256i* halves = reinterpret_cast<const __m256i*>(at);
    return {_mm256_load_si256(halves), _mm256_load_si256(halves + 1)};
  }
  VT_ISA void store(uint32_t* at) const {
    __m256i* halves = reinterpret_cast<__m256i*>(at);
    _mm256_store_si256(halves, low);
    _mm256_store_si256(halves + 1, high);
  }
  // The same, but for one place if it is one.
  VT_ISA Numbers with(uint32_t place, uint32_t number) const {
    const __m256i here = _mm256_set1_epi32(static_cast<int>(place)), to = _mm256_set1_epi32(static_cast<int>(number));
    const __m256i places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return {_mm256_blendv_epi8(low, to, _mm256_cmpeq_epi32(here, places)),
            _mm256_blendv_epi8(high, to, _mm256_cmpeq_epi32(here, _mm256_add_epi32(places, _mm256_set1_epi32(8))))};
  }
  VT_ISA uint32_t least() const {
    const __m256i eight = _mm256_min_epu32(low, high);
    const __m128i four = _mm_min_epu32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
    const __m128i two = _mm_min_epu32(four, _mm_shuffle_epi32(four, 0x4E));
    return static_cast<uint32_t>(_mm_cvtsi128_si32(_mm_min_epu32(two, _mm_shuffle_epi32(two, 0xB1))));
  }
};

// The same as `ShortMerges`, by vectors.
class VectorMerges {
 public:
  VT_ISA void begin(const View& v, Key key) {
    size_ = static_cast<uint32_t>(key.high >> 56);
    starts_ = (2u << size_) - 1;
    here_ = before_ = nowhere;
    with_next_ = with_previous_ = PairLookup();
    const __m128i bytes = _mm_set_epi64x(static_cast<int64_t>(key.high), static_cast<int64_t>(key.low));
    begin_half(v, _mm256_cvtepu8_epi32(bytes), _mm256_cvtepu8_epi32(_mm_bsrli_si128(bytes, 1)), 0);
    begin_half(v, _mm256_cvtepu8_epi32(_mm_bsrli_si128(bytes, 8)), _mm256_cvtepu8_epi32(_mm_bsrli_si128(bytes, 9)), 8);
  }

  VT_ISA bool step(const PairTable& pairs) {
    const Numbers merges = Numbers::load(merge_).with(here_, with_next_.merge(here_)).with(before_, with_previous_.merge(before_));
    const uint32_t first = merges.least();
    if (first == no_merge) return false;
    here_ = first & (merge_places - 1);
    const uint32_t behind = starts_ & ~1u << here_, front = starts_ & ((1u << here_) - 1);
    const uint32_t taken = lowest(behind), after = lowest(behind & (behind - 1));
    before_ = front == 0 ? nowhere : highest_bit(front);
    starts_ ^= 1u << taken;
    const uint32_t made = first >> merge_place_bits;
    token_[here_] = made;
    merges.with(taken, no_merge).store(merge_);
    with_next_.begin(pairs, after != size_, made, token_[after]);
    with_previous_.begin(pairs, front != 0, token_[before_ % merge_places], made);
    return true;
  }

  uint32_t* end(uint32_t* to) const {
    for (uint32_t rest = starts_ ^ 1u << size_; rest != 0; rest &= rest - 1) *to++ = token_[lowest(rest)];
    return to;
  }

 private:
  static constexpr uint32_t nowhere = merge_places;

  static uint32_t lowest(uint32_t bits) { return static_cast<uint32_t>(__builtin_ctz(bits)); }

  VT_ISA void begin_half(const View& v, __m256i left, __m256i right, uint32_t first) {
    const __m256i none = _mm256_set1_epi32(-1);
    const __m256i place = _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(static_cast<int>(first)));
    const __m256i has_next = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(size_) - 1), place);
    const __m256i rank = _mm256_mask_i32gather_epi32(none, reinterpret_cast<const int*>(v.byte_ranks),
                                                     _mm256_or_si256(_mm256_slli_epi32(left, 8), right), has_next, 4);
    const __m256i merge = _mm256_or_si256(_mm256_slli_epi32(rank, merge_place_bits), place);
    _mm256_store_si256(reinterpret_cast<__m256i*>(merge_ + first), _mm256_or_si256(merge, _mm256_cmpeq_epi32(rank, none)));
    _mm256_store_si256(reinterpret_cast<__m256i*>(token_ + first),
                       _mm256_i32gather_epi32(reinterpret_cast<const int*>(v.byte_symbols), left, 4));
  }

  alignas(32) uint32_t merge_[merge_places];
  alignas(32) uint32_t token_[merge_places];
  uint32_t size_;
  uint32_t starts_;  // bits: where tokens begin, and where the piece ends
  uint32_t here_, before_;
  PairLookup with_next_, with_previous_;
};

template <class KeyOf, class Take>
VT_ISA void merge_by_vectors(const View& v, size_t count, KeyOf& key, Take& take) {
  merge_in_turn<VectorMerges>(v, count, key, take);
}

#undef VT_ISA
#endif

template <class KeyOf, class Take>
void merge_short_pieces(const View& v, size_t count, KeyOf key, Take take) {
#ifdef VT_SIMD
  if (simd.avx2) return merge_by_vectors(v, count, key, take);
#endif
  merge_in_turn<ShortMerges>(v, count, key, take);
}

}  // namespace vt
