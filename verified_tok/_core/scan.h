// Reading vocabularies out of tokenizer files, straight into arrays. What is unusual is left to the loader in Python,
// which knows every rule and names every fault: these functions answer with nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace vt {

// Tokens with their ids; token k's bytes are `bytes[offsets[k]:offsets[k + 1]]`.
struct Entries {
  std::vector<uint8_t> bytes;
  std::vector<uint32_t> offsets{0};
  std::vector<uint32_t> ids;

  size_t size() const { return ids.size(); }
  std::string_view token(size_t k) const {
    return {reinterpret_cast<const char*>(bytes.data()) + offsets[k], offsets[k + 1] - offsets[k]};
  }
};

// The same where something else owns the arrays.
struct EntriesView {
  const uint8_t* bytes;
  const uint32_t* offsets;
  size_t count;

  std::string_view token(size_t k) const {
    return {reinterpret_cast<const char*>(bytes) + offsets[k], offsets[k + 1] - offsets[k]};
  }
};

// The places of some tokens among the entries; -1 for those that are none.
std::vector<int64_t> places_of(const EntriesView& entries, const std::vector<std::string_view>& wanted);

// The tokens that are spelled in an alphabet, which has the byte of each character or -1: their places among the
// entries, and what they spell.
struct Spelled {
  std::vector<uint32_t> places;
  std::vector<uint8_t> bytes;
  std::vector<uint32_t> offsets{0};
};
Spelled spelled_in(const EntriesView& entries, const int16_t* alphabet, size_t letters);

// The vocabulary and the merges of a `tokenizer.json`, and where in the file these two values stand.
struct ScannedModel {
  Entries vocab;                // tokens and ids are distinct
  std::vector<uint32_t> merges;  // left, right and result of each; pairs are distinct
  uint64_t vocab_start, vocab_stop, merges_start, merges_stop;
};

// Finds `model.vocab`, an object of natural numbers below 2 ** 32, and behind it `model.merges`, an array of pairs or
// of texts with one space. Both are checked to the last byte; the rest of the file is not, beyond finding them.
std::optional<ScannedModel> scan_model(std::string_view file);

// The ranks of a `.tiktoken` file as tiktoken's own code writes it: ranks ascend, and the base64 is the shortest.
std::optional<Entries> scan_ranks(std::string_view file);

}  // namespace vt
