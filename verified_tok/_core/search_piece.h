// The tokens of a piece found without its merges.
//
// Tokens are the encoding of their bytes if and only if merges make each of them of its bytes, and make the same two
// of the bytes of each two neighbours (`PairwiseCanonical`, lean/VerifiedTok/Thm/Canonical.lean). So a list of tokens
// with these properties that spells a piece is its encoding, however it was found: here by trying the longest entry at
// each place first, and by going back where no entry fits. Measured: twice as fast as merging on Chinese.
#pragma once

#include "bpe.h"

namespace vt {

// The last merge that makes a token of its bytes: its parts, and its rank plus 1 (`born`); 0 for a symbol. Never
// (`not_born`) for tokens that merges do not make, or not by ever higher ranks. In one word: a token's place in the
// table is then in one line of a cache.
struct Birth {
  uint32_t left;
  uint32_t right;
  uint32_t born;
};
constexpr uint32_t birth_token_bits = PairTable::id_bits;
constexpr uint32_t not_born = (1u << (64 - 2 * birth_token_bits)) - 1;

VT_HD uint64_t packed_birth(const Birth& birth) {
  const uint64_t tokens = (1ull << birth_token_bits) - 1;
  return (birth.left & tokens) | (birth.right & tokens) << birth_token_bits |
         static_cast<uint64_t>(birth.born) << 2 * birth_token_bits;
}

VT_HD Birth birth_of(const View& v, uint32_t token) {
  const uint64_t birth = v.births[token];
  constexpr uint64_t tokens = (1ull << birth_token_bits) - 1;
  return {static_cast<uint32_t>(birth & tokens), static_cast<uint32_t>(birth >> birth_token_bits & tokens),
          static_cast<uint32_t>(birth >> 2 * birth_token_bits)};
}

// Whether merging the bytes of both tokens gives the two again: no merge joins a token at the end of the left one's
// run to one at the beginning of the right one's while both are there. The runs are gone through backwards. Ranks grow
// in both, so the merge that made a token, and the one that takes it, say when it is there (`stayApart_iff`,
// lean/VerifiedTok/Thm/Search.lean).
VT_HD bool stay_apart(const View& v, uint32_t left, uint32_t right) {
  Birth l = birth_of(v, left), r = birth_of(v, right);
  uint32_t left_dies = not_born, right_dies = not_born;
  for (;;) {
    const uint32_t rank = rank_of(v, left, right);
    // Of equal ranks the leftmost goes first: the left token's own merge before this one, this before the right's.
    if (rank != no_rank && rank + 1 < left_dies && rank + 1 <= right_dies) return false;
    if (l.born > r.born) {
      left_dies = l.born;
      left = l.right;
      l = birth_of(v, left);
    } else if (r.born != 0) {
      right_dies = r.born;
      right = r.left;
      r = birth_of(v, right);
    } else {
      return true;
    }
  }
}

constexpr uint32_t search_limit = 255;  // bytes of a piece that is searched

// How many tokens are tried in a piece; 0: merges find them. A line of asterisks tries very many: with this limit lines that
// are drawn take half of the time, and Chinese no more. The threads of a GPU wait for the slowest. Counted there on real
// text (`python -m bench gpu-work`): to search more than characters of three bytes makes English twice as slow; Chinese
// needs a third of a piece's bytes.
#ifdef __CUDACC__
VT_HD uint32_t most_tries(const uint8_t* piece, uint32_t size) {
  return size >= 3 && piece[size - 3] >= 0xE0 ? 8 + size / 2 : 0;
}
#else
inline uint32_t most_tries(const uint8_t*, uint32_t size) { return 16 + size; }
#endif

// Which lengths (bit k: k + 1 bytes) the entries at `at` may have. Two bits for each hash of a prefix: whether an
// entry begins with it, and whether it is one. Other prefixes of the same hash may say so falsely.
VT_HD uint64_t entry_lengths(const View& v, const uint8_t* at, uint32_t size) {
  const uint32_t shift = 64 - v.model_options[model_prefix_bits];
  uint64_t hash = 0, lengths = 0;
  for (uint32_t k = 0; k < size && k < 64; ++k) {
    hash = (hash ^ at[k]) * prefix_factor + prefix_summand;
    const uint64_t cell = hash >> shift;
    const uint64_t bits = v.prefix_cells[cell >> 5] >> ((cell & 31) * 2);
    if ((bits & 1) == 0) break;
    lengths |= (bits >> 1 & 1) << k;
  }
  return lengths;
}

// The token of an entry that merges make, or `no_token`.
VT_HD uint32_t made_entry(const View& v, const uint8_t* at, uint32_t length, const uint8_t* limit) {
  if (*at >= 0xC0 && length == char_size(*at)) {
    const uint32_t token = char_token(v, char_at(at));  // a small table that stays in a cache
    if (token != no_token) return token;
  }
  const Entry entry = entry_of(v, at, length, limit);
  if (entry.token == no_token || entry.only_whole || birth_of(v, entry.token).born == not_born) return no_token;
  return entry.token;
}

#ifndef __CUDACC__
// Asks for what the search will read, where there are characters of three bytes and more: nearly each is a token or
// begins one.
inline void prefetch_search(const View& v, const uint8_t* piece, uint32_t size, const uint8_t* limit) {
  for (uint32_t at = 0; at < size;) {
    const uint32_t step = char_size(piece[at]);
    if (piece[at] >= 0xE0) {
      const uint32_t token = char_token(v, char_at(piece + at));
      if (token != no_token) __builtin_prefetch(v.births + token);
      const uint64_t lengths = entry_lengths(v, piece + at, size - at);
      const uint32_t length = lengths == 0 ? 0 : highest_bit(lengths) + 1;
      if (length != step && length != 0 && length <= short_limit) {
        prefetch_short_entry(short_entries_of(v), short_hash(short_key(piece + at, length, limit)));
      }
    }
    at += step;
  }
}
#endif

// Finds the tokens of some bytes, where each of them begins, and how many there are; 0: they are not found. There is room
// for as many as there are bytes, and in `dead` for a bit for each, which is 0: the places from which no list of tokens
// leads to the end. No more than `most` tokens are tried, and `more` for each byte that is reached for the first time, as
// far as `most` were tried before.
template <class Place>
VT_HD uint32_t search_tokens(const View& v, const uint8_t* piece, uint32_t size, const uint8_t* limit, uint32_t most,
                             uint32_t more, uint32_t* tokens, Place* starts, uint64_t* dead) {
  uint32_t count = 0, at = 0, reached = 0, tries = most;
  uint64_t lengths = entry_lengths(v, piece, size);
  for (;;) {
    bool found = false;
    while (lengths != 0 && !found) {
      const uint32_t length = highest_bit(lengths) + 1;
      lengths ^= 1ull << (length - 1);
      const uint32_t stop = at + length;
      if (stop < size && (dead[stop >> 6] >> (stop & 63) & 1) != 0) continue;
      if (tries-- == 0) return 0;
      const uint32_t token = made_entry(v, piece + at, length, limit);
      if (token == no_token || (count != 0 && !stay_apart(v, tokens[count - 1], token))) continue;
      tokens[count] = token;
      starts[count++] = static_cast<Place>(at);
      at = stop;
      found = true;
    }
    if (found) {
      if (at == size) return count;
      if (more != 0 && at > reached) {
        const uint32_t spent = most - tries, gained = more * (at - reached);
        tries += gained < spent ? gained : spent;
        reached = at;
      }
      lengths = entry_lengths(v, piece + at, size - at);
      continue;
    }
    dead[at >> 6] |= 1ull << (at & 63);
    if (count == 0) return 0;
    const uint32_t stop = at;
    at = starts[--count];
    // Longer ones than the last have been tried; lengths up to 64 fit in the word.
    lengths = entry_lengths(v, piece + at, size - at) & ((1ull << (stop - at - 1)) - 1);
  }
}

// Puts the tokens of a piece into the sink, if they are found.
template <class Sink>
VT_HD bool search_piece(const View& v, const uint8_t* piece, uint32_t size, const uint8_t* limit, Sink& sink) {
  const uint32_t tries = most_tries(piece, size);
  if (size > search_limit || tries == 0) return false;
  uint32_t tokens[search_limit];
  uint8_t starts[search_limit];
  uint64_t dead[4] = {0, 0, 0, 0};
#ifndef __CUDACC__
  prefetch_search(v, piece, size, limit);
#endif
  const uint32_t count = search_tokens(v, piece, size, limit, tries, 0, tokens, starts, dead);
  for (uint32_t k = 0; k < count; ++k) sink.put(tokens[k], starts[k], k + 1 < count ? starts[k + 1] : size);
  return count != 0;
}

}  // namespace vt
