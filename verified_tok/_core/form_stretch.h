// The normal form of a stretch of text: decompose, order the marks, compose (`reference.unicode_form`).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "forms.h"
#include "stage_output.h"
#include "utf8.h"

namespace vt {

class FormStretch {
 public:
  explicit FormStretch(const Forms& forms) : f_(forms) {}

  // Puts the normal form of the input's bytes from `start` up to `stop` in their place.
  void normalize(const uint8_t* input, uint32_t start, uint32_t stop, StageOutput& out) {
    chars_.clear();
    for (uint32_t at = start, next; at < stop; at = next) {
      next = at + char_size(input[at]);
      decompose(char_at(input + at), at, next);
    }
    order();
    compose();
    spell();
    const bool same = spelled_.size() == stop - start && std::equal(spelled_.begin(), spelled_.end(), input + start);
    if (same && !out.origins()) return;
    out.replace(start, stop);
    const uint8_t* at = spelled_.data();
    for (const Char& c : chars_) {
      out.add(at, char_size(*at), c.start, c.stop);
      at += char_size(*at);
    }
  }

 private:
  struct Char {
    uint32_t c;
    uint32_t start;  // in the input
    uint32_t stop;
    uint8_t rank;  // of its combining class; 0 if it is no mark
  };

  // Hangul: the first leading consonant, vowel, … and syllable ("no trailing consonant" counts as one).
  static constexpr uint32_t l = 0x1100, v = 0x1161, t = 0x11a7, s = 0xac00;
  static constexpr uint32_t l_count = 19, v_count = 21, t_count = 28, s_count = l_count * v_count * t_count;

  void add(uint32_t c, uint32_t start, uint32_t stop) {
    chars_.push_back({c, start, stop, f_.rank[form_index(f_, c)]});
  }

  void decompose(uint32_t c, uint32_t start, uint32_t stop) {
    if (c - s < s_count) {
      add(l + (c - s) / (v_count * t_count), start, stop);
      add(v + (c - s) / t_count % v_count, start, stop);
      if ((c - s) % t_count != 0) add(t + (c - s) % t_count, start, stop);
      return;
    }
    const uint32_t* parts = f_.pool + f_.decomposition[form_index(f_, c)];
    if (*parts == 0) return add(c, start, stop);
    for (uint32_t part = 1; part <= *parts; ++part) add(parts[part], start, stop);
  }

  // Each run of marks in the order of their ranks, equals as they stood.
  void order() {
    const auto rank_below = [](const Char& a, const Char& b) { return a.rank < b.rank; };
    const auto is_mark = [](const Char& c) { return c.rank != 0; };
    for (auto at = chars_.begin(); (at = std::find_if(at, chars_.end(), is_mark)) != chars_.end();) {
      const auto behind = std::find_if_not(at, chars_.end(), is_mark);
      if (!std::is_sorted(at, behind, rank_below)) std::stable_sort(at, behind, rank_below);
      at = behind;
    }
  }

  // Joins each starter with the characters behind it that it composes with and that are not blocked.
  void compose() {
    size_t count = 0;              // of characters that stand now
    size_t starter = SIZE_MAX;     // among them
    for (const Char next : chars_) {
      if (starter != SIZE_MAX && (count == starter + 1 || chars_[count - 1].rank < next.rank)) {
        Char& first = chars_[starter];
        if (const uint32_t composite = composite_of(first.c, next.c)) {
          first.c = composite;
          first.start = std::min(first.start, next.start);
          first.stop = std::max(first.stop, next.stop);
          continue;
        }
      }
      if (next.rank == 0) starter = count;
      chars_[count++] = next;
    }
    chars_.resize(count);
  }

  // What a pair becomes, or 0.
  uint32_t composite_of(uint32_t a, uint32_t b) const {
    if (a - l < l_count && b - v < v_count) return s + ((a - l) * v_count + b - v) * t_count;
    if (a - s < s_count && (a - s) % t_count == 0 && b - t - 1 < t_count - 1) return a + b - t;
    const uint64_t pair = uint64_t{a} << 32 | b;
    const uint64_t* found = std::lower_bound(f_.pair, f_.pair + f_.pairs, pair);
    return found != f_.pair + f_.pairs && *found == pair ? f_.composite[found - f_.pair] : 0;
  }

  void spell() {
    spelled_.clear();
    for (const Char& c : chars_) {
      uint8_t data[4];
      spelled_.insert(spelled_.end(), data, data + put_char(data, c.c));
    }
  }

  Forms f_;
  std::vector<Char> chars_;
  std::vector<uint8_t> spelled_;
};

}  // namespace vt
