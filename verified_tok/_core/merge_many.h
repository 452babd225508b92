// The run of merges on many symbols: a heap of pairs, O(n log n). Host only.
#pragma once

#include <algorithm>
#include <vector>

#include "bpe.h"
#include "piece_cache.h"

namespace vt {

// Room for the symbols of a run, which grows.
class HostWork {
 public:
  Symbols symbols;
  uint32_t capacity;

  bool searches = true;  // whether long runs may be searched before they are merged

  // Remembers the tokens of recent runs, if any are given.
  PieceCache* runs = nullptr;

  HostWork() { resize(least); }
  HostWork(const HostWork&) = delete;
  HostWork& operator=(const HostWork&) = delete;

  bool grow() {
    resize(static_cast<size_t>(capacity) * 2);
    return true;
  }

  // Gives back the memory that a very long run needed.
  void give_back() {
    if (capacity <= many) return;
    for (std::vector<uint32_t>* of_symbols : {&token_, &start_, &stop_, &before_, &after_}) *of_symbols = std::vector<uint32_t>();
    heap_ = std::vector<uint64_t>();
    resize(least);
  }

  // Merges `count` symbols until no rule applies, as `merge_few` does. Returns how many are left.
  template <bool places>
  uint32_t merge_many(const View& v, uint32_t count) {
    return merge_by<places>(pair_table_of(v), v.pair_results, count, [](uint32_t, uint32_t, uint32_t) {});
  }

  // The same by any table of pairs. Says of each merge which tokens it joins, and its rank.
  template <bool places, class Pairs, class Each>
  uint32_t merge_by(const Pairs& pairs, const uint32_t* results, uint32_t count, Each each) {
    // The heap holds (rank, position) of every pair that a rule applies to, so its least entry that still tells the
    // truth is the next merge. A merge keeps the left position and closes the right one.
    before_.resize(count);
    after_.resize(count);
    heap_.clear();
    for (uint32_t i = 0; i < count; ++i) {
      before_[i] = i - 1;
      after_[i] = i + 1;
      if (i + 1 < count) look(pairs, i, i + 1);
    }
    std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
    while (!heap_.empty()) {
      const uint64_t least = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      heap_.pop_back();
      const uint32_t rank = static_cast<uint32_t>(least >> 32), i = static_cast<uint32_t>(least);
      if (symbols.token[i] == no_token) continue;
      const uint32_t j = after_[i];
      if (j >= count || pairs.rank(symbols.token[i], symbols.token[j]) != rank) continue;  // it has changed since
      each(symbols.token[i], symbols.token[j], rank);
      symbols.token[i] = results[rank];
      if (places) {
        symbols.start[i] = std::min(symbols.start[i], symbols.start[j]);
        symbols.stop[i] = std::max(symbols.stop[i], symbols.stop[j]);
      }
      symbols.token[j] = no_token;
      after_[i] = after_[j];
      if (after_[i] < count) {
        before_[after_[i]] = i;
        push(pairs, i, after_[i]);
      }
      if (i != 0) push(pairs, before_[i], i);
    }
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i = after_[i], ++left) {
      symbols.token[left] = symbols.token[i];
      if (places) {
        symbols.start[left] = symbols.start[i];
        symbols.stop[left] = symbols.stop[i];
      }
    }
    return left;
  }

 private:
  static constexpr size_t least = 256;      // symbols that there is room for,
  static constexpr size_t many = 1 << 16;   // and as many as room is kept for

  void resize(size_t size) {
    token_.resize(size);
    start_.resize(size);
    stop_.resize(size);
    symbols = {token_.data(), start_.data(), stop_.data()};
    capacity = static_cast<uint32_t>(size);
  }

  template <class Pairs>
  bool look(const Pairs& pairs, uint32_t i, uint32_t j) {
    const uint32_t rank = pairs.rank(symbols.token[i], symbols.token[j]);
    if (rank == no_rank) return false;
    heap_.push_back(static_cast<uint64_t>(rank) << 32 | i);
    return true;
  }

  template <class Pairs>
  void push(const Pairs& pairs, uint32_t i, uint32_t j) {
    if (look(pairs, i, j)) std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

  std::vector<uint32_t> token_, start_, stop_, before_, after_;
  std::vector<uint64_t> heap_;
};

// The tokens of recent runs, for `encode_piece.h`. In a model of characters, whose pieces are whole texts, runs are
// what repeats.
inline const uint32_t* recall(HostWork& work, const uint8_t* run, uint32_t size, const uint8_t* limit, uint32_t& count) {
  if (work.runs == nullptr || size > PieceCache::longest) return nullptr;
  return work.runs->find(run, size, run_hash(run, size, limit), count);
}

inline void remember(HostWork& work, const uint8_t* run, uint32_t size, const uint8_t* limit, const uint32_t* tokens,
                     uint32_t count) {
  if (work.runs != nullptr && size <= PieceCache::longest) {
    work.runs->keep(run, size, run_hash(run, size, limit), tokens, count);
  }
}

}  // namespace vt
