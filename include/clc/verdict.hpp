// The verdict on a run: good, doubtful or bad, with the reasons and a remedy for each.
//
// Place    Report::verdict.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clc {

enum class Judgement : std::uint8_t { good, doubtful, bad };
[[nodiscard]] std::string_view name_of(Judgement judgement) noexcept;

/// A reason why a run is not good.
struct Reason {
  Judgement judgement;
  std::string_view key;  ///< for programs
  std::string text;      ///< fact, size and remedy in one line
  std::vector<std::pair<std::string_view, double>> figures;
};

struct Verdict {
  Judgement judgement = Judgement::good;
  std::vector<Reason> reasons;  ///< the worst first
};

}  // namespace clc
