// What of some bytes is UTF-8.
#pragma once

#include <cstdint>
#include <cstring>

namespace vt {

// How the bytes at `at` go on: a whole character, the beginning of one up to the end of the bytes, or neither.
struct Utf8Step {
  uint32_t size;   // of the character, or of what is wrong: the longest part that some character begins with
  bool whole;
  bool cut_short;
};

inline Utf8Step utf8_step(const uint8_t* at, const uint8_t* end) {
  const uint8_t lead = *at;
  if (lead < 0x80) return {1, true, false};
  if (lead < 0xc2 || lead > 0xf4) return {1, false, false};
  const uint32_t size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  // The second byte's range keeps out spellings that are too long, surrogates, and what lies behind U+10FFFF.
  const uint8_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const uint8_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  for (uint32_t place = 1; place < size; ++place) {
    if (at + place == end) return {place, false, true};
    const uint8_t byte = at[place];
    if (byte < (place == 1 ? low : 0x80) || byte > (place == 1 ? high : 0xbf)) return {place, false, false};
  }
  return {size, true, false};
}

inline bool is_utf8(const uint8_t* at, uint64_t size) {
  constexpr uint64_t above_ascii = 0x8080808080808080;
  for (const uint8_t* end = at + size; at < end;) {
    for (uint64_t eight = 0; end - at >= 8; at += 8) {
      std::memcpy(&eight, at, sizeof eight);
      if ((eight & above_ascii) != 0) break;
    }
    if (at == end) break;
    const Utf8Step step = utf8_step(at, end);
    if (!step.whole) return false;
    at += step.size;
  }
  return true;
}

}  // namespace vt
