// The class of a character: which characters the patterns cannot tell apart (`char_classes.py`).
#pragma once

#include <cstdint>

#include "host_device.h"
#include "image.h"
#include "utf8.h"

namespace vt {

struct ClassAt {
  uint32_t number;
  uint32_t bytes;  // of the character
};

// The class of a character that is not ASCII. The index goes by all bytes but the last, as UTF-8 does.
VT_HD ClassAt class_beyond_ascii(const View& view, const uint8_t* at) {
  const uint32_t lead = at[0];
  uint32_t row, bytes;
  if (lead < 0xe0) {
    row = lead & 0x1f;
    bytes = 2;
  } else if (lead < 0xf0) {
    row = (lead & 0x0f) << 6 | (at[1] & 0x3fu);
    bytes = 3;
  } else {
    row = (lead & 0x07) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
    bytes = 4;
  }
  return {view.split_blocks[uint32_t{view.split_index[row]} << 6 | (at[bytes - 1] & 0x3fu)], bytes};
}

VT_HD ClassAt class_at(const View& view, const uint8_t* at) {
  if (*at < 0x80) return {view.split_blocks[*at], 1};
  return class_beyond_ascii(view, at);
}

// What a stage looks at: characters, or bytes spelled as characters.
template <bool spelled>
VT_HD ClassAt symbol_at(const View& view, const uint8_t* at) {
  if (spelled) return {view.split_spelled[*at], 1};
  return class_at(view, at);
}

template <bool spelled>
VT_HD uint32_t symbol_size(uint8_t first) {
  return spelled ? 1 : char_size(first);
}

}  // namespace vt
