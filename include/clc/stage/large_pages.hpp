// Memory for what there is one of for each process, channel, message and event at home: in large pages where it is
// much.
//
// Events of very many processes come from everywhere, and each touches some ten places. With pages of 4 KiB the
// processor spends a quarter of its time looking up where they are.
//
// Cost     None below 2 MiB. From there on pages of 2 MiB are asked for; a system that has none gives small ones.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace clc {

inline constexpr std::size_t large_page = std::size_t{1} << 21;

/// Memory of that many bytes, begins with a cache line; throws std::bad_alloc.
[[nodiscard]] void* take_large(std::size_t bytes);
void give_large(void* memory, std::size_t bytes) noexcept;

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

/// Memory of many small things, which all end with it. Nothing is destroyed.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  /// Begins with a cache line. bytes: at most large_page.
  [[nodiscard]] void* take(std::size_t bytes);

 private:
  std::vector<void*> chunks_;
  std::size_t used_ = large_page;  // of the last one
};

}  // namespace clc
