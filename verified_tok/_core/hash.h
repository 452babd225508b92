// Keys and hashes of numbers and of short runs of bytes.
#pragma once

#include <cstdint>
#include <cstring>

#include "host_device.h"

namespace vt {

// 2 ** 64 divided by the golden ratio: numbers times this differ in their upper bits, however alike they are.
constexpr uint64_t golden = 0x9E3779B97F4A7C15ull;

// Another number for each number, with its upper and its lower half as different as those of such products are.
VT_HD uint64_t mixed(uint64_t number) {
  const uint64_t product = number * golden;
  return product ^ product >> 32;
}

// Up to 15 bytes as two words: the bytes, zeros, and in the last place how many they are.
struct Key {
  uint64_t low;
  uint64_t high;
};

VT_HD uint64_t load_word(const uint8_t* at) {
#ifdef __CUDA_ARCH__
  // Two or three loads of aligned words, and not eight of bytes. What is read beside the bytes shares a word with one.
  const uint32_t* words = reinterpret_cast<const uint32_t*>(reinterpret_cast<uintptr_t>(at) & ~uintptr_t{3});
  const uint32_t shift = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(at) & 3) * 8;
  const uint32_t low = words[0], middle = words[1], high = shift == 0 ? 0 : words[2];
  return __funnelshift_r(low, middle, shift) | static_cast<uint64_t>(__funnelshift_r(middle, high, shift)) << 32;
#else
  uint64_t word;
  std::memcpy(&word, at, 8);
  return word;
#endif
}

// What is left of two words when the first `size` bytes are kept, and the size in its place.
struct KeyMask {
  uint64_t low, high, size;
};

VT_HD constexpr KeyMask key_mask(uint32_t size) {
  const uint64_t low = size >= 8 ? ~0ull : (1ull << (8 * size)) - 1;
  const uint64_t high = size > 8 ? (1ull << (8 * (size - 8))) - 1 : 0;
  return {low, high, static_cast<uint64_t>(size) << 56};
}

#ifndef __CUDACC__
// By a table: sizes change from piece to piece, and a branch on them is guessed wrong (measured: 1.5 times as fast).
struct KeyMasks {
  KeyMask of[16];
  constexpr KeyMasks() : of() {
    for (uint32_t size = 0; size < 16; ++size) of[size] = key_mask(size);
  }
};
alignas(64) inline constexpr KeyMasks key_masks;
#endif

// The key of the `size` bytes (1 to 15) from `at` on, where 16 bytes can be read.
VT_HD Key readable_key(const uint8_t* at, uint32_t size) {
#ifdef __CUDACC__
  const KeyMask mask = key_mask(size);
#else
  const KeyMask& mask = key_masks.of[size];
#endif
  return {load_word(at) & mask.low, (load_word(at + 8) & mask.high) | mask.size};
}

// The same, where memory can be read up to `limit` only.
VT_HD Key short_key(const uint8_t* at, uint32_t size, const uint8_t* limit) {
  if (limit - at >= 16) return readable_key(at, size);
  Key key{0, static_cast<uint64_t>(size) << 56};
  for (uint32_t k = 0; k < size; ++k) {
    uint64_t& word = k < 8 ? key.low : key.high;
    word |= static_cast<uint64_t>(at[k]) << (k % 8 * 8);
  }
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

VT_HD uint64_t short_hash(Key key) { return folded_product(key.low ^ golden, key.high ^ 0xC2B2AE3D27D4EB4Full); }

// The hash of 16 bytes or more.
VT_HD uint64_t long_hash(const uint8_t* at, uint64_t size) {
  uint64_t hash = size * golden;
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
