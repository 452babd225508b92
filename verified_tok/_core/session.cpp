#include "session.h"

#include <algorithm>
#include <stdexcept>

#include "append_window.h"
#include "char_places.h"
#include "seams.h"

namespace vt {

namespace {

using Lock = std::lock_guard<std::mutex>;

// How many items two arrays have in common at the start.
uint64_t common(const uint8_t* a, const uint8_t* b, uint64_t size) {
  constexpr uint64_t block = 4096;
  uint64_t at = 0;
  while (size - at >= block && std::memcmp(a + at, b + at, block) == 0) at += block;
  return static_cast<uint64_t>(std::mismatch(a + at, a + std::min(size, at + block), b + at).first - a);
}

uint64_t common_at_end(const uint8_t* a_end, const uint8_t* b_end, uint64_t size) {
  constexpr uint64_t block = 4096;
  uint64_t done = 0;
  while (size - done >= block && std::memcmp(a_end - done - block, b_end - done - block, block) == 0) done += block;
  while (done < size && a_end[-1 - static_cast<int64_t>(done)] == b_end[-1 - static_cast<int64_t>(done)]) ++done;
  return done;
}

std::vector<Places::Place> places_of(const Spans& spans, uint64_t moved) {
  std::vector<Places::Place> places(spans.size() / 2);
  for (size_t k = 0; k < places.size(); ++k) {
    places[k] = {static_cast<uint32_t>(static_cast<uint64_t>(spans[2 * k]) + moved),
                 static_cast<uint32_t>(spans[2 * k + 1] - spans[2 * k])};
  }
  return places;
}

}  // namespace

uint64_t SessionText::common_front(const uint8_t* other, uint64_t size) const {
  const uint64_t most = std::min(size, bytes());
  uint64_t done = 0;
  each_stretch(0, most, [&](const uint8_t* at, uint64_t stretch) {
    const uint64_t begin = at == bytes_.before() ? 0 : bytes_.gap();
    if (done == begin) done += common(at, other + begin, stretch);
  });
  const auto inside = [&](uint64_t byte) {
    return (byte < bytes() && is_continuation(bytes_[byte])) || (byte < size && is_continuation(other[byte]));
  };
  while (inside(done)) --done;
  return done;
}

uint64_t SessionText::common_back(const uint8_t* other, uint64_t size, uint64_t most) const {
  const uint64_t whole = bytes(), tail = std::min(whole - bytes_.gap(), most);
  uint64_t done = common_at_end(bytes_.after() + (whole - bytes_.gap()), other + size, tail);
  if (done == tail && tail < most) {
    done += common_at_end(bytes_.before() + bytes_.gap(), other + size - tail, most - tail);
  }
  while (done > 0 && is_continuation(bytes_[whole - done])) --done;
  return done;
}

Session::Session(std::shared_ptr<const Engine> engine, Image::Ptr seams, Text text)
    : engine_(std::move(engine)), seams_(std::move(seams)), view_{}, mutex_(std::make_shared<std::mutex>()) {
  look_into(view_, seams_->data(), seams_->data());
  check_size(text.size);
  Ids ids;
  Spans spans;
  std::vector<Taken> taken;
  engine_->encode_placed(text, false, ids, spans, taken);
  state_ = std::make_shared<SessionState>(
      SessionState{{text.data, text.size}, {ids.data(), ids.count()}, {places_of(spans, 0), text.size}});
}

Session::Session(std::shared_ptr<const Engine> engine, Image::Ptr seams, Text text, const std::vector<uint32_t>& ids,
                 const Spans& spans)
    : engine_(std::move(engine)), seams_(std::move(seams)), view_{}, mutex_(std::make_shared<std::mutex>()) {
  look_into(view_, seams_->data(), seams_->data());
  check_size(text.size);
  for (size_t k = 0; k < spans.size(); k += 2) {
    if (spans[k] < 0 || spans[k + 1] < spans[k] || static_cast<uint64_t>(spans[k + 1]) > text.size) {
      throw std::out_of_range("a token outside the text");
    }
  }
  state_ = std::make_shared<SessionState>(
      SessionState{{text.data, text.size}, {ids.data(), ids.size()}, {places_of(spans, 0), text.size}});
}

Session::Session(const Session& other) = default;

uint64_t Session::bytes() const {
  const Lock lock(*mutex_);
  return state_->text.bytes();
}

uint64_t Session::chars() const {
  const Lock lock(*mutex_);
  return state_->text.chars();
}

uint64_t Session::count() const {
  const Lock lock(*mutex_);
  return state_->ids.size();
}

SessionStats Session::stats() const {
  const Lock lock(*mutex_);
  return stats_;
}

uint64_t Session::version() const {
  const Lock lock(*mutex_);
  return version_;
}

std::vector<uint8_t> Session::text() const {
  const Lock lock(*mutex_);
  return whole_text();
}

Spans Session::byte_spans() const {
  const Lock lock(*mutex_);
  return all_spans();
}

Spans Session::char_spans() const {
  const Lock lock(*mutex_);  // one lock for both: no edit comes between them
  const std::vector<uint8_t> text = whole_text();
  const Spans spans = all_spans();
  for (int64_t byte : spans) {
    if (static_cast<uint64_t>(byte) > text.size()) throw std::logic_error("tokens that do not fit their text");  // which the caller gave
  }
  return vt::char_spans({text.data(), text.size()}, spans);
}

std::vector<uint8_t> Session::whole_text() const {
  std::vector<uint8_t> text(state_->text.bytes());
  state_->text.copy(0, text.size(), text.data());
  return text;
}

Spans Session::all_spans() const {
  Spans spans;
  spans.reserve(2 * state_->places.size());
  for (uint64_t k = 0; k < state_->places.size(); ++k) {
    const Places::Place place = state_->places[k];
    spans.push_back(place.start);
    spans.push_back(int64_t{place.start} + place.size);
  }
  return spans;
}

std::pair<std::shared_ptr<const uint32_t[]>, uint64_t> Session::ids() {
  const Lock lock(*mutex_);
  state_->ids.move_gap(state_->ids.size());
  return {state_->ids.memory(), state_->ids.size()};
}

std::unique_ptr<Session> Session::fork() const {
  const Lock lock(*mutex_);
  return std::unique_ptr<Session>(new Session(*this));
}

SessionState& Session::own() {
  if (state_.use_count() > 1) state_ = std::make_shared<SessionState>(*state_);
  return *state_;
}

// --- where to cut ---

bool Session::seam(uint32_t x, uint32_t y) const { return is_seam(view_, x, y); }

// The last cut of the old and the new text at or before `at`, where the change begins; `right` stands behind that
// place in the new text.
uint64_t Session::cut_before(const SessionText& text, uint64_t at, Beside right) const {
  if (at == 0) return 0;
  uint64_t p = text.place_before(at);
  uint32_t x = text.char_at(p);
  if ((at == text.bytes() || seam(x, text.char_at(at))) && (!right.there || seam(x, right.c))) return at;
  while (p > 0) {
    const uint32_t y = x;
    const uint64_t place = p;
    p = text.place_before(p);
    x = text.char_at(p);
    if (seam(x, y)) return place;
  }
  return 0;
}

// Whether there is no seam in a window before `at`, nor at it if `right` follows.
bool Session::no_seam_near(const SessionText& text, uint64_t at, uint32_t right) const {
  const uint64_t size = window_size(engine_->view());
  for (uint64_t p = at; at - p < size; right = text.char_at(p)) {
    if (p == 0) return false;
    p = text.place_before(p);
    if (seam(text.char_at(p), right)) return false;
  }
  return true;
}

// The first cut of the old and the new text at or behind `at`, where the change ends; `left` stands before that place
// in the new text. What begins a text may be encoded in another way than what goes on from other text.
uint64_t Session::cut_behind(const SessionText& text, uint64_t at, Beside left) const {
  if (at == text.bytes()) return at;
  uint32_t y = text.char_at(at);
  const bool begins = at == 0;
  if (begins != left.there && (begins || seam(text.char_at(text.place_before(at)), y)) && (!left.there || seam(left.c, y))) {
    return at;
  }
  for (uint64_t p = text.place_behind(at); p < text.bytes(); p = text.place_behind(p)) {
    const uint32_t x = y;
    y = text.char_at(p);
    if (seam(x, y)) return p;
  }
  return text.bytes();
}

// --- operations ---

Patch Session::append(Text text) {
  const Lock lock(*mutex_);
  const uint64_t end = state_->text.bytes();
  return edit_at(end, end, text);
}

Patch Session::edit(uint64_t start, uint64_t stop, Text text) {
  const Lock lock(*mutex_);
  return edit_chars(start, stop, text);
}

std::optional<Patch> Session::edit_at_version(uint64_t version, uint64_t start, uint64_t stop, Text text) {
  const Lock lock(*mutex_);
  if (version != version_) return std::nullopt;
  return edit_chars(start, stop, text);
}

Patch Session::edit_chars(uint64_t start, uint64_t stop, Text text) {
  const SessionText& old = state_->text;
  if (start > stop || stop > old.chars()) throw std::out_of_range("no range of characters of the text");
  const uint64_t first = old.byte_at(start);
  return edit_at(first, start == stop ? first : old.byte_at(stop), text);
}

Patch Session::edit_bytes(uint64_t start, uint64_t stop, Text text) {
  const Lock lock(*mutex_);
  const SessionText& old = state_->text;
  const auto between = [&](uint64_t byte) { return byte == old.bytes() || !old.inside_char(byte); };
  if (start > stop || stop > old.bytes() || !between(start) || !between(stop)) {
    throw std::out_of_range("no range of bytes of the text, or inside a character");
  }
  return edit_at(start, stop, text);
}

Patch Session::update(Text text) {
  const Lock lock(*mutex_);
  const SessionText& old = state_->text;
  const uint64_t front = old.common_front(text.data, text.size);
  const uint64_t back = old.common_back(text.data, text.size, std::min(old.bytes(), text.size) - front);
  return edit_at(front, old.bytes() - back, {text.data + front, text.size - back - front});
}

Patch Session::edit_at(uint64_t start, uint64_t stop, Text given) {
  const SessionText& old = state_->text;
  const uint64_t size = old.bytes();
  check_size(size - (stop - start) + given.size);
  Beside right{given.size != 0, 0}, left = right;
  if (given.size != 0) {
    right.c = char_at(given.data);
    left.c = char_before(given.end());
  } else {
    right = {stop < size, stop < size ? old.char_at(stop) : 0};
    left = {start > 0, start > 0 ? old.char_at(old.place_before(start)) : 0};
  }
  if (start == size && given.size != 0 && no_seam_near(old, size, right.c)) {
    if (std::optional<Patch> patch = append_to_window(given)) return *std::move(patch);
  }
  const uint64_t lo = cut_before(old, start, right), hi = cut_behind(old, stop, left);
  std::vector<uint8_t> part((start - lo) + given.size + (hi - stop));
  old.copy(lo, start, part.data());
  if (given.size != 0) std::memcpy(part.data() + (start - lo), given.data, given.size);
  old.copy(stop, hi, part.data() + (start - lo) + given.size);

  const uint64_t before = old.chars_between(lo, start), behind = old.chars_between(stop, hi);
  const uint64_t chars = chars_in(given.data, given.end());
  const bool missed = (lo == 0 && start > 0) || (hi == size && stop < size);
  const SessionStats stats = stats_.with(chars, before + chars + behind, std::max(before, behind), missed);

  Tokens fresh = encode_part({part.data(), part.size()}, lo > 0, lo);
  Patch patch = put(lo, hi, start, stop, given, fresh);
  stats_ = stats;
  return patch;
}

// Appends by a window of the end of the text, if that can be done (`append_window.h`).
std::optional<Patch> Session::append_to_window(Text given) {
  const View& v = engine_->view();
  const SessionState& old = *state_;
  if (!has_windows(v)) return std::nullopt;
  const std::optional<Window> window = window_at_end(old, window_size(v), given);
  if (!window || !cut_but_for_pattern(v, view_, *window)) return std::nullopt;
  const std::optional<Settled> settled = settled_in(v, window->begin(), window->end());
  if (!settled) return std::nullopt;

  Tokens fresh = encode_part({window->begin(), window->copy.size() - window->margin}, true, window->start);
  if (!ends_settled(v, *settled, *window, fresh.literal)) return std::nullopt;
  const std::optional<size_t> met = meeting(old, *window, fresh, settled->bytes);
  if (!met) return std::nullopt;

  const uint64_t before = old.text.chars_between(window->start, window->stop), added = chars_in(given.data, given.end());
  const SessionStats stats = stats_.with(added, before + added, before, false);
  const uint64_t kept = uint64_t{fresh.places[*met].start} + fresh.places[*met].size;
  fresh.drop_front(*met + 1);
  Patch patch = put(kept, window->stop, window->stop, window->stop, given, fresh);
  stats_ = stats;
  return patch;
}

Patch Session::concat(Session& given) {
  std::unique_lock<std::mutex> lock(*mutex_, std::defer_lock), other(*given.mutex_, std::defer_lock);
  if (mutex_ == given.mutex_) {
    lock.lock();
  } else {
    std::lock(lock, other);
  }
  const std::shared_ptr<const SessionState> theirs = given.state_;  // stays as it is, even if it is this session's
  const SessionText& old = state_->text;
  const uint64_t end = old.bytes(), added = theirs->text.bytes();
  check_size(end + added);
  const Beside right{added != 0, added != 0 ? theirs->text.char_at(0) : 0};
  const Beside left{end != 0, end != 0 ? old.char_at(old.place_before(end)) : 0};
  const uint64_t lo = cut_before(old, end, right), hi = cut_behind(theirs->text, 0, left);
  std::vector<uint8_t> text(added);
  theirs->text.copy(0, added, text.data());
  std::vector<uint8_t> part((end - lo) + hi);
  old.copy(lo, end, part.data());
  std::copy(text.data(), text.data() + hi, part.data() + (end - lo));

  const uint64_t before = old.chars_between(lo, end), behind = theirs->text.chars_between(0, hi);
  const bool missed = (lo == 0 && end > 0) || (hi == added && added > 0);
  const SessionStats stats = stats_.with(theirs->text.chars(), before + behind, std::max(before, behind), missed);

  Tokens fresh = encode_part({part.data(), part.size()}, lo > 0, lo);
  const uint64_t first = theirs->places.before(hi), count = theirs->ids.size() - first;
  uint32_t* to = fresh.ids.room(count);
  theirs->ids.copy(first, first + count, to);
  fresh.ids.end_at(to + count);
  for (uint64_t k = first; k < first + count; ++k) {
    Places::Place place = theirs->places[k];
    place.start += static_cast<uint32_t>(end);
    fresh.places.push_back(place);
  }
  Patch patch = put(lo, end, end, end, {text.data(), added}, fresh);
  stats_ = stats;
  return patch;
}

// The tokens of a part of the text that begins at the byte `lo`.
Tokens Session::encode_part(Text part, bool inside, uint64_t lo) const {
  Tokens found;
  Spans spans;
  std::vector<Taken> taken;
  engine_->encode_placed(part, inside, found.ids, spans, taken);
  found.places = places_of(spans, lo);
  found.literal = taken.empty() ? lo + part.size : found.places[taken[0].place].start;
  return found;
}

// Puts the tokens in the place of those from the byte `lo` up to `hi`, and the text in its place.
Patch Session::put(uint64_t lo, uint64_t hi, uint64_t start, uint64_t stop, Text text, Tokens& fresh) {
  SessionState& state = own();
  const uint64_t count = state.ids.size();
  const uint64_t front = state.places.before(lo);
  const uint64_t behind = hi < state.text.bytes() ? state.places.before(hi) : count;
  if (behind < front) throw std::logic_error("tokens that do not fit their text");  // which the caller gave
  state.text.reserve(text.size);
  state.ids.reserve(fresh.ids.count());
  state.places.reserve(fresh.places.size());
  state.text.replace(start, stop, text.data, text.size);
  state.ids.replace(front, behind, fresh.ids.data(), fresh.ids.count());
  state.places.replace(front, behind, fresh.places, state.text.bytes());
  return {front, std::move(fresh.ids), count - behind, ++version_};
}

}  // namespace vt
