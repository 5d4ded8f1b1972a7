// Channels of a process that lost records in a row: the filter's code against the judge's, and the truth.
#include "lost/together.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "for_seeds.hpp"
#include "matching/lost/whole_process.hpp"
#include "random_trace.hpp"

namespace clc::test {
namespace {

/// What a process and those at the other ends of its channels record, round by round, and which belong together.
struct Views {
  std::vector<lost::View> views;
  std::vector<std::vector<std::uint32_t>> partners;
};

/// A clock that is set now and then, and does not run backwards.
class Clock {
 public:
  Clock(Random& random, Ticks end, Ticks period) {
    for (std::int64_t left = random.integer(0, 3); left > 0; --left)
      steps_.emplace_back(random.integer(0, end), random.integer(-3000, 3000) * period / 100);
  }
  [[nodiscard]] Time read(Ticks time) {
    Ticks shown = time;
    for (const auto& [when, by] : steps_) shown += when <= time ? by : 0;
    return Time(latest_ = std::max(latest_, shown));
  }

 private:
  std::vector<std::pair<Ticks, Ticks>> steps_;
  Ticks latest_ = ticks_min;
};

Views random_views(Random& random) {
  constexpr Ticks period = 1000;
  const std::int64_t rounds = random.integer(60, 150);
  const auto channels = static_cast<std::size_t>(random.integer(2, 4));
  const std::int64_t burst = random.integer(1, 30);
  const std::int64_t begin = random.chance(0.4) ? 0 : random.integer(0, rounds - burst);
  Views made;
  made.views.resize(channels);
  made.partners.resize(channels);
  Clock own(random, rounds * period, period);
  std::vector<Clock> others;
  for (std::size_t c = 0; c < channels; ++c) others.emplace_back(random, rounds * period, period);
  std::vector<std::uint32_t> turns(channels, 0);
  const double lost = random.pick<double>({0, 0.02});
  const bool counted = random.chance(0.7);
  std::uint32_t places = 0;
  for (std::int64_t round = 0; round < rounds; ++round)
    for (std::size_t c = 0; c < channels; ++c) {
      const Ticks time = round * period + static_cast<Ticks>(c) * 100 + random.integer(0, 50);
      const Time there = others[c].read(time + random.integer(5, 15));
      const Time here = own.read(time);
      lost::View& view = made.views[c];
      const bool in_row = round >= begin && round < begin + burst;
      if (!in_row) ++turns[c];
      if (!in_row && !random.chance(lost)) {
        made.partners[c].push_back(static_cast<std::uint32_t>(view.more.size()));
        view.places.push_back(places++);
        view.fewer.push_back({here, 8, turns[c]});
      }
      view.more.push_back({there, 8, counted ? static_cast<std::uint32_t>(view.more.size()) + 1 : 0});
    }
  for (std::size_t c = 0; c < channels; ++c) {
    lost::View& view = made.views[c];
    view.channel = c;
    // The first one counts as the first turn.
    const std::uint32_t first = view.fewer[0].turn;
    for (lost::End& end : view.fewer) end.turn -= first - 1;
  }
  return made;
}

std::vector<matching::WholeEnd> copy_of(const std::vector<lost::End>& ends) {
  std::vector<matching::WholeEnd> copy;
  for (const lost::End& end : ends) copy.push_back({end.time, end.bytes, end.turn});
  return copy;
}

std::size_t right_in(const Views& made) {
  std::size_t right = 0;
  for (std::size_t c = 0; c < made.views.size(); ++c)
    for (std::size_t k = 0; k < made.partners[c].size(); ++k)
      right += made.views[c].matched.partners[k] == made.partners[c][k] ? 1U : 0U;
  return right;
}

TEST_CASE("what a process lost in a row is found on all its channels, by the filter as by the judge") {
  // Of clocks whose steps are not known, and of others.
  std::array<std::size_t, 2> alone{};
  std::array<std::size_t, 2> together{};
  std::array<std::size_t, 2> all{};
  for_seeds(1, [&](std::uint64_t seed) -> std::string {
    Random random(seed);
    Views made = random_views(random);
    std::vector<matching::WholeView> judge;
    const auto clocks = random.pick<lost::Clocks>(
        {lost::Clocks::may_be_set, lost::Clocks::may_be_set, lost::Clocks::were_set, lost::Clocks::go_on});
    const matching::WholeRules rules{.clocks_go_on = clocks == lost::Clocks::go_on,
                                     .steps_known = clocks != lost::Clocks::may_be_set};
    for (lost::View& view : made.views) {
      view.clocks = clocks;
      view.matched = lost::match(view.fewer, view.more, lost::Unlike::unusual, clocks);
      if (!view.matched.is_known) return {};
      const auto own = copy_of(view.fewer);
      const auto others = copy_of(view.more);
      if (own.size() == others.size()) return {};
      const auto match = matching::match_whole(own, others, rules);
      if (!match) return "the judge knows less";
      judge.push_back({static_cast<std::uint32_t>(view.channel), view.places, own, others, rules, *match});
    }
    const std::size_t are_known = rules.steps_known ? 1 : 0;
    alone[are_known] += right_in(made);
    match_together(made.views);
    together[are_known] += right_in(made);
    for (const auto& partners : made.partners) all[are_known] += partners.size();
    match_whole_process(judge);
    for (std::size_t c = 0; c < judge.size(); ++c) {
      std::vector<std::uint32_t> partners(judge[c].own.size(), lost::no_partner);
      for (const auto& [own, other] : judge[c].match.pairs) partners[own] = static_cast<std::uint32_t>(other);
      if (partners != made.views[c].matched.partners) return "other partners";
    }
    return {};
  });
  for (const std::size_t k : {0U, 1U}) {
    INFO(alone[k] << " alone, " << together[k] << " together, of " << all[k]);
    if (all[k] > 10'000) CHECK(together[k] > alone[k]);
    CHECK(together[k] <= all[k]);
  }
}

}  // namespace
}  // namespace clc::test
