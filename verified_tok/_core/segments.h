// The parts of a text, as the model sees them: added tokens, and stretches of normalized text between them
// (`reference.pipeline.segments`).
#pragma once

#include "changes.h"
#include "engine.h"
#include "image.h"
#include "literals.h"
#include "normalizer.h"

namespace vt {

// Calls `pieces(normal, begin, end, at)` for every stretch of ordinary text of a text, where `normal` is the text that
// holds it and `at` where its segment begins in the text; and `token(part, normal, at)` for every added token.
// `inside`: the text goes on from other text. The segments know their origins if `origins` says so. Stretches are what
// `changes`, of which there may be none, make of them.
template <bool origins, class Pieces, class Token>
void each_part(const View& view, Text text, bool inside, Normalizer& normalizer, Changes* changes, Pieces pieces,
               Token token) {
  const bool changing = changes != nullptr && !changes->idle();
  check_size(text.size);
  const Literals behind = normalized_literals(view);
  Parts raw(raw_literals(view), text.data, text.end());
  for (Part part; raw.next(part);) {
    const Normal whole{part.begin, part.end, nullptr, 0};
    if (part.id >= 0) {
      token(part, whole, part.begin);
      continue;
    }
    const bool goes_on = inside && part.begin == text.data;
    const bool first = !inside && part.begin == text.data;
    const bool traced = origins || (changing && first && changes->ask_for_origins(!normalizer.idle()));
    const Normal normal =
        normalizer.idle() ? whole : normalizer.normalize(part.begin, part.end, goes_on, traced);
    const auto stretch = [&](const uint8_t* begin, const uint8_t* end) {
      if (!changing) return pieces(normal, begin, end, part.begin);
      const Start start = first ? Start::text : goes_on && begin == normal.begin ? Start::middle : Start::segment;
      const auto take = [&](const Normal& changed, const uint8_t* from, const uint8_t* to) {
        pieces(changed, from, to, part.begin);
      };
      changes->each(normal, begin, end, start, traced, take);
    };
    if (behind.empty) {
      stretch(normal.begin, normal.end);
      continue;
    }
    Parts parts(behind, normal.begin, normal.end);
    for (Part inner; parts.next(inner);) {
      if (inner.id >= 0) {
        token(inner, normal, part.begin);
      } else {
        stretch(inner.begin, inner.end);
      }
    }
  }
}

}  // namespace vt
