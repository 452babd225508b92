// Decoding as the ids come in: what is certain comes out (`reference.stream`).
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "byte_buffer.h"
#include "decode.h"
#include "utf8_check.h"

namespace vt {

// The stages that wait for more tokens: a run of byte tokens for its end, `Strip` for the end of the text. Bytes that
// are certain are in `ready`, whole characters or not.
class DecodeStream {
 public:
  DecodeStream(const DecodeTables& tables, bool skip) : t_(tables), skip_(skip) {
    for (uint64_t s = 0; s < t_.strip_count; ++s) {
      const uint32_t* strip = t_.strips + 4 * s;
      strips_.push_back({{t_.text + strip[0], strip[1]}, strip[2], strip[3], {}});
    }
  }

  // Takes ids; or takes none and returns false, if no token has one of them.
  bool put(const uint32_t* ids, uint64_t count) {
    for (uint64_t at = 0; at < count; ++at) {
      if (!has_token(t_, ids[at])) return false;
    }
    for (uint64_t at = 0; at < count; ++at) {
      const uint32_t id = ids[at];  // which other threads may have written meanwhile
      if (has_token(t_, id)) put_one(id);
    }
    return true;
  }

  // A reader has seen all that came so far: what is kept back of it will not be shown again.
  void settle() {
    show(run_.data(), whole_, 0);
    run_.remove_front(whole_);
    whole_ = 0;
    for (size_t s = 0; s < strips_.size(); ++s) {
      show(strips_[s].kept.data(), strips_[s].kept.size(), s + 1);
      strips_[s].kept.clear();
    }
  }

  // The end of the ids.
  void finish() { end_run(); }

  // The bytes of a run that wait for the rest of their character.
  const uint8_t* waiting() const { return run_.data() + whole_; }
  uint64_t waiting_size() const { return run_.size() - whole_; }

  ByteBuffer& ready() { return ready_; }

 private:
  struct Strip {
    TokenBytes text;
    uint32_t start;  // how often it still goes at the front
    uint32_t stop;
    ByteBuffer kept;  // what may turn out to be the end
  };

  void put_one(uint32_t id) {
    const DecodeSlot& slot = t_.first != nullptr && at_start_ ? t_.first[id] : t_.slots[id];
    if (skip_ && (slot.tag & tag_skippable) != 0) return;
    at_start_ = false;
    const TokenBytes token = bytes_of(t_, slot);
    if (is_byte(slot)) return put_byte(*token.data);
    end_run();
    show(token.data, token.size, 0);
  }

  void put_byte(uint8_t byte) {
    run_.add(&byte, 1);
    if (!wrong_) {
      const Utf8Step step = utf8_step(run_.data() + whole_, run_.data() + run_.size());
      if (step.whole) whole_ += step.size;
      // Python's decoder, too, waits for the third byte of a surrogate before it finds it wrong.
      const bool half_surrogate = waiting_size() == 2 && waiting()[0] == 0xed && (byte & 0xc0) == 0x80;
      wrong_ = !step.whole && !step.cut_short && !half_surrogate;
    }
    if (wrong_) show_run();
  }

  void end_run() {
    wrong_ = wrong_ || waiting_size() != 0;
    show_run();
    wrong_ = false;
  }

  // One wrong byte makes U+FFFD of every byte of the run that is not shown yet.
  void show_run() {
    if (wrong_) {
      for (uint64_t byte = 0; byte < run_.size(); ++byte) show(replacement, sizeof replacement, 0);
    } else {
      show(run_.data(), run_.size(), 0);
    }
    run_.clear();
    whole_ = 0;
  }

  // Sends bytes through the strips from number `s` on.
  void show(const uint8_t* bytes, uint64_t size, size_t s) {
    if (size == 0) return;
    if (s == strips_.size()) return ready_.add(bytes, size);
    Strip& strip = strips_[s];
    const auto [text, length] = strip.text;
    strip.kept.add(bytes, size);
    const uint8_t* begin = strip.kept.data();
    const uint8_t* end = begin + strip.kept.size();
    for (; strip.start > 0 && begin < end; --strip.start) {
      if (static_cast<uint64_t>(end - begin) < length || std::memcmp(begin, text, length) != 0) {
        strip.start = 0;
        break;
      }
      begin += length;
    }
    for (uint32_t times = strip.stop; times > 0; --times) {
      if (static_cast<uint64_t>(end - begin) < length || std::memcmp(end - length, text, length) != 0) break;
      end -= length;
    }
    show(begin, static_cast<uint64_t>(end - begin), s + 1);
    strip.kept.remove_front(static_cast<uint64_t>(end - strip.kept.data()));
  }

  DecodeTables t_;
  bool skip_;
  bool at_start_ = true;
  bool wrong_ = false;  // whether a byte of the run is
  ByteBuffer run_;      // of byte tokens: what of it is not shown yet
  uint64_t whole_ = 0;  // how much of it is whole characters
  std::vector<Strip> strips_;
  ByteBuffer ready_;
};

}  // namespace vt
