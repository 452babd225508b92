// Appending by a window: the end of a session's text is encoded anew with what comes behind it, in the place of the whole
// text, and joined to the old tokens where the two encodings meet. `endless.h` says when this is right. Host only.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "endless.h"
#include "engine.h"
#include "session_state.h"

namespace vt {

// A window, in a copy that has one character before it and the new text behind it.
struct Window {
  uint64_t token;   // of the session's tokens, the one that it begins with
  uint64_t start;   // of the window, in the text
  uint64_t stop;    // of the window, and of the old text
  uint64_t margin;  // the size of the character before it
  std::vector<uint8_t> copy;

  const uint8_t* before() const { return copy.data(); }
  const uint8_t* begin() const { return copy.data() + margin; }
  const uint8_t* end() const { return begin() + (stop - start); }
  const uint8_t* new_end() const { return copy.data() + copy.size(); }
};

// About so many bytes of the end of a longer text, from the beginning of a token on, so that the two encodings are likely
// to meet soon. None if no token begins there between two characters.
inline std::optional<Window> window_at_end(const SessionState& old, uint64_t size, Text given) {
  const Places& tokens = old.places;
  const uint64_t stop = old.text.bytes();
  uint64_t token = tokens.before(stop - size);
  while (token < tokens.size() && (tokens[token].start == 0 || old.text.inside_char(tokens[token].start))) ++token;
  if (token == tokens.size()) return std::nullopt;
  const uint64_t start = tokens[token].start;
  if (stop - start < size / 2) return std::nullopt;
  const uint64_t beside = old.text.place_before(start);
  Window window{token, start, stop, start - beside, std::vector<uint8_t>((stop - beside) + given.size)};
  old.text.copy(beside, stop, window.copy.data());
  std::memcpy(window.copy.data() + (stop - beside), given.data, given.size);
  return window;
}

// Whether the text can be cut before the window by all stages but the pattern: the normalizer and the literals. The
// pattern is what has no seam there, and `settled_in` deals with it.
inline bool cut_but_for_pattern(const View& v, const View& seams, const Window& w) {
  return left_alone(v, w.before(), w.end()) && !is_held(seams, char_at(w.before()), char_at(w.begin()));
}

// Whether the piece that goes through the window ends at one place, whatever stood before the window; the segment ends at
// `literal`. One row that goes through settles it. More of them must be followed to their ends, over text that the
// normalizer leaves as it is, since the automaton reads what is normalized; and a literal in the window would end the
// segment where nothing is settled.
inline bool ends_settled(const View& v, const Settled& settled, const Window& w, uint64_t literal) {
  if (settled.through.size() <= 1 && settled.idle.empty()) return true;
  return literal >= w.stop && left_alone(v, w.begin(), w.new_end()) && ends_alike(v, settled, w.end(), w.begin() + (literal - w.start));
}

// Behind which of the fresh tokens the old ones are replaced: the first one that the old text has, too, at the same place.
// It lies behind the first `unsettled` bytes, where pieces that begin with the window may have made the tokens, and before
// the end of the old text and the first literal, and not near them, where what follows may change tokens.
inline std::optional<size_t> meeting(const SessionState& old, const Window& w, const Tokens& fresh, uint64_t unsettled) {
  constexpr uint64_t near = 16;  // more than the bytes of the last character, which the normalizer may join to what follows
  const uint64_t last = std::min(w.stop, fresh.literal);
  const Places& theirs = old.places;
  uint64_t k = w.token;
  for (size_t n = 0; n < fresh.places.size() && k < theirs.size();) {
    const Places::Place mine = fresh.places[n], other = theirs[k];
    if (uint64_t{mine.start} + mine.size + near > last) return std::nullopt;
    if (mine.start != other.start) {
      (other.start < mine.start ? k : n) += 1;
      continue;
    }
    const bool same = mine.size == other.size && fresh.ids.data()[n] == old.ids[k];
    if (same && mine.start >= w.start + unsettled) return n;
    ++k, ++n;
  }
  return std::nullopt;
}

}  // namespace vt
