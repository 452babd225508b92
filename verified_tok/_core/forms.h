// Unicode normal forms, from the probed tables: which stretches of a text a form may change.
//
// Almost all text is in its normal form already. `first_unstable` passes over it, block by block where every byte
// belongs to characters that stay whatever stands around them, else character by character.
#pragma once

#include "host_device.h"
#include "image.h"
#include "literals.h"
#include "utf8.h"

namespace vt {

// The tables of one form.
//
// `quick` says of a character what a look at it and the one before can tell: 0 if it stays and nothing before it
// touches it (it is inert), the rank of its combining class if it is a mark that stays behind marks of no higher
// rank, `look_closer` for any other. `inert` has 256 flags: bytes that are ASCII, continue a character, or lead only
// inert characters; behind them two tables of 16 that say the same of half bytes (SIMD).
struct Forms {
  const uint16_t* block;
  const uint8_t* quick;
  const uint8_t* rank;
  const uint16_t* decomposition;  // where in the pool; 0 for characters that do not decompose
  const uint32_t* pool;           // how many characters, then these
  const uint64_t* pair;           // pairs that compose, in order: first << 32 | second
  const uint32_t* composite;      // what they become
  uint64_t pairs;
  const uint8_t* inert;
};

constexpr uint8_t look_closer = 255;

VT_HD Forms forms_of(const View& v) {
  return {v.form_block, v.form_quick,     v.form_rank,       v.form_decomposition, v.form_pool,
          v.form_pair,  v.form_composite, v.form_pair_count, v.form_inert};
}

VT_HD uint32_t form_index(const Forms& f, uint32_t c) { return uint32_t{f.block[c >> 7]} << 7 | (c & 127); }

#ifdef VT_SIMD
__attribute__((target("avx2"))) inline const uint8_t* inert_blocks_avx2(const uint8_t* inert, const uint8_t* at,
                                                                        const uint8_t* end) {
  const __m256i low = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(inert + 256)));
  const __m256i high = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(inert + 272)));
  const __m256i nibble = _mm256_set1_epi8(0x0f);
  for (; end - at >= 32; at += 32) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    if (_mm256_movemask_epi8(bytes) == 0) continue;
    const __m256i row = _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble));
    const __m256i rows = _mm256_shuffle_epi8(low, _mm256_and_si256(bytes, nibble));
    const __m256i other = _mm256_cmpeq_epi8(_mm256_and_si256(row, rows), _mm256_setzero_si256());
    if (_mm256_movemask_epi8(other) != 0) break;
  }
  return at;
}
#endif

// Passes over bytes of inert characters; stops at the beginning of a character that may not be one, or at `end`.
VT_HD const uint8_t* inert_until(const Forms& f, const uint8_t* at, const uint8_t* end) {
#ifdef VT_SIMD
  if (simd.avx2) at = inert_blocks_avx2(f.inert, at, end);
#endif
  while (at < end && f.inert[*at]) ++at;
  return at;
}

// The first place, at `at` or at an inert character behind it, from which on the form may change the text; `end` if
// it changes nothing. `at` must be the beginning of the text or of an inert character.
VT_HD const uint8_t* first_unstable(const Forms& f, const uint8_t* at, const uint8_t* end) {
  const uint8_t* calm = at;  // the last such place
  uint8_t last = 0;
  while (at < end) {
    if (f.inert[*at]) {
      at = inert_until(f, at, end);
      calm = at - char_size_before(at);
      last = 0;
      continue;
    }
    const uint8_t quick = f.quick[form_index(f, char_at(at))];
    if (quick == look_closer || (quick != 0 && quick < last)) return calm;
    if (quick == 0) calm = at;
    last = quick;
    at += char_size(*at);
  }
  return end;
}

// Where the stretch that begins at `at` ends: at the next inert character.
VT_HD const uint8_t* next_inert(const Forms& f, const uint8_t* at, const uint8_t* end) {
  do {
    at += char_size(*at);
  } while (at < end && f.quick[form_index(f, char_at(at))] != 0);
  return at;
}

}  // namespace vt
