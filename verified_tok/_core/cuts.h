// Places within a piece that no merge crosses: a piece can be cut there, and its parts encoded for themselves
// (`encodePiece_flatten_of_noLiveMeet`, lean/VerifiedTok/Thm/Cuts.lean).
//
// Between two characters of three bytes, as East Asian text has them, a merge would have to join a token that ends with
// the first of them to one that begins with the second. Few pairs of characters have a rule that does so, and half of
// the places in real text are cuts. The parts are words that come again, where whole pieces hardly ever do.
#pragma once

#include "host_device.h"
#include "image.h"
#include "model.h"

namespace vt {

// Which side of a character is never a cut.
enum BoundSide : uint32_t { bound_before, bound_behind };

// Pairs of characters are found by a hash, so some look as if they had a rule. Characters that a rule joins to a part of
// the character before them are never cut off, and neither is what is a token as a whole piece only.
struct Cuts {
  const uint64_t* pairs;  // a bit for each hash of a pair
  const uint64_t* bound;  // two bits for each character, one a side
  uint32_t shift;

  VT_HD uint64_t place_of(uint32_t left, uint32_t right) const {
    return (static_cast<uint64_t>(left) << 16 | right) * golden >> shift;
  }

  VT_HD uint64_t is_bound(uint32_t c, BoundSide side) const { return bound[c >> 5] >> ((c & 31) * 2 + side); }

  // Whether no merge crosses the place between two characters of three bytes.
  VT_HD bool between(uint32_t left, uint32_t right) const {
    const uint64_t pair = place_of(left, right);
    const uint64_t joined = pairs[pair >> 6] >> (pair & 63);
    return ((joined | is_bound(left, bound_behind) | is_bound(right, bound_before)) & 1) == 0;
  }
};

// Whether a model has cuts: those of bytes have, if their tokens tell by their bytes what they are made of.
VT_HD bool has_cuts(const View& v) { return v.cut_pairs_count != 0; }

VT_HD Cuts cuts_of(const View& v) { return {v.cut_pairs, v.cut_bound, 64 - v.model_options[model_cut_bits]}; }

VT_HD bool has_three_bytes(uint8_t first) { return (first & 0xF0) == 0xE0; }

// The code point of a character of three bytes.
VT_HD uint32_t char_of_three(const uint8_t* at) { return (at[0] & 0xFu) << 12 | (at[1] & 0x3Fu) << 6 | (at[2] & 0x3Fu); }

// The first cut behind `begin`, or `end`.
VT_HD const uint8_t* next_cut(const Cuts& cuts, const uint8_t* begin, const uint8_t* end) {
  constexpr uint32_t none = 0;
  uint32_t left = none;
  for (const uint8_t* at = begin; at < end;) {
    if (!has_three_bytes(*at)) {
      at += char_size(*at);
      left = none;
      continue;
    }
    const uint32_t right = char_of_three(at);
    if (left != none && cuts.between(left, right)) return at;
    left = right;
    at += 3;
  }
  return end;
}

}  // namespace vt
