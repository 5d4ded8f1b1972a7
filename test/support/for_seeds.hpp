// Checks for many seeds: CLC_TRACES of them, or CLC_SEED alone.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>

namespace clc::test {

inline std::uint64_t number(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Calls check for many seeds; check returns what is wrong, empty if nothing. The first failures are shown.
/// Tests that count what only some traces have check at_least so many seeds, however few CLC_TRACES asks for.
inline void for_seeds(std::uint64_t divisor, std::uint64_t at_least,
                      const std::function<std::string(std::uint64_t)>& check) {
  const std::uint64_t only = number("CLC_SEED", 0);
  const std::uint64_t first = only != 0 ? only : 1;
  const std::uint64_t last = only != 0 ? only : std::max(at_least, number("CLC_TRACES", 1000) / divisor);
  std::string failures;
  std::size_t failed = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const std::string fault = check(seed);
    if (fault.empty()) continue;
    if (++failed <= 10) failures += "\nCLC_SEED=" + std::to_string(seed) + ": " + fault;
  }
  INFO(failed << " of " << last - first + 1 << " traces fail" << failures);
  CHECK(failed == 0);
}

inline void for_seeds(std::uint64_t divisor, const std::function<std::string(std::uint64_t)>& check) {
  for_seeds(divisor, 1, check);
}

/// Among so many seeds is what every fourth trace has.
inline constexpr std::uint64_t enough_to_count = 16;

}  // namespace clc::test
