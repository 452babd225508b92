// Texts: UTF-8, or characters that lie one behind the other, each in as many bytes as the next. Host only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "byte_buffer.h"
#include "put_utf8.h"

namespace vt {

// A text in UTF-8. Texts have fewer than 2^32 bytes.
struct Text {
  const uint8_t* data;
  uint64_t size;

  const uint8_t* end() const { return data + size; }
};

inline void check_size(uint64_t size) {
  if (size > 0xFFFFFFFFu) throw std::length_error("a text of 4 GiB or more");
}

// Half of a character beyond U+FFFF, without the other half.
class LoneSurrogate : public std::invalid_argument {
 public:
  LoneSurrogate() : std::invalid_argument("a lone surrogate has no UTF-8 form") {}
};

// A text as it was given: UTF-8, or characters.
struct Chars {
  const uint8_t* data;
  uint64_t count;  // of characters, or of bytes
  uint32_t width;  // bytes of a character; 0: it is UTF-8

  Chars(const uint8_t* first, uint64_t many, uint32_t each) : data(first), count(many), width(each) {}
  Chars(Text text) : data(text.data), count(text.size), width(0) {}
};

// Adds the UTF-8 of characters of one type to `room`.
template <class Char>
void add_utf8(const Chars& chars, ByteBuffer& room) {
  constexpr uint64_t part = 4096;  // characters
  const Char* at = reinterpret_cast<const Char*>(chars.data);
  const Char* const end = at + chars.count;
  room.room(chars.count + behind_utf8);
  while (at < end) {
    const Char* const stop = at + std::min<uint64_t>(part, static_cast<uint64_t>(end - at));
    const uint8_t* to = put_utf8(at, stop, room.room(4 * static_cast<uint64_t>(stop - at) + behind_utf8));
    if (to == nullptr) throw LoneSurrogate();
    room.end_at(to);
    at = stop;
  }
}

// The UTF-8, in `room` if it has to be made. Throws `LoneSurrogate`.
inline Text as_utf8(const Chars& chars, ByteBuffer& room) {
  if (chars.width == 0) return {chars.data, chars.count};
  room.clear();
  if (chars.width == 1) {
    add_utf8<uint8_t>(chars, room);
  } else if (chars.width == 2) {
    add_utf8<uint16_t>(chars, room);
  } else {
    add_utf8<uint32_t>(chars, room);
  }
  return {room.data(), room.size()};
}

}  // namespace vt
