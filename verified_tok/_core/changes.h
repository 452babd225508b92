// What a pre-tokenizer does besides cutting (`native/changes.py`): pieces get a space or a mark in front, spaces become
// marks, bytes become the characters that spell them. What comes of it is cut again, and changed again.
#pragma once

#include <cstring>
#include <vector>

#include "image.h"
#include "next_piece.h"
#include "origins.h"
#include "stage_output.h"

namespace vt {

// Every piece of a text, in order.
template <class Take>
void each_piece(const View& view, const uint8_t* begin, const uint8_t* end, Take take) {
  Cursor cursor{};
  for (const uint8_t* at = begin; at < end;) {
    const Piece piece = next_piece(view, at, end, cursor);
    if (piece.begin < piece.end) take(piece);
    at = piece.end;
  }
}

// What a stretch of text stands behind.
enum class Start {
  text,     // nothing: the whole text begins with its segment
  segment,  // an added token
  middle,   // other text, from which it goes on
};

// Changes texts. It holds the last one's: each thread needs its own.
class Changes {
 public:
  explicit Changes(const View& v) : letters_(v.letters), steps_(v.change_steps_count / step_size) {
    const uint32_t* row = v.change_steps;
    for (Step& step : steps_) {
      look_into(step.cuts, v.change_images + row[0], v.change_images + row[0]);
      step.whole = stage_count(step.cuts) == 0;
      step.mark = {v.change_text + row[1], row[2]};
      step.prefix = {v.change_text + row[3], row[4]};
      step.first_only = row[5] != 0;
      step.spells = row[6] != 0;
      step.starts = row[7] != 0;
      row += step_size;
    }
  }

  // Whether there is nothing to change.
  bool idle() const { return steps_.empty(); }

  // Whether a text must know its origins for what begins where the whole text begins to be told. `normalized`: it may
  // not be the text itself.
  bool ask_for_origins(bool normalized) const {
    for (size_t s = 0; s < steps_.size(); ++s) {
      if (steps_[s].first_only && (normalized || s > 0)) return true;
    }
    return false;
  }

  // Calls `take(changed, begin, end)` with what becomes of the stretch of `text` from `begin` to `end`, all of which is
  // to be cut. `origins`: the text knows where it came from, and what becomes of it will.
  template <class Take>
  void each(const Normal& text, const uint8_t* begin, const uint8_t* end, Start start, bool origins, Take take) {
    run(0, text, begin, end, start, origins, take);
  }

 private:
  static constexpr size_t step_size = 8;

  struct Slice {
    const uint8_t* data;
    uint32_t size;
  };

  struct Step {
    View cuts{};
    bool whole = false;  // there is nothing to cut
    Slice mark{}, prefix{};
    bool first_only = false, spells = false, starts = false;
    std::vector<Run> runs;  // of a piece
    StageOutput out;
  };

  template <class Take>
  void run(size_t number, const Normal& text, const uint8_t* begin, const uint8_t* end, Start start, bool origins,
           Take& take) {
    if (number == steps_.size()) return take(text, begin, end);
    Step& step = steps_[number];
    Sources sources(text);
    const auto change = [&](const Piece& piece) {
      Normal part{piece.begin, piece.end, nullptr, 0};
      const uint32_t at = static_cast<uint32_t>(piece.begin - text.begin), stop = static_cast<uint32_t>(piece.end - text.begin);
      const bool first = start == Start::text && (origins ? sources.hull(at, at + 1).start == 0 : at == 0);
      if (origins) {
        step.runs.clear();
        sources.copy(at, stop, 0, step.runs);
        part.runs = step.runs.data();
        part.run_count = step.runs.size();
      }
      step.out.begin(part, origins);
      if (step.spells) {
        spell(part, step.out);
      } else {
        const bool goes_on = step.starts && start == Start::middle;
        mark(step, part, !goes_on && (first || !step.first_only), step.out);
      }
      const Normal changed = step.out.finish();
      run(number + 1, changed, changed.begin, changed.end, start, origins, take);
    };
    if (step.whole) {
      if (begin < end) change({begin, end});
    } else {
      each_piece(step.cuts, begin, end, change);
    }
  }

  static bool begins_with(const Normal& text, Slice what) {
    return text.size() >= what.size && std::memcmp(text.begin, what.data, what.size) == 0;
  }

  static void mark(const Step& step, const Normal& text, bool prefixed, StageOutput& out) {
    const bool marks = step.mark.size != 1 || *step.mark.data != ' ';
    const bool begun = begins_with(text, step.prefix) || (marks && *text.begin == ' ');
    if (prefixed && step.prefix.size != 0 && !begun) {
      out.replace(0, 0);
      out.add(step.prefix.data, step.prefix.size, 0, 0);
    }
    if (!marks) return;
    if (!out.origins()) return out.replace_bytes(' ', step.mark.data, step.mark.size);
    const uint8_t* at = text.begin;
    while ((at = static_cast<const uint8_t*>(std::memchr(at, ' ', static_cast<size_t>(text.end - at)))) != nullptr) {
      const uint32_t place = static_cast<uint32_t>(at++ - text.begin);
      out.replace(place, place + 1);
      out.add(step.mark.data, step.mark.size, place, place + 1);
    }
  }

  void spell(const Normal& text, StageOutput& out) const {
    for (uint32_t place = 0; place < text.size(); ++place) {
      const uint16_t letter = letters_[text.begin[place]];
      if (letter < 0x80) continue;  // it is the byte itself
      const uint8_t bytes[2] = {static_cast<uint8_t>(letter), static_cast<uint8_t>(letter >> 8)};
      out.replace(place, place + 1);
      out.add(bytes, 2, place, place + 1);
    }
  }

  const uint16_t* letters_;
  std::vector<Step> steps_;
};

}  // namespace vt
