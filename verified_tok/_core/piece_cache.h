// The tokens of recent pieces that are more than one token. Its memory is bounded: new pieces take the place of the
// oldest. Host only, one a thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "hash.h"
#include "table_room.h"

namespace vt {

// Pieces lie in a ring of words, one behind the other: a head, the bytes, the tokens. The index has a set of four slots
// for each hash; a slot says where a piece was put. Numbers of words only grow, so that a slot tells by its number
// whether the ring has gone over its piece since. The index begins small, so that what is in it lies close together.
class PieceCache {
 public:
  static constexpr uint32_t longest = 4095;  // bytes of a piece that is kept

  PieceCache()
      : slots_(zeroed_slots(least_set_bits)),
        ring_(std::static_pointer_cast<uint32_t>(growing_room(ring_size * sizeof(uint32_t)))) {}

  void prefetch(uint64_t hash) const { __builtin_prefetch(set_of(hash)); }

  // The same for the piece itself, once its slots are there.
  void prefetch_piece(uint64_t hash) const {
    const Slot* slot = slot_of(hash);
    if (slot != nullptr) __builtin_prefetch(ring_.get() + slot->place % ring_size);
  }

  // The tokens of a piece and their number; null if it is not kept. They are good until the next `keep`.
  const uint32_t* find(const uint8_t* piece, uint32_t size, uint64_t hash, uint32_t& count) const {
    const Slot* slot = slot_of(hash);
    if (slot == nullptr) return nullptr;
    const uint32_t* entry = ring_.get() + slot->place % ring_size;
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
    uint32_t* entry = ring_.get() + next_ % ring_size;
    entry[0] = count << 16 | size;
    std::memcpy(entry + 1, piece, size);
    for (uint32_t k = 0; k < count; ++k) entry[1 + words(size) + k] = tokens[k];
    Slot* oldest = set_of(hash);
    for (Slot* slot = oldest + 1; slot < set_of(hash) + set_size; ++slot) {
      if (slot->place < oldest->place) oldest = slot;
    }
    *oldest = {next_, tag_of(hash)};
    next_ += needed;
    if (++kept_ > slot_count() / 2 && set_bits_ < most_set_bits) grow();
  }

 private:
  struct Slot {
    uint32_t place;
    uint32_t tag;
  };
  static constexpr uint32_t set_size = 4;
  static constexpr uint32_t least_set_bits = 10;  // 32 KB of slots,
  static constexpr uint32_t most_set_bits = 17;   // and 4 MB
  // Words, of which those that were never used take no memory: 16 MB. Measured on ten megabytes of many languages that come
  // again: with a quarter of it 0.7 times as fast, with half 0.85 times.
  static constexpr uint32_t ring_size = 1u << 22;
  static constexpr uint32_t number_limit = 0xF0000000u;

  static uint32_t words(uint32_t size) { return (size + 3) / 4; }

  // The upper half of the hash, whose first bits are the number of the set.
  static uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }
  Slot* set_of(uint64_t hash) const { return slots_.get() + set_number(tag_of(hash)) * set_size; }
  size_t set_number(uint32_t tag) const { return tag >> (32 - set_bits_); }

  size_t slot_count() const { return size_t{set_size} << set_bits_; }

  static std::shared_ptr<Slot> zeroed_slots(uint32_t set_bits) {
    return std::static_pointer_cast<Slot>(zeroed_room(sizeof(Slot) * set_size << set_bits));
  }

  void forget() { slots_ = zeroed_slots(set_bits_); }

  // Each set becomes several.
  void grow() {
    const uint32_t set_bits = std::min(set_bits_ + 2, most_set_bits);
    const std::shared_ptr<Slot> before = std::exchange(slots_, zeroed_slots(set_bits));
    const size_t count = slot_count();
    set_bits_ = set_bits;
    for (size_t k = 0; k < count; ++k) {
      const Slot& slot = before.get()[k];
      if (slot.place == 0) continue;
      Slot* to = slots_.get() + set_number(slot.tag) * set_size;
      while (to->place != 0) ++to;  // of the four that come at most
      *to = slot;
    }
  }

  // The slot of a piece of this hash that is still there, or null.
  const Slot* slot_of(uint64_t hash) const {
    const Slot* set = set_of(hash);
    const uint32_t oldest = next_ - ring_size;
    for (const Slot* slot = set; slot < set + set_size; ++slot) {
      if (slot->tag == tag_of(hash) && slot->place > oldest) return slot;
    }
    return nullptr;
  }

  uint32_t set_bits_ = least_set_bits;
  std::shared_ptr<Slot> slots_;
  std::shared_ptr<uint32_t> ring_;
  uint32_t next_ = ring_size + 1;  // so that an empty slot is too old
  size_t kept_ = 0;
};

}  // namespace vt
