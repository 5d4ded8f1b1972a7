#include "sync/fit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sync/errors.hpp"
#include "sync/judgement.hpp"
#include "sync/lines.hpp"
#include "sync/rates.hpp"
#include "sync/shift.hpp"
#include "sync/smooth.hpp"
#include "sync/steps.hpp"

namespace clc::sync {

Fit::Fit(const Data& data_of, double fineness_of)
    : data(data_of), fineness(fineness_of), observed(data, fineness), curves(data.seen.clocks) {}

double Fit::delay(ClockIndex from, ClockIndex to, const Point& point, bool mapped) const noexcept {
  if (mapped) return mapped_delay(point, curves[from], curves[to], grid);
  const Ticks zeros = data.zeros.zero(to) - data.zeros.zero(from);
  return point.delay() + data.resolution.seconds(static_cast<double>(zeros));
}

namespace {

constexpr int line_fits = 4;
constexpr int constant_fits = 2;
constexpr int smooth_fits = 2;
constexpr int measured_fits = 4;  // bursts outweigh messages whose minima are still those of straight lines
constexpr int published_rounds = 2;
constexpr double least_before_step = 0.125;  // of the trace: less is too little to go on from
constexpr std::size_t least_windows = 3;     // for a second difference
constexpr std::size_t most_windows = 512;    // of knots

void fit_lines(Fit& fit) {
  for (int round = 0; round < line_fits; ++round) {
    fit.observe(round == 0);
    // Where no pair was observed twice, lines through all observations could have almost any rates.
    const std::vector<Pair>& pairs = fit.observed.pairs();
    const bool rates = std::ranges::any_of(pairs, [](const Pair& pair) { return pair.observations.size() > 1; });
    fit_lines(fit.curves, pairs, fit.observed.groups(), rates);
  }
  fit.observe();
}

void fit_constants(Fit& fit) {
  for (Curve& curve : fit.curves) curve = {curve.offset, 0, {}};
  for (int round = 0; round < constant_fits; ++round) {
    fit.observe();
    fit_lines(fit.curves, fit.observed.pairs(), fit.observed.groups(), false);
  }
  fit.observe();
}

/// Clocks that were set, and the end of what is mapped before a step that curves could not follow.
void find_steps(Fit& fit) {
  const Windows& windows = fit.observed.windows();
  const auto found = [&](double beside) {
    return find_steps(fit.observed.directions(), fit.observed.pairs(), windows, fit.observed.seen(), beside);
  };
  for (const Step& step : found(0))
    fit.stepped.try_emplace(step.clock, fit.curves[step.clock].unmapped(windows.centre(step.window)));
  const std::vector<Step> steps = found(windows.length);
  if (steps.empty()) return;
  fit.steps = steps.size();
  const std::size_t first = steps.front().window;
  const double before = static_cast<double>(first) / static_cast<double>(windows.count);
  const double end = before < least_before_step ? -HUGE_VAL : windows.centre(first) - windows.length;
  fit.observed.cut(end, fit.curves, fit.grid);
  fit.curves.assign(fit.curves.size(), {});
}

/// There may be measured offsets before and after all messages, and more of them than messages ask for windows.
Windows windows_of_knots(const Fit& fit) {
  const Windows& windows = fit.observed.windows();
  double begin = windows.begin;
  double end = windows.begin + windows.span();
  for (const Pair& pair : fit.observed.pairs())
    for (const Observation& one : pair.observations)
      if (pair.stated) {
        begin = std::min(begin, one.time);
        end = std::max(end, one.time);
      }
  const double as_long = std::ceil((end - begin) / windows.length - 1e-6);
  const double count = std::min(std::max(as_long, static_cast<double>(most_offsets(fit.observed.seen()))),
                                static_cast<double>(std::max(most_windows, windows.count)));
  return {begin, (end - begin) / count, static_cast<std::size_t>(count)};
}

/// The last two moments that are fixed, beside the lines.
std::vector<KnownValue> known_values(const Fit& fit) {
  constexpr std::size_t last = 2;
  std::vector<KnownValue> values;
  if (fit.data.stretch == nullptr) return values;
  const std::vector<Moment>& known = fit.data.stretch->known;
  for (std::size_t i = known.size() - std::min(last, known.size()); i < known.size(); ++i)
    for (ClockIndex clock = 0; clock < known[i].offsets.size(); ++clock) {
      const double offset = known[i].offsets[clock];
      if (!std::isnan(offset))
        values.push_back({clock, known[i].time, offset - fit.curves[clock].line(known[i].time + offset)});
    }
  return values;
}

void fit_smooth(Fit& fit) {
  const Seen& seen = fit.observed.seen();
  const Windows windows = seen.offsets.empty() ? fit.observed.windows() : windows_of_knots(fit);
  if (windows.count < least_windows) return;
  fit.rate_variance = rate_variance(fit.observed.pairs());
  const Knots knots = knots_for(fit.observed.pairs(), windows, fit.rate_variance);
  const bool measured = !(seen.bursts.empty() && seen.offsets.empty());
  const int fits = measured ? measured_fits : smooth_fits;
  for (int round = 0; round < fits; ++round) {
    if (measured) fit.observed.scale_biases();
    fit.observed.forget_minima();  // room for the equations
    std::vector<std::vector<double>> values =
        solve_smooth(fit.curves, fit.observed.pairs(), fit.observed.groups(), knots, known_values(fit),
                     round + 1 < fits ? Precision::rough : Precision::full);
    fit.grid = knots.grid;
    for (std::size_t clock = 0; clock < fit.curves.size(); ++clock) fit.curves[clock].knots = std::move(values[clock]);
    fit.observe();
  }
}

void shift(Fit& fit) {
  const Seen& seen = fit.observed.seen();
  std::vector<double> shift = shift_into_bounds(fit.observed.directions(), seen.clocks, seen.least_delay());
  centre(shift, fit.observed.groups());
  for (std::size_t clock = 0; clock < shift.size(); ++clock) fit.curves[clock].shift(shift[clock]);
}

/// Where no change of rates was found, all messages bind the lines of the clocks, not only most of them their offsets.
void shift_lines(Fit& fit) {
  if (fit.data.stretch != nullptr || fit.curves.front().knots.empty() || fit.rate_variance > 0) return;
  const Violations before = violations(fit, true);
  if (before.violated == 0) return;
  const Windows& windows = fit.observed.windows();
  const double half = windows.span() / 2;
  const double middle = windows.begin + half;
  const double most_room = 8 * before.worst_us * 1e-6;  // others are far from binding
  std::vector<Binding> messages;
  for (const Series& one : fit.observed.series())
    for (const Point& point : one.points) {
      const double room = fit.delay(one.from, one.to, point, true) - fit.observed.seen().least_delay();
      if (room > most_room) continue;
      const auto part = [&](ClockIndex clock, double time) { return (fit.mapped(clock, time) - middle) / half; };
      const double midway = (part(one.from, point.sent()) + part(one.to, point.received())) / 2;
      messages.push_back({one.from, one.to, midway, room});
    }
  const std::vector<Curve> curves = fit.curves;
  const std::vector<LineShift> lines = lines_into_bounds(messages, fit.observed.seen().clocks);
  for (ClockIndex clock = 0; clock < curves.size(); ++clock)
    for (std::size_t knot = 0; knot < curves[clock].knots.size(); ++knot)
      fit.curves[clock].knots[knot] +=
          lines[clock].offset + lines[clock].change * (fit.grid.centre(knot) - middle) / half;
  if (!(violations(fit, true).sum_us < before.sum_us)) fit.curves = curves;
}

/// Short traces invent rates, and curves. They are kept where they are clear, or where without them the messages that
/// bind would be broken by twice as much.
void fit_clocks(Fit& fit) {
  fit_lines(fit);
  find_steps(fit);
  if (fit.steps != 0) fit_lines(fit);
  fit.rates =
      (fit.data.stretch != nullptr && fit.data.stretch->rates) || rates_matter(fit.curves, fit.observed.pairs());
  const std::vector<Curve> lines = fit.curves;
  // Beyond a step a straight line goes on; a curve would go anywhere.
  if (fit.data.options.method == Method::smooth && fit.steps == 0) fit_smooth(fit);
  shift(fit);
  if (fit.rates) {
    shift_lines(fit);
    return;
  }
  const auto broken = [&] { return broken_us(fit, violations(fit, true), true); };
  const double broken_with = broken();
  const std::vector<Curve> fitted = fit.curves;
  fit.curves = lines;
  fit_constants(fit);
  shift(fit);
  fit.rates = broken_with < broken() / 2;
  if (!fit.rates) {
    for (std::size_t clock = 0; clock < lines.size(); ++clock) fit.curves[clock].left_out = lines[clock].rate;
    return;
  }
  fit.curves = fitted;
  fit.observe();
  shift_lines(fit);
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
void fit_published(Fit& fit) {
  const Options& options = fit.data.options;
  fit.observe(true);
  fit_constants(fit);
  std::vector<Curve> base = fit.curves;
  for (int round = 0; round < published_rounds; ++round) {
    Solution solution = solve_published(options.method, after_lines(fit.observed.series(), base), fit.observed.groups(),
                                        options.intervals, fit.observed.window_count());
    if (solution.failure) {
      fit.published.failure = solution.failure;
      return;
    }
    for (ClockIndex clock = 0; clock < base.size(); ++clock) {
      // x(c) + more(c - x(c)): the solution on top of the base.
      Curve& curve = fit.curves[clock];
      Curve& more = solution.curves[clock];
      curve.offset = base[clock].offset + more.offset - more.rate * base[clock].offset;
      curve.rate = base[clock].rate + more.rate * (1 - base[clock].rate);
      curve.knots = std::move(more.knots);
    }
    if (options.method == Method::variable)
      fit.grid = solution.grid;
    else
      base = fit.curves;
    solution.curves.clear();
    fit.published = std::move(solution);
    fit.observe();
  }
  fit.rates = true;
}

}  // namespace

void find_curves(Fit& fit) {
  if (fit.observed.seen().empty()) {
    fit.curves.clear();
    return;
  }
  if (is_published(fit.data.options.method))
    fit_published(fit);
  else
    fit_clocks(fit);
  if (fit.published.failure) return;
  fit.violations = violations(fit, true);
  fit.observed.forget_minima();
}

}  // namespace clc::sync
