// The image of a tokenizer: one block of memory that holds all its tables.
//
// It begins with a header that says where each section lies; sections begin at multiples of 64 bytes. Nothing
// in it is an address, so that an image can be read from a file, shared by threads, and copied to a GPU.
#pragma once

#include <cstdint>
#include <cstring>

#include "host_device.h"

namespace vt {

// Every section: its name, and the type of its elements. A section that an image lacks has no elements.
#define VT_SECTIONS(X)            \
  /* model.py */                  \
  X(model_options, uint32_t)      \
  X(byte_symbols, uint32_t)       \
  X(fallback_symbols, uint32_t)   \
  X(char_pages, uint16_t)         \
  X(char_tokens, uint32_t)       \
  X(pair_pilots, uint16_t)        \
  X(pair_slots, uint64_t)         \
  X(pair_results, uint32_t)       \
  X(join_bits, uint64_t)          \
  X(short_entries, uint64_t)      \
  X(long_slots, uint64_t)         \
  X(long_entries, uint8_t)        \
  X(token_lengths, uint32_t)      \
  X(births, uint64_t)             \
  X(byte_ranks, uint32_t)         \
  X(cut_pairs, uint64_t)          \
  X(cut_bound, uint64_t)          \
  X(prefix_cells, uint64_t)       \
  /* literals.py */               \
  X(raw_child, uint32_t)          \
  X(raw_byte, uint8_t)            \
  X(raw_literal, int32_t)         \
  X(raw_filter, uint8_t)          \
  X(raw_id, uint32_t)             \
  X(raw_flags, uint8_t)           \
  X(normalized_child, uint32_t)   \
  X(normalized_byte, uint8_t)     \
  X(normalized_literal, int32_t)  \
  X(normalized_filter, uint8_t)   \
  X(normalized_id, uint32_t)      \
  X(normalized_flags, uint8_t)    \
  X(kind_block, uint16_t)         \
  X(kind, uint8_t)                \
  /* normalizer.py */             \
  X(normalizer_stages, uint32_t)  \
  X(normalizer_text, uint8_t)     \
  X(normalizer_images, uint8_t)   \
  X(form_block, uint16_t)         \
  X(form_quick, uint8_t)          \
  X(form_rank, uint8_t)           \
  X(form_decomposition, uint16_t) \
  X(form_pool, uint32_t)          \
  X(form_pair, uint64_t)          \
  X(form_composite, uint32_t)     \
  X(form_inert, uint8_t)          \
  /* decode.py */                 \
  X(decode_slots, uint8_t)        \
  X(decode_first, uint8_t)        \
  X(decode_long, uint8_t)         \
  X(decode_strips, uint32_t)      \
  X(decode_text, uint8_t)         \
  /* patterns.py */               \
  X(split_stages, uint32_t)       \
  X(split_index, uint16_t)        \
  X(split_blocks, uint8_t)        \
  X(split_moves, uint32_t)        \
  X(split_starts, uint8_t)        \
  X(split_regions, uint8_t)       \
  X(split_code, uint32_t)         \
  X(split_known, uint32_t)        \
  X(split_kinds, uint8_t)         \
  X(split_sets, uint8_t)          \
  X(split_spelled, uint8_t)       \
  /* changes.py */                \
  X(change_steps, uint32_t)       \
  X(change_text, uint8_t)         \
  X(change_images, uint8_t)       \
  X(letters, uint16_t)            \
  X(pieces_spelled, uint8_t)      \
  /* seams.py */                  \
  X(seam_block, uint16_t)         \
  X(seam_left, uint16_t)          \
  X(seam_right, uint16_t)         \
  X(seam_left_kind, uint8_t)      \
  X(seam_right_kind, uint8_t)     \
  X(seam_answers, uint8_t)        \
  X(seam_options, uint32_t)       \
  X(seam_held_start, uint32_t)    \
  X(seam_held, uint64_t)          \
  X(seam_joined_start, uint32_t)  \
  X(seam_joined, uint64_t)       \
  /* loading/kept.py */          \
  X(spec_head, uint8_t)          \
  X(spec_tokens, uint8_t)        \
  X(spec_offsets, uint32_t)      \
  X(spec_ids, uint32_t)          \
  X(spec_merges, uint32_t)

enum Section : uint32_t {
#define VT_SECTION(name, type) section_##name,
  VT_SECTIONS(VT_SECTION)
#undef VT_SECTION
      section_count
};

struct ImageHeader {
  static constexpr uint64_t expected = 0x31676d6974760aULL;  // changes with the layout of this header
  uint64_t magic;
  uint64_t bytes;  // of the whole image
};

// Where a section lies in its image.
struct ImageEntry {
  uint64_t offset;
  uint64_t count;  // of elements
};

// The sections of an image as pointers. Plain data: copied to wherever the functions run.
struct View {
#define VT_SECTION(name, type) \
  const type* name;            \
  uint64_t name##_count;
  VT_SECTIONS(VT_SECTION)
#undef VT_SECTION
};

// Lets a view see the sections of an image; those that the image lacks stay as they were, so that a small image
// can be laid over a large one. `base` is where the image lies for whoever uses the view; `image` is readable here.
VT_HD void look_into(View& view, const uint8_t* image, const uint8_t* base) {
  const ImageEntry* entries = reinterpret_cast<const ImageEntry*>(image + sizeof(ImageHeader));
#define VT_SECTION(name, type)                                                              \
  if (entries[section_##name].offset != 0) {                                                \
    view.name = reinterpret_cast<const type*>(base + entries[section_##name].offset);       \
    view.name##_count = entries[section_##name].count;                                      \
  }
  VT_SECTIONS(VT_SECTION)
#undef VT_SECTION
}

}  // namespace vt
