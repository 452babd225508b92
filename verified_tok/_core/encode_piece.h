// From one piece of text to its tokens.
//
// A piece that is an entry is one token. Of any other long one the tokens are searched for. If that fails, and with short
// ones at once (measured: merging these few symbols reads less of the tables), it becomes symbols, is cut where no rule
// joins two neighbouring symbols (no merge crosses such a place: `NoJoin` in lean/VerifiedTok/Spec/Boundary.lean), and
// each run between cuts is an entry, or is merged.
#pragma once

#include "search_piece.h"

namespace vt {

// Who calls brings two things:
// - `sink.put(token, start, stop)` takes the tokens in order, with the span of bytes of the piece that each covers;
//   `Sink::places` says whether it looks at the spans.
// - `work.symbols` has room for `work.capacity` symbols of one run; `work.grow()` makes more room or says no;
//   `work.merge_many(view, count)` merges more than `few`.

// The tokens of a run that `work` remembers, or null. Work that remembers nothing needs no function of its own.
template <class Work>
VT_HD const uint32_t* recall(Work&, const uint8_t*, uint32_t, const uint8_t*, uint32_t&) {
  return nullptr;
}

// Gives the tokens of a run to remember.
template <class Work>
VT_HD void remember(Work&, const uint8_t*, uint32_t, const uint8_t*, const uint32_t*, uint32_t) {}

// Puts the tokens of a run of more than `few` symbols, from the byte `first` up to `stop` of a piece, if it finds them.
template <class Work, class Sink>
VT_HD bool search_run(Work&, const View&, const uint8_t*, uint32_t, uint32_t, const uint8_t*, Sink&) {
  return false;
}

template <class Work, class Sink>
struct PieceRun {
  const View& view;
  const uint8_t* piece;
  const uint8_t* limit;  // of readable memory
  uint32_t size;         // of the piece
  Work& work;
  Sink& sink;
  uint32_t count = 0;    // symbols in the run
  uint32_t first = 0;    // where the run begins in the piece
  bool plain = true;     // the symbols so far are those of all the bytes in their order

  // The tokens of the run, which ends before the byte `stop`.
  VT_HD void end(uint32_t stop) {
    const Symbols& s = work.symbols;
    if (count == 1) {
      sink.put(s.token[0], Sink::places ? s.start[0] : 0, Sink::places ? s.stop[0] : 0);
    } else if (count > 1) {
      if (plain && stop - first < size) {
        const Entry entry = entry_of(view, piece + first, stop - first, limit);
        if (entry.token != no_token && !entry.only_whole) {
          sink.put(entry.token, first, stop);
          count = 0;
          return;
        }
      }
      uint32_t known = 0;
      const bool by_bytes = plain && !Sink::places;  // its bytes are all that counts
      const uint32_t* tokens = by_bytes ? recall(work, piece + first, stop - first, limit, known) : nullptr;
      if (tokens != nullptr) {
        for (uint32_t i = 0; i < known; ++i) sink.put(tokens[i], 0, 0);
        count = 0;
        return;
      }
      if (plain && count > few && search_run(work, view, piece, first, stop, limit, sink)) {
        count = 0;
        return;
      }
      const uint32_t left = count <= few ? merge_few<Sink::places>(view, s, count)
                                         : work.template merge_many<Sink::places>(view, count);
      if (by_bytes) remember(work, piece + first, stop - first, limit, s.token, left);
      for (uint32_t i = 0; i < left; ++i) {
        sink.put(s.token[i], Sink::places ? s.start[i] : 0, Sink::places ? s.stop[i] : 0);
      }
    }
    count = 0;
  }

  // The next symbol. False: there is no room for it.
  VT_HD bool add(uint32_t token, uint32_t start, uint32_t stop) {
    if (count > 0 && !may_join(view, work.symbols.token[count - 1], token)) end(start);
    if (count == 0) first = start;
    if (count == work.capacity && !work.grow()) return false;
    work.symbols.token[count] = token;
    if (Sink::places) {
      work.symbols.start[count] = start;
      work.symbols.stop[count] = stop;
    }
    ++count;
    return true;
  }
};

// The tokens of a piece that is no entry. False: it has a run that there is no room for, and some of its tokens may
// be in the sink.
template <class Work, class Sink>
VT_HD bool encode_runs(const View& v, const uint8_t* piece, uint32_t size, const uint8_t* limit, Work& work,
                       Sink& sink) {
  const bool of_chars = v.model_options[model_of_chars] != 0;
  const uint32_t unknown = v.model_options[model_unknown];
  const bool fuses = v.model_options[model_fuses_unknown] != 0;
  PieceRun<Work, Sink> run{v, piece, limit, size, work, sink};
  bool waits = false;  // an unknown character waits for the next one, which it may be one token with
  uint32_t wait_start = 0, wait_stop = 0;
  for (uint32_t at = 0; at < size;) {
    uint32_t length = 1;
    uint32_t token;
    if (of_chars) {
      length = char_size(piece[at]);
      token = char_token(v, char_at(piece + at));
    } else {
      token = v.byte_symbols[piece[at]];
    }
    if (token != no_token) {
      if (waits && !run.add(unknown, wait_start, wait_stop)) return false;
      waits = false;
      if (!run.add(token, at, at + length)) return false;
      at += length;
      continue;
    }
    bool falls_back = v.fallback_symbols_count != 0;
    for (uint32_t k = 0; falls_back && k < length; ++k) falls_back = v.fallback_symbols[piece[at + k]] != no_token;
    if (falls_back) {  // these do not wait behind an unknown character
      for (uint32_t k = 0; k < length; ++k) {
        if (!run.add(v.fallback_symbols[piece[at + k]], at + k, at + k + 1)) return false;
      }
    } else {
      run.plain = false;
      if (unknown != no_token) {
        if (waits && fuses) {
          wait_stop = at + length;
        } else {
          if (waits && !run.add(unknown, wait_start, wait_stop)) return false;
          waits = true;
          wait_start = at;
          wait_stop = at + length;
        }
      }
    }
    at += length;
  }
  if (waits && !run.add(unknown, wait_start, wait_stop)) return false;
  run.end(size);
  return true;
}

// The tokens of a piece. `limit`: how far memory may be read. False: see `encode_runs`.
template <class Work, class Sink>
VT_HD bool encode_piece(const View& v, const uint8_t* piece, uint32_t size, const uint8_t* limit, Work& work,
                        Sink& sink) {
  const Entry entry = entry_of(v, piece, size, limit);
  if (entry.token != no_token) {
    sink.put(entry.token, 0, size);
    return true;
  }
  return (size > short_limit && search_piece(v, piece, size, limit, sink)) ||
         encode_runs(v, piece, size, limit, work, sink);
}

}  // namespace vt
