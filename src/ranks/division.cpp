#include "ranks/division.hpp"

#ifdef CLC_WITH_SCOTCH
#include <scotch.h>
#include <stdio.h>  // scotch.h needs it

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#endif

namespace clc::ranks {

#ifdef CLC_WITH_SCOTCH

namespace {

using Ranks = std::vector<unsigned>;

/// Between different ranks.
std::uint64_t messages_between(const Ranks& ranks, const std::vector<Traffic>& traffic) {
  return std::accumulate(traffic.begin(), traffic.end(), std::uint64_t{0}, [&](std::uint64_t sum, const Traffic& each) {
    return sum + (ranks[each.sender] != ranks[each.receiver] ? each.messages : 0);
  });
}

/// Events of the rank that has most: the time of the replay is that of the last rank.
std::uint64_t largest_share(const Ranks& ranks, const std::vector<std::uint64_t>& events, unsigned count) {
  std::vector<std::uint64_t> shares(count);
  for (std::size_t block = 0; block < ranks.size(); ++block) shares[ranks[block]] += events[block];
  return *std::max_element(shares.begin(), shares.end());
}

/// Numbers of at least 1 whose sum is far from the limits of Scotch.
class Scale {
 public:
  explicit Scale(std::uint64_t sum) noexcept : unit_(1 + sum / 0x1000'0000) {}
  [[nodiscard]] SCOTCH_Num operator()(std::uint64_t value) const noexcept {
    return static_cast<SCOTCH_Num>(std::max<std::uint64_t>(1, value / unit_));
  }

 private:
  std::uint64_t unit_;
};

/// Neighbours of each block: each edge once at both of its ends, no loops.
struct Neighbours {
  std::vector<SCOTCH_Num> begin;
  std::vector<SCOTCH_Num> block;
  std::vector<SCOTCH_Num> messages;
};

Neighbours neighbours_of(std::size_t blocks, const std::vector<Traffic>& traffic) {
  std::vector<Traffic> edges;
  std::uint64_t sum = 0;
  for (const Traffic& each : traffic) {
    if (each.sender == each.receiver) continue;
    edges.push_back(each);
    edges.push_back({each.receiver, each.sender, each.messages});
    sum += each.messages;
  }
  const auto ends = [](const Traffic& edge) { return std::pair(edge.sender, edge.receiver); };
  std::sort(edges.begin(), edges.end(), [&](const Traffic& a, const Traffic& b) { return ends(a) < ends(b); });
  const Scale scale(sum);
  Neighbours all;
  all.begin.resize(blocks + 1);
  for (auto edge = edges.begin(); edge != edges.end();) {
    const auto first = edge;
    std::uint64_t messages = 0;
    for (; edge != edges.end() && ends(*edge) == ends(*first); ++edge) messages += edge->messages;
    ++all.begin[first->sender + 1];
    all.block.push_back(static_cast<SCOTCH_Num>(first->receiver));
    all.messages.push_back(scale(messages));
  }
  std::partial_sum(all.begin.begin(), all.begin.end(), all.begin.begin());
  return all;
}

/// Empty: Scotch finds none.
Ranks divided_by_scotch(const std::vector<std::uint64_t>& events, const std::vector<Traffic>& traffic, unsigned ranks) {
  const Neighbours neighbours = neighbours_of(events.size(), traffic);
  const Scale scale(std::accumulate(events.begin(), events.end(), std::uint64_t{0}));
  std::vector<SCOTCH_Num> weights(events.size());
  std::transform(events.begin(), events.end(), weights.begin(), scale);
  std::vector<SCOTCH_Num> part(events.size());
  // In a thread and with a random number generator of its own, so that the same comes out each time.
  SCOTCH_Context context;
  SCOTCH_Graph graph;
  SCOTCH_Graph in_context;
  SCOTCH_Strat strategy;
  SCOTCH_contextInit(&context);
  SCOTCH_contextRandomSeed(&context, 1);
  SCOTCH_contextRandomReset(&context);
  SCOTCH_graphInit(&graph);
  SCOTCH_graphInit(&in_context);
  SCOTCH_stratInit(&strategy);
  const auto parts = static_cast<SCOTCH_Num>(ranks);
  const bool divided =
      SCOTCH_graphBuild(&graph, 0, static_cast<SCOTCH_Num>(events.size()), neighbours.begin.data(), nullptr,
                        weights.data(), nullptr, static_cast<SCOTCH_Num>(neighbours.block.size()),
                        neighbours.block.data(), neighbours.messages.data()) == 0 &&
      SCOTCH_contextThreadSpawn(&context, 1, nullptr) == 0 &&
      SCOTCH_contextBindGraph(&context, &graph, &in_context) == 0 &&
      SCOTCH_stratGraphMapBuild(&strategy, SCOTCH_STRATQUALITY, parts, 0.01) == 0 &&
      SCOTCH_graphPart(&in_context, parts, &strategy, part.data()) == 0;
  SCOTCH_stratExit(&strategy);
  SCOTCH_graphExit(&in_context);
  SCOTCH_graphExit(&graph);
  SCOTCH_contextExit(&context);
  return divided ? Ranks(part.begin(), part.end()) : Ranks();
}

}  // namespace

bool can_divide_by_traffic() noexcept { return true; }

std::vector<unsigned> divided_by_traffic(const std::vector<std::uint64_t>& events, const std::vector<Traffic>& traffic,
                                         unsigned ranks) {
  Ranks in_order = divided_in_order(events, ranks);
  const std::uint64_t between = messages_between(in_order, traffic);
  if (between == 0) return in_order;
  Ranks by_traffic = divided_by_scotch(events, traffic, ranks);
  constexpr double as_even = 1.05;
  if (by_traffic.empty() || messages_between(by_traffic, traffic) > between / 2 ||
      static_cast<double>(largest_share(by_traffic, events, ranks)) >
          as_even * static_cast<double>(largest_share(in_order, events, ranks)))
    return in_order;
  return by_traffic;
}

#else

bool can_divide_by_traffic() noexcept { return false; }

std::vector<unsigned> divided_by_traffic(const std::vector<std::uint64_t>& events,
                                         const std::vector<Traffic>& /*traffic*/, unsigned ranks) {
  return divided_in_order(events, ranks);
}

#endif

}  // namespace clc::ranks
