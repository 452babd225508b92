// Between which characters every text may be cut (`reference.seam_table`, `native/seams.py`).
#pragma once

#include "hash.h"
#include "host_device.h"
#include "image.h"
#include "utf8.h"

namespace vt {

enum SeamAnswer : uint8_t {
  seam_no = 0,
  seam_vocabulary = 1,  // if no merge joins the two characters
  seam_yes = 2,
};

// What merges see of a character: nothing is known of it, itself, or one of its bytes.
enum SeamSymbol : uint8_t {
  symbol_none = 0,
  symbol_char = 1,
  symbol_byte = 2,
};

constexpr uint32_t byte_symbols_from = 0x110000;

// The key of a pair of symbols.
VT_HD uint64_t seam_pair(uint32_t x, uint32_t y) { return uint64_t{x} << 32 | y; }

// Whether a set of pairs holds a key: buckets, the first of whose keys `start` tells. There are 2^bits of them, `bits` not 0.
VT_HD bool holds_pair(const uint32_t* start, const uint64_t* keys, uint32_t bits, uint64_t key) {
  const uint64_t bucket = key * golden >> (64 - bits);
  for (uint32_t k = start[bucket]; k < start[bucket + 1]; ++k) {
    if (keys[k] == key) return true;
  }
  return false;
}

// Whether a literal may go across the place between two characters.
VT_HD bool is_held(const View& v, uint32_t x, uint32_t y) {
  return v.seam_held_count != 0 && holds_pair(v.seam_held_start, v.seam_held, v.seam_options[0], seam_pair(x, y));
}

// What merges see of the character on the left and on the right of a cut: its last and its first symbol.
VT_HD uint32_t last_symbol(uint8_t kind, uint32_t c) {
  if (kind == symbol_char) return c;
  return byte_symbols_from + (c < 0x80 ? c : (0x80 | (c & 0x3f)));
}
VT_HD uint32_t first_symbol(uint8_t kind, uint32_t c) {
  if (kind == symbol_char) return c;
  const uint32_t lead = c < 0x80 ? c : c < 0x800 ? 0xc0 | c >> 6 : c < 0x10000 ? 0xe0 | c >> 12 : 0xf0 | c >> 18;
  return byte_symbols_from + lead;
}

// Whether every text may be cut between the characters `x` and `y`.
VT_HD bool is_seam(const View& v, uint32_t x, uint32_t y) {
  const uint32_t left = v.seam_left[uint32_t{v.seam_block[x >> 7]} << 7 | (x & 127)];
  const uint32_t right = v.seam_right[uint32_t{v.seam_block[y >> 7]} << 7 | (y & 127)];
  const uint8_t answer = v.seam_answers[left * v.seam_right_kind_count + right];
  if (answer == seam_no) return false;
  if (is_held(v, x, y)) return false;
  if (answer == seam_yes) return true;
  const uint8_t x_kind = v.seam_left_kind[left], y_kind = v.seam_right_kind[right];
  return x_kind != symbol_none && y_kind != symbol_none &&
         !holds_pair(v.seam_joined_start, v.seam_joined, v.seam_options[1],
                     seam_pair(last_symbol(x_kind, x), first_symbol(y_kind, y)));
}

// The first seam from `at` up to `stop`, of a text that begins before `at`; null if there is none.
VT_HD const uint8_t* first_seam(const View& v, const uint8_t* at, const uint8_t* stop) {
  while (at < stop && is_continuation(*at)) ++at;
  if (at >= stop) return nullptr;
  for (uint32_t x = char_before(at); at < stop;) {
    const uint32_t y = char_at(at);
    if (is_seam(v, x, y)) return at;
    at += char_size(*at);
    x = y;
  }
  return nullptr;
}

}  // namespace vt
