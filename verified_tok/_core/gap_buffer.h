// An array that is edited in place: a gap between two items moves to where the next change is. Host only.
//
// A change costs its own size and the distance from the one before; one behind the last item costs its size.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

namespace vt {

template <class T>
class GapBuffer {
  static_assert(std::is_trivially_copyable<T>::value, "items are moved as bytes");

 public:
  GapBuffer() = default;
  GapBuffer(const T* items, uint64_t count) { replace(0, 0, items, count); }
  // A copy has its gap at the same place.
  GapBuffer(const GapBuffer& other) : gap_(other.gap_) {
    capacity_ = other.size() + 1;
    behind_ = gap_ + 1;
    data_.reset(new T[capacity_]);
    if (gap_ != 0) std::memcpy(data_.get(), other.data_.get(), gap_ * sizeof(T));
    if (gap_ < other.size()) std::memcpy(data_.get() + behind_, other.after(), (other.size() - gap_) * sizeof(T));
  }
  GapBuffer& operator=(const GapBuffer&) = delete;

  uint64_t size() const { return gap_ + capacity_ - behind_; }
  uint64_t gap() const { return gap_; }
  const T& operator[](uint64_t index) const { return data_[index < gap_ ? index : index - gap_ + behind_]; }
  T& operator[](uint64_t index) { return data_[index < gap_ ? index : index - gap_ + behind_]; }

  // The items before the gap, and those behind it.
  const T* before() const { return data_.get(); }
  const T* after() const { return data_.get() + behind_; }

  // The memory, which outlives this buffer as long as somebody keeps it.
  const std::shared_ptr<T[]>& memory() const { return data_; }

  void move_gap(uint64_t index) {
    if (index < gap_) {
      std::memmove(data_.get() + behind_ - (gap_ - index), data_.get() + index, (gap_ - index) * sizeof(T));
    } else if (index > gap_) {
      std::memmove(data_.get() + gap_, data_.get() + behind_, (index - gap_) * sizeof(T));
    }
    behind_ += index - gap_;
    gap_ = index;
  }

  // Makes the gap wide enough for `extra` items, so that putting them in cannot fail.
  void reserve(uint64_t extra) {
    if (behind_ - gap_ >= extra) return;
    const uint64_t tail = capacity_ - behind_, needed = gap_ + tail + extra;
    const uint64_t capacity = needed < 2 * capacity_ ? 2 * capacity_ : needed + needed / 8 + 16;
    std::shared_ptr<T[]> data(new T[capacity]);
    if (gap_ != 0) std::memcpy(data.get(), data_.get(), gap_ * sizeof(T));
    if (tail != 0) std::memcpy(data.get() + (capacity - tail), data_.get() + behind_, tail * sizeof(T));
    data_ = std::move(data);
    behind_ = capacity - tail;
    capacity_ = capacity;
  }

  // Puts items in the place of those from `start` up to `stop`; they may not lie in this buffer.
  void replace(uint64_t start, uint64_t stop, const T* items, uint64_t count) {
    if (gap_ < start) move_gap(start);
    if (gap_ > stop) move_gap(stop);
    behind_ += stop - gap_;
    gap_ = start;
    reserve(count);
    if (count != 0) std::memcpy(data_.get() + gap_, items, count * sizeof(T));
    gap_ += count;
  }

  void copy(uint64_t start, uint64_t stop, T* to) const {
    const uint64_t middle = gap_ < start ? start : gap_ > stop ? stop : gap_;
    if (start < middle) std::memcpy(to, data_.get() + start, (middle - start) * sizeof(T));
    if (middle < stop) std::memcpy(to + (middle - start), data_.get() + (middle - gap_ + behind_), (stop - middle) * sizeof(T));
  }

 private:
  std::shared_ptr<T[]> data_;
  uint64_t gap_ = 0;       // the items before it lie at the front of the memory,
  uint64_t behind_ = 0;    // the others from here on
  uint64_t capacity_ = 0;  // up to its end
};

}  // namespace vt
