// Arrays of texts, as Arrow and NumPy have them, seen from Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstring>
#include <string>

#include "arrays.h"
#include "bindings.h"
#include "exchange.h"
#include "text_array.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace vt {

namespace {

template <class T>
T* held_by(nb::handle capsule, const char* name) {
  void* pointer = PyCapsule_GetPointer(capsule.ptr(), name);
  if (pointer == nullptr) throw nb::python_error();
  return static_cast<T*>(pointer);
}

ArrowStrings kind_of(const ArrowSchema& schema) {
  const ArrowStrings kind = arrow_strings(schema);
  if (kind == ArrowStrings::none) {
    const std::string format = schema.dictionary == nullptr ? schema.format : "dictionary";
    throw nb::type_error(("an Arrow array of strings is expected, not of the format '" + format + "'").c_str());
  }
  return kind;
}

TextArray of_arrow(nb::handle schema, nb::handle array) {
  const Held<ArrowSchema> type(held_by<ArrowSchema>(schema, "arrow_schema"));
  Held<ArrowArray> strings(held_by<ArrowArray>(array, "arrow_array"));
  TextArray texts;
  texts.add(std::move(strings), kind_of(*type));
  return texts;
}

void must_work(int code, ArrowArrayStream* stream) {
  if (code == 0) return;
  const char* why = stream->get_last_error(stream);
  throw std::invalid_argument(std::string("the Arrow stream failed: ") + (why == nullptr ? "it does not say why" : why));
}

TextArray of_arrow_stream(nb::handle capsule) {
  Held<ArrowArrayStream> stream(held_by<ArrowArrayStream>(capsule, "arrow_array_stream"));
  Held<ArrowSchema> type;
  must_work(stream->get_schema(stream.get(), type.get()), stream.get());
  const ArrowStrings kind = kind_of(*type);
  TextArray texts;
  while (true) {
    Held<ArrowArray> array;
    must_work(stream->get_next(stream.get(), array.get()), stream.get());
    if (array.released()) return texts;
    texts.add(std::move(array), kind);
  }
}

template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
TextArray of_padded(Table<T> strings) {
  TextArray texts;
  const Released released(strings.nbytes());
  texts.add_padded(strings.data(), strings.shape(0), strings.shape(1));
  return texts;
}

// The places of the functions that read strings of variable width, in all of NumPy 2.
enum NumpyStringFunction : size_t {
  NpyString_load = 313,
  NpyString_acquire_allocator = 316,
  NpyString_release_allocator = 318,
};

class NumpyStrings {
 public:
  struct String {
    size_t size;
    const char* data;
  };

  explicit NumpyStrings(nb::handle dtype)
      : allocator_(numpy_function<void*(PyObject*)>(NpyString_acquire_allocator)(dtype.ptr())) {}
  ~NumpyStrings() { numpy_function<void(void*)>(NpyString_release_allocator)(allocator_); }
  NumpyStrings(const NumpyStrings&) = delete;
  NumpyStrings& operator=(const NumpyStrings&) = delete;

  // The string that is packed at `at`; false: there is none.
  bool load(const void* at, String& string) const {
    const int missing = numpy_function<int(void*, const void*, String*)>(NpyString_load)(allocator_, at, &string);
    if (missing < 0) throw std::runtime_error("NumPy cannot read its own string");
    return missing == 0;
  }

 private:
  void* allocator_;
};

// `places` are those of the packed strings in memory.
TextArray of_numpy_strings(nb::handle dtype, uint64_t address, size_t count, int64_t stride) {
  const NumpyStrings strings(dtype);
  const auto* first = reinterpret_cast<const uint8_t*>(address);
  uint64_t bytes = 0;
  NumpyStrings::String string{};
  for (size_t k = 0; k < count; ++k) {
    if (!strings.load(first + static_cast<int64_t>(k) * stride, string)) throw BadItem(k, null_item);
    bytes += string.size;
  }
  TextArray texts;
  texts.reserve(bytes);
  for (size_t k = 0; k < count; ++k) {
    strings.load(first + static_cast<int64_t>(k) * stride, string);
    texts.add_copy(string.data, string.size);
  }
  return texts;
}

TextArray of_texts(const nb::tuple& texts) {
  TextArray array;
  for (nb::handle text : texts) array.add(text_of(text));
  return array;
}

nb::ndarray<nb::numpy, int64_t, nb::ndim<1>> bounds(const TextArray& array, uint32_t threads) {
  const std::vector<Text>& texts = array.texts();
  std::vector<int64_t> bounds(texts.size() + 1);
  {
    const Released released(array.bytes());
    array.check(threads);
    for (size_t k = 0; k < texts.size(); ++k) bounds[k + 1] = bounds[k] + static_cast<int64_t>(texts[k].size);
  }
  return array_of(std::move(bounds));
}

TextArray part(const TextArray& array, size_t first, size_t stop) {
  if (first > stop || stop > array.texts().size()) throw nb::index_error("there are no such texts");
  return array.part(first, stop);
}

void copy_to(const TextArray& array, nb::ndarray<uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> memory) {
  if (array.bytes() > memory.size()) throw nb::value_error("more text than there is memory for");
  const Released released(array.bytes());
  uint8_t* at = memory.data();
  for (const Text& text : array.texts()) {
    std::memcpy(at, text.data, text.size);
    at += text.size;
  }
}

}  // namespace

void bind_text_array(nb::module_& module) {
  nb::class_<TextArray>(module, "TextArray")
      .def_static("of_arrow", &of_arrow, "schema"_a, "array"_a)
      .def_static("of_arrow_stream", &of_arrow_stream, "stream"_a)
      .def_static("of_bytes", &of_padded<uint8_t>, "strings"_a)
      .def_static("of_code_points", &of_padded<uint32_t>, "strings"_a)
      .def_static("of_numpy_strings", &of_numpy_strings, "dtype"_a, "address"_a, "count"_a, "stride"_a)
      .def_static("of_texts", &of_texts, "texts"_a, nb::keep_alive<0, 1>())
      .def_prop_ro("bytes", &TextArray::bytes)
      .def("bounds", &bounds, "threads"_a)
      .def("part", &part, "first"_a, "stop"_a, nb::keep_alive<0, 1>())
      .def("copy_to", &copy_to, "memory"_a)
      .def("__len__", [](const TextArray& array) { return array.texts().size(); });
}

}  // namespace vt
