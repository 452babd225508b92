// The C data interface of Apache Arrow: how one library hands its arrays to another, without a copy. Host only.
//
// The structs are part of that interface. Whoever takes one over calls `release` in the end.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "engine.h"

extern "C" {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

}  // extern "C"

namespace vt {

// One of the structs, released with this object.
template <class T>
class Held {
 public:
  Held() = default;
  // Takes over what somebody else would have released.
  explicit Held(T* from) : value_(*from) { from->release = nullptr; }
  Held(Held&& other) noexcept : value_(other.value_) { other.value_.release = nullptr; }
  Held& operator=(Held&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Held() {
    if (value_.release != nullptr) value_.release(&value_);
  }

  T* get() { return &value_; }
  const T& operator*() const { return value_; }
  const T* operator->() const { return &value_; }
  bool released() const { return value_.release == nullptr; }

 private:
  T value_{};
};

// How an array of strings lies in memory.
enum class ArrowStrings { none, offsets32, offsets64, views };

inline ArrowStrings arrow_strings(const ArrowSchema& schema) {
  if (schema.dictionary != nullptr) return ArrowStrings::none;
  if (std::strcmp(schema.format, "u") == 0) return ArrowStrings::offsets32;
  if (std::strcmp(schema.format, "U") == 0) return ArrowStrings::offsets64;
  if (std::strcmp(schema.format, "vu") == 0) return ArrowStrings::views;
  return ArrowStrings::none;
}

inline bool is_null(const ArrowArray& array, int64_t place) {
  const auto* valid = static_cast<const uint8_t*>(array.buffers[0]);
  if (array.null_count == 0 || valid == nullptr) return false;
  const uint64_t bit = static_cast<uint64_t>(array.offset + place);
  return (valid[bit / 8] >> bit % 8 & 1) == 0;
}

template <class Offset>
Text string_between(const ArrowArray& array, int64_t place) {
  const auto* offsets = static_cast<const Offset*>(array.buffers[1]) + array.offset + place;
  return {static_cast<const uint8_t*>(array.buffers[2]) + offsets[0], static_cast<uint64_t>(offsets[1] - offsets[0])};
}

// A view holds a size and either the string itself, if it is short, or the first bytes, a buffer and a place in it.
inline Text string_viewed(const ArrowArray& array, int64_t place) {
  constexpr int32_t longest_inside = 12;
  const auto* view = static_cast<const uint8_t*>(array.buffers[1]) + 16 * (array.offset + place);
  int32_t parts[4];
  std::memcpy(parts, view, sizeof parts);
  if (parts[0] <= longest_inside) return {view + sizeof parts[0], static_cast<uint64_t>(parts[0])};
  return {static_cast<const uint8_t*>(array.buffers[2 + parts[2]]) + parts[3], static_cast<uint64_t>(parts[0])};
}

inline Text string_at(const ArrowArray& array, ArrowStrings kind, int64_t place) {
  switch (kind) {
    case ArrowStrings::offsets32:
      return string_between<int32_t>(array, place);
    case ArrowStrings::offsets64:
      return string_between<int64_t>(array, place);
    default:
      return string_viewed(array, place);
  }
}

}  // namespace vt
