// The tables of a model: from bytes or characters to the symbols that merging begins with, and from whole pieces to
// tokens.
#pragma once

#include "hash.h"
#include "image.h"
#include "utf8.h"

namespace vt {

constexpr uint32_t no_token = 0xFFFFFFFFu;

// The elements of the section `model_options`.
enum ModelOption : uint32_t {
  model_of_chars,      // 1: symbols are characters, else bytes
  model_unknown,       // the token of a character (or byte) that has none; `no_token`: it is dropped
  model_fuses_unknown, // 1: neighbouring unknown characters are one token
  model_join_bits,     // there are 2 ** this bits that say which symbols merges join
  model_short_buckets, // how many buckets of short entries there are
  model_long_bits,     // there are 2 ** this slots of long entries
  model_longest,       // the length of the longest entry
  model_exact_lengths, // 1: `token_lengths` says how many bytes of a piece each token but the unknown one covers
  model_prefix_bits,   // there are 2 ** this cells that say what entries begin with
  model_cut_bits,      // there are 2 ** this bits that say which pairs of characters merges join
  model_option_count
};

constexpr uint64_t prefix_factor = golden;  // of the hash of a prefix, byte by byte
constexpr uint64_t prefix_summand = 0xC2B2AE3D27D4EB4Full;

// --- characters --------------------------------------------------------------------------------------------------

// The token of a character: in a model of characters its symbol, in one of bytes the entry of a character of several
// bytes.
VT_HD uint32_t char_token(const View& v, uint32_t code) {
  return v.char_tokens[static_cast<uint64_t>(v.char_pages[code >> 8]) << 8 | (code & 0xFF)];
}

// --- whole pieces ------------------------------------------------------------------------------------------------

// What the table of entries says of some bytes.
struct Entry {
  uint32_t token;   // `no_token`: nothing
  bool only_whole;  // the token is right for a whole piece, but merges do not make it
};

constexpr uint32_t short_limit = 15;  // the longest key that has room in two words beside its length
constexpr uint32_t only_whole_bit = 0x80000000u;

// The table of short entries. Its size is kept beside it: read through the view, it would be read again for every
// piece, because the compiler cannot know that writing ids leaves it alone.
struct ShortEntries {
  const uint64_t* lines;
  uint32_t buckets;

  VT_HD uint32_t bucket_of(uint64_t hash) const {
    return static_cast<uint32_t>((hash & 0xFFFFFFFFu) * buckets >> 32);
  }
};

VT_HD ShortEntries short_entries_of(const View& v) { return {v.short_entries, v.model_options[model_short_buckets]}; }

// A bucket of short entries is one line of a cache: three keys of two words, then four halves of words: the tokens of
// the three, and whether an entry that belongs here has found no room and stands in a later bucket.
VT_HD Entry short_entry(ShortEntries entries, Key key, uint64_t hash) {
  for (uint32_t bucket = entries.bucket_of(hash);; bucket = bucket + 1 == entries.buckets ? 0 : bucket + 1) {
    const uint64_t* line = entries.lines + bucket * 8ull;
    const bool first = ((line[0] ^ key.low) | (line[1] ^ key.high)) == 0;
    const bool second = ((line[2] ^ key.low) | (line[3] ^ key.high)) == 0;
    const bool third = ((line[4] ^ key.low) | (line[5] ^ key.high)) == 0;
    if (first | second | third) {  // which of them is not worth a guess of the processor
      const uint64_t pair = third ? line[7] : line[6];
      const uint32_t token = static_cast<uint32_t>(second ? pair >> 32 : pair);
      return {token & ~only_whole_bit, (token & only_whole_bit) != 0};
    }
    if (line[7] >> 32 == 0) return {no_token, false};
  }
}

#ifndef __CUDACC__
inline void prefetch_short_entry(ShortEntries entries, uint64_t hash) {
  __builtin_prefetch(entries.lines + entries.bucket_of(hash) * 8ull);
}
#endif

// A long entry is its token, its length (4 bytes each) and its bytes; a slot is 32 bits of the hash, and where the
// entry lies, in words of 8 bytes, plus 1. An empty slot ends a search.
VT_HD Entry long_entry(const View& v, const uint8_t* bytes, uint32_t size, uint64_t hash) {
  const uint64_t mask = (1ull << v.model_options[model_long_bits]) - 1;
  for (uint64_t place = hash & mask;; place = (place + 1) & mask) {
    const uint64_t slot = v.long_slots[place];
    if (slot == 0) return {no_token, false};
    if (slot >> 32 != hash >> 32) continue;
    const uint8_t* entry = v.long_entries + ((slot & 0xFFFFFFFFu) - 1) * 8;
    const uint32_t* head = reinterpret_cast<const uint32_t*>(entry);
    if (head[1] == size && same_bytes(entry + 8, bytes, size)) {
      return {head[0] & ~only_whole_bit, (head[0] & only_whole_bit) != 0};
    }
  }
}

// The entry of the bytes from `at` up to `at + size`; memory may be read up to `limit`.
VT_HD Entry entry_of(const View& v, const uint8_t* at, uint32_t size, const uint8_t* limit) {
  if (size > v.model_options[model_longest]) return {no_token, false};
  if (size <= short_limit) {
    const Key key = short_key(at, size, limit);
    return short_entry(short_entries_of(v), key, short_hash(key));
  }
  return long_entry(v, at, size, long_hash(at, size));
}

}  // namespace vt
