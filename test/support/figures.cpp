#include "figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace clc::test {

namespace {

/// In the words of the report, counted one by one.
struct Figures {
  std::uint64_t moved = 0;
  std::array<std::uint64_t, Analysis::shift_classes> shifts{};
  std::uint64_t exact = 0;
  std::uint64_t stretched_ties = 0;
  IntervalClass small;
  IntervalClass large;
  Ticks smallest_distance = ticks_max;
  std::map<ProcessIndex, ProcessStatistics> processes;
  std::map<Analysis::IntervalKind, IntervalErrors> kinds;
  double steepest = 0;
  std::map<std::pair<ProcessIndex, Time>, double> gradients;  // the largest at each place
  double steep_time = 0;
  double all_time = 0;
  Ticks send_to_receive = ticks_max;

  explicit Figures(double wanted_gradient) : wanted_gradient_(wanted_gradient) {}

  /// maximum: C^ of its clock.
  void add(const Event& event, Time maximum, Time corrected, bool raised) {
    const ProcessIndex process = event.process;
    const Time recorded = event.time;
    const bool at_receive = event.role == Role::receive || event.role == Role::collective_end;
    if (at_receive && sends_.contains(process)) {
      send_to_receive = std::min(send_to_receive, maximum - sends_[process]);
      sends_.erase(process);
    }
    if (event.role == Role::send || event.role == Role::collective_begin) sends_[process] = maximum;
    const Ticks shift = corrected - recorded;
    moved += shift > 0;
    for (std::size_t k = 0; k < shifts.size() && shift > 0; ++k)
      if (static_cast<std::uint64_t>(shift) >> k == 1) ++shifts[k];
    ProcessStatistics& p = processes[process];
    if (p.events > 0) {
      const Ticks length = recorded - p.last_recorded;
      const Ticks change = shift - (p.last_corrected - p.last_recorded);
      interval(length, change);
      if (length >= 0) {
        using Kind = Analysis::IntervalKind;
        of_kind(kinds[at_receive ? Kind::at_receive : Kind::at_other], length, change);
        of_kind(kinds[raised ? Kind::later : Kind::until_raised], length, change);
      }
      if (length > 0) growth({process, recorded}, length, change);
    }
    if (shift > p.largest_shift) {
      p.largest_shift = shift;
      p.largest_shift_at = recorded;
    }
    ++p.events;
    p.last_recorded = recorded;
    p.last_corrected = corrected;
  }

 private:
  static void of_kind(IntervalErrors& errors, Ticks length, Ticks change) {
    const double size = std::abs(static_cast<double>(change));
    ++errors.count;
    errors.sum += size;
    errors.largest = std::max(errors.largest, size);
    if (length == 0) {
      errors.stretched_ties += change != 0;
    } else {
      errors.relative_sum += size / static_cast<double>(length);
      errors.relative_largest = std::max(errors.relative_largest, size / static_cast<double>(length));
    }
  }
  void growth(std::pair<ProcessIndex, Time> place, Ticks length, Ticks change) {
    all_time += static_cast<double>(length);
    const double gradient = static_cast<double>(change - 1) / static_cast<double>(length);
    if (gradient > 0) {
      steepest = std::max(steepest, gradient);
      gradients[place] = std::max(gradients[place], gradient);
    }
    if (gradient > wanted_gradient_) steep_time += static_cast<double>(length);
  }
  void interval(Ticks length, Ticks change) {
    if (length < 0) return;  // the clock was set back
    smallest_distance = std::min(smallest_distance, length);
    if (change == 0) {
      ++exact;
    } else if (length == 0) {
      ++stretched_ties;
    } else {
      const double error = std::abs(static_cast<double>(change) / static_cast<double>(length));
      IntervalClass& errors = error > 0.001 ? large : small;
      ++errors.count;
      errors.sum += error;
      errors.largest = std::max(errors.largest, error);
    }
  }

  double wanted_gradient_;
  std::map<ProcessIndex, Time> sends_;
};

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); }

/// Of each event: its clock was raised by an earlier event, by more than rounding.
std::vector<bool> raised_before(const Reference& expected, const Definitions& definitions,
                                std::span<const Event> events) {
  std::vector<bool> result;
  std::set<ClockIndex> raised;
  for (std::size_t e = 0; e < events.size(); ++e) {
    const ClockIndex clock = definitions.processes()[events[e].process].clock;
    result.push_back(raised.contains(clock));
    if (expected.jump[e] > 0x1p-10) raised.insert(clock);
  }
  return result;
}

/// The corrections at moments whose distance is the smallest power of 2 for which most_moments cover the trace.
std::string compare_course(const CorrectionCourse& found, const Run& run, std::span<const Event> events) {
  if (events.empty()) return {};
  const Time start = events.front().time;
  std::uint64_t last = 0;
  for (const Event& event : events) last = std::max(last, event.time < start ? 0 : ticks_between(start, event.time));
  unsigned power = 0;
  while (last >> power >= CorrectionCourse::most_moments) ++power;
  if (found.distance() != std::ldexp(1.0, static_cast<int>(power))) return "the moments have another distance";
  std::array<CorrectionCourse::Range, CorrectionCourse::most_moments> ranges{};
  std::map<ProcessIndex, std::size_t> before;  // the last event of each process
  for (std::size_t e = 0; e < events.size(); ++e) {
    if (const auto last_of = before.find(events[e].process); last_of != before.end()) {
      const Time since = events[last_of->second].time;
      for (std::uint64_t k = 0; k < ranges.size(); ++k) {
        const std::uint64_t moment = k << power;
        const bool has_begun = since <= start || ticks_between(start, since) <= moment;
        const bool is_later = events[e].time > start && ticks_between(start, events[e].time) > moment;
        if (has_begun && is_later) ranges[k].add(run.written[last_of->second] - since);
      }
    }
    before[events[e].process] = e;
  }
  for (std::size_t k = 0; k < ranges.size(); ++k)
    if (ranges[k].lowest != found.ranges()[k].lowest || ranges[k].highest != found.ranges()[k].highest)
      return "corrections at moment " + std::to_string(k) + " are others";
  return {};
}

bool same(const IntervalErrors& a, const IntervalErrors& b) {
  return a.count == b.count && a.stretched_ties == b.stretched_ties && near(a.sum, b.sum) && a.largest == b.largest &&
         near(a.relative_sum, b.relative_sum) && a.relative_largest == b.relative_largest;
}

/// The steepest piece, and the share of steep pieces.
std::string compare_gradients(const Analysis& found, const Figures& expected) {
  const SteepestPiece& steepest = found.steepest();
  if (steepest.gradient != expected.steepest) return "the steepest piece has another gradient";
  if (expected.steepest > 0) {
    const auto there = expected.gradients.find({steepest.process, steepest.time});
    if (there == expected.gradients.end() || there->second != expected.steepest)
      return "the steepest piece is elsewhere";
  }
  const double share = expected.all_time > 0 ? expected.steep_time / expected.all_time : 0;
  return near(found.steep_share(), share) ? "" : "the share of steep pieces is another";
}

bool same(const IntervalClass& a, const IntervalClass& b) {
  return a.count == b.count && a.largest == b.largest && std::abs(a.sum - b.sum) <= 1e-9 * b.sum;
}

bool same(const ProcessStatistics& a, const ProcessStatistics& b) {
  return a.events == b.events && a.last_recorded == b.last_recorded && a.last_corrected == b.last_corrected &&
         a.largest_shift == b.largest_shift && (a.largest_shift == 0 || a.largest_shift_at == b.largest_shift_at);
}

}  // namespace

std::string compare_figures(const Run& run, const Reference& reference, const Parameters& parameters,
                            const Definitions& definitions, std::span<const Event> events) {
  const Analysis& found = run.analysis;
  Figures expected(parameters.max_error_percent / 100);
  const std::vector<bool> raised = raised_before(reference, definitions, events);
  std::map<ClockIndex, Time> maxima;
  for (std::size_t e = 0; e < events.size(); ++e) {
    const ClockIndex clock = definitions.processes()[events[e].process].clock;
    Time& maximum = maxima.try_emplace(clock, events[e].time).first->second;
    maximum = std::max(maximum, events[e].time);
    expected.add(events[e], maximum, run.written[e], raised[e]);
  }
  if (found.events() != events.size()) return "the number of events is another";
  if (found.moved() != expected.moved) return "the number of moved events is another";
  if (found.shifts() != expected.shifts) return "moved events are in other classes";
  if (found.exact_intervals() != expected.exact) return "the number of exact intervals is another";
  if (found.stretched_ties() != expected.stretched_ties) return "the number of stretched ties is another";
  if (found.smallest_distance() != expected.smallest_distance) return "the smallest distance is another";
  if (!same(found.small_errors(), expected.small)) return "errors up to 0.1 % are others";
  if (!same(found.large_errors(), expected.large)) return "errors above 0.1 % are others";
  for (const auto& [process, figures] : expected.processes)
    if (process >= found.processes().size() || !same(found.processes()[process], figures))
      return "the figures of process " + std::to_string(process) + " are others";
  if (!found.knows_kinds()) return "kinds of intervals are not known";
  for (const Analysis::IntervalKind kind : {Analysis::IntervalKind::at_receive, Analysis::IntervalKind::at_other,
                                            Analysis::IntervalKind::until_raised, Analysis::IntervalKind::later})
    if (!same(found.interval_errors(kind), expected.kinds[kind]))
      return "errors of intervals of kind " + std::to_string(static_cast<int>(kind)) + " are others";
  if (found.send_to_receive() != expected.send_to_receive) return "the shortest time to a receive is another";
  if (const std::string fault = compare_gradients(found, expected); !fault.empty()) return fault;
  return compare_course(found.correction_course(), run, events);
}

}  // namespace clc::test
