#include "correction_check.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "clc/error.hpp"
#include "words.hpp"

namespace clc::check {

CorrectionCheck::CorrectionCheck(const Parameters& parameters, std::vector<Side> sides, Ticks wait_limit,
                                 Offsets offsets, std::optional<LostRecords> lost, const Manner& manner,
                                 std::optional<Window> window)
    : sides_(std::move(sides)),
      map_(offsets, *sides_.at(recorded).definitions),
      manner_(manner),
      delays_(parameters, *sides_.at(recorded).definitions),
      collective_judge_(parameters, *sides_[recorded].definitions, delays_),
      pairing_(
          [this] {
            std::vector<const Definitions*> definitions;
            for (const Side& side : sides_) definitions.push_back(side.definitions);
            return definitions;
          }(),
          *this),
      matcher_(*sides_[recorded].definitions, *this),
      lost_(std::move(lost)),
      last_(wait_limit),
      window_(window, std::move(offsets), *sides_[recorded].definitions),
      lines_(sides_[corrected].archive && !sides_[recorded].archive) {
  verdict_of(Law::not_earlier).applies = manner.direction != tool::Direction::both;
  const Resolution resolution = sides_[recorded].definitions->resolution;
  for (const Side& side : sides_)
    if (side.definitions->resolution != resolution)
      throw InputError("the traces have different resolutions, " + std::to_string(resolution.per_second()) + " and " +
                       std::to_string(side.definitions->resolution.per_second()) +
                       " ticks per second; expected a trace and its correction");
}

std::string CorrectionCheck::words(Ticks ticks) const {
  return both_units(ticks, sides_[recorded].definitions->resolution);
}

std::string CorrectionCheck::words(ProcessIndex process, const Stamp& stamp) const {
  return "process " + std::to_string(sides_[recorded].definitions->processes()[process].number) +
         (mapped() ? ", mapped to " : ", recorded ") + std::to_string(stamp.time[recorded].ticks()) + " (" +
         sides_[recorded].describe(stamp.place[recorded]) + "), corrected " +
         std::to_string(stamp.time[corrected].ticks()) + " (" + sides_[corrected].describe(stamp.place[corrected]) +
         ")";
}

std::string CorrectionCheck::words(const Edge& edge) const {
  return "from " + words(edge.from, edge.sent) + " to " + words(edge.to, edge.received) + ": delay " +
         words(edge.delay(corrected)) + ", minimum " + words(edge.mu);
}

void CorrectionCheck::add(Column file, const Event& event, Body body, std::uint64_t place) {
  if (file == corrected) {
    judge(Law::sorted, !last_corrected_ || event.time >= *last_corrected_, [&] {
      return sides_[corrected].describe(place) + ": " + std::to_string(event.time.ticks()) + " after " +
             std::to_string(last_corrected_->ticks());
    });
    last_corrected_ = event.time;
  }
  if (file == recorded) {
    const ClockIndex clock = sides_[recorded].definitions->processes()[event.process].clock;
    if (set_back_.clocks.size() <= clock) set_back_.clocks.resize(clock + std::size_t{1}, Time::earliest());
    set_back_.any = set_back_.any || event.time < set_back_.clocks[clock];
    set_back_.clocks[clock] = event.time;
  }
  if (file == recorded) {
    const Time mapped = map_.at(event.process, event.time);
    const bool inside = !window_.any() || is_inside(event);
    last_.read(mapped, inside);
    if (!inside) return;
    matcher_.expect(event);
  }
  pairing_.add(file, event, body, place);
}

bool CorrectionCheck::is_inside(const Event& event) {
  const InWindow::Place place = window_.next(event);
  if (place == InWindow::Place::before) {
    matcher_.expect(event);
    match(event, InWindow::outside(map_.next(event.process, event.time)), has_lost_other_end(event));
  }
  return place == InWindow::Place::inside;
}

void CorrectionCheck::note(Column file, const Batch::Note& note) {
  const Body line = note.line;
  if (file == truth || line.starts_with("%provenance") || line.starts_with("%clc-trace")) return;
  // A corrected archive has no clock offsets, or others: they are in the times that are compared.
  if (sides_[recorded].archive && sides_[corrected].archive && line.starts_with("%offset ")) return;
  if (file == recorded) window_.note(line);
  // One trace that was written of several has their lines in the order of reading.
  const std::size_t trace = sides_[recorded].several && sides_[corrected].several ? note.trace : 0;
  // An archive has no place among its records for notes of other formats; clc-filter has told of those that are lost.
  const bool is_kept = set_back_.clocks.empty() || line.starts_with("%sync ") || line.starts_with("%offset ");
  const bool may_lack = file == recorded && !is_kept && sides_[corrected].archive && !sides_[recorded].archive;
  lines_.add(file, trace, line, may_lack, verdict_of(Law::same_records));
}

void CorrectionCheck::end(Column file) { pairing_.end(file); }

void CorrectionCheck::judge_shift(ProcessIndex process, const Stamp& stamp) {
  const Ticks shift = stamp.time[corrected] - stamp.time[recorded];
  const Ticks earlier = subtract_saturating(0, shift);
  const bool backwards = manner_.direction == tool::Direction::backwards;
  if (manner_.direction != tool::Direction::both)
    judge(Law::not_earlier, backwards ? shift <= 0 : shift >= 0, [&] {
      return words(process, stamp) + ": " + (backwards ? words(shift) + " later" : words(earlier) + " earlier");
    });
  judge(Law::unchanged, shift == 0, [&] { return words(process, stamp); });
  largest_correction_.add(manner_.direction == tool::Direction::forwards ? shift : std::max(shift, earlier), shift,
                          process, stamp);
}

/// Of two successive events of a process.
void CorrectionCheck::judge_interval(ProcessIndex process, const Stamp& before, const Stamp& stamp) {
  std::array<Ticks, columns> interval{};
  for (std::size_t column = 0; column < sides_.size(); ++column)
    interval[column] = stamp.time[column] - before.time[column];
  const bool in_order = interval[corrected] >= 0;
  const bool distinct = interval[corrected] != 0 || interval[recorded] == 0 || ticks_of(manner_.deltas.least_us) == 0;
  judge(Law::order, in_order && distinct, [&] {
    return words(process, stamp) + (in_order ? ": same corrected time as" : ": before") + " the event before it, " +
           words(process, before);
  });
  // Else the clock was set back.
  if (interval[recorded] >= 0) intervals_.add(interval[recorded], interval[corrected], process, stamp);
  if (has_truth()) truth_errors_.add_interval(interval);
}

void CorrectionCheck::matched(const std::array<Sighting, columns>& sightings) {
  const Sighting& before = sightings[recorded];
  const Sighting& after = sightings[corrected];
  const ProcessIndex process = before.event.process;
  Stamp stamp;
  for (std::size_t column = 0; column < sides_.size(); ++column) stamp.time[column] = sightings[column].event.time;
  stamp.time[recorded] = map_.next(process, before.event.time);
  trips_.recorded_granularity(map_.granularity());
  stamp.place = {before.place, after.place};
  ++events_;

  const std::string change = difference(sides_[recorded], before, sides_[corrected], after);
  judge(Law::same_records, change.empty(), [&] { return words(process, stamp) + ": " + change; });
  if (has_truth()) {
    const std::string from_truth = difference(sides_[recorded], before, sides_[truth], sightings[truth]);
    if (!from_truth.empty())
      throw InputError(sides_[truth].describe(sightings[truth].place) + ": found another record than at " +
                       sides_[recorded].describe(before.place) + " (" + from_truth +
                       "), expected the true times of the same records");
  }

  if (has_truth()) truth_errors_.add_event(stamp);
  judge_shift(process, stamp);
  const std::optional<Stamp> before_it = last_.next(process, stamp);
  if (before_it) judge_interval(process, *before_it, stamp);
  const bool lone = has_lost_other_end(before.event);
  if (before.event.role == Role::receive) receive_order_.receive(before.event, before.place, lone);
  match(before.event, stamp, lone);
}

void CorrectionCheck::match(const Event& event, const Stamp& stamp, bool lone) {
  if (lone)
    matcher_.add_lone(event);
  else
    matcher_.add(marked(event, lost_), stamp);
}

void CorrectionCheck::unmatched(Column file, Column missing_in, const Sighting& sighting) {
  const auto where = [&] {
    return sides_[file].describe(sighting.place) + ": record of process " +
           std::to_string(sides_[file].definitions->processes()[sighting.event.process].number);
  };
  if (missing_in == truth || (file == truth && missing_in == recorded))
    throw InputError(where() + " has no counterpart in the " + (file == truth ? "recorded trace" : "truth") +
                     ", expected the true times of the same records");
  if (file == truth) return;  // missing in the corrected trace: told when the recorded one shows it
  if (file == recorded) matcher_.leave_out(sighting.event);
  judge(Law::same_records, false, [&] {
    return where() + (file == recorded ? " is missing in the corrected trace" : " is not in the recorded trace");
  });
}

void CorrectionCheck::message(const Message& message) {
  if (window_.leaves_out(message)) return;
  receive_order_.message(message);
  if (message.within_clock) return;
  const Edge edge{message.sender, message.receiver, message.sent, message.received, min_delay_of(message, delays_)};
  trips_.message(message, edge.mu);
  const bool given_up = last_.give_up(message);
  for (const Column column : {recorded, corrected})
    (given_up ? edges_[column].given_up : edges_[column].messages).add(edge, column);
  if (!given_up)
    judge(Law::clock_condition, edge.delay(corrected) >= edge.mu, [&] { return "message " + words(edge); });
  if (has_truth()) truth_errors_.add_message(message, edge);
}

void CorrectionCheck::collective(const Collective& operation) {
  if (window_.leaves_out(operation)) return;
  operations_ += operation.members.size() == operation.size;
  trips_.collective(operation, delays_);
  const bool given_up = last_.give_up(operation);
  for (const Column column : {recorded, corrected}) {
    const EdgeFigures figures = collective_judge_.judge(operation, column);
    (given_up ? edges_[column].given_up : edges_[column].collectives).add(figures);
    if (column == recorded || given_up || figures.edges == 0) continue;
    Verdict& verdict = verdict_of(Law::clock_condition);
    if (verdict.broken == 0 && figures.violated != 0)
      verdict.first = std::string(info(operation.operation).name) + ' ' + words(figures.worst);
    verdict.checked += figures.edges;
    verdict.broken += figures.violated;
  }
}

void CorrectionCheck::incomplete(const Collective& operation) {
  if (window_.leaves_out(operation)) return;
  for (const Column column : {recorded, corrected})
    edges_[column].incomplete.add(collective_judge_.judge(operation, column));
}

void CorrectionCheck::finish(bool complete) {
  matcher_.finish();
  lines_.finish(complete, window_, verdict_of(Law::same_records));
  // What was not read may hold violations, and an end may have been corrected before another member disagreed.
  verdict_of(Law::unchanged).applies = complete && !set_back_.any && !moves_apart() && leftovers().disagreements == 0 &&
                                       edges_[recorded].sum(&EdgeFigures::violated) == 0;
}

std::string CorrectionCheck::title(const LawInfo& law) const {
  if (law.law != Law::not_earlier) return std::string(law.title);
  return std::string("law 2 nothing ") + (manner_.direction == tool::Direction::backwards ? "after" : "before") +
         " its " + (mapped() ? "mapped" : "recorded") + " time";
}

bool CorrectionCheck::laws_hold() const noexcept {
  return std::all_of(verdicts_.begin(), verdicts_.end(), [](const Verdict& verdict) { return verdict.holds(); });
}

VerdictFigures CorrectionCheck::verdict_figures() const {
  const Resolution resolution = sides_[recorded].definitions->resolution;
  const auto us = [&](auto ticks) { return resolution.microseconds(static_cast<double>(ticks)); };
  const EdgesByKind& before = edges_[recorded];
  const EdgesByKind& after = edges_[corrected];
  VerdictFigures figures = matching_figures(leftovers(), {before.messages, before.collectives, before.incomplete},
                                            operations_, delays_, trips_, resolution);
  figures.processes = last_.processes();
  figures.clocks = sides_[recorded].definitions->clocks_of([&](ProcessIndex process) { return last_.has(process); });
  figures.edges = before.sum(&EdgeFigures::edges);
  figures.violations = after.sum(&EdgeFigures::violated) - after.incomplete.violated;
  figures.missing.why_left = WhyLeft::unknown;
  for (const LawInfo& law : laws)
    if (!verdict(law.law).holds() && law.law != Law::clock_condition) figures.broken_laws.push_back(title(law));
  figures.in_effect.delta_given = manner_.deltas.largest_us.has_value();
  figures.interval_error = intervals_.of_local_time();
  if (figures.processes != 0) {
    figures.length_us = us(last_.latest(recorded) - last_.first());
    figures.growth_us =
        us(last_.latest(corrected) - last_.latest(recorded)) + us(last_.first() - last_.first_corrected());
  }
  figures.largest_correction_us = std::fabs(us(largest_correction_.shift));
  figures.ahead_us = us(trips_.run_ahead(*sides_[recorded].definitions, last_.shifts(), operations_ != 0));
  const ClockDifference difference = trips_.clock_difference();
  figures.clock_difference_us = us(std::max(difference.largest(), before.clock_difference()));
  if (!set_back_.any) figures.clock_change_us = us(difference.change());
  return figures;
}

}  // namespace clc::check
