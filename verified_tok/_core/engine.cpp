#include "engine.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "joined_ids.h"
#include "literals.h"
#include "normalizer.h"
#include "piece_batch.h"
#include "segments.h"
#include "share.h"

namespace vt {

class Scratch {
 public:
  explicit Scratch(const View& view) : normalizer(view), changes(view), memory(view) {}

  Normalizer normalizer;
  Changes changes;
  PieceMemory memory;
  Ids ids;
  ByteBuffer utf8;

  void give_back() {
    memory.work.give_back();
    if (ids.capacity() > many_ids) ids = Ids();
    if (utf8.capacity() > many_bytes) utf8 = ByteBuffer();
  }

 private:
  static constexpr uint64_t many_ids = 1 << 20, many_bytes = 1 << 22;  // to keep room for
};

// A scratch for as long as one call runs.
class Lease {
 public:
  explicit Lease(const Engine& engine) : engine_(engine) {
    {
      const std::lock_guard<std::mutex> lock(engine.mutex_);
      if (!engine.idle_.empty()) {
        scratch_ = std::move(engine.idle_.back());
        engine.idle_.pop_back();
      }
    }
    if (!scratch_) scratch_ = std::make_unique<Scratch>(engine.view_);
  }
  ~Lease() {
    scratch_->give_back();
    const std::lock_guard<std::mutex> lock(engine_.mutex_);
    engine_.idle_.push_back(std::move(scratch_));
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  Scratch& operator*() { return *scratch_; }

 private:
  const Engine& engine_;
  std::unique_ptr<Scratch> scratch_;
};

namespace {

constexpr uint64_t behind_tokens = FewTokens::most;  // words that are written behind the tokens of a piece

void encode_into(const View& view, Text text, bool inside, Scratch& scratch, Ids& ids) {
  each_part<false>(
      view, text, inside, scratch.normalizer, &scratch.changes,
      [&](const Normal& normal, const uint8_t* begin, const uint8_t* end, const uint8_t*) {
        uint32_t* to = ids.room(static_cast<uint64_t>(end - begin) + behind_tokens);
        PieceBatch<false> batch(view, begin, end, normal.end, scratch.memory);
        while (batch.next()) {
          for (size_t k = 0; k < batch.count(); ++k) to = batch.write(k, to);
        }
        ids.end_at(to);
      },
      [&](const Part& token, const Normal&, const uint8_t*) { ids.add(static_cast<uint32_t>(token.id)); });
}

// Calls `put(start, stop)` for each token of some bytes, as the lengths of the tokens tell their places. False, and what
// was put is void: they do not tell.
template <class Put>
bool places_by_length(const View& v, uint32_t size, const uint32_t* id, const uint32_t* last, Put put) {
  if (v.model_options[model_exact_lengths] == 0) return false;
  const uint32_t unknown = v.model_options[model_unknown];  // it may cover anything
  uint32_t at = 0;
  for (; id < last; ++id) {
    if (*id == unknown || *id >= v.token_lengths_count) return false;
    const uint32_t start = at;
    at += v.token_lengths[*id];
    put(start, at);
  }
  return at == size;
}

}  // namespace

Engine::Engine(std::vector<Image::Ptr> images) : images_(std::move(images)), view_{} {
  for (const Image::Ptr& image : images_) look_into(view_, image->data(), image->data());
}

Engine::~Engine() = default;

void Engine::encode(const Chars& chars, bool inside, Ids& ids) const {
  Lease lease(*this);
  Scratch& scratch = *lease;
  encode_into(view_, as_utf8(chars, scratch.utf8), inside, scratch, ids);
}

uint64_t Engine::count(const Chars& chars) const {
  Lease lease(*this);
  Scratch& scratch = *lease;
  uint64_t count = 0;
  each_part<false>(
      view_, as_utf8(chars, scratch.utf8), false, scratch.normalizer, &scratch.changes,
      [&](const Normal& normal, const uint8_t* begin, const uint8_t* end, const uint8_t*) {
        PieceBatch<true> batch(view_, begin, end, normal.end, scratch.memory);
        while (batch.next()) {
          for (size_t k = 0; k < batch.count(); ++k) {
            const Piece& piece = batch.piece(k);
            uint32_t* first = scratch.ids.room(static_cast<uint64_t>(piece.end - piece.begin) + behind_tokens);
            count += static_cast<uint64_t>(batch.write(k, first) - first);
          }
        }
      },
      [&](const Part&, const Normal&, const uint8_t*) { ++count; });
  return count;
}

void Engine::normalize(Text text, ByteBuffer& normalized) const {
  Lease lease(*this);
  const auto add = [&](const uint8_t* begin, const uint8_t* end) { normalized.add(begin, static_cast<uint64_t>(end - begin)); };
  each_part<false>(
      view_, text, false, (*lease).normalizer, nullptr,
      [&](const Normal&, const uint8_t* begin, const uint8_t* end, const uint8_t*) { add(begin, end); },
      [&](const Part& token, const Normal&, const uint8_t*) { add(token.literal, token.literal_end); });
}

void Engine::encode_placed(Text text, bool inside, Ids& ids, Spans& spans, std::vector<Taken>& taken) const {
  Lease lease(*this);
  Scratch& scratch = *lease;
  std::vector<Row> rows;
  each_part<true>(
      view_, text, inside, scratch.normalizer, &scratch.changes,
      [&](const Normal& normal, const uint8_t* begin, const uint8_t* end, const uint8_t* at) {
        const int64_t before = at - text.data;
        Sources sources(normal);
        const uint32_t place = static_cast<uint32_t>(begin - normal.begin), size = static_cast<uint32_t>(end - begin);
        // As if nobody asked for places: nearly always these follow from the ids.
        uint32_t* first = ids.room(uint64_t{size} + behind_tokens);
        uint32_t* last = first;
        for (PieceBatch<false> batch(view_, begin, end, normal.end, scratch.memory); batch.next();) {
          for (size_t k = 0; k < batch.count(); ++k) last = batch.write(k, last);
        }
        const size_t known = spans.size();
        spans.resize(known + 2 * static_cast<size_t>(last - first));
        int64_t* to = spans.data() + known;
        const auto put = [&](Source source) {
          *to++ = before + source.start;
          *to++ = before + source.stop;
        };
        const bool told =
            normal.run_count == 0
                ? places_by_length(view_, size, first, last,
                                   [&](uint32_t start, uint32_t stop) { put({place + start, place + stop}); })
                : places_by_length(view_, size, first, last, [&](uint32_t start, uint32_t stop) {
                    put(sources.hull(place + start, place + stop));
                  });
        if (told) return ids.end_at(last);
        spans.resize(known);
        for (PieceBatch<true> batch(view_, begin, end, normal.end, scratch.memory); batch.next();) {
          for (size_t k = 0; k < batch.count(); ++k) {
            const Piece& piece = batch.piece(k);
            const uint32_t length = static_cast<uint32_t>(piece.end - piece.begin);
            uint32_t* id = scratch.ids.room(length + behind_tokens);
            uint32_t* end_id = batch.write(k, id);
            rows.clear();
            if (!places_by_length(view_, length, id, end_id, [&](uint32_t start, uint32_t stop) {
                  rows.push_back({*id++, start, stop});
                })) {
              rows.clear();
              PlaceWriter writer{rows};
              encode_piece(view_, piece.begin, length, normal.end, scratch.memory.work, writer);
            }
            const uint32_t inner = static_cast<uint32_t>(piece.begin - normal.begin);
            for (const Row& row : rows) {
              const Source source = sources.hull(inner + row.start, inner + row.stop);
              ids.add(row.token);
              spans.push_back(before + source.start);
              spans.push_back(before + source.stop);
            }
          }
        }
      },
      [&](const Part& token, const Normal& normal, const uint8_t* at) {
        const int64_t before = at - text.data;
        taken.push_back({ids.count(), std::string(token.begin, token.end)});
        const Source source = Sources(normal).hull(static_cast<uint32_t>(token.begin - normal.begin),
                                                   static_cast<uint32_t>(token.end - normal.begin));
        ids.add(static_cast<uint32_t>(token.id));
        spans.push_back(before + source.start);
        spans.push_back(before + source.stop);
      });
}

namespace {

constexpr uint64_t share_size = 1 << 17;  // characters of texts that a thread takes at once

}  // namespace

void Engine::encode_all(size_t count, const std::function<Chars(size_t)>& text, const std::vector<uint32_t>& before,
                        const std::vector<uint32_t>& after, uint32_t threads, Ids& ids,
                        std::vector<int64_t>& offsets) const {
  std::vector<size_t> firsts;  // the first text of each share
  uint64_t size = share_size;
  for (size_t k = 0; k < count; ++k) {
    if (size >= share_size) {
      firsts.push_back(k);
      size = 0;
    }
    size += text(k).count + 64;  // an empty text is work, too
  }
  std::vector<Ids> found(firsts.size());
  firsts.push_back(count);
  offsets.assign(count + 1, 0);
  std::atomic<size_t> next{0};
  share(std::min<size_t>(threads, found.size()), [&] {
    Lease lease(*this);
    Scratch& scratch = *lease;
    for (size_t s; (s = next.fetch_add(1)) < found.size();) {
      for (size_t k = firsts[s]; k < firsts[s + 1]; ++k) {
        const uint64_t start = found[s].count();
        for (uint32_t id : before) found[s].add(id);
        encode_into(view_, as_utf8(text(k), scratch.utf8), false, scratch, found[s]);
        for (uint32_t id : after) found[s].add(id);
        offsets[k + 1] = static_cast<int64_t>(found[s].count() - start);
      }
    }
  });
  for (size_t k = 0; k < count; ++k) offsets[k + 1] += offsets[k];
  ids = joined(found, threads);
}

std::vector<Row> encode_piece_placed(const View& view, Text piece) {
  HostWork work;
  std::vector<Row> rows;
  PlaceWriter writer{rows};
  encode_piece(view, piece.data, static_cast<uint32_t>(piece.size), piece.end(), work, writer);
  return rows;
}

}  // namespace vt
