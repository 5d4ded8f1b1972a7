// The thesis' method for clocks whose rates vary: bounds at the borders between intervals [R 7.7, eq. 7.6-7.9].
#include <algorithm>
#include <utility>

#include "sync/intervals.hpp"
#include "sync/published.hpp"

namespace clc::sync {

namespace {

/// Longest by shortest delay of a message [R 7.7 (b1)].
constexpr double delay_ratio = 2;

class AtBorders {
 public:
  AtBorders(const std::vector<Series>& series, const Groups& groups, std::size_t intervals)
      : windows_(intervals_over(series, intervals)), members_(members_of(groups)), solution_(groups.of.size()) {
    solution_.intervals = intervals;
    limit(series);
  }
  Solution solve() {
    close();
    if (solved_ == 0) return std::move(solution_);
    solution_.failure.reset();
    solution_.unsolved = unsolved_.size() - solved_;
    for (const std::vector<ClockIndex>& members : members_) {
      interpolate(members);
      const ClockIndex reference = reference_of(members);
      solution_.references.push_back(reference);
      for (const ClockIndex clock : members)
        if (!find_knots(clock, reference)) return std::move(solution_);
    }
    if (pairs_ != 0) solution_.invented = static_cast<double>(invented_) / static_cast<double>(pairs_);
    solution_.grid = {windows_.begin - windows_.length / 2, windows_.length, borders_.size()};
    return std::move(solution_);
  }

 private:
  /// A message counts in the intervals of both ends, an interval at both of its borders.
  void limit(const std::vector<Series>& series) {
    borders_.assign(windows_.count + 1, Bounds(solution_.curves.size()));
    for (const Series& one : series)
      for (const Point& point : one.points)
        for (const double time : {point.sent(), point.received()}) {
          const std::size_t interval = windows_.at(time);
          borders_[interval].limit(one.to, one.from, point.delay());
          borders_[interval + 1].limit(one.to, one.from, point.delay());
        }
    unsolved_.assign(borders_.size(), false);
  }
  void close() {
    for (std::size_t border = 0; border < borders_.size(); ++border)
      for (const std::vector<ClockIndex>& members : members_) {
        Bounds& bounds = borders_[border];
        const double narrowest = narrowest_of(bounds, members);
        auto pair = bounds.close(members);
        if (!pair && complete(bounds, members, narrowest)) pair = bounds.close(members);
        if (!pair) continue;
        unsolved_[border] = true;
        solution_.failure = {NoSolution::Cause::contradicts, pair->first, pair->second, windows_.count};
        break;
      }
    solved_ = static_cast<std::size_t>(std::count(unsolved_.begin(), unsolved_.end(), false));
  }
  /// Smallest distance of the bounds of a pair; none: no pair has both.
  static double narrowest_of(const Bounds& bounds, const std::vector<ClockIndex>& members) {
    double narrowest = Bounds::none;
    for (const ClockIndex i : members)
      for (const ClockIndex k : members)
        if (i < k && bounds.known(i, k)) narrowest = std::min(narrowest, 2 * bounds.half_width(i, k));
    return narrowest;
  }
  /// (b1): the missing bound of a pair is assumed to be as far away as the ratio of delays permits. True: there were
  /// such pairs.
  bool complete(Bounds& bounds, const std::vector<ClockIndex>& members, double narrowest) {
    if (narrowest == Bounds::none) return false;
    bool any = false;
    for (const ClockIndex i : members)
      for (const ClockIndex k : members) {
        if (i == k || bounds.upper(i, k) == Bounds::none || bounds.upper(k, i) != Bounds::none) continue;
        bounds.limit(k, i, delay_ratio * narrowest - bounds.upper(i, k));
        ++invented_;
        any = true;
      }
    return any;
  }
  /// (b2): bounds that are still unknown lie on a line between those of the nearest borders.
  void interpolate(const std::vector<ClockIndex>& members) {
    bool any = false;
    for (const ClockIndex i : members)
      for (const ClockIndex k : members) {
        if (i == k) continue;
        const auto known = [&](std::size_t border) { return borders_[border].upper(i, k) != Bounds::none; };
        pairs_ += solved_;
        for (std::size_t border = 0; border < borders_.size(); ++border) {
          if (unsolved_[border] || known(border)) continue;
          ++invented_;
          missing_.push_back(
              {border, i, k, between(border, known, [&](std::size_t at) { return borders_[at].upper(i, k); })});
        }
      }
    for (const Missing& one : missing_) {
      borders_[one.border].limit(one.i, one.k, one.value);
      any |= one.value != Bounds::none;
    }
    missing_.clear();
    if (!any) return;
    for (std::size_t border = 0; border < borders_.size(); ++border) {
      if (unsolved_[border]) continue;
      const Bounds before = borders_[border];
      // Invented bounds may contradict others; then they are not used together.
      if (borders_[border].close(members)) borders_[border] = before;
    }
  }
  /// The value at a border, linear between the nearest borders with a known one, constant beyond them.
  template <class Known, class Value>
  double between(std::size_t border, Known known, Value value) const {
    const auto usable = [&](std::size_t at) { return !unsolved_[at] && known(at); };
    std::size_t left = border;
    while (left > 0 && !usable(left)) --left;
    std::size_t right = border;
    while (right + 1 < borders_.size() && !usable(right)) ++right;
    if (!usable(left) && !usable(right)) return Bounds::none;
    if (!usable(left)) return value(right);
    if (!usable(right) || left == right) return value(left);
    const double part = static_cast<double>(border - left) / static_cast<double>(right - left);
    return (1 - part) * value(left) + part * value(right);
  }
  [[nodiscard]] ClockIndex reference_of(const std::vector<ClockIndex>& members) const {
    std::vector<const Bounds*> solved;
    for (std::size_t border = 0; border < borders_.size(); ++border)
      if (!unsolved_[border]) solved.push_back(&borders_[border]);
    return best_reference(solved, members);
  }
  /// False: nothing is known of the clock at any border.
  bool find_knots(ClockIndex clock, ClockIndex reference) {
    const auto known = [&](std::size_t border) { return borders_[border].known(clock, reference); };
    std::vector<double>& knots = solution_.curves[clock].knots;
    double widths = 0;
    for (std::size_t border = 0; border < borders_.size(); ++border) {
      knots.push_back(between(border, known, [&](std::size_t at) { return borders_[at].middle(clock, reference); }));
      widths += between(border, known, [&](std::size_t at) { return borders_[at].half_width(clock, reference); });
    }
    solution_.errors[clock] = widths / static_cast<double>(borders_.size());
    if (knots.front() != Bounds::none) return true;
    solution_.failure = {NoSolution::Cause::one_way, std::min(clock, reference), std::max(clock, reference),
                         windows_.count};
    return false;
  }

  struct Missing {
    std::size_t border;
    ClockIndex i;
    ClockIndex k;
    double value;
  };
  Windows windows_;
  std::vector<std::vector<ClockIndex>> members_;
  std::vector<Bounds> borders_;
  std::vector<bool> unsolved_;
  std::size_t solved_ = 0;
  std::size_t invented_ = 0;
  std::size_t pairs_ = 0;
  std::vector<Missing> missing_;
  Solution solution_;
};

}  // namespace

Solution solve_variable(const std::vector<Series>& series, const Groups& groups, std::size_t intervals) {
  return AtBorders(series, groups, intervals).solve();
}

}  // namespace clc::sync
