// Making images, and keeping the memory in which they lie.
#pragma once

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "image.h"
#include "table_room.h"

namespace vt {


inline Section section_named(const std::string& name) {
#define VT_SECTION(known, type) \
  if (name == #known) return section_##known;
  VT_SECTIONS(VT_SECTION)
#undef VT_SECTION
  throw std::invalid_argument("an image has no section " + name);
}

inline uint64_t element_size(Section section) {
  switch (section) {
#define VT_SECTION(name, type) \
  case section_##name:         \
    return sizeof(type);
    VT_SECTIONS(VT_SECTION)
#undef VT_SECTION
    default:
      return 0;
  }
}

class Image {
 public:
  using Ptr = std::shared_ptr<Image>;

  struct Part {
    Section section;
    const void* data;
    uint64_t count;
    uint64_t element;  // size in bytes
  };

  static Ptr of_parts(const std::vector<Part>& parts) {
    const uint64_t front = sizeof(ImageHeader) + section_count * sizeof(ImageEntry);
    std::vector<ImageEntry> entries(section_count, ImageEntry{0, 0});
    uint64_t end = aligned(front);
    for (const Part& part : parts) {
      if (part.element != element_size(part.section)) throw std::invalid_argument("a section of another type");
      entries[part.section] = {end, part.count};
      end = aligned(end + part.count * part.element);
    }
    std::shared_ptr<void> memory = table_room(end);
    uint8_t* data = static_cast<uint8_t*>(memory.get());
    std::memset(data, 0, end);
    const ImageHeader header{ImageHeader::expected, end};
    std::memcpy(data, &header, sizeof header);
    std::memcpy(data + sizeof header, entries.data(), entries.size() * sizeof(ImageEntry));
    for (const Part& part : parts) {
      if (part.count != 0) std::memcpy(data + entries[part.section].offset, part.data, part.count * part.element);
    }
    return Ptr(new Image(data, end, std::move(memory)));
  }

  // An image that lies in memory which `owner` keeps.
  static Ptr over(const uint8_t* data, uint64_t size, std::shared_ptr<void> owner) {
    if (size < sizeof(ImageHeader) + section_count * sizeof(ImageEntry)) throw std::invalid_argument("no image: too short");
    const auto* header = reinterpret_cast<const ImageHeader*>(data);
    const auto* entries = reinterpret_cast<const ImageEntry*>(data + sizeof(ImageHeader));
    bool sound = reinterpret_cast<uintptr_t>(data) % section_alignment == 0 &&
                 header->magic == ImageHeader::expected && header->bytes == size;
    for (uint32_t s = 0; sound && s < section_count; ++s) {
      sound = entries[s].offset % section_alignment == 0 && entries[s].offset <= size &&
              entries[s].count <= (size - entries[s].offset) / element_size(static_cast<Section>(s));
    }
    if (!sound) throw std::invalid_argument("no image, or a damaged one");
    return Ptr(new Image(data, size, std::move(owner)));
  }

  const uint8_t* data() const { return data_; }
  uint64_t size() const { return size_; }

 private:
  Image(const uint8_t* data, uint64_t size, std::shared_ptr<void> owner)
      : data_(data), size_(size), owner_(std::move(owner)) {}

  static uint64_t aligned(uint64_t offset) { return (offset + section_alignment - 1) / section_alignment * section_alignment; }

  const uint8_t* data_;
  uint64_t size_;
  std::shared_ptr<void> owner_;
};

}  // namespace vt
