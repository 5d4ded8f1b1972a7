#include "sync/measured.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "sync/observations.hpp"
#include "sync/records.hpp"
#include "sync/rounded.hpp"

namespace clc::sync {

namespace {

constexpr double pause_s = 0.1;      // between two bursts
constexpr double near_ns = 150;      // [R 7.4]
constexpr double slowest_ratio = 2;  // [T 2.2]

bool taken(const Sample& sample, Ticks shortest, BurstRule rule, Resolution resolution) {
  const auto trip = static_cast<double>(sample.round_trip());
  const auto least = static_cast<double>(shortest);
  switch (rule) {
    case BurstRule::shortest:
      return sample.round_trip() == shortest;
    case BurstRule::near:
      return trip <= least + near_ns * 1e-9 * static_cast<double>(resolution.per_second());
    case BurstRule::mean:
      break;
  }
  return trip <= slowest_ratio * least;
}

/// offset, of a line, at a time; in ticks.
double offset_at(const OffsetLine& line, Time time) { return static_cast<double>(line.at(time) - time); }

}  // namespace

BurstPoint evaluate(const std::vector<Sample>& samples, BurstRule rule, double min_delay, Resolution resolution) {
  const Sample& best = *std::min_element(
      samples.begin(), samples.end(), [](const Sample& a, const Sample& b) { return a.round_trip() < b.round_trip(); });
  // Relative to one sample, as times may be too large for doubles.
  const Ticks zero = best.t1 - best.t2;
  double time = 0;
  double offset = 0;
  double error = 0;
  double count = 0;
  for (const Sample& sample : samples) {
    if (!taken(sample, best.round_trip(), rule, resolution)) continue;
    const double half_trip = static_cast<double>(sample.round_trip()) / 2;
    time += static_cast<double>(sample.t2 - best.t2) + static_cast<double>(sample.t3 - sample.t2) / 2;
    offset += static_cast<double>(subtract_saturating(sample.t1 - sample.t2, zero)) + half_trip;
    error += std::max(0.0, half_trip - min_delay);
    ++count;
    // Of equally short ones the first: their mean would be no better known.
    if (rule == BurstRule::shortest) break;
  }
  return {rounded_point(best.t2 + ticks_of(std::floor(time / count + 0.5)), zero, offset / count), error / count};
}

namespace {

class Mapping {
 public:
  Mapping(const Measurements& measurements, const Collector& collector, const Records& records, std::size_t clocks,
          Resolution resolution, const Options& options)
      : measurements_(measurements),
        collector_(collector),
        records_(records),
        resolution_(resolution),
        options_(options),
        min_delay_(options.least_delay_us() * 1e-6 * static_cast<double>(resolution.per_second())),
        clocks_(clocks) {
    result_.clocks.resize(clocks);
    result_.edges = collector.edges();
  }

  Estimate run() {
    take_samples();
    take_points();
    if (std::none_of(clocks_.begin(), clocks_.end(), [](const Clock& clock) { return clock.known; })) {
      result_.failure = {NoSolution::Cause::not_measured, 0, 0, 0};
      return std::move(result_);
    }
    for (ClockIndex clock = 0; clock < clocks_.size(); ++clock)
      if (!resolve(clock)) return std::move(result_);
    result_.recorded = violations(false, result_.recorded_delays);
    result_.mapped = violations(true, result_.mapped_delays);
    describe();
    lift();
    result_.rates = result_.applied = true;
    for (ClockIndex clock = 0; clock < clocks_.size(); ++clock) result_.clocks[clock].map = clocks_[clock].line;
    return std::move(result_);
  }

 private:
  enum class State : std::uint8_t { open, resolving, done };
  struct Clock {
    bool known = false;     ///< it has samples or points, or is a reference
    bool measured = false;  ///< it has samples
    bool once = false;      ///< of one burst, or so does a reference on the way
    ClockIndex reference = 0;
    std::vector<BurstPoint> bursts;
    OffsetLine line;
    std::vector<std::pair<Time, double>> bounds;  ///< of the points of measured clocks, ticks
    double error = 0;                             ///< largest bound, ticks; NaN: not known
    double deviation = 0;                         ///< largest standard deviation of a given point; the same
    std::vector<Time> reference_at;               ///< when others were measured against it, on its clock
    std::uint32_t partners = 0;
    State state = State::open;
  };

  void take_samples() {
    std::map<ClockIndex, std::vector<Sample>> of;
    for (const Sample& sample : measurements_.samples) {
      if (!sample.usable() || sample.clock == sample.reference) continue;
      // A clock has one reference: that of its first sample.
      std::vector<Sample>& own = of[sample.clock];
      if (!own.empty() && own.front().reference != sample.reference) continue;
      own.push_back(sample);
      result_.half_trips.add(same_node(sample.clock, sample.reference, options_.nodes),
                             us(static_cast<double>(sample.round_trip()) / 2));
    }
    const Ticks pause = resolution_.ticks_of_seconds(pause_s);
    for (auto& [index, samples] : of) {
      Clock& clock = clocks_[index];
      clock.known = clock.measured = true;
      clock.reference = samples.front().reference;
      clock.partners = 1;
      clocks_[clock.reference].known = true;
      ++clocks_[clock.reference].partners;
      std::stable_sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) { return a.t2 < b.t2; });
      std::vector<Sample> burst;
      for (const Sample& sample : samples) {
        if (!burst.empty() && sample.t2 - burst.back().t3 > pause) {
          clock.bursts.push_back(evaluate(burst, options_.burst, min_delay_, resolution_));
          burst.clear();
        }
        burst.push_back(sample);
      }
      clock.bursts.push_back(evaluate(burst, options_.burst, min_delay_, resolution_));
    }
  }
  void take_points() {
    for (const GivenPoint& given : measurements_.points) {
      Clock& clock = clocks_[given.clock];
      if (clock.measured) continue;
      clock.known = true;
      clock.error = std::nan("");
      clock.deviation = given.point.has_error() ? std::max(clock.deviation, given.point.error) : std::nan("");
      clock.bursts.push_back({given.point, clock.error});
    }
  }
  /// Makes the line of a clock, after that of its reference. False: it depends on itself.
  bool resolve(ClockIndex index) {
    // Along the references, then back: a chain may be long.
    std::vector<ClockIndex> chain;
    for (ClockIndex at = index; clocks_[at].state != State::done; at = clocks_[at].reference) {
      if (clocks_[at].state == State::resolving) {
        const auto [low, high] = std::minmax(at, clocks_[at].reference);
        result_.failure = {NoSolution::Cause::circle, low, high, 0};
        return false;
      }
      clocks_[at].state = State::resolving;
      chain.push_back(at);
      if (!clocks_[at].measured) break;
    }
    while (!chain.empty()) {
      make_line(clocks_[chain.back()]);
      chain.pop_back();
    }
    return true;
  }
  void make_line(Clock& clock) {
    std::vector<OffsetPoint> points;
    for (const BurstPoint& burst : clock.bursts) {
      OffsetPoint point = burst.offset;
      if (clock.measured) {
        const Clock& reference = clocks_[clock.reference];
        const Time there = point.time + point.offset;
        point.offset = add_saturating(point.offset, reference.line.at(there) - there);
        const double error = burst.error + error_at(reference, there);
        if (!std::isnan(error)) point.error = error / std::sqrt(3.0);
        clocks_[clock.reference].reference_at.push_back(there);
        clock.bounds.emplace_back(point.time, error);
        clock.error = std::isnan(error) ? error : std::max(clock.error, error);
      }
      points.push_back(point);
    }
    clock.once = clock.measured && (clock.bursts.size() == 1 || clocks_[clock.reference].once);
    clock.line = OffsetLine(std::move(points));
    clock.state = State::done;
  }

  /// The bound of a clock at a time of its own, if rates are constant: the line through two points, which are off by at
  /// most their bounds. Beyond the points it grows.
  [[nodiscard]] static double error_at(const Clock& clock, Time time) {
    if (clock.bounds.size() < 2) return clock.error;
    const auto later = std::lower_bound(clock.bounds.begin() + 1, clock.bounds.end() - 1, time,
                                        [](const auto& bound, Time at) { return bound.first < at; });
    const auto [t1, error1] = *std::prev(later);
    const auto [t2, error2] = *later;
    if (t1 == t2) return clock.error;
    const double share = static_cast<double>(time - t1) / static_cast<double>(t2 - t1);
    return std::abs(1 - share) * error1 + std::abs(share) * error2;
  }

  [[nodiscard]] double us(double ticks) const { return resolution_.microseconds(ticks); }
  [[nodiscard]] Time at(ClockIndex clock, Time time, bool mapped) const {
    return mapped ? clocks_[clock].line.at(time) : time;
  }

  Violations violations(bool mapped, SmallestDelays& smallest) const {
    Violations result;
    const auto add = [&](ClockIndex from, Time sent, ClockIndex to, Time received) {
      if (from == to) return;
      const auto delay = static_cast<double>(at(to, received, mapped) - at(from, sent, mapped));
      smallest.add(same_node(from, to, options_.nodes), us(delay));
      result.add(us(min_delay_ - delay), us(1));
    };
    collector_.for_each_track([&](ClockIndex from, ClockIndex to, const std::vector<Sighting>& points) {
      for (const Sighting& point : points) add(from, point.sent(), to, point.received());
    });
    for (const Gathering& gathering : collector_.gatherings()) {
      const Gathering::Member* latest = nullptr;
      const Gathering::Member* earliest = nullptr;
      for (const Gathering::Member& member : gathering.members) {
        if (member.tail &&
            (latest == nullptr || at(member.clock, member.begin, mapped) > at(latest->clock, latest->begin, mapped)))
          latest = &member;
        if (member.head &&
            (earliest == nullptr || at(member.clock, member.end, mapped) < at(earliest->clock, earliest->end, mapped)))
          earliest = &member;
      }
      if (latest == nullptr || earliest == nullptr) continue;
      for (const Gathering::Member& member : gathering.members) {
        if (member.head) add(latest->clock, latest->begin, member.clock, member.end);
        if (member.tail && &member != latest) add(member.clock, member.begin, earliest->clock, earliest->end);
      }
    }
    return result;
  }

  void describe() {
    std::map<ClockIndex, std::uint32_t> groups;  // by the clock at the end of the references
    for (ClockIndex index = 0; index < clocks_.size(); ++index) {
      const Clock& clock = clocks_[index];
      ClockEstimate& to = result_.clocks[index];
      to.flag = Flag::not_measured;
      if (!clock.known) continue;
      ClockIndex root = index;
      while (clocks_[root].measured) root = clocks_[root].reference;
      // Given points all lead to one common time.
      if (!clocks_[root].bursts.empty()) root = static_cast<ClockIndex>(clocks_.size());
      const auto [group, is_new] = groups.try_emplace(root, static_cast<std::uint32_t>(groups.size()));
      if (is_new) result_.references.push_back(root);
      to.group = group->second;
      to.flag = Flag::ok;
      to.partners = clock.partners;
      to.bound_us = us(clock.error);
      to.error_us = std::isnan(clock.error) ? us(clock.deviation) : to.bound_us / std::sqrt(3.0);
      if (clock.once) {
        to.flag = Flag::measured_once;
        to.bound_us = to.error_us = std::numeric_limits<double>::infinity();
      }
      if (clock.bursts.empty()) to.reference_at = moments_of(clock.reference_at);
      const auto span = records_.span(index);
      if (span) describe_line(to, clock.line, *span);
    }
    result_.groups = static_cast<std::uint32_t>(groups.size());
  }
  /// One of each burst.
  [[nodiscard]] std::vector<Time> moments_of(std::vector<Time> times) const {
    const Ticks pause = resolution_.ticks_of_seconds(pause_s);
    std::sort(times.begin(), times.end());
    std::vector<Time> moments;
    for (const Time time : times)
      if (moments.empty() || time - moments.back() > pause) moments.push_back(time);
    return moments;
  }
  void describe_line(ClockEstimate& to, const OffsetLine& line, const ClockSpan& span) const {
    const double first = -offset_at(line, span.first);
    const double last = -offset_at(line, span.last);
    const auto length = static_cast<double>(span.last - span.first);
    const double slope = length > 0 ? (last - first) / length : 0;
    to.first_us = us(first);
    to.last_us = us(last);
    to.rate_ppm = slope * 1e6;
    for (const OffsetPoint& point : line.points()) {
      if (point.time < span.first || point.time > span.last) continue;
      const double straight = first + slope * static_cast<double>(point.time - span.first);
      to.deviation_us = std::max(to.deviation_us, std::abs(us(-offset_at(line, point.time) - straight)));
    }
  }

  /// No clock is mapped to before the earliest recorded time: not all formats have times below their first.
  void lift() {
    Time earliest = Time::latest();
    Time lowest = Time::latest();
    for (ClockIndex clock = 0; clock < clocks_.size(); ++clock) {
      const auto span = records_.span(clock);
      if (!span) continue;
      earliest = std::min(earliest, span->first);
      lowest = std::min(lowest, clocks_[clock].line.at(span->first));
    }
    if (!(lowest < earliest)) return;
    const Ticks shift = earliest - lowest;
    result_.raised = shift;
    for (ClockIndex clock = 0; clock < clocks_.size(); ++clock) {
      std::vector<OffsetPoint> points = clocks_[clock].line.points();
      if (const auto span = records_.span(clock); points.empty() && span) points.push_back({span->first, 0, 0});
      for (OffsetPoint& point : points) point.offset = add_saturating(point.offset, shift);
      clocks_[clock].line = OffsetLine(std::move(points));
    }
  }

  const Measurements& measurements_;
  const Collector& collector_;
  const Records& records_;
  Resolution resolution_;
  const Options& options_;
  double min_delay_;  ///< ticks
  std::vector<Clock> clocks_;
  Estimate result_;
};

}  // namespace

Estimate map_measured(const Measurements& measurements, const Collector& collector, const Records& records,
                      std::size_t clocks, Resolution resolution, const Options& options) {
  return Mapping(measurements, collector, records, clocks, resolution, options).run();
}

}  // namespace clc::sync
