// A growing array of bytes. New room is not touched before it is used.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace vt {

class ByteBuffer {
 public:
  ByteBuffer() = default;
  ByteBuffer(ByteBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  ByteBuffer& operator=(ByteBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~ByteBuffer() { std::free(data_); }

  const uint8_t* data() const { return data_; }
  uint64_t size() const { return size_; }
  uint64_t capacity() const { return capacity_; }
  void clear() { size_ = 0; }

  // Where to write up to `extra` more bytes; `end_at` says then where they end.
  uint8_t* room(uint64_t extra) {
    if (capacity_ - size_ < extra) {
      const uint64_t capacity = capacity_ * 2 > size_ + extra ? capacity_ * 2 : size_ + extra;
      void* memory = std::realloc(data_, capacity);
      if (memory == nullptr) throw std::bad_alloc();
      data_ = static_cast<uint8_t*>(memory);
      capacity_ = capacity;
    }
    return data_ + size_;
  }

  // The bytes end here, which may be before the present end.
  void end_at(const uint8_t* end) { size_ = static_cast<uint64_t>(end - data_); }

  void add(const uint8_t* bytes, uint64_t count) {
    uint8_t* to = room(count);
    if (count != 0) std::memcpy(to, bytes, count);
    size_ += count;
  }

  void remove_front(uint64_t count) {
    if (count == 0) return;
    size_ -= count;
    std::memmove(data_, data_ + count, size_);
  }

 private:
  uint8_t* data_ = nullptr;
  uint64_t size_ = 0;
  uint64_t capacity_ = 0;
};

}  // namespace vt
