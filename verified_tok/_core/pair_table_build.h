// Makes the table of pairs (`PairTable`): a hash without collisions, found by trying. Host only.
#pragma once

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "bpe.h"

namespace vt {

class PairTableBuilder {
 public:
  std::vector<uint16_t> pilots;
  std::vector<uint64_t> slots;

  // Rules are four numbers each: left, right, rank, result. No two have the same pair. Throws std::length_error if no
  // table is found, which is for rules that were made for it.
  explicit PairTableBuilder(const std::vector<uint32_t>& rules) : rules_(rules), sorted_(rules.size() / 4) {
    const uint64_t count = sorted_.size();
    slots.resize(count + count / 8 + 8);
    uint64_t groups = count / 3 + 1;
    while (!try_groups(groups)) {
      groups += groups / 4 + 1;
      if (groups > 64 * (count + 1)) throw std::length_error("pairs that no table was found for");
    }
  }

 private:
  struct Pair {
    uint64_t hash;
    uint64_t slot;  // what is to stand there
  };

  uint64_t pair_at(size_t k) const { return PairTable::pair_of(rules_[k], rules_[k + 1]); }
  uint32_t group_size(uint32_t group) const { return first_[group + 1] - first_[group]; }

  // For one group after the other, takes the first number that sends its pairs to slots that are free.
  bool try_groups(uint64_t groups) {
    pilots.assign(groups, 0);
    std::fill(slots.begin(), slots.end(), PairTable::empty);
    table_ = {pilots.data(), slots.data(), static_cast<uint32_t>(groups), static_cast<uint32_t>(slots.size())};
    taken_.assign(slots.size(), false);
    sort_by_group();
    // The largest first: these need the most free slots.
    uint32_t largest = 0;
    for (uint32_t group = 0; group < groups; ++group) largest = std::max(largest, group_size(group));
    std::vector<uint32_t> order(groups), behind(largest + 2ull, 0);
    for (uint32_t group = 0; group < groups; ++group) ++behind[group_size(group)];
    std::partial_sum(behind.rbegin(), behind.rend(), behind.rbegin());
    for (uint32_t group = 0; group < groups; ++group) order[behind[group_size(group) + 1ull]++] = group;
    for (uint32_t group : order) {
      for (uint32_t pilot = 0; !take_slots(group, pilot); ++pilot) {
        if (pilot == 0xFFFF) return false;
      }
    }
    return true;
  }

  // Puts the pairs of each group together.
  void sort_by_group() {
    first_.assign(pilots.size() + 1, 0);
    for (size_t k = 0; k < rules_.size(); k += 4) ++first_[table_.group(mixed(pair_at(k)))];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    for (size_t k = 0; k < rules_.size(); k += 4) {  // from the end of its group to the front, where the group then begins
      const uint64_t pair = pair_at(k), hash = mixed(pair);
      sorted_[--first_[table_.group(hash)]] = {hash, pair << PairTable::rank_bits | rules_[k + 2]};
    }
  }

  // Takes the slots that a number sends the pairs of a group to, if all of them are free.
  bool take_slots(uint32_t group, uint32_t pilot) {
    const Pair* begin = sorted_.data() + first_[group];
    const Pair* end = begin + group_size(group);
    for (const Pair* pair = begin; pair < end; ++pair) {
      const uint32_t place = table_.place(pair->hash, pilot);
      if (taken_[place]) {
        while (pair-- > begin) taken_[table_.place(pair->hash, pilot)] = false;
        return false;
      }
      taken_[place] = true;
    }
    for (const Pair* pair = begin; pair < end; ++pair) slots[table_.place(pair->hash, pilot)] = pair->slot;
    pilots[group] = static_cast<uint16_t>(pilot);
    return true;
  }

  const std::vector<uint32_t>& rules_;
  std::vector<Pair> sorted_;     // by group
  std::vector<uint32_t> first_;  // of each group, and behind the last
  std::vector<bool> taken_;      // slots
  PairTable table_{};
};

}  // namespace vt
