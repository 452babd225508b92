#include "model_build.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "cuts.h"
#include "encode_piece.h"
#include "pair_table_build.h"
#include "rule_index.h"
#include "search_run.h"
#include "token_index.h"

namespace vt {

namespace {

// Takes tokens and forgets their places.
struct Collected {
  static constexpr bool places = false;
  std::vector<uint32_t> tokens;
  void put(uint32_t token, uint32_t, uint32_t) { tokens.push_back(token); }
};

uint32_t bits_for(uint64_t count) {
  uint32_t bits = 0;
  while ((1ull << bits) < count) ++bits;
  return bits;
}

// The bytes of a token of a source.
std::string_view token_of(const ModelSource& source, size_t k) {
  const char* bytes = reinterpret_cast<const char*>(source.bytes.data());
  return {bytes + source.offsets[k], static_cast<size_t>(source.offsets[k + 1] - source.offsets[k])};
}

constexpr size_t few_waiting = 32;  // look-ups that are begun before the first is finished
constexpr uint32_t filter_bits_a_token = 4;  // 2 ** this many bits

class Builder {
 public:
  explicit Builder(ModelSource&& source)
      : source_(std::move(source)), rules_(std::move(source_.rules)), options_(model_option_count, 0) {
    uint32_t largest = 0;
    for (uint32_t id : source_.ids) largest = std::max(largest, id);
    for (size_t k = 0; k < rules_.size(); k += 4) {
      for (size_t part : {k, k + 1, k + 3}) largest = std::max(largest, rules_[part]);
    }
    if (source_.unknown != no_token) largest = std::max(largest, source_.unknown);
    for (uint32_t id : source_.fallback_symbols) {
      if (id != no_token) largest = std::max(largest, id);
    }
    options_[model_of_chars] = source_.of_chars;
    options_[model_unknown] = source_.unknown;
    options_[model_fuses_unknown] = source_.fuses_unknown;
    if (largest >> PairTable::id_bits != 0) throw std::length_error("ids of 2 ** 21 and above");
    index_.assign(largest + 1ull, no_token);
    for (uint32_t k = 0; k < source_.ids.size(); ++k) {
      if (!bytes_of(k).empty()) index_[source_.ids[k]] = k;
    }
    tables_.byte_symbols = source_.byte_symbols;
    tables_.byte_symbols.resize(256, no_token);
    tables_.fallback_symbols = source_.fallback_symbols;
  }

  ModelTables build() {
    tables_.char_pages.assign(0x110000 >> 8, 0);
    tables_.char_tokens.assign(256, no_token);
    join_everything();
    set_no_entries();
    for (size_t k = 0; k < source_.char_codes.size(); ++k) set_char(source_.char_codes[k], source_.char_tokens[k]);
    find_births(take_rules());
    const bool telling = tokens_tell();
    if (telling) {
      drop_dead_rules();
      if (rank_by_tokens()) fill_byte_ranks();
    }
    fill_pairs();
    if (!source_.of_chars) set_entries_of_chars();
    fill_joins();
    fill_entries();
    if (telling) fill_cuts();
    fill_prefixes();
    fill_lengths();
    tables_.model_options = options_;
    return std::move(tables_);
  }

 private:
  std::string_view bytes_of(uint32_t k) const { return token_of(source_, k); }

  // A view of the tables as far as they are made.
  View view() const {
    View v{};
    v.model_options = options_.data();
    v.byte_symbols = tables_.byte_symbols.data();
    v.fallback_symbols = tables_.fallback_symbols.data();
    v.fallback_symbols_count = tables_.fallback_symbols.size();
    v.char_pages = tables_.char_pages.data();
    v.char_tokens = tables_.char_tokens.data();
    v.pair_pilots = tables_.pair_pilots.data();
    v.pair_pilots_count = tables_.pair_pilots.size();
    v.pair_slots = tables_.pair_slots.data();
    v.pair_slots_count = tables_.pair_slots.size();
    v.pair_results = tables_.pair_results.data();
    v.pair_results_count = tables_.pair_results.size();
    v.join_bits = tables_.join_bits.data();
    v.short_entries = tables_.short_entries.data();
    v.long_slots = tables_.long_slots.data();
    v.long_entries = tables_.long_entries.data();
    return v;
  }

  // Drops the rules, told by where they begin, that are not to be kept.
  template <class Keeps>
  void keep_rules(Keeps keeps) {
    size_t kept = 0;
    for (size_t k = 0; k < rules_.size(); k += 4) {
      if (!keeps(k)) continue;
      if (kept != k) std::copy_n(&rules_[k], 4, &rules_[kept]);
      kept += 4;
    }
    rules_.resize(kept);
  }

  // Drops the later rules of a pair, and gives the ranks of the others.
  RuleIndex take_rules() {
    constexpr size_t ahead = 16 * 4;  // rules whose places are being fetched
    RuleIndex ranks(rules_.size() / 4);
    keep_rules([&](size_t k) {
      if (rules_[k + 2] >= PairTable::rank_limit) throw std::length_error("ranks of 2 ** 22 and above");
      if (k + ahead < rules_.size()) ranks.prefetch(rules_[k + ahead], rules_[k + ahead + 1]);
      return ranks.put(rules_[k], rules_[k + 1], rules_[k + 2]);
    });
    set_results();
    return ranks;
  }

  // What the rules of each rank make.
  void set_results() {
    uint32_t ranks = 0;
    for (size_t k = 0; k < rules_.size(); k += 4) ranks = std::max(ranks, rules_[k + 2] + 1);
    tables_.pair_results.assign(ranks, no_token);
    for (size_t k = 0; k < rules_.size(); k += 4) tables_.pair_results[rules_[k + 2]] = rules_[k + 3];
  }

  void fill_pairs() {
    set_results();
    PairTableBuilder pairs(rules_);
    tables_.pair_pilots = std::move(pairs.pilots);
    tables_.pair_slots = std::move(pairs.slots);
  }

  void set_char(uint32_t code, uint32_t token) {
    uint16_t& page = tables_.char_pages[code >> 8];
    if (page == 0) {
      page = static_cast<uint16_t>(tables_.char_tokens.size() >> 8);
      tables_.char_tokens.resize(tables_.char_tokens.size() + 256, no_token);
    }
    tables_.char_tokens[static_cast<size_t>(page) << 8 | (code & 0xFF)] = token;
  }

  // Takes the symbols of token k's bytes; false if some have no symbol of their own.
  bool symbols_of(uint32_t k, std::vector<uint32_t>& symbols) const {
    const std::string_view bytes = bytes_of(k);
    const uint8_t* at = reinterpret_cast<const uint8_t*>(bytes.data());
    const uint8_t* end = at + bytes.size();
    symbols.clear();
    while (at < end) {
      const uint32_t symbol = source_.of_chars ? char_token(view_of_chars(), char_at(at)) : tables_.byte_symbols[*at];
      if (symbol == no_token) return false;
      symbols.push_back(symbol);
      at += source_.of_chars ? char_size(*at) : 1;
    }
    return !symbols.empty();
  }

  // What is noted of the merges of a token: the last one, and whether none had a lower rank than the one before.
  struct Made {
    Birth last{no_token, no_token, 0};
    bool grows = true;

    void merge(uint32_t left, uint32_t right, uint32_t rank) {
      grows = grows && rank + 1 >= last.born;
      last = {left, right, rank + 1};
    }
  };

  // Merges the symbols of one token, a merge at a time.
  class Merging {
   public:
    // Begins with the symbols of token k, which are few.
    void start(const RuleIndex& rules, uint32_t k, const std::vector<uint32_t>& symbols) {
      token_ = k;
      made_ = {};
      pairs_ = static_cast<uint32_t>(symbols.size() - 1);
      std::copy(symbols.begin(), symbols.end(), symbols_);
      ask(rules, 0, pairs_);
    }

    // Makes the next merge; false if there is none.
    bool step(const RuleIndex& rules, const std::vector<uint32_t>& results) {
      for (uint32_t i = asked_; i < asked_stop_; ++i) ranks_[i] = rules.rank(symbols_[i], symbols_[i + 1]);
      const uint32_t place = static_cast<uint32_t>(std::min_element(ranks_, ranks_ + pairs_) - ranks_);
      if (place == pairs_ || ranks_[place] == no_rank) return false;
      made_.merge(symbols_[place], symbols_[place + 1], ranks_[place]);
      symbols_[place] = results[ranks_[place]];
      --pairs_;
      for (uint32_t i = place; i < pairs_; ++i) {
        symbols_[i + 1] = symbols_[i + 2];
        ranks_[i] = ranks_[i + 1];
      }
      ask(rules, place == 0 ? 0 : place - 1, std::min(place + 1, pairs_));
      return true;
    }

    uint32_t token() const { return token_; }
    const uint32_t* symbols() const { return symbols_; }
    uint32_t count() const { return pairs_ + 1; }
    const Made& made() const { return made_; }

   private:
    // Begins to fetch what tells the ranks of the symbols from `start` up to `stop` with those behind them.
    void ask(const RuleIndex& rules, uint32_t start, uint32_t stop) {
      for (uint32_t i = asked_ = start; i < stop; ++i) rules.prefetch(symbols_[i], symbols_[i + 1]);
      asked_stop_ = stop;
    }

    uint32_t token_ = 0, pairs_ = 0;
    uint32_t symbols_[few], ranks_[few];  // these of each symbol with the next one
    uint32_t asked_ = 0, asked_stop_ = 0;
    Made made_;
  };

  // The last merge that makes each token of its bytes, if merges make it; it is not for the search if ranks do not
  // grow on the way. Several tokens are merged at once, for each merge waits for memory; but each step looks at all
  // symbols of a token, so those with many are merged by themselves, in another way.
  void find_births(const RuleIndex& ranks) {
    births_.assign(index_.size(), Birth{no_token, no_token, not_born});
    last_ = births_;
    ends_.assign(index_.size(), Ends{no_token, no_token});
    alone_.assign(source_.ids.size(), Alone::unknown);
    HostWork work;
    std::vector<uint32_t> symbols;
    uint32_t next = 0;
    const auto begin = [&](Merging& m) {  // with the next token that has symbols, but not many
      for (; next < source_.ids.size(); ++next) {
        if (!symbols_of(next, symbols)) continue;
        ends_[source_.ids[next]] = {symbols.front(), symbols.back()};
        if (symbols.size() <= few) {
          m.start(ranks, next++, symbols);
          return true;
        }
        merge_many(ranks, next, symbols, work);
      }
      return false;
    };
    std::vector<Merging> several(few_waiting);
    size_t running = 0;
    while (running < several.size() && begin(several[running])) ++running;
    while (running > 0) {
      for (size_t n = 0; n < running;) {
        Merging& m = several[n];
        if (m.step(ranks, tables_.pair_results)) {
          ++n;
          continue;
        }
        finish(m.token(), m.symbols()[0], m.count(), m.made());
        if (!begin(m)) std::swap(m, several[--running]);
      }
    }
  }

  // Merges the symbols of token k.
  void merge_many(const RuleIndex& ranks, uint32_t k, const std::vector<uint32_t>& symbols, HostWork& work) {
    while (work.capacity < symbols.size()) work.grow();
    std::copy(symbols.begin(), symbols.end(), work.symbols.token);
    Made made;
    const uint32_t left = work.merge_by<false>(ranks, tables_.pair_results.data(), static_cast<uint32_t>(symbols.size()),
                                               [&](uint32_t x, uint32_t y, uint32_t rank) { made.merge(x, y, rank); });
    finish(k, work.symbols.token[0], left, made);
  }

  // Token k has become so many tokens, and the first of them.
  void finish(uint32_t k, uint32_t first, uint32_t count, const Made& made) {
    const uint32_t id = source_.ids[k];
    const bool itself = count == 1 && first == id;
    alone_[k] = itself ? Alone::itself : Alone::other;
    if (!itself) return;
    last_[id] = made.last;
    if (made.grows && tables_.pair_results.size() + 1 < not_born) births_[id] = made.last;
  }

  // Whether tokens tell by their bytes what they are made of: symbols are bytes, every byte has one, and every rule
  // makes a token of the bytes of its two.
  bool tokens_tell() const {
    const auto& symbols = tables_.byte_symbols;
    if (source_.of_chars || std::find(symbols.begin(), symbols.end(), no_token) != symbols.end()) return false;
    constexpr size_t ahead = 16 * 4;  // rules whose tokens are being fetched
    for (size_t k = 0; k < rules_.size(); k += 4) {
      for (size_t part : {k, k + 1, k + 3}) {
        if (index_[rules_[part]] == no_token) return false;
      }
      for (size_t part = k + ahead; part < k + ahead + 2 && k + ahead < rules_.size(); ++part) {
        const uint32_t token = index_[rules_[part]];
        if (token != no_token) __builtin_prefetch(bytes_of(token).data());
      }
      const std::string_view left = bytes_of(index_[rules_[k]]), right = bytes_of(index_[rules_[k + 1]]);
      const std::string_view whole = bytes_of(index_[rules_[k + 3]]);
      if (whole.size() != left.size() + right.size() || whole.substr(0, left.size()) != left ||
          whole.substr(left.size()) != right) {
        return false;
      }
    }
    return true;
  }

  // Drops the rules that no text ever calls for. Where a rule joins two tokens, the bytes of both were merged as they
  // are merged alone, for no merge has crossed their ends; so it is the last of the merges that make its token of these
  // bytes alone, and any other rule of that token is dead (`encodePiece_liveTable`, lean/VerifiedTok/Thm/Search/Live.lean).
  // Vocabularies of ranks have twice as many rules as live ones.
  void drop_dead_rules() {
    keep_rules([&](size_t k) {
      const Birth& last = last_[rules_[k + 3]];
      return last.left == rules_[k] && last.right == rules_[k + 1];
    });
  }

  // Makes ranks of the tokens that rules make, if these are in the order of the ranks, as they mostly are.
  bool rank_by_tokens() {
    std::vector<std::pair<uint32_t, uint32_t>> order;
    for (size_t k = 0; k < rules_.size(); k += 4) order.emplace_back(rules_[k + 2], rules_[k + 3]);
    std::sort(order.begin(), order.end());
    for (size_t k = 1; k < order.size(); ++k) {
      if (order[k - 1].second >= order[k].second) return false;
    }
    for (size_t k = 0; k < rules_.size(); k += 4) rules_[k + 2] = rules_[k + 3];
    for (std::vector<Birth>* births : {&births_, &last_}) {
      for (uint32_t token = 0; token < births->size(); ++token) {
        if ((*births)[token].left != no_token) (*births)[token].born = token + 1;
      }
    }
    return true;
  }

  void fill_byte_ranks() {
    tables_.byte_ranks.assign(1 << 16, no_rank);
    for (size_t k = 0; k < rules_.size(); k += 4) {
      const std::string_view whole = bytes_of(index_[rules_[k + 3]]);
      if (whole.size() != 2) continue;
      tables_.byte_ranks[static_cast<uint8_t>(whole[0]) << 8 | static_cast<uint8_t>(whole[1])] = rules_[k + 2];
    }
  }

  void set_entries_of_chars() {
    for (uint32_t k = 0; k < source_.ids.size(); ++k) {
      const std::string_view bytes = bytes_of(k);
      const uint8_t* at = reinterpret_cast<const uint8_t*>(bytes.data());
      if (bytes.size() < 2 || is_continuation(*at) || char_size(*at) != bytes.size()) continue;
      const bool whole = std::all_of(at + 1, at + bytes.size(), is_continuation);
      const uint32_t c = whole ? char_at(at) : 0x110000;
      if (c < 0x110000 && births_[source_.ids[k]].born != not_born) set_char(c, source_.ids[k]);
    }
  }

  void join_everything() {
    options_[model_join_bits] = 6;
    tables_.join_bits.assign(1, ~0ull);
  }

  void fill_joins() {
    // Where rules take tokens that unknown characters become, tokens do not tell by their bytes what they are made of.
    std::vector<uint8_t> odd(index_.size(), 0);
    if (source_.unknown != no_token) odd[source_.unknown] = 1;
    for (uint32_t token : source_.fallback_symbols) {
      if (token != no_token) odd[token] = 1;
    }
    PairSet joined(source_.ids.size());
    for (size_t k = 0; k < rules_.size(); k += 4) {
      const uint32_t left = rules_[k], right = rules_[k + 1];
      if (odd[left] || odd[right]) return;
      const uint32_t last = ends_[left].last, first = ends_[right].first;
      if (last != no_token && first != no_token) joined.put(last, first);
    }
    // One pair in 16 bits: one in 16 of the places where no merge goes looks like one where merges may go.
    const uint32_t bits = std::max(6u, bits_for(joined.size() * 16));
    options_[model_join_bits] = bits;
    tables_.join_bits.assign(1ull << (bits - 6), 0);
    joined.each([&](uint64_t pair) {
      const uint64_t bit = join_bit(pair >> 32, static_cast<uint32_t>(pair), bits);
      tables_.join_bits[bit >> 6] |= 1ull << (bit & 63);
    });
  }

  void set_no_entries() {
    tables_.short_entries.assign(8, 0);
    options_[model_short_buckets] = 1;
    tables_.long_slots.assign(1, 0);
    tables_.long_entries.clear();
    options_[model_long_bits] = options_[model_longest] = 0;
  }

  void fill_entries() {
    HostWork work;
    std::vector<std::pair<uint32_t, uint32_t>> kept;  // index, token with its bit
    {
      const View v = view();
      Collected made;
      for (uint32_t k = 0; k < source_.ids.size(); ++k) {
        const std::string_view bytes = bytes_of(k);
        if (bytes.empty()) continue;
        const uint8_t* at = reinterpret_cast<const uint8_t*>(bytes.data());
        bool canonical = alone_[k] == Alone::itself;
        if (alone_[k] == Alone::unknown) {  // unknown characters have rules of their own
          made.tokens.clear();
          encode_runs(v, at, static_cast<uint32_t>(bytes.size()), at + bytes.size(), work, made);
          canonical = made.tokens.size() == 1 && made.tokens[0] == source_.ids[k];
        }
        if (canonical) kept.emplace_back(k, source_.ids[k]);
        else if (source_.whole[k]) kept.emplace_back(k, source_.ids[k] | only_whole_bit);
      }
    }
    uint64_t shorts = 0, longs = 0, long_words = 0, longest = 0;
    for (auto [k, token] : kept) {
      const uint64_t size = bytes_of(k).size();
      longest = std::max(longest, size);
      if (size <= short_limit) ++shorts;
      else ++longs, long_words += 1 + (size + 7) / 8;
    }
    const uint32_t long_bits = bits_for(longs * 2 + 1);
    const uint64_t buckets = shorts * 5 / 12 + 1;  // four fifths of the places are taken
    tables_.short_entries.assign(8 * buckets, 0);
    options_[model_short_buckets] = static_cast<uint32_t>(buckets);
    const ShortEntries entries{tables_.short_entries.data(), static_cast<uint32_t>(buckets)};
    tables_.long_slots.assign(1ull << long_bits, 0);
    tables_.long_entries.assign(long_words * 8, 0);
    uint64_t word = 0;
    for (auto [k, token] : kept) {
      const std::string_view bytes = bytes_of(k);
      const uint8_t* at = reinterpret_cast<const uint8_t*>(bytes.data());
      const uint32_t size = static_cast<uint32_t>(bytes.size());
      if (size <= short_limit) {
        const Key key = short_key(at, size, at + size);
        uint64_t* line = tables_.short_entries.data() + 8ull * entries.bucket_of(short_hash(key));
        while (line[5] != 0) {
          line[7] |= 1ull << 32;
          line += 8;
          if (line == tables_.short_entries.data() + tables_.short_entries.size()) line = tables_.short_entries.data();
        }
        uint32_t place = 0;
        while (line[2 * place + 1] != 0) ++place;
        line[2 * place] = key.low;
        line[2 * place + 1] = key.high;
        line[6 + place / 2] |= static_cast<uint64_t>(token) << (place % 2 * 32);
      } else {
        const uint64_t hash = long_hash(at, size);
        const uint64_t mask = (1ull << long_bits) - 1;
        uint64_t place = hash & mask;
        while (tables_.long_slots[place] != 0) place = (place + 1) & mask;
        tables_.long_slots[place] = (hash >> 32) << 32 | (word + 1);
        uint8_t* entry = tables_.long_entries.data() + word * 8;
        const uint32_t head[2] = {token, size};
        std::memcpy(entry, head, 8);
        std::memcpy(entry + 8, at, size);
        word += 1 + (size + 7) / 8;
      }
    }
    options_[model_long_bits] = long_bits;
    options_[model_longest] = static_cast<uint32_t>(longest);
  }

  // Which characters of three bytes rules join, or may join (`cuts.h`).
  void fill_cuts() {
    std::vector<uint64_t> joined;
    tables_.cut_bound.assign(2 * 0x10000 / 64, 0);
    const auto bind = [this](uint32_t c, BoundSide side) { tables_.cut_bound[c >> 5] |= 1ull << ((c & 31) * 2 + side); };
    const auto bytes_at = [](std::string_view text) { return reinterpret_cast<const uint8_t*>(text.data()); };
    for (size_t k = 0; k < rules_.size(); k += 4) {
      const std::string_view left = bytes_of(index_[rules_[k]]), right = bytes_of(index_[rules_[k + 1]]);
      if (!has_three_bytes(bytes_at(right)[0])) continue;
      // The characters that the right token begins, of which it may have a part only.
      uint8_t first[3] = {bytes_at(right)[0], 0x80, 0x80}, last[3] = {first[0], 0xBF, 0xBF};
      for (size_t i = 1; i < right.size() && i < 3; ++i) first[i] = last[i] = bytes_at(right)[i];
      size_t tail = left.size();
      while (tail > 0 && is_continuation(bytes_at(left)[tail - 1])) --tail;
      const size_t size = left.size() - tail + 1;  // of the character that the left token ends, if it has all of it
      for (uint32_t c = char_of_three(first); c <= char_of_three(last); ++c) {
        if (tail == 0) {
          bind(c, bound_before);
        } else if (size == 3 && has_three_bytes(bytes_at(left)[tail - 1])) {
          joined.push_back(static_cast<uint64_t>(char_of_three(bytes_at(left) + tail - 1)) << 16 | c);
        }
      }
    }
    // What is a token as a whole piece only is not cut, and no cut makes a part of it.
    for (uint32_t k = 0; k < source_.ids.size(); ++k) {
      const std::string_view text = bytes_of(k);
      if (!source_.whole[k] || last_[source_.ids[k]].left != no_token || text.size() < 3) continue;
      const uint8_t* at = bytes_at(text);
      const uint8_t* end = at + text.size();
      if (has_three_bytes(at[0])) bind(char_of_three(at), bound_before);
      if (has_three_bytes(end[-3])) bind(char_of_three(end - 3), bound_behind);
      for (; end - at >= 6; ++at) {
        if (!has_three_bytes(at[0]) || !has_three_bytes(at[3])) continue;
        joined.push_back(static_cast<uint64_t>(char_of_three(at)) << 16 | char_of_three(at + 3));
      }
    }
    const uint32_t bits = std::max(6u, bits_for(joined.size() * 16));
    options_[model_cut_bits] = bits;
    tables_.cut_pairs.assign(1ull << (bits - 6), 0);
    const Cuts cuts{nullptr, nullptr, 64 - bits};
    for (uint64_t pair : joined) {
      const uint64_t place = cuts.place_of(static_cast<uint32_t>(pair >> 16), pair & 0xFFFF);
      tables_.cut_pairs[place >> 6] |= 1ull << (place & 63);
    }
  }

  void fill_prefixes() {
    uint64_t total = 0;
    const auto each = [&](auto act) {  // of the prefixes of tokens: the hash, and whether it is the whole token
      for (uint32_t k = 0; k < source_.ids.size(); ++k) {
        const std::string_view bytes = bytes_of(k);
        if (births_[source_.ids[k]].born == not_born || bytes.size() > 64) continue;
        uint64_t hash = 0;
        for (size_t n = 0; n < bytes.size(); ++n) {
          hash = (hash ^ static_cast<uint8_t>(bytes[n])) * prefix_factor + prefix_summand;
          act(hash, n + 1 == bytes.size());
        }
      }
    };
    each([&](uint64_t, bool) { ++total; });
    // How many prefixes there are, but for the few whose hashes share a bit.
    uint64_t prefixes = 0;
    const uint32_t counting_bits = bits_for(total * 16 + 64);
    std::vector<uint64_t> seen(1ull << (counting_bits - 6));
    each([&](uint64_t hash, bool) {
      const uint64_t bit = hash >> (64 - counting_bits);
      prefixes += (seen[bit >> 6] >> (bit & 63) & 1) ^ 1;
      seen[bit >> 6] |= 1ull << (bit & 63);
    });
    const uint32_t bits = bits_for(prefixes * 2 + 64);
    options_[model_prefix_bits] = bits;
    tables_.prefix_cells.assign(1ull << (bits - 5), 0);
    each([&](uint64_t hash, bool whole) {
      const uint64_t cell = hash >> (64 - bits);
      tables_.prefix_cells[cell >> 5] |= (whole ? 3ull : 1ull) << ((cell & 31) * 2);
    });
    tables_.births.clear();
    for (const Birth& birth : births_) tables_.births.push_back(packed_birth(birth));
  }

  void fill_lengths() {
    tables_.token_lengths.assign(index_.size(), 0);
    for (uint32_t k = 0; k < source_.ids.size(); ++k) {
      tables_.token_lengths[source_.ids[k]] = static_cast<uint32_t>(bytes_of(k).size());
    }
    std::vector<uint8_t> made(index_.size(), 0);  // by merges, or as a whole piece
    for (size_t k = 0; k < rules_.size(); k += 4) made[rules_[k + 3]] = 1;
    for (uint32_t k = 0; k < source_.ids.size(); ++k) {
      if (source_.whole[k]) made[source_.ids[k]] = 1;
    }
    bool exact = true;
    for (uint32_t token : source_.fallback_symbols) {
      if (token == no_token) continue;
      if (made[token]) exact = false;
      tables_.token_lengths[token] = 1;
    }
    options_[model_exact_lengths] = exact;
  }

  View view_of_chars() const {
    View v{};
    v.char_pages = tables_.char_pages.data();
    v.char_tokens = tables_.char_tokens.data();
    return v;
  }

  ModelSource source_;           // without its rules
  std::vector<uint32_t> rules_;  // those of the source, without dead ones
  std::vector<Birth> births_;  // by token
  std::vector<Birth> last_;    // the same, whether ranks grow or not
  // The first and the last symbol of a token, `no_token` for a token that symbols cannot become.
  struct Ends {
    uint32_t first, last;
  };
  std::vector<Ends> ends_;  // by token
  enum class Alone : uint8_t { unknown, itself, other };
  std::vector<Alone> alone_;   // what merging makes of each token's symbols, if its bytes have symbols
  std::vector<uint32_t> options_;
  std::vector<uint32_t> index_;  // of each token that has bytes, in the source
  ModelTables tables_;
};

}  // namespace

std::vector<uint32_t> rules_of_ranks(const ModelSource& source, const std::vector<uint32_t>& banned) {
  TokenIndex index(source.bytes.data(), source.ids.size());
  for (size_t k = 0; k < source.ids.size(); ++k) index.put(token_of(source, k), source.ids[k]);
  // Nearly all that tokens begin or end with is told from a token by a bit.
  std::vector<uint64_t> bits(1ull << (bits_for(source.ids.size()) + filter_bits_a_token - 6));
  const auto bit_of = [&](uint64_t hash) { return hash >> 32 & (bits.size() * 64 - 1); };
  const auto maybe_token = [&](uint64_t hash) { return (bits[bit_of(hash) >> 6] >> (bit_of(hash) & 63) & 1) != 0; };
  for (size_t k = 0; k < source.ids.size(); ++k) {
    const uint64_t bit = bit_of(TokenIndex::hash_of(token_of(source, k)));
    bits[bit >> 6] |= 1ull << (bit & 63);
  }
  // And a token that is much longer than all others is not cut everywhere, with a hash of both parts each time.
  std::vector<bool> lengths;
  for (size_t k = 0; k < source.ids.size(); ++k) {
    const size_t size = token_of(source, k).size();
    if (size >= lengths.size()) lengths.resize(size + 1);
    lengths[size] = true;
  }

  struct Candidate {
    std::string_view parts[2];
    uint64_t hashes[2];
    uint32_t whole;
  };
  std::vector<Candidate> waiting;  // a few, so that memory is fetched for all of them at once
  std::vector<uint32_t> rules;
  const auto finish = [&] {
    for (const Candidate& c : waiting) {
      const uint32_t left = index.id(c.parts[0], c.hashes[0]);
      const uint32_t right = left == no_token ? no_token : index.id(c.parts[1], c.hashes[1]);
      if (right != no_token) rules.insert(rules.end(), {left, right, c.whole, c.whole});
    }
    waiting.clear();
  };
  for (size_t k = 0; k < source.ids.size(); ++k) {
    if (std::binary_search(banned.begin(), banned.end(), source.ids[k])) continue;
    const std::string_view whole = token_of(source, k);
    for (size_t cut = 1; cut < whole.size(); ++cut) {
      if (!lengths[cut] || !lengths[whole.size() - cut]) continue;
      Candidate c{{whole.substr(0, cut), whole.substr(cut)}, {}, source.ids[k]};
      for (int part : {0, 1}) c.hashes[part] = TokenIndex::hash_of(c.parts[part]);
      if (!maybe_token(c.hashes[0]) || !maybe_token(c.hashes[1])) continue;
      for (uint64_t hash : c.hashes) index.prefetch(hash);
      waiting.push_back(c);
    }
    if (waiting.size() >= few_waiting) finish();
  }
  finish();
  return rules;
}

ModelTables build_model(ModelSource source) { return Builder(std::move(source)).build(); }

}  // namespace vt
