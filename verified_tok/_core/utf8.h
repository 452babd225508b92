// Characters of valid UTF-8.
#pragma once

#include <cstdint>

#include "host_device.h"

namespace vt {

// The size of the character that begins with this byte.
VT_HD uint32_t char_size(uint8_t lead) { return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4; }

VT_HD bool is_continuation(uint8_t byte) { return (byte & 0xc0) == 0x80; }

// The character that begins at `at`.
VT_HD uint32_t char_at(const uint8_t* at) {
  const uint32_t a = at[0];
  if (a < 0x80) return a;
  if (a < 0xe0) return (a & 0x1f) << 6 | (at[1] & 0x3fu);
  if (a < 0xf0) return (a & 0x0f) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
  return (a & 0x07) << 18 | (at[1] & 0x3fu) << 12 | (at[2] & 0x3fu) << 6 | (at[3] & 0x3fu);
}

// The size of the character that ends before `end`.
VT_HD uint32_t char_size_before(const uint8_t* end) {
  uint32_t size = 1;
  while (is_continuation(*(end - size))) ++size;
  return size;
}

// The character that ends before `end`.
VT_HD uint32_t char_before(const uint8_t* end) { return char_at(end - char_size_before(end)); }

// Writes a character, and returns its size.
VT_HD uint32_t put_char(uint8_t* to, uint32_t c) {
  if (c < 0x80) {
    to[0] = static_cast<uint8_t>(c);
    return 1;
  }
  if (c < 0x800) {
    to[0] = static_cast<uint8_t>(0xc0 | c >> 6);
    to[1] = static_cast<uint8_t>(0x80 | (c & 0x3f));
    return 2;
  }
  if (c < 0x10000) {
    to[0] = static_cast<uint8_t>(0xe0 | c >> 12);
    to[1] = static_cast<uint8_t>(0x80 | (c >> 6 & 0x3f));
    to[2] = static_cast<uint8_t>(0x80 | (c & 0x3f));
    return 3;
  }
  to[0] = static_cast<uint8_t>(0xf0 | c >> 18);
  to[1] = static_cast<uint8_t>(0x80 | (c >> 12 & 0x3f));
  to[2] = static_cast<uint8_t>(0x80 | (c >> 6 & 0x3f));
  to[3] = static_cast<uint8_t>(0x80 | (c & 0x3f));
  return 4;
}

}  // namespace vt
