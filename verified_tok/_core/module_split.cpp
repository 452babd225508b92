// Cutting a text into pieces, seen from Python.
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>

#include <vector>

#include "bindings.h"
#include "byte_buffer.h"
#include "exchange.h"
#include "image_host.h"
#include "next_piece.h"
#include "session_state.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace vt {

namespace {

std::vector<Piece> pieces_of(const View& view, Text text) {
  std::vector<Piece> pieces;
  Cursor cursor{};
  for (const uint8_t* at = text.data; at < text.end();) {
    const Piece piece = next_piece(view, at, text.end(), cursor);
    if (piece.begin < piece.end) pieces.push_back(piece);
    at = piece.end;
  }
  return pieces;
}

SpanArray split(const Image& image, nb::bytes bytes) {
  const Text text{static_cast<const uint8_t*>(bytes.data()), bytes.size()};
  View view{};
  look_into(view, image.data(), image.data());
  Spans spans;
  {
    const nb::gil_scoped_release released;
    for (const Piece& piece : pieces_of(view, text)) {
      spans.push_back(piece.begin - text.data);
      spans.push_back(piece.end - text.data);
    }
  }
  return spans_of(std::move(spans));
}

// The pieces of a text and their spans of characters. Their bytes are spelled with an alphabet, if there is one: the
// UTF-8 of 256 characters.
nb::list pre_tokenize(const Engine& engine, nb::handle value, nb::handle alphabet) {
  const Text text = text_of(value), letters = text_of(alphabet);
  std::vector<const uint8_t*> letter_of;  // and where the last one ends
  for (const uint8_t* at = letters.data; at < letters.end(); at += char_size(*at)) letter_of.push_back(at);
  letter_of.push_back(letters.end());
  if (letters.size != 0 && letter_of.size() != 257) throw nb::value_error("an alphabet has 256 characters");
  std::vector<Piece> pieces;
  {
    const Released released(text.size);
    pieces = pieces_of(engine.view(), text);
  }
  nb::list found;
  ByteBuffer spelled;
  uint64_t chars = 0;
  const uint8_t* at = text.data;
  for (const Piece& piece : pieces) {
    chars += chars_in(at, piece.begin);
    const uint64_t start = chars;
    chars += chars_in(piece.begin, piece.end);
    at = piece.end;
    const auto* begin = reinterpret_cast<const char*>(piece.begin);
    size_t size = static_cast<size_t>(piece.end - piece.begin);
    if (letters.size != 0) {
      spelled.clear();
      for (const uint8_t* byte = piece.begin; byte < piece.end; ++byte) {
        spelled.add(letter_of[*byte], static_cast<uint64_t>(letter_of[*byte + 1] - letter_of[*byte]));
      }
      begin = reinterpret_cast<const char*>(spelled.data());
      size = spelled.size();
    }
    found.append(nb::make_tuple(nb::str(begin, size), nb::make_tuple(start, chars)));
  }
  return found;
}

}  // namespace

void bind_split(nb::module_& module) {
  module.def("split", &split, "image"_a, "text"_a);
  module.def("pre_tokenize", &pre_tokenize, "engine"_a, "text"_a, "alphabet"_a);
}

}  // namespace vt
