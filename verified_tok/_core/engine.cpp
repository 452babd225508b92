#include "engine.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "encode_piece.h"
#include "literals.h"
#include "merge_many.h"
#include "next_piece.h"
#include "normalizer.h"
#include "piece_cache.h"
#include "segments.h"
#include "share.h"

namespace vt {

class Scratch {
 public:
  explicit Scratch(const View& view) : normalizer(view) {
    if (view.model_options_count == 0 || view.model_options[model_of_chars] == 0) return;
    runs = std::make_unique<PieceCache>();
    work.runs = runs.get();
  }

  Normalizer normalizer;
  HostWork work;
  PieceCache cache;
  std::unique_ptr<PieceCache> runs;
  Ids ids;
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

// Writes tokens one behind the other.
struct Writer {
  static constexpr bool places = false;
  uint32_t* to;
  void put(uint32_t token, uint32_t, uint32_t) { *to++ = token; }
};

struct PlaceWriter {
  static constexpr bool places = true;
  std::vector<Row>& rows;
  void put(uint32_t token, uint32_t start, uint32_t stop) { rows.push_back({token, start, stop}); }
};

// A piece on its way: pieces are cut a few ahead, so that the tables are on their way from memory when they are needed.
struct Ahead {
  const uint8_t* begin;
  uint32_t size;
  Key key;  // of a short piece
  uint64_t hash;
};

// Fills in place: a copy of what was just written in parts would wait for the parts (measured: 15 cycles a piece).
inline void look_ahead(ShortEntries entries, Piece piece, const uint8_t* limit, const PieceCache& cache, Ahead& ahead) {
  const uint32_t size = static_cast<uint32_t>(piece.end - piece.begin);
  ahead.begin = piece.begin;
  ahead.size = size;
  if (size <= short_limit) {
    const Key key = short_key(piece.begin, size, limit);
    const uint64_t hash = short_hash(key);
    prefetch_short_entry(entries, hash);
    ahead.key.low = key.low;
    ahead.key.high = key.high;
    ahead.hash = hash;
  } else if (size <= PieceCache::longest) {
    ahead.hash = long_hash(piece.begin, size);
    cache.prefetch(ahead.hash);
  } else {
    ahead.hash = 0;
  }
}

// Writes the tokens of a piece that is no short entry.
uint32_t* encode_rare(const View& v, const Ahead& piece, const uint8_t* limit, Scratch& scratch, uint32_t* to) {
  uint32_t count;
  if (const uint32_t* kept = scratch.cache.find(piece.begin, piece.size, piece.hash, count)) {
    for (uint32_t k = 0; k < count; ++k) to[k] = kept[k];
    return to + count;
  }
  Writer writer{to};
  encode_piece(v, piece.begin, piece.size, limit, scratch.work, writer);
  scratch.cache.keep(piece.begin, piece.size, piece.hash, to, static_cast<uint32_t>(writer.to - to));
  return writer.to;
}

// Writes the tokens of a piece, and returns where they end. There must be room for as many as it has bytes.
inline uint32_t* encode_ahead(const View& v, ShortEntries entries, const Ahead& piece, const uint8_t* limit,
                              Scratch& scratch, uint32_t* to) {
  if (piece.size <= short_limit) {
    const Entry entry = short_entry(entries, piece.key, piece.hash);
    if (entry.token != no_token) {
      *to = entry.token;
      return to + 1;
    }
  }
  return encode_rare(v, piece, limit, scratch, to);
}

constexpr size_t pieces_ahead = 32;

// Calls `each` for every piece, as it was looked ahead at.
template <class Each>
void each_piece(const View& view, const uint8_t* begin, const uint8_t* end, const uint8_t* limit,
                const PieceCache& cache, Each each) {
  const ShortEntries entries = short_entries_of(view);
  Ahead ahead[pieces_ahead];
  Cursor cursor{};
  for (const uint8_t* at = begin; at < end;) {
    size_t count = 0;
    while (count < pieces_ahead && at < end) {
      const Piece piece = next_piece(view, at, end, cursor);
      at = piece.end;
      if (piece.begin < piece.end) look_ahead(entries, piece, limit, cache, ahead[count++]);
    }
    for (size_t k = 0; k < count; ++k) {
      if (ahead[k].size > short_limit) cache.prefetch_piece(ahead[k].hash);
    }
    for (size_t k = 0; k < count; ++k) each(entries, ahead[k]);
  }
}

void encode_into(const View& view, Text text, bool inside, Scratch& scratch, Ids& ids) {
  each_part<false>(
      view, text, inside, scratch.normalizer,
      [&](const Normal& normal, const uint8_t* begin, const uint8_t* end, const uint8_t*) {
        uint32_t* to = ids.room(static_cast<uint64_t>(end - begin));
        each_piece(view, begin, end, normal.end, scratch.cache,
                   [&](ShortEntries entries, const Ahead& piece) { to = encode_ahead(view, entries, piece, normal.end, scratch, to); });
        ids.end_at(to);
      },
      [&](const Part& token, const Normal&, const uint8_t*) { ids.add(static_cast<uint32_t>(token.id)); });
}

// The tokens of a piece and their places: by the lengths of the tokens, where these tell, else by another run.
void encode_places(const View& v, ShortEntries entries, const Ahead& piece, const uint8_t* limit, Scratch& scratch, std::vector<Row>& rows) {
  rows.clear();
  if (v.model_options[model_exact_lengths] != 0) {
    Ids& ids = scratch.ids;
    uint32_t* first = ids.room(piece.size);
    uint32_t* last = encode_ahead(v, entries, piece, limit, scratch, first);
    uint32_t at = 0;
    for (const uint32_t* id = first; id < last; ++id) {
      if (*id == v.model_options[model_unknown]) at = piece.size + 1;  // it may cover anything
      const uint32_t length = *id < v.token_lengths_count ? v.token_lengths[*id] : 0;
      rows.push_back({*id, at, at + length});
      at += length;
    }
    if (at == piece.size) return;
    rows.clear();
  }
  PlaceWriter writer{rows};
  encode_piece(v, piece.begin, piece.size, limit, scratch.work, writer);
}

}  // namespace

Engine::Engine(std::vector<Image::Ptr> images) : images_(std::move(images)), view_{} {
  for (const Image::Ptr& image : images_) look_into(view_, image->data(), image->data());
}

Engine::~Engine() = default;

void Engine::encode(Text text, bool inside, Ids& ids) const {
  Lease lease(*this);
  encode_into(view_, text, inside, *lease, ids);
}

uint64_t Engine::count(Text text) const {
  Lease lease(*this);
  Scratch& scratch = *lease;
  uint64_t count = 0;
  each_part<false>(
      view_, text, false, scratch.normalizer,
      [&](const Normal& normal, const uint8_t* begin, const uint8_t* end, const uint8_t*) {
        each_piece(view_, begin, end, normal.end, scratch.cache, [&](ShortEntries entries, const Ahead& piece) {
          uint32_t* first = scratch.ids.room(piece.size);
          count += static_cast<uint64_t>(encode_ahead(view_, entries, piece, normal.end, scratch, first) - first);
        });
      },
      [&](const Part&, const Normal&, const uint8_t*) { ++count; });
  return count;
}

void Engine::normalize(Text text, ByteBuffer& normalized) const {
  Lease lease(*this);
  const auto add = [&](const uint8_t* begin, const uint8_t* end) { normalized.add(begin, static_cast<uint64_t>(end - begin)); };
  each_part<false>(
      view_, text, false, (*lease).normalizer,
      [&](const Normal&, const uint8_t* begin, const uint8_t* end, const uint8_t*) { add(begin, end); },
      [&](const Part& token, const Normal&, const uint8_t*) { add(token.literal, token.literal_end); });
}

void Engine::encode_placed(Text text, bool inside, Ids& ids, Spans& spans, std::vector<Taken>& taken) const {
  Lease lease(*this);
  Scratch& scratch = *lease;
  std::vector<Row> rows;
  each_part<true>(
      view_, text, inside, scratch.normalizer,
      [&](const Normal& normal, const uint8_t* begin, const uint8_t* end, const uint8_t* at) {
        const int64_t before = at - text.data;
        Sources sources(normal);
        each_piece(view_, begin, end, normal.end, scratch.cache, [&](ShortEntries entries, const Ahead& piece) {
          encode_places(view_, entries, piece, normal.end, scratch, rows);
          const uint32_t place = static_cast<uint32_t>(piece.begin - normal.begin);
          for (const Row& row : rows) {
            const Source source = sources.hull(place + row.start, place + row.stop);
            ids.add(row.token);
            spans.push_back(before + source.start);
            spans.push_back(before + source.stop);
          }
        });
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

constexpr uint64_t share_size = 1 << 17;  // bytes of texts that a thread takes at once

// Texts that follow one another, and their ids.
struct Share {
  size_t first;
  size_t behind;
  Ids ids;
};

}  // namespace

void Engine::encode_all(const std::vector<Text>& texts, const std::vector<uint32_t>& before,
                        const std::vector<uint32_t>& after, uint32_t threads, Ids& ids,
                        std::vector<int64_t>& offsets) const {
  std::vector<Share> shares;
  uint64_t size = share_size;
  for (size_t k = 0; k < texts.size(); ++k) {
    if (size >= share_size) {
      shares.push_back({k, k, Ids()});
      size = 0;
    }
    shares.back().behind = k + 1;
    size += texts[k].size + 64;  // an empty text is work, too
  }
  offsets.assign(texts.size() + 1, 0);
  std::atomic<size_t> next{0};
  share(std::min<size_t>(threads, shares.size()), [&] {
    Lease lease(*this);
    for (size_t s; (s = next.fetch_add(1)) < shares.size();) {
      Share& part = shares[s];
      for (size_t k = part.first; k < part.behind; ++k) {
        const uint64_t start = part.ids.count();
        for (uint32_t id : before) part.ids.add(id);
        encode_into(view_, texts[k], false, *lease, part.ids);
        for (uint32_t id : after) part.ids.add(id);
        offsets[k + 1] = static_cast<int64_t>(part.ids.count() - start);
      }
    }
  });
  for (size_t k = 0; k < texts.size(); ++k) offsets[k + 1] += offsets[k];
  if (shares.size() == 1) {
    ids = std::move(shares[0].ids);
    return;
  }
  ids.room(static_cast<uint64_t>(offsets.back()));
  for (Share& share : shares) {
    ids.add(share.ids);
    share.ids = Ids();
  }
}

std::vector<Row> encode_piece_placed(const View& view, Text piece) {
  HostWork work;
  std::vector<Row> rows;
  PlaceWriter writer{rows};
  encode_piece(view, piece.data, static_cast<uint32_t>(piece.size), piece.end(), work, writer);
  return rows;
}

}  // namespace vt
