#include "clc/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "report/judge.hpp"
#include "report/losses.hpp"
#include "report/order.hpp"
#include "trace/delay.hpp"

namespace clc {

Report::Report(const Analysis& analysis, const Definitions& definitions, const Parameters& parameters, RunFacts facts)
    : analysis_(analysis),
      definitions_(definitions),
      parameters_(parameters),
      facts_(std::move(facts)),
      min_delay_(DelayModel(parameters, definitions).default_delay()) {
  verdict_ = judge(figures());
  if (facts_.wording)
    for (Reason& reason : verdict_.reasons) reason.text = facts_.wording(std::move(reason.text));
}

namespace {

/// What recorded delays show.
ClockDifference clock_difference(const Analysis& analysis) {
  ClockDifference difference;
  difference.smallest_delay(std::min(analysis.smallest_delay(), analysis.smallest_own_delay()));
  for (const PairStatistics& pair : analysis.pairs())
    if (pair.messages != 0 && pair.reverse != Analysis::no_pair && analysis.pairs()[pair.reverse].messages != 0)
      difference.both_ways(pair.smallest_delay, analysis.pairs()[pair.reverse].smallest_delay);
  return difference;
}

/// Collective operations, and messages of pairs that are not known, may connect all processes.
Ticks ahead_of_all(const Analysis& analysis, const Definitions& definitions) {
  RunAhead groups(definitions, analysis.collective_operations() != 0 || analysis.other_pairs().messages != 0);
  for (const PairStatistics& pair : analysis.pairs())
    if (pair.messages != 0) groups.connect(pair.sender, pair.receiver);
  for (ProcessIndex process = 0; process < analysis.processes().size(); ++process) {
    const ProcessStatistics& own = analysis.processes()[process];
    if (own.events != 0) groups.moved(process, own.last_corrected - own.last_recorded);
  }
  return groups.most();
}

/// Processes with events, and how long the trace was and became.
void add_lengths(VerdictFigures& f, const Analysis& analysis, Resolution resolution) {
  const auto us = [&](Ticks ticks) { return resolution.microseconds(static_cast<double>(ticks)); };
  Time last_recorded = Time::earliest();
  Time last_corrected = Time::earliest();
  for (const ProcessStatistics& process : analysis.processes()) {
    if (process.events == 0) continue;
    ++f.processes;
    last_recorded = std::max(last_recorded, process.last_recorded);
    last_corrected = std::max(last_corrected, process.last_corrected);
  }
  if (f.processes == 0) return;
  f.length_us = us(last_recorded - analysis.first_recorded());
  f.growth_us = us(last_corrected - last_recorded) + us(analysis.first_recorded() - analysis.first_corrected());
}

}  // namespace

VerdictFigures Report::figures() const {
  const Analysis& a = analysis_;
  const auto us = [this](auto ticks) { return definitions_.resolution.microseconds(static_cast<double>(ticks)); };
  VerdictFigures f;
  f.missing.ended_early = !facts_.error.empty();
  f.edges = a.messages().edges + a.collectives().edges;
  f.violations = a.violations_left();
  f.saturated = a.counted(Case::time_saturated);
  f.missing.released = a.counted(Case::receive_without_send) + a.receives_in_circles();
  f.missing.lost = a.counted(Case::send_without_receive);
  if (a.counted(Case::wait_given_up) != 0)
    f.missing.why_left = WhyLeft::memory;
  else if (a.counted(Case::late_send) + a.counted(Case::late_member) != 0)
    f.missing.why_left = parameters_.match != Match::whole && f.missing.lost >= a.counted(Case::late_send) &&
                                 a.counted(Case::late_send) != 0
                             ? WhyLeft::shifted
                             : WhyLeft::late;
  const std::uint64_t received = a.messages().edges + a.old_messages();
  f.missing.receives = received + a.lone_receives();
  f.missing.sends = received + f.missing.lost;
  if (parameters_.match == Match::resynchronise) f.missing.left_on_both_sides = a.left_on_both_sides();
  if (parameters_.match == Match::fifo && !f.missing.ended_early)
    f.missing.shifted_channels = shifted_channels(a, clocks_apart(a));
  f.missing.may_match_wrongly = may_match_wrongly();
  f.missing.incomplete = a.counted(Case::collective_incomplete);
  f.missing.operations = a.collective_operations();
  f.missing.disagreeing = a.counted(Case::operation_mismatch);
  f.missing.late = a.counted(Case::late_record);
  f.missing.records = a.events();
  f.in_effect.min_delay_us = us(min_delay_);
  f.in_effect.one_min_delay = !facts_.min_delay_chosen && !parameters_.node_delay_us &&
                              parameters_.pair_delays.empty() && !parameters_.bandwidth_mb_s;
  f.in_effect.by_length = parameters_.bandwidth_mb_s.has_value();
  f.in_effect.as_thesis = parameters_.rule == Parameters::Rule::thesis;
  f.in_effect.delta_given = parameters_.delta_us.has_value() || !parameters_.process_deltas.empty();
  f.trips = a.short_trips();
  f.tick_us = us(1);
  f.interval_error = a.changed_share();
  add_lengths(f, a, definitions_.resolution);
  f.clocks = definitions_.clocks_of(
      [&](ProcessIndex process) { return process < a.processes().size() && a.processes()[process].events != 0; });
  if (const ProcessStatistics* const most = most_moved(a.processes()))
    f.largest_correction_us = us(magnitude(most->largest_shift));
  const ClockDifference difference = clock_difference(a);
  f.clock_difference_us = us(difference.largest());
  if (a.counted(Case::clock_set_back) == 0) f.clock_change_us = us(difference.change());
  f.ahead_us = us(ahead_of_all(a, definitions_));
  f.largest_jump_us = us(a.largest_jump());
  f.worst_violation_us = us(subtract_saturating(0, std::min({a.messages().worst, a.collectives().worst, Ticks{0}})));
  f.in_effect.clock_difference_start_us = us(a.clock_difference_start);
  f.in_effect.max_error_percent = parameters_.amortization ? parameters_.max_error_percent : 0;
  f.in_effect.gamma_min = parameters_.bounds(a.regulation.quartz_at_first && !a.regulation.not_quartz).gamma_min;
  f.remarks = facts_.remarks;
  f.doubts = facts_.doubts;
  f.map = facts_.map;
  return f;
}

bool Report::may_match_wrongly() const {
  if (analysis_.left_on_both_sides() > 0) return true;
  // Messages that are matched wrongly may be all that clocks seem to differ by.
  return parameters_.match == Match::fifo && facts_.error.empty() && shifted_channels(analysis_, 0) > 0;
}

std::optional<double> Report::advised_clock_difference_us() const {
  if (analysis_.clock_difference <= analysis_.clock_difference_start || may_match_wrongly()) return std::nullopt;
  return std::ceil(definitions_.resolution.microseconds(analysis_.clock_difference));
}

std::optional<double> Report::advised_min_delay_us() const {
  if (parameters_.bandwidth_mb_s || may_match_wrongly()) return std::nullopt;
  const double tick_us = definitions_.resolution.microseconds(1);
  return advised_min_delay(analysis_.short_trips(), tick_us, static_cast<double>(analysis_.smallest_delay()) * tick_us);
}

double Report::largest_drift() const {
  const Parameters::Bounds bounds =
      parameters_.bounds(analysis_.regulation.quartz_at_first && !analysis_.regulation.not_quartz);
  return (1 - (parameters_.regulator_d ? bounds.gamma_min : bounds.gamma_max)) / 2;
}

std::optional<double> Report::interval_error_bound() const {
  if (!analysis_.knows_kinds()) return std::nullopt;
  const double drift = largest_drift();
  return analysis_.steepest().gradient * (1 + drift) + (1 - analysis_.regulation.gamma_course.lowest()) + drift;
}

std::optional<double> Report::theorem_17_bound() const {
  const Ticks shortest = analysis_.send_to_receive();
  if (!parameters_.amortization || shortest == 0) return std::nullopt;
  const Parameters::Bounds bounds =
      parameters_.bounds(analysis_.regulation.quartz_at_first && !analysis_.regulation.not_quartz);
  const double drift = largest_drift();
  // A jump beyond cldiff is spread over the interval of cldiff.
  const auto spread = static_cast<double>(analysis_.clock_difference_start);
  if (analysis_.largest_jump() > 0 && spread <= 0) return std::nullopt;
  double gradient = parameters_.max_error_percent / 100;
  if (analysis_.largest_jump() > spread) gradient *= analysis_.largest_jump() / spread;
  if (shortest != ticks_max) gradient = std::max(gradient, analysis_.largest_jump() / static_cast<double>(shortest));
  const double slowed = parameters_.regulator_b || parameters_.regulator_c ? 1 - bounds.gamma_min : 0;
  return gradient * (1 + drift) + (1 - bounds.gamma_max) + slowed + 2 * drift + slowed * drift;
}

}  // namespace clc
