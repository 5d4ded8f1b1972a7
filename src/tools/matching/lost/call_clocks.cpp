#include "matching/lost/call_clocks.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>

namespace clc::matching {

namespace {

constexpr std::size_t reach = 16;
constexpr std::size_t most_at_an_end = 8;
constexpr int most_times = 4;
constexpr std::uint64_t steepest = std::uint64_t{1} << 10;  // a part of the time between two calls
constexpr std::uint64_t flattest = std::uint64_t{1} << 20;

Ticks between(Ticks a, Ticks b) { return a < b ? subtract_saturating(b, a) : subtract_saturating(a, b); }

/// What all times of a clock differ by is a multiple of it.
Ticks granularity(const std::vector<CallClock>& calls) {
  std::uint64_t common = 0;
  for (const CallClock& call : calls)
    for (const Time time : {call.begin, call.end}) {
      const Time first = calls.front().end;
      common = std::gcd(common, time < first ? ticks_between(time, first) : ticks_between(first, time));
    }
  return common > static_cast<std::uint64_t>(ticks_max) ? ticks_max : static_cast<Ticks>(common);
}

}  // namespace

CallClocks::CallClocks(std::vector<CallClock> calls, std::vector<std::optional<CallClock>> operations)
    : calls_(std::move(calls)), operations_(std::move(operations)) {
  std::vector<CallClock> others;
  for (const auto& each : operations_)
    if (each) others.push_back(*each);
  ticks_ = add_saturating(granularity(calls_), granularity(others));
}

CallClocks::Leaves CallClocks::leaves(WholePair pair) const {
  const CallClock& own = calls_[pair.first];
  const auto& other = operations_[pair.second];
  Leaves left;
  if (!other) return left;
  if (other->goes_before && own.comes_after) left.from = other->begin - own.end;
  if (own.goes_before && other->comes_after) left.to = other->end - own.begin;
  return left;
}

Ticks CallClocks::delay(WholePair pair) const { return operations_[pair.second]->end - calls_[pair.first].end; }

Ticks CallClocks::excess(WholePair higher, WholePair lower) const {
  const auto from = leaves(higher).from;
  const auto to = leaves(lower).to;
  return from && to ? subtract_saturating(*from, *to) : ticks_min;
}

Ticks CallClocks::drift(WholePair a, WholePair b, std::uint64_t part) const {
  const Time one = calls_[a.first].end;
  const Time other = calls_[b.first].end;
  const std::uint64_t time = one < other ? ticks_between(one, other) : ticks_between(other, one);
  return add_saturating(static_cast<Ticks>(time / part), ticks_);
}

bool CallClocks::disagree(WholePair a, WholePair b, std::uint64_t part) const {
  return std::max(excess(a, b), excess(b, a)) > drift(a, b, part);
}

/// If no clock was set, votes on each side of the difference of the clocks are counted apart.
bool CallClocks::is_outvoted(const std::vector<WholePair>& pairs, std::size_t nth) const {
  struct Votes {
    std::size_t disagreeing = 0;
    std::size_t agreeing = 0;
    [[nodiscard]] bool are_lost() const { return disagreeing > 0 && disagreeing >= 3 * agreeing; }
  };
  Votes all;
  std::array<Votes, 2> sides;
  for (std::size_t k = nth < reach ? 0 : nth - reach; k < pairs.size() && k <= nth + reach; ++k) {
    if (k == nth) continue;
    const std::array<Ticks, 2> beyond{excess(pairs[nth], pairs[k]), excess(pairs[k], pairs[nth])};
    const Ticks allowed = drift(pairs[nth], pairs[k], part_);
    if (std::max(beyond[0], beyond[1]) > allowed) ++all.disagreeing;
    if (std::max(beyond[0], beyond[1]) <= 0) ++all.agreeing;
    for (const std::size_t side : {0U, 1U}) {
      if (beyond[side] > allowed) ++sides[side].disagreeing;
      if (beyond[side] <= 0 && beyond[side] != ticks_min) ++sides[side].agreeing;
    }
  }
  return was_set_ ? all.are_lost() : sides[0].are_lost() || sides[1].are_lost();
}

std::vector<bool> CallClocks::vote(const std::vector<WholePair>& pairs) const {
  std::vector<bool> lost;
  for (std::size_t nth = 0; nth < pairs.size(); ++nth) lost.push_back(is_outvoted(pairs, nth));
  return lost;
}

std::vector<bool> CallClocks::outvoted(const std::vector<WholePair>& pairs) {
  was_set_ = false;
  std::vector<bool> lost;
  for (part_ = flattest;; part_ /= 2) {
    lost = vote(pairs);
    if (part_ == steepest || 8 * std::count(lost.begin(), lost.end(), true) <= std::ssize(pairs)) break;
  }
  for (std::size_t one = 0; one < pairs.size(); ++one)
    for (std::size_t other = one + 1; other < pairs.size() && other <= one + reach; ++other)
      was_set_ |= !lost[one] && !lost[other] && disagree(pairs[one], pairs[other], steepest);
  if (!was_set_) return lost;
  part_ = steepest;
  return vote(pairs);
}

std::vector<CallClocks::Doubt> CallClocks::doubts(const std::vector<WholePair>& pairs) {
  const std::size_t all = pairs.size();
  const std::vector<bool> lost = outvoted(pairs);
  const auto first_right = static_cast<std::size_t>(std::find(lost.begin(), lost.end(), false) - lost.begin());
  const auto behind_right = static_cast<std::size_t>(lost.rend() - std::find(lost.rbegin(), lost.rend(), false));
  std::vector<Doubt> doubts;
  for (std::size_t k = 0; k < all; ++k) {
    if (!lost[k]) continue;
    std::optional<WholePair> against;
    const auto is_against = [&](std::size_t other) { return !lost[other] && disagree(pairs[other], pairs[k], part_); };
    std::optional<WholePair> nearest_ahead;
    std::optional<WholePair> nearest_behind;
    for (std::size_t one = k < reach ? 0 : k - reach; one < k; ++one) {
      if (!is_against(one)) continue;
      nearest_ahead = pairs[one];
      for (std::size_t other = k + 1; other < all && other <= k + reach && !against; ++other)
        if (is_against(other) && !disagree(pairs[one], pairs[other], part_)) against = pairs[one];
    }
    for (std::size_t other = std::min(all - 1, k + reach); other > k; --other)
      if (is_against(other)) nearest_behind = pairs[other];
    if (!nearest_ahead && k < most_at_an_end && (!was_set_ || k < first_right)) against = nearest_behind;
    if (!nearest_behind && all - k <= most_at_an_end && (!was_set_ || k >= behind_right)) against = nearest_ahead;
    if (!against) continue;
    const Ticks beyond = std::max(excess(pairs[k], *against), excess(*against, pairs[k]));
    doubts.push_back(
        {k, pairs[k], *against, is_odd(pairs, k) || (!was_set_ && beyond / 16 > drift(pairs[k], *against, steepest))});
  }
  return doubts;
}

bool CallClocks::is_odd(const std::vector<WholePair>& pairs, std::size_t k) const {
  if (k == 0 || k + 1 == pairs.size()) return false;
  const Ticks before = delay(pairs[k - 1]);
  const Ticks behind = delay(pairs[k + 1]);
  return between(before, behind) <= std::min(between(delay(pairs[k]), before), between(delay(pairs[k]), behind)) / 16;
}

/// From its operation on, towards those that are possible: they end where one is impossible the other way.
void CallClocks::put_bounds(const Doubt& doubt, Bounds& bounds) const {
  const auto is_high = [&](std::size_t operation) {
    const WholePair pair{doubt.pair.first, operation};
    return disagree(pair, doubt.against, part_) && excess(pair, doubt.against) > 0;
  };
  const auto is_low = [&](std::size_t operation) {
    const WholePair pair{doubt.pair.first, operation};
    return disagree(pair, doubt.against, part_) && excess(pair, doubt.against) <= 0;
  };
  std::size_t from = doubt.pair.second;
  std::size_t to = from;
  if (is_high(from)) {
    while (to > 0 && is_high(to - 1)) --to;
    for (from = to; from > 0 && !is_low(from - 1);) --from;
  } else {
    while (from < operations_.size() && is_low(from)) ++from;
    for (to = from; to < operations_.size() && !is_high(to);) ++to;
  }
  auto& [first, last] = bounds[doubt.pair.first];
  first = std::max(first, from);
  last = std::min(last, to);
}

bool CallClocks::is_better(const std::vector<Doubt>& run, const std::vector<std::optional<std::size_t>>& now) const {
  Ticks before = 0;
  Ticks after = 0;
  std::size_t matched = 0;
  for (const Doubt& doubt : run) {
    const auto operation = now[doubt.pair.first];
    if (!operation) continue;
    ++matched;
    before = add_saturating(before, between(delay(doubt.pair), delay(doubt.against)));
    after = add_saturating(after, between(delay({doubt.pair.first, *operation}), delay(doubt.against)));
  }
  if (matched > 0) return after <= before / 16;
  return run.size() == 1 && run.front().is_unlikely;
}

void CallClocks::match_again(WholeMatch& match, const std::vector<WholeEnd>& ends, const std::vector<WholeEnd>& known,
                             WholeRules& rules) {
  for (int times = 0; times < most_times; ++times) {
    std::vector<WholePair> pairs = match.pairs;
    std::erase_if(pairs, [&](const WholePair& pair) { return !operations_[pair.second]; });
    std::vector<Doubt> doubts = this->doubts(pairs);
    for (;;) {
      if (doubts.empty()) return;
      WholeRules narrower = rules;
      if (narrower.bounds.empty()) narrower.bounds.assign(ends.size(), {0, std::numeric_limits<std::size_t>::max()});
      for (const Doubt& doubt : doubts) put_bounds(doubt, narrower.bounds);
      auto other = match_whole(ends, known, narrower);
      if (!other) return;
      std::vector<std::optional<std::size_t>> now(ends.size());
      for (const auto& [call, operation] : other->pairs)
        if (operations_[operation]) now[call] = operation;
      std::vector<Doubt> better;
      for (std::size_t k = 0; k < doubts.size();) {
        std::vector<Doubt> run{doubts[k++]};
        while (k < doubts.size() && doubts[k].nth == run.back().nth + 1) run.push_back(doubts[k++]);
        if (is_better(run, now)) better.insert(better.end(), run.begin(), run.end());
      }
      if (better.size() < doubts.size()) {
        doubts = std::move(better);
        continue;
      }
      match = std::move(*other);
      rules = std::move(narrower);
      break;
    }
  }
}

}  // namespace clc::matching
