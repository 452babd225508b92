// The tokens of recent pieces. Its size is fixed: a new piece takes the place of another. Host only, one a thread.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>

#include "hash.h"

namespace vt {

// Up to `room` tokens of a piece whose bytes lie in the entry itself.
class PieceCache {
 public:
  // A piece of up to 15 bytes; half a line of a cache.
  struct Short {
    Key key;
    uint32_t tokens[3];
    uint32_t count;
  };
  static constexpr uint32_t short_room = 3;

  // A piece of 16 to 40 bytes; a line of a cache.
  struct Long {
    uint8_t bytes[40];
    uint8_t size;
    uint8_t count;
    uint16_t unused;
    uint32_t tokens[5];
  };
  static constexpr uint32_t long_room = 5;
  static constexpr uint32_t long_limit = 40;

  PieceCache() : shorts_(new Short[1u << short_bits]()), longs_(new Long[1u << long_bits]()) {
    static_assert(sizeof(Short) == 32 && sizeof(Long) == 64);
  }

  Short& short_at(uint64_t hash) { return shorts_[hash >> (64 - short_bits)]; }
  Long& long_at(uint64_t hash) { return longs_[hash >> (64 - long_bits)]; }

 private:
  static constexpr uint32_t short_bits = 15;  // 1 MB
  static constexpr uint32_t long_bits = 13;   // 0.5 MB

  std::unique_ptr<Short[]> shorts_;
  std::unique_ptr<Long[]> longs_;
};

}  // namespace vt
