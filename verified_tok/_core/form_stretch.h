// The normal form of a stretch of text: decompose, order the marks, compose (`reference.unicode_form`).
#pragma once

#include <algorithm>
#include <vector>

#include "form_chars.h"
#include "stage_output.h"
#include "utf8.h"

namespace vt {

class FormStretch {
 public:
  explicit FormStretch(const Forms& forms) : f_(forms) {}

  // Puts the normal form of the input's bytes from `start` up to `stop` in their place.
  void normalize(const uint8_t* input, uint32_t start, uint32_t stop, StageOutput& out) {
    put_normal(input, start, stop, out);
    if (chars_.capacity() > many) {
      chars_ = std::vector<FormChar>();
      spelled_ = std::vector<uint8_t>();
    }
  }

 private:
  static constexpr size_t many = 1 << 16;  // characters to keep room for

  void put_normal(const uint8_t* input, uint32_t start, uint32_t stop, StageOutput& out) {
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
    for (const FormChar& c : chars_) {
      out.add(at, char_size(*at), c.start, c.stop);
      at += char_size(*at);
    }
  }

  void decompose(uint32_t c, uint32_t start, uint32_t stop) {
    decompose_char(f_, c, start, stop, [this](const FormChar& part) { chars_.push_back(part); });
  }

  // Each run of marks in the order of their ranks, equals as they stood.
  void order() {
    const auto rank_below = [](const FormChar& a, const FormChar& b) { return a.rank < b.rank; };
    const auto is_mark = [](const FormChar& c) { return c.rank != 0; };
    for (auto at = chars_.begin(); (at = std::find_if(at, chars_.end(), is_mark)) != chars_.end();) {
      const auto behind = std::find_if_not(at, chars_.end(), is_mark);
      if (!std::is_sorted(at, behind, rank_below)) std::stable_sort(at, behind, rank_below);
      at = behind;
    }
  }

  void compose() { chars_.resize(compose_chars(f_, chars_.data(), static_cast<uint32_t>(chars_.size()))); }

  void spell() {
    spelled_.clear();
    for (const FormChar& c : chars_) {
      uint8_t data[4];
      spelled_.insert(spelled_.end(), data, data + put_char(data, c.c));
    }
  }

  Forms f_;
  std::vector<FormChar> chars_;
  std::vector<uint8_t> spelled_;
};

}  // namespace vt
