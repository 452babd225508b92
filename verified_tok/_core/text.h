// Texts: UTF-8, or characters that lie one behind the other, each in as many bytes as the next. Host only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "byte_buffer.h"
#include "utf8.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__)
#define VT_WIDE_CHARS 1
#include <cstdlib>

#include <immintrin.h>
#endif

namespace vt {

// A text in UTF-8. Texts have fewer than 2^32 bytes.
struct Text {
  const uint8_t* data;
  uint64_t size;

  const uint8_t* end() const { return data + size; }
};

inline void check_size(uint64_t size) {
  if (size > 0xFFFFFFFFu) throw std::length_error("a text of 4 GiB or more");
}

// Half of a character beyond U+FFFF, without the other half.
class LoneSurrogate : public std::invalid_argument {
 public:
  LoneSurrogate() : std::invalid_argument("a lone surrogate has no UTF-8 form") {}
};

constexpr uint64_t behind_utf8 = 64;  // bytes that may be written behind the UTF-8

// Each of these writes the UTF-8 of the characters, and returns where it ends; null: there is a lone surrogate.
template <class Char>
uint8_t* put_utf8(const Char* at, const Char* end, uint8_t* to) {
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

#ifdef VT_WIDE_CHARS
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
  return bad ? nullptr : put_utf8(at, end, to);
}
#undef VT_ISA

// Whether this machine has them, and VERIFIED_TOK_SIMD ("avx2", "none") does not forbid them.
inline bool has_wide_chars() {
  __builtin_cpu_init();
  return std::getenv("VERIFIED_TOK_SIMD") == nullptr && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2");
}

inline const bool wide_chars = has_wide_chars();
#endif

// A text as it was given: UTF-8, or characters.
struct Chars {
  const uint8_t* data;
  uint64_t count;  // of characters, or of bytes
  uint32_t width;  // bytes of a character; 0: it is UTF-8

  Chars(const uint8_t* first, uint64_t many, uint32_t each) : data(first), count(many), width(each) {}
  Chars(Text text) : data(text.data), count(text.size), width(0) {}
};

// Adds the UTF-8 of characters of one type to `room`.
template <class Char>
void add_utf8(const Chars& chars, ByteBuffer& room) {
  constexpr uint64_t part = 4096;  // characters
  const Char* at = reinterpret_cast<const Char*>(chars.data);
  const Char* const end = at + chars.count;
  room.room(chars.count + behind_utf8);
  while (at < end) {
    const Char* const stop = at + std::min<uint64_t>(part, static_cast<uint64_t>(end - at));
    uint8_t* to = room.room(4 * static_cast<uint64_t>(stop - at) + behind_utf8);
#ifdef VT_WIDE_CHARS
    to = wide_chars ? put_utf8_avx512(at, stop, to) : put_utf8(at, stop, to);
#else
    to = put_utf8(at, stop, to);
#endif
    if (to == nullptr) throw LoneSurrogate();
    room.end_at(to);
    at = stop;
  }
}

// The UTF-8, in `room` if it has to be made. Throws `LoneSurrogate`.
inline Text as_utf8(const Chars& chars, ByteBuffer& room) {
  if (chars.width == 0) return {chars.data, chars.count};
  room.clear();
  if (chars.width == 1) {
    add_utf8<uint8_t>(chars, room);
  } else if (chars.width == 2) {
    add_utf8<uint16_t>(chars, room);
  } else {
    add_utf8<uint32_t>(chars, room);
  }
  return {room.data(), room.size()};
}

}  // namespace vt
