// Texts that Python has in an array: of Arrow, or of NumPy. Host only.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrow.h"
#include "byte_buffer.h"
#include "engine.h"
#include "put_utf8.h"
#include "share.h"
#include "utf8_check.h"

namespace vt {

// An item that is no text.
class BadItem : public std::invalid_argument {
 public:
  BadItem(size_t place, const std::string& what) : std::invalid_argument("texts[" + std::to_string(place) + "] " + what) {}
};

constexpr char null_item[] = "is null, which has no ids: drop or fill the nulls first";

// The texts, in memory that this object keeps. `check` says whether they are texts.
class TextArray {
 public:
  TextArray() = default;

  const std::vector<Text>& texts() const { return texts_; }
  uint64_t bytes() const { return bytes_; }

  // Adds a text that somebody else keeps.
  void add(Text text) {
    static constexpr uint8_t nothing = 0;
    texts_.push_back(text.size == 0 ? Text{&nothing, 0} : text);
    bytes_ += text.size;
  }

  // Adds the strings of an array, which stays where it is.
  void add(Held<ArrowArray>&& array, ArrowStrings kind) {
    unsure_ = true;
    for (int64_t place = 0; place < array->length; ++place) {
      if (is_null(*array, place)) throw BadItem(texts_.size(), null_item);
      add(string_at(*array, kind, place));
    }
    arrays_.push_back(std::move(array));
  }

  // Adds copies of strings of `width` bytes, with zeros behind them.
  void add_padded(const uint8_t* data, size_t count, size_t width) {
    unsure_ = true;
    const uint8_t* at = copies_.room(count * width);
    copies_.add(data, count * width);
    for (size_t k = 0; k < count; ++k, at += width) {
      size_t size = width;
      while (size > 0 && at[size - 1] == 0) --size;
      add({at, size});
    }
  }

  // The same of strings of `width` code points.
  void add_padded(const uint32_t* points, size_t count, size_t width) {
    uint8_t* to = copies_.room(4 * count * width + behind_utf8);
    for (size_t k = 0; k < count; ++k, points += width) {
      size_t size = width;
      while (size > 0 && points[size - 1] == 0) --size;
      for (size_t i = 0; i < size; ++i) {
        if (points[i] > 0x10ffff || (points[i] & ~0x7ffu) == 0xd800) {
          throw BadItem(texts_.size(), "holds " + named(points[i]) + " at position " + std::to_string(i) +
                                           ", which has no UTF-8 form: replace it first");
        }
      }
      const uint8_t* begin = to;
      to = put_utf8(points, points + size, to);
      add({begin, static_cast<uint64_t>(to - begin)});
    }
    copies_.end_at(to);
  }

  // Adds a copy of a string. `reserve` must have made room for all.
  void add_copy(const char* data, size_t size) {
    unsure_ = true;
    const uint8_t* at = copies_.room(size);
    copies_.add(reinterpret_cast<const uint8_t*>(data), size);
    add({at, size});
  }
  void reserve(uint64_t bytes) { copies_.room(bytes); }

  // Those from `first` up to `stop`, in memory that this object keeps.
  TextArray part(size_t first, size_t stop) const {
    TextArray part;
    for (size_t k = first; k < stop; ++k) part.add(texts_[k]);
    part.unsure_ = unsure_;
    return part;
  }

  // Throws BadItem if one is not UTF-8. Up to `threads` threads.
  void check(uint32_t threads) const {
    if (!unsure_) return;
    constexpr size_t items = 1024;  // that a thread takes at once
    std::atomic<size_t> next{0}, bad{texts_.size()};
    share(std::min<size_t>(threads, bytes_ / worth_a_thread + 1), [&] {
      for (size_t k; (k = next.fetch_add(items)) < bad.load();) {
        const size_t stop = std::min(texts_.size(), k + items);
        while (k < stop && is_utf8(texts_[k].data, texts_[k].size)) ++k;
        for (size_t least = bad.load(); k < stop && k < least && !bad.compare_exchange_weak(least, k);) {
        }
      }
    });
    if (bad.load() == texts_.size()) return;
    const Text text = texts_[bad.load()];
    const uint8_t* at = text.data;
    while (utf8_step(at, text.end()).whole) at += utf8_step(at, text.end()).size;
    throw BadItem(bad.load(), "is not UTF-8 from its byte " + std::to_string(at - text.data) + " on");
  }

 private:
  static constexpr uint64_t worth_a_thread = 1 << 18;  // bytes

  static std::string named(uint32_t point) {
    char name[16];
    std::snprintf(name, sizeof name, "U+%04X", point);
    return name;
  }

  std::vector<Text> texts_;
  uint64_t bytes_ = 0;
  bool unsure_ = false;  // whether all are UTF-8
  std::vector<Held<ArrowArray>> arrays_;
  ByteBuffer copies_;
};

}  // namespace vt
