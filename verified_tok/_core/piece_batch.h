// Pieces on their way to tokens, a batch at a time: while one piece waits for memory, others go on. Host only.
#pragma once

#include <algorithm>
#include <memory>

#include "cuts.h"
#include "encode_piece.h"
#include "hot_pieces.h"
#include "merge_short.h"
#include "next_piece.h"
#include "piece_cache.h"
#include "search_run.h"

namespace vt {

// Writes tokens one behind the other.
struct Writer {
  static constexpr bool places = false;
  uint32_t* to;
  void put(uint32_t token, uint32_t, uint32_t) { *to++ = token; }
};

// A piece whose tokens are asked for.
struct Wanted {
  const uint8_t* begin;
  uint32_t size;
  uint32_t count;          // of the tokens
  const uint32_t* tokens;
  Key key;                 // of a short piece
  uint64_t hash;
};

// Pieces; the block that completes them may have more. Measured on new text: a quarter of it is 0.96 times as fast.
constexpr size_t batch_size = 256;
constexpr size_t batch_limit = batch_size + 64;

constexpr uint32_t longest_found = 255;  // bytes of a piece whose tokens are found with those of the batch; a token a byte at most

// Blocks of a text whose pieces are looked up one block ahead: after other work, what is remembered has left the nearest
// caches, and by then most of it is there again. Measured: 100 KB are encoded 1.35 times as fast, 1 MB 1.1 times; where nothing
// has left them, 1 MB 0.94 times.
constexpr uint32_t most_fetched = 4096;

// What a thread has seen, and the room it works in.
class PieceMemory {
 public:
  explicit PieceMemory(const View& view) : found(new uint32_t[batch_limit * longest_found]) {
    const bool of_chars = view.model_options_count != 0 && view.model_options[model_of_chars] != 0;
    if (!of_chars) return;
    runs = std::make_unique<PieceCache>();  // pieces are whole texts: it is their runs that come again
    work.runs = runs.get();
  }

  HotPieces hot;
  PieceCache cache;
  HostWork work;
  std::unique_ptr<PieceCache> runs;
  std::unique_ptr<uint32_t[]> found;  // tokens of the pieces of a batch
};

// The pieces from `begin` to `end`, cut where no merge crosses. `limit`: how far memory can be read. `places`: whether
// anyone asks for the pieces themselves.
template <bool places>
class PieceBatch {
 public:
  PieceBatch(const View& view, const uint8_t* begin, const uint8_t* end, const uint8_t* limit, PieceMemory& memory)
      : view_(view), entries_(short_entries_of(view)), cuts_(cuts_of(view)), at_(begin), end_(end),
        limit_(limit), piece_end_(begin), memory_(memory) {}

  // Goes on to the next batch. False: there are no more pieces.
  bool next() {
    count_ = wanted_count_ = 0;
    while (count_ < batch_size && at_ < end_) {
      if (at_ < piece_end_) {
        const uint8_t* begin = at_;
        at_ = next_cut(cuts_, begin, piece_end_);
        add<false>(begin, at_);
        continue;
      }
#ifdef VT_BLOCKS
      if (by_blocks_) {
        if (next_.begin != at_) next_ = block_starts(at_);
        const BlockStarts block = next_;
        if (block.starts != 0) {
          if (fetched_ < most_fetched) fetch_next(at_ + highest(block.starts));
          if (limit_ - at_ >= block_size + 16) {
            add_block<true>(block.starts);
          } else {
            add_block<false>(block.starts);
          }
          continue;
        }
      }
#endif
      const Piece piece = next_piece_by_stages(view_, at_, end_, cursor_);
      at_ = piece.end;
      if (has_cuts_) {
        at_ = piece.begin;
        piece_end_ = piece.end;
      } else if (piece.begin < piece.end) {
        add<false>(piece.begin, piece.end);
      }
    }
    if (wanted_count_ != 0) find_wanted();
    return count_ != 0;
  }

  size_t count() const { return count_; }

  const Piece& piece(size_t k) const { return pieces_[k]; }

  // Writes the tokens of piece k, and three more words. Returns where the tokens end.
  uint32_t* write(size_t k, uint32_t* to) const {
    const FewTokens& few = few_[k];
    if (few.count == 0) return write_wanted(wanted_[few.token[0]], to);
    few.copy_to(to);
    return to + few.count;
  }

 private:
#ifdef VT_BLOCKS
  // Where pieces begin behind the block's first, and where the last one ends; no bits: the stages have to tell.
  struct BlockStarts {
    const uint8_t* begin;
    Bits starts;
  };

  // The cuts in front of the characters whose first bytes are `firsts`.
  Bits cuts_in_block(const uint8_t* block, Bits firsts) const {
    Bits found = 0;
    uint32_t left = 0, left_end = block_size;
    for (; firsts != 0; firsts &= firsts - 1) {
      const uint32_t place = lowest(firsts);
      if (!has_three_bytes(block[place])) continue;
      const uint32_t right = char_of_three(block + place);
      if (place == left_end) found |= static_cast<Bits>(cuts_.between(left, right)) << place;
      left = right;
      left_end = place + 3;
    }
    return found;
  }

  BlockStarts block_starts(const uint8_t* begin) const {
    Starts starts = piece_starts(view_, begin, end_);
    if (starts.pieces != 0 && has_cuts_) starts.pieces |= cuts_in_block(begin, starts.wide & below(highest(starts.pieces)));
    return {begin, starts.pieces};
  }

  // Looks at the block at `begin`, which comes next, and asks memory for what is remembered of its pieces.
  void fetch_next(const uint8_t* begin) {
    ++fetched_;
    if (begin >= end_ || limit_ - begin < static_cast<int64_t>(block_size) + 16) return;
    next_ = block_starts(begin);
    uint32_t from = 0;
    for (Bits rest = next_.starts; rest != 0; rest &= rest - 1) {
      const uint32_t to = lowest(rest);
      if (to - from <= short_limit) memory_.hot.prefetch(short_hash(readable_key(begin + from, to - from)));
      from = to;
    }
  }

  template <bool readable>
  void add_block(Bits starts) {
    const uint8_t* block = at_;
    const uint8_t* from = at_;
    do {
      const uint8_t* to = block + lowest(starts);
      starts &= starts - 1;
      add<readable>(from, to);
      from = to;
    } while (starts != 0);
    at_ = from;
  }
#endif

  // `readable`: 16 bytes can be read behind the beginning of the piece.
  template <bool readable>
  void add(const uint8_t* begin, const uint8_t* end) {
    const uint32_t size = static_cast<uint32_t>(end - begin);
    FewTokens& few = few_[count_];
    if (places) pieces_[count_] = {begin, end};
    ++count_;
    if (size <= short_limit) {
      const Key key = readable ? readable_key(begin, size) : short_key(begin, size, limit_);
      const uint64_t hash = short_hash(key);
      const FewTokens* found = memory_.hot.find(key, hash);
      if (__builtin_expect(found != nullptr, 1)) {
        few = *found;
        return;
      }
      prefetch_short_entry(entries_, hash);
      want(few, {begin, size, 0, nullptr, key, hash});
    } else {
      const uint64_t hash = size <= PieceCache::longest ? long_hash(begin, size) : 0;
      memory_.cache.prefetch(hash);
      want(few, {begin, size, 0, nullptr, {}, hash});
    }
  }

  void want(FewTokens& few, const Wanted& wanted) {
    few.token[0] = static_cast<uint32_t>(wanted_count_);
    few.count = 0;
    wanted_[wanted_count_++] = wanted;
  }

  // Finds the tokens of the pieces that are wanted, but for the longest.
  void find_wanted() {
    Wanted* rest[batch_limit];
    size_t count = 0;
    uint32_t* to = memory_.found.get();
    for (size_t k = 0; k < wanted_count_; ++k) {
      Wanted& wanted = wanted_[k];
      if (wanted.size <= short_limit) {
        const Entry entry = short_entry(entries_, wanted.key, wanted.hash);
        if (entry.token != no_token) {
          *to = entry.token;
          wanted.tokens = to++;
          wanted.count = 1;
          memory_.hot.keep(wanted.key, wanted.hash, wanted.tokens, 1);
          continue;
        }
        memory_.cache.prefetch(wanted.hash);
      }
      if (wanted.size <= longest_found) rest[count++] = &wanted;
    }
    if (count == 0) return;
    for (size_t k = 0; k < count; ++k) memory_.cache.prefetch_piece(rest[k]->hash);
    const bool merges = merges_short(view_);
    size_t unseen = 0;
    for (size_t k = 0; k < count; ++k) {
      Wanted& wanted = *rest[k];
      const uint32_t* kept = memory_.cache.find(wanted.begin, wanted.size, wanted.hash, wanted.count);
      if (kept == nullptr) {
        if (merges && wanted.size <= short_limit) {
          rest[unseen++] = &wanted;
          continue;
        }
        Writer writer{to};
        encode_piece(view_, wanted.begin, wanted.size, limit_, memory_.work, writer);
        to = learn(wanted, to, writer.to);
        continue;
      }
      wanted.tokens = to;
      to = std::copy(kept, kept + wanted.count, to);
      if (wanted.size <= short_limit) memory_.hot.keep(wanted.key, wanted.hash, wanted.tokens, wanted.count);
    }
    if (unseen != 0) merge_unseen(rest, unseen, to);
  }

  // Apart from the loop around it, which has better use for the processor's registers.
  __attribute__((noinline)) void merge_unseen(Wanted** unseen, size_t count, uint32_t* to) {
    merge_short_pieces(
        view_, count, [&](size_t k) { return unseen[k]->key; },
        [&](size_t k, const auto& merges) { to = learn(*unseen[k], to, merges.end(to)); });
  }

  // Remembers the tokens of a piece that was not seen lately and is no short entry. Returns where they end.
  uint32_t* learn(Wanted& wanted, uint32_t* tokens, uint32_t* end) {
    wanted.tokens = tokens;
    wanted.count = static_cast<uint32_t>(end - tokens);
    memory_.cache.keep(wanted.begin, wanted.size, wanted.hash, wanted.tokens, wanted.count);
    if (wanted.size <= short_limit) memory_.hot.keep(wanted.key, wanted.hash, wanted.tokens, wanted.count);
    return end;
  }

  uint32_t* write_wanted(const Wanted& wanted, uint32_t* to) const {
    if (wanted.size <= longest_found) return std::copy(wanted.tokens, wanted.tokens + wanted.count, to);
    uint32_t count = 0;
    const bool is_kept = wanted.size <= PieceCache::longest;
    const uint32_t* kept = is_kept ? memory_.cache.find(wanted.begin, wanted.size, wanted.hash, count) : nullptr;
    if (kept != nullptr) return std::copy(kept, kept + count, to);
    Writer writer{to};
    encode_piece(view_, wanted.begin, wanted.size, limit_, memory_.work, writer);
    if (is_kept) memory_.cache.keep(wanted.begin, wanted.size, wanted.hash, to, static_cast<uint32_t>(writer.to - to));
    return writer.to;
  }

  const View& view_;
  const ShortEntries entries_;
  const Cuts cuts_;
  const bool has_cuts_ = has_cuts(view_);
#ifdef VT_BLOCKS
  const bool by_blocks_ = by_blocks(view_);
  BlockStarts next_{nullptr, 0};  // the next block, if it was looked at
#endif
  const uint8_t* at_;
  const uint8_t* end_;
  const uint8_t* limit_;
  const uint8_t* piece_end_;  // of a piece that is cut
  PieceMemory& memory_;
#ifdef VT_BLOCKS
  uint32_t fetched_ = memory_.hot.worth_fetching() ? 0 : most_fetched;
#endif
  Cursor cursor_{};
  size_t count_ = 0;
  size_t wanted_count_ = 0;
  FewTokens few_[batch_limit];     // of each piece; if there are none, `token[0]` says which of the wanted ones it is
  Wanted wanted_[batch_limit];
  Piece pieces_[places ? batch_limit : 1];
};

}  // namespace vt
