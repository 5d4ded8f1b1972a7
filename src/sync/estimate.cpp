#include "sync/estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "sync/bounds.hpp"
#include "sync/bursts.hpp"
#include "sync/errors.hpp"
#include "sync/groups.hpp"
#include "sync/lines.hpp"
#include "sync/median.hpp"
#include "sync/points.hpp"
#include "sync/published.hpp"
#include "sync/rates.hpp"
#include "sync/rounded.hpp"
#include "sync/shift.hpp"
#include "sync/smooth.hpp"
#include "sync/steps.hpp"
#include "sync/zeros.hpp"

namespace clc::sync {

namespace {

constexpr int line_fits = 4;
constexpr int constant_fits = 2;
constexpr int smooth_fits = 2;
constexpr int measured_fits = 4;  // bursts outweigh messages whose minima are still those of straight lines
constexpr int published_rounds = 2;
constexpr double least_before_step = 0.125;  // of the trace: less is too little to go on from
constexpr std::size_t least_windows = 3;     // for a second difference
constexpr std::size_t most_windows = 512;    // of knots

/// What does not depend on the windows.
struct Data {
  Data(const Collector& collector, const Records& records, std::size_t clocks, Resolution resolution,
       const Options& options, const Stretch* stretch, const std::vector<Sample>& samples);
  /// Measured offsets, of two clocks at least; once, at most. bias_scale: from messages alone.
  void add(const std::vector<GivenPoint>& points, double bias_scale);
  const Records& records;
  Resolution resolution;
  const Options& options;
  const Stretch* stretch;  ///< null: the whole trace
  Zeros zeros;
  Seen seen;
};

/// The clocks of a group in the mean, at a mapped time: their zero, and how far they are ahead on top of that.
struct MeanClock {
  Time zero;
  double fraction = 0;  ///< of a tick
  double offset = 0;
  double rate = 0;
};

class Estimator {
 public:
  /// data: must outlive this. fineness: windows, as a multiple of their usual number.
  Estimator(const Data& data, double fineness);
  /// Finds the curves.
  void solve();
  /// What decides on the windows: violations, steps, rates and round trips. Pre: solve.
  [[nodiscard]] const Estimate& found() const noexcept { return result_; }
  [[nodiscard]] double fineness() const noexcept { return fineness_; }
  [[nodiscard]] double bias_scale() const { return sync::bias_scale(pairs_, seen_->clocks); }
  /// The rest.
  Estimate describe_all();
  /// Which of these do messages contradict? Pre: solve, without measured offsets.
  [[nodiscard]] std::vector<bool> contradicted(const std::vector<GivenPoint>& points);
  StretchEstimate run_stretch();

 private:
  void take_observations(bool first);
  [[nodiscard]] std::size_t window_count() const noexcept;
  void find_minima();
  /// Of messages and of bursts.
  [[nodiscard]] std::vector<Direction> all_directions() const;
  [[nodiscard]] const std::vector<Series>& series() const noexcept {
    return with_meetings_.empty() ? seen_->series : with_meetings_;
  }
  [[nodiscard]] std::vector<KnownValue> known_values() const;
  void fit();
  void find_steps();
  void cut(double time);
  /// Leaves out the messages of pairs that are matched wrongly.
  void leave_out_wrong_pairs(StretchEstimate& result);
  void fit_lines();
  void fit_constants();
  void fit_curves();
  [[nodiscard]] Windows windows_of_knots() const;
  void fit_published();
  void shift();
  void shift_lines();
  /// Of a message as recorded, by clocks that are right: times are known to a tick.
  [[nodiscard]] double least_delay() const noexcept { return seen_->min_delay - seen_->tick; }
  /// visit(from, to, delay in seconds) of all messages that bind, as recorded or as mapped.
  template <class Visit>
  void for_each_delay(bool mapped, Visit visit) const;
  [[nodiscard]] double delay_of(ClockIndex from, ClockIndex to, const Point& point, bool mapped) const;
  /// False: the fit has failed. Such clocks would seem to violate nothing, as all comparisons with them fail.
  [[nodiscard]] bool is_finite() const;
  /// broken: the sums of violations.
  [[nodiscard]] bool is_worth_it(const Violations& recorded, const Violations& mapped, double broken_recorded,
                                 double broken_mapped) const;
  [[nodiscard]] Violations violations(bool mapped) const;
  /// The sum of the violations of messages, which are given, and of measured round trips.
  [[nodiscard]] double broken_us(Violations result, bool mapped) const;
  [[nodiscard]] SmallestDelays smallest(bool mapped) const;
  [[nodiscard]] SmallestDelays half_trips() const;
  [[nodiscard]] double points_broken_us(bool mapped) const;
  [[nodiscard]] std::vector<std::vector<double>> bound_times() const;
  /// By how much the rate of a clock may differ from what is estimated.
  [[nodiscard]] double rate_error() const;
  void find_bounds();
  void lift();
  void find_means();
  /// How far a clock is ahead of the mean of its group when it shows a time, in seconds.
  [[nodiscard]] double ahead_of_mean(ClockIndex clock, double time) const;
  /// Of mapped times.
  [[nodiscard]] Time common_zero(ClockIndex clock) const {
    return groups_.of[clock] == Groups::none ? zeros_.zero(clock) : means_[groups_.of[clock]].zero;
  }
  [[nodiscard]] ClockEstimate describe(ClockIndex clock) const;
  /// Where neither recorded nor mapped times are contradicted: are the offsets known?
  [[nodiscard]] bool tells_more() const;
  void admit_rates(double span);
  void admit_violations();
  void admit_assumptions();
  void describe_pairs();
  void describe_steps();
  [[nodiscard]] bool has_messages(ClockIndex clock) const;
  [[nodiscard]] OffsetLine points_of(ClockIndex clock) const;
  [[nodiscard]] OffsetPoint point_at(ClockIndex clock, double time) const;
  [[nodiscard]] Time time_on(ClockIndex clock, double seconds) const;

  const Records& records_;
  Resolution resolution_;
  const Stretch* stretch_;
  double fineness_;
  const Zeros& zeros_;
  Method method_;
  bool always_;
  std::size_t intervals_;
  const Seen* seen_;
  std::unique_ptr<Seen> cut_;             ///< what is left of it; null: all
  std::vector<Curve> curves_;             ///< empty: nothing was seen
  Windows windows_;                       ///< of observations
  Windows grid_;                          ///< of the knots of curves
  std::vector<Series> with_meetings_;     ///< those of seen_ and of its collective operations; empty: it has none
  std::vector<Series> all_;               ///< also what lies beyond a step; empty: nothing does
  std::map<ClockIndex, double> stepped_;  ///< on the clock: when it was set first
  std::vector<Direction> directions_;     ///< of messages
  std::vector<MeasuredPair> measured_;
  std::vector<Pair> pairs_;
  Groups groups_;
  std::vector<MeanClock> means_;        ///< by group
  std::vector<double> errors_;          ///< of offsets
  std::vector<ClockIndex> references_;  ///< of a published method
  std::vector<double> bounds_;          ///< of these, that hold
  Estimate result_;
};

Data::Data(const Collector& collector, const Records& records_of, std::size_t clocks, Resolution resolution_of,
           const Options& options_of, const Stretch* stretch_of, const std::vector<Sample>& samples)
    : records(records_of),
      resolution(resolution_of),
      options(options_of),
      stretch(stretch_of),
      zeros(stretch != nullptr ? std::vector<Time>(clocks, stretch->zero)
                               : zeros_of(collector, records, clocks, resolution, samples),
            resolution) {
  seen.clocks = seen.in_trace = clocks;
  seen.tick = resolution.seconds(static_cast<double>(records.coarsest_tick()));
  seen.min_delay = options.least_delay_us() * 1e-6;
  seen.node = options.nodes;
  seen.edges = stretch != nullptr ? stretch->edges : collector.edges();
  const auto is_new = [&](ClockIndex clock) {
    const auto span = records.span(clock);
    return stretch != nullptr && span && span->first > stretch->begun_by;
  };
  collector.for_each_track([&](ClockIndex from, ClockIndex to, const std::vector<Sighting>& points) {
    if (is_new(from) || is_new(to)) return;
    Series& series = seen.series.emplace_back(Series{from, to, {}});
    series.points.reserve(points.size());
    for (const Sighting& point : points) series.points.push_back(zeros.point(from, to, point));
  });
  for (const Gathering& gathering : collector.gatherings())
    if (std::none_of(gathering.members.begin(), gathering.members.end(),
                     [&](const Gathering::Member& member) { return is_new(member.clock); }))
      seen.meetings.push_back(zeros.meeting(gathering));
  if (!is_published(options.method)) seen.bursts = bursts_of(samples, zeros);
}

void Data::add(const std::vector<GivenPoint>& points, double bias_scale) {
  seen.bias_scale = bias_scale;
  const auto common = static_cast<ClockIndex>(seen.clocks);
  const auto& [clock, first] = points.front();
  const Ticks near = near_ticks(records, seen.in_trace, resolution);
  zeros.add(first.offset < near && first.offset > -near ? zeros.zero(clock) : zeros.zero(clock) + first.offset);
  ++seen.clocks;
  seen.offsets = offsets_of(points, zeros, resolution, common);
}

Estimator::Estimator(const Data& data, double fineness)
    : records_(data.records),
      resolution_(data.resolution),
      stretch_(data.stretch),
      fineness_(fineness),
      zeros_(data.zeros),
      method_(data.options.method),
      always_(data.options.always),
      intervals_(data.options.intervals),
      seen_(&data.seen),
      curves_(data.seen.clocks) {
  for (const Burst& burst : seen_->bursts) result_.round_trips += burst.up.size();
  for (const MeasuredOffsets& of : seen_->offsets) result_.offsets += of.points.size();
}

void Estimator::take_observations(bool first) {
  if (!seen_->meetings.empty()) with_meetings_ = all_series(*seen_, curves_, grid_, first);
  std::size_t windows = window_count();
  if (stretch_ != nullptr) windows = std::min(windows, stretch_->windows);
  windows_ = windows_over(series(), *seen_, curves_, windows);
  find_minima();
  pairs_ = observe(directions_, measured_, *seen_);
  for (Pair& pair : observe(seen_->offsets, curves_, grid_, *seen_)) pairs_.push_back(std::move(pair));
  groups_ = groups_of(pairs_, seen_->clocks, seen_->in_trace);
}

/// Of a clock.
std::size_t most_offsets(const Seen& seen) {
  std::size_t most = 0;
  for (const MeasuredOffsets& of : seen.offsets) most = std::max(most, of.points.size());
  return most;
}

std::size_t Estimator::window_count() const noexcept {
  const auto usual = static_cast<double>(windows_for(*seen_, series().size()));
  // A window over much of the trace would mix times between which measured offsets know the clocks to wander. A pair
  // still has two edges per window.
  constexpr double enough = 8;
  constexpr double finest = 2.5;
  const double wanted = std::min({static_cast<double>(most_offsets(*seen_)), finest * usual, enough});
  return static_cast<std::size_t>(std::max({1.0, fineness_ * usual, wanted}));
}

void Estimator::find_minima() {
  directions_ = minima_of(series(), curves_, windows_, grid_);
  measured_ = minima_of(seen_->bursts, curves_, windows_, grid_);
}

std::vector<Direction> Estimator::all_directions() const {
  std::vector<Direction> all = directions_;
  for (const MeasuredPair& pair : measured_) {
    all.push_back(pair.up);
    all.push_back(pair.down);
  }
  return all;
}

void Estimator::fit_lines() {
  for (int fit = 0; fit < line_fits; ++fit) {
    take_observations(fit == 0);
    // Where no pair was observed twice, lines through all observations could have almost any rates.
    const bool rates =
        std::any_of(pairs_.begin(), pairs_.end(), [](const Pair& pair) { return pair.observations.size() > 1; });
    sync::fit_lines(curves_, pairs_, groups_, rates);
  }
  take_observations(false);
}

void Estimator::fit_constants() {
  for (Curve& curve : curves_) curve = {curve.offset, 0, {}};
  for (int fit = 0; fit < constant_fits; ++fit) {
    take_observations(false);
    sync::fit_lines(curves_, pairs_, groups_, false);
  }
  take_observations(false);
}

/// Clocks that were set, and the end of what is mapped before a step that curves could not follow.
void Estimator::find_steps() {
  for (const Step& step : sync::find_steps(directions_, pairs_, windows_, *seen_, 0)) {
    const double mapped = windows_.centre(step.window);
    const Curve& curve = curves_[step.clock];
    stepped_.try_emplace(step.clock, (mapped + curve.offset) / (1 - curve.rate));
  }
  const std::vector<Step> steps = sync::find_steps(directions_, pairs_, windows_, *seen_, windows_.length);
  if (steps.empty()) return;
  result_.steps = steps.size();
  const double before = static_cast<double>(steps.front().window) / static_cast<double>(windows_.count);
  cut(before < least_before_step ? -HUGE_VAL : windows_.centre(steps.front().window) - windows_.length);
}

/// Forgets what was seen after a mapped time.
void Estimator::cut(double time) {
  all_ = series();
  with_meetings_.clear();
  cut_ = std::make_unique<Seen>(*seen_);
  seen_ = cut_.get();
  const auto mapped = [&](ClockIndex clock, double at) { return at - curves_[clock].at(at, grid_); };
  for (Series& one : cut_->series)
    std::erase_if(one.points, [&](const Point& point) {
      return mapped(one.from, point.sent()) > time || mapped(one.to, point.received()) > time;
    });
  std::erase_if(cut_->series, [](const Series& one) { return one.points.empty(); });
  std::erase_if(cut_->meetings, [&](const Meeting& meeting) {
    return std::any_of(meeting.members.begin(), meeting.members.end(),
                       [&](const Meeting::Member& member) { return mapped(member.clock, member.end) > time; });
  });
  std::erase_if(cut_->bursts, [&](const Burst& burst) {
    return mapped(burst.low, burst.up.back().sent()) > time || mapped(burst.high, burst.down.back().sent()) > time;
  });
  for (MeasuredOffsets& of : cut_->offsets)
    std::erase_if(of.points, [&](const auto& at) { return mapped(of.clock, at.to_common.sent()) > time; });
  std::erase_if(cut_->offsets, [](const MeasuredOffsets& of) { return of.points.empty(); });
  const double share = (time - windows_.begin) / (windows_.length * static_cast<double>(windows_.count));
  cut_->edges = static_cast<std::uint64_t>(static_cast<double>(cut_->edges) * std::clamp(share, 0.0, 1.0));
  curves_.assign(curves_.size(), {});
  // Beyond the step a straight line goes on; a curve would go anywhere.
  method_ = Method::line;
}

/// Short traces invent rates, and curves. They are kept where they are clear, or where without them the messages that
/// bind would be broken by twice as much.
void Estimator::fit() {
  fit_lines();
  find_steps();
  if (result_.steps != 0) fit_lines();
  result_.rates = (stretch_ != nullptr && stretch_->rates) || rates_matter(curves_, pairs_);
  const std::vector<Curve> lines = curves_;
  if (method_ == Method::smooth) fit_curves();
  shift();
  if (result_.rates) {
    shift_lines();
    return;
  }
  const double broken = broken_us(violations(true), true);
  const std::vector<Curve> fitted = curves_;
  curves_ = lines;
  fit_constants();
  shift();
  result_.rates = broken < broken_us(violations(true), true) / 2;
  if (!result_.rates) {
    for (std::size_t clock = 0; clock < lines.size(); ++clock) curves_[clock].left_out = lines[clock].rate;
    return;
  }
  curves_ = fitted;
  take_observations(false);
  shift_lines();
}

/// There may be measured offsets before and after all messages, and more of them than messages ask for windows.
Windows Estimator::windows_of_knots() const {
  double begin = windows_.begin;
  double end = windows_.begin + windows_.length * static_cast<double>(windows_.count);
  for (const Pair& pair : pairs_)
    for (const Observation& one : pair.observations)
      if (pair.stated) {
        begin = std::min(begin, one.time);
        end = std::max(end, one.time);
      }
  const double as_long = std::ceil((end - begin) / windows_.length - 1e-6);
  const double count = std::min(std::max(as_long, static_cast<double>(most_offsets(*seen_))),
                                static_cast<double>(std::max(most_windows, windows_.count)));
  return {begin, (end - begin) / count, static_cast<std::size_t>(count)};
}

void Estimator::fit_curves() {
  const Windows windows = seen_->offsets.empty() ? windows_ : windows_of_knots();
  if (windows.count < least_windows) return;
  result_.rate_variance = rate_variance(pairs_);
  const Knots knots = knots_for(pairs_, windows, result_.rate_variance);
  const bool measured = !(measured_.empty() && seen_->offsets.empty());
  const int fits = measured ? measured_fits : smooth_fits;
  for (int fit = 0; fit < fits; ++fit) {
    if (measured) scale_biases_by(seen_->bias_scale, pairs_);
    directions_ = {};  // room for the equations
    std::vector<std::vector<double>> values = solve_smooth(curves_, pairs_, groups_, knots, known_values(),
                                                           fit + 1 < fits ? Precision::rough : Precision::full);
    grid_ = knots.grid;
    for (std::size_t clock = 0; clock < curves_.size(); ++clock) curves_[clock].knots = std::move(values[clock]);
    take_observations(false);
  }
}

/// The last two moments that are fixed, beside the lines.
std::vector<KnownValue> Estimator::known_values() const {
  constexpr std::size_t last = 2;
  std::vector<KnownValue> values;
  if (stretch_ == nullptr) return values;
  const std::vector<Moment>& known = stretch_->known;
  for (std::size_t i = known.size() - std::min(last, known.size()); i < known.size(); ++i)
    for (ClockIndex clock = 0; clock < known[i].offsets.size(); ++clock) {
      const double offset = known[i].offsets[clock];
      if (!std::isnan(offset))
        values.push_back({clock, known[i].time, offset - curves_[clock].line(known[i].time + offset)});
    }
  return values;
}

/// The points with the times and delays that remain after the lines of the curves.
std::vector<Series> after_lines(const std::vector<Series>& series, const std::vector<Curve>& curves) {
  std::vector<Series> result = series;
  for (Series& one : result)
    for (Point& point : one.points) {
      const double sent = curves[one.from].line(point.sent());
      const double received = curves[one.to].line(point.received());
      point = {point.sent() - sent, point.delay() - (received - sent), point.waited()};
    }
  return result;
}

/// Constant offsets first, so that an interval is nearly the same for all clocks. The second round has the times of
/// messages on the common time, and collective operations as the first one judges them.
void Estimator::fit_published() {
  take_observations(true);
  fit_constants();
  std::vector<Curve> base = curves_;
  for (int round = 0; round < published_rounds; ++round) {
    Solution solution = solve_published(method_, after_lines(series(), base), groups_, intervals_, window_count());
    result_.failure = solution.failure;
    if (solution.failure) return;
    for (ClockIndex clock = 0; clock < curves_.size(); ++clock) {
      // x(c) + more(c - x(c)): the solution on top of the base.
      Curve& curve = curves_[clock];
      const Curve& more = solution.curves[clock];
      curve.offset = base[clock].offset + more.offset - more.rate * base[clock].offset;
      curve.rate = base[clock].rate + more.rate * (1 - base[clock].rate);
      curve.knots = more.knots;
    }
    if (method_ == Method::variable)
      grid_ = solution.grid;
    else
      base = curves_;
    errors_ = solution.errors;
    references_ = solution.references;
    result_.intervals = solution.intervals;
    result_.unsolved = solution.unsolved;
    take_observations(false);
  }
  result_.rates = true;
}

void Estimator::shift() {
  std::vector<double> shift = shift_into_bounds(directions_, seen_->clocks, least_delay());
  centre(shift, groups_);
  for (std::size_t clock = 0; clock < curves_.size(); ++clock) {
    Curve& curve = curves_[clock];
    if (curve.knots.empty())
      curve.offset += shift[clock];
    else
      for (double& knot : curve.knots) knot += shift[clock];
  }
}

/// Where no change of rates was found, all messages bind the lines of the clocks, not only most of them their offsets.
void Estimator::shift_lines() {
  if (stretch_ != nullptr || curves_.front().knots.empty() || result_.rate_variance > 0) return;
  const Violations before = violations(true);
  if (before.violated == 0) return;
  const double half = windows_.length * static_cast<double>(windows_.count) / 2;
  const double middle = windows_.begin + half;
  const double most_room = 8 * before.worst_us * 1e-6;  // others are far from binding
  std::vector<Binding> messages;
  for (const Series& one : series())
    for (const Point& point : one.points) {
      const double room = delay_of(one.from, one.to, point, true) - least_delay();
      if (room > most_room) continue;
      const auto part = [&](ClockIndex clock, double time) {
        return (time - curves_[clock].at(time, grid_) - middle) / half;
      };
      const double midway = (part(one.from, point.sent()) + part(one.to, point.received())) / 2;
      messages.push_back({one.from, one.to, midway, room});
    }
  const std::vector<Curve> curves = curves_;
  const std::vector<LineShift> lines = lines_into_bounds(messages, seen_->clocks);
  for (ClockIndex clock = 0; clock < curves_.size(); ++clock)
    for (std::size_t knot = 0; knot < curves_[clock].knots.size(); ++knot)
      curves_[clock].knots[knot] += lines[clock].offset + lines[clock].change * (grid_.centre(knot) - middle) / half;
  if (!(violations(true).sum_us < before.sum_us)) curves_ = curves;
}

template <class Visit>
void Estimator::for_each_delay(bool mapped, Visit visit) const {
  for (const Series& one : all_.empty() ? series() : all_)
    for (const Point& point : one.points) visit(one.from, one.to, delay_of(one.from, one.to, point, mapped));
}

double Estimator::delay_of(ClockIndex from, ClockIndex to, const Point& point, bool mapped) const {
  if (mapped) return mapped_delay(point, curves_[from], curves_[to], grid_);
  return point.delay() + resolution_.seconds(static_cast<double>(zeros_.zero(to) - zeros_.zero(from)));
}

Violations Estimator::violations(bool mapped) const {
  Violations result;
  for_each_delay(mapped, [&](ClockIndex, ClockIndex, double delay) {
    result.add((seen_->min_delay - delay) * 1e6, resolution_.microseconds(1));
  });
  return result;
}

double Estimator::broken_us(Violations result, bool mapped) const {
  const auto add = [&](ClockIndex from, ClockIndex to, const std::vector<Point>& points) {
    for (const Point& point : points)
      result.add((seen_->min_delay - delay_of(from, to, point, mapped)) * 1e6, resolution_.microseconds(1));
  };
  for (const Burst& burst : seen_->bursts) {
    add(burst.low, burst.high, burst.up);
    add(burst.high, burst.low, burst.down);
  }
  return result.sum_us + points_broken_us(mapped);
}

/// By how much measured offsets differ from what most of them say, beyond twice their errors.
double Estimator::points_broken_us(bool mapped) const {
  const auto common = static_cast<ClockIndex>(seen_->clocks - 1);
  std::vector<double> ahead;
  for (const MeasuredOffsets& of : seen_->offsets)
    for (const auto& at : of.points) ahead.push_back(delay_of(of.clock, common, at.to_common, mapped));
  const double middle = median(ahead);
  double sum = 0;
  auto next = ahead.begin();
  for (const MeasuredOffsets& of : seen_->offsets)
    for (const auto& at : of.points) sum += std::max(0.0, std::abs(*next++ - middle) - 2 * at.error);
  return sum * 1e6;
}

SmallestDelays Estimator::smallest(bool mapped) const {
  SmallestDelays result;
  for_each_delay(mapped, [&](ClockIndex from, ClockIndex to, double delay) {
    result.add(same_node(from, to, seen_->node), delay * 1e6);
  });
  return result;
}

SmallestDelays Estimator::half_trips() const {
  SmallestDelays result;
  for (const Pair& pair : pairs_)
    if (!pair.stated) result.add(same_node(pair.low, pair.high, seen_->node), pair.round_trip / 2 * 1e6);
  return result;
}

/// What rates may change by, and what is not known of them: the error of an offset by the length of the trace.
double Estimator::rate_error() const {
  const double length = windows_.length * static_cast<double>(windows_.count);
  const std::vector<double> errors = is_published(method_) ? errors_ : assumed_errors(pairs_, seen_->clocks);
  double largest = 0;
  for (const double error : errors)
    if (std::isfinite(error)) largest = std::max(largest, error);
  return std::max(
      {1e-6, 3 * std::sqrt(2 * result_.rate_variance * windows_.length), 3 * std::sqrt(12.0) * largest / length});
}

/// When messages and round trips bind each clock, mapped, in order.
std::vector<std::vector<double>> Estimator::bound_times() const {
  std::vector<std::vector<double>> times(seen_->clocks);
  const auto add = [&](ClockIndex clock, double time) {
    times[clock].push_back(time - curves_[clock].at(time, grid_));
  };
  const auto add_all = [&](ClockIndex from, ClockIndex to, const std::vector<Point>& points) {
    for (const Point& point : points) {
      add(from, point.sent());
      add(to, point.received());
    }
  };
  for (const Series& one : series()) add_all(one.from, one.to, one.points);
  for (const Burst& burst : seen_->bursts) {
    add_all(burst.low, burst.high, burst.up);
    add_all(burst.high, burst.low, burst.down);
  }
  for (std::vector<double>& of : times) std::sort(of.begin(), of.end());
  return times;
}

/// How far the nearest of these is.
double distance(const std::vector<double>& times, double time) {
  const auto next = std::lower_bound(times.begin(), times.end(), time);
  const double after = next == times.end() ? HUGE_VAL : *next - time;
  return next == times.begin() ? after : std::min(after, time - *std::prev(next));
}

std::vector<bool> Estimator::contradicted(const std::vector<GivenPoint>& points) {
  if (curves_.empty()) return std::vector<bool>(points.size(), false);
  find_minima();
  constexpr double largest_rate = 1e-4;  // as the lines expect
  const double rate = result_.rates ? rate_error() : std::max(rate_error(), largest_rate);
  const ErrorBounds bounds = error_bounds(all_directions(), groups_, windows_, least_delay(), rate);
  // Bounds are of clocks as they are mapped; the common time is not mapped yet.
  const double length = windows_.length * static_cast<double>(windows_.count);
  const double wander = 3 * std::sqrt(2 * result_.rate_variance * length);
  const std::vector<std::vector<double>> times = bound_times();
  constexpr double errors = 3;  // may be their standard deviations
  std::vector<Claim> claims;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& [clock, point] = points[i];
    if (groups_.of[clock] == Groups::none) continue;
    const double time = zeros_.seconds(clock, point.time);
    const double mapped = time - curves_[clock].at(time, grid_);
    // Relative to the first one: offsets may be too large for doubles.
    const Ticks zeros = zeros_.zero(clock) - zeros_.zero(points.front().clock);
    const Ticks apart = add_saturating(subtract_saturating(point.offset, points.front().point.offset), zeros);
    const double offset = resolution_.seconds(static_cast<double>(apart) + point.fraction);
    // In between nothing is known of rates.
    const std::uint32_t group = groups_.of[clock];
    const double silent = distance(times[clock], mapped) + distance(times[bounds.reference[group]], mapped);
    const double room = errors * resolution_.seconds(point.error) + seen_->tick + largest_rate * silent;
    const ErrorInterval& error = bounds.windows[windows_.at(mapped)][clock];
    claims.push_back({group, clock, mapped, offset + time - mapped, room - error.low, room + error.high});
    places.push_back(i);
  }
  std::vector<bool> result(points.size(), false);
  const std::vector<bool> judged = contradicting(claims, std::max(rate, wander));
  for (std::size_t i = 0; i < places.size(); ++i) result[places[i]] = judged[i];
  directions_ = {};
  measured_ = {};
  return result;
}

void Estimator::find_bounds() {
  find_minima();
  const ErrorBounds bounds =
      error_bounds(all_directions(), groups_, windows_, least_delay(), rate_error(), references_);
  result_.references = bounds.reference;
  result_.contradiction = bounds.contradiction;
  bounds_.assign(seen_->clocks, 0.0);
  for (const std::vector<ErrorInterval>& window : bounds.windows)
    for (std::size_t clock = 0; clock < seen_->clocks; ++clock)
      bounds_[clock] = std::max({bounds_[clock], window[clock].high, -window[clock].low});
}

/// No clock is mapped to before the earliest recorded time: not all formats have times below their first.
void Estimator::lift() {
  Time earliest = Time::latest();
  for (ClockIndex clock = 0; clock < seen_->in_trace; ++clock)
    if (const auto span = records_.span(clock)) earliest = std::min(earliest, span->first);
  double lowest = 0;
  bool any = false;
  for (ClockIndex clock = 0; clock < seen_->in_trace; ++clock) {
    const auto span = records_.span(clock);
    if (!span) continue;
    const double first = zeros_.seconds(clock, span->first);
    const double later = resolution_.seconds(static_cast<double>(common_zero(clock) - earliest));
    const double mapped = later + (first - curves_[clock].at(first, grid_));
    lowest = any ? std::min(lowest, mapped) : mapped;
    any = true;
  }
  if (!(lowest < 0)) return;
  for (Curve& curve : curves_) {
    if (curve.knots.empty())
      curve.offset += lowest;
    else
      for (double& knot : curve.knots) knot += lowest;
  }
}

Time Estimator::time_on(ClockIndex clock, double seconds) const {
  return zeros_.zero(clock) + static_cast<Ticks>(std::llround(seconds * static_cast<double>(resolution_.per_second())));
}

OffsetPoint Estimator::point_at(ClockIndex clock, double time) const {
  const auto per_second = static_cast<double>(resolution_.per_second());
  const Time at = time_on(clock, time);
  const double offset = -curves_[clock].at(zeros_.seconds(clock, at), grid_) * per_second;
  OffsetPoint point = rounded_point(at, common_zero(clock) - zeros_.zero(clock), offset);
  if (!is_published(method_) && std::isfinite(errors_[clock])) point.error = errors_[clock] * per_second;
  return point;
}

OffsetLine Estimator::points_of(ClockIndex clock) const {
  const auto span = records_.span(clock);
  if (!span) return {};
  const Curve& curve = curves_[clock];
  const double first = zeros_.seconds(clock, span->first);
  const double last = zeros_.seconds(clock, span->last);
  std::vector<OffsetPoint> points{point_at(clock, first)};
  for (std::size_t knot = 0; knot < curve.knots.size(); ++knot) {
    const double time = (grid_.centre(knot) + curve.offset) / (1 - curve.rate);
    if (time > first && time < last) points.push_back(point_at(clock, time));
  }
  if (last > first) points.push_back(point_at(clock, last));
  return OffsetLine(std::move(points));
}

void Estimator::find_means() {
  means_.clear();
  for (const ClockIndex first : groups_.first) means_.push_back({zeros_.zero(first)});
  for (ClockIndex clock = 0; clock < seen_->in_trace; ++clock) {
    const std::uint32_t group = groups_.of[clock];
    if (group == Groups::none) continue;
    MeanClock& mean = means_[group];
    const std::uint32_t size = groups_.size[group];
    // Zeros may be years apart, which doubles have to the microsecond.
    const Ticks zero = zeros_.zero(clock) - zeros_.zero(groups_.first[group]);
    mean.zero = mean.zero + zero / size;
    mean.fraction += static_cast<double>(zero % size) / size;
    if (is_published(method_)) continue;  // relative to what the method chooses
    // x(M), where x(c) = a + b c and M = c - x(c).
    mean.offset += curves_[clock].offset / (1 - curves_[clock].rate) / size;
    mean.rate += curves_[clock].rate / (1 - curves_[clock].rate) / size;
  }
}

double Estimator::ahead_of_mean(ClockIndex clock, double time) const {
  const MeanClock& mean = means_[groups_.of[clock]];
  const Ticks zero = zeros_.zero(clock) - mean.zero;
  const double ahead = curves_[clock].at(time, grid_);
  return resolution_.seconds(static_cast<double>(zero) - mean.fraction) + ahead -
         (mean.offset + mean.rate * (time - ahead));
}

ClockEstimate Estimator::describe(ClockIndex clock) const {
  ClockEstimate result;
  if (const auto step = stepped_.find(clock); step != stepped_.end()) result.step = time_on(clock, step->second);
  const std::uint32_t group = groups_.of[clock];
  result.group = group;
  const auto span = records_.span(clock);
  if (group == Groups::none && span && !all_.empty() && has_messages(clock)) result.flag = Flag::after_step;
  if (group == Groups::none || !span) return result;
  const Curve& curve = curves_[clock];
  const double first = zeros_.seconds(clock, span->first);
  const double last = zeros_.seconds(clock, span->last);
  const double at_first = curve.at(first, grid_);
  const double at_last = curve.at(last, grid_);
  const double slope = last > first ? (at_last - at_first) / (last - first) : 0;
  result.first_us = ahead_of_mean(clock, first) * 1e6;
  result.last_us = ahead_of_mean(clock, last) * 1e6;
  result.rate_ppm = slope * 1e6;
  for (std::size_t knot = 0; knot < curve.knots.size(); ++knot) {
    const double time = (grid_.centre(knot) + curve.offset) / (1 - curve.rate);
    if (time < first || time > last) continue;
    const double beside = curve.at(time, grid_) - (at_first + slope * (time - first));
    result.deviation_us = std::max(result.deviation_us, std::abs(beside) * 1e6);
  }
  result.error_us = errors_[clock] * 1e6;
  result.bound_us = bounds_[clock] * 1e6;
  result.flag = Flag::never_waited;
  return result;
}

/// Of all clocks that are described: what their pairs say, the best of them.
void Estimator::describe_pairs() {
  const auto flag_of = [](Kind kind) {
    return kind == Kind::both_ways ? Flag::ok : kind == Kind::one_way ? Flag::one_way : Flag::never_waited;
  };
  for (const Pair& pair : pairs_)
    for (const ClockIndex index : {pair.low, pair.high}) {
      if (index >= seen_->in_trace) continue;  // the common time of measured offsets
      ClockEstimate& clock = result_.clocks[index];
      if (!is_known(clock.flag)) continue;
      clock.partners += pair.measured ? 0 : 1;
      clock.measured |= pair.measured;
      clock.flag = std::min(clock.flag, flag_of(pair.kind));
    }
}

/// What a step leaves of a group: its mean, and what messages prove through the clock, hold before it only.
void Estimator::describe_steps() {
  std::set<std::uint32_t> groups;
  for (const ClockEstimate& clock : result_.clocks)
    if (clock.step && is_known(clock.flag)) groups.insert(clock.group);
  for (ClockIndex index = 0; index < seen_->in_trace; ++index) {
    ClockEstimate& clock = result_.clocks[index];
    if (!is_known(clock.flag) || !groups.contains(clock.group)) continue;
    clock.bound_us = clock.error_us = std::numeric_limits<double>::infinity();
    errors_[index] = std::numeric_limits<double>::infinity();
    if (clock.step)
      clock.flag = Flag::step;
    else
      clock.beside_step = true;
  }
}

/// Also after a step.
bool Estimator::has_messages(ClockIndex clock) const {
  return std::any_of(all_.begin(), all_.end(),
                     [&](const Series& one) { return (one.from == clock || one.to == clock) && !one.points.empty(); });
}

void Estimator::solve() {
  result_.edges = seen_->edges;
  result_.clocks.resize(seen_->in_trace);
  if (seen_->series.empty() && seen_->meetings.empty() && seen_->bursts.empty() && seen_->offsets.empty()) {
    curves_.clear();
    return;
  }
  if (is_published(method_))
    fit_published();
  else
    fit();
  result_.windows = windows_.count;
  if (result_.failure) return;
  result_.mapped = violations(true);
  result_.half_trips = half_trips();
  // Bounds take them again; until then other windows may be tried.
  directions_ = {};
  measured_ = {};
}

/// Rates that are not applied may be there all the same.
void Estimator::admit_rates(double span) {
  for (ClockIndex clock = 0; clock < errors_.size(); ++clock)
    errors_[clock] = std::hypot(errors_[clock], curves_[clock].left_out * span / std::sqrt(12));
}

/// Of messages that may take any time nothing follows.
void Estimator::admit_assumptions() {
  for (const Pair& pair : pairs_)
    if (pair.assumed) errors_[pair.low] = errors_[pair.high] = infinity;
}

/// A message below the minimum delay shows that one of its clocks is off by half of what it lacks at least. One in 100
/// may be matched wrongly.
void Estimator::admit_violations() {
  constexpr std::size_t trusted = 100;
  std::vector<std::size_t> messages(errors_.size());
  std::vector<std::vector<double>> lacking(errors_.size());
  for_each_delay(true, [&](ClockIndex from, ClockIndex to, double delay) {
    for (const ClockIndex clock : {from, to}) {
      ++messages[clock];
      if (delay < least_delay()) lacking[clock].push_back(least_delay() - delay);
    }
  });
  for (ClockIndex clock = 0; clock < errors_.size(); ++clock) {
    std::vector<double>& of = lacking[clock];
    const std::size_t left_out = messages[clock] / trusted;
    if (of.size() <= left_out) continue;
    std::nth_element(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(left_out), of.end(), std::greater<>());
    errors_[clock] = std::max(errors_[clock], of[left_out] / 2);
  }
}

bool Estimator::is_finite() const {
  return std::all_of(curves_.begin(), curves_.end(),
                     [](const Curve& curve) { return std::isfinite(curve.offset) && std::isfinite(curve.rate); });
}

bool Estimator::is_worth_it(const Violations& recorded, const Violations& mapped, double broken_recorded,
                            double broken_mapped) const {
  if (!is_finite()) return false;
  if (always_) return true;
  if (!(broken_mapped < broken_recorded)) return false;
  // The controlled clock meets recorded offsets once, at the begin. A map is wrong around each step, and beyond it, and
  // what the clock raises a process by for that goes away in 1/(1 - gamma_max) = 100 times as long. So much further
  // must recorded clocks be apart than a step leaves mapped ones.
  constexpr double clearly = 100;
  return stepped_.empty() || recorded.worst_us > clearly * mapped.worst_us;
}

bool Estimator::tells_more() const {
  // Of normal errors one in 16,000 is as large, and the stated ones are up to half as large as the true ones.
  constexpr double errors = 4;
  const double tick_us = seen_->tick * 1e6;
  // Of fewer messages than these in each direction, the smallest delay says little about the network.
  constexpr std::size_t least_messages = 8;
  if (!is_finite() || is_published(method_) || !stepped_.empty()) return false;
  if (result_.recorded.edges == 0 || result_.recorded.edges < least_messages * series().size()) return false;
  if (broken_us(result_.recorded, false) > 0 || result_.mapped.worst_us > tick_us) return false;
  bool any = false;
  for (const ClockEstimate& clock : result_.clocks) {
    if (!is_known(clock.flag)) continue;
    if (clock.flag != Flag::ok && !clock.measured) return false;
    any |= std::max(std::abs(clock.first_us), std::abs(clock.last_us)) > errors * clock.error_us;
  }
  return any;
}

Estimate Estimator::describe_all() {
  if (curves_.empty() || result_.failure) return std::move(result_);
  const double span = windows_.length * static_cast<double>(windows_.count);
  if (errors_.empty()) {
    errors_ = offset_errors(pairs_, groups_, {span, result_.rate_variance, grid_.length});
    admit_rates(span);
    admit_violations();
    admit_assumptions();
  }
  result_.groups = static_cast<std::uint32_t>(groups_.first.size());
  result_.recorded = violations(false);
  result_.recorded_delays = smallest(false);
  result_.mapped_delays = smallest(true);
  find_bounds();
  find_means();
  for (ClockIndex clock = 0; clock < seen_->in_trace; ++clock) result_.clocks[clock] = describe(clock);
  describe_pairs();
  describe_steps();
  result_.applied = is_worth_it(result_.recorded, result_.mapped, broken_us(result_.recorded, false),
                                broken_us(result_.mapped, true));
  if (!result_.applied) result_.applied = tells_more();
  if (result_.applied) {
    lift();
    for (ClockIndex clock = 0; clock < seen_->in_trace; ++clock) result_.clocks[clock].map = points_of(clock);
  }
  return std::move(result_);
}

void Estimator::leave_out_wrong_pairs(StretchEstimate& result) {
  result.trips = stretch_->trips;
  take_observations(true);
  result.wrong = find_wrong_pairs(directions_, windows_, seen_->tick, result.trips);
  with_meetings_.clear();
  if (result.wrong.contradicting.empty() && result.wrong.longer.empty()) return;
  cut_ = std::make_unique<Seen>(*seen_);
  seen_ = cut_.get();
  std::erase_if(cut_->series, [&](const Series& one) {
    const ClockPair pair = std::minmax(one.from, one.to);
    return result.wrong.contradicting.contains(pair) || result.wrong.longer.contains(pair);
  });
}

StretchEstimate Estimator::run_stretch() {
  StretchEstimate result;
  result.groups.assign(seen_->clocks, Groups::none);
  if (seen_->series.empty() && seen_->meetings.empty()) return result;
  leave_out_wrong_pairs(result);
  if (seen_->series.empty() && seen_->meetings.empty()) return result;
  fit();
  result.rates = result_.rates;
  result.groups = groups_.of;
  const Violations recorded = violations(false);
  const Violations mapped = violations(true);
  result.applied = is_worth_it(recorded, mapped, recorded.sum_us, mapped.sum_us);
  for (const auto& [clock, time] : stepped_) result.steps.emplace_back(clock, time_on(clock, time));
  for (ClockIndex clock = 0; clock < seen_->clocks; ++clock) {
    const auto span = records_.span(clock);
    const double first = span ? zeros_.seconds(clock, span->first) : 0;
    result.begins.push_back(first - curves_[clock].at(first, grid_));
  }
  for (const double time : stretch_->moments) {
    Moment moment{time, {}};
    for (ClockIndex clock = 0; clock < seen_->clocks; ++clock) {
      const Curve& curve = curves_[clock];
      const double on_clock = (time + curve.offset) / (1 - curve.rate);
      moment.offsets.push_back(groups_.of[clock] == Groups::none ? std::nan("") : curve.at(on_clock, grid_));
    }
    result.moments.push_back(std::move(moment));
  }
  return result;
}

/// Are there messages that tell how well these windows suit, and do shorter ones hardly suit better? A step that
/// shorter windows may show violates messages by more than they take.
bool leaves_doubts(const Estimate& found) {
  const double half_trip_us = std::min(found.half_trips.between_us, found.half_trips.within_us);
  return found.steps != 0 || !found.rates || found.mapped.violated == 0 ||
         100 * found.mapped.violated > found.mapped.edges || found.mapped.worst_us > half_trip_us;
}

using Solved = std::unique_ptr<Estimator>;

/// Longer windows have smaller delays; in shorter ones clocks are straighter. Those are kept in which messages are
/// violated least: if longer ones than usual leave doubts, they are compared with usual ones, and these with shorter
/// ones if more than a hundredth of the messages that bind are violated. From there on ever longer ones are tried, as
/// long as messages are violated clearly less.
Solved with_best_windows(const Data& data) {
  constexpr double clearly = 0.9;
  constexpr double shorter = 2;
  constexpr double longer = 0.25;
  constexpr double least_left = 2;
  const auto solved = [&](double fineness) {
    auto estimator = std::make_unique<Estimator>(data, fineness);
    estimator->solve();
    return estimator;
  };
  const auto can_be_longer = [&](const Solved& of) {
    return longer * static_cast<double>(of->found().windows) >= least_left;
  };
  Solved best = solved(longer);
  const auto improve = [&](Solved other) {
    const Estimate& found = other->found();
    const Estimate& than = best->found();
    const bool better =
        found.steps == 0 && found.rates == than.rates && found.mapped.sum_us < clearly * than.mapped.sum_us;
    if (better) best = std::move(other);
    return better;
  };
  // Of few messages, some windows show rates and others do not.
  constexpr std::array other_windows{0.5, shorter, 4.0};
  const auto shows_rates = [&](const Estimate& found) {
    return found.steps == 0 && found.rates && found.mapped.sum_us < best->found().mapped.sum_us / 2;
  };
  if (leaves_doubts(best->found())) {
    Solved long_ones = std::exchange(best, solved(1));
    if (best->found().steps != 0) return best;
    if (!can_be_longer(best) || !improve(std::move(long_ones))) {
      long_ones.reset();
      bool may_show = true;  // the shorter ones
      if (100 * best->found().mapped.violated > best->found().mapped.edges) {
        Solved other = solved(shorter);
        may_show = shows_rates(other->found());
        improve(std::move(other));
      }
      for (const double fineness : other_windows) {
        if (best->found().rates || best->found().mapped.violated == 0) break;
        if (fineness == shorter && !may_show) continue;
        if (Solved other = solved(fineness); shows_rates(other->found())) best = std::move(other);
      }
      return best;
    }
  }
  double fineness = longer * longer;
  while (can_be_longer(best) && improve(solved(fineness))) fineness *= longer;
  return best;
}

/// Of the constant errors of pairs, from messages alone, if there are round trips beside them.
void find_bias_scale(Data& data) {
  Seen& seen = data.seen;
  if (seen.bursts.empty() || (seen.series.empty() && seen.meetings.empty())) return;
  std::vector<Burst> bursts = std::exchange(seen.bursts, {});
  seen.bias_scale = with_best_windows(data)->bias_scale();
  seen.bursts = std::move(bursts);
}

/// Are messages violated clearly more often, and by more?
bool does_harm(const Violations& with, const Violations& without) {
  return 100 * with.violated > 100 * without.violated + with.edges && with.sum_us > 2 * without.sum_us;
}

/// Of the records of each clock.
Spans spans_of(const Records& records, std::size_t clocks) {
  Spans spans;
  for (ClockIndex clock = 0; clock < clocks; ++clock) spans.push_back(records.span(clock));
  return spans;
}

/// With the points that no message contradicts, unless messages contradict the result.
Estimate with_points(Data& data, Solved messages, const std::vector<GivenPoint>& points) {
  const std::vector<bool> contradicted = messages->contradicted(points);
  const auto only_messages = [&] {
    Estimate found = messages->describe_all();
    found.offsets_contradicting = points.size();
    return found;
  };
  std::vector<GivenPoint> used;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!contradicted[i]) used.push_back(points[i]);
  if (!tell_something(used)) return only_messages();
  const Violations before = messages->found().mapped;
  const double fineness = messages->fineness();
  const double bias_scale = data.seen.bursts.empty() ? messages->bias_scale() : data.seen.bias_scale;
  Estimate found = only_messages();
  messages.reset();
  data.add(used, bias_scale);
  Estimator both(data, fineness);
  both.solve();
  if (does_harm(both.found().mapped, before)) return found;
  found = both.describe_all();
  found.offsets_contradicting = points.size() - used.size();
  return found;
}

}  // namespace

StretchEstimate estimate(const Collector& collector, const Records& records, std::size_t clocks, Resolution resolution,
                         const Options& options, const Stretch& stretch) {
  const Data data(collector, records, clocks, resolution, options, &stretch, {});
  return Estimator(data, 1).run_stretch();
}

Estimate estimate(const Collector& collector, const Records& records, std::size_t clocks, Resolution resolution,
                  const Options& options, const Measurements& measurements) {
  Data data(collector, records, clocks, resolution, options, nullptr, measurements.samples);
  if (is_published(options.method)) {
    Estimator estimator(data, 1);
    estimator.solve();
    return estimator.describe_all();
  }
  const std::vector<GivenPoint> points = usable_points(measurements, spans_of(records, clocks));
  find_bias_scale(data);
  Solved messages = with_best_windows(data);
  if (points.empty()) return messages->describe_all();
  return with_points(data, std::move(messages), points);
}

}  // namespace clc::sync
