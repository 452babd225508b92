// Cutting a text into pieces: the stages of a pre-tokenizer, each of which cuts the pieces of the one before it.
#pragma once

#include <cstdint>

#include "host_device.h"
#include "image.h"
#include "matcher_blocks.h"
#include "matcher_dfa.h"
#include "matcher_program.h"
#include "stages.h"
#include "utf8.h"

namespace vt {

struct Piece {
  const uint8_t* begin;
  const uint8_t* end;
};

// How far a stage has come in the piece of the stage before it.
struct Level {
  const uint8_t* limit;    // the end of its present piece
  const uint8_t* pending;  // no match begins before it; one does at it, unless it is the end
  const uint8_t* pending_end;
  bool behind_match;  // the last segment was a match: no empty match may follow it at once
};

// What `next_piece` remembers from piece to piece; all zero where a text begins.
struct Cursor {
  Level levels[stage_limit];
#ifdef VT_BLOCKS
  const uint8_t* block;  // where pieces begin behind the block at this place
  Bits starts;
#endif
};

struct Segment {
  const uint8_t* end;
  bool matched;
};

// The first match from `at` on.
template <bool spelled>
VT_HD Match next_match(const View& view, const Stage& stage, const uint8_t* at, const uint8_t* end, bool behind_match) {
#ifdef __CUDACC__
  constexpr bool program = false;  // kernels refuse such patterns: every thread would need memory for the choices
#else
  const bool program = stage.program != 0;
#endif
  const uint8_t* here = program ? program_match<spelled>(view, stage, at, end) : dfa_match<spelled>(view, stage, at, end);
  if (here != nullptr && !(here == at && behind_match)) return {at, here};
  at += symbol_size<spelled>(*at);
  if (!program) return dfa_search<spelled>(view, stage, at, end);
  for (; at < end; at += symbol_size<spelled>(*at)) {
    here = program_match<spelled>(view, stage, at, end);
    if (here != nullptr) return {at, here};
  }
  return {end, nullptr};
}

// Where the region of the character at `at` ends, if it ends before `end`.
template <bool spelled>
VT_HD const uint8_t* region_end(const View& view, const Stage& stage, const uint8_t* at, const uint8_t* end) {
  const uint8_t* regions = view.split_regions + stage.regions - 1;
  ClassAt symbol = symbol_at<spelled>(view, at);
  const uint8_t region = regions[symbol.number];
  do {
    at += symbol.bytes;
    if (at == end) return end;
    symbol = symbol_at<spelled>(view, at);
  } while (regions[symbol.number] == region);
  return at;
}

template <bool spelled>
VT_HD Segment next_segment_of(const View& view, const Stage& stage, const uint8_t* at, const uint8_t* end, Level& level) {
  if (level.pending < at) {  // it is unknown where the next match begins
    const Match match = next_match<spelled>(view, stage, at, end, level.behind_match);
    level.pending = match.begin;
    level.pending_end = match.end;
  }
  level.behind_match = level.pending == at;
  if (level.behind_match) {
    level.pending = nullptr;
    return {level.pending_end, true};
  }
  return {stage.regions == 0 ? level.pending : region_end<spelled>(view, stage, at, level.pending), false};
}

// The match or gap that begins at `at`, before `end`.
VT_HD Segment next_segment(const View& view, const Stage& stage, const uint8_t* at, const uint8_t* end, Level& level) {
#ifndef __CUDACC__  // kernels refuse stages behind a ByteLevel: hardly any tokenizer has them
  if (stage.spelled != 0) return next_segment_of<true>(view, stage, at, end, level);
#endif
  return next_segment_of<false>(view, stage, at, end, level);
}

// Whether a segment joins the piece of the one after it.
VT_HD bool joins(uint32_t behaviour, bool left, bool right) {
  switch (behaviour) {
    case merged_with_previous:
      return right && !left;
    case merged_with_next:
      return left && !right;
    case contiguous:
      return left == right;
    default:
      return false;
  }
}

// The first piece from `at` on that a stage makes of what ends at `end`; empty at `end` if there is none.
VT_HD Piece stage_piece(const View& view, const Stage& stage, const uint8_t* at, const uint8_t* end, Level& level) {
  const bool invert = stage.invert != 0;
  while (at < end) {
    const uint8_t* begin = at;
    Segment segment = next_segment(view, stage, at, end, level);
    at = segment.end;
    bool last = segment.matched != invert;
    if (stage.behaviour == removed && last) continue;
    while (at < end && (joins(stage.behaviour, last, false) || joins(stage.behaviour, last, true))) {
      const Level before = level;
      segment = next_segment(view, stage, at, end, level);
      if (!joins(stage.behaviour, last, segment.matched != invert)) {
        level = before;
        break;
      }
      last = segment.matched != invert;
      at = segment.end;
    }
    if (begin < at) return {begin, at};
  }
  return {end, end};
}

// The first piece from `at` on, where the text begins or the piece before ended. Stages that remove something
// may let it begin later; it is empty, at `end`, if there is no piece any more. The text is valid UTF-8.
VT_HD Piece next_piece_by_stages(const View& view, const uint8_t* at, const uint8_t* end, Cursor& cursor) {
  const uint32_t count = stage_count(view);
  uint32_t number = 0;
  Piece piece{at, end};
  while (number < count) {
    Level& level = cursor.levels[number];
    if (level.limit > at) {  // within a piece of this stage
      ++number;
      continue;
    }
    const uint8_t* outer = number == 0 ? end : cursor.levels[number - 1].limit;
    piece = stage_piece(view, stage_of(view, number), at, outer, level);
    at = piece.begin;
    if (piece.begin == piece.end) {  // nothing is left of the outer piece
      if (at == end) return {end, end};
      number = 0;
      continue;
    }
    level.limit = piece.end;
    if (++number < count) cursor.levels[number] = Level{};
  }
  return piece;
}

#ifdef VT_BLOCKS
// Whether a hand-tuned matcher finds the pieces, 64 bytes at a time.
inline bool by_blocks(const View& view) { return view.split_known_count != 0 && classifiers.ascii != nullptr; }
#endif

// The same piece, found as fast as this machine can.
VT_HD Piece next_piece(const View& view, const uint8_t* at, const uint8_t* end, Cursor& cursor) {
#ifdef VT_BLOCKS
  if (cursor.starts == 0 && by_blocks(view)) {
    cursor.block = at;
    cursor.starts = piece_starts(view, at, end).pieces;
  }
  if (cursor.starts != 0) {
    const uint8_t* next = cursor.block + lowest(cursor.starts);
    cursor.starts &= cursor.starts - 1;
    return {at, next};
  }
#endif
  return next_piece_by_stages(view, at, end, cursor);
}

}  // namespace vt
