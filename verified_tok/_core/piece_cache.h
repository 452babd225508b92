// The tokens of recent pieces that are more than one token. Its memory is bounded: new pieces take the place of the
// oldest. Host only, one a thread.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>

#include "hash.h"

namespace vt {

// Pieces lie in a ring of words, one behind the other: a head, the bytes, the tokens. A slot of the index says where a
// piece of its hash was put last; numbers of words only ever grow, so that a slot tells by its number whether the
// ring has gone over its piece since.
class PieceCache {
 public:
  static constexpr uint32_t longest = 160;  // bytes of a piece that is kept

  PieceCache() : slots_(new Slot[slot_count]()), ring_(new uint32_t[ring_size + slack]) {}

  void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash >> (64 - slot_bits)]); }

  // The tokens of a piece and their number; none if it is not kept. They are good until the next `keep`.
  const uint32_t* find(const uint8_t* piece, uint32_t size, uint64_t hash, uint32_t& count) const {
    const Slot& slot = slots_[hash >> (64 - slot_bits)];
    if (slot.tag != static_cast<uint32_t>(hash) || slot.place + ring_size < next_) return nullptr;
    const uint32_t* entry = ring_.get() + slot.place % ring_size;
    if ((entry[0] & 0xFFFF) != size || !same_bytes(reinterpret_cast<const uint8_t*>(entry + 1), piece, size)) return nullptr;
    count = entry[0] >> 16;
    return entry + 1 + words(size);
  }

  void keep(const uint8_t* piece, uint32_t size, uint64_t hash, const uint32_t* tokens, uint32_t count) {
    const uint32_t needed = 1 + words(size) + count;
    if (size > longest) return;
    if (next_ % ring_size + needed > ring_size) next_ += ring_size - next_ % ring_size;  // pieces do not go round
    uint32_t* entry = ring_.get() + next_ % ring_size;
    entry[0] = count << 16 | size;
    std::memcpy(entry + 1, piece, size);
    for (uint32_t k = 0; k < count; ++k) entry[1 + words(size) + k] = tokens[k];
    slots_[hash >> (64 - slot_bits)] = {next_, static_cast<uint32_t>(hash)};
    next_ += needed;
  }

 private:
  struct Slot {
    uint64_t place;
    uint32_t tag;
  };
  static constexpr uint32_t slot_bits = 16;
  static constexpr uint32_t slot_count = 1u << slot_bits;
  static constexpr uint64_t ring_size = 1u << 20;  // words: 4 MB
  static constexpr uint32_t slack = 16;

  static uint32_t words(uint32_t size) { return (size + 3) / 4; }

  std::unique_ptr<Slot[]> slots_;
  std::unique_ptr<uint32_t[]> ring_;
  uint64_t next_ = ring_size;  // so that an empty slot is too old
};

}  // namespace vt
