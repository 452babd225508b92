#include "parallel.h"

#include <algorithm>
#include <atomic>

#include "seams.h"
#include "share.h"

namespace vt {

namespace {

constexpr uint64_t reach = 1 << 14;       // bytes that are searched for a seam
constexpr uint64_t part_size = 1 << 18;   // bytes: large beside the work of starting, small beside the whole

}  // namespace

std::vector<uint64_t> cuts_near(const View& seams, Text text, uint64_t parts) {
  std::vector<uint64_t> cuts{0};
  for (uint64_t k = 1; k < parts; ++k) {
    const uint64_t place = text.size / parts * k;
    if (place == 0) continue;
    const uint8_t* cut = first_seam(seams, text.data + place, text.data + std::min(text.size, place + reach));
    if (cut != nullptr && cut > text.data + cuts.back()) cuts.push_back(static_cast<uint64_t>(cut - text.data));
  }
  cuts.push_back(text.size);
  return cuts;
}

Ids encode_parallel(const Engine& engine, const View& seams, Text text, uint32_t threads) {
  const std::vector<uint64_t> cuts = cuts_near(seams, text, text.size / part_size + 1);
  const size_t parts = cuts.size() - 1;
  std::vector<Ids> found(parts);
  std::atomic<size_t> next{0};
  share(std::min<size_t>(threads, parts), [&] {
    for (size_t k; (k = next.fetch_add(1)) < parts;) {
      engine.encode(Text{text.data + cuts[k], cuts[k + 1] - cuts[k]}, k != 0, found[k]);
    }
  });
  uint64_t count = 0;
  for (const Ids& ids : found) count += ids.count();
  Ids all;
  all.room(count);
  for (const Ids& ids : found) all.add(ids);
  return all;
}

}  // namespace vt
