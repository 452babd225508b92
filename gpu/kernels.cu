// Encoding on a GPU: texts are cut at seams, every thread encodes the part between two of them with the functions
// that the CPU engine uses, and the ids move together.
//
// The kernels have no barriers and share no memory: what a thread writes, no other thread of the launch reads.
#include "encode_piece.h"
#include "forms.h"
#include "literals.h"
#include "next_piece.h"
#include "seams.h"

namespace vt {

// Texts that lie one behind the other: text k is `data[bounds[k]] … data[bounds[k + 1] - 1]`.
struct Texts {
  const uint8_t* data;
  const uint64_t* bounds;
  uint64_t count;
};

constexpr uint32_t undone = 0xFFFFFFFFu;  // the number of ids of a part that is left to the CPU

VT_HD uint64_t thread_number() { return static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

// The number of the first bound at or behind a place.
VT_HD uint64_t bound_at(const Texts& texts, uint64_t place) {
  uint64_t low = 0, high = texts.count;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (texts.bounds[middle] < place) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Calls `part(start, text)` for every part that begins in the bytes from `begin` up to `end`: at the beginnings of
// texts, and at the first seam of the text that goes on from before.
template <class Part>
VT_HD void each_part_start(const View& view, const Texts& texts, uint64_t begin, uint64_t end, Part part) {
  uint64_t text = bound_at(texts, begin);  // the first that begins here
  const uint64_t limit = text < texts.count && texts.bounds[text] < end ? texts.bounds[text] : end;
  if (text > 0) {
    const uint8_t* seam = first_seam(view, texts.data + begin, texts.data + limit);
    if (seam != nullptr) part(static_cast<uint64_t>(seam - texts.data), text - 1);
  }
  for (; text < texts.count && texts.bounds[text] < end; ++text) {
    if (texts.bounds[text] < texts.bounds[text + 1]) part(texts.bounds[text], text);
  }
}

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

// Takes the tokens of a part, and their places in the text if these are asked for.
template <bool with_places>
struct PartSink {
  static constexpr bool places = with_places;
  uint32_t* ids;
  uint32_t* starts;
  uint32_t* stops;
  uint32_t count;
  uint32_t piece;  // where the present piece begins in the text

  VT_HD void put(uint32_t token, uint32_t start, uint32_t stop) {
    ids[count] = token;
    if (with_places) {
      starts[count] = piece + start;
      stops[count] = piece + stop;
    }
    ++count;
  }
};

// Encodes a part of a text. False: it is for the CPU.
template <class Sink>
VT_HD bool encode_part(const View& view, const uint8_t* text, const uint8_t* begin, const uint8_t* end,
                       const uint8_t* readable, ThreadWork& work, Sink& sink) {
  const bool forms = view.normalizer_stages_count != 0;
  Parts raw(raw_literals(view), begin, end);
  for (Part part; raw.next(part);) {
    if (part.id >= 0) {
      sink.piece = static_cast<uint32_t>(part.begin - text);
      sink.put(static_cast<uint32_t>(part.id), 0, static_cast<uint32_t>(part.end - part.begin));
      continue;
    }
    if (forms && first_unstable(forms_of(view), part.begin, part.end) < part.end) return false;
    Parts inner(normalized_literals(view), part.begin, part.end);
    for (Part stretch; inner.next(stretch);) {
      sink.piece = static_cast<uint32_t>(stretch.begin - text);
      if (stretch.id >= 0) {
        sink.put(static_cast<uint32_t>(stretch.id), 0, static_cast<uint32_t>(stretch.end - stretch.begin));
        continue;
      }
      Cursor cursor{};
      for (const uint8_t* at = stretch.begin; at < stretch.end;) {
        const Piece piece = next_piece(view, at, stretch.end, cursor);
        if (piece.begin == piece.end) break;
        sink.piece = static_cast<uint32_t>(piece.begin - text);
        const uint32_t size = static_cast<uint32_t>(piece.end - piece.begin);
        if (!encode_piece(view, piece.begin, size, readable, work, sink)) return false;
        at = piece.end;
      }
    }
  }
  return true;
}

// Where a part ends: where the next one begins, or its text ends.
VT_HD uint64_t part_end(const Texts& texts, const uint64_t* starts, uint64_t parts, uint64_t part, uint64_t text) {
  const uint64_t end = texts.bounds[text + 1];
  return part + 1 < parts && starts[part + 1] < end ? starts[part + 1] : end;
}

template <bool places>
VT_HD void encode_one(const View& view, const Texts& texts, const uint64_t* starts, const uint64_t* texts_of,
                      uint64_t parts, uint64_t longest, uint32_t* ids, uint32_t* token_starts, uint32_t* token_stops,
                      uint32_t* counts, uint64_t part) {
  const uint64_t text = texts_of[part], begin = starts[part], end = part_end(texts, starts, parts, part, text);
  if (end - begin > longest || view.split_code_count != 0) {  // patterns that only back-tracking matches
    counts[part] = undone;
    return;
  }
  ThreadWork work;
  // Every token of a part has at least a byte of it, so the part's own place has room for them.
  PartSink<places> sink{ids + begin, places ? token_starts + begin : nullptr, places ? token_stops + begin : nullptr, 0, 0};
  const uint8_t* data = texts.data;
  const bool done = encode_part(view, data + texts.bounds[text], data + begin, data + end,
                                data + texts.bounds[texts.count], work, sink);
  counts[part] = done ? sink.count : undone;
}

}  // namespace vt

extern "C" {

// How many parts begin in each block of `block` bytes.
__global__ void count_parts(const vt::View* view, const uint8_t* data, const uint64_t* bounds, uint64_t texts,
                            uint64_t block, uint64_t blocks, uint64_t* counts) {
  const uint64_t number = vt::thread_number();
  if (number >= blocks) return;
  const uint64_t begin = number * block, size = bounds[texts], end = begin + block < size ? begin + block : size;
  uint64_t count = 0;
  vt::each_part_start(*view, vt::Texts{data, bounds, texts}, begin, end, [&](uint64_t, uint64_t) { ++count; });
  counts[number] = count;
}

// Where the parts begin and which texts they belong to, given how many parts begin up to the end of each block.
__global__ void place_parts(const vt::View* view, const uint8_t* data, const uint64_t* bounds, uint64_t texts,
                            uint64_t block, uint64_t blocks, const uint64_t* ends, uint64_t* starts,
                            uint64_t* texts_of) {
  const uint64_t number = vt::thread_number();
  if (number >= blocks) return;
  const uint64_t begin = number * block, size = bounds[texts], end = begin + block < size ? begin + block : size;
  uint64_t at = number == 0 ? 0 : ends[number - 1];
  vt::each_part_start(*view, vt::Texts{data, bounds, texts}, begin, end, [&](uint64_t start, uint64_t text) {
    starts[at] = start;
    texts_of[at] = text;
    ++at;
  });
}

// The ids of every part, at the part's own place; `parts` is read from memory, so that the CPU need not wait for it.
__global__ void encode_parts(const vt::View* view, const uint8_t* data, const uint64_t* bounds, uint64_t texts,
                             const uint64_t* starts, const uint64_t* texts_of, const uint64_t* parts,
                             uint64_t longest, uint32_t* ids, uint32_t* counts) {
  const uint64_t number = vt::thread_number();
  if (number >= *parts) return;
  vt::encode_one<false>(*view, vt::Texts{data, bounds, texts}, starts, texts_of, *parts, longest, ids, nullptr,
                        nullptr, counts, number);
}

// The same, with the place of every token in its text.
__global__ void encode_parts_placed(const vt::View* view, const uint8_t* data, const uint64_t* bounds, uint64_t texts,
                                    const uint64_t* starts, const uint64_t* texts_of, const uint64_t* parts,
                                    uint64_t longest, uint32_t* ids, uint32_t* token_starts, uint32_t* token_stops,
                                    uint32_t* counts) {
  const uint64_t number = vt::thread_number();
  if (number >= *parts) return;
  vt::encode_one<true>(*view, vt::Texts{data, bounds, texts}, starts, texts_of, *parts, longest, ids, token_starts,
                       token_stops, counts, number);
}

// Moves each part's values from its own place to behind those of the part before it: 32 threads a part. Parts that
// are left to the CPU keep their room.
__global__ void gather_parts(const uint32_t* values, const uint64_t* starts, const uint32_t* counts,
                             const uint64_t* ends, uint64_t parts, uint32_t* out) {
  const uint64_t number = vt::thread_number() / 32, lane = vt::thread_number() % 32;
  if (number >= parts || counts[number] == vt::undone) return;
  const uint64_t first = number == 0 ? 0 : ends[number - 1], count = ends[number] - first;
  for (uint64_t k = lane; k < count; k += 32) out[first + k] = values[starts[number] + k];
}

}  // extern "C"
