// The search for tokens (`search_piece.h`) in runs of any length. Host only.
#pragma once

#include <memory>
#include <vector>

#include "merge_many.h"
#include "periodic_run.h"
#include "search_piece.h"

namespace vt {

constexpr uint32_t long_run = 2 * search_limit;  // bytes from which on a run that merges could take is searched

// The search is given up where it does not get on: where the list has tokens of more than 64 bytes, for one.
constexpr uint32_t most_stalled = 1 << 12;
constexpr uint32_t tries_a_byte = 2;

// Runs that repeat are found from shorter ones. Of the others, measured on 300,000 letters, words without spaces: a sixth
// of the time of the merges.
template <class Sink>
bool search_run(HostWork& work, const View& v, const uint8_t* piece, uint32_t first, uint32_t stop, const uint8_t* limit,
                Sink& sink) {
  const uint32_t size = stop - first;
  if (size < long_run || !work.searches) return false;
  if (put_periodic(v, piece, first, stop, sink)) return true;
  if (v.births_count == 0) return false;  // without the tables while these are made
  const std::unique_ptr<uint32_t[]> tokens(new uint32_t[size]), starts(new uint32_t[size]);  // touched where there are tokens
  std::vector<uint64_t> dead(size / 64 + 1);
  const uint32_t count =
      search_tokens(v, piece + first, size, limit, most_stalled, tries_a_byte, tokens.get(), starts.get(), dead.data());
  for (uint32_t k = 0; k < count; ++k) {
    sink.put(tokens[k], first + starts[k], first + (k + 1 < count ? starts[k + 1] : size));
  }
  return count != 0;
}

}  // namespace vt
