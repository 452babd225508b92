// Normalizing on a GPU: parts of texts that the normalizer changes.
//
// Nearly all text is in its normal form already: a thread looks at its part, and leaves it where it is. Of any other
// part it writes a list in the room behind the texts: the part's added tokens, and its segments of ordinary text,
// normalized. How much room the list takes is measured first; an atomic addition hands it out.
//
// There are kernels for one Unicode normal form, and for what SentencePiece vocabularies have: a literal that is
// replaced, and text put before a segment that has nothing of the literal (`kernel_refusal` in encoder.py).
#pragma once

#include "form_chars.h"
#include "forms.h"
#include "literals.h"
#include "normalizer_stages.h"
#include "utf8.h"

namespace vt {

// An element of the list: an added token; ordinary text, whose `size` bytes follow, and what fills up the last
// multiple of `segment_unit`; or the end. `start` and `stop` say where in its text it stands.
struct NormalSegment {
  uint32_t id;
  uint32_t size;
  uint32_t start;
  uint32_t stop;
};
constexpr uint32_t segment_text = 0xFFFFFFFFu, segment_end = 0xFFFFFFFEu;  // in place of the ids of tokens
constexpr uint64_t segment_unit = sizeof(NormalSegment);

VT_HD uint64_t segment_room(uint64_t size) { return (size + segment_unit - 1) / segment_unit * segment_unit; }

constexpr uint64_t no_place = ~0ull;  // of a part that is left to the CPU

// The room behind the texts.
struct NormalRoom {
  uint8_t* data;        // of the texts
  uint64_t begin;       // where the room begins, a multiple of `segment_unit`
  uint64_t size;
  unsigned long long* used;  // how much of it was asked for
  uint32_t* starts;     // for every byte of the room where it came from in its text; null if nobody asks
  uint32_t* stops;
};

// The bytes of normalized text, in order: only counted, or written.
struct MeasuredText {
  uint64_t size = 0;

  VT_HD void put(const uint8_t*, uint32_t count, uint32_t, uint32_t) { size += count; }
};

struct WrittenText {
  uint8_t* to;
  uint32_t* starts;
  uint32_t* stops;

  // A character that came from the bytes from `start` up to `stop`: each of its bytes from its own if they are as
  // many, else from all.
  VT_HD void put(const uint8_t* bytes, uint32_t count, uint32_t start, uint32_t stop) {
    const bool each = stop - start == count;
    for (uint32_t k = 0; k < count; ++k) {
      *to++ = bytes[k];
      if (starts == nullptr) continue;
      *starts++ = each ? start + k : start;
      *stops++ = each ? start + k + 1 : stop;
    }
  }
};

// Bytes that stay as they are. `place`: where they stand in their text.
template <class Text>
VT_HD void keep_text(const uint8_t* begin, const uint8_t* end, uint32_t place, Text& text) {
  const uint32_t size = static_cast<uint32_t>(end - begin);
  text.put(begin, size, place, place + size);
}

// --- a normal form ----------------------------------------------------------------------------------------

constexpr uint32_t stretch_room = 32;  // characters of a stretch that a thread has room for, all decomposed

// The normal form of the characters from `begin` up to `end`. False: there are too many.
template <class Text>
VT_HD bool normalize_stretch(const Forms& f, const uint8_t* begin, const uint8_t* end, uint32_t place, Text& text) {
  FormChar chars[stretch_room];
  uint32_t count = 0;
  for (const uint8_t* at = begin; at < end;) {
    const uint32_t size = char_size(*at), start = place + static_cast<uint32_t>(at - begin);
    decompose_char(f, char_at(at), start, start + size, [&](const FormChar& part) {
      if (count < stretch_room) chars[count] = part;
      ++count;
    });
    if (count > stretch_room) return false;
    at += size;
  }
  // Each run of marks in the order of their ranks, equals as they stood.
  for (uint32_t k = 1; k < count; ++k) {
    const FormChar mark = chars[k];
    uint32_t to = k;
    for (; mark.rank != 0 && to > 0 && chars[to - 1].rank > mark.rank; --to) chars[to] = chars[to - 1];
    chars[to] = mark;
  }
  count = compose_chars(f, chars, count);
  for (uint32_t k = 0; k < count; ++k) {
    uint8_t bytes[4];
    text.put(bytes, put_char(bytes, chars[k].c), chars[k].start, chars[k].stop);
  }
  return true;
}

template <class Text>
VT_HD bool normalize_form(const Forms& f, const uint8_t* begin, const uint8_t* end, uint32_t place, Text& text) {
  const auto place_of = [&](const uint8_t* at) { return place + static_cast<uint32_t>(at - begin); };
  const uint8_t* done = begin;
  for (const uint8_t* at; (at = first_unstable(f, done, end)) < end; done = next_inert(f, at, end)) {
    keep_text(done, at, place_of(done), text);
    if (!normalize_stretch(f, at, next_inert(f, at, end), place_of(at), text)) return false;
  }
  keep_text(done, end, place_of(done), text);
  return true;
}

// --- literals ---------------------------------------------------------------------------------------------

// What SentencePiece vocabularies do to a segment.
struct LiteralStages {
  const uint8_t* prefix;  // put before a segment
  uint32_t prefix_size;
  const uint8_t* pattern;  // that is replaced; of size 0 if nothing is
  uint32_t pattern_size;
  const uint8_t* content;
  uint32_t content_size;
};

VT_HD LiteralStages literal_stages(const View& v) {
  LiteralStages stages{nullptr, 0, nullptr, 0, nullptr, 0};
  for (uint64_t at = 0; at < v.normalizer_stages_count; at += stage_size) {
    const uint32_t* stage = v.normalizer_stages + at;
    if (stage[0] == stage_prepend) {
      stages.prefix = v.normalizer_text + stage[1];
      stages.prefix_size = stage[2];
    } else {
      stages.pattern = v.normalizer_text + stage[1];
      stages.pattern_size = stage[2];
      stages.content = v.normalizer_text + stage[3];
      stages.content_size = stage[4];
    }
  }
  return stages;
}

// The first place from `at` on where the pattern stands, or `end`.
VT_HD const uint8_t* next_pattern(const LiteralStages& stages, const uint8_t* at, const uint8_t* end) {
  const uint32_t size = stages.pattern_size;
  for (; size != 0 && static_cast<uint64_t>(end - at) >= size; ++at) {
    if (*at == *stages.pattern && same_bytes(at, stages.pattern, size)) return at;
  }
  return end;
}

template <class Text>
VT_HD void replace_literals(const LiteralStages& stages, const uint8_t* begin, const uint8_t* end, bool goes_on,
                            uint32_t place, Text& text) {
  if (!goes_on) text.put(stages.prefix, stages.prefix_size, place, place);
  for (const uint8_t* done = begin; done < end;) {
    const uint8_t* at = next_pattern(stages, done, end);
    const uint32_t start = place + static_cast<uint32_t>(at - begin);
    keep_text(done, at, start - static_cast<uint32_t>(at - done), text);
    if (at == end) return;
    for (uint32_t k = 0, size; k < stages.content_size; k += size) {
      size = char_size(stages.content[k]);
      text.put(stages.content + k, size, start, start + stages.pattern_size);
    }
    done = at + stages.pattern_size;
  }
}

// --- parts ------------------------------------------------------------------------------------------------

VT_HD bool makes_form(const View& v) { return v.normalizer_stages[0] == stage_form; }

// Whether the normalizer may change something in a part. `inside`: its text goes on from before.
VT_HD bool may_change(const View& v, const uint8_t* begin, const uint8_t* end, bool inside) {
  if (makes_form(v)) return first_unstable(forms_of(v), begin, end) < end;  // true for a segment, so for the whole
  const LiteralStages stages = literal_stages(v);
  if (stages.prefix_size != 0) {
    if (!inside) return true;
    Parts raw(raw_literals(v), begin, end);  // behind an added token a segment begins
    for (Part part; raw.next(part);) {
      if (part.id < 0 && part.begin != begin) return true;
    }
  }
  return next_pattern(stages, begin, end) < end;
}

template <class Text>
VT_HD bool normalize_segment(const View& v, const Part& part, bool goes_on, uint32_t place, Text& text) {
  if (makes_form(v)) return normalize_form(forms_of(v), part.begin, part.end, place, text);
  replace_literals(literal_stages(v), part.begin, part.end, goes_on, place, text);
  return true;
}

// Where a thread is to find a part that stands from `begin` up to `end` in the text that begins at `text`: there,
// or in the room.
VT_HD uint64_t normalize_part(const View& v, uint64_t text, uint64_t begin, uint64_t end, const NormalRoom& room) {
  const uint8_t* data = room.data;
  const bool inside = begin != text;
  if (!may_change(v, data + begin, data + end, inside)) return begin;
  const auto place_of = [&](const uint8_t* at) { return static_cast<uint32_t>(at - (data + text)); };
  const auto goes_on = [&](const Part& part) { return inside && part.begin == data + begin; };
  uint64_t size = segment_unit;
  Parts measured(raw_literals(v), data + begin, data + end);
  for (Part part; measured.next(part);) {
    MeasuredText normal;
    if (part.id < 0 && !normalize_segment(v, part, goes_on(part), 0, normal)) return no_place;
    size += segment_unit + segment_room(normal.size);
  }
  const uint64_t offset = atomicAdd(room.used, static_cast<unsigned long long>(size));
  if (offset + size > room.size) return no_place;
  uint64_t at = offset;
  Parts written(raw_literals(v), data + begin, data + end);
  for (Part part; written.next(part);) {
    NormalSegment* segment = reinterpret_cast<NormalSegment*>(room.data + room.begin + at);
    at += segment_unit;
    uint64_t count = 0;
    if (part.id < 0) {
      uint8_t* to = room.data + room.begin + at;
      const bool placed = room.starts != nullptr;
      WrittenText normal{to, placed ? room.starts + at : nullptr, placed ? room.stops + at : nullptr};
      normalize_segment(v, part, goes_on(part), place_of(part.begin), normal);
      count = static_cast<uint64_t>(normal.to - to);
    }
    const uint32_t id = part.id < 0 ? segment_text : static_cast<uint32_t>(part.id);
    *segment = {id, static_cast<uint32_t>(count), place_of(part.begin), place_of(part.end)};
    at += segment_room(count);
  }
  *reinterpret_cast<NormalSegment*>(room.data + room.begin + at) = {segment_end, 0, 0, 0};
  return room.begin + offset;
}

// The added tokens and the segments of ordinary text of a part, in order: cut out of the text itself, or read from
// the list that stands for it.
struct Segments {
  Parts raw;
  const uint8_t* list;  // null: there is none
  const uint8_t* text;  // where the text begins

  VT_HD bool next(Part& part) {
    if (list == nullptr) return raw.next(part);
    const NormalSegment segment = *reinterpret_cast<const NormalSegment*>(list);
    if (segment.id == segment_end) return false;
    list += segment_unit;
    if (segment.id == segment_text) {
      part = {list, list + segment.size, -1, nullptr, nullptr};
    } else {
      part = {text + segment.start, text + segment.stop, segment.id, nullptr, nullptr};
    }
    list += segment_room(segment.size);
    return true;
  }
};

}  // namespace vt
