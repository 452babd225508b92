// Where the bytes of a normalized text came from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vt {

// Bytes of a segment: from `start` up to `stop`.
struct Source {
  uint32_t start;
  uint32_t stop;
};

// The bytes from `at` on, up to the next run's, came from `source`: if that has as many bytes, each from the one in
// its place, else each from all of it.
struct Run {
  uint32_t at;
  Source source;
};

// A text, and the runs that say where its bytes came from. Without runs it is a segment itself, or nobody asked.
struct Normal {
  const uint8_t* begin;
  const uint8_t* end;
  const Run* runs;
  size_t run_count;

  uint32_t size() const { return static_cast<uint32_t>(end - begin); }
};

// Finds the sources of spans of a normal text; quick if each span begins near the one before.
class Sources {
 public:
  explicit Sources(const Normal& text) : text_(text) {}

  // The smallest part of the segment that holds all sources of the bytes from `start` up to `stop`. No bytes have an
  // empty source, before that of the next byte or behind the last one's.
  Source hull(uint32_t start, uint32_t stop) {
    if (text_.run_count == 0) return {start, stop};
    if (start == stop) {
      const uint32_t place = start < text_.size() ? hull(start, start + 1).start : hull(start - 1, start).stop;
      return {place, place};
    }
    seek(start);
    Source hull = piece(run_, start, stop).source;
    for (size_t r = run_ + 1; r < text_.run_count && text_.runs[r].at < stop; ++r) {
      const Source source = piece(r, start, stop).source;
      hull = {std::min(hull.start, source.start), std::max(hull.stop, source.stop)};
    }
    return hull;
  }

  // Adds the runs of the bytes from `start` up to `stop` to those of a text in which they stand at `to`.
  void copy(uint32_t start, uint32_t stop, uint32_t to, std::vector<Run>& runs) {
    if (text_.run_count == 0) {
      runs.push_back({to, {start, stop}});
      return;
    }
    seek(start);
    for (size_t r = run_; r < text_.run_count && text_.runs[r].at < stop; ++r) {
      const Run part = piece(r, start, stop);
      runs.push_back({part.at - start + to, part.source});
    }
  }

 private:
  // Makes `run_` the run of a byte.
  void seek(uint32_t place) {
    while (text_.runs[run_].at > place) --run_;
    while (run_ + 1 < text_.run_count && text_.runs[run_ + 1].at <= place) ++run_;
  }

  // What of a run lies between `start` and `stop`.
  Run piece(size_t r, uint32_t start, uint32_t stop) const {
    auto [at, source] = text_.runs[r];
    const uint32_t end = r + 1 < text_.run_count ? text_.runs[r + 1].at : text_.size();
    if (source.stop - source.start == end - at) {
      if (end > stop) source.stop -= end - stop;
      if (at < start) source.start += start - at;
    }
    return {std::max(at, start), source};
  }

  Normal text_;
  size_t run_ = 0;
};

}  // namespace vt
