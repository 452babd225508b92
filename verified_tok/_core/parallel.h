// One text on several threads: cut at seams, the parts encoded apart, their ids joined (`encode_chunks` in
// Thm/Session.lean). Host only.
#pragma once

#include <cstdint>
#include <vector>

#include "engine.h"

namespace vt {

// Where to cut a text into about `parts` parts of one size: at its seams, the ends included. A part has no seam in
// reach where it is left whole.
std::vector<uint64_t> cuts_near(const View& seams, const Chars& text, uint64_t parts);

// The ids of a text. May throw `LoneSurrogate`.
Ids encode_parallel(const Engine& engine, const View& seams, const Chars& text, uint32_t threads);

}  // namespace vt
