// Which ends of a channel can belong together by what happened before what: against the plain rule.
#include "lost/bounds.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "for_seeds.hpp"
#include "random_trace.hpp"

namespace clc::test {
namespace {

TEST_CASE("no receive belongs to a send that it happened before, and each send to the first one that is left") {
  for_seeds(1, [](std::uint64_t seed) -> std::string {
    Random random(seed);
    // The records of both sides, in the order of their processes; every other one is of another channel.
    std::vector<lost::Placed> sends;
    std::vector<lost::Placed> receives;
    for (std::int64_t left = random.integer(0, 12); left > 0; --left)
      sends.push_back({{}, static_cast<std::uint32_t>(2 * sends.size())});
    for (std::int64_t left = random.integer(0, 12); left > 0; --left)
      receives.push_back({{}, static_cast<std::uint32_t>(2 * receives.size() + 1)});
    std::vector<std::uint32_t> ends;  // of the receiver, before each of the sender
    for (std::size_t k = 0; k < 2 * sends.size(); ++k)
      ends.push_back((k > 0 ? ends.back() : 0) + static_cast<std::uint32_t>(random.integer(0, 3)));
    const auto may_belong = [&](std::size_t send, std::size_t receive) {
      return receives[receive].nth >= ends[sends[send].nth];
    };
    const auto before = lost::receives_before(sends, receives, ends);
    const auto ranges = lost::ranges(before, receives.size());
    const bool sends_are_fewer = sends.size() <= receives.size();
    for (std::size_t s = 0; s < sends.size(); ++s)
      for (std::size_t r = 0; r < receives.size(); ++r) {
        const lost::Range& range = ranges[sends_are_fewer ? s : r];
        const std::size_t other = sends_are_fewer ? r : s;
        if ((other >= range.first && other < range.last) != may_belong(s, r)) return "another range";
      }
    const lost::Matched matched = lost::first_possible(before, receives.size());
    std::size_t next = 0;
    for (std::size_t s = 0; s < sends.size(); ++s) {
      while (next < receives.size() && !may_belong(s, next)) ++next;
      const bool has_none = matched.partners[s] == lost::no_partner;
      if (has_none != (next == receives.size())) return "a send is left out, or is not";
      if (!has_none && matched.partners[s] != next++) return "not the first receive that is left";
    }
    return "";
  });
}

}  // namespace
}  // namespace clc::test
