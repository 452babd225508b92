// Finding tokens by their bytes, and sets of pairs of ids, while tables are built. Host only.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model.h"

namespace vt {

// Finds tokens by their bytes, which lie in one array. Every place that is looked at is far from the others, so what
// decides lies in one place, and whoever looks for many tokens asks for their places first.
class TokenIndex {
 public:
  TokenIndex(const uint8_t* bytes, size_t tokens) : bytes_(reinterpret_cast<const char*>(bytes)) {
    uint64_t size = 16;
    while (size < 2 * tokens) size *= 2;
    slots_.assign(size, Slot{0, 0, 0, no_token});
  }

  // Takes a token of the array in; false if another one has the same bytes.
  bool put(std::string_view token, uint32_t id) {
    const uint64_t hash = hash_of(token);
    Slot& slot = slots_[place_of(token, hash)];
    if (slot.id != no_token) return false;
    slot = {upper(hash), static_cast<uint32_t>(token.data() - bytes_), static_cast<uint32_t>(token.size()), id};
    return true;
  }

  static uint64_t hash_of(std::string_view token) { return std::hash<std::string_view>{}(token); }

  // Begin to fetch what `id` will look at: the place of a token, and then, when that has come, its bytes.
  void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }
  void prefetch_bytes(uint64_t hash) const { __builtin_prefetch(bytes_ + slots_[hash & (slots_.size() - 1)].offset); }

  // The id of the token with this hash; `no_token` if there is none.
  uint32_t id(std::string_view token, uint64_t hash) const { return slots_[place_of(token, hash)].id; }

 private:
  struct Slot {
    uint32_t hash, offset, size, id;
  };

  static uint32_t upper(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }

  // Where a token lies, or the empty slot where it would.
  uint64_t place_of(std::string_view token, uint64_t hash) const {
    const uint64_t mask = slots_.size() - 1;
    uint64_t place = hash & mask;
    for (;; place = (place + 1) & mask) {
      const Slot& slot = slots_[place];
      if (slot.id == no_token) return place;
      if (slot.hash == upper(hash) && token == std::string_view(bytes_ + slot.offset, slot.size)) return place;
    }
  }

  const char* bytes_;
  std::vector<Slot> slots_;
};

// A set of pairs of ids.
class PairSet {
 public:
  // With room for so many, and more if need be.
  explicit PairSet(size_t expected) {
    uint64_t size = 1024;
    while (size < 2 * expected) size *= 2;
    slots_.assign(size, empty);
  }

  size_t size() const { return count_; }

  // Begins to fetch what `put` will look at.
  void prefetch(uint32_t left, uint32_t right) const { __builtin_prefetch(&slots_[start_of(left, right)]); }

  // False if the pair is there already.
  bool put(uint32_t left, uint32_t right) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    uint64_t& slot = slots_[place_of(static_cast<uint64_t>(left) << 32 | right)];
    if (slot != empty) return false;
    slot = static_cast<uint64_t>(left) << 32 | right;
    ++count_;
    return true;
  }

  // Calls `act` with each pair, as one number.
  template <class Act>
  void each(Act act) const {
    for (uint64_t pair : slots_) {
      if (pair != empty) act(pair);
    }
  }

 private:
  static constexpr uint64_t empty = ~0ull;  // no pair: no token has the id 2 ** 32 - 1

  uint64_t place_of(uint64_t pair) const {
    const uint64_t mask = slots_.size() - 1;
    uint64_t place = start_of(static_cast<uint32_t>(pair >> 32), static_cast<uint32_t>(pair));
    while (slots_[place] != empty && slots_[place] != pair) place = (place + 1) & mask;
    return place;
  }

  uint64_t start_of(uint32_t left, uint32_t right) const {
    return mixed(static_cast<uint64_t>(left) << 32 | right) & (slots_.size() - 1);
  }

  void grow() {
    const std::vector<uint64_t> before = std::move(slots_);
    slots_.assign(2 * before.size(), empty);
    for (uint64_t pair : before) {
      if (pair != empty) slots_[place_of(pair)] = pair;
    }
  }

  std::vector<uint64_t> slots_;
  uint64_t count_ = 0;
};

}  // namespace vt
