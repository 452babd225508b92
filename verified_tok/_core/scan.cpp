#include "scan.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "token_index.h"
#include "utf8.h"
#include "utf8_check.h"

namespace vt {

namespace {

// Walks through JSON. What answers with a bool says whether all was as expected.
class Reader {
 public:
  explicit Reader(std::string_view file)
      : start_(reinterpret_cast<const uint8_t*>(file.data())), at_(start_), end_(start_ + file.size()) {}

  uint64_t place() const { return static_cast<uint64_t>(at_ - start_); }

  // The next character that is no white space; 0 at the end.
  uint8_t next() {
    constexpr uint64_t spaces = 0x2020202020202020u;  // files may be indented: more than half of their bytes
    while (end_ - at_ >= 8 && load_word(at_) == spaces) at_ += 8;
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
    return at_ < end_ ? *at_ : 0;
  }

  bool take(uint8_t expected) {
    if (next() != expected) return false;
    ++at_;
    return true;
  }

  // Steps over a string without a look at what is in it, and gives its bytes in the file.
  bool skip_string(std::string_view& raw) {
    if (!take('"')) return false;
    const uint8_t* begin = at_;
    while (at_ < end_ && *at_ != '"') {
      if (*at_ == '\\' && ++at_ == end_) return false;
      ++at_;
    }
    if (at_ == end_) return false;
    raw = {reinterpret_cast<const char*>(begin), static_cast<size_t>(at_ - begin)};
    ++at_;
    return true;
  }

  // Steps over a value of any kind.
  bool skip_value() {
    uint64_t depth = 0;
    std::string_view text;
    do {
      switch (next()) {
        case 0:
          return false;
        case '"':
          if (!skip_string(text)) return false;
          break;
        case '{':
        case '[':
          ++depth;
          ++at_;
          break;
        case '}':
        case ']':
          if (depth == 0) return false;
          --depth;
          ++at_;
          break;
        default:
          ++at_;
          if (depth == 0) {
            while (at_ < end_ && !std::strchr(",]} \n\r\t", *at_)) ++at_;
          }
      }
    } while (depth > 0);
    return true;
  }

  // Appends what a string says.
  bool string(std::vector<uint8_t>& out) {
    if (!take('"')) return false;
    for (;;) {
      const uint8_t* begin = at_;
      uint8_t all = 0;
      for (; at_ < end_ && *at_ != '"' && *at_ != '\\' && *at_ >= 0x20; ++at_) all |= *at_;
      if (at_ == end_ || *at_ < 0x20) return false;
      if (all >= 0x80 && !is_utf8(begin, static_cast<uint64_t>(at_ - begin))) return false;
      out.insert(out.end(), begin, at_);
      if (*at_ == '"') break;
      if (!escape(out)) return false;
    }
    ++at_;
    return true;
  }

  // A natural number below 2 ** 32, and nothing that would make it another kind of number.
  bool natural(uint32_t& value) {
    const uint8_t first = next();
    if (first < '0' || first > '9') return false;
    uint64_t found = 0;
    const uint8_t* begin = at_;
    for (; at_ < end_ && *at_ >= '0' && *at_ <= '9'; ++at_) {
      found = found * 10 + (*at_ - '0');
      if (found > 0xFFFFFFFFu) return false;
    }
    if (first == '0' && at_ - begin > 1) return false;
    value = static_cast<uint32_t>(found);
    const uint8_t behind = next();
    return behind == ',' || behind == '}';
  }

 private:
  bool escape(std::vector<uint8_t>& out) {
    if (end_ - at_ < 2) return false;
    const uint8_t kind = at_[1];
    at_ += 2;
    static constexpr char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (kind != 'u') {
      const char* known = kind == 0 ? nullptr : std::strchr(from, kind);
      if (known == nullptr) return false;
      out.push_back(static_cast<uint8_t>(to[known - from]));
      return true;
    }
    uint32_t code, low;
    if (!four_digits(code)) return false;
    if (code >= 0xD800 && code < 0xE000) {  // must be the first half of a pair
      if (code >= 0xDC00 || end_ - at_ < 2 || at_[0] != '\\' || at_[1] != 'u') return false;
      at_ += 2;
      if (!four_digits(low) || low < 0xDC00 || low >= 0xE000) return false;
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    uint8_t bytes[4];
    out.insert(out.end(), bytes, bytes + put_char(bytes, code));
    return true;
  }

  bool four_digits(uint32_t& code) {
    if (end_ - at_ < 4) return false;
    code = 0;
    for (int k = 0; k < 4; ++k) {
      const uint8_t digit = *at_++;
      if (digit >= '0' && digit <= '9') code = code << 4 | static_cast<uint32_t>(digit - '0');
      else if (digit >= 'a' && digit <= 'f') code = code << 4 | static_cast<uint32_t>(digit - 'a' + 10);
      else if (digit >= 'A' && digit <= 'F') code = code << 4 | static_cast<uint32_t>(digit - 'A' + 10);
      else return false;
    }
    return true;
  }

  const uint8_t* start_;
  const uint8_t* at_;
  const uint8_t* end_;
};

bool read_vocab(Reader& reader, Entries& vocab) {
  if (!reader.take('{')) return false;
  if (reader.next() == '}') return reader.take('}');
  do {
    uint32_t id;
    reader.next();
    if (!reader.string(vocab.bytes) || !reader.take(':') || !reader.natural(id)) return false;
    if (vocab.bytes.size() > 0xFFFFFFFFu) return false;
    vocab.offsets.push_back(static_cast<uint32_t>(vocab.bytes.size()));
    vocab.ids.push_back(id);
  } while (reader.take(','));
  return reader.take('}');
}

bool distinct(const std::vector<uint32_t>& ids) {
  std::vector<bool> seen;
  for (uint32_t id : ids) {
    if (id >= seen.size()) {
      if (id > 64 * ids.size() + (1u << 20)) return false;  // maybe they are; that is for others to find out
      seen.resize(std::max<size_t>(id + 1ull, 2 * seen.size()));
    }
    if (seen[id]) return false;
    seen[id] = true;
  }
  return true;
}

// Takes merges in a few at a time, so that memory is fetched for all of them at once.
//
// Merges mostly stand in the order of the tokens that they make. So what a merge makes is looked for where the last one's
// token is, and behind it, and only then by its hash.
class MergeTaker {
 public:
  MergeTaker(const TokenIndex& index, const Entries& vocab, std::vector<uint32_t>& merges)
      : index_(index), vocab_(vocab), pairs_(vocab.size()), merges_(merges) {}

  // Where the next merge's tokens go, one behind the other.
  std::vector<uint8_t>& text() { return text_; }

  // What was put into the text is a merge, whose first token is so long. False if one of those so far is none.
  bool take(size_t left_size) {
    waiting_.push_back({(waiting_.empty() ? 0 : waiting_.back().stop) + left_size, text_.size(), {}, 0, no_token});
    return waiting_.size() < few_ || finish();
  }

  // False if one of those that wait is no merge.
  bool finish() {
    each([&](Waiting& w, const std::string_view* tokens) {
      w.made = next_to_last(tokens[2]);
      w.looked_up = w.made == no_token ? 3 : 2;
      for (int k = 0; k < w.looked_up; ++k) index_.prefetch(w.hashes[k] = TokenIndex::hash_of(tokens[k]));
      return true;
    });
    for (const Waiting& w : waiting_) {
      for (int k = 0; k < w.looked_up; ++k) index_.prefetch_bytes(w.hashes[k]);
    }
    const size_t first = merges_.size();
    const bool known = each([&](Waiting& w, const std::string_view* tokens) {
      for (int k = 0; k < 3; ++k) {
        merges_.push_back(k < w.looked_up ? index_.id(tokens[k], w.hashes[k]) : w.made);
        if (merges_.back() == no_token) return false;
      }
      if (w.made == no_token) last_ = merges_.back();  // where it is in nearly all vocabularies
      pairs_.prefetch(merges_[merges_.size() - 3], merges_[merges_.size() - 2]);
      return true;
    });
    if (!known) return false;
    for (size_t k = first; k < merges_.size(); k += 3) {
      if (!pairs_.put(merges_[k], merges_[k + 1])) return false;
    }
    waiting_.clear();
    text_.clear();
    return true;
  }

 private:
  struct Waiting {
    size_t cut, stop;
    uint64_t hashes[3];  // of the two tokens, and of both together
    int looked_up;       // so many of these
    uint32_t made;       // else the id of both together
  };

  // The id of a token that stands where the last one did in the vocabulary, or behind it; else `no_token`.
  uint32_t next_to_last(std::string_view token) {
    for (size_t place : {last_, last_ + 1}) {
      if (place >= vocab_.size() || vocab_.token(place) != token) continue;
      last_ = place;
      return vocab_.ids[place];
    }
    return no_token;
  }

  // Calls `act` for each that waits, with its left token, its right one and both together, as long as it says true.
  template <class Act>
  bool each(Act act) {
    size_t start = 0;
    for (Waiting& w : waiting_) {
      const std::string_view both(reinterpret_cast<const char*>(text_.data()) + start, w.stop - start);
      const std::string_view tokens[3] = {both.substr(0, w.cut - start), both.substr(w.cut - start), both};
      if (!act(w, tokens)) return false;
      start = w.stop;
    }
    return true;
  }

  static constexpr size_t few_ = 32;
  const TokenIndex& index_;
  const Entries& vocab_;
  size_t last_ = 0;  // where the token that was made last is in the vocabulary, or may be
  PairSet pairs_;
  std::vector<uint32_t>& merges_;
  std::vector<uint8_t> text_;
  std::vector<Waiting> waiting_;
};

// Appends the two tokens of a merge to `text`, and gives the size of the first.
bool read_pair(Reader& reader, std::vector<uint8_t>& text, size_t& left_size) {
  const size_t begin = text.size();
  if (!reader.take('[') || reader.next() != '"' || !reader.string(text) || !reader.take(',')) return false;
  left_size = text.size() - begin;
  return reader.next() == '"' && reader.string(text) && reader.take(']');
}

// Takes the one space out of a merge that begins at `begin`, and gives what was before it.
bool split_pair(std::vector<uint8_t>& text, size_t begin, size_t& left_size) {
  const auto start = text.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto space = std::find(start, text.end(), ' ');
  if (space == text.end()) return false;
  left_size = static_cast<size_t>(space - start);
  return std::find(text.erase(space), text.end(), ' ') == text.end();
}

bool read_merges(Reader& reader, const TokenIndex& index, const Entries& vocab, std::vector<uint32_t>& merges) {
  static constexpr std::string_view version = "#version";  // the first line of a merges.txt
  if (!reader.take('[')) return false;
  if (reader.next() == ']') return reader.take(']');
  const bool as_text = reader.next() == '"';
  MergeTaker taker(index, vocab, merges);
  do {
    std::vector<uint8_t>& text = taker.text();
    const size_t begin = text.size();
    size_t left_size = 0;
    if (as_text) {
      if (reader.next() != '"' || !reader.string(text)) return false;
      if (text.size() - begin >= version.size() && std::memcmp(&text[begin], version.data(), version.size()) == 0) {
        text.resize(begin);
        continue;
      }
      if (!split_pair(text, begin, left_size)) return false;
    } else if (!read_pair(reader, text, left_size)) {
      return false;
    }
    if (!taker.take(left_size)) return false;
  } while (reader.take(','));
  return taker.finish() && reader.take(']');
}

bool read_model(Reader& reader, ScannedModel& found) {
  bool have_vocab = false, have_merges = false;
  if (!reader.take('{')) return false;
  std::optional<TokenIndex> index;
  do {
    std::string_view key;
    reader.next();
    if (!reader.skip_string(key) || !reader.take(':')) return false;
    reader.next();
    if (key == "vocab") {
      if (have_vocab) return false;
      found.vocab_start = reader.place();
      if (!read_vocab(reader, found.vocab) || !distinct(found.vocab.ids)) return false;
      found.vocab_stop = reader.place();
      index.emplace(found.vocab.bytes.data(), found.vocab.size());
      for (uint32_t k = 0; k < found.vocab.size(); ++k) {
        if (found.vocab.ids[k] == no_token || !index->put(found.vocab.token(k), found.vocab.ids[k])) return false;
      }
      have_vocab = true;
    } else if (key == "merges") {
      if (!have_vocab || have_merges) return false;
      found.merges_start = reader.place();
      if (!read_merges(reader, *index, found.vocab, found.merges)) return false;
      found.merges_stop = reader.place();
      have_merges = true;
    } else if (!reader.skip_value()) {
      return false;
    }
  } while (reader.take(','));
  return have_vocab && have_merges && reader.take('}');
}

int base64_value(uint8_t letter) {
  if (letter >= 'A' && letter <= 'Z') return letter - 'A';
  if (letter >= 'a' && letter <= 'z') return letter - 'a' + 26;
  if (letter >= '0' && letter <= '9') return letter - '0' + 52;
  return letter == '+' ? 62 : letter == '/' ? 63 : -1;
}

// Appends what a text in base64 stands for, if no other text stands for the same.
bool put_base64(std::string_view text, std::vector<uint8_t>& out) {
  if (text.empty() || text.size() % 4 != 0) return false;
  size_t letters = text.size();
  while (letters > text.size() - 2 && text[letters - 1] == '=') --letters;
  uint32_t bits = 0, held = 0;
  for (size_t k = 0; k < letters; ++k) {
    const int value = base64_value(static_cast<uint8_t>(text[k]));
    if (value < 0) return false;
    bits = bits << 6 | static_cast<uint32_t>(value);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out.push_back(static_cast<uint8_t>(bits >> held));
      bits &= (1u << held) - 1;
    }
  }
  return bits == 0;
}

}  // namespace

std::vector<int64_t> places_of(const EntriesView& entries, const std::vector<std::string_view>& wanted) {
  std::unordered_map<std::string_view, std::vector<size_t>> asking;
  // Most entries are told from what is wanted by their first byte and a bit of their length.
  uint64_t lengths[256] = {};
  const auto row_of = [](std::string_view token) { return token.empty() ? 0 : static_cast<uint8_t>(token[0]); };
  for (size_t k = 0; k < wanted.size(); ++k) {
    asking[wanted[k]].push_back(k);
    lengths[row_of(wanted[k])] |= 1ull << (wanted[k].size() & 63);
  }
  std::vector<int64_t> places(wanted.size(), -1);
  for (size_t k = 0; k < entries.count; ++k) {
    const std::string_view token = entries.token(k);
    if ((lengths[row_of(token)] >> (token.size() & 63) & 1) == 0) continue;
    const auto found = asking.find(token);
    if (found == asking.end()) continue;
    for (size_t asked : found->second) places[asked] = static_cast<int64_t>(k);
  }
  return places;
}

Spelled spelled_in(const EntriesView& entries, const int16_t* alphabet, size_t letters) {
  Spelled found;
  for (size_t k = 0; k < entries.count; ++k) {
    const std::string_view token = entries.token(k);
    const uint8_t* at = reinterpret_cast<const uint8_t*>(token.data());
    const uint8_t* end = at + token.size();
    bool spells = true;
    while (at < end && spells) {
      const Utf8Step step = utf8_step(at, end);
      const uint32_t code = step.whole ? char_at(at) : 0xFFFFFFFFu;
      spells = code < letters && alphabet[code] >= 0;
      if (spells) found.bytes.push_back(static_cast<uint8_t>(alphabet[code]));
      at += step.size;
    }
    if (spells) {
      found.places.push_back(static_cast<uint32_t>(k));
      found.offsets.push_back(static_cast<uint32_t>(found.bytes.size()));
    } else {
      found.bytes.resize(found.offsets.back());
    }
  }
  return found;
}

std::optional<ScannedModel> scan_model(std::string_view file) {
  Reader reader(file);
  ScannedModel found{};
  bool have_model = false;
  if (!reader.take('{')) return std::nullopt;
  do {
    std::string_view key;
    reader.next();
    if (!reader.skip_string(key) || !reader.take(':')) return std::nullopt;
    if (key == "model") {
      if (have_model || !read_model(reader, found)) return std::nullopt;
      have_model = true;
    } else if (!reader.skip_value()) {
      return std::nullopt;
    }
  } while (reader.take(','));
  if (!have_model || !reader.take('}') || reader.next() != 0 || reader.place() != file.size()) return std::nullopt;
  return found;
}

std::optional<Entries> scan_ranks(std::string_view file) {
  Entries found;
  uint64_t next = 0;  // no smaller rank may follow
  while (!file.empty()) {
    const size_t line = file.find('\n'), space = file.find(' ');
    if (line == file.npos || space >= line) return std::nullopt;
    const std::string_view digits = file.substr(space + 1, line - space - 1);
    if (!put_base64(file.substr(0, space), found.bytes)) return std::nullopt;
    uint64_t rank = 0;
    for (char digit : digits) {
      if (digit < '0' || digit > '9') return std::nullopt;
      rank = rank * 10 + static_cast<uint64_t>(digit - '0');
      if (rank >= no_token) return std::nullopt;
    }
    if (digits.empty() || (digits[0] == '0' && digits.size() > 1) || rank < next) return std::nullopt;
    next = rank + 1;
    if (found.bytes.size() > 0xFFFFFFFFu) return std::nullopt;
    found.offsets.push_back(static_cast<uint32_t>(found.bytes.size()));
    found.ids.push_back(static_cast<uint32_t>(rank));
    file.remove_prefix(line + 1);
  }
  TokenIndex index(found.bytes.data(), found.size());
  for (uint32_t k = 0; k < found.size(); ++k) {
    if (!index.put(found.token(k), found.ids[k])) return std::nullopt;
  }
  return found;
}

}  // namespace vt
