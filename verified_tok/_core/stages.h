// The stages of a pre-tokenizer, as `patterns.py` writes them.
#pragma once

#include <cstdint>

#include "host_device.h"
#include "image.h"

namespace vt {

constexpr uint32_t stage_limit = 8;

enum Behaviour : uint32_t { removed, isolated, merged_with_previous, merged_with_next, contiguous };

struct Stage {
  uint32_t behaviour;
  uint32_t invert;   // matches and gaps change places
  uint32_t program;  // matched by instructions instead of an automaton
  uint32_t end;      // the symbol for the end of the text, the number behind the last class
  uint32_t table;    // where the automaton's rows or the instructions begin
  uint32_t start;    // the row of the automaton's first state
  uint32_t starts;   // where the flags of the bytes with which a match can begin lie
  uint32_t regions;  // where the numbers of the classes lie at whose change a gap ends, plus one; 0: it does not
  uint32_t spelled;  // it looks at bytes, each as the character that is written for it
};

struct Match {
  const uint8_t* begin;
  const uint8_t* end;
};

VT_HD uint32_t stage_count(const View& view) { return static_cast<uint32_t>(view.split_stages_count * 4 / sizeof(Stage)); }

VT_HD const Stage& stage_of(const View& view, uint32_t number) {
  return reinterpret_cast<const Stage*>(view.split_stages)[number];
}

}  // namespace vt
