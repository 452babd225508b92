// Characters on their way to a normal form: how one decomposes, and how some compose (`reference.unicode_form`).
#pragma once

#include "forms.h"

namespace vt {

struct FormChar {
  uint32_t c;
  uint32_t start;  // in the input
  uint32_t stop;
  uint8_t rank;  // of its combining class; 0 if it is no mark
};

// Hangul: the first leading consonant, vowel, … and syllable ("no trailing consonant" counts as one).
constexpr uint32_t hangul_l = 0x1100, hangul_v = 0x1161, hangul_t = 0x11a7, hangul_s = 0xac00;
constexpr uint32_t hangul_ls = 19, hangul_vs = 21, hangul_ts = 28, hangul_syllables = hangul_ls * hangul_vs * hangul_ts;

// Calls `add` for each of the characters that a character decomposes to; it came from the bytes `start` up to `stop`.
template <class Add>
VT_HD void decompose_char(const Forms& f, uint32_t c, uint32_t start, uint32_t stop, Add add) {
  const auto put = [&](uint32_t part) { add(FormChar{part, start, stop, f.rank[form_index(f, part)]}); };
  if (c - hangul_s < hangul_syllables) {
    put(hangul_l + (c - hangul_s) / (hangul_vs * hangul_ts));
    put(hangul_v + (c - hangul_s) / hangul_ts % hangul_vs);
    if ((c - hangul_s) % hangul_ts != 0) put(hangul_t + (c - hangul_s) % hangul_ts);
    return;
  }
  const uint32_t* parts = f.pool + f.decomposition[form_index(f, c)];
  if (*parts == 0) return put(c);
  for (uint32_t part = 1; part <= *parts; ++part) put(parts[part]);
}

// What a pair becomes, or 0.
VT_HD uint32_t composite_of(const Forms& f, uint32_t a, uint32_t b) {
  if (a - hangul_l < hangul_ls && b - hangul_v < hangul_vs) {
    return hangul_s + ((a - hangul_l) * hangul_vs + b - hangul_v) * hangul_ts;
  }
  if (a - hangul_s < hangul_syllables && (a - hangul_s) % hangul_ts == 0 && b - hangul_t - 1 < hangul_ts - 1) {
    return a + b - hangul_t;
  }
  const uint64_t pair = uint64_t{a} << 32 | b;
  uint64_t low = 0, high = f.pairs;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (f.pair[middle] < pair) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < f.pairs && f.pair[low] == pair ? f.composite[low] : 0;
}

// Joins each starter with the characters behind it that it composes with and that are not blocked. Returns how many
// characters are left.
VT_HD uint32_t compose_chars(const Forms& f, FormChar* chars, uint32_t size) {
  uint32_t count = 0;  // of characters that stand now
  uint32_t behind_starter = 0;  // the place behind the last starter among them; 0: there is none
  for (uint32_t k = 0; k < size; ++k) {
    const FormChar next = chars[k];
    if (behind_starter != 0 && (count == behind_starter || chars[count - 1].rank < next.rank)) {
      FormChar& first = chars[behind_starter - 1];
      if (const uint32_t composite = composite_of(f, first.c, next.c)) {
        first.c = composite;
        if (next.start < first.start) first.start = next.start;
        if (next.stop > first.stop) first.stop = next.stop;
        continue;
      }
    }
    chars[count++] = next;
    if (next.rank == 0) behind_starter = count;
  }
  return count;
}

}  // namespace vt
