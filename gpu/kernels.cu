// Encoding on a GPU: texts are cut at seams, every thread encodes the part between two of them with the functions
// that the CPU engine uses, and the ids move together.
//
// The kernels have no barriers. What a thread writes, no other thread of the launch reads, but for one atomic sum.
#include "encode_part.h"
#include "normal_parts.h"
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

// Where a part ends: where the next one begins, or its text ends.
VT_HD uint64_t part_end(const Texts& texts, const uint64_t* starts, uint64_t parts, uint64_t part, uint64_t text) {
  const uint64_t end = texts.bounds[text + 1];
  return part + 1 < parts && starts[part + 1] < end ? starts[part + 1] : end;
}

// Where the threads find the parts: in the texts, or in the room behind them.
struct Placed {
  const uint64_t* places;  // of the parts
  const uint8_t* room;
  const uint32_t* room_starts;  // see `NormalRoom`
  const uint32_t* room_stops;
  const uint8_t* readable;  // the end of the room
};

// Encodes a part of the texts; answers with its number of ids, or `one_left`.
template <bool with_places>
VT_HD uint64_t encode_one(const View& view, const Texts& texts, const uint64_t* starts, const uint64_t* texts_of,
                          uint64_t parts, uint64_t longest, const Placed& placed, uint32_t* ids,
                          uint32_t* token_starts, uint32_t* token_stops, uint64_t part) {
  const uint64_t text = texts_of[part], begin = starts[part], end = part_end(texts, starts, parts, part, text);
  const uint64_t place = placed.places[part];
  // Patterns that only back-tracking matches are for the CPU.
  if (place == no_place || end - begin > longest || view.split_code_count != 0) return one_left;
  ThreadWork work;
  const uint8_t* data = texts.data;
  const uint8_t* own = data + texts.bounds[text];
  const bool listed = place != begin;
  // Every token has at least a byte of the part, or an element of its list, so there is room for them in its place.
  PartSink<with_places> sink{ids + place,
                             with_places ? token_starts + place : nullptr,
                             with_places ? token_stops + place : nullptr,
                             Origins{listed ? placed.room : own, listed ? placed.room_starts : nullptr, placed.room_stops},
                             0,
                             0};
  const Segments segments{Parts(raw_literals(view), data + begin, data + end), listed ? data + place : nullptr, own};
  return encode_part(view, segments, placed.readable, work, sink) ? sink.count : one_left;
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
  if (number == 0) {
    totals->parts = vt::sum_before(ends, request->blocks);
    totals->normalized = 0;
  }
  if (number >= request->blocks) return;
  const uint64_t begin = number * block, end = begin + block < size ? begin + block : size;
  uint64_t at = vt::sum_before(ends, number);
  vt::each_part_start(*view, vt::Texts{data, bounds, request->texts}, begin, end, [&](uint64_t start, uint64_t text) {
    starts[at] = start;
    texts_of[at] = text;
    ++at;
  });
}

// Where the threads are to find every part: where it stands in its text or, if the normalizer changes it, in the room
// of `size` bytes that begins `room` bytes behind the texts' beginning.
__global__ void normalize_parts(const vt::View* view, const vt::Request* request, uint8_t* data,
                                const uint64_t* bounds, const uint64_t* starts, const uint64_t* texts_of,
                                vt::Totals* totals, uint64_t longest, uint64_t room, uint64_t size,
                                uint32_t* room_starts, uint32_t* room_stops, uint64_t* places) {
  const uint64_t number = vt::thread_number(), parts = totals->parts;
  if (number >= parts) return;
  const uint64_t text = texts_of[number], start = starts[number];
  const uint64_t end = vt::part_end(vt::Texts{data, bounds, request->texts}, starts, parts, number, text);
  const vt::NormalRoom normal{data, room, size, &totals->normalized, room_starts, room_stops};
  places[number] = end - start > longest ? vt::no_place : vt::normalize_part(*view, bounds[text], start, end, normal);
}

// The ids of every part, at the place where the part is found. `readable` bytes may be read.
__global__ void encode_parts(const vt::View* view, const vt::Request* request, const uint8_t* data,
                             const uint64_t* bounds, const uint64_t* starts, const uint64_t* texts_of,
                             const vt::Totals* totals, uint64_t longest, uint64_t readable, const uint64_t* places,
                             uint64_t* counts, uint32_t* ids) {
  const uint64_t number = vt::thread_number();
  if (number >= totals->parts) return;
  const vt::Placed placed{places, nullptr, nullptr, nullptr, data + readable};
  counts[number] = vt::encode_one<false>(*view, vt::Texts{data, bounds, request->texts}, starts, texts_of,
                                         totals->parts, longest, placed, ids, nullptr, nullptr, number);
}

// The same, with the place of every token in its text.
__global__ void encode_parts_placed(const vt::View* view, const vt::Request* request, const uint8_t* data,
                                    const uint64_t* bounds, const uint64_t* starts, const uint64_t* texts_of,
                                    const vt::Totals* totals, uint64_t longest, uint64_t readable,
                                    const uint64_t* places, uint64_t room, const uint32_t* room_starts,
                                    const uint32_t* room_stops, uint64_t* counts, uint32_t* ids,
                                    uint32_t* token_starts, uint32_t* token_stops) {
  const uint64_t number = vt::thread_number();
  if (number >= totals->parts) return;
  const vt::Placed placed{places, data + room, room_starts, room_stops, data + readable};
  counts[number] = vt::encode_one<true>(*view, vt::Texts{data, bounds, request->texts}, starts, texts_of,
                                        totals->parts, longest, placed, ids, token_starts, token_stops, number);
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
__global__ void gather_parts(const vt::Request* request, const uint64_t* places, const uint64_t* texts_of,
                             const vt::Totals* totals, const uint64_t* ends, const uint32_t* values, uint32_t* out) {
  const uint64_t part = vt::thread_number() / 32, lane = vt::thread_number() % 32;
  if (part >= totals->parts) return;
  const uint64_t first = vt::ids_in(vt::sum_before(ends, part)), count = vt::ids_in(ends[part]) - first;
  const uint64_t place = first + vt::place_of_text(*request, texts_of[part]);
  for (uint64_t k = lane; k < count; k += 32) out[place + k] = values[places[part] + k];
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
