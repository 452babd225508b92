// The tokens of recent pieces that are more than one token. Its memory is bounded: new pieces take the place of the
// oldest. Host only, one a thread.
#pragma once

#include <cstdint>
#include <cstring>

#include "hash.h"

namespace vt {

// Pieces lie in a ring of words, one behind the other: a head, the bytes, the tokens. The index has a set of four slots
// for each hash; a slot says where a piece was put. Numbers of words only grow, so that a slot tells by its number
// whether the ring has gone over its piece since.
class PieceCache {
 public:
  static constexpr uint32_t longest = 4095;  // bytes of a piece that is kept

  // Measured on ten megabytes of many languages that come again: with a quarter of it 0.7 times as fast, with half 0.85 times.
  // On one megabyte there is no difference.
  static constexpr uint64_t memory = 20u << 20;

  // In `memory` bytes of zeros.
  explicit PieceCache(uint8_t* room)
      : slots_(reinterpret_cast<Slot*>(room)), ring_(reinterpret_cast<uint32_t*>(room + slot_count * sizeof(Slot))) {}

  void prefetch(uint64_t hash) const { __builtin_prefetch(set_of(hash)); }

  // The same for the piece itself, once its slots are there.
  void prefetch_piece(uint64_t hash) const {
    const Slot* slot = slot_of(hash);
    if (slot != nullptr) __builtin_prefetch(ring_ + slot->place % ring_size);
  }

  // The tokens of a piece and their number; null if it is not kept. They are good until the next `keep`.
  const uint32_t* find(const uint8_t* piece, uint32_t size, uint64_t hash, uint32_t& count) const {
    const Slot* slot = slot_of(hash);
    if (slot == nullptr) return nullptr;
    const uint32_t* entry = ring_ + slot->place % ring_size;
    if ((entry[0] & 0xFFFF) != size || !same_bytes(reinterpret_cast<const uint8_t*>(entry + 1), piece, size)) return nullptr;
    count = entry[0] >> 16;
    return entry + 1 + words(size);
  }

  void keep(const uint8_t* piece, uint32_t size, uint64_t hash, const uint32_t* tokens, uint32_t count) {
    if (size > longest) return;
    const uint32_t needed = 1 + words(size) + count;
    if (next_ % ring_size + needed > ring_size) next_ += ring_size - next_ % ring_size;  // pieces do not go round
    if (next_ >= number_limit) {
      forget();
      next_ = ring_size + ring_size;
    }
    uint32_t* entry = ring_ + next_ % ring_size;
    entry[0] = count << 16 | size;
    std::memcpy(entry + 1, piece, size);
    for (uint32_t k = 0; k < count; ++k) entry[1 + words(size) + k] = tokens[k];
    Slot* oldest = set_of(hash);
    for (Slot* slot = oldest + 1; slot < set_of(hash) + set_size; ++slot) {
      if (slot->place < oldest->place) oldest = slot;
    }
    *oldest = {next_, tag_of(hash)};
    next_ += needed;
  }

 private:
  struct Slot {
    uint32_t place;
    uint32_t tag;
  };
  static constexpr uint32_t set_bits = 17;
  static constexpr uint32_t set_size = 4;
  static constexpr size_t slot_count = set_size << set_bits;  // 4 MB
  static constexpr uint32_t ring_size = 1u << 22;          // words: 16 MB
  static constexpr uint32_t number_limit = 0xF0000000u;

  void forget() { std::memset(slots_, 0, slot_count * sizeof(Slot)); }
  static uint32_t words(uint32_t size) { return (size + 3) / 4; }
  static uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash); }
  Slot* set_of(uint64_t hash) const { return slots_ + (hash >> (64 - set_bits)) * set_size; }

  // The slot of a piece of this hash that is still there, or null.
  const Slot* slot_of(uint64_t hash) const {
    const Slot* set = set_of(hash);
    const uint32_t oldest = next_ - ring_size;
    for (const Slot* slot = set; slot < set + set_size; ++slot) {
      if (slot->tag == tag_of(hash) && slot->place > oldest) return slot;
    }
    return nullptr;
  }

  static_assert(slot_count * sizeof(Slot) + ring_size * sizeof(uint32_t) == memory);

  Slot* slots_;
  uint32_t* ring_;
  uint32_t next_ = ring_size + 1;  // so that an empty slot is too old
};

}  // namespace vt
