// What a stage of the normalizer makes of its input.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "origins.h"
#include "utf8.h"

namespace vt {

// Collects a stage's output. Where nothing was replaced the output is the input, not copied. Keeps its memory.
class StageOutput {
 public:
  void begin(const Normal& source, bool origins) {
    source_ = source;
    sources_ = Sources(source);
    origins_ = origins;
    changed_ = false;
    done_ = 0;
    size_ = 0;
    runs_.clear();
    if (capacity_ > much && source.size() < capacity_ / 16) forget();
  }

  bool origins() const { return origins_; }

  // The input from `start` up to `stop` is replaced by what is added next; what lies before stays.
  void replace(uint32_t start, uint32_t stop) {
    copy_until(start);
    done_ = stop;
    changed_ = true;
  }

  // Adds a character, or text that came from nothing; `start` and `stop` say from where in the input.
  void add(const uint8_t* data, uint32_t size, uint32_t start, uint32_t stop) {
    if (size == 0) return;
    if (origins_) runs_.push_back({size_, sources_.hull(start, stop)});
    std::memcpy(room(size), data, size);
    size_ += size;
  }

  // Adds characters that all came from the same place.
  void add_chars(const uint8_t* data, uint32_t size, uint32_t start, uint32_t stop) {
    if (!origins_) return add(data, size, start, stop);
    for (uint32_t place = 0, next; place < size; place = next) {
      next = place + char_size(data[place]);
      add(data + place, next - place, start, stop);
    }
  }

  // Every byte `pattern` of an input that is not yet changed becomes `content`, of at most four bytes; origins are
  // not kept. For the spaces of SentencePiece vocabularies.
  void replace_bytes(uint8_t pattern, const uint8_t* content, uint32_t size) {
    const auto count = static_cast<size_t>(std::count(source_.begin, source_.end, pattern));
    if (count == 0) return;
    uint32_t wide = 0;
    std::memcpy(&wide, content, size);
    uint8_t* to = room(source_.size() + count * size + 16);
    const uint8_t* at = source_.begin;
#ifdef __SSE2__
    // Blocks of 16 up to the first run of the pattern in each (measured: twice as fast on prose).
    for (const __m128i wanted = _mm_set1_epi8(static_cast<char>(pattern)); source_.end - at >= 16;) {
      const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      const auto found = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(block, wanted)));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), block);
      const int before = found == 0 ? 16 : __builtin_ctz(found);
      const int run = found == 0 ? 0 : __builtin_ctz(~(found >> before));
      at += before + run;
      to += before;
      for (int place = 0; place < run; ++place, to += size) std::memcpy(to, &wide, sizeof wide);
    }
#endif
    for (; at < source_.end; ++at) {
      const uint32_t found = 0u - static_cast<uint32_t>(*at == pattern);  // all bits: a branch here is a gamble
      const uint32_t next = (wide & found) | (*at & ~found);
      std::memcpy(to, &next, sizeof next);
      to += 1 + ((size - 1) & found);
    }
    size_ = static_cast<uint32_t>(to - bytes_.get());
    done_ = source_.size();
    changed_ = true;
  }

  Normal finish() {
    if (!changed_) return source_;
    copy_until(source_.size());
    return {bytes_.get(), bytes_.get() + size_, runs_.data(), runs_.size()};
  }

  // A part of the input, in place of all output.
  Normal part(uint32_t start, uint32_t stop) {
    if (origins_ && start < stop) sources_.copy(start, stop, 0, runs_);
    return {source_.begin + start, source_.begin + stop, runs_.data(), runs_.size()};
  }

 private:
  void copy_until(uint32_t place) {
    if (place <= done_) return;
    if (origins_) sources_.copy(done_, place, size_, runs_);
    std::memcpy(room(place - done_), source_.begin + done_, place - done_);
    size_ += place - done_;
    done_ = place;
  }

  // Room for more output. (A vector would write zeros there first.)
  uint8_t* room(size_t more) {
    const size_t needed = size_t{size_} + more;
    if (needed > UINT32_MAX) throw std::length_error("a normalized text of 4 GiB or more");
    if (needed > capacity_) {
      capacity_ = needed + needed / 2 + source_.size();
      std::unique_ptr<uint8_t[]> larger(new uint8_t[capacity_]);
      if (size_ != 0) std::memcpy(larger.get(), bytes_.get(), size_);
      bytes_ = std::move(larger);
    }
    return bytes_.get() + size_;
  }

  // Gives memory back that one long text needed.
  void forget() {
    bytes_.reset();
    capacity_ = 0;
    runs_.shrink_to_fit();
  }

  static constexpr size_t much = 1 << 22;  // bytes to keep at hand

  Normal source_{};
  Sources sources_{source_};
  bool origins_ = false;
  bool changed_ = false;
  uint32_t done_ = 0;  // how much of the input is in the output, or was replaced
  uint32_t size_ = 0;
  size_t capacity_ = 0;
  std::unique_ptr<uint8_t[]> bytes_;
  std::vector<Run> runs_;
};

}  // namespace vt
