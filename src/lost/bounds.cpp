#include "lost/bounds.hpp"

#include <algorithm>

namespace clc::lost {

std::vector<std::uint32_t> receives_before(std::span<const Placed> sends, std::span<const Placed> receives,
                                           std::span<const std::uint32_t> ends) {
  std::vector<std::uint32_t> before;
  before.reserve(sends.size());
  std::uint32_t count = 0;
  for (const Placed& send : sends) {
    while (count < receives.size() && receives[count].nth < ends[send.nth]) ++count;
    before.push_back(count);
  }
  return before;
}

std::vector<Range> ranges(std::span<const std::uint32_t> before, std::size_t receives) {
  std::vector<Range> ranges(std::min(before.size(), receives));
  if (before.size() <= receives) {
    for (std::size_t k = 0; k < ranges.size(); ++k) ranges[k].first = before[k];
    return ranges;
  }
  std::uint32_t last = 0;
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    while (last < before.size() && before[last] <= k) ++last;
    ranges[k].last = last;
  }
  return ranges;
}

Matched first_possible(std::span<const std::uint32_t> before, std::size_t receives) {
  Matched matched{true, std::vector<std::uint32_t>(before.size(), no_partner), 0, 0};
  std::uint32_t next = 0;
  for (std::size_t k = 0; k < before.size(); ++k) {
    next = std::max(next, before[k]);
    if (next < receives) matched.partners[k] = next++;
  }
  return matched;
}

}  // namespace clc::lost
