// The parts of a text, as the model sees them: added tokens, and stretches of normalized text between them
// (`reference.pipeline.segments`).
#pragma once

#include "engine.h"
#include "image.h"
#include "literals.h"
#include "normalizer.h"

namespace vt {

// Calls `pieces(normal, begin, end, at)` for every stretch of ordinary text of a text, where `normal` is the segment
// that holds it and `at` where that segment begins in the text; and `token(part, normal, at)` for every added token.
// `inside`: the text goes on from other text. The segments know their origins if `origins` says so.
template <bool origins, class Pieces, class Token>
void each_part(const View& view, Text text, bool inside, Normalizer& normalizer, Pieces pieces, Token token) {
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
    const Normal normal =
        normalizer.idle() ? whole : normalizer.normalize(part.begin, part.end, goes_on, origins);
    if (behind.empty) {
      pieces(normal, normal.begin, normal.end, part.begin);
      continue;
    }
    Parts parts(behind, normal.begin, normal.end);
    for (Part inner; parts.next(inner);) {
      if (inner.id >= 0) {
        token(inner, normal, part.begin);
      } else {
        pieces(normal, inner.begin, inner.end, part.begin);
      }
    }
  }
}

}  // namespace vt
