// Seams and sessions, seen from Python.
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>

#include "bindings.h"
#include "exchange.h"
#include "seams.h"
#include "session.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace vt {

namespace {

using Codes = nb::ndarray<const uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using GivenSpans = nb::ndarray<const int64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using IdsView = nb::ndarray<nb::numpy, const uint32_t, nb::ndim<1>>;
using EnginePtr = std::shared_ptr<const Engine>;

nb::list are_seams(const Image::Ptr& image, Codes left, Codes right) {
  if (left.size() != right.size()) throw nb::value_error("as many characters on the left as on the right");
  View view{};
  look_into(view, image->data(), image->data());
  nb::list answers;
  for (size_t k = 0; k < left.size(); ++k) {
    if (left.data()[k] > 0x10ffff || right.data()[k] > 0x10ffff) throw nb::value_error("no character");
    answers.append(is_seam(view, left.data()[k], right.data()[k]));
  }
  return answers;
}

Session* open_session(const std::shared_ptr<Engine>& engine, const Image::Ptr& seams, nb::handle value) {
  const Text text = text_of(value);
  const Released released(text.size);
  return new Session(engine, seams, text);
}

Session* restored(const std::shared_ptr<Engine>& engine, const Image::Ptr& seams, nb::handle value, Codes ids,
                  GivenSpans spans) {
  const Text text = text_of(value);
  if (ids.size() != spans.shape(0)) throw nb::value_error("a span for every id");
  return new Session(engine, seams, text, {ids.data(), ids.data() + ids.size()}, {spans.data(), spans.data() + spans.size()});
}

nb::tuple patch_of(Patch&& patch) {
  return nb::make_tuple(patch.keep_front, ids_array(std::move(patch.ids)), patch.keep_back);
}

template <class Operation>
nb::tuple changed(Text text, Operation operation) {
  Patch patch{};
  {
    const Released released(text.size);
    patch = operation(text);
  }
  return patch_of(std::move(patch));
}

nb::tuple append(Session& session, nb::handle text) {
  return changed(text_of(text), [&](Text given) { return session.append(given); });
}

nb::tuple edit(Session& session, uint64_t start, uint64_t stop, nb::handle text) {
  return changed(text_of(text), [&](Text given) { return session.edit(start, stop, given); });
}

nb::tuple edit_bytes(Session& session, uint64_t start, uint64_t stop, nb::handle text) {
  return changed(text_of(text), [&](Text given) { return session.edit_bytes(start, stop, given); });
}

nb::tuple update(Session& session, nb::handle text) {
  return changed(text_of(text), [&](Text given) { return session.update(given); });
}

nb::tuple concat(Session& session, Session& other) {
  Patch patch{};
  {
    const nb::gil_scoped_release released;
    patch = session.concat(other);
  }
  return patch_of(std::move(patch));
}

nb::str text(const Session& session) {
  const std::vector<uint8_t> text = session.text();
  return nb::str(reinterpret_cast<const char*>(text.data()), text.size());
}

IdsView ids(Session& session) {
  auto view = session.ids();
  auto* kept = new std::shared_ptr<const uint32_t[]>(std::move(view.first));
  nb::capsule owner(kept, [](void* memory) noexcept { delete static_cast<std::shared_ptr<const uint32_t[]>*>(memory); });
  return IdsView(kept->get(), {view.second}, owner);
}

SpanArray byte_spans(const Session& session) { return spans_of(session.byte_spans()); }

SpanArray char_spans_of(const Session& session) { return spans_of(session.char_spans()); }

nb::tuple stats(const Session& session) {
  const SessionStats stats = session.stats();
  return nb::make_tuple(stats.operations, stats.characters_given, stats.characters_encoded, stats.longest_reach,
                        stats.without_seam);
}

}  // namespace

void bind_session(nb::module_& module) {
  module.def("are_seams", &are_seams, "seams"_a, "left"_a, "right"_a);
  nb::class_<Session>(module, "Session")
      .def(nb::new_(&open_session), "engine"_a, "seams"_a, "text"_a)
      .def_static("restored", &restored, "engine"_a, "seams"_a, "text"_a, "ids"_a, "byte_spans"_a)
      .def_prop_ro("bytes", &Session::bytes)
      .def_prop_ro("chars", &Session::chars)
      .def_prop_ro("text", &text)
      .def_prop_ro("ids", &ids, nb::rv_policy::automatic)
      .def_prop_ro("byte_spans", &byte_spans, nb::rv_policy::automatic)
      .def_prop_ro("char_spans", &char_spans_of, nb::rv_policy::automatic)
      .def_prop_ro("stats", &stats)
      .def("__len__", &Session::count)
      .def("append", &append, "text"_a)
      .def("edit", &edit, "start"_a, "stop"_a, "text"_a)
      .def("edit_bytes", &edit_bytes, "start"_a, "stop"_a, "text"_a)
      .def("update", &update, "text"_a)
      .def("concat", &concat, "other"_a)
      .def("fork", &Session::fork);
}

}  // namespace vt
