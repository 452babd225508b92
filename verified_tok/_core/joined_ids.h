// The ids of several parts, put in one place. Host only.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "ids.h"
#include "share.h"

namespace vt {

// All ids in their order, by up to `threads` threads: memory that is new costs more than the copying. The parts are empty then.
inline Ids joined(std::vector<Ids>& parts, uint32_t threads) {
  constexpr uint64_t worth_a_thread = 1 << 16;
  if (parts.size() == 1) return std::move(parts[0]);
  std::vector<uint64_t> places;
  uint64_t total = 0;
  for (const Ids& part : parts) {
    places.push_back(total);
    total += part.count();
  }
  Ids all;
  uint32_t* const to = all.room(total);
  std::atomic<size_t> next{0};
  share(std::min<size_t>(threads, total / worth_a_thread + 1), [&] {
    for (size_t k; (k = next.fetch_add(1)) < parts.size();) {
      const Ids part = std::move(parts[k]);
      if (part.count() != 0) std::memcpy(to + places[k], part.data(), part.count() * sizeof(uint32_t));
    }
  });
  all.end_at(to + total);
  return all;
}

}  // namespace vt
