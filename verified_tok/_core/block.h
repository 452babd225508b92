// 64 bytes of text as sets of bytes, a bit a byte: what hand-tuned matchers work on.
//
// Every byte of a character has its character's class. ASCII is classified by SIMD instructions, the rest one
// character at a time, by `split_kinds`. A character that a matcher does not want to know about ends what is known.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "classes.h"
#include "image.h"
#include "simd.h"
#include "utf8.h"

#ifdef VT_SIMD
#define VT_BLOCKS 1

namespace vt {

constexpr uint32_t block_size = 64;

using Bits = uint64_t;

// What a character beyond ASCII is to the matcher of an image (`known_patterns.py`).
enum CharKind : uint8_t { kind_unknown, kind_letter, kind_upper, kind_both, kind_number, kind_other, kind_run, char_kinds };

// The words of `split_known`. `known_digits`: how many digits are one piece at most; with `known_mark` the mark's UTF-8.
enum KnownWord : uint32_t { known_matcher, known_digits, known_han, known_hangul };

// The classes of ASCII characters.
struct AsciiBits {
  Bits letter, upper, digit, space, newline, blank, apostrophe, slash, control;
  Bits wide;          // bytes of characters beyond ASCII
  Bits continuation;  // all their bytes but the first
};

struct Block {
  AsciiBits ascii;
  Bits wide[char_kinds];  // characters beyond ASCII, by kind
  Bits known;             // the bytes from the first one on whose characters are known
  bool last;              // the text ends behind them
};

// --- sets of bytes ---------------------------------------------------------------------------------------

inline Bits bit(uint32_t place) { return Bits{1} << place; }
inline Bits below(uint32_t place) { return place < 64 ? bit(place) - 1 : ~Bits{0}; }
inline uint32_t lowest(Bits bits) { return static_cast<uint32_t>(__builtin_ctzll(bits)); }
inline uint32_t highest(Bits bits) { return 63u - static_cast<uint32_t>(__builtin_clzll(bits)); }

// The first byte of each run.
inline Bits run_starts(Bits bits) { return bits & ~(bits << 1); }

// The runs that begin with a byte in `starts`. Adding one to a run's first byte carries through all of it.
inline Bits runs_from(Bits starts, Bits bits) { return bits & ~(bits + (starts & bits)); }

// The places right behind the runs that begin with a byte in `starts`.
inline Bits behind_runs(Bits starts, Bits bits) { return (bits + (starts & bits)) & ~bits; }

// The places behind the characters whose first bytes are `firsts`.
inline Bits behind_chars(Bits firsts, Bits continuation) {
  const Bits next = firsts << 1;
  return (next & ~continuation) | behind_runs(next, continuation);
}

// --- classification --------------------------------------------------------------------------------------

// The same lines for each instruction set; EQUAL and BETWEEN make the set of bytes that compare so.
#define VT_ASCII_BITS                                            \
  {                                                              \
      BETWEEN(lower, 'a', 'z'), BETWEEN(bytes, 'A', 'Z'),        \
      BETWEEN(bytes, '0', '9'), EQUAL(bytes, ' '),               \
      EQUAL(bytes, '\n') | EQUAL(bytes, '\r'),                   \
      EQUAL(bytes, ' ') | BETWEEN(bytes, '\t', '\r'),            \
      EQUAL(bytes, '\''), EQUAL(bytes, '/'),                     \
      BETWEEN(bytes, 0, 0x1f) | EQUAL(bytes, 0x7f),              \
      BETWEEN(bytes, 0x80, 0xff), BETWEEN(bytes, 0x80, 0xbf),    \
  }

// The first bytes of East Asian characters: Han from U+4E00 to U+9F7F, Hangul from U+AC00 to U+D77F. They are many, and
// each range is of one kind, so that they need no look-up (measured: 1.4 times as fast).
struct EastAsianBits {
  Bits han, hangul;
};

#define VT_EAST_ASIAN_BITS                                                                               \
  {                                                                                                      \
      BETWEEN(bytes, 0xe5, 0xe8) | (EQUAL(bytes, 0xe4) & BETWEEN(bytes, 0xb8, 0xbf) >> 1) |              \
          (EQUAL(bytes, 0xe9) & BETWEEN(bytes, 0x80, 0xbd) >> 1),                                        \
      BETWEEN(bytes, 0xeb, 0xec) | (EQUAL(bytes, 0xea) & BETWEEN(bytes, 0xb0, 0xbf) >> 1) |              \
          (EQUAL(bytes, 0xed) & BETWEEN(bytes, 0x80, 0x9d) >> 1),                                        \
  }

// Both, compiled for one instruction set.
#define VT_CLASSIFIERS(name, isa)                                                                \
  __attribute__((target(isa))) inline AsciiBits ascii_bits_##name(const uint8_t* at) {           \
    const BYTES bytes = LOAD(at);                                                                \
    const BYTES lower = LOWER(bytes);                                                            \
    return VT_ASCII_BITS;                                                                        \
  }                                                                                              \
  __attribute__((target(isa))) inline EastAsianBits east_asian_bits_##name(const uint8_t* at) {  \
    const BYTES bytes = LOAD(at);                                                                \
    return VT_EAST_ASIAN_BITS;                                                                   \
  }

#define BYTES __m512i
#define LOAD(at) _mm512_loadu_si512(at)
#define LOWER(v) _mm512_or_si512(v, _mm512_set1_epi8(0x20))
#define EQUAL(v, c) _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(static_cast<char>(c)))
#define BETWEEN(v, a, b)                                                             \
  _mm512_cmple_epu8_mask(_mm512_sub_epi8(v, _mm512_set1_epi8(static_cast<char>(a))), \
                         _mm512_set1_epi8(static_cast<char>((b) - (a))))
VT_CLASSIFIERS(avx512, "avx512bw")
#undef BYTES
#undef LOAD
#undef LOWER
#undef EQUAL
#undef BETWEEN

struct TwoHalves {
  __m256i low, high;
};

__attribute__((target("avx2"))) inline TwoHalves load_avx2(const uint8_t* at) {
  const __m256i* halves = reinterpret_cast<const __m256i*>(at);
  return {_mm256_loadu_si256(halves), _mm256_loadu_si256(halves + 1)};
}

__attribute__((target("avx2"))) inline TwoHalves lower_avx2(const TwoHalves& v) {
  const __m256i to_lower = _mm256_set1_epi8(0x20);
  return {_mm256_or_si256(v.low, to_lower), _mm256_or_si256(v.high, to_lower)};
}

__attribute__((target("avx2"))) inline Bits mask_avx2(__m256i low, __m256i high) {
  return static_cast<uint32_t>(_mm256_movemask_epi8(low)) | Bits{static_cast<uint32_t>(_mm256_movemask_epi8(high))} << 32;
}

__attribute__((target("avx2"))) inline Bits equal_avx2(const TwoHalves& v, int c) {
  const __m256i wanted = _mm256_set1_epi8(static_cast<char>(c));
  return mask_avx2(_mm256_cmpeq_epi8(v.low, wanted), _mm256_cmpeq_epi8(v.high, wanted));
}

__attribute__((target("avx2"))) inline Bits between_avx2(const TwoHalves& v, int a, int b) {
  const __m256i first = _mm256_set1_epi8(static_cast<char>(a)), span = _mm256_set1_epi8(static_cast<char>(b - a));
  const __m256i low = _mm256_sub_epi8(v.low, first), high = _mm256_sub_epi8(v.high, first);
  return mask_avx2(_mm256_cmpeq_epi8(_mm256_min_epu8(low, span), low), _mm256_cmpeq_epi8(_mm256_min_epu8(high, span), high));
}

#define BYTES TwoHalves
#define LOAD(at) load_avx2(at)
#define LOWER(v) lower_avx2(v)
#define EQUAL(v, c) equal_avx2(v, c)
#define BETWEEN(v, a, b) between_avx2(v, a, b)
VT_CLASSIFIERS(avx2, "avx2")
#undef BYTES
#undef LOAD
#undef LOWER
#undef EQUAL
#undef BETWEEN
#undef VT_ASCII_BITS
#undef VT_EAST_ASIAN_BITS
#undef VT_CLASSIFIERS

struct Classifiers {
  AsciiBits (*ascii)(const uint8_t*);
  EastAsianBits (*east_asian)(const uint8_t*);
};

// Null: nothing that pays, and the automaton does all the work.
inline Classifiers classifiers_here() {
  if (simd.avx512bw) return {ascii_bits_avx512, east_asian_bits_avx512};
  if (simd.avx2) return {ascii_bits_avx2, east_asian_bits_avx2};
  return {};
}

inline const Classifiers classifiers = classifiers_here();

// Finds the kinds of characters beyond ASCII; at the first one that is unknown, what is known ends.
inline void classify_wide(const View& view, const uint8_t* at, Block& block) {
  Bits firsts = block.ascii.wide & ~block.ascii.continuation & block.known;
  const uint32_t final = highest(firsts);
  if (final + char_size(at[final]) > block_size) {  // the block cuts the character
    block.known = below(final);
    block.last = false;
    firsts &= block.known;
  }
  const EastAsianBits found = classifiers.east_asian(at);
  const Bits han = found.han & firsts, hangul = found.hangul & firsts;
  block.wide[view.split_known[known_han]] = han | han << 1 | han << 2;
  block.wide[view.split_known[known_hangul]] |= hangul | hangul << 1 | hangul << 2;
  for (firsts &= ~(han | hangul); firsts != 0; firsts &= firsts - 1) {
    const uint32_t place = lowest(firsts);
    const ClassAt symbol = class_beyond_ascii(view, at + place);
    const uint8_t kind = view.split_kinds[symbol.number];
    if (kind == kind_unknown) {
      block.known &= below(place);
      block.last = false;
      return;
    }
    block.wide[kind] |= below(symbol.bytes) << place;
  }
}

// The block at `at`, in a text that ends at `end`.
inline Block block_at(const View& view, const uint8_t* at, const uint8_t* end) {
  uint8_t copy[block_size];
  const uint64_t left = static_cast<uint64_t>(end - at);
  Block block;
  block.last = left < block_size;
  block.known = ~Bits{0};
  if (block.last) {
    std::memset(copy, 0, block_size);
    std::memcpy(copy, at, left);
    at = copy;
    block.known = below(static_cast<uint32_t>(left));
  }
  block.ascii = classifiers.ascii(at);
  for (Bits& kind : block.wide) kind = 0;
  if (block.ascii.wide != 0) classify_wide(view, at, block);
  return block;
}

}  // namespace vt

#endif
