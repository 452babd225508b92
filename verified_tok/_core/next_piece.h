// Cutting a text into pieces: the stages of a pre-tokenizer, each of which cuts the pieces of the one before it.
#pragma once

#include <cstdint>

#include "host_device.h"
#include "image.h"
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
  const uint8_t* pending;  // where a match begins that is found but not yet given out
  const uint8_t* pending_end;
  bool behind_match;  // the last segment was a match: no empty match may follow it at once
};

// What `next_piece` remembers from piece to piece; all zero where a text begins.
struct Cursor {
  Level levels[stage_limit];
};

struct Segment {
  const uint8_t* end;
  bool matched;
};

// The match or gap that begins at `at`, before `end`.
VT_HD Segment next_segment(const View& view, const Stage& stage, const uint8_t* at, const uint8_t* end, Level& level) {
  if (level.pending == at) {
    level.pending = nullptr;
    level.behind_match = true;
    return {level.pending_end, true};
  }
  const uint8_t* here = stage.program ? program_match(view, stage, at, end) : dfa_match(view, stage, at, end);
  if (here != nullptr && !(here == at && level.behind_match)) {
    level.behind_match = true;
    return {here, true};
  }
  level.behind_match = false;
  Match match{nullptr, nullptr};
  const uint8_t* next = at + char_size(*at);
  if (stage.program) {
    for (; next < end && match.begin == nullptr; next += char_size(*next)) {
      match = {next, program_match(view, stage, next, end)};
      if (match.end == nullptr) match.begin = nullptr;
    }
  } else {
    match = dfa_search(view, stage, next, end);
  }
  if (match.begin == nullptr) return {end, false};
  level.pending = match.begin;
  level.pending_end = match.end;
  return {match.begin, false};
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
VT_HD Piece next_piece(const View& view, const uint8_t* at, const uint8_t* end, Cursor& cursor) {
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

}  // namespace vt
