#include "sync/points.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "sync/median.hpp"

namespace clc::sync {

namespace {

using Indexes = std::vector<std::size_t>;

// Shares of the time over which points lie.
constexpr double longest_moment = 1.0 / 16;
constexpr double longest_gap = 1.0 / 64;  // between the points of a moment

struct Slope {
  double rate = 0;
  double error = 0;
};

/// How fast the common time runs against the mapped one: the median of what the clocks say that were measured longest,
/// from their first and last points.
Slope slope_of(const std::vector<Claim>& claims, const Indexes& by_time) {
  std::map<ClockIndex, std::pair<const Claim*, const Claim*>> ends;
  for (const std::size_t index : by_time) {
    const Claim& claim = claims[index];
    ends.try_emplace(claim.clock, &claim, &claim).first->second.second = &claim;
  }
  const auto length = [](const auto& of) { return of.second.second->time - of.second.first->time; };
  double longest = 0;
  for (const auto& of : ends) longest = std::max(longest, length(of));
  std::vector<double> slopes;
  for (const auto& of : ends)
    if (length(of) > longest / 2) slopes.push_back((of.second.second->ahead - of.second.first->ahead) / length(of));
  const double rate = median(slopes);
  for (double& slope : slopes) slope = std::abs(slope - rate);
  return {rate, median(std::move(slopes))};
}

/// The claims of a moment, with the interval of each.
class Claims {
 public:
  void add(std::size_t index, ClockIndex clock, double low, double high) {
    votes_.push_back({index, clock, low, high});
    ++of_clock_[clock];
  }
  [[nodiscard]] bool empty() const noexcept { return votes_.empty(); }
  /// Marks those that do not reach the interval in which most clocks agree. Each clock has one vote.
  void judge(std::vector<bool>& contradicts) const {
    struct End {
      double at;
      bool closes;
      double weight;
    };
    std::vector<End> ends;
    for (const Vote& vote : votes_) {
      const double weight = 1.0 / static_cast<double>(of_clock_.at(vote.clock));
      ends.push_back({vote.low, false, weight});
      ends.push_back({vote.high, true, weight});
    }
    std::ranges::sort(ends,
                      [](const End& a, const End& b) { return std::pair(a.at, a.closes) < std::pair(b.at, b.closes); });
    double sum = 0;
    double most = 0;
    double low = 0;
    double high = 0;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      sum += ends[i].closes ? -ends[i].weight : ends[i].weight;
      constexpr double rounding = 1e-9;
      if (ends[i].closes || !(sum > most + rounding)) continue;
      most = sum;
      low = ends[i].at;
      high = ends[i + 1].at;
    }
    const bool majority = 2 * most > static_cast<double>(of_clock_.size());
    for (const Vote& vote : votes_)
      if (!majority || vote.low > high || vote.high < low) contradicts[vote.index] = true;
  }

 private:
  struct Vote {
    std::size_t index;
    ClockIndex clock;
    double low;
    double high;
  };
  std::vector<Vote> votes_;
  std::map<ClockIndex, std::size_t> of_clock_;
};

void judge_group(const std::vector<Claim>& claims, Indexes by_time, double rate, std::vector<bool>& contradicts) {
  std::ranges::stable_sort(by_time, [&](std::size_t a, std::size_t b) { return claims[a].time < claims[b].time; });
  const Slope slope = slope_of(claims, by_time);
  const double span = claims[by_time.back()].time - claims[by_time.front()].time;
  double begin = 0;
  double before = 0;
  Claims moment;
  for (const std::size_t index : by_time) {
    const Claim& claim = claims[index];
    if (!moment.empty() && (claim.time - begin > longest_moment * span || claim.time - before > longest_gap * span)) {
      moment.judge(contradicts);
      moment = {};
    }
    if (moment.empty()) begin = claim.time;
    before = claim.time;
    const double ahead = claim.ahead - slope.rate * (claim.time - begin);
    const double room = (rate + slope.error) * (claim.time - begin);
    moment.add(index, claim.clock, ahead - claim.before - room, ahead + claim.after + room);
  }
  moment.judge(contradicts);
}

}  // namespace

std::vector<GivenPoint> usable_points(const Measurements& measurements, const ClockSpans& spans) {
  std::set<ClockIndex> sampled;
  for (const Sample& sample : measurements.samples)
    if (sample.usable()) sampled.insert(sample.clock);
  Ticks longest = 0;
  for (const auto& span : spans)
    if (span) longest = std::max(longest, span->last - span->first);
  std::vector<GivenPoint> points;
  for (const GivenPoint& given : measurements.points) {
    const auto& span = spans[given.clock];
    const Time time = given.point.time;
    const bool near = span && span->first - time <= longest && time - span->last <= longest;
    if (near && given.point.has_error() && !sampled.contains(given.clock)) points.push_back(given);
  }
  if (!tell_something(points)) points.clear();
  return points;
}

bool tell_something(const std::vector<GivenPoint>& points) {
  return std::ranges::any_of(points, [&](const GivenPoint& given) { return given.clock != points.front().clock; });
}

std::vector<MeasuredOffsets> offsets_of(std::vector<GivenPoint> points, const Zeros& zeros, Resolution resolution,
                                        ClockIndex common) {
  std::ranges::stable_sort(points, [](const GivenPoint& a, const GivenPoint& b) {
    return std::pair(a.clock, a.point.time) < std::pair(b.clock, b.point.time);
  });
  std::vector<MeasuredOffsets> offsets;
  for (const auto& [clock, point] : points) {
    if (offsets.empty() || offsets.back().clock != clock) offsets.push_back({clock, {}});
    const Point whole = zeros.point(clock, common, {point.time, point.time + point.offset, true});
    const Point to_common(whole.sent(), whole.delay() + resolution.seconds(point.fraction), true);
    offsets.back().points.push_back({to_common, resolution.seconds(point.error)});
  }
  return offsets;
}

std::vector<Pair> observe(const std::vector<MeasuredOffsets>& offsets, const std::vector<Curve>& curves,
                          const Windows& grid, const Seen& seen) {
  const auto common = static_cast<ClockIndex>(seen.clocks - 1);
  std::vector<Pair> pairs;
  for (const MeasuredOffsets& of : offsets) {
    Pair& pair = pairs.emplace_back();
    pair.low = of.clock;
    pair.high = common;
    pair.measured = pair.stated = true;
    double least = of.points.front().error;
    for (const auto& at : of.points) least = std::min(least, at.error);
    const double in_common = least * least / 2;
    pair.bias_sd = std::sqrt(in_common);
    for (const auto& [point, error] : of.points) {
      const double here = curves[of.clock].at(point.sent(), grid);
      const double there = curves[common].at(point.received(), grid);
      const double time = (point.sent() - here + (point.received() - there)) / 2;
      const double variance = error * error - in_common + seen.tick * seen.tick / 6;
      pair.observations.push_back({time, point.delay() - (there - here), variance, 0});
    }
  }
  return pairs;
}

std::vector<bool> contradicting(const std::vector<Claim>& claims, double rate) {
  std::vector<bool> contradicts(claims.size(), false);
  std::map<std::uint32_t, Indexes> groups;
  for (std::size_t index = 0; index < claims.size(); ++index) groups[claims[index].group].push_back(index);
  for (auto& [group, members] : groups) judge_group(claims, std::move(members), rate, contradicts);
  return contradicts;
}

}  // namespace clc::sync
