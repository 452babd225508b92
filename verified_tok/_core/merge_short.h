// The merges of a short piece, where ranks are tokens and symbols are bytes: no table tells what a rule makes, and one
// that is small tells the ranks of bytes beside bytes. Host only.
//
// Nothing in a merge is a branch that depends on the piece, and merges of several pieces take turns. Measured on words that
// are no entries: half of the time, which wrong guesses and waiting for memory took.
#pragma once

#include "bpe.h"

namespace vt {

// Whether the tables of a model allow it.
inline bool merges_short(const View& v) { return v.byte_ranks_count != 0; }

// Ranks of pairs, beside where they are; a pair without a rule has none. The least of them is the next merge.
constexpr uint32_t no_merge = 0xFFFFFFFFu;
constexpr uint32_t merge_place_bits = 4;

inline uint32_t merge_at(uint32_t rank, uint32_t place) {
  return rank == no_rank ? no_merge : rank << merge_place_bits | place;
}

// The merges of one piece, one after the other.
class ShortMerges {
 public:
  // Begins with the bytes of a piece, at most `short_limit`.
  void begin(const View& v, const uint8_t* piece, uint32_t size) {
    static_assert(short_limit < places);
    size_ = size;
    for (uint32_t i = 0; i < places; ++i) {
      merge_[i] = no_merge;
      next_[i] = static_cast<uint8_t>(i + 1);
      previous_[i] = static_cast<uint8_t>(i - 1);
    }
    previous_[0] = nowhere;
    token_[nowhere] = token_[size] = 0;
    for (uint32_t i = 0; i < size; ++i) token_[i] = v.byte_symbols[piece[i]];
    for (uint32_t i = 0; i + 1 < size; ++i) merge_[i] = merge_at(v.byte_ranks[piece[i] << 8 | piece[i + 1]], i);
  }

  // Does the next merge. False: there is none.
  bool step(const PairTable& pairs) {
    const auto least_of = [](uint32_t a, uint32_t b) { return a < b ? a : b; };
    uint32_t least[places / 2];
    for (uint32_t i = 0; i < places / 2; ++i) least[i] = least_of(merge_[i], merge_[i + places / 2]);
    const uint32_t first = least_of(least_of(least_of(least[0], least[1]), least_of(least[2], least[3])),
                                    least_of(least_of(least[4], least[5]), least_of(least[6], least[7])));
    if (first == no_merge) return false;
    const uint32_t here = first & (places - 1);
    const uint32_t taken = next_[here], after = next_[taken], before = previous_[here];
    const uint32_t made = first >> merge_place_bits;
    token_[here] = made;
    next_[here] = static_cast<uint8_t>(after);
    previous_[after] = static_cast<uint8_t>(here);
    merge_[taken] = no_merge;
    const uint32_t with_next = merge_at(pairs.rank(made, token_[after]), here);
    merge_[here] = after == size_ ? no_merge : with_next;
    merge_[before] = merge_at(pairs.rank(token_[before], made), before);
    return true;
  }

  // Writes the tokens that are left, and returns where they end.
  uint32_t* end(uint32_t* to) const {
    for (uint32_t i = 0; i != size_; i = next_[i]) *to++ = token_[i];
    return to;
  }

 private:
  static constexpr uint32_t places = 1u << merge_place_bits, nowhere = places;

  uint32_t size_;
  // Of each byte that a token begins with: the token, its merge with the next one, and where its neighbours begin. What
  // stands behind the last one, and at `nowhere`, only saves asking whether there is a neighbour.
  uint32_t token_[places + 1], merge_[places + 1];
  uint8_t next_[places + 1], previous_[places + 1];
};

// Merges `count` pieces, some at a time. `piece(k)` gives the bytes of the kth (`begin` and `size`), and `take(k, merges)`
// is called when no rule applies to it any more.
template <class Piece, class Take>
void merge_short_pieces(const View& v, size_t count, Piece&& piece, Take&& take) {
  constexpr size_t width = 4;
  const PairTable pairs = pair_table_of(v);
  ShortMerges merges[width];
  size_t number[width];
  size_t begun = 0, live = 0;
  const auto begin = [&](size_t lane) {
    number[lane] = begun++;
    merges[lane].begin(v, piece(number[lane]).begin, piece(number[lane]).size);
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

}  // namespace vt
