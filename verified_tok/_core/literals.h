// Added tokens: the literals that are cut out of a text before the model sees it.
//
// At the leftmost place where any literal begins, the longest wins (`reference.added_tokens.extract`). Few places
// of a text begin a literal, so the search is two steps: a filter that looks at two bytes at a time and passes
// over the rest at the speed of memory, and a trie that is walked from the places it lets through.
#pragma once

#include <cstdint>

#include "host_device.h"
#include "image.h"
#include "simd.h"
#include "utf8.h"

namespace vt {

enum LiteralFlag : uint8_t { literal_lstrip = 1, literal_rstrip = 2, literal_single_word = 4 };

// Classes of characters (bits of `kind`) that added tokens and normalizers ask about.
enum Kind : uint8_t { kind_literal_space = 1, kind_literal_word = 2, kind_strip = 4 };

// The literals of one pass: over raw text, or over a normalized segment.
//
// The trie's nodes stand in breadth-first order, so a node's children are neighbours: those of node n are
// child[n] … child[n + 1] - 1, in the order of their bytes. The filter lets a pair of bytes through if
// first[a] & second[b]; behind these two tables of 256 come four of 16, the same for half bytes (SIMD).
struct Literals {
  const uint32_t* child;
  const uint8_t* byte;     // that leads to the node
  const int32_t* literal;  // that ends at the node, or -1
  const uint8_t* filter;
  const uint32_t* id;     // of the literals' tokens
  const uint8_t* flags;   // of the literals; null if none has any
  const uint16_t* kind_block;
  const uint8_t* kind;
  bool empty;
};

VT_HD Literals raw_literals(const View& v) {
  const uint8_t* flags = v.raw_flags_count == 0 ? nullptr : v.raw_flags;
  return {v.raw_child, v.raw_byte,   v.raw_literal, v.raw_filter,       v.raw_id,
          flags,       v.kind_block, v.kind,        v.raw_id_count == 0};
}

VT_HD Literals normalized_literals(const View& v) {
  const uint8_t* flags = v.normalized_flags_count == 0 ? nullptr : v.normalized_flags;
  return {v.normalized_child, v.normalized_byte, v.normalized_literal, v.normalized_filter,       v.normalized_id,
          flags,              v.kind_block,      v.kind,               v.normalized_id_count == 0};
}

VT_HD bool is_kind(const uint16_t* block, const uint8_t* kind, uint32_t c, Kind asked) {
  return (kind[(uint32_t{block[c >> 7]} << 7) | (c & 127)] & asked) != 0;
}

#ifdef VT_SIMD
// Passes over whole blocks of 32 pairs; stops at a candidate or where no whole block is left.
__attribute__((target("avx2"))) inline const uint8_t* next_candidate_avx2(const uint8_t* filter, const uint8_t* at,
                                                                           const uint8_t* end) {
  const auto table = [filter](int which) __attribute__((target("avx2"))) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(filter + 512 + 16 * which)));
  };
  const __m256i first_low = table(0), first_high = table(1), second_low = table(2), second_high = table(3);
  const __m256i nibble = _mm256_set1_epi8(0x0f);
  for (; end - at > 32; at += 32) {
    const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 1));
    const __m256i a_low = _mm256_shuffle_epi8(first_low, _mm256_and_si256(a, nibble));
    const __m256i a_high = _mm256_shuffle_epi8(first_high, _mm256_and_si256(_mm256_srli_epi16(a, 4), nibble));
    const __m256i b_low = _mm256_shuffle_epi8(second_low, _mm256_and_si256(b, nibble));
    const __m256i b_high = _mm256_shuffle_epi8(second_high, _mm256_and_si256(_mm256_srli_epi16(b, 4), nibble));
    const __m256i both = _mm256_and_si256(_mm256_and_si256(a_low, a_high), _mm256_and_si256(b_low, b_high));
    const uint32_t none = static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(both, _mm256_setzero_si256())));
    if (none != 0xffffffffu) return at + __builtin_ctz(~none);
  }
  return at;
}
#endif

// The first place from `at` on where a literal may begin, or `end`.
VT_HD const uint8_t* next_candidate(const Literals& l, const uint8_t* at, const uint8_t* end) {
  const uint8_t* first = l.filter;
  const uint8_t* second = l.filter + 256;
  if (at == end) return end;
#ifdef VT_SIMD
  if (simd.avx2) at = next_candidate_avx2(l.filter, at, end);
#endif
  for (; at + 1 < end; ++at) {
    if (first[at[0]] & second[at[1]]) return at;
  }
  return first[at[0]] ? at : end;
}

// The end of the longest literal that begins at `at`, or null; `found` becomes its number.
VT_HD const uint8_t* longest_literal(const Literals& l, const uint8_t* at, const uint8_t* end, uint32_t& found) {
  const uint8_t* stop = nullptr;
  uint32_t node = 0;
  for (; at < end; ++at) {
    uint32_t child = l.child[node], behind = l.child[node + 1];
    while (behind - child > 8) {
      const uint32_t middle = child + (behind - child) / 2;
      if (l.byte[middle] <= *at) {
        child = middle;
      } else {
        behind = middle;
      }
    }
    while (child < behind && l.byte[child] != *at) ++child;
    if (child == behind) break;
    node = child;
    if (l.literal[node] >= 0) {
      found = static_cast<uint32_t>(l.literal[node]);
      stop = at + 1;
    }
  }
  return stop;
}

// A part of a text: an added token's, or (id below 0) text between them.
struct Part {
  const uint8_t* begin;
  const uint8_t* end;
  int64_t id;
  const uint8_t* literal;  // of an added token, without the white space that it took
  const uint8_t* literal_end;
};

// The parts of a text, in order. They cover it, and overlap in one case: white space that an `rstrip` token
// took begins the next literal. The search goes on behind the literal itself, so that literal is found too.
struct Parts {
  Literals literals;
  const uint8_t* begin;
  const uint8_t* end;
  const uint8_t* at;    // where the search goes on
  const uint8_t* done;  // the end of the last added token
  Part kept;            // an added token that comes after the text before it, if its end is not null

  VT_HD Parts(const Literals& l, const uint8_t* text, const uint8_t* text_end)
      : literals(l), begin(text), end(text_end), at(l.empty ? text_end : text), done(text), kept{} {}

  VT_HD bool next(Part& part) {
    if (kept.end != nullptr) {
      part = kept;
      kept.end = nullptr;
      return true;
    }
    Part token;
    while (next_token(token)) {
      if (token.end <= token.begin) continue;  // an `rstrip` token before it took all of an `lstrip` token's literal
      const Part between{done, token.begin, -1, nullptr, nullptr};
      done = token.end;
      if (between.begin < between.end) {
        kept = token;
        part = between;
      } else {
        part = token;
      }
      return true;
    }
    if (done >= end) return false;
    part = {done, end, -1, nullptr, nullptr};
    done = end;
    return true;
  }

 private:
  // The next literal, with the white space that it takes.
  VT_HD bool next_token(Part& token) {
    while ((at = next_candidate(literals, at, end)) < end) {
      uint32_t found = 0;
      const uint8_t* stop = longest_literal(literals, at, end, found);
      if (stop == nullptr) {
        ++at;
        continue;
      }
      token = {at, stop, literals.id[found], at, stop};
      at = stop;
      if (literals.flags == nullptr) return true;
      const uint8_t flags = literals.flags[found];
      // A refused literal's text is not searched again: a shorter literal inside it is missed.
      if ((flags & literal_single_word) != 0 && !stands_alone(token)) continue;
      // What a token before took is not looked at again: there may be many in one row of white space.
      if ((flags & literal_lstrip) != 0) token.begin = token.begin < done ? done : space_before(token.begin);
      if ((flags & literal_rstrip) != 0) token.end = space_after(token.end < done ? done : token.end);
      return true;
    }
    return false;
  }

  VT_HD bool stands_alone(const Part& token) const {
    return (token.begin == begin || !is(char_before(token.begin), kind_literal_word)) &&
           (token.end == end || !is(char_at(token.end), kind_literal_word));
  }

  VT_HD const uint8_t* space_before(const uint8_t* stop) const {
    while (stop > done && is(char_before(stop), kind_literal_space)) stop -= char_size_before(stop);
    return stop;
  }

  VT_HD const uint8_t* space_after(const uint8_t* start) const {
    while (start < end && is(char_at(start), kind_literal_space)) start += char_size(*start);
    return start;
  }

  VT_HD bool is(uint32_t c, Kind asked) const { return is_kind(literals.kind_block, literals.kind, c, asked); }
};

}  // namespace vt
