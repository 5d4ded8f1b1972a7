// Storage per process, channel, message and buffered event, in large pages if it is large.
//
// With very many processes, successive events belong to different ones, and each touches about ten places in memory.
// With pages of 4 KiB the processor spends a quarter of its time on address translation.
//
// Cost     None below 2 MiB. Larger arrays request pages of 2 MiB; a system without them provides small ones.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <new>
#include <vector>

namespace clc {

inline constexpr std::size_t large_page = std::size_t{1} << 21;

/// Allocates that many bytes, aligned to a cache line. Throws std::bad_alloc.
[[nodiscard]] void* take_large(std::size_t bytes);
void give_large(void* memory, std::size_t bytes) noexcept;
/// The same, for containers whose type does not name it.
[[nodiscard]] std::pmr::memory_resource* large_page_memory() noexcept;

template <class T>
struct LargePages {
  using value_type = T;
  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>& /*other*/) noexcept {}  // NOLINT(google-explicit-constructor): as allocators are

  [[nodiscard]] T* allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(take_large(n * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t n) noexcept { give_large(memory, n * sizeof(T)); }
  friend bool operator==(const LargePages& /*a*/, const LargePages& /*b*/) noexcept { return true; }
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

/// Memory for many small objects, freed with the arena. No destructors are called.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  /// Allocates memory aligned to a cache line. bytes: at most large_page.
  [[nodiscard]] void* take(std::size_t bytes);

 private:
  std::vector<void*> chunks_;
  std::size_t used_ = large_page;  // of the last one
};

}  // namespace clc
