#include "filter_mpi/figures.hpp"

#include <algorithm>
#include <bit>
#include <sstream>

#include "common/program.hpp"
#include "filter_mpi/partners.hpp"
#include "report/json.hpp"
#include "report/judge.hpp"
#include "report/losses.hpp"
#include "report/regulators.hpp"
#include "trace/delay.hpp"
#include "trace/first_losses.hpp"

namespace clc::filter_mpi {

void Figures::add(std::span<const CorrectedTime> written) noexcept {
  std::uint64_t others = 0;
  Ticks largest = largest_shift;
  for (const auto& [recorded, corrected] : written) {
    others += recorded != corrected ? 1U : 0U;
    largest = std::max(largest, corrected - recorded);
  }
  events += written.size();
  moved += others;
  largest_shift = largest;
}

namespace {

/// Of all processes.
template <class Summary>
void join_all(Summary& summary, MpiPartners& partners) {
  using Words = std::array<std::int64_t, sizeof(Summary) / sizeof(std::int64_t)>;
  const auto own = std::bit_cast<Words>(summary);
  summary = {};
  for (const auto& given : partners.all({own.begin(), own.end()})) {
    Words words{};
    std::copy(given.begin(), given.end(), words.begin());
    summary.join(std::bit_cast<Summary>(words));
  }
}

}  // namespace

void Figures::join(MpiPartners& partners, const Definitions& definitions, const std::vector<unsigned>& owners) {
  std::vector<std::int64_t> own;
  for (const std::uint64_t figure : {events, moved, items}) own.push_back(static_cast<std::int64_t>(figure));
  for (const std::uint64_t figure : counted) own.push_back(static_cast<std::int64_t>(figure));
  const std::vector<std::int64_t> sums = partners.sum(own);
  auto next = sums.begin();
  for (std::uint64_t* const figure : {&events, &moved, &items}) *figure = static_cast<std::uint64_t>(*next++);
  for (std::uint64_t& figure : counted) figure = static_cast<std::uint64_t>(*next++);
  for (const auto& given : partners.all({largest_shift})) largest_shift = std::max(largest_shift, given.front());
  join_all(regulation, partners);
  join_all(evidence, partners);
  ranks::TripSample all_trips;
  for (const auto& given : partners.all(trips.numbers())) all_trips.join(ranks::TripSample::of(given));
  trips = std::move(all_trips);
  join_losses(partners);
  last_events.join(partners);
  pairs = PairFigures::of(received, definitions, owners, evidence.operations != 0, losses, last_events, partners);
}

void Figures::join_losses(MpiPartners& partners) {
  std::vector<std::int64_t> own;
  for (const Loss& loss : losses)
    own.insert(own.end(), {loss.sender, loss.receiver, loss.communicator, loss.tag, loss.recorded.ticks(), loss.send});
  FirstLosses all;
  for (const auto& given : partners.all(own))
    for (std::size_t i = 0; i < given.size(); i += 6)
      all.add({static_cast<ProcessIndex>(given[i]), static_cast<ProcessIndex>(given[i + 1]),
               static_cast<CommunicatorIndex>(given[i + 2]), given[i + 3], Time(given[i + 4]), given[i + 5] != 0});
  losses = all.sorted();
}

namespace {

RegulatorFigures figures_of(const ranks::Replay::Regulation& found, const Parameters& parameters) {
  RegulatorFigures figures{found.b, found.c, found.events_below_gamma_max, {}, parameters.quartz_at_first(), {}, true};
  if (found.gamma.events > 0) figures.gamma = {found.gamma.mean(), found.gamma.lowest};
  if (found.events.proof != Time::latest()) figures.not_quartz = NotQuartz{found.events.proof, found.events.all_ahead};
  return figures;
}

}  // namespace

std::uint64_t Figures::unresolved() const noexcept {
  std::uint64_t sum = 0;
  for (const CaseInfo& info : cases)
    if (info.severity == Severity::unresolved) sum += counted[static_cast<std::size_t>(info.which)];
  return sum;
}

Verdict verdict_of(const Figures& figures, const Definitions& definitions, const RunFacts& facts) {
  const auto us = [&](auto ticks) { return definitions.resolution.microseconds(static_cast<double>(ticks)); };
  const auto counted = [&](Case which) { return figures.counted[static_cast<std::size_t>(which)]; };
  const Parameters& parameters = facts.parameters;
  const ranks::Replay::Evidence& evidence = figures.evidence;
  const ranks::Movement& movement = evidence.movement;
  VerdictFigures f;
  f.processes = definitions.processes().size();
  f.clocks = movement.clocks;
  f.edges = evidence.messages + evidence.ends;
  f.saturated = counted(Case::time_saturated);
  f.missing.released = counted(Case::receive_without_send) + evidence.in_circles;
  f.missing.receives = evidence.messages + f.missing.released;
  f.missing.lost = counted(Case::send_without_receive);
  f.missing.sends = evidence.messages + f.missing.lost;
  f.missing.incomplete = counted(Case::collective_incomplete);
  f.missing.operations = evidence.operations;
  f.missing.disagreeing = counted(Case::operation_mismatch);
  f.missing.ended_early = !facts.error.empty();
  f.in_effect.min_delay_us = us(DelayModel(parameters, definitions).default_delay());
  f.in_effect.one_min_delay = !facts.min_delay_chosen && !parameters.node_delay_us && parameters.pair_delays.empty() &&
                              !parameters.bandwidth_mb_s;
  f.in_effect.by_length = parameters.bandwidth_mb_s.has_value();
  f.in_effect.as_thesis = parameters.rule == Parameters::Rule::thesis;
  f.in_effect.delta_given = parameters.delta_us.has_value() || !parameters.process_deltas.empty();
  f.trips = figures.trips.trips();
  f.tick_us = us(1);
  if (movement.local_time > 0)
    f.interval_error = static_cast<double>(movement.changed) / static_cast<double>(movement.local_time);
  if (movement.clocks > 0) {
    f.length_us = us(movement.last_recorded - movement.first_recorded);
    f.growth_us =
        us(movement.last_corrected - movement.last_recorded) + us(movement.first_recorded - movement.first_corrected);
  }
  f.largest_correction_us = us(figures.largest_shift);
  ClockDifference apart = figures.pairs.difference;
  apart.smallest_delay(-evidence.ahead);
  f.clock_difference_us = us(apart.largest());
  if (counted(Case::clock_set_back) == 0) f.clock_change_us = us(apart.change());
  f.ahead_us = us(figures.pairs.ahead);
  if (parameters.match == Match::fifo && !f.missing.ended_early)
    f.missing.shifted_channels = shifted_channels(figures.losses, figures.last_events.recorded(), figures.pairs.apart);
  f.missing.can_resynchronise = false;
  f.missing.may_match_wrongly = f.missing.shifted_channels > 0;
  f.largest_jump_us = us(figures.regulation.largest_jump);
  f.worst_violation_us = f.largest_jump_us;  // a chain of messages may move a clock further than one of them
  f.in_effect.clock_difference_start_us = parameters.clock_difference_us;
  f.in_effect.max_error_percent = parameters.amortization ? parameters.max_error_percent : 0;
  const bool disproved = figures.regulation.events.proof != Time::latest();
  f.in_effect.gamma_min = parameters.bounds(parameters.quartz_at_first() && !disproved).gamma_min;
  f.remarks = facts.remarks;
  f.map = facts.map;
  f.doubts = facts.doubts;
  return tool::with_flags(judge(f));
}

void write_text(std::ostream& out, const Figures& figures, const Definitions& definitions, const RunFacts& facts) {
  const auto us = [&](double ticks) { return definitions.resolution.microseconds(ticks); };
  out << "clc-filter-mpi " << facts.version << ' ' << facts.options << '\n'
      << "input                " << facts.input << '\n'
      << "processes            " << facts.processes << '\n'
      << "locations            " << definitions.processes().size() << '\n'
      << "events               " << figures.events << '\n'
      << "events moved         " << figures.moved << ", by at most " << us(static_cast<double>(figures.largest_shift))
      << " us\n"
      << "items exchanged      " << figures.items << '\n'
      << "cuts summed up       " << figures.regulation.cuts << '\n'
      << "clock difference     " << us(figures.regulation.largest_jump) << " us at most, -cldiff was "
      << facts.parameters.clock_difference_us << " us\n"
      << "unresolved           " << figures.unresolved() << '\n';
  out << "verdict              " << name_of(facts.verdict.judgement) << '\n';
  for (const Reason& reason : facts.verdict.reasons)
    out << "  " << name_of(reason.judgement) << ": " << reason.text << '\n';
  out << "regulators\n";
  write_regulators(out, figures_of(figures.regulation, facts.parameters), facts.parameters, figures.events);
  if (!facts.error.empty()) out << "ENDED EARLY: " << facts.error << '\n';
  if (!facts.alignment.empty()) out << "clocks               " << facts.alignment << '\n';
  std::ostringstream unusual;
  for (const CaseInfo& info : cases)
    if (const std::uint64_t count = figures.counted[static_cast<std::size_t>(info.which)]; count > 0)
      unusual << "  " << count << ' ' << info.prose_of(count, !facts.error.empty()) << '\n';
  for (const Loss& loss : std::span(figures.losses).first(std::min(figures.losses.size(), most_losses_shown)))
    unusual << "  " << words_of(loss, definitions, !facts.error.empty()) << '\n';
  for (const std::string& remark : facts.remarks) unusual << "  " << remark << '\n';
  if (!unusual.str().empty()) out << "unusual cases\n" << unusual.str();
}

void write_json(std::ostream& out, const Figures& figures, const Definitions& definitions, const RunFacts& facts) {
  JsonWriter json(out);
  json.begin_object()
      .field("report_version", json_version)
      .field("program", "clc-filter-mpi")
      .field("program_version", facts.version)
      .field("options", facts.options)
      .field("input", facts.input)
      .field("processes", facts.processes)
      .field("locations", definitions.processes().size())
      .field("events", figures.events)
      .field("events_moved", figures.moved)
      .field("largest_shift_us", definitions.resolution.microseconds(static_cast<double>(figures.largest_shift)))
      .field("items_exchanged", figures.items)
      .field("cuts", figures.regulation.cuts)
      .field("unresolved", figures.unresolved());
  write_verdict(json, facts.verdict);
  json.key("clock_difference").begin_object();
  const double largest = definitions.resolution.microseconds(figures.regulation.largest_jump);
  json.field("largest_us", largest).field("start_us", facts.parameters.clock_difference_us);
  json.field("used_us", std::max(largest, facts.parameters.clock_difference_us)).end_object();
  json.key("regulators").begin_object();
  write_regulators(json, figures_of(figures.regulation, facts.parameters));
  json.end_object();
  if (!facts.error.empty()) json.field("ended_early", facts.error);
  if (!facts.alignment.empty()) json.field("alignment", facts.alignment);
  write_measured(json, facts.measured);
  json.key("cases").begin_object();
  for (const CaseInfo& info : cases) json.field(info.name, figures.counted[static_cast<std::size_t>(info.which)]);
  json.end_object().key("losses");
  write_losses(json, figures.losses, definitions);
  json.field("remarks", facts.remarks).end_object();
  out << '\n';
}

}  // namespace clc::filter_mpi
