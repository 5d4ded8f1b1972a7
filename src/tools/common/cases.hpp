// Warnings about unresolved cases, and the reasons for which --strict fails.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"
#include "clc/verdict.hpp"

namespace clc::tool {

using Counted = std::function<std::uint64_t(Case)>;

/// One for each kind of unresolved cases, with what to do about it. search_option: the option that finds lost records,
/// "--match whole"; empty: they were looked for.
[[nodiscard]] std::vector<std::string> warnings_of_cases(const Counted& counted, const Definitions& definitions,
                                                         bool ended_early, std::string_view search_option);

/// Why a result is not good enough for --strict.
class StrictFailures {
 public:
  /// "3 cases stayed unresolved"; nothing if there are none. one, many: " case", " cases".
  void add(std::uint64_t count, std::string_view one, std::string_view many, std::string_view what);
  void add_unresolved(std::uint64_t cases) { add(cases, " case", " cases", " stayed unresolved"); }
  void add(const std::string& failure);
  void add(const Verdict& verdict);
  [[nodiscard]] bool any() const noexcept { return !text_.empty(); }
  void say(std::string_view program) const;

 private:
  std::string text_;
};

}  // namespace clc::tool
