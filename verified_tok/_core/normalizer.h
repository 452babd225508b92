// The normalizer: what happens to a segment of text before it is cut into pieces (`reference.normalizer`).
#pragma once

#include <cstring>
#include <vector>

#include "form_stretch.h"
#include "forms.h"
#include "image.h"
#include "literals.h"
#include "next_piece.h"
#include "normalizer_stages.h"
#include "origins.h"
#include "stage_output.h"
#include "utf8.h"

namespace vt {

// Normalizes segments. It holds the last one's text: each thread needs its own.
class Normalizer {
 public:
  explicit Normalizer(const View& v)
      : stages_(v.normalizer_stages), stage_text_(v.normalizer_text), kind_block_(v.kind_block),
        kind_(v.kind), forms_(forms_of(v)), stretch_(forms_), outputs_(v.normalizer_stages_count / stage_size),
        patterns_(outputs_.size()) {
    for (size_t s = 0; s < patterns_.size(); ++s) {
      const uint32_t* stage = stages_ + s * stage_size;
      if (stage[0] != stage_matches) continue;
      const uint8_t* image = v.normalizer_images + stage[1];
      look_into(patterns_[s], image, image);
    }
  }

  // Whether it leaves every text as it is.
  bool idle() const { return outputs_.empty(); }

  // A segment after all stages; valid until the next call, and as long as the segment. A segment and its normal
  // text must have fewer than 2^32 bytes. `inside` says that the segment goes on from other text: nothing is put
  // before it. The normal text knows its origins if `origins` asks for them.
  Normal normalize(const uint8_t* begin, const uint8_t* end, bool inside, bool origins) {
    Normal text{begin, end, nullptr, 0};
    const uint32_t* stage = stages_;
    for (StageOutput& out : outputs_) {
      if (text.begin == text.end) break;
      out.begin(text, origins);
      text = run(stage, text, inside, out);
      stage += stage_size;
    }
    return text;
  }

 private:
  struct Slice {
    const uint8_t* data;
    uint32_t size;
  };

  Normal run(const uint32_t* stage, const Normal& text, bool inside, StageOutput& out) {
    const auto slice = [&](int at) { return Slice{stage_text_ + stage[at], stage[at + 1]}; };
    switch (stage[0]) {
      case stage_form:
        form(text, out);
        break;
      case stage_replace:
        replace(text, slice(1), slice(3), out);
        break;
      case stage_prepend:
        if (inside) break;
        out.replace(0, 0);
        out.add(slice(1).data, slice(1).size, 0, 0);
        break;
      case stage_matches:
        replace_matches(text, patterns_[static_cast<size_t>(stage - stages_) / stage_size], slice(3), out);
        break;
      case stage_strip:
        return strip(text, stage[1] != 0, stage[2] != 0, out);
    }
    return out.finish();
  }

  static uint32_t place(const Normal& text, const uint8_t* at) { return static_cast<uint32_t>(at - text.begin); }

  void form(const Normal& text, StageOutput& out) {
    const uint8_t* at = text.begin;
    while ((at = first_unstable(forms_, at, text.end)) < text.end) {
      const uint8_t* stop = next_inert(forms_, at, text.end);
      stretch_.normalize(text.begin, place(text, at), place(text, stop), out);
      at = stop;
    }
  }

  static void replace(const Normal& text, Slice pattern, Slice content, StageOutput& out) {
    if (pattern.size == 1 && content.size <= 4 && !out.origins()) {
      return out.replace_bytes(*pattern.data, content.data, content.size);
    }
    const uint8_t* at = text.begin;
    while (static_cast<size_t>(text.end - at) >= pattern.size) {
      const size_t places = static_cast<size_t>(text.end - at) - pattern.size + 1;
      at = static_cast<const uint8_t*>(std::memchr(at, pattern.data[0], places));
      if (at == nullptr) break;
      if (std::memcmp(at, pattern.data, pattern.size) != 0) {
        ++at;
        continue;
      }
      const uint32_t start = place(text, at), stop = start + pattern.size;
      out.replace(start, stop);
      out.add_chars(content.data, content.size, start, stop);
      at += pattern.size;
    }
  }

  static void replace_matches(const Normal& text, const View& pattern, Slice content, StageOutput& out) {
    Level level{};
    for (const uint8_t* at = text.begin; at < text.end;) {
      const Segment segment = next_segment(pattern, stage_of(pattern, 0), at, text.end, level);
      if (segment.matched) {
        const uint32_t start = place(text, at), stop = place(text, segment.end);
        out.replace(start, stop);
        out.add_chars(content.data, content.size, start, stop);
      }
      at = segment.end;
    }
  }

  Normal strip(const Normal& text, bool left, bool right, StageOutput& out) const {
    const auto is_space = [&](uint32_t c) { return is_kind(kind_block_, kind_, c, kind_strip); };
    const uint8_t* begin = text.begin;
    const uint8_t* end = text.end;
    while (left && begin < end && is_space(char_at(begin))) begin += char_size(*begin);
    while (right && begin < end && is_space(char_before(end))) end -= char_size_before(end);
    if (begin == text.begin && end == text.end) return text;
    return out.part(place(text, begin), place(text, end));
  }

  const uint32_t* stages_;
  const uint8_t* stage_text_;
  const uint16_t* kind_block_;
  const uint8_t* kind_;
  Forms forms_;
  FormStretch stretch_;
  std::vector<StageOutput> outputs_;  // one a stage: the next may keep parts of it
  std::vector<View> patterns_;        // one a stage: of those that replace matches, how to find them
};

}  // namespace vt
