// The best match of a pattern by trying, for the few patterns that no automaton takes (`code.py`).
#pragma once

#include <cstdint>

#include "classes.h"
#include "stages.h"
#include "utf8.h"

namespace vt {

// As many choices as one attempt can have open: `patterns.py` refuses patterns with more.
constexpr uint32_t choice_limit = 256;

enum class Op : uint32_t { match, one, run, test, fork, jump, mark, cut, refuse, fail };

struct Instruction {
  Op op;
  uint32_t argument;
};

// Where to go on when the present attempt fails: at `at`, and after that one character earlier each time, as far
// as `least`. A run of a class is one choice however long it is, so that the stack is as deep as the pattern.
struct Choice {
  uint32_t place;
  const uint8_t* at;
  const uint8_t* least;
};

template <bool spelled>
VT_HD const uint8_t* program_match(const View& view, const Stage& stage, const uint8_t* at, const uint8_t* end) {
  const Instruction* code = reinterpret_cast<const Instruction*>(view.split_code + stage.table);
  Choice choices[choice_limit];
  uint32_t open = 0;
  uint32_t place = 0;
  for (;;) {
    const Instruction item = code[place++];
    const uint8_t* members = view.split_sets + item.argument;
    bool failed = false;
    switch (item.op) {
      case Op::match:
        return at;
      case Op::one: {
        failed = true;
        if (at < end) {
          const ClassAt symbol = symbol_at<spelled>(view, at);
          failed = !members[symbol.number];
          at += symbol.bytes;
        }
        break;
      }
      case Op::run: {
        const uint8_t* least = at;
        const uint8_t* last = at;
        while (at < end) {
          const ClassAt symbol = symbol_at<spelled>(view, at);
          if (!members[symbol.number]) break;
          last = at;
          at += symbol.bytes;
        }
        if (least < at) choices[open++] = {place, last, least};
        break;
      }
      case Op::test:
        failed = !members[at < end ? symbol_at<spelled>(view, at).number : stage.end];
        break;
      case Op::fork:
      case Op::mark:
        choices[open++] = {item.argument, at, at};
        break;
      case Op::jump:
        place = item.argument;
        break;
      case Op::cut:
      case Op::refuse:
        do --open;
        while (choices[open].place != item.argument);
        failed = item.op == Op::refuse;
        break;
      case Op::fail:
        failed = true;
        break;
    }
    if (!failed) continue;
    if (open == 0) return nullptr;
    Choice& choice = choices[open - 1];
    place = choice.place;
    at = choice.at;
    if (choice.at == choice.least) {
      --open;
    } else {
      choice.at -= spelled ? 1 : char_size_before(choice.at);
    }
  }
}

}  // namespace vt
