// Words that agree with a number.
#pragma once

#include <cstdint>
#include <string_view>

namespace clc {

/// "1 record", "2 records": what follows the count.
[[nodiscard]] constexpr std::string_view one_or_many(std::uint64_t count, std::string_view one,
                                                     std::string_view many) noexcept {
  return count == 1 ? one : many;
}

}  // namespace clc
