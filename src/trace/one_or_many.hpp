// Words that agree with a number.
#pragma once

#include <cstdint>

namespace clc {

/// "1 record", "2 records": what follows the count.
[[nodiscard]] constexpr const char* one_or_many(std::uint64_t count, const char* one, const char* many) noexcept {
  return count == 1 ? one : many;
}

}  // namespace clc
