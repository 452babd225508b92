// The tokens of short pieces that were seen lately, in a table that is small enough for the caches of a core to hold what
// is looked up most. Host only, one a thread.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "hash.h"
#include "table_room.h"

namespace vt {

// The tokens of a piece that has few, to be copied as a whole: the room behind the tokens is written, too.
struct alignas(16) FewTokens {
  static constexpr uint32_t most = 3;
  uint32_t token[most];
  uint32_t count;  // 0: they are not known

  void copy_to(uint32_t* to) const { std::memcpy(to, this, sizeof *this); }
};

// Each piece has one place, by its hash, and takes it from the one before. Measured: two places for each, of which
// the older is given up, are found more often but looked through at two thirds of the speed.
class HotPieces {
 public:
  HotPieces() : slots_(zeroed_slots(least_bits)) {}

  // The tokens of a piece, or null.
  const FewTokens* find(Key key, uint64_t hash) const {
    const Slot& slot = *slot_of(hash);
    return ((slot.key.low ^ key.low) | (slot.key.high ^ key.high)) == 0 ? &slot.tokens : nullptr;
  }

  void prefetch(uint64_t hash) const { __builtin_prefetch(slot_of(hash)); }

  // Remembers a piece if it has few tokens, and any.
  void keep(Key key, uint64_t hash, const uint32_t* tokens, uint32_t count) {
    if (count == 0 || count > FewTokens::most) return;
    Slot& slot = *slot_of(hash);
    slot.key = key;
    slot.tokens.count = count;
    for (uint32_t k = 0; k < count; ++k) slot.tokens.token[k] = tokens[k];
    if (++kept_ > slot_count() && shift_ > 64 - most_bits) grow();
  }

 private:
  struct alignas(32) Slot {
    Key key;
    FewTokens tokens;
  };
  // 2 MB and, when as many pieces were put in as there are places, 8 MB. Measured: with these many languages that come again are
  // 1.15 times as fast, but with them from the beginning a new text takes 1.1 times as long.
  static constexpr uint32_t least_bits = 16, most_bits = 18;

  Slot* slot_of(uint64_t hash) const { return slots_.get() + (hash >> shift_); }
  uint64_t slot_count() const { return uint64_t{1} << (64 - shift_); }

  static std::shared_ptr<Slot> zeroed_slots(uint32_t bits) {
    return std::static_pointer_cast<Slot>(zeroed_room(sizeof(Slot) << bits));
  }

  __attribute__((noinline)) void grow() {
    const std::shared_ptr<Slot> before = std::exchange(slots_, zeroed_slots(most_bits));
    const uint64_t count = slot_count();
    shift_ = 64 - most_bits;
    for (const Slot* slot = before.get(); slot < before.get() + count; ++slot) {
      if (slot->tokens.count != 0) *slot_of(short_hash(slot->key)) = *slot;
    }
  }

  uint32_t shift_ = 64 - least_bits;
  std::shared_ptr<Slot> slots_;
  uint64_t kept_ = 0;
};

}  // namespace vt
