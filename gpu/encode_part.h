// What a thread makes of a part of a text: its ids, with the functions that the CPU engine uses.
#pragma once

#include "encode_piece.h"
#include "literals.h"
#include "next_piece.h"
#include "normal_parts.h"

namespace vt {

// Room for the symbols of a run; longer ones are left to the CPU.
struct ThreadWork {
  uint32_t token[few], start[few], stop[few];
  Symbols symbols{token, start, stop};
  static constexpr uint32_t capacity = few;

  VT_HD bool grow() { return false; }
  template <bool places>
  VT_HD uint32_t merge_many(const View&, uint32_t count) {
    return count;  // never called: a run has room for `few` symbols
  }
};

// Where the bytes of a stretch came from: each from its own place in the text, or as the room behind the texts says.
struct Origins {
  const uint8_t* base;     // the beginning of the text, or of the room
  const uint32_t* starts;  // of the room's bytes; null: the stretch is the text's own
  const uint32_t* stops;
};

// Takes the tokens of a part, and their places in the text if these are asked for.
template <bool with_places>
struct PartSink {
  static constexpr bool places = with_places;
  uint32_t* ids;
  uint32_t* starts;
  uint32_t* stops;
  Origins origins;
  uint32_t count;
  uint32_t piece;  // where the present piece begins, counted from `origins.base`

  VT_HD void begin_piece(const uint8_t* at) { piece = static_cast<uint32_t>(at - origins.base); }

  VT_HD void put(uint32_t token, uint32_t start, uint32_t stop) {
    if (with_places) {
      start += piece;
      stop += piece;
      if (origins.starts != nullptr) {
        uint32_t first = origins.starts[start], last = origins.stops[start];
        for (uint32_t k = start + 1; k < stop; ++k) {
          if (origins.starts[k] < first) first = origins.starts[k];
          if (origins.stops[k] > last) last = origins.stops[k];
        }
        start = first;
        stop = last;
      }
    }
    put_at(token, start, stop);
  }

  // A token, and its place in the text.
  VT_HD void put_at(uint32_t token, uint32_t start, uint32_t stop) {
    ids[count] = token;
    if (with_places) {
      starts[count] = start;
      stops[count] = stop;
    }
    ++count;
  }
};

// Encodes a part of the text that begins at `text`. False: it is for the CPU.
template <class Sink>
VT_HD bool encode_part(const View& view, Segments segments, const uint8_t* readable, ThreadWork& work, Sink& sink) {
  for (Part part; segments.next(part);) {
    if (part.id >= 0) {
      sink.put_at(static_cast<uint32_t>(part.id), static_cast<uint32_t>(part.begin - segments.text),
                  static_cast<uint32_t>(part.end - segments.text));
      continue;
    }
    Parts inner(normalized_literals(view), part.begin, part.end);
    for (Part stretch; inner.next(stretch);) {
      if (stretch.id >= 0) {
        sink.begin_piece(stretch.begin);
        sink.put(static_cast<uint32_t>(stretch.id), 0, static_cast<uint32_t>(stretch.end - stretch.begin));
        continue;
      }
      Cursor cursor{};
      for (const uint8_t* at = stretch.begin; at < stretch.end;) {
        const Piece piece = next_piece(view, at, stretch.end, cursor);
        if (piece.begin == piece.end) break;
        sink.begin_piece(piece.begin);
        const uint32_t size = static_cast<uint32_t>(piece.end - piece.begin);
        if (!encode_piece(view, piece.begin, size, readable, work, sink)) return false;
        at = piece.end;
      }
    }
  }
  return true;
}

}  // namespace vt
