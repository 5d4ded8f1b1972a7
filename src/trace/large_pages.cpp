#include "trace/large_pages.hpp"

#include <cstdint>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace clc {

namespace {

constexpr std::align_val_t cache_line{64};

[[nodiscard]] constexpr std::size_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

#if defined(__linux__)

constexpr std::size_t small_page = 4096;

/// From the system, and back to it at once: a heap keeps large holes. Begins with a large page.
void* map(std::size_t bytes) {
  const std::size_t size = rounded_up(bytes, small_page);
  void* const memory = mmap(nullptr, size + large_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  char* const begin = static_cast<char*>(memory);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(begin) % large_page;
  if (before > 0) munmap(begin, before);
  munmap(begin + before + size, large_page - before);
  return begin + before;
}

void unmap(void* memory, std::size_t bytes) noexcept { munmap(memory, rounded_up(bytes, small_page)); }

/// The last bytes of an array are not worth a page.
void want_large_pages(void* memory, std::size_t bytes) noexcept {
  static_cast<void>(madvise(memory, bytes / large_page * large_page, MADV_HUGEPAGE));
}

#else

void* map(std::size_t bytes) { return ::operator new(bytes, cache_line); }
void unmap(void* memory, std::size_t /*bytes*/) noexcept { ::operator delete(memory, cache_line); }
void want_large_pages(void* /*memory*/, std::size_t /*bytes*/) noexcept {}

#endif

}  // namespace

void* take_large(std::size_t bytes) {
  if (bytes < large_page) return ::operator new(bytes, cache_line);
  void* const memory = map(bytes);
  want_large_pages(memory, bytes);
  return memory;
}

void give_large(void* memory, std::size_t bytes) noexcept {
  if (bytes < large_page)
    ::operator delete(memory, cache_line);
  else
    unmap(memory, bytes);
}

namespace {

class LargePageMemory final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t /*alignment*/) override { return take_large(bytes); }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t /*alignment*/) override { give_large(memory, bytes); }
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
};

}  // namespace

std::pmr::memory_resource* large_page_memory() noexcept {
  static LargePageMemory memory;
  return &memory;
}

Arena::~Arena() {
  for (void* chunk : chunks_) unmap(chunk, large_page);
}

void* Arena::take(std::size_t bytes) {
  bytes = rounded_up(bytes, static_cast<std::size_t>(cache_line));
  if (large_page - used_ < bytes) {
    chunks_.reserve(chunks_.size() + 1);
    void* const chunk = map(large_page);
    // The first one has small pages: most runs use little of it.
    if (!chunks_.empty()) want_large_pages(chunk, large_page);
    chunks_.push_back(chunk);
    used_ = 0;
  }
  void* const memory = static_cast<char*>(chunks_.back()) + used_;
  used_ += bytes;
  return memory;
}

}  // namespace clc
