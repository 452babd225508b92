// From places of bytes to places of characters. Host only.
#pragma once

#include <cstdint>
#include <cstring>

#include "engine.h"
#include "utf8.h"

namespace vt {

// How many characters begin before a byte of a text. Costs the distance from the byte that was asked for before.
class CharPlaces {
 public:
  explicit CharPlaces(Text text) : text_(text) {}

  int64_t before(int64_t byte) {
    count_ += byte >= at_ ? begin_in(at_, byte) : -begin_in(byte, at_);
    at_ = byte;
    return count_;
  }

  bool inside_char(int64_t byte) const {
    return byte < static_cast<int64_t>(text_.size) && is_continuation(text_.data[byte]);
  }

 private:
  // Eight bytes at a time: a token has hardly ever more.
  int64_t begin_in(int64_t start, int64_t stop) const {
    int64_t count = 0;
    for (; start < stop && static_cast<int64_t>(text_.size) - start >= 8; start += 8) {
      const int64_t bytes = stop - start < 8 ? stop - start : 8;
      uint64_t eight;
      std::memcpy(&eight, text_.data + start, sizeof eight);
      eight &= ~uint64_t{0} >> (64 - 8 * bytes);
      const uint64_t continuations = eight >> 7 & ~(eight >> 6) & 0x0101010101010101;
      count += bytes - static_cast<int64_t>(continuations * 0x0101010101010101 >> 56);
    }
    for (; start < stop; ++start) count += !is_continuation(text_.data[start]);
    return count;
  }

  Text text_;
  int64_t at_ = 0;
  int64_t count_ = 0;
};

inline bool is_ascii(Text text) {
  uint8_t all = 0;
  for (uint64_t k = 0; k < text.size; ++k) all |= text.data[k];
  return all < 0x80;
}

// The smallest spans of whole characters that hold spans of bytes.
inline Spans char_spans(Text text, const Spans& bytes) {
  if (is_ascii(text)) return bytes;
  CharPlaces places(text);
  Spans spans(bytes.size());
  for (size_t k = 0; k < bytes.size(); k += 2) {
    const int64_t start = bytes[k], stop = bytes[k + 1];
    spans[k] = places.before(start) - places.inside_char(start);
    spans[k + 1] = start < stop ? places.before(stop) : spans[k];
  }
  return spans;
}

}  // namespace vt
