// From texts to ids on the CPU: the stages one after the other (`reference.pipeline`), and what threads share.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "byte_buffer.h"
#include "ids.h"
#include "image_host.h"
#include "rows.h"
#include "text.h"
#include "unset.h"

namespace vt {

// Where tokens came from: for each the first byte of the text and the one behind its last.
using Spans = std::vector<int64_t, Unset<int64_t>>;

// An added token: which of the ids it is, and the text that it took.
struct Taken {
  uint64_t place;
  std::string text;
};

// What a thread needs to encode: buffers, and the tokens of pieces it has seen.
class Scratch;

// A tokenizer with a choice of added tokens. Any number of threads may use it at once.
class Engine {
 public:
  // The tables of all images, of which the later ones go before the earlier ones.
  explicit Engine(std::vector<Image::Ptr> images);
  ~Engine();

  const View& view() const { return view_; }
  const std::vector<Image::Ptr>& images() const { return images_; }

  // Adds the ids of a text. `inside`: it goes on from other text, at a seam. This and what takes more than one kind of text
  // may throw `LoneSurrogate`.
  void encode(const Chars& chars, bool inside, Ids& ids) const;

  // The same, with the place of every token, and what the added tokens took.
  void encode_placed(Text text, bool inside, Ids& ids, Spans& spans, std::vector<Taken>& taken) const;

  // Adds what the tokens of a text spell: its segments normalized, its added tokens as their literals.
  void normalize(Text text, ByteBuffer& normalized) const;

  // How many ids a text has.
  uint64_t count(const Chars& chars) const;

  // The ids of `count` texts, with `before` and `after` around each; `offsets` says where each text's ids begin, and
  // in the end how many there are. Up to `threads` threads.
  void encode_all(size_t count, const std::function<Chars(size_t)>& text, const std::vector<uint32_t>& before,
                  const std::vector<uint32_t>& after, uint32_t threads, Ids& ids, std::vector<int64_t>& offsets) const;

 private:
  friend class Lease;

  std::vector<Image::Ptr> images_;
  View view_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Scratch>> idle_;
};

// The tokens of one piece, by the model alone.
std::vector<Row> encode_piece_placed(const View& view, Text piece);

}  // namespace vt
