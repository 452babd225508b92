// The stages of a normalizer, as `normalizer.py` writes them.
#pragma once

#include <cstdint>

namespace vt {

// A stage stands in `normalizer_stages` as its kind and four arguments, of which unused ones are 0.
enum StageKind : uint32_t {
  stage_form = 1,     // to the normal form that the tables are of
  stage_replace = 2,  // the place and size of the pattern in `normalizer_text`, the place and size of the content
  stage_prepend = 3,  // the place and size of the text
  stage_strip = 4,    // whether on the left, on the right
  stage_matches = 5,  // the place of the pattern's image in `normalizer_images`, 0, the place and size of the content
};

constexpr uint32_t stage_size = 5;

}  // namespace vt
