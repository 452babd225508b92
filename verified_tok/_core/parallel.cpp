#include "parallel.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "seams.h"
#include "share.h"
#include "utf8.h"

namespace vt {

namespace {

constexpr uint64_t reach = 1 << 14;       // bytes that are searched for a seam
constexpr uint64_t part_size = 1 << 18;   // bytes: large beside the work of starting, small beside the whole

// The first seam at or behind a place inside a text, if it is in reach; else 0.
uint64_t seam_behind(const View& seams, Text text, uint64_t at) {
  const uint64_t end = std::min(text.size, at + reach);
  while (at < end && is_continuation(text.data[at])) ++at;
  if (at >= end || at == 0) return 0;
  uint32_t x = char_before(text.data + at);
  while (at < end) {
    const uint32_t y = char_at(text.data + at);
    if (is_seam(seams, x, y)) return at;
    at += char_size(text.data[at]);
    x = y;
  }
  return 0;
}

}  // namespace

std::vector<uint64_t> cuts_near(const View& seams, Text text, uint64_t parts) {
  std::vector<uint64_t> cuts{0};
  for (uint64_t k = 1; k < parts; ++k) {
    const uint64_t cut = seam_behind(seams, text, text.size / parts * k);
    if (cut > cuts.back()) cuts.push_back(cut);
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
      engine.encode({text.data + cuts[k], cuts[k + 1] - cuts[k]}, k != 0, found[k]);
    }
  });
  uint64_t count = 0;
  for (const Ids& ids : found) count += ids.count();
  Ids all;
  uint32_t* to = all.room(count);
  for (const Ids& ids : found) to = std::copy(ids.data(), ids.data() + ids.count(), to);
  all.end_at(to);
  return all;
}

}  // namespace vt
