// Encoding on a GPU: texts are cut at seams, every thread encodes the part between two of them with the functions
// that the CPU engine uses, and the ids move together.
//
// The kernels have no barriers and share no memory: what a thread writes, no other thread of the launch reads.
#include "encode_piece.h"
#include "forms.h"
#include "literals.h"
#include "next_piece.h"
#include "request.h"
#include "seams.h"

namespace vt {

VT_HD uint64_t thread_number() { return static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

// Calls `part(start, text)` for every part that begins in the bytes from `begin` up to `end`: at the beginnings of
// texts, and at the first seam of the text that goes on from before.
template <class Part>
VT_HD void each_part_start(const View& view, const Texts& texts, uint64_t begin, uint64_t end, Part part) {
  uint64_t text = first_from(texts.bounds, texts.count, begin);  // the first that begins here
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

// Encodes a part of the texts; answers with its number of ids, or `one_left`.
template <bool places>
VT_HD uint64_t encode_one(const View& view, const Texts& texts, const uint64_t* starts, const uint64_t* texts_of,
                          uint64_t parts, uint64_t longest, uint32_t* ids, uint32_t* token_starts,
                          uint32_t* token_stops, uint64_t part) {
  const uint64_t text = texts_of[part], begin = starts[part], end = part_end(texts, starts, parts, part, text);
  if (end - begin > longest || view.split_code_count != 0) return one_left;  // patterns that only back-tracking matches
  ThreadWork work;
  // Every token of a part has at least a byte of it, so the part's own place has room for them.
  PartSink<places> sink{ids + begin, places ? token_starts + begin : nullptr, places ? token_stops + begin : nullptr, 0, 0};
  const uint8_t* data = texts.data;
  const bool done = encode_part(view, data + texts.bounds[text], data + begin, data + end,
                                data + texts.bounds[texts.count], work, sink);
  return done ? sink.count : one_left;
}

}  // namespace vt

extern "C" {

// How many parts begin in each block of `block` bytes.
__global__ void count_parts(const vt::View* view, const vt::Request* request, const uint8_t* data,
                            const uint64_t* bounds, uint64_t block, uint64_t* counts) {
  const uint64_t number = vt::thread_number(), size = request->bytes;
  if (number >= request->blocks) return;
  const uint64_t begin = number * block, end = begin + block < size ? begin + block : size;
  uint64_t count = 0;
  vt::each_part_start(*view, vt::Texts{data, bounds, request->texts}, begin, end, [&](uint64_t, uint64_t) { ++count; });
  counts[number] = count;
}

// Where the parts begin and which texts they belong to, given how many parts begin up to the end of each block.
__global__ void place_parts(const vt::View* view, const vt::Request* request, const uint8_t* data,
                            const uint64_t* bounds, uint64_t block, const uint64_t* ends, uint64_t* starts,
                            uint64_t* texts_of, vt::Totals* totals) {
  const uint64_t number = vt::thread_number(), size = request->bytes;
  if (number == 0) totals->parts = vt::sum_before(ends, request->blocks);
  if (number >= request->blocks) return;
  const uint64_t begin = number * block, end = begin + block < size ? begin + block : size;
  uint64_t at = vt::sum_before(ends, number);
  vt::each_part_start(*view, vt::Texts{data, bounds, request->texts}, begin, end, [&](uint64_t start, uint64_t text) {
    starts[at] = start;
    texts_of[at] = text;
    ++at;
  });
}

// The ids of every part, at the part's own place.
__global__ void encode_parts(const vt::View* view, const vt::Request* request, const uint8_t* data,
                             const uint64_t* bounds, const uint64_t* starts, const uint64_t* texts_of,
                             const vt::Totals* totals, uint64_t longest, uint64_t* counts, uint32_t* ids) {
  const uint64_t number = vt::thread_number();
  if (number >= totals->parts) return;
  counts[number] = vt::encode_one<false>(*view, vt::Texts{data, bounds, request->texts}, starts, texts_of,
                                         totals->parts, longest, ids, nullptr, nullptr, number);
}

// The same, with the place of every token in its text.
__global__ void encode_parts_placed(const vt::View* view, const vt::Request* request, const uint8_t* data,
                                    const uint64_t* bounds, const uint64_t* starts, const uint64_t* texts_of,
                                    const vt::Totals* totals, uint64_t longest, uint64_t* counts, uint32_t* ids,
                                    uint32_t* token_starts, uint32_t* token_stops) {
  const uint64_t number = vt::thread_number();
  if (number >= totals->parts) return;
  counts[number] = vt::encode_one<true>(*view, vt::Texts{data, bounds, request->texts}, starts, texts_of,
                                        totals->parts, longest, ids, token_starts, token_stops, number);
}

// Sums of groups of numbers. Each of the numbers stands for `width` of the elements, of which there are `*count`.
__global__ void add_groups(const uint64_t* numbers, const uint64_t* count, uint64_t width, uint64_t* sums) {
  const uint64_t group = vt::thread_number(), size = vt::on_level(*count, width), begin = group * vt::sum_group;
  if (begin >= size) return;
  uint64_t sum = 0;
  for (uint64_t k = begin; k < begin + vt::sum_group && k < size; ++k) sum += numbers[k];
  sums[group] = sum;
}

// Makes running sums of numbers in their place, given those of their groups (if there are several).
__global__ void spread_sums(uint64_t* numbers, const uint64_t* count, uint64_t width, const uint64_t* sums) {
  const uint64_t group = vt::thread_number(), size = vt::on_level(*count, width), begin = group * vt::sum_group;
  if (begin >= size) return;
  uint64_t sum = vt::sum_before(sums, group);
  for (uint64_t k = begin; k < begin + vt::sum_group && k < size; ++k) numbers[k] = sum += numbers[k];
}

// Where each text's ids begin among all ids, and one place more: their number. Puts ids before and behind each text's;
// `around` holds those that go before, then those behind.
__global__ void place_texts(const vt::Request* request, const uint64_t* bounds, const uint64_t* starts,
                            const uint64_t* ends, const uint32_t* around, vt::Totals* totals, uint64_t* offsets,
                            uint32_t* ids) {
  const uint64_t text = vt::thread_number(), texts = request->texts, before = request->before, after = request->after;
  if (text > texts) return;
  const uint64_t parts = totals->parts, first = vt::first_from(starts, parts, bounds[text]);
  const uint64_t place = vt::ids_in(vt::sum_before(ends, first)) + text * (before + after);
  offsets[text] = place;
  for (uint64_t k = 0; text < texts && k < before; ++k) ids[place + k] = around[k];
  for (uint64_t k = 0; text > 0 && k < after; ++k) ids[place - after + k] = around[before + k];
  if (text < texts) return;
  totals->ids = place;
  totals->left = vt::left_in(vt::sum_before(ends, parts));
}

// Moves each part's values from its own place to behind those of the part before it: 32 threads a part.
__global__ void gather_parts(const vt::Request* request, const uint64_t* starts, const uint64_t* texts_of,
                             const vt::Totals* totals, const uint64_t* ends, const uint32_t* values, uint32_t* out) {
  const uint64_t part = vt::thread_number() / 32, lane = vt::thread_number() % 32;
  if (part >= totals->parts) return;
  const uint64_t first = vt::ids_in(vt::sum_before(ends, part)), count = vt::ids_in(ends[part]) - first;
  const uint64_t place = first + vt::place_of_text(*request, texts_of[part]);
  for (uint64_t k = lane; k < count; k += 32) out[place + k] = values[starts[part] + k];
}

// The parts that are left to the CPU, one behind the other.
__global__ void list_left(const vt::Request* request, const uint64_t* bounds, const uint64_t* starts,
                          const uint64_t* texts_of, const vt::Totals* totals, const uint64_t* ends,
                          vt::LeftPart* left) {
  const uint64_t part = vt::thread_number(), parts = totals->parts;
  if (part >= parts) return;
  const uint64_t before = vt::sum_before(ends, part), text = texts_of[part];
  if (vt::left_in(before) == vt::left_in(ends[part])) return;
  const vt::Texts texts{nullptr, bounds, request->texts};
  left[vt::left_in(before)] = {starts[part], vt::part_end(texts, starts, parts, part, text), text,
                               vt::ids_in(before) + vt::place_of_text(*request, text)};
}

}  // extern "C"
