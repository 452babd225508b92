// The UTF-8 of characters that lie one behind the other, each in as many bytes as the next. Host only.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simd.h"
#include "utf8.h"

namespace vt {

constexpr uint64_t behind_utf8 = 64;  // bytes that may be written behind the UTF-8

// Each of these writes the UTF-8 of the characters, and returns where it ends; null: there is a lone surrogate.
template <class Char>
uint8_t* put_utf8_portable(const Char* at, const Char* end, uint8_t* to) {
  constexpr int64_t block = 32;
  while (at < end) {
    const int64_t count = std::min<int64_t>(block, end - at);
    if (count == block) {
      Char any = 0;
      for (int64_t k = 0; k < block; ++k) any |= at[k];
      if (any < 0x80) {
        for (int64_t k = 0; k < block; ++k) to[k] = static_cast<uint8_t>(at[k]);
        at += block;
        to += block;
        continue;
      }
    }
    for (const Char* stop = at + count; at < stop; ++at) {
      const uint32_t c = *at;
      if ((c & ~0x7ffu) == 0xd800) return nullptr;
      to += put_char(to, c);
    }
  }
  return to;
}

#ifdef VT_SIMD
#define VT_ISA __attribute__((target("avx512bw,avx512vbmi2")))

namespace lanes {

VT_ISA inline __m512i sixteen(const uint8_t* at) {
  return _mm512_maskz_cvtepu8_epi32(0xffff, _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
}
VT_ISA inline __m512i sixteen(const uint16_t* at) {
  return _mm512_maskz_cvtepu16_epi32(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
}
VT_ISA inline __m512i sixteen(const uint32_t* at) { return _mm512_loadu_si512(at); }

VT_ISA inline __m512i word(uint32_t bits) { return _mm512_set1_epi32(static_cast<int>(bits)); }
// Shifts that name the lanes they are for, all: the plain ones warn of a word without a value (GCC 12).
VT_ISA inline __m512i up(__m512i v, uint32_t bits) { return _mm512_maskz_slli_epi32(0xffff, v, bits); }
VT_ISA inline __m512i down(__m512i v, uint32_t bits) { return _mm512_maskz_srli_epi32(0xffff, v, bits); }
VT_ISA inline __m512i six_bits(__m512i v) { return _mm512_and_si512(v, word(0x3f)); }
VT_ISA inline __m512i joined(__m512i a, __m512i b, __m512i c) { return _mm512_or_si512(_mm512_or_si512(a, b), c); }

// Sixteen characters: each becomes its bytes in a lane of its own, and then the lanes close up.
template <class Char>
VT_ISA inline uint8_t* put_sixteen(const Char* at, uint8_t* to, bool& bad) {
  const __m512i c = sixteen(at), second = down(c, 6), last = six_bits(c);
  __m512i bytes = _mm512_mask_mov_epi32(c, _mm512_cmpge_epu32_mask(c, word(0x80)),
                                        joined(word(0x80c0), second, up(last, 8)));
  if constexpr (sizeof(Char) > 1) {
    const __m512i third = down(c, 12);
    bytes = _mm512_mask_mov_epi32(bytes, _mm512_cmpge_epu32_mask(c, word(0x800)),
                                  joined(_mm512_or_si512(word(0x8080e0), third), up(six_bits(second), 8), up(last, 16)));
    if constexpr (sizeof(Char) > 2) {
      const __m512i behind = joined(up(six_bits(third), 8), up(six_bits(second), 16), up(last, 24));
      bytes = _mm512_mask_mov_epi32(bytes, _mm512_cmpge_epu32_mask(c, word(0x10000)),
                                    joined(word(0x808080f0), down(c, 18), behind));
    }
    bad |= _mm512_cmpeq_epi32_mask(_mm512_and_si512(c, word(~0x7ffu)), word(0xd800)) != 0;
  }
  // No byte of UTF-8 is 0, but that of U+0000, which is the first of its lane.
  const uint64_t kept = _mm512_test_epi8_mask(bytes, bytes) | 0x1111111111111111ull;
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi8(kept, bytes));
  return to + __builtin_popcountll(kept);
}

}  // namespace lanes

template <class Char>
VT_ISA uint8_t* put_utf8_avx512(const Char* at, const Char* end, uint8_t* to) {
  constexpr int64_t block = 64;
  bool bad = false;
  for (; end - at >= block; at += block) {
    Char any = 0;
    for (int64_t k = 0; k < block; ++k) any |= at[k];
    if (any < 0x80) {
      for (int64_t k = 0; k < block; ++k) to[k] = static_cast<uint8_t>(at[k]);
      to += block;
      continue;
    }
    for (int64_t k = 0; k < block; k += 16) to = lanes::put_sixteen(at + k, to, bad);
  }
  return bad ? nullptr : put_utf8_portable(at, end, to);
}
#undef VT_ISA
#endif

template <class Char>
uint8_t* put_utf8(const Char* at, const Char* end, uint8_t* to) {
#ifdef VT_SIMD
  if (simd.avx512bw && simd.avx512vbmi2) return put_utf8_avx512(at, end, to);
#endif
  return put_utf8_portable(at, end, to);
}

}  // namespace vt
