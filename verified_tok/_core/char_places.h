// From places of bytes to places of characters. Host only.
#pragma once

#include <cstdint>
#include <vector>

#include "engine.h"
#include "utf8.h"

namespace vt {

// How many characters begin before each byte of a text.
class CharPlaces {
 public:
  explicit CharPlaces(Text text) : text_(text) {
    before_.reserve(text.size / block + 2);
    int64_t count = 0;
    for (uint64_t at = 0; at <= text.size; at += block) {
      before_.push_back(count);
      count += begin_in(at, at + block < text.size ? at + block : text.size);
    }
  }

  int64_t before(int64_t byte) const {
    const uint64_t at = static_cast<uint64_t>(byte);
    return before_[at / block] + begin_in(at / block * block, at);
  }

 private:
  static constexpr uint64_t block = 64;

  int64_t begin_in(uint64_t start, uint64_t stop) const {
    int64_t count = 0;
    for (uint64_t k = start; k < stop; ++k) count += !is_continuation(text_.data[k]);
    return count;
  }

  Text text_;
  std::vector<int64_t> before_;
};

// The smallest spans of whole characters that hold spans of bytes.
inline Spans char_spans(Text text, const Spans& bytes) {
  const CharPlaces places(text);
  Spans spans(bytes.size());
  for (size_t k = 0; k < bytes.size(); k += 2) {
    const int64_t start = bytes[k], stop = bytes[k + 1];
    if (start < stop) {
      spans[k] = places.before(start + 1) - 1;  // the character that the byte is part of
      spans[k + 1] = places.before(stop);
    } else {
      const bool inside = start < static_cast<int64_t>(text.size) && is_continuation(text.data[start]);
      spans[k] = spans[k + 1] = places.before(start) - inside;
    }
  }
  return spans;
}

}  // namespace vt
