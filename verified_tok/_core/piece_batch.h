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

// A piece, and where to look for its tokens.
struct Sought {
  const uint8_t* begin;
  uint32_t size;
  Key key;  // of a short piece
  uint64_t hash;
};

// A piece whose tokens are not among the hot ones.
struct Wanted : Sought {
  uint32_t count;  // of the tokens
  const uint32_t* tokens;
};

// Pieces; a block and a piece behind it may complete them and more. Measured on new text: a quarter of it is 0.96 times as fast.
constexpr size_t batch_size = 256;
constexpr size_t batch_limit = batch_size + 64;

constexpr uint32_t longest_found = 255;  // bytes of a piece whose tokens are found with those of the batch; a token a byte at most

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
    while (count_ < batch_size && (at_ < end_ || ahead_ != 0)) {
      if (at_ < piece_end_) {
        const uint8_t* begin = at_;
        at_ = next_cut(cuts_, begin, piece_end_);
        add(begin, at_);
        continue;
      }
#ifdef VT_BLOCKS
      if (by_blocks_ && go_on_by_a_block()) continue;
#endif
      const Piece piece = next_piece_by_stages(view_, at_, end_, cursor_);
      at_ = piece.end;
      if (has_cuts_) {
        at_ = piece.begin;
        piece_end_ = piece.end;
      } else if (piece.begin < piece.end) {
        add(piece.begin, piece.end);
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

  // Where pieces begin behind the block's first, and where the last one ends; no bits: the stages have to tell.
  Bits block_starts(const uint8_t* begin) const {
    const Starts starts = piece_starts(view_, begin, end_);
    if (starts.pieces == 0 || !has_cuts_) return starts.pieces;
    return starts.pieces | cuts_in_block(begin, starts.wide & below(highest(starts.pieces)));
  }

  // Asks memory for what is known of the pieces of the next block, and looks up those of the block before, which are
  // there by now. Measured, once other work has emptied the nearest caches: 1.7 times as fast on 100 KB, 1.15 times on 1 MB;
  // where nothing has, the same. False: there is more text, and no block of it that can be looked at alone.
  bool go_on_by_a_block() {
    const Bits starts = at_ < end_ ? block_starts(at_) : 0;
    const uint32_t before = ahead_;
    Sought* const next = blocks_[block_ ^= 1];
    ahead_ = limit_ - at_ >= block_size + 16 ? seek_all<true>(starts, next) : seek_all<false>(starts, next);
    for (uint32_t k = 0; k < before; ++k) look_up(blocks_[block_ ^ 1][k]);
    return starts != 0 || at_ == end_;
  }

  template <bool readable>
  uint32_t seek_all(Bits starts, Sought* to) {
    const uint8_t* const block = at_;
    uint32_t count = 0;
    for (; starts != 0; starts &= starts - 1) {
      const uint8_t* end = block + lowest(starts);
      seek<readable>(at_, end, to[count++]);
      at_ = end;
    }
    return count;
  }
#endif

  // `readable`: 16 bytes can be read behind the beginning of the piece. Each word is written on its own, as it is read: a
  // processor waits where what it reads at once was written in parts.
  template <bool readable>
  void seek(const uint8_t* begin, const uint8_t* end, Sought& to) const {
    to.begin = begin;
    to.size = static_cast<uint32_t>(end - begin);
    if (to.size <= short_limit) {
      const Key key = readable ? readable_key(begin, to.size) : short_key(begin, to.size, limit_);
      to.key = key;
      to.hash = short_hash(key);
      memory_.hot.prefetch(to.hash);
    } else {
      to.hash = to.size <= PieceCache::longest ? long_hash(begin, to.size) : 0;
      memory_.cache.prefetch(to.hash);
    }
  }

  // Looks up a piece that is in no block.
  void add(const uint8_t* begin, const uint8_t* end) {
    Sought piece{};
    seek<false>(begin, end, piece);
    look_up(piece);
  }

  void look_up(const Sought& piece) {
    FewTokens& few = few_[count_];
    if (places) pieces_[count_] = {piece.begin, piece.begin + piece.size};
    ++count_;
    if (piece.size <= short_limit) {
      const FewTokens* found = memory_.hot.find(piece.key, piece.hash);
      if (__builtin_expect(found != nullptr, 1)) {
        few = *found;
        return;
      }
      prefetch_short_entry(entries_, piece.hash);
    }
    few.token[0] = static_cast<uint32_t>(wanted_count_);
    few.count = 0;
    Wanted& wanted = wanted_[wanted_count_++];
    wanted.begin = piece.begin;
    wanted.size = piece.size;
    wanted.key = piece.key;
    wanted.hash = piece.hash;
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
  Sought blocks_[2][block_size];  // the pieces of two blocks, in turn
  uint32_t block_ = 0;            // which of them was sought last
#endif
  uint32_t ahead_ = 0;  // its pieces, which are not looked up yet
  const uint8_t* at_;
  const uint8_t* end_;
  const uint8_t* limit_;
  const uint8_t* piece_end_;  // of a piece that is cut
  PieceMemory& memory_;
  Cursor cursor_{};
  size_t count_ = 0;
  size_t wanted_count_ = 0;
  FewTokens few_[batch_limit];     // of each piece; if there are none, `token[0]` says which of the wanted ones it is
  Wanted wanted_[batch_limit];
  Piece pieces_[places ? batch_limit : 1];
};

}  // namespace vt
