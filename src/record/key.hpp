// Keys for MPI handles, which are pointers or integers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace clc::record {

using Key = std::uintptr_t;

template <class Handle>
[[nodiscard]] Key key_of(Handle handle) noexcept {
  Key key = 0;
  // Of the handle itself, also where it is a pointer. NOLINTNEXTLINE(bugprone-sizeof-expression)
  std::memcpy(&key, &handle, std::min(sizeof key, sizeof(Handle)));
  return key;
}

}  // namespace clc::record
