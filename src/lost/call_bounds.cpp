#include "lost/call_bounds.hpp"

#include <algorithm>
#include <numeric>

namespace clc::lost {

namespace {

constexpr std::size_t around = 16;          // matches on each side
constexpr std::uint64_t drift_part = 1024;  // of the time between two calls
constexpr std::size_t votes_each = 3;       // against a match, for each that agrees
constexpr Ticks closer = 16;                // times as near as before

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

/// Neither drift nor ticks explain it.
bool CallBounds::contradict(Match a, Match b) const {
  const auto [first, last] = std::minmax(a.call, b.call);
  const std::uint64_t drift = ticks_between(own_[first].end, own_[last].end) / drift_part;
  return between(a, b) > add_saturating(static_cast<Ticks>(drift), tick_);
}

/// Is it contradicted by three times as many of the matches around as agree with it?
bool CallBounds::is_outvoted(const Matches& matches, std::size_t k) const {
  std::size_t against = 0;
  std::size_t agree = 0;
  const std::size_t last = std::min(matches.size(), k + around + 1);
  for (std::size_t other = k - std::min(k, around); other < last; ++other) {
    if (other == k) continue;
    against += contradict(matches[k], matches[other]) ? 1U : 0U;
    agree += between(matches[k], matches[other]) <= 0 ? 1U : 0U;
  }
  return against > 0 && against >= votes_each * agree;
}

/// Of the matches around that are not outvoted: before it, the first one that contradicts it, and does not contradict
/// some one behind that does, too; of the first and the last matches, the next one that contradicts it.
std::size_t CallBounds::witness(const Matches& matches, const std::vector<bool>& outvoted, std::size_t k) const {
  const std::size_t all = matches.size();
  const auto is_against = [&](std::size_t other) { return !outvoted[other] && contradict(matches[k], matches[other]); };
  std::vector<std::size_t> before;
  std::vector<std::size_t> behind;
  for (std::size_t other = k - std::min(k, around); other < k; ++other)
    if (is_against(other)) before.push_back(other);
  for (std::size_t other = k + 1; other < std::min(all, k + around + 1); ++other)
    if (is_against(other)) behind.push_back(other);
  for (const std::size_t one : before)
    if (std::ranges::any_of(behind, [&](std::size_t other) { return !contradict(matches[one], matches[other]); }))
      return one;
  const auto right = [](bool is_outvoted) { return !is_outvoted; };
  const auto from = outvoted.begin() + static_cast<std::ptrdiff_t>(k);
  if (k < most_extra && std::find_if(outvoted.begin(), from, right) == from && !behind.empty()) return behind.front();
  if (all - k <= most_extra && std::find_if(from, outvoted.end(), right) == outvoted.end() && !before.empty())
    return before.back();
  return all;
}

/// The delay of the match is unlike those of the next ones, and these are alike.
bool CallBounds::stands_out(const Matches& matches, std::size_t k) const {
  if (k == 0 || k + 1 == matches.size()) return false;
  const Ticks before = delay(matches[k - 1]);
  const Ticks behind = delay(matches[k + 1]);
  const Ticks own = delay(matches[k]);
  return apart(before, behind) <= std::min(apart(own, before), apart(own, behind)) / closer;
}

std::vector<CallBounds::Wrong> CallBounds::wrong(Partners partners) const {
  Matches matches;
  for (std::size_t call = 0; call < partners.size(); ++call)
    if (is_there(partners[call])) matches.push_back({call, partners[call]});
  const std::size_t all = matches.size();
  std::vector<bool> outvoted(all);
  for (std::size_t k = 0; k < all; ++k) outvoted[k] = is_outvoted(matches, k);
  std::vector<Wrong> wrong;
  for (std::size_t k = 0; k < all; ++k) {
    if (!outvoted[k]) continue;
    const std::size_t other = witness(matches, outvoted, k);
    if (other < all) wrong.push_back({matches[k], matches[other], k, stands_out(matches, k)});
  }
  return wrong;
}

/// Of the operations that do not contradict the other match, those nearest to the one that does.
Range CallBounds::range(const Wrong& wrong) const {
  const auto contradicts = [&](std::size_t operation, bool is_above) {
    const Match match{wrong.match.call, operation};
    return contradict(match, wrong.other) && is_above == (above(match, wrong.other) > 0);
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
  return any ? are <= were / closer : run.size() == 1 && run[0].stands_out;
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
