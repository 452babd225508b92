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

  // Rules are four numbers each: left, right, rank, result. The first of a pair counts. Throws std::length_error if no
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

  // Gives the number of every rule that is in the table.
  template <class Take>
  void each(Take&& take) const {
    for (size_t group = 0; group < pilots.size(); ++group) {
      for (uint32_t k = first_[group]; k < first_[group] + count_[group]; ++k) take(sorted_[k].rule);
    }
  }

 private:
  struct Pair {
    uint64_t mixed;
    uint32_t rule;
  };

  uint64_t pair_of(uint32_t rule) const { return PairTable::pair_of(rules_[4ull * rule], rules_[4ull * rule + 1]); }

  // For one group after the other, takes the first number that sends its pairs to slots that are free.
  bool try_groups(uint64_t groups) {
    pilots.assign(groups, 0);
    std::fill(slots.begin(), slots.end(), PairTable::empty);
    table_ = {pilots.data(), slots.data(), static_cast<uint32_t>(groups), static_cast<uint32_t>(slots.size())};
    taken_.assign(slots.size(), false);
    sort_by_group();
    // The largest first: these need the most free slots.
    std::vector<uint32_t> order(groups), behind(*std::max_element(count_.begin(), count_.end()) + 2u, 0);
    for (uint8_t count : count_) ++behind[count];
    std::partial_sum(behind.rbegin(), behind.rend(), behind.rbegin());
    for (uint32_t group = 0; group < groups; ++group) order[behind[count_[group] + 1u]++] = group;
    for (uint32_t group : order) {
      for (uint32_t pilot = 0; !take_slots(group, pilot); ++pilot) {
        if (pilot == 0xFFFF) return false;
      }
    }
    return true;
  }

  // Puts the pairs of each group together, without the later rules of a pair.
  void sort_by_group() {
    first_.assign(pilots.size() + 1, 0);
    count_.assign(pilots.size(), 0);
    const uint32_t rules = static_cast<uint32_t>(sorted_.size());
    for (uint32_t rule = 0; rule < rules; ++rule) ++first_[table_.group(PairTable::mixed_pair(pair_of(rule)))];
    std::exclusive_scan(first_.begin(), first_.end(), first_.begin(), 0u);
    for (uint32_t rule = 0; rule < rules; ++rule) {
      const uint64_t mixed = PairTable::mixed_pair(pair_of(rule));
      const uint32_t group = table_.group(mixed);
      Pair* begin = sorted_.data() + first_[group];
      Pair* end = begin + count_[group];
      if (count_[group] == 0xFF || std::any_of(begin, end, [mixed](const Pair& other) { return other.mixed == mixed; })) continue;
      *end = {mixed, rule};
      ++count_[group];
    }
  }

  // Takes the slots that a number sends the pairs of a group to, if all of them are free.
  bool take_slots(uint32_t group, uint32_t pilot) {
    const Pair* begin = sorted_.data() + first_[group];
    const Pair* end = begin + count_[group];
    for (const Pair* pair = begin; pair < end; ++pair) {
      const uint32_t place = table_.place(pair->mixed, pilot);
      if (taken_[place]) {
        while (pair-- > begin) taken_[table_.place(pair->mixed, pilot)] = false;
        return false;
      }
      taken_[place] = true;
    }
    for (const Pair* pair = begin; pair < end; ++pair) {
      slots[table_.place(pair->mixed, pilot)] = pair_of(pair->rule) << PairTable::rank_bits | rules_[4ull * pair->rule + 2];
    }
    pilots[group] = static_cast<uint16_t>(pilot);
    return true;
  }

  const std::vector<uint32_t>& rules_;
  std::vector<Pair> sorted_;     // by group
  std::vector<uint32_t> first_;  // of each group
  std::vector<uint8_t> count_;
  std::vector<bool> taken_;      // slots
  PairTable table_{};
};

}  // namespace vt
