// What the kernels of one request share. They read it from memory, so that one graph of launches serves every
// request for which its buffers have room.
#pragma once

#include <cstdint>

#include "host_device.h"

namespace vt {

struct Request {
  uint64_t bytes;  // of all texts
  uint64_t texts;
  uint64_t blocks;         // of bytes, in each of which a part may begin
  uint64_t before, after;  // so many ids go before and behind those of every text
};

// What the kernels found.
struct Totals {
  uint64_t parts;
  uint64_t ids;   // without those of parts that are left to the CPU
  uint64_t left;  // parts that are left to the CPU
  unsigned long long normalized;  // bytes that were asked for in the room for normalized parts
};

// A part that is left to the CPU, and where its ids go among the others.
struct LeftPart {
  uint64_t begin, end, text, place;
};

// The number of ids of a part, or that it is left to the CPU: in one number, so that one running sum counts both.
// There are fewer than 2^24 parts.
constexpr uint64_t one_left = uint64_t{1} << 40;
VT_HD uint64_t ids_in(uint64_t counts) { return counts % one_left; }
VT_HD uint64_t left_in(uint64_t counts) { return counts / one_left; }

// How many ids that go around texts stand before the first one of a text's own.
VT_HD uint64_t place_of_text(const Request& request, uint64_t text) {
  return text * (request.before + request.after) + request.before;
}

// Texts that lie one behind the other: text k is `data[bounds[k]] … data[bounds[k + 1] - 1]`.
struct Texts {
  const uint8_t* data;
  const uint64_t* bounds;
  uint64_t count;
};

// The number of the first of some ascending numbers that is not below another; `count` if there is none.
VT_HD uint64_t first_from(const uint64_t* numbers, uint64_t count, uint64_t from) {
  uint64_t low = 0, high = count;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (numbers[middle] < from) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// The running sum before an element, of sums that include the element.
VT_HD uint64_t sum_before(const uint64_t* sums, uint64_t element) { return element == 0 ? 0 : sums[element - 1]; }

// Running sums are made level by level: a thread adds up `sum_group` numbers, another launch adds up these sums.
constexpr uint64_t sum_group = 64;

// How many numbers there are on a level on which each stands for `width` of the `count` elements.
VT_HD uint64_t on_level(uint64_t count, uint64_t width) { return (count + width - 1) / width; }

}  // namespace vt
