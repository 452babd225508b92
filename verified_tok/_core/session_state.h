// What a session holds: its text and its tokens, as arrays that are edited in place. Host only.
#pragma once

#include <cstdint>
#include <vector>

#include "gap_buffer.h"
#include "ids.h"
#include "utf8.h"

namespace vt {

// How many characters begin in these bytes.
inline uint64_t chars_in(const uint8_t* at, const uint8_t* end) {
  uint64_t count = 0;
  for (; at < end; ++at) count += !is_continuation(*at);
  return count;
}

// A text in UTF-8. Its gap lies between two characters.
class SessionText {
 public:
  SessionText(const uint8_t* data, uint64_t size) : bytes_(data, size), chars_(chars_in(data, data + size)), chars_before_(chars_) {}

  uint64_t bytes() const { return bytes_.size(); }
  uint64_t chars() const { return chars_; }

  // The character that begins at a byte, and the place of the one that ends there.
  uint32_t char_at(uint64_t byte) const { return vt::char_at(&bytes_[byte]); }
  uint64_t place_before(uint64_t byte) const {
    do --byte;
    while (is_continuation(bytes_[byte]));
    return byte;
  }
  bool inside_char(uint64_t byte) const { return is_continuation(bytes_[byte]); }
  uint64_t place_behind(uint64_t byte) const { return byte + char_size(bytes_[byte]); }

  // Where a character begins. Costs its distance from the last change or from an end of the text.
  uint64_t byte_at(uint64_t index) const {
    if (chars_ == bytes()) return index;
    const uint64_t gap = bytes_.gap(), before = chars_before_;
    if (index <= before) return index <= before / 2 ? forward(0, index) : backward(gap, before - index);
    const uint64_t behind = chars_ - before;
    return index - before <= behind / 2 ? forward(gap, index - before) : backward(bytes(), chars_ - index);
  }

  // How many characters there are from one byte up to another.
  uint64_t chars_between(uint64_t start, uint64_t stop) const {
    uint64_t count = 0;
    each_stretch(start, stop, [&](const uint8_t* at, uint64_t size) { count += chars_in(at, at + size); });
    return count;
  }

  void copy(uint64_t start, uint64_t stop, uint8_t* to) const { bytes_.copy(start, stop, to); }

  void replace(uint64_t start, uint64_t stop, const uint8_t* data, uint64_t size) {
    const uint64_t gap = bytes_.gap(), added = chars_in(data, data + size);
    if (start != gap || stop != gap) {  // else nothing goes, and the count stays
      chars_before_ = start <= gap ? chars_before_ - chars_between(start, gap) : chars_before_ + chars_between(gap, start);
      chars_ -= chars_between(start, stop);
    }
    bytes_.replace(start, stop, data, size);
    chars_ += added;
    chars_before_ += added;
  }

  void reserve(uint64_t extra) { bytes_.reserve(extra); }

  // How many bytes the text has in common with another at the start, and how many at the end of what is behind these.
  uint64_t common_front(const uint8_t* other, uint64_t size) const;
  uint64_t common_back(const uint8_t* other, uint64_t size, uint64_t most) const;

 private:
  // The bytes from `start` up to `stop`, as one or two stretches of memory.
  template <class Each>
  void each_stretch(uint64_t start, uint64_t stop, Each each) const {
    const uint64_t gap = bytes_.gap(), middle = gap < start ? start : gap > stop ? stop : gap;
    if (start < middle) each(bytes_.before() + start, middle - start);
    if (middle < stop) each(bytes_.after() + (middle - gap), stop - middle);
  }

  static constexpr uint64_t block = 256;

  uint64_t forward(uint64_t byte, uint64_t chars) const {
    while (chars >= block) {  // so many characters have at least so many bytes
      chars -= chars_between(byte, byte + block);
      byte += block;
    }
    while (byte < bytes() && is_continuation(bytes_[byte])) ++byte;
    for (; chars > 0; --chars) byte = place_behind(byte);
    return byte;
  }
  uint64_t backward(uint64_t byte, uint64_t chars) const {
    while (chars >= block) {
      chars -= chars_between(byte - block, byte);
      byte -= block;
    }
    while (byte < bytes() && is_continuation(bytes_[byte])) ++byte;
    for (; chars > 0; --chars) byte = place_before(byte);
    return byte;
  }

  GapBuffer<uint8_t> bytes_;
  uint64_t chars_;
  uint64_t chars_before_;  // the gap
};

// Where tokens came from: the first byte of each and how many.
//
// First bytes before the gap count from the start of the text, those behind it from its end, so that an edit moves
// none of them.
class Places {
 public:
  struct Place {
    uint32_t start, size;
  };

  Places(const std::vector<Place>& places, uint64_t text)
      : places_(places.data(), places.size()), text_(static_cast<uint32_t>(text)) {}

  uint64_t size() const { return places_.size(); }

  Place operator[](uint64_t index) const {
    Place place = places_[index];
    if (index >= places_.gap()) place.start = text_ - place.start;
    return place;
  }

  // How many tokens begin before a byte: one behind a cut, where every token of the text before it begins before it,
  // and every other does not.
  uint64_t before(uint64_t byte) const {
    uint64_t low = 0, high = size();
    while (low < high) {
      const uint64_t middle = low + (high - low) / 2;
      if ((*this)[middle].start < byte) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  void reserve(uint64_t extra) { places_.reserve(extra); }

  // Puts tokens of a text that has now so many bytes in the place of those from `start` up to `stop`.
  void replace(uint64_t start, uint64_t stop, const std::vector<Place>& places, uint64_t text) {
    move_gap(places_.gap() >= stop ? stop : start);
    places_.replace(start, stop, places.data(), places.size());
    text_ = static_cast<uint32_t>(text);
  }

 private:
  void move_gap(uint64_t index) {
    const uint64_t old = places_.gap();
    places_.move_gap(index);
    for (uint64_t k = index; k < old; ++k) places_[k].start = text_ - places_[k].start;
    for (uint64_t k = old; k < index; ++k) places_[k].start = text_ - places_[k].start;
  }

  GapBuffer<Place> places_;
  uint32_t text_;  // bytes
};

// The tokens of a part of a text.
struct Tokens {
  Ids ids;
  std::vector<Places::Place> places;  // in the whole text
  uint64_t literal = 0;               // where the first added token begins; without one, the end of the part

  void drop_front(size_t count) {
    ids.drop_front(count);
    places.erase(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count));
  }
};

// A text and its tokens.
struct SessionState {
  SessionText text;
  GapBuffer<uint32_t> ids;
  Places places;
};

}  // namespace vt
