// Seams and sessions, seen from Python.
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>

#include "bindings.h"
#include "exchange.h"
#include "seams.h"
#include "session.h"
#include "str_compare.h"
#include "without_gil.h"

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

bool is_ascii(nb::handle text) { return nb::cast<bool>(text.attr("isascii")()); }

// A session, and the str that its text was at some version, if that is known: two strs are compared sooner than one of
// them is made UTF-8 and compared with the session's. (An ASCII str is UTF-8, and is not remembered.)
struct OpenSession {
  std::unique_ptr<Session> session;
  nb::object known{};
  uint64_t version = 0;

  void remember(nb::handle text, uint64_t at_version) {
    known = is_ascii(text) ? nb::object() : nb::borrow(text);
    version = at_version;
  }
};

OpenSession* open_session(const std::shared_ptr<Engine>& engine, const Image::Ptr& seams, nb::handle value) {
  auto open = std::make_unique<OpenSession>();
  open->session = with_utf8(value, [&](Text text) { return std::make_unique<Session>(engine, seams, text); });
  open->remember(value, 0);
  return open.release();
}

OpenSession* restored(const std::shared_ptr<Engine>& engine, const Image::Ptr& seams, nb::handle value, Codes ids,
                      GivenSpans spans) {
  if (ids.size() != spans.shape(0)) throw nb::value_error("a span for every id");
  const std::vector<uint32_t> tokens(ids.data(), ids.data() + ids.size());
  const Spans places(spans.data(), spans.data() + spans.size());
  const auto restore = [&](Text text) { return std::make_unique<Session>(engine, seams, text, tokens, places); };
  return new OpenSession{with_utf8(value, restore)};
}

nb::tuple patch_of(Patch&& patch) {
  return nb::make_tuple(patch.keep_front, ids_array(std::move(patch.ids)), patch.keep_back);
}

nb::tuple append(OpenSession& open, nb::handle value) {
  return patch_of(with_utf8(value, [&](Text text) { return open.session->append(text); }));
}

nb::tuple edit(OpenSession& open, uint64_t start, uint64_t stop, nb::handle value) {
  return patch_of(with_utf8(value, [&](Text text) { return open.session->edit(start, stop, text); }));
}

nb::tuple edit_bytes(OpenSession& open, uint64_t start, uint64_t stop, nb::handle value) {
  return patch_of(with_utf8(value, [&](Text text) { return open.session->edit_bytes(start, stop, text); }));
}

// An update as an edit of the str that is known. Nothing happens if none is, or if the session has changed since.
std::optional<Patch> update_known(OpenSession& open, nb::handle text) {
  const nb::object known = open.known;
  const uint64_t version = open.version;
  if (!known.is_valid() || open.session->version() != version) return std::nullopt;
  const CommonEnds common = common_ends(known, text);
  const nb::object middle = part_of(text, common.front, PyUnicode_GetLength(text.ptr()) - common.back);
  const auto stop = static_cast<uint64_t>(PyUnicode_GetLength(known.ptr()) - common.back);
  return with_utf8(middle, [&](Text given) {
    return open.session->edit_at_version(version, static_cast<uint64_t>(common.front), stop, given);
  });
}

nb::tuple update(OpenSession& open, nb::handle text) {
  const bool by_chars = PyUnicode_Check(text.ptr()) && !is_ascii(text);
  std::optional<Patch> patch = by_chars ? update_known(open, text) : std::nullopt;
  if (!patch) patch = with_utf8(text, [&](Text given) { return open.session->update(given); });
  open.remember(text, patch->version);
  return patch_of(std::move(*patch));
}

nb::tuple concat(OpenSession& open, OpenSession& other) {
  Patch patch{};
  {
    const WithoutGil released;
    patch = open.session->concat(*other.session);
  }
  return patch_of(std::move(patch));
}

OpenSession* fork(const OpenSession& open) { return new OpenSession{open.session->fork(), open.known, open.version}; }

nb::str text(const OpenSession& open) {
  const std::vector<uint8_t> text = open.session->text();
  return nb::str(reinterpret_cast<const char*>(text.data()), text.size());
}

IdsView ids(OpenSession& open) {
  auto view = open.session->ids();
  auto* kept = new std::shared_ptr<const uint32_t[]>(std::move(view.first));
  nb::capsule owner(kept, [](void* memory) noexcept { delete static_cast<std::shared_ptr<const uint32_t[]>*>(memory); });
  return IdsView(kept->get(), {view.second}, owner);
}

SpanArray byte_spans(const OpenSession& open) { return spans_of(open.session->byte_spans()); }

SpanArray char_spans_of(const OpenSession& open) { return spans_of(open.session->char_spans()); }

nb::tuple stats(const OpenSession& open) {
  const SessionStats stats = open.session->stats();
  return nb::make_tuple(stats.operations, stats.characters_given, stats.characters_encoded, stats.longest_reach,
                        stats.without_seam);
}

}  // namespace

void bind_session(nb::module_& module) {
  module.def("are_seams", &are_seams, "seams"_a, "left"_a, "right"_a);
  nb::class_<OpenSession>(module, "Session")
      .def(nb::new_(&open_session), "engine"_a, "seams"_a, "text"_a)
      .def_static("restored", &restored, "engine"_a, "seams"_a, "text"_a, "ids"_a, "byte_spans"_a)
      .def_prop_ro("bytes", [](const OpenSession& open) { return open.session->bytes(); })
      .def_prop_ro("chars", [](const OpenSession& open) { return open.session->chars(); })
      .def_prop_ro("text", &text)
      .def_prop_ro("ids", &ids, nb::rv_policy::automatic)
      .def_prop_ro("byte_spans", &byte_spans, nb::rv_policy::automatic)
      .def_prop_ro("char_spans", &char_spans_of, nb::rv_policy::automatic)
      .def_prop_ro("stats", &stats)
      .def("__len__", [](const OpenSession& open) { return open.session->count(); })
      .def("append", &append, "text"_a)
      .def("edit", &edit, "start"_a, "stop"_a, "text"_a)
      .def("edit_bytes", &edit_bytes, "start"_a, "stop"_a, "text"_a)
      .def("update", &update, "text"_a)
      .def("concat", &concat, "other"_a)
      .def("fork", &fork);
}

}  // namespace vt
