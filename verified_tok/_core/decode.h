// Decoding: ids to the bytes that they stand for (`reference.decode`).
//
// What the stages make of a token by itself is worked out before, so that decoding is a look-up and a copy of 16
// bytes. What remains are bytes that must be looked at together (byte fallback) and the ends of the text (`Strip`).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "byte_buffer.h"
#include "image.h"
#include "utf8_check.h"

namespace vt {

// A token's slot: its bytes, and a tag that says how many, or that it is none of the short ones.
struct DecodeSlot {
  uint8_t bytes[15];
  uint8_t tag;
};

enum DecodeTag : uint8_t {
  tag_long = 16,        // the slot holds place and size in `decode_long`
  tag_byte = 17,        // the slot holds the byte that the token falls back to
  tag_none = 18,        // no token has this id
  tag_skippable = 128,  // besides: left out with the special tokens
};

// The stages as tables. `first` has what the first token stands for; null where it stands for no other bytes.
struct DecodeTables {
  const DecodeSlot* slots;
  const DecodeSlot* first;
  uint64_t count;
  const uint8_t* longer;
  const uint32_t* strips;  // the place and size of a text in `text`; how often it goes at the front, at the end
  uint64_t strip_count;
  const uint8_t* text;
};

inline DecodeTables decode_tables(const View& v) {
  return {reinterpret_cast<const DecodeSlot*>(v.decode_slots),
          v.decode_first_count == 0 ? nullptr : reinterpret_cast<const DecodeSlot*>(v.decode_first),
          v.decode_slots_count / sizeof(DecodeSlot),
          v.decode_long,
          v.decode_strips,
          v.decode_strips_count / 4,
          v.decode_text};
}

struct TokenBytes {
  const uint8_t* data;
  uint64_t size;
};

inline bool is_byte(const DecodeSlot& slot) { return (slot.tag & ~tag_skippable) == tag_byte; }

inline bool has_token(const DecodeTables& t, uint32_t id) {
  return id < t.count && (t.slots[id].tag & ~tag_skippable) != tag_none;
}

// The bytes of a slot that has a token.
inline TokenBytes bytes_of(const DecodeTables& t, const DecodeSlot& slot) {
  const auto tag = static_cast<uint8_t>(slot.tag & ~tag_skippable);
  if (tag == tag_byte) return {slot.bytes, 1};
  if (tag != tag_long) return {slot.bytes, tag};
  uint32_t place, size;
  std::memcpy(&place, slot.bytes, sizeof place);
  std::memcpy(&size, slot.bytes + sizeof place, sizeof size);
  return {t.longer + place, size};
}

constexpr uint8_t replacement[] = {0xef, 0xbf, 0xbd};  // U+FFFD

// Decodes the ids of one text, which may come in several calls.
class Decoding {
 public:
  // `skip` leaves special tokens out; `lossy` puts U+FFFD where the stages do.
  Decoding(const DecodeTables& tables, bool skip, bool lossy) : t_(tables), skip_(skip), lossy_(lossy) {}

  // Adds tokens. Returns how many: fewer than `count` if no token has the id behind them.
  uint64_t put(const uint32_t* ids, uint64_t count) {
    uint64_t at = 0;
    while (at < count) {
      if (!in_run_ && !(t_.first != nullptr && at_start_)) at += put_short(ids + at, count - at);
      if (at == count) break;
      if (!put_any(ids[at])) return at;
      ++at;
    }
    return count;
  }

  // The end: nothing may be put behind it until `restart`.
  void finish() {
    end_run();
    strip();
  }

  // Begins another text, without the one before.
  void restart() {
    out_.clear();
    stripped_ = 0;
    at_start_ = true;
    in_run_ = false;
  }

  const uint8_t* begin() const { return out_.data() + stripped_; }
  uint64_t size() const { return out_.size() - stripped_; }

 private:
  static constexpr uint64_t block = 256;

  // Tokens of up to 15 bytes, as many as come.
  uint64_t put_short(const uint32_t* ids, uint64_t count) {
    const uint8_t mask = skip_ ? 0xff : static_cast<uint8_t>(~tag_skippable);
    uint64_t at = 0;
    bool more = true;
    while (more && at < count) {
      const uint64_t stop = std::min(count, at + block);
      uint8_t* to = out_.room(block * sizeof(DecodeSlot));
      for (; at < stop; ++at) {
        const uint32_t id = ids[at];  // read once: other threads may write there meanwhile
        if (id >= t_.count) break;
        const DecodeSlot& slot = t_.slots[id];
        const uint8_t tag = slot.tag & mask;
        if (tag > sizeof slot.bytes) break;
        std::memcpy(to, &slot, sizeof slot);
        to += tag;
      }
      more = at == stop;
      out_.end_at(to);
    }
    if (at != 0) at_start_ = false;
    return at;
  }

  bool put_any(uint32_t id) {
    if (!has_token(t_, id)) return false;
    const DecodeSlot& slot = t_.first != nullptr && at_start_ ? t_.first[id] : t_.slots[id];
    if (skip_ && (slot.tag & tag_skippable) != 0) return true;
    at_start_ = false;
    if (!is_byte(slot)) {
      end_run();
    } else if (!in_run_) {
      in_run_ = true;
      run_ = out_.size();
    }
    const TokenBytes token = bytes_of(t_, slot);
    out_.add(token.data, token.size);
    return true;
  }

  // The end of a run of byte tokens. If it is not UTF-8, every byte of it is U+FFFD.
  void end_run() {
    if (!in_run_) return;
    in_run_ = false;
    const uint64_t size = out_.size() - run_;
    if (!lossy_ || is_utf8(out_.data() + run_, size)) return;
    out_.end_at(out_.data() + run_);
    for (uint64_t byte = 0; byte < size; ++byte) out_.add(replacement, sizeof replacement);
  }

  void strip() {
    for (uint64_t s = 0; s < t_.strip_count; ++s) {
      const uint8_t* text = t_.text + t_.strips[4 * s];
      const uint32_t length = t_.strips[4 * s + 1];
      for (uint32_t times = t_.strips[4 * s + 2]; times > 0; --times) {
        if (size() < length || std::memcmp(begin(), text, length) != 0) break;
        stripped_ += length;
      }
      for (uint32_t times = t_.strips[4 * s + 3]; times > 0; --times) {
        if (size() < length || std::memcmp(begin() + size() - length, text, length) != 0) break;
        out_.end_at(begin() + size() - length);
      }
    }
  }

  DecodeTables t_;
  bool skip_;
  bool lossy_;
  bool at_start_ = true;  // no token has come yet
  bool in_run_ = false;   // of byte tokens, which begins at `run_`
  uint64_t run_ = 0;
  uint64_t stripped_ = 0;  // from the front
  ByteBuffer out_;
};

}  // namespace vt
