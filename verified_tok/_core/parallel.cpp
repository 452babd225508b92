#include "parallel.h"

#include <algorithm>
#include <atomic>

#include "joined_ids.h"
#include "seams.h"
#include "share.h"

namespace vt {

namespace {

constexpr uint64_t reach = 1 << 14;       // characters, or bytes, that are searched for a seam
constexpr uint64_t part_size = 1 << 18;   // of them: large beside the work of starting, small beside the whole

// The first seam from the character `place` up to `stop`, where `place` is not 0; 0 if there is none.
template <class Char>
uint64_t first_seam_of(const View& seams, const uint8_t* data, uint64_t place, uint64_t stop) {
  const Char* chars = reinterpret_cast<const Char*>(data);
  while (place < stop && !is_seam(seams, chars[place - 1], chars[place])) ++place;
  return place < stop ? place : 0;
}

uint64_t first_seam_of(const View& seams, const Chars& text, uint64_t place) {
  const uint64_t stop = std::min(text.count, place + reach);
  if (text.width == 1) return first_seam_of<uint8_t>(seams, text.data, place, stop);
  if (text.width == 2) return first_seam_of<uint16_t>(seams, text.data, place, stop);
  if (text.width == 4) return first_seam_of<uint32_t>(seams, text.data, place, stop);
  const uint8_t* cut = first_seam(seams, text.data + place, text.data + stop);
  return cut == nullptr ? 0 : static_cast<uint64_t>(cut - text.data);
}

}  // namespace

std::vector<uint64_t> cuts_near(const View& seams, const Chars& text, uint64_t parts) {
  std::vector<uint64_t> cuts{0};
  for (uint64_t k = 1; k < parts; ++k) {
    const uint64_t place = text.count / parts * k;
    if (place == 0) continue;
    const uint64_t cut = first_seam_of(seams, text, place);
    if (cut > cuts.back()) cuts.push_back(cut);
  }
  cuts.push_back(text.count);
  return cuts;
}

Ids encode_parallel(const Engine& engine, const View& seams, const Chars& text, uint32_t threads) {
  const std::vector<uint64_t> cuts = cuts_near(seams, text, text.count / part_size + 1);
  const uint64_t width = std::max<uint64_t>(text.width, 1);
  std::vector<Ids> found(cuts.size() - 1);
  std::atomic<size_t> next{0};
  share(std::min<size_t>(threads, found.size()), [&] {
    for (size_t k; (k = next.fetch_add(1)) < found.size();) {
      engine.encode({text.data + cuts[k] * width, cuts[k + 1] - cuts[k], text.width}, k != 0, found[k]);
    }
  });
  return joined(found, threads);
}

}  // namespace vt
