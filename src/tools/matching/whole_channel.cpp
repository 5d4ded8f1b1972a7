#include "matching/whole_channel.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace clc::matching {

namespace {

using Cost = std::int64_t;             // a jump costs 4 quarters, each of half the jump's size
using Pairs = std::vector<WholePair>;  // first: of the side that has fewer
constexpr Cost impossible = std::numeric_limits<Cost>::max() / 4;
constexpr std::size_t slack = 8;
constexpr std::size_t most_combinations = std::size_t{1} << 24;
constexpr Ticks largest_jump = Ticks{1} << 34;

Ticks size_of_jump(const std::vector<WholeEnd>& ends) {
  std::vector<Ticks> apart;
  for (std::size_t k = 1; k < ends.size(); ++k) apart.push_back(ends[k].time - ends[k - 1].time);
  if (apart.empty()) return 1;
  std::sort(apart.begin(), apart.end());
  return std::min(std::max<Ticks>(apart[apart.size() / 2] / 2, 1), largest_jump);
}

class Channel {
 public:
  Channel(const std::vector<WholeEnd>& short_side, const std::vector<WholeEnd>& long_side, const WholeRules& rules)
      : short_(short_side),
        long_(long_side),
        rules_(rules),
        jump_(size_of_jump(short_side)),
        unlike_(rules.only_alike ? impossible : 2 * jump_),
        most_(rules.clocks_go_on ? 2 * jump_ : jump_) {}

  [[nodiscard]] std::optional<WholeMatch> match();

 private:
  /// A clock stands still from one pair to the other.
  [[nodiscard]] bool is_blind(WholePair a, WholePair b) const {
    return short_[a.first].time == short_[b.first].time || long_[a.second].time == long_[b.second].time;
  }
  /// By how much the delay grows, if that of the long side's end less that of the short side's counts as one.
  [[nodiscard]] Ticks growth(WholePair a, WholePair b) const {
    return subtract_saturating(long_[b.second].time - long_[a.second].time,
                               short_[b.first].time - short_[a.first].time);
  }
  [[nodiscard]] Cost between(WholePair a, WholePair b) const {
    const Ticks by = growth(a, b);
    return is_blind(a, b) ? 0 : 2 * (by < 0 ? std::min(most_, subtract_saturating(0, by)) : std::min(most_, by));
  }
  [[nodiscard]] Cost of(WholePair pair) const {
    if (!rules_.bounds.empty()) {
      const auto& [from, ahead_of] = rules_.bounds[pair.first];
      if (pair.second < from || pair.second >= ahead_of) return impossible;
    }
    const std::uint64_t a = short_[pair.first].bytes;
    const std::uint64_t b = long_[pair.second].bytes;
    return a == 0 || b == 0 || a == b ? 0 : unlike_;
  }
  [[nodiscard]] Cost gap() const { return jump_; }
  [[nodiscard]] Cost gap_in_short(std::size_t ends) const { return gap() + static_cast<Cost>(3 * ends) * jump_; }

  // ---- costs of all that follows a pair, by end of the short side and shift -----------------
  [[nodiscard]] std::size_t shifts() const { return long_.size() - short_.size() + 2 * slack + 1; }
  [[nodiscard]] bool exists(WholePair pair) const {
    return pair.first < short_.size() && pair.second < long_.size() && pair.second + slack >= pair.first &&
           pair.second + slack - pair.first < shifts();
  }
  [[nodiscard]] std::size_t place(WholePair pair) const {
    return pair.first * shifts() + pair.second + slack - pair.first;
  }
  struct Next {
    Cost cost = impossible;
    std::optional<WholePair> pair;  // none: the last one was matched
  };
  [[nodiscard]] Next after(WholePair pair) const;
  [[nodiscard]] Next first() const;
  void fill();
  [[nodiscard]] bool is_alike(const Pairs& pairs, std::size_t at_least) const;

  const std::vector<WholeEnd>& short_;
  const std::vector<WholeEnd>& long_;
  const WholeRules& rules_;
  Ticks jump_;
  Cost unlike_;
  Ticks most_;  // of a difference that counts
  std::vector<Cost> costs_;
  std::vector<std::uint32_t> best_;  // of the pairs of a short end from that shift on, the first shift that costs least
};

Channel::Next Channel::after(WholePair pair) const {
  Next best;
  const auto take = [&](WholePair next, Cost more) {
    if (const Cost cost = costs_[place(next)] + more; cost < best.cost) best = {cost, next};
  };
  const auto [s, l] = pair;
  WholePair next{s + 1, l + 1};
  for (; exists(next); ++next.second) {
    const bool gaps = next.second > l + 1;
    if (gaps && !is_blind(pair, next) && growth(pair, next) >= most_) break;
    take(next, between(pair, next) + (gaps ? gap() : 0));
  }
  if (exists(next)) {
    next.second += best_[place(next)] - (next.second + slack - next.first);
    take(next, 2 * most_ + gap());
  }
  for (std::size_t lone = 1; lone <= slack; ++lone)
    if (const WholePair other{s + 1 + lone, l + 1}; exists(other))
      take(other, between(pair, other) + gap_in_short(lone));
  for (std::size_t lone = 1; rules_.only_alike && lone <= slack; ++lone)
    for (std::size_t others = 1; others <= slack; ++others)
      if (const WholePair other{s + 1 + lone, l + 1 + others}; exists(other))
        take(other, between(pair, other) + gap_in_short(lone));
  const std::size_t lone = short_.size() - s - 1;
  if (lone <= slack)
    if (const Cost cost = lone == 0 ? 0 : gap_in_short(lone); cost < best.cost) best = {cost, std::nullopt};
  best.cost += of(pair);
  return best;
}

Channel::Next Channel::first() const {
  Next best;
  const auto take = [&](WholePair next, Cost more) {
    if (const Cost cost = costs_[place(next)] + more; cost < best.cost) best = {cost, next};
  };
  for (WholePair next{0, 0}; exists(next); ++next.second) take(next, next.second == 0 ? 0 : gap());
  for (WholePair next{1, 0}; next.first <= slack && exists(next); ++next.first) take(next, gap_in_short(next.first));
  for (std::size_t lone = 1; rules_.only_alike && lone <= slack; ++lone)
    for (WholePair next{lone, 1}; next.second <= slack && exists(next); ++next.second) take(next, gap_in_short(lone));
  return best;
}

void Channel::fill() {
  costs_.assign(short_.size() * shifts(), impossible);
  best_.resize(costs_.size());
  for (std::size_t s = short_.size(); s-- > 0;)
    for (std::size_t shift = shifts(); shift-- > 0;) {
      const std::size_t at = s * shifts() + shift;
      if (s + shift >= slack && s + shift - slack < long_.size()) costs_[at] = after({s, s + shift - slack}).cost;
      best_[at] = static_cast<std::uint32_t>(shift);
      if (shift + 1 < shifts() && costs_[s * shifts() + best_[at + 1]] < costs_[at]) best_[at] = best_[at + 1];
    }
}

bool Channel::is_alike(const Pairs& pairs, std::size_t at_least) const {
  std::size_t jumps = 0;
  std::size_t seen = 0;
  for (std::size_t k = 1; k < pairs.size(); ++k) {
    if (is_blind(pairs[k - 1], pairs[k])) continue;
    ++seen;
    if (between(pairs[k - 1], pairs[k]) == 2 * most_) ++jumps;
  }
  return seen >= at_least && seen >= (rules_.only_alike ? 4 : 16) * jumps;
}

std::optional<WholeMatch> Channel::match() {
  Pairs in_order;
  Cost known = 0;
  for (std::size_t k = 0; k < short_.size(); ++k) {
    in_order.emplace_back(k, k);
    known = std::min(impossible, known + of({k, k}) + (k > 0 ? between({k - 1, k - 1}, {k, k}) : 0));
  }
  if (known > gap()) {
    if (short_.size() > most_combinations / shifts()) return std::nullopt;
    fill();
    Next next = first();
    if (std::min(next.cost, known) >= impossible) return std::nullopt;
    if (next.cost < known) {
      const Cost least = next.cost;
      Pairs pairs;
      for (; next.pair; next = after(*next.pair)) pairs.push_back(*next.pair);
      if (known < impossible && !is_alike(pairs, 0)) return std::nullopt;
      return WholeMatch{std::move(pairs), (known - least) / gap()};
    }
  }
  if (!is_alike(in_order, rules_.only_alike ? 0 : 16)) return std::nullopt;
  return WholeMatch{std::move(in_order)};
}

}  // namespace

void forget_early(std::vector<WholePair>& pairs, const std::vector<WholeEnd>& sends,
                  const std::vector<WholeEnd>& receives) {
  constexpr std::size_t around = 8;
  const Ticks jump = size_of_jump(receives.size() < sends.size() ? receives : sends);
  std::vector<Ticks> delays;
  for (const auto& [send, receive] : pairs) delays.push_back(receives[receive].time - sends[send].time);
  std::vector<WholePair> left;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    bool early = k > 0 && k + 1 < pairs.size() && subtract_saturating(delays[k + 1], delays[k - 1]) < jump &&
                 subtract_saturating(delays[k - 1], delays[k + 1]) < jump;
    for (std::size_t other = k < around ? 0 : k - around; early && other < std::min(k + around + 1, pairs.size());
         ++other)
      early = other == k || subtract_saturating(delays[other], delays[k]) >= jump;
    if (!early) left.push_back(pairs[k]);
  }
  pairs = std::move(left);
}

std::optional<WholeMatch> match_whole(const std::vector<WholeEnd>& sends, const std::vector<WholeEnd>& receives,
                                      const WholeRules& rules) {
  const bool fewer_receives = receives.size() < sends.size();
  std::optional<WholeMatch> match =
      fewer_receives ? Channel(receives, sends, rules).match() : Channel(sends, receives, rules).match();
  if (!match) return match;
  if (fewer_receives)
    for (WholePair& pair : match->pairs) std::swap(pair.first, pair.second);
  return match;
}

}  // namespace clc::matching
