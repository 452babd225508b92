// Tokens of a piece, each with what it covers. Host only.
#pragma once

#include <cstdint>
#include <vector>

namespace vt {

// A token, and the bytes of its piece that it covers.
struct Row {
  uint32_t token, start, stop;
};

// Takes the tokens of `encode_piece.h` with their places.
struct PlaceWriter {
  static constexpr bool places = true;
  std::vector<Row>& rows;
  void put(uint32_t token, uint32_t start, uint32_t stop) { rows.push_back({token, start, stop}); }
};

}  // namespace vt
