// Decoding. Where ids are not what they should be, most functions return None: the reference says what is wrong. Of several
// sequences, `texts` gives the number of the first that is wrong, and `texts_of_each` calls Python to raise for it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "decode.h"
#include "decode_stream.h"
#include "id_array.h"
#include "image_host.h"
#include "text_maker.h"
#include "utf8.h"
#include "utf8_check.h"
#include "without_gil.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace vt {

namespace {

constexpr uint64_t long_call = 10000;  // ids: from here on other threads may run meanwhile

// The bytes that byte-level characters spell; false if another character is among them. `alphabet` has the byte of each
// character, or -1.
bool unspell(const nb::bytes& token, const int16_t* alphabet, size_t letters, std::vector<uint8_t>& bytes) {
  const auto* at = reinterpret_cast<const uint8_t*>(token.data());
  const uint8_t* end = at + token.size();
  bytes.clear();
  while (at < end) {
    const Utf8Step step = utf8_step(at, end);
    if (!step.whole) return false;
    const uint32_t letter = char_at(at);
    if (letter >= letters || alphabet[letter] < 0) return false;
    bytes.push_back(static_cast<uint8_t>(alphabet[letter]));
    at += step.size;
  }
  return true;
}

// The slots of tokens, and the bytes of the long ones, which will begin at `place`.
nb::tuple decode_slots(const In<uint32_t>& ids, const nb::list& tokens, const In<uint8_t>& tags,
                       const In<int16_t>& alphabet, uint32_t place) {
  const size_t count = ids.shape(0);
  if (tags.shape(0) != count || nb::len(tokens) != count) throw std::invalid_argument("not one token for each id");
  const size_t size = count == 0 ? 0 : size_t{1} + *std::max_element(ids.data(), ids.data() + count);
  std::unique_ptr<DecodeSlot[]> slots(new DecodeSlot[size]());
  for (size_t id = 0; id < size; ++id) slots[id].tag = tag_none;
  ByteBuffer longer;
  std::vector<uint8_t> spelled;
  for (size_t i = 0; i < count; ++i) {
    const auto token = nb::cast<nb::bytes>(tokens[i]);
    const auto* bytes = reinterpret_cast<const uint8_t*>(token.data());
    auto length = static_cast<uint32_t>(token.size());
    if (alphabet.shape(0) != 0 && unspell(token, alphabet.data(), alphabet.shape(0), spelled)) {
      bytes = spelled.data();
      length = static_cast<uint32_t>(spelled.size());
    }
    DecodeSlot& slot = slots[ids.data()[i]];
    if (length <= sizeof slot.bytes) {
      if (length != 0) std::memcpy(slot.bytes, bytes, length);
      slot.tag = static_cast<uint8_t>(length | tags.data()[i]);
      continue;
    }
    const auto where = static_cast<uint32_t>(place + longer.size());
    std::memcpy(slot.bytes, &where, sizeof where);
    std::memcpy(slot.bytes + sizeof where, &length, sizeof length);
    slot.tag = static_cast<uint8_t>(tag_long | tags.data()[i]);
    longer.add(bytes, length);
  }
  DecodeSlot* memory = slots.release();
  nb::capsule owner(memory, [](void* p) noexcept { delete[] static_cast<DecodeSlot*>(p); });
  nb::ndarray<nb::numpy, uint8_t, nb::ndim<1>> array(memory, {size * sizeof(DecodeSlot)}, owner);
  return nb::make_tuple(array, nb::bytes(longer.data(), longer.size()));
}

class Decoder {
 public:
  explicit Decoder(Image::Ptr image) : image_(std::move(image)) {
    View view{};
    look_into(view, image_->data(), image_->data());
    tables_ = decode_tables(view);
  }

  // The bytes that one token stands for inside a text.
  nb::object token(int64_t id) const {
    Decoding decoding({tables_.slots, nullptr, tables_.count, tables_.longer, nullptr, 0, nullptr}, false, false);
    const auto short_id = static_cast<uint32_t>(id);
    if (id < 0 || id > UINT32_MAX || decoding.put(&short_id, 1) != 1) return nb::none();
    return nb::bytes(decoding.begin(), decoding.size());
  }

  const DecodeTables& tables() const { return tables_; }

  nb::object bytes(nb::handle ids, bool skip) const {
    Decoding decoding(tables_, skip, false);
    if (!decode(ids, decoding)) return nb::none();
    return nb::bytes(decoding.begin(), decoding.size());
  }

  nb::object text(nb::handle ids, bool skip) const {
    Decoding decoding(tables_, skip, true);
    if (!decode(ids, decoding)) return nb::none();
    return str_of(decoding.begin(), decoding.size());
  }

  // The texts of sequences of ids that stand behind each other, or the number of the first that has none; None if
  // these are no integers.
  nb::object texts(nb::handle ids, const In<int64_t>& offsets, bool skip, bool strict, uint32_t threads) const {
    IdArray array;
    if (!array.read(ids)) return nb::none();
    const std::vector<int64_t> bounds(offsets.data(), offsets.data() + offsets.shape(0));  // they stay what they are
    for (size_t k = 0; k + 1 < bounds.size(); ++k) {
      if (bounds[k] < 0 || bounds[k + 1] < bounds[k] || static_cast<uint64_t>(bounds[k + 1]) > array.count()) {
        throw std::out_of_range("offsets must ascend, and end with the ids");
      }
    }
    TextMaker maker(tables_, skip, strict, threads);
    bool good = true;
    for (size_t k = 0; good && k + 1 < bounds.size(); ++k) {
      good = maker.add(array.data() + bounds[k], static_cast<uint64_t>(bounds[k + 1] - bounds[k]));
    }
    if (!good || !maker.finish()) return nb::int_(maker.texts().size());
    return maker.texts();
  }

  // The texts of a batch of sequences. `check` makes a list of ids of one that is no array or list of such, or raises:
  // it is called with the number of the sequence and the sequence, also to raise for one that has no text.
  nb::list texts_of_each(nb::handle batch, const nb::callable& check, bool skip, bool strict, uint32_t threads) const {
    TextMaker maker(tables_, skip, strict, threads);
    const auto checked = [&](nb::handle row) {
      const nb::int_ place(maker.texts().size());
      return run_python([&] { return PyObject_CallFunctionObjArgs(check.ptr(), place.ptr(), row.ptr(), nullptr); });
    };
    const auto need = [&](bool good) {
      if (good) return;
      checked(nb::cast(array_of(maker.wrong())));
      throw std::logic_error("a sequence that has a text");
    };
    IdArray array;
    const nb::object rows = run_python([&] { return PyObject_GetIter(batch.ptr()); });
    while (const nb::object row = run_python([&] { return PyIter_Next(rows.ptr()); })) {
      if (!read_known(row, array)) {
        need(maker.finish());  // of several that are wrong the first is named
        if (!read_known(checked(row), array)) throw std::logic_error("no list of ids");
      }
      need(maker.add(array.data(), array.count()));
    }
    need(maker.finish());
    return maker.texts();
  }

 private:
  bool decode(nb::handle ids, Decoding& decoding) const {
    IdArray array;
    return array.read(ids) && decode(array.data(), array.count(), decoding);
  }

  static bool decode(const uint32_t* ids, uint64_t count, Decoding& decoding) {
    std::optional<WithoutGil> released;
    if (count >= long_call) released.emplace();
    const bool known = decoding.put(ids, count) == count;
    decoding.finish();
    return known;
  }

  // Whether all are integers below the largest id, which is not to say that each is the id of a token.
  bool read_known(nb::handle ids, IdArray& array) const {
    if (!array.read(ids)) return false;
    uint32_t largest = 0;
    for (uint64_t at = 0; at < array.count(); ++at) largest = std::max(largest, array.data()[at]);
    return array.count() == 0 || largest < tables_.count;
  }

  Image::Ptr image_;
  DecodeTables tables_;
};

// A stream; the decoder must live as long.
class Stream {
 public:
  Stream(const Decoder& decoder, bool skip) : stream_(decoder.tables(), skip) {}

  nb::object put(nb::handle ids) {
    if (PyLong_CheckExact(ids.ptr())) {
      int overflow = 0;
      const uint32_t id = IdArray::id_of(PyLong_AsLongLongAndOverflow(ids.ptr(), &overflow));
      return overflow == 0 && stream_.put(&id, 1) ? take() : nb::none();
    }
    IdArray array;
    return array.read(ids) && stream_.put(array.data(), array.count()) ? take() : nb::none();
  }

  void settle() {
    stream_.settle();
    take();
  }

  nb::bytes incomplete() {
    ByteBuffer all;
    all.add(stream_.waiting(), stream_.waiting_size());
    all.add(stream_.ready().data(), stream_.ready().size());
    return nb::bytes(all.data(), all.size());
  }

  nb::object finish() {
    stream_.finish();
    return str_of(stream_.ready().data(), stream_.ready().size());
  }

 private:
  // The whole characters that are ready.
  nb::object take() {
    Py_ssize_t consumed = 0;
    nb::object text = str_of(stream_.ready().data(), stream_.ready().size(), &consumed);
    stream_.ready().remove_front(static_cast<uint64_t>(consumed));
    return text;
  }

  DecodeStream stream_;
};

}  // namespace

void bind_decode(nb::module_& module) {
  module.def("decode_slots", &decode_slots, "ids"_a, "tokens"_a, "tags"_a, "alphabet"_a, "place"_a);
  nb::class_<Decoder>(module, "Decoder")
      .def(nb::init<Image::Ptr>(), "image"_a)
      .def("token", &Decoder::token, "id"_a)
      .def("bytes", &Decoder::bytes, "ids"_a.none(), "skip"_a)
      .def("text", &Decoder::text, "ids"_a.none(), "skip"_a)
      .def("texts", &Decoder::texts, "ids"_a.none(), "offsets"_a, "skip"_a, "strict"_a, "threads"_a)
      .def("texts_of_each", &Decoder::texts_of_each, "batch"_a, "check"_a, "skip"_a, "strict"_a, "threads"_a);
  nb::class_<Stream>(module, "DecodeStream")
      .def(nb::init<const Decoder&, bool>(), "decoder"_a, "skip"_a, nb::keep_alive<1, 2>())
      .def("put", &Stream::put, "ids"_a.none())
      .def("settle", &Stream::settle)
      .def("incomplete", &Stream::incomplete)
      .def("finish", &Stream::finish);
}

}  // namespace vt
