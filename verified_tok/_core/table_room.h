// Memory for tables.
#pragma once

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace vt {

constexpr uint64_t section_alignment = 64;  // a line of a cache
constexpr uint64_t large_page = 1u << 21;

// Lets memory that was not touched yet be on large pages, where whole ones are in it.
inline void on_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] uint64_t size) {
#ifdef __linux__
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(memory) + large_page - 1) / large_page * large_page;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(memory) + size) / large_page * large_page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

#ifdef __linux__
inline void* from_the_system(uint64_t size) {
  void* const got = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) throw std::bad_alloc();
  return got;
}
#endif

// Memory on large pages where the system has them: tables are read at random places, and the processor finds those of
// a large page without looking the page up. Measured: 1.2 to 1.4 times as fast. What is in it is not defined.
inline std::shared_ptr<void> table_room(uint64_t size) {
#ifdef __linux__
  if (size >= large_page) {
    // From the system itself: what an allocator gives again has its small pages already. The ends that are not needed for
    // whole large pages go back at once.
    const uint64_t used = (size + large_page - 1) / large_page * large_page, whole = used + large_page;
    uint8_t* const begin = static_cast<uint8_t*>(from_the_system(whole));
    const uint64_t before = (large_page - reinterpret_cast<uintptr_t>(begin) % large_page) % large_page;
    if (before != 0) munmap(begin, before);
    if (before != large_page) munmap(begin + before + used, large_page - before);
    on_large_pages(begin + before, used);
    return {begin + before, [used](void* memory) { munmap(memory, used); }};
  }
#endif
  const uint64_t lines = (size + section_alignment - 1) / section_alignment;
  std::shared_ptr<void> memory(std::aligned_alloc(section_alignment, lines * section_alignment), std::free);
  if (!memory) throw std::bad_alloc();
  return memory;
}

// The same, filled with zeros: what comes from the system itself already is, and is not touched.
inline std::shared_ptr<void> zeroed_room(uint64_t size) {
  std::shared_ptr<void> memory = table_room(size);
#ifdef __linux__
  if (size >= large_page) return memory;
#endif
  std::memset(memory.get(), 0, size);
  return memory;
}

// Memory that is used from its beginning on, on small pages: what is not used takes none. From the system itself, because the
// allocator would keep what was used once. What is in it is not defined.
inline std::shared_ptr<void> growing_room(uint64_t size) {
#ifdef __linux__
  return {from_the_system(size), [size](void* memory) { munmap(memory, size); }};
#else
  std::shared_ptr<void> memory(std::malloc(size), std::free);
  if (!memory) throw std::bad_alloc();
  return memory;
#endif
}

}  // namespace vt
