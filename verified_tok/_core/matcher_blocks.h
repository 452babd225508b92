// Hand-tuned matchers for well-known patterns: where the pieces of 64 bytes begin, without a loop over them.
//
// The first byte of a block begins a piece. What begins the others is read off sets of bytes: the runs of letters,
// digits, white space and others, and what stands beside them. Where a piece begins may depend on what comes after
// the bytes that are known, but only within the last run; those beginnings are left for the next block. That the places
// are the pattern's, and that a block may be looked at alone, is proved for GPT-2 and Llama 3
// (lean/VerifiedTok/Thm/Starts).
#pragma once

#include "block.h"

#ifdef VT_BLOCKS

namespace vt {

// The patterns; `known_patterns.py` selects them, and describes what their sections hold.
enum KnownPattern : uint32_t {
  known_none,
  known_gpt2,
  known_llama3,
  known_o200k,
  known_deepseek_v3,
  known_cl100k,
  known_tekken,
  known_kimi,
  known_mark  // before each of a character's, as `Metaspace` cuts
};

// The classes of a block that all patterns have; each pattern fills them in its way.
struct Runs {
  Bits letter, number, blank, other;
  Bits starts() const { return run_starts(letter) | run_starts(number) | run_starts(blank) | run_starts(other); }
};

inline Runs runs_of(const Block& block, Bits letter, Bits number) {
  const Bits blank = block.ascii.blank & block.known;
  letter &= block.known;
  number &= block.known;
  return {letter, number, blank, block.known & ~(letter | number | blank)};
}

// Drops the beginnings that more text could change: those within the last run, if they are not `certain`. Adds the
// end of the text.
inline Bits settled(const Block& block, Bits starts, Bits run_firsts, Bits certain) {
  if (block.last) return (starts | (block.known + 1)) & ~Bits{1};
  return starts & (below(highest(run_firsts) + 1) | certain) & ~Bits{1};
}

// Every third digit of each run, from the first on.
inline Bits threes(Bits digits) {
  const Bits goes_on = digits & digits << 1 & digits << 2;
  Bits found = run_starts(digits);
  for (Bits next = found; next != 0;) {
    next = next << 3 & goes_on;
    found |= next;
  }
  return found;
}

// The size of the contraction whose apostrophe is at `place`; 0 if there is none, `contraction_unknown` if that
// depends on more text. `fold`: 0x20 to ignore the case of letters.
constexpr uint32_t contraction_unknown = 64;

inline uint32_t contraction_size(const Block& block, const uint8_t* at, uint32_t place, uint8_t fold = 0x20) {
  const auto is_known = [&block](uint32_t where) { return where < block_size && (block.known & bit(where)) != 0; };
  if (!is_known(place + 1)) return block.last ? 0 : contraction_unknown;
  const int first = at[place + 1] | fold;
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  if (first != 'r' && first != 'v' && first != 'l') return 0;
  if (!is_known(place + 2)) return block.last ? 0 : contraction_unknown;
  return (at[place + 2] | fold) == (first == 'l' ? 'l' : 'e') ? 3 : 0;
}

// White space, where a line feed or carriage return ends a piece: `\s*[\r\n]+|\s+(?!\S)|\s+`, behind a pattern
// that may take some of them (`taken`). A piece begins with the run, behind its last line feed, and with its last
// character if that is no line feed and text follows in `before`.
inline Bits blank_starts(const Block& block, Bits blank, Bits taken, Bits before) {
  const Bits rest = blank & ~taken;
  const Bits newline = block.ascii.newline & block.known;
  const Bits plain = rest & ~newline;
  const Bits plain_starts = run_starts(plain);
  Bits tails = plain_starts & newline << 1;
  for (Bits ends = behind_runs(plain_starts, plain) & newline; ends != 0; ends &= ends - 1) {
    tails &= ~bit(highest(plain_starts & below(lowest(ends))));
  }
  return run_starts(rest) | tails | (plain & before >> 1);
}

// GPT-2: 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
inline Bits gpt2_starts(const Block& block, const uint8_t* at) {
  const Runs runs = runs_of(block, block.ascii.letter | block.wide[kind_letter], block.ascii.digit | block.wide[kind_number]);
  const Bits text = runs.letter | runs.number | runs.other;
  const Bits run_firsts = runs.starts();
  const Bits behind_space = block.ascii.space << 1;
  Bits starts = (run_firsts & text & ~behind_space) | (run_firsts & runs.blank) | (runs.blank & text >> 1);
  Bits apostrophes = block.ascii.apostrophe & run_starts(runs.other) & ~behind_space & runs.letter >> 1;
  for (; apostrophes != 0; apostrophes &= apostrophes - 1) {
    const uint32_t place = lowest(apostrophes);
    const uint32_t size = contraction_size(block, at, place, 0);
    if (size == contraction_unknown) {
      starts &= below(place + 1);
      break;
    }
    if (size != 0) starts = (starts & ~bit(place + 1)) | bit(place) << size;
  }
  return settled(block, starts, run_firsts, 0);
}

// What Llama 3, o200k and DeepSeek V3 have in common: `?[^\s…]+[\r\n]*` for other characters, and white space behind
// that, as in `blank_starts`.
struct Others {
  Bits firsts;  // of the runs that begin a piece: a space in front of a run is part of its piece
  Bits taken;   // line feeds that belong to the pieces of others
};

inline Others others_of(const Block& block, const Runs& runs) {
  const Bits newline = block.ascii.newline & block.known;
  return {run_starts(runs.other) & ~(block.ascii.space << 1), runs_from(runs.other << 1, newline)};
}

// Letters behind these belong to the piece before them: `[^\r\n\p{L}\p{N}]?` takes one character, which is white
// space or the whole run of others.
inline Bits joined_letters(const Block& block, const Runs& runs, const Others& others) {
  return behind_chars(others.firsts, block.ascii.continuation) | (runs.blank & ~block.ascii.newline) << 1;
}

// Llama 3, cl100k, Qwen: (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}
//                        | ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
// Qwen has \p{N} in place of \p{N}{1,3}, later ones [\p{L}\p{M}] in place of \p{L}. tiktoken's cl100k has \s+$ in front
// of \s*[\r\n]+, so white space at the end of the text is one piece (`end_whole`).
inline Bits llama3_starts(const Block& block, const uint8_t* at, bool digits_in_threes, bool end_whole) {
  const Runs runs = runs_of(block, block.ascii.letter | block.wide[kind_letter], block.ascii.digit);
  const Others others = others_of(block, runs);
  const Bits text = runs.letter | runs.number | runs.other;
  Bits starts = (run_starts(runs.letter) & ~joined_letters(block, runs, others)) | others.firsts |
                (digits_in_threes ? threes(runs.number) : runs.number) |
                blank_starts(block, runs.blank, others.taken, text);
  Bits apostrophes = block.ascii.apostrophe & others.firsts & runs.letter >> 1;
  for (; apostrophes != 0; apostrophes &= apostrophes - 1) {
    const uint32_t place = lowest(apostrophes);
    const uint32_t size = contraction_size(block, at, place);  // unknown: what begins behind it is not settled yet
    if (size != 0 && size != contraction_unknown) starts |= bit(place) << size;
  }
  if (end_whole && block.last) {
    const Bits rest = runs.blank & ~others.taken;
    if (rest & ~(block.known >> 1)) starts &= below(highest(run_starts(rest)) + 1);
  }
  return settled(block, starts, runs.starts(), runs.number);
}

// o200k: [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//        |[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//        |\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
// A run of letters is cut in front of each upper-case letter behind a lower-case one. Letters that count as both
// (Lm, Lo) do no harm unless an upper-case one follows: how far the piece goes is then left to the automaton.
// Tekken has \p{N} in place of \p{N}{1,3}, and no contractions. Kimi has \p{Han}+ in front and excludes these letters
// from all that follows, and [\r\n]* in place of [\r\n/]*.
inline Bits o200k_starts(Block& block, const uint8_t* at, KnownPattern pattern) {
  const Bits upper = block.ascii.upper | block.wide[kind_upper];
  const Bits both = block.wide[kind_both];
  const Bits slash = pattern == known_kimi ? 0 : block.ascii.slash;
  const Bits unclear = ((upper & both << 1) | (slash & block.ascii.newline << 1)) & block.known;
  if (unclear != 0) {
    block.known &= below(lowest(unclear));
    block.last = false;
    if (block.known == 0) return 0;
  }
  const Bits run = block.wide[kind_run] & block.known;
  Runs runs = runs_of(block, block.ascii.letter | upper | block.wide[kind_letter] | both, block.ascii.digit);
  runs.other &= ~run;
  const Others others = others_of(block, runs);
  const Bits text = runs.letter | runs.number | runs.other | run;
  const Bits lower = runs.letter & ~(upper | both);
  Bits starts = (run_starts(runs.letter) & ~joined_letters(block, runs, others)) | others.firsts |
                (pattern == known_tekken ? runs.number : threes(runs.number)) | run_starts(run) |
                blank_starts(block, runs.blank, others.taken, text) | (runs.letter & upper & lower << 1);
  // Contractions end pieces that begin with letters.
  Bits limit = ~Bits{0};
  uint32_t behind = 0;
  const Bits may_follow = block.last ? runs.letter >> 1 : ~((block.known & ~runs.letter) >> 1);
  Bits apostrophes = pattern == known_tekken ? 0 : block.ascii.apostrophe & runs.letter << 1 & may_follow;
  for (; apostrophes != 0; apostrophes &= apostrophes - 1) {
    const uint32_t place = lowest(apostrophes);
    if (place == behind) continue;  // it begins a piece, behind another contraction
    const uint32_t size = contraction_size(block, at, place);
    if (size == contraction_unknown) {
      limit = below(place);
      break;
    }
    if (size != 0) {
      starts = (starts & ~(below(size) << place)) | bit(place) << size;
      behind = place + size;
    }
  }
  return settled(block, starts & limit, runs.starts() | run_starts(run), runs.number);
}

// DeepSeek V3, all its stages: \p{N}{1,3}, then [一-龥ぁ-ヿ]+, then
//   [!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*
//   |\s*[\r\n]+|\s+(?!\S)|\s+
// What the first two stages cut out ends the text for the third one.
inline Bits deepseek_v3_starts(Block& block) {
  const Bits unclear = block.ascii.control & ~block.ascii.blank & block.known;
  if (unclear != 0) {
    block.known &= below(lowest(unclear));
    block.last = false;
    if (block.known == 0) return 0;
  }
  const Bits run = block.wide[kind_run] & block.known;
  Runs runs = runs_of(block, block.ascii.letter | block.wide[kind_letter], block.ascii.digit);
  runs.other &= ~run;
  const Others others = others_of(block, runs);
  const Bits latin = block.ascii.letter & block.known;
  const Bits joined = (others.firsts & ~block.ascii.wide) << 1 & latin & run_starts(runs.letter);
  Bits starts = (run_starts(runs.letter) & ~(joined | (runs.blank & ~block.ascii.newline) << 1)) |
                (behind_runs(joined, latin) & runs.letter) | others.firsts | threes(runs.number) | run_starts(run) |
                blank_starts(block, runs.blank, others.taken, runs.letter | runs.other);
  return settled(block, starts, runs.starts() | run_starts(run), runs.number);
}

// The beginnings of pieces in a block, by the pattern of the image.
inline Bits known_starts(const View& view, Block& block, const uint8_t* at) {
  if (block.known == 0) return 0;
  const auto pattern = static_cast<KnownPattern>(view.split_known[known_matcher]);
  switch (pattern) {
    case known_gpt2:
      return gpt2_starts(block, at);
    case known_llama3:
      return llama3_starts(block, at, view.split_known[known_digits] == 3, false);
    case known_cl100k:
      return llama3_starts(block, at, true, true);
    case known_o200k:
    case known_tekken:
    case known_kimi:
      return o200k_starts(block, at, pattern);
    case known_deepseek_v3:
      return deepseek_v3_starts(block);
    default:
      return 0;
  }
}

// The first bytes of pieces in a block, and of its characters beyond ASCII.
struct Starts {
  Bits pieces;
  Bits wide;
};

inline Bits bytes_equal(const uint8_t* at, uint8_t byte) {
  const __m128i wanted = _mm_set1_epi8(static_cast<char>(byte));
  Bits found = 0;
  for (uint32_t part = 0; part < block_size; part += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + part));
    found |= static_cast<Bits>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted))) << part;
  }
  return found;
}

// The places where the character of the image begins, but for the block's first byte, and the end of the text.
inline Bits mark_starts(const View& view, const uint8_t* at, const uint8_t* end) {
  const uint64_t left = static_cast<uint64_t>(end - at);
  uint8_t copy[block_size];
  if (left < block_size) {
    std::memset(copy, 0, block_size);
    std::memcpy(copy, at, left);
    at = copy;
  }
  const uint32_t mark = view.split_known[known_digits];  // its bytes, the first one the lowest
  Bits found = ~Bits{1};
  for (uint32_t k = 0; k < 4 && (k == 0 || mark >> 8 * k != 0); ++k) {
    found &= bytes_equal(at, static_cast<uint8_t>(mark >> 8 * k)) >> k;
  }
  return left < block_size ? found | bit(static_cast<uint32_t>(left)) : found;
}

// The places in the block at `at` where pieces begin that are settled, the end of the text being one of them; the
// block's first byte, which begins a piece too, is not. None: it takes the automaton.
inline Starts piece_starts(const View& view, const uint8_t* at, const uint8_t* end) {
  if (view.split_known[known_matcher] == known_mark) return {mark_starts(view, at, end), 0};
  Block block = block_at(view, at, end);
  return {known_starts(view, block, at), block.ascii.wide & ~block.ascii.continuation};
}

}  // namespace vt

#endif
