// The best match of a pattern by its automaton (`automaton.py`): one table look-up a character.
#pragma once

#include <cstdint>

#include "classes.h"
#include "stages.h"
#include "utf8.h"

namespace vt {

// A move of the automaton: the row of the next state, doubled, plus one if the text before the symbol matches.
// Row 0 is the dead state.
template <bool spelled>
VT_HD const uint8_t* dfa_match(const View& view, const Stage& stage, const uint8_t* at, const uint8_t* end) {
  const uint32_t* moves = view.split_moves + stage.table;
  const uint8_t* best = nullptr;
  uint32_t row = stage.start;
  while (at < end) {
    const ClassAt symbol = symbol_at<spelled>(view, at);
    const uint32_t move = moves[row + symbol.number];
    best = (move & 1) != 0 ? at : best;
    row = move >> 1;
    if (row == 0) return best;
    at += symbol.bytes;
  }
  return (moves[row + stage.end] & 1) != 0 ? at : best;
}

// The first place from `at` on at which a match begins; `end` if there is none.
//
// When the search fails at a place, the automaton is run from the next one, side by side with the run that
// failed: once both are in one state, this run has nothing to find either. So a pattern that reads far before
// it fails (`\s+$` in a long row of spaces) costs a step or two a place, not the whole row.
template <bool spelled>
VT_HD Match dfa_search(const View& view, const Stage& stage, const uint8_t* at, const uint8_t* end) {
  const uint32_t* moves = view.split_moves + stage.table;
  const uint8_t* starts = view.split_starts + stage.starts;
  uint32_t failed = 0;  // the state here of a run that finds nothing: at first, the dead one
  while (at < end) {
    if (!starts[*at]) {
      failed = 0;
      do ++at;
      while (at < end && ((!spelled && is_continuation(*at)) || !starts[*at]));
      continue;
    }
    const uint8_t* best = nullptr;
    uint32_t row = stage.start;
    uint32_t beside = failed;
    for (const uint8_t* next = at;;) {
      const ClassAt symbol = next < end ? symbol_at<spelled>(view, next) : ClassAt{stage.end, 0};
      const uint32_t move = moves[row + symbol.number];
      if (move & 1) best = next;
      row = move >> 1;
      beside = moves[beside + symbol.number] >> 1;
      if (next == at) failed = row;
      if (row == 0 || row == beside) break;
      next += symbol.bytes;
    }
    if (best != nullptr) return {at, best};
    at += symbol_size<spelled>(*at);
  }
  return {end, nullptr};
}

}  // namespace vt
