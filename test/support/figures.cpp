#include "figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>

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

  void add(ProcessIndex process, Time recorded, Time corrected) {
    const Ticks shift = corrected - recorded;
    moved += shift > 0;
    for (std::size_t k = 0; k < shifts.size() && shift > 0; ++k)
      if (static_cast<std::uint64_t>(shift) >> k == 1) ++shifts[k];
    ProcessStatistics& p = processes[process];
    if (p.events > 0) interval(recorded - p.last_recorded, shift - (p.last_corrected - p.last_recorded));
    if (shift > p.largest_shift) {
      p.largest_shift = shift;
      p.largest_shift_at = recorded;
    }
    ++p.events;
    p.last_recorded = recorded;
    p.last_corrected = corrected;
  }

 private:
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
};

bool same(const IntervalClass& a, const IntervalClass& b) {
  return a.count == b.count && a.largest == b.largest && std::abs(a.sum - b.sum) <= 1e-9 * b.sum;
}

bool same(const ProcessStatistics& a, const ProcessStatistics& b) {
  return a.events == b.events && a.last_recorded == b.last_recorded && a.last_corrected == b.last_corrected &&
         a.largest_shift == b.largest_shift && (a.largest_shift == 0 || a.largest_shift_at == b.largest_shift_at);
}

}  // namespace

std::string compare_figures(const Run& run, std::span<const Event> events) {
  const Analysis& found = run.analysis;
  Figures expected;
  for (std::size_t e = 0; e < events.size(); ++e) expected.add(events[e].process, events[e].time, run.written[e]);
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
  return {};
}

}  // namespace clc::test
