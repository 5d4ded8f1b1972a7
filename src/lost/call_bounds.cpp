#include "lost/call_bounds.hpp"

#include <algorithm>
#include <numeric>

namespace clc::lost {

namespace {

constexpr std::size_t around = 16;        // matches on each side
constexpr unsigned most_drift = 10;       // clocks drift by 2^-10 of the time between two calls at most,
constexpr unsigned least_drift = 20;      // by 2^-20 at least,
constexpr std::size_t each_outvoted = 8;  // and by no more than what leaves one of so many outvoted
constexpr std::size_t votes_each = 3;     // against a match, for each that agrees
constexpr Ticks closer = 16;              // times as near as before

Ticks apart(Ticks a, Ticks b) { return subtract_saturating(std::max(a, b), std::min(a, b)); }

}  // namespace

Ticks tick_of(std::span<const CallTimes> calls) {
  std::uint64_t tick = 0;
  for (const CallTimes& call : calls)
    for (const Time time : {call.begin, call.end}) {
      const auto [first, last] = std::minmax(time, calls[0].end);
      tick = std::gcd(tick, ticks_between(first, last));
    }
  return static_cast<Ticks>(std::min<std::uint64_t>(tick, ticks_max));
}

CallBounds::Ahead CallBounds::ahead(Match match) const {
  const CallTimes& own = own_[match.call];
  const CallTimes& other = others_[match.operation];
  Ahead bounds;
  if (other.is_tail && own.is_head) bounds.least = other.begin - own.end;
  if (own.is_tail && other.is_head) bounds.most = other.end - own.begin;
  return bounds;
}

/// By how much the clock is further ahead than another match tells; not above 0: they agree, or it is less.
Ticks CallBounds::above(Match a, Match b) const {
  const Ticks least = ahead(a).least;
  const Ticks most = ahead(b).most;
  return least == ticks_min || most == ticks_max ? ticks_min : subtract_saturating(least, most);
}

/// How far they are from agreeing; not above 0: they agree.
Ticks CallBounds::between(Match a, Match b) const { return std::max(above(a, b), above(b, a)); }

/// What a drift by 2^-drift and ticks explain.
Ticks CallBounds::allowed(Match a, Match b, unsigned drift) const {
  const auto [first, last] = std::minmax(a.call, b.call);
  return add_saturating(static_cast<Ticks>(ticks_between(own_[first].end, own_[last].end) >> drift), tick_);
}

bool CallBounds::contradict(Match a, Match b, unsigned drift) const { return between(a, b) > allowed(a, b, drift); }

/// Do three times as many of the matches around contradict it as agree with it? If no clock was set, of those that
/// bound the clock from the other side, from above or from below.
bool CallBounds::is_outvoted(const Matches& matches, std::size_t k) const {
  const std::size_t first = k - std::min(k, around);
  const std::size_t last = std::min(matches.size(), k + around + 1);
  const auto are_against = [&](const auto& excess) {
    std::size_t against = 0;
    std::size_t agree = 0;
    for (std::size_t other = first; other < last; ++other) {
      if (other == k) continue;
      const Ticks by = excess(matches[other]);
      against += by > allowed(matches[k], matches[other], drift_) ? 1U : 0U;
      agree += by <= 0 && (was_set_ || by != ticks_min) ? 1U : 0U;
    }
    return against > 0 && against >= votes_each * agree;
  };
  if (was_set_) return are_against([&](Match other) { return between(matches[k], other); });
  return are_against([&](Match other) { return above(matches[k], other); }) ||
         are_against([&](Match other) { return above(other, matches[k]); });
}

/// Of the matches around that are not outvoted: before it, the first one that contradicts it, and does not contradict
/// some one behind that does, too; of the first and the last matches, the next one that contradicts it, if none on the
/// other side does.
std::optional<CallBounds::Match> CallBounds::witness(const Matches& matches, const std::vector<bool>& outvoted,
                                                     std::size_t k) const {
  const std::size_t all = matches.size();
  const auto is_against = [&](std::size_t other) {
    return !outvoted[other] && contradict(matches[k], matches[other], drift_);
  };
  std::vector<std::size_t> before;
  std::vector<std::size_t> behind;
  for (std::size_t other = k - std::min(k, around); other < k; ++other)
    if (is_against(other)) before.push_back(other);
  for (std::size_t other = k + 1; other < std::min(all, k + around + 1); ++other)
    if (is_against(other)) behind.push_back(other);
  for (const std::size_t one : before)
    if (std::ranges::any_of(behind,
                            [&](std::size_t other) { return !contradict(matches[one], matches[other], drift_); }))
      return matches[one];
  const auto from = outvoted.begin() + static_cast<std::ptrdiff_t>(k);
  const bool is_first =
      k < most_extra && before.empty() && (!was_set_ || std::find(outvoted.begin(), from, false) == from);
  const bool is_last = all - k <= most_extra && behind.empty() &&
                       (!was_set_ || std::find(from, outvoted.end(), false) == outvoted.end());
  if (is_first && !behind.empty()) return matches[behind.front()];
  if (is_last && !before.empty()) return matches[before.back()];
  return std::nullopt;
}

/// The delay of the match is unlike those of the next ones, and these are alike.
bool CallBounds::stands_out(const Matches& matches, std::size_t k) const {
  if (k == 0 || k + 1 == matches.size()) return false;
  const Ticks before = delay(matches[k - 1]);
  const Ticks behind = delay(matches[k + 1]);
  const Ticks own = delay(matches[k]);
  return apart(before, behind) <= std::min(apart(own, before), apart(own, behind)) / closer;
}

std::vector<bool> CallBounds::outvoted(const Matches& matches) const {
  std::vector<bool> outvoted(matches.size());
  for (std::size_t k = 0; k < matches.size(); ++k) outvoted[k] = is_outvoted(matches, k);
  return outvoted;
}

/// Do some of the others, around each other, contradict each other?
bool CallBounds::others_contradict(const Matches& matches, const std::vector<bool>& outvoted) const {
  for (std::size_t k = 0; k < matches.size(); ++k)
    for (std::size_t other = k + 1; !outvoted[k] && other < std::min(matches.size(), k + around + 1); ++other)
      if (!outvoted[other] && contradict(matches[k], matches[other], most_drift)) return true;
  return false;
}

/// With the least drift by which few are outvoted, if no clock was set then.
std::vector<bool> CallBounds::find_outvoted(const Matches& matches) {
  was_set_ = false;
  std::vector<bool> outvoted;
  for (drift_ = least_drift;; --drift_) {
    outvoted = this->outvoted(matches);
    const auto all = static_cast<std::size_t>(std::ranges::count(outvoted, true));
    if (drift_ == most_drift || all * each_outvoted <= matches.size()) break;
  }
  if (!others_contradict(matches, outvoted)) return outvoted;
  was_set_ = true;
  drift_ = most_drift;
  return this->outvoted(matches);
}

std::vector<CallBounds::Wrong> CallBounds::wrong(Partners partners) {
  Matches matches;
  for (std::size_t call = 0; call < partners.size(); ++call)
    if (is_there(partners[call])) matches.push_back({call, partners[call]});
  const std::vector<bool> outvoted = find_outvoted(matches);
  std::vector<Wrong> wrong;
  for (std::size_t k = 0; k < matches.size(); ++k) {
    if (!outvoted[k]) continue;
    const std::optional<Match> other = witness(matches, outvoted, k);
    if (!other) continue;
    const bool is_far_off = !was_set_ && between(matches[k], *other) / closer > allowed(matches[k], *other, most_drift);
    wrong.push_back({matches[k], *other, k, is_far_off || stands_out(matches, k)});
  }
  return wrong;
}

/// Of the operations that do not contradict the other match, those nearest to the one that does.
Range CallBounds::range(const Wrong& wrong) const {
  const auto contradicts = [&](std::size_t operation, bool is_above) {
    const Match match{wrong.match.call, operation};
    return contradict(match, wrong.other, drift_) && is_above == (above(match, wrong.other) > 0);
  };
  std::size_t first = wrong.match.operation;
  std::size_t last = first;
  if (contradicts(first, true)) {
    while (last > 0 && contradicts(last - 1, true)) --last;
    first = last;
    while (first > 0 && !contradicts(first - 1, false)) --first;
  } else {
    while (first < others_.size() && contradicts(first, false)) ++first;
    last = first;
    while (last < others_.size() && !contradicts(last, true)) ++last;
  }
  return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)};
}

void CallBounds::narrow(std::span<const Wrong> wrong, std::vector<Range>& ranges) const {
  for (const Wrong& each : wrong) {
    const Range own = range(each);
    Range& all = ranges[each.match.call];
    all = {std::max(all.first, own.first), std::min(all.last, own.last)};
  }
}

/// Of successive ones: is what they were matched with that much further from the delay of the others?
bool CallBounds::is_likely(std::span<const Wrong> run, Partners now) const {
  Ticks were = 0;
  Ticks are = 0;
  bool any = false;
  for (const Wrong& wrong : run) {
    const std::uint32_t operation = now[wrong.match.call];
    if (!is_there(operation)) continue;
    any = true;
    were = add_saturating(were, apart(delay(wrong.match), delay(wrong.other)));
    are = add_saturating(are, apart(delay({wrong.match.call, operation}), delay(wrong.other)));
  }
  return any ? are <= were / closer : run.size() == 1 && run[0].is_unlikely;
}

bool CallBounds::forget_unlikely(std::vector<Wrong>& wrong, Partners now) const {
  std::vector<Wrong> likely;
  for (auto run = wrong.begin(); run != wrong.end();) {
    auto end = run + 1;
    while (end != wrong.end() && end->nth == (end - 1)->nth + 1) ++end;
    if (is_likely({run, end}, now)) likely.insert(likely.end(), run, end);
    run = end;
  }
  const bool any = likely.size() < wrong.size();
  wrong = std::move(likely);
  return any;
}

}  // namespace clc::lost
