// The laws that a corrected trace must keep [R theorem 9], and their names.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace clc::matching {

enum class Law : std::uint8_t { clock_condition, not_earlier, order, unchanged, same_records, sorted };

struct LawInfo {
  Law law;
  std::string_view name;   ///< for programs: JSON key
  std::string_view title;  ///< for people
  std::string_view unit;   ///< what is counted
};

inline constexpr std::array<LawInfo, 6> laws{{
    {Law::clock_condition, "clock_condition", "law 1 clock condition", "edges"},
    {Law::not_earlier, "not_earlier", "law 2 nothing before its recorded time", "events"},
    {Law::order, "order", "law 3 order and distinctness in each process", "intervals"},
    {Law::unchanged, "unchanged", "law 4 unchanged where nothing is violated", "events"},
    {Law::same_records, "same_records", "records identical apart from time", "records"},
    {Law::sorted, "sorted", "corrected trace sorted by time", "records"},
}};

[[nodiscard]] constexpr const LawInfo& info(Law law) { return laws[static_cast<std::size_t>(law)]; }

}  // namespace clc::matching
