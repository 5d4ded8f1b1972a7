// Whether a law holds: in how many cases it was checked and broken, and words for the first.
#pragma once

#include <cstdint>
#include <string>

namespace clc::check {

struct Verdict {
  bool applies = true;        ///< law 4: only when the recorded trace has no violation, see correction_check.cpp
  std::uint64_t checked = 0;  ///< edges, events, ...
  std::uint64_t broken = 0;
  std::string first;  ///< words for the first case
  [[nodiscard]] bool holds() const noexcept { return !applies || broken == 0; }
  template <class Words>
  void judge(bool kept, const Words& first_case) {
    ++checked;
    if (kept) [[likely]]
      return;
    if (broken++ == 0) first = first_case();
  }
};

}  // namespace clc::check
