// Asks the processor for memory before it is needed.
#pragma once

namespace clc {

/// The cache line of that address; nothing happens where there is none.
[[gnu::always_inline]] inline void fetch(const void* address) noexcept {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#endif
}

/// The cache lines of a whole object that may stand across two or three of them.
template <class T>
[[gnu::always_inline]] inline void fetch_whole(const T* object) noexcept {
  static_assert(sizeof(T) <= 129);
  fetch(object);
  if constexpr (sizeof(T) > 65) fetch(reinterpret_cast<const char*>(object) + 64);
  fetch(reinterpret_cast<const char*>(object) + sizeof(T) - 1);
}

}  // namespace clc
