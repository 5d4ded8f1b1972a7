// Asks the processor for memory before it is needed.
#pragma once

namespace clc {

/// The cache line of that address; nothing happens where there is none.
[[gnu::always_inline]] inline void fetch(const void* address) noexcept {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#endif
}

}  // namespace clc
