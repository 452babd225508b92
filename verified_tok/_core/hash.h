// Keys and hashes of short runs of bytes.
#pragma once

#include <cstdint>
#include <cstring>

#include "host_device.h"

namespace vt {

// Up to 15 bytes as two words: the bytes, zeros, and in the last place how many they are.
struct Key {
  uint64_t low;
  uint64_t high;
};

VT_HD uint64_t load_word(const uint8_t* at) {
#ifdef __CUDA_ARCH__
  uint64_t word = 0;
  for (uint32_t k = 0; k < 8; ++k) word |= static_cast<uint64_t>(at[k]) << (8 * k);
  return word;
#else
  uint64_t word;
  std::memcpy(&word, at, 8);
  return word;
#endif
}

// The lowest `bytes` bytes of a word.
VT_HD uint64_t low_bytes(uint32_t bytes) { return bytes >= 8 ? ~0ull : (1ull << (8 * bytes)) - 1; }

// The key of the `size` bytes (1 to 15) from `at` on. Whole words are read where memory up to `limit` allows it.
VT_HD Key short_key(const uint8_t* at, uint32_t size, const uint8_t* limit) {
  Key key{0, 0};
  if (limit - at >= 16) {
    key.low = load_word(at) & low_bytes(size);
    key.high = load_word(at + 8) & (size > 8 ? low_bytes(size - 8) : 0);
  } else {
    for (uint32_t k = 0; k < size; ++k) {
      uint64_t& word = k < 8 ? key.low : key.high;
      word |= static_cast<uint64_t>(at[k]) << (k % 8 * 8);
    }
  }
  key.high |= static_cast<uint64_t>(size) << 56;
  return key;
}

// The two halves of a product of 128 bits, joined.
VT_HD uint64_t folded_product(uint64_t a, uint64_t b) {
#ifdef __CUDA_ARCH__
  return a * b ^ __umul64hi(a, b);
#else
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
#endif
}

VT_HD uint64_t short_hash(Key key) { return folded_product(key.low ^ 0x9E3779B97F4A7C15ull, key.high ^ 0xC2B2AE3D27D4EB4Full); }

// The hash of 16 bytes or more.
VT_HD uint64_t long_hash(const uint8_t* at, uint64_t size) {
  uint64_t hash = size * 0x9E3779B97F4A7C15ull;
  uint64_t k = 0;
  for (; k + 16 <= size; k += 16) hash = folded_product(load_word(at + k) ^ hash, load_word(at + k + 8) ^ 0xC2B2AE3D27D4EB4Full);
  if (k < size) hash = folded_product(load_word(at + size - 16) ^ hash, load_word(at + size - 8) ^ 0xD6E8FEB86659FD93ull);
  return hash;
}

// The hash of a run of any length but 0.
VT_HD uint64_t run_hash(const uint8_t* at, uint32_t size, const uint8_t* limit) {
  return size < 16 ? short_hash(short_key(at, size, limit)) : long_hash(at, size);
}

// The place of the highest bit of a word that is not 0.
VT_HD uint32_t highest_bit(uint64_t word) {
#ifdef __CUDA_ARCH__
  return 63 - static_cast<uint32_t>(__clzll(static_cast<long long>(word)));
#else
  return 63 - static_cast<uint32_t>(__builtin_clzll(word));
#endif
}

VT_HD bool same_bytes(const uint8_t* a, const uint8_t* b, uint64_t size) {
#ifdef __CUDA_ARCH__
  for (uint64_t k = 0; k < size; ++k) {
    if (a[k] != b[k]) return false;
  }
  return true;
#else
  return std::memcmp(a, b, size) == 0;
#endif
}

}  // namespace vt
