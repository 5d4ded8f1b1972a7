#include "trace/division.hpp"

#include <algorithm>
#include <numeric>

namespace clc {

std::vector<unsigned> divided_in_order(const std::vector<std::uint64_t>& events, unsigned parts) {
  const auto all = static_cast<double>(std::accumulate(events.begin(), events.end(), std::uint64_t{0}));
  std::vector<unsigned> part(events.size());
  double before = 0;
  for (std::size_t block = 0; block < events.size() && all > 0; ++block) {
    const auto own = static_cast<double>(events[block]);
    part[block] = std::min(parts - 1, static_cast<unsigned>((before + own / 2) / all * parts));
    before += own;
  }
  return part;
}

}  // namespace clc
