// The engine, seen from Python.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings.h"
#include "char_places.h"
#include "engine.h"
#include "search_piece.h"
#include "exchange.h"
#include "text_array.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace vt {

namespace {

nb::object encode(const Engine& engine, nb::handle value) {
  Ids ids;
  with_chars(value, [&](const Chars& chars) {
    const Released released(chars.count);
    engine.encode(chars, false, ids);
  });
  return ids_array(std::move(ids));
}

uint64_t count(const Engine& engine, nb::handle value) {
  return with_chars(value, [&](const Chars& chars) {
    const Released released(chars.count);
    return engine.count(chars);
  });
}

nb::str normalize(const Engine& engine, nb::handle value) {
  ByteBuffer normalized;
  with_utf8(value, [&](Text text) { engine.normalize(text, normalized); });
  return nb::str(reinterpret_cast<const char*>(normalized.data()), normalized.size());
}

nb::tuple encode_placed(const Engine& engine, nb::handle value, bool inside) {
  Ids ids;
  Spans bytes, chars;
  std::vector<Taken> taken;
  with_utf8(value, [&](Text text) {
    engine.encode_placed(text, inside, ids, bytes, taken);
    chars = char_spans(text, bytes);
  });
  nb::list texts;
  for (const Taken& token : taken) {
    texts.append(nb::make_tuple(token.place, nb::str(token.text.data(), token.text.size())));
  }
  return nb::make_tuple(ids_array(std::move(ids)), spans_of(std::move(bytes)), spans_of(std::move(chars)), texts);
}

nb::tuple encode_list(const Engine& engine, const nb::list& values, const std::vector<uint32_t>& before,
                      const std::vector<uint32_t>& after, uint32_t threads) {
  std::vector<StrChars> texts;
  texts.reserve(values.size());
  uint64_t size = 0;
  for (nb::handle value : values) {
    texts.emplace_back(value);
    size += texts.back().get().count;
  }
  Ids ids;
  std::vector<int64_t> offsets;
  try {
    const Released released(size);
    engine.encode_all(texts.size(), [&](size_t k) { return texts[k].get(); }, before, after, threads, ids, offsets);
  } catch (const LoneSurrogate&) {
    for (nb::handle value : values) text_of(value);  // Python's own error says where it is
    throw;
  }
  return nb::make_tuple(ids_array(std::move(ids)), array_of(std::move(offsets)));
}

nb::tuple encode_array(const Engine& engine, const TextArray& texts, const std::vector<uint32_t>& before,
                       const std::vector<uint32_t>& after, uint32_t threads) {
  Ids ids;
  std::vector<int64_t> offsets;
  {
    const Released released(texts.bytes());
    texts.check(threads);
    const std::vector<Text>& all = texts.texts();
    engine.encode_all(all.size(), [&](size_t k) { return Chars(all[k]); }, before, after, threads, ids, offsets);
  }
  return nb::make_tuple(ids_array(std::move(ids)), array_of(std::move(offsets)));
}

nb::list encode_piece(const Engine& engine, const nb::bytes& piece) {
  nb::list rows;
  for (const Row& row : encode_piece_placed(engine.view(), {static_cast<const uint8_t*>(piece.data()), piece.size()})) {
    rows.append(nb::make_tuple(row.token, row.start, row.stop));
  }
  return rows;
}

// None for tokens that the search does not use.
std::optional<bool> stay_apart_in(const Engine& engine, uint32_t left, uint32_t right) {
  const View& v = engine.view();
  const uint64_t tokens = v.births_count;
  if (left >= tokens || right >= tokens) return std::nullopt;
  if (birth_of(v, left).born == not_born || birth_of(v, right).born == not_born) return std::nullopt;
  return stay_apart(v, left, right);
}

}  // namespace

void bind_engine(nb::module_& module) {
  nb::class_<Engine>(module, "Engine")
      .def(nb::init<std::vector<Image::Ptr>>(), "images"_a)
      .def_prop_ro("images", &Engine::images)
      .def("encode", &encode, "text"_a)
      .def("count", &count, "text"_a)
      .def("normalize", &normalize, "text"_a)
      .def("encode_placed", &encode_placed, "text"_a, "inside"_a = false)
      .def("encode_list", &encode_list, "texts"_a, "before"_a, "after"_a, "threads"_a)
      .def("encode_array", &encode_array, "texts"_a, "before"_a, "after"_a, "threads"_a)
      .def("encode_piece", &encode_piece, "piece"_a)
      .def("stay_apart", &stay_apart_in, "left"_a, "right"_a);
}

}  // namespace vt
