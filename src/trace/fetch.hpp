// Prefetches memory into the cache.
#pragma once

namespace clc {

/// Prefetches the cache line of that address. An invalid address has no effect.
[[gnu::always_inline]] inline void fetch(const void* address) noexcept {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#endif
}

/// Prefetches an object that may extend over two or three cache lines.
template <class T>
[[gnu::always_inline]] inline void fetch_whole(const T* object) noexcept {
  static_assert(sizeof(T) <= 129);
  fetch(object);
  if constexpr (sizeof(T) > 65) fetch(reinterpret_cast<const char*>(object) + 64);
  fetch(reinterpret_cast<const char*>(object) + sizeof(T) - 1);
}

}  // namespace clc
