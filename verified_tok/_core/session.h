// Sessions: a text and its ids, kept in step under edits, at the cost of what changes (`session.py`).
//
// An edit encodes what lies between a seam before the change and one behind it, and keeps the ids on both sides
// (`valid_edit` in Thm/Session.lean).
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine.h"
#include "session_state.h"

namespace vt {

// What an operation changed in the ids: the first `keep_front` and the last `keep_back` stayed. `version` counts the
// operations so far.
struct Patch {
  uint64_t keep_front;
  Ids ids;
  uint64_t keep_back;
  uint64_t version;
};

struct SessionStats {
  uint64_t operations = 0;
  uint64_t characters_given = 0;
  uint64_t characters_encoded = 0;
  uint64_t longest_reach = 0;
  uint64_t without_seam = 0;

  // These, and one more operation.
  SessionStats with(uint64_t given, uint64_t encoded, uint64_t reach, bool missed) const {
    return {operations + 1, characters_given + given, characters_encoded + encoded,
            longest_reach < reach ? reach : longest_reach, without_seam + missed};
  }
};

// Any number of threads may use a session; operations on it and on its forks wait for one another.
class Session {
 public:
  // A session of `text`, whose tokens are encoded, or are these.
  Session(std::shared_ptr<const Engine> engine, Image::Ptr seams, Text text);
  Session(std::shared_ptr<const Engine> engine, Image::Ptr seams, Text text, const std::vector<uint32_t>& ids,
          const Spans& spans);

  uint64_t bytes() const;
  uint64_t chars() const;
  uint64_t count() const;
  SessionStats stats() const;
  uint64_t version() const;

  // Copies of what is there.
  std::vector<uint8_t> text() const;
  Spans byte_spans() const;
  Spans char_spans() const;

  // The ids as they lie in memory, which the next operation may change, and how many.
  std::pair<std::shared_ptr<const uint32_t[]>, uint64_t> ids();

  // Puts `text` in the place of the characters from `start` up to `stop`. Throws std::out_of_range.
  Patch edit(uint64_t start, uint64_t stop, Text text);
  Patch append(Text text);
  // The same if the session is still at this version; else nothing happens.
  std::optional<Patch> edit_at_version(uint64_t version, uint64_t start, uint64_t stop, Text text);
  // The same with places of bytes. Throws std::out_of_range unless these stand between characters.
  Patch edit_bytes(uint64_t start, uint64_t stop, Text text);
  Patch update(Text text);
  Patch concat(Session& other);

  // An independent session; the two share what they hold until one of them changes.
  std::unique_ptr<Session> fork() const;

 private:
  Session(const Session& other);

  // What stands beside a place in the new text.
  struct Beside {
    bool there;
    uint32_t c;
  };

  std::vector<uint8_t> whole_text() const;
  Spans all_spans() const;
  SessionState& own();  // for changing
  bool seam(uint32_t x, uint32_t y) const;
  uint64_t cut_before(const SessionText& text, uint64_t at, Beside right) const;
  bool no_seam_near(const SessionText& text, uint64_t at, uint32_t right) const;
  uint64_t cut_behind(const SessionText& text, uint64_t at, Beside left) const;
  Patch edit_chars(uint64_t start, uint64_t stop, Text text);
  Patch edit_at(uint64_t start, uint64_t stop, Text text);
  std::optional<Patch> append_to_window(Text text);
  Tokens encode_part(Text part, bool inside, uint64_t lo) const;
  Patch put(uint64_t lo, uint64_t hi, uint64_t start, uint64_t stop, Text text, Tokens& fresh);

  std::shared_ptr<const Engine> engine_;
  Image::Ptr seams_;
  View view_;
  std::shared_ptr<std::mutex> mutex_;  // of this session and its forks
  std::shared_ptr<SessionState> state_;
  SessionStats stats_;
  uint64_t version_ = 0;
};

}  // namespace vt
