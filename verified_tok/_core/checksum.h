// A checksum of large blocks of memory, as fast as they are read: it finds accidents, not forgeries.
#pragma once

#include <cstdint>
#include <cstring>

#include "hash.h"

namespace vt {

// Each step is one to one in the state and in the word, so a block with one word changed has another checksum.
inline uint64_t checksum_step(uint64_t state, uint64_t word) {
  state ^= word;
  return (state << 29 | state >> 35) * golden;
}

inline uint64_t checksum(const uint8_t* data, uint64_t size) {
  constexpr uint64_t lanes = 4;  // which do not wait for one another
  uint64_t state[lanes] = {size, 1, 2, 3};
  uint64_t at = 0;
  for (; at + 8 * lanes <= size; at += 8 * lanes) {
    for (uint64_t lane = 0; lane < lanes; ++lane) {
      uint64_t word;
      std::memcpy(&word, data + at + 8 * lane, 8);
      state[lane] = checksum_step(state[lane], word);
    }
  }
  uint64_t whole = 0;
  for (uint64_t lane : state) whole = checksum_step(whole, lane);
  for (; at < size; at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, data + at, size - at < 8 ? size - at : 8);
    whole = checksum_step(whole, word);
  }
  return whole;
}

}  // namespace vt
