// Text in which pieces have no end: a million letters, spaces or signs in a row. No seam is near, so what is appended
// would be encoded with all of it. But a window of its end is enough, if
// - wherever pieces begin before the window, one of them goes through it, and where that one ends is decided behind the
//   window alone: this is what `settled_in` and `ends_alike` find out about the automaton;
// - encoding the window and what is new (as text that goes on from other text) comes to a token that the old text has at
//   the same place: what stands before it there may be followed by what stands behind it here (`encodePiece_splice`,
//   lean/VerifiedTok/Thm/Canonical.lean).
// Host only.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "classes.h"
#include "forms.h"
#include "model.h"
#include "normalizer_stages.h"
#include "seams.h"
#include "stages.h"

namespace vt {

// How many bytes a window has. A piece of so many is no entry.
inline uint64_t window_size(const View& v) { return 2048 + 2 * uint64_t{v.model_options[model_longest]}; }

// In which rows an automaton may be behind a window, whatever text stood before and wherever in it matches were tried.
struct Settled {
  uint64_t bytes = 0;             // behind so many of the window, one piece goes through it
  std::vector<uint32_t> through;  // one of these rows, if the piece is a match: each symbol was noticed to follow one
  std::vector<uint32_t> idle;     // runs from earlier places that have found nothing for long, but may find something yet
};

// How an automaton behaves on texts of some symbols only.
class Settling {
 public:
  Settling(const View& v, const Stage& stage, std::vector<uint32_t> symbols)
      : moves_(v.split_moves + stage.table), count_(stage.end + 1), start_(stage.start), symbols_(std::move(symbols)),
        may_gap_(stage.regions == 0), may_match_(stage.behaviour == isolated) {}

  // None if windows of these symbols do not tell.
  //
  // Say that of all places up to the first symbol from which a match was tried, the last is p. The run from there comes to
  // a row of `through` within a few symbols, and its match goes through the window. Or it fails, or comes to an idle row
  // and is as good as failed if nothing comes of it in the end. Then the next place is behind the first symbol (it is no
  // place up to it, p being the last), and the run from there does not fail: it comes to a row of `through`, too. Or else
  // no match begins with one of the symbols at all, and it is a gap that goes through the window.
  std::optional<Settled> find() const {
    for (uint32_t symbol = 0; symbol < count_; ++symbol) {
      if (matched(start_, symbol)) return std::nullopt;
    }
    Settled found;
    const bool gap = std::all_of(symbols_.begin(), symbols_.end(), [&](uint32_t c) { return behind(start_, c) == dead_; });
    if (gap ? !may_gap_ : !may_match_) return std::nullopt;
    uint32_t begun = 0, before = 0;
    std::vector<uint32_t> rows{start_};
    if (!gap && (!settle(rows, false, begun, found) || !found.idle.empty())) return std::nullopt;
    rows = reached();
    if (!settle(rows, true, before, found) || (gap && !found.through.empty())) return std::nullopt;
    found.bytes = 4 * (uint64_t{begun} + before);  // characters have no more bytes
    return found;
  }

 private:
  static constexpr uint32_t dead_ = 0;
  static constexpr uint32_t most_ = 16;  // steps; real patterns need up to 4

  uint32_t behind(uint32_t row, uint32_t symbol) const { return moves_[row + symbol] >> 1; }
  bool matched(uint32_t row, uint32_t symbol) const { return (moves_[row + symbol] & 1) != 0; }

  // All rows that the automaton comes to by any text.
  std::vector<uint32_t> reached() const {
    std::vector<uint32_t> rows{start_};
    std::vector<bool> seen;
    for (size_t k = 0; k < rows.size(); ++k) {
      for (uint32_t symbol = 0; symbol + 1 < count_; ++symbol) {
        const uint32_t row = behind(rows[k], symbol), number = row / count_;
        if (number >= seen.size()) seen.resize(2 * number + 1);
        if (row != dead_ && !seen[number]) rows.push_back(row);
        seen[number] = true;
      }
    }
    return rows;
  }

  // Adds the rows that runs from some rows come to and do not leave, and says within how many symbols. False: some come
  // to no such row, or fail although they may not.
  bool settle(std::vector<uint32_t> rows, bool may_fail, uint32_t& steps, Settled& found) const {
    for (steps = 0; steps <= most_; ++steps) {
      std::vector<uint32_t> next;
      for (uint32_t row : rows) {
        if (stays(row)) {
          add(matched(row, symbols_[0]) ? found.through : found.idle, row);
          continue;
        }
        for (uint32_t symbol : symbols_) {
          const uint32_t to = behind(row, symbol);
          if (to == dead_ && !may_fail) return false;
          if (to != dead_) add(next, to);
        }
      }
      if (next.empty()) return true;
      rows = std::move(next);
    }
    return false;
  }

  // Whether no symbol leads out of a row, and each is noticed to follow a match, or none is, nor is the end of the text.
  bool stays(uint32_t row) const {
    const bool first = matched(row, symbols_[0]);
    return (first || !matched(row, count_ - 1)) && std::all_of(symbols_.begin(), symbols_.end(), [&](uint32_t symbol) {
             return behind(row, symbol) == row && matched(row, symbol) == first;
           });
  }

  static void add(std::vector<uint32_t>& rows, uint32_t row) {
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  }

  const uint32_t* moves_;
  uint32_t count_;  // symbols, with the end of the text
  uint32_t start_;
  std::vector<uint32_t> symbols_;  // of the texts
  bool may_gap_, may_match_;       // whether a gap, or a match, that goes through a window is all of a piece there
};

// What is sure about the pieces of texts that have a window from `begin` to `end`. None if nothing is.
inline std::optional<Settled> settled_in(const View& v, const uint8_t* begin, const uint8_t* end) {
  if (stage_count(v) == 0) return Settled{};  // all is one piece
  const Stage& stage = stage_of(v, 0);
  if (stage_count(v) > 1 || stage.program != 0 || stage.spelled != 0) return std::nullopt;
  std::vector<uint32_t> symbols;
  for (const uint8_t* at = begin; at < end;) {
    const ClassAt symbol = class_at(v, at);
    if (std::find(symbols.begin(), symbols.end(), symbol.number) == symbols.end()) symbols.push_back(symbol.number);
    at += symbol.bytes;
  }
  return Settling(v, stage, std::move(symbols)).find();
}

// Whether the text behind the window, from `at` to `end`, where its segment ends, leaves no doubt: in whatever row the
// window was left, the match that goes through it ends at one place, and nothing comes of the idle ones.
inline bool ends_alike(const View& v, const Settled& settled, const uint8_t* at, const uint8_t* end) {
  struct Run {
    uint32_t row;
    const uint8_t* best;
  };
  std::vector<Run> runs;
  for (uint32_t row : settled.through) runs.push_back({row, nullptr});
  for (uint32_t row : settled.idle) runs.push_back({row, nullptr});
  if (runs.empty()) return true;
  const Stage& stage = stage_of(v, 0);
  for (bool live = true; live;) {
    const ClassAt symbol = at < end ? class_at(v, at) : ClassAt{stage.end, 0};
    live = false;
    for (Run& run : runs) {
      const uint32_t move = v.split_moves[stage.table + run.row + symbol.number];  // a dead row stays dead
      if ((move & 1) != 0) run.best = at;
      run.row = move >> 1;
      live = live || run.row != 0;
    }
    live = live && at < end;
    at += symbol.bytes;
  }
  const size_t through = settled.through.size();
  for (size_t k = 0; k < runs.size(); ++k) {
    if (runs[k].best != (k < through ? runs[0].best : nullptr)) return false;
  }
  return true;
}

// Whether the normalizer leaves these characters as they are, but for the last one, and a text may be normalized in two
// parts before each of them but the first.
inline bool left_alone(const View& v, const uint8_t* begin, const uint8_t* end) {
  for (uint64_t k = 0; k < v.normalizer_stages_count; k += stage_size) {
    const uint32_t* stage = v.normalizer_stages + k;
    if (stage[0] == stage_form) {
      const Forms forms = forms_of(v);
      for (const uint8_t* at = begin; (at = inert_until(forms, at, end)) < end; at += char_size(*at)) {
        if (forms.quick[form_index(forms, char_at(at))] != 0) return false;  // it is not inert
      }
    } else if (stage[0] == stage_replace) {
      const uint8_t* pattern = v.normalizer_text + stage[1];
      for (uint32_t n = 0; n < stage[2]; ++n) {
        if (std::find(begin, end, pattern[n]) != end) return false;
      }
    } else if (stage[0] != stage_prepend) {  // which acts where a segment begins
      return false;
    }
  }
  return true;
}

// Whether windows may be looked for: nothing but merges makes tokens of pieces, each of the symbols of its bytes, and
// added tokens leave the text beside them alone.
inline bool has_windows(const View& v) {
  if (v.change_steps_count != 0 || v.raw_flags_count != 0 || v.normalized_flags_count != 0) return false;
  if (v.model_options[model_exact_lengths] == 0) return false;
  const bool of_chars = v.model_options[model_of_chars] != 0;
  const uint32_t* symbols = of_chars ? v.fallback_symbols : v.byte_symbols;
  if (of_chars && v.fallback_symbols_count == 0) return false;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    const bool in_texts = byte < 0xF5 && byte != 0xC0 && byte != 0xC1;
    if (in_texts && symbols[byte] == no_token) return false;
  }
  return true;
}

}  // namespace vt
