// Cutting a text into pieces, seen from Python.
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>

#include <vector>

#include "bindings.h"
#include "byte_buffer.h"
#include "changes.h"
#include "char_places.h"
#include "exchange.h"
#include "image_host.h"
#include "next_piece.h"
#include "without_gil.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace vt {

namespace {

void add_letter(const View& view, uint8_t byte, ByteBuffer& to) {
  const uint16_t letter = view.letters[byte];
  const uint8_t bytes[2] = {static_cast<uint8_t>(letter), static_cast<uint8_t>(letter >> 8)};
  to.add(bytes, letter < 0x80 ? 1 : 2);
}

SpanArray split(const Image& image, nb::bytes bytes) {
  const Text text{static_cast<const uint8_t*>(bytes.data()), bytes.size()};
  View view{};
  look_into(view, image.data(), image.data());
  Spans spans;
  {
    const WithoutGil released;
    each_piece(view, text.data, text.end(), [&](const Piece& piece) {
      spans.push_back(piece.begin - text.data);
      spans.push_back(piece.end - text.data);
    });
  }
  return spans_of(std::move(spans));
}

// The pieces of a text, as the model sees them, and their spans of characters.
nb::list pre_tokenize(const Engine& engine, nb::handle value) {
  const View& view = engine.view();
  const bool spelled = view.pieces_spelled[0] != 0;
  Spans spans;
  ByteBuffer pieces;
  std::vector<uint64_t> ends;
  with_utf8(value, [&](Text text) {
    check_size(text.size);
    Changes changes(view);
    const auto take = [&](const Normal& changed, const uint8_t* begin, const uint8_t* end) {
      Sources sources(changed);
      each_piece(view, begin, end, [&](const Piece& piece) {
        const Source source = sources.hull(static_cast<uint32_t>(piece.begin - changed.begin),
                                           static_cast<uint32_t>(piece.end - changed.begin));
        spans.push_back(source.start);
        spans.push_back(source.stop);
        if (spelled) {
          for (const uint8_t* at = piece.begin; at < piece.end; ++at) add_letter(view, *at, pieces);
        } else {
          pieces.add(piece.begin, static_cast<uint64_t>(piece.end - piece.begin));
        }
        ends.push_back(pieces.size());
      });
    };
    changes.each({text.data, text.end(), nullptr, 0}, text.data, text.end(), Start::text, true, take);
    spans = char_spans(text, spans);
  });
  nb::list found;
  uint64_t start = 0;
  for (size_t k = 0; k < ends.size(); ++k) {
    const nb::str piece(reinterpret_cast<const char*>(pieces.data()) + start, ends[k] - start);
    found.append(nb::make_tuple(piece, nb::make_tuple(spans[2 * k], spans[2 * k + 1])));
    start = ends[k];
  }
  return found;
}

}  // namespace

void bind_split(nb::module_& module) {
  module.def("split", &split, "image"_a, "text"_a);
  module.def("pre_tokenize", &pre_tokenize, "engine"_a, "text"_a);
}

}  // namespace vt
