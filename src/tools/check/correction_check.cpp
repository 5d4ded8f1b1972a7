#include "correction_check.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "clc/error.hpp"
#include "clc/io/record.hpp"
#include "trace/printable.hpp"
#include "words.hpp"

namespace clc::check {

namespace {

std::string differ(std::string_view what, const std::string& a, const std::string& b) {
  return std::string(what) + ' ' + a + " against " + b;
}

std::string in_quotes(std::string_view text) { return '\'' + printable(text) + '\''; }

}  // namespace

std::string RecordComparison::difference(const Sighting& a, const Sighting& b) const {
  const Record left = a_->decoder->decode(a.body);
  const Record right = b_->decoder->decode(b.body);
  if (left.kind != right.kind)
    return differ("kind", std::to_string(static_cast<int>(left.kind)), std::to_string(static_cast<int>(right.kind)));
  if (left.text != right.text) return differ("text", in_quotes(left.text), in_quotes(right.text));
  if (right.recorded) {
    const Time expected = left.recorded.value_or(a.event.time);
    if (*right.recorded != expected)
      return differ("recorded time kept", std::to_string(expected.ticks()), std::to_string(right.recorded->ticks()));
  } else if (left.recorded) {
    return "recorded time not kept";
  }
  // The role decides which fields mean something.
  const Event& x = a.event;
  const Event& y = b.event;
  if (x.role != y.role) return "role";
  const auto process = [](const Side& side, ProcessIndex index) {
    const auto& all = side.definitions->processes();
    return index < all.size() ? std::to_string(all[index].number) : std::string("-");
  };
  const auto communicator = [](const Side& side, CommunicatorIndex index) {
    const auto& all = side.definitions->communicators();
    return index < all.size() ? std::to_string(all[index].number) : std::string("-");
  };
  const bool message = x.role == Role::send || x.role == Role::receive;
  const bool end = x.role == Role::collective_end;
  if (message && process(*a_, x.peer) != process(*b_, y.peer))
    return differ("peer", process(*a_, x.peer), process(*b_, y.peer));
  if ((message || end) && communicator(*a_, x.communicator) != communicator(*b_, y.communicator))
    return differ("communicator", communicator(*a_, x.communicator), communicator(*b_, y.communicator));
  if (end && x.operation != y.operation)
    return differ("operation", std::string(info(x.operation).name), std::string(info(y.operation).name));
  if (end && info(x.operation).rooted && x.root != y.root)
    return differ("root", std::to_string(x.root), std::to_string(y.root));
  if (x.role != Role::internal && x.tag != y.tag) return differ("tag", std::to_string(x.tag), std::to_string(y.tag));
  if ((message || end) && x.bytes != y.bytes) return differ("bytes", std::to_string(x.bytes), std::to_string(y.bytes));
  if (end && x.received != y.received)
    return differ("bytes received", std::to_string(x.received), std::to_string(y.received));
  return {};
}

void IntervalErrors::add(Ticks before, Ticks after, ProcessIndex process, const Stamp& stamp) {
  const Ticks change = subtract_saturating(after, before);
  const Ticks size = change < 0 ? subtract_saturating(0, change) : change;
  largest_change = std::max(largest_change, size);
  if (before <= 0) {
    if (change == 0 && before == 0) {
      ++exact;
      all.add(0);
    } else {
      ++zero_widened;
    }
    return;
  }
  const double error = static_cast<double>(size) / static_cast<double>(before);
  if (size != 0 && error > all.largest()) {
    largest_at = stamp;
    largest_in = process;
  }
  all.add(error);
  if (size == 0) {
    ++exact;
    return;
  }
  Class& kind = error <= small_limit ? small : large;
  ++kind.count;
  kind.sum += error;
  kind.largest = std::max(kind.largest, error);
}

CorrectionCheck::CorrectionCheck(const Parameters& parameters, std::vector<Side> sides, Ticks wait_limit,
                                 Offsets offsets, std::optional<LostRecords> lost, const Manner& manner,
                                 std::optional<Window> window)
    : sides_(std::move(sides)),
      map_(offsets, *sides_.at(recorded).definitions),
      manner_(manner),
      delays_(parameters, *sides_.at(recorded).definitions),
      collective_judge_(parameters, *sides_[recorded].definitions, delays_),
      same_as_corrected_(sides_[recorded], sides_.at(corrected)),
      wait_limit_(wait_limit),
      pairing_(
          [this] {
            std::vector<const Definitions*> definitions;
            for (const Side& side : sides_) definitions.push_back(side.definitions);
            return definitions;
          }(),
          *this),
      matcher_(*sides_[recorded].definitions, *this),
      lost_(std::move(lost)),
      window_(window, std::move(offsets), *sides_[recorded].definitions) {
  verdicts_[static_cast<std::size_t>(Law::not_earlier)].applies = manner.direction != tool::Direction::both;
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
  if (file == recorded && window_.any() && !is_inside(event)) return;
  if (file == recorded) start_ = std::min(start_, map_.at(event.process, event.time));
  pairing_.add(file, event, body, place);
}

bool CorrectionCheck::is_inside(const Event& event) {
  const InWindow::Place place = window_.next(event);
  if (place == InWindow::Place::before)
    match(event, InWindow::outside(map_.next(event.process, event.time)), has_lost_other_end(event));
  return place == InWindow::Place::inside;
}

void CorrectionCheck::note(Column file, Body line) {
  if (file == truth || line.starts_with("%provenance") || line.starts_with("%clc-trace")) return;
  if (file == recorded) window_.note(line);
  if (line.starts_with("%process ") || line.starts_with("%group ")) {
    const auto entry = definitions_.try_emplace(std::string(line)).first;
    std::int64_t& more = entry->second;
    if (file == recorded ? more < 0 : more > 0) judge(Law::same_records, true, [] { return std::string(); });
    more += file == recorded ? 1 : -1;
    if (more == 0) definitions_.erase(entry);
    return;
  }
  notes_[file].emplace_back(line);
  compare_notes();
}

void CorrectionCheck::compare_notes() {
  while (!notes_[recorded].empty() && !notes_[corrected].empty()) {
    const std::string& before = notes_[recorded].front();
    const std::string& after = notes_[corrected].front();
    judge(Law::same_records, before == after,
          [&] { return "line " + in_quotes(before) + " became " + in_quotes(after); });
    notes_[recorded].pop_front();
    notes_[corrected].pop_front();
  }
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
  const Ticks size = manner_.direction == tool::Direction::forwards ? shift : std::max(shift, earlier);
  if (size > std::max(largest_correction_, subtract_saturating(0, largest_correction_))) {
    largest_correction_ = shift;
    largest_correction_at_ = stamp;
    largest_correction_in_ = process;
  }
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
  if (interval[recorded] >= 0) {  // else the clock was set back
    intervals_.add(interval[recorded], interval[corrected], process, stamp);
    local_time_.all += static_cast<double>(interval[recorded]);
    local_time_.changed += std::fabs(static_cast<double>(subtract_saturating(interval[corrected], interval[recorded])));
  }
  if (has_truth()) {
    for (const Column column : {recorded, corrected}) {
      const double error = std::fabs(static_cast<double>(subtract_saturating(interval[column], interval[truth])));
      truth_errors_.intervals[column].add(error);
      if (interval[truth] > 0)
        truth_errors_.relative_intervals[column].add(error / static_cast<double>(interval[truth]));
    }
  }
}

void CorrectionCheck::matched(const std::array<Sighting, columns>& sightings) {
  const Sighting& before = sightings[recorded];
  const Sighting& after = sightings[corrected];
  const ProcessIndex process = before.event.process;
  Stamp stamp;
  for (std::size_t column = 0; column < sides_.size(); ++column) stamp.time[column] = sightings[column].event.time;
  stamp.time[recorded] = map_.next(process, before.event.time);
  stamp.place = {before.place, after.place};
  ++events_;

  const std::string difference = same_as_corrected_.difference(before, after);
  judge(Law::same_records, difference.empty(), [&] { return words(process, stamp) + ": " + difference; });
  if (has_truth()) {
    const std::string from_truth =
        RecordComparison(sides_[recorded], sides_[truth]).difference(before, sightings[truth]);
    if (!from_truth.empty())
      throw InputError(sides_[truth].describe(sightings[truth].place) + ": found another record than at " +
                       sides_[recorded].describe(before.place) + " (" + from_truth +
                       "), expected the true times of the same records");
  }

  if (has_truth())
    for (const Column column : {recorded, corrected})
      truth_errors_.offsets[column].add(stamp.time[truth], stamp.time[column]);

  judge_shift(process, stamp);
  if (last_.size() <= process) last_.resize(process + std::size_t{1});
  Last& last = last_[process];
  const Time since = last.known ? last.stamp.time[recorded] : start_;
  if (stamp.time[recorded] - since > wait_limit_) {
    last.silent_from = since;
    last.silent_to = stamp.time[recorded];
  }
  if (last.known) judge_interval(process, last.stamp, stamp);
  last.known = true;
  last.stamp = stamp;
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
  judge(Law::same_records, false, [&] {
    return where() + (file == recorded ? " is missing in the corrected trace" : " is not in the recorded trace");
  });
}

bool CorrectionCheck::silent(ProcessIndex process, Time from, Time to) const noexcept {
  return from < last_[process].silent_to && to > last_[process].silent_from;
}

void CorrectionCheck::message(const Message& message) {
  if (window_.leaves_out(message)) return;
  receive_order_.message(message);
  if (message.within_clock) return;
  const Edge edge{message.sender, message.receiver, message.sent, message.received, min_delay_of(message, delays_)};
  trips_.message(message, edge.mu);
  const Time received = message.received.time[recorded];
  const bool given_up =
      message.sent.time[recorded] > received &&
      (message.sent.time[recorded] - received > wait_limit_ || silent(message.sender, received, received));
  for (const Column column : {recorded, corrected}) (given_up ? given_up_ : messages_)[column].add(edge, column);
  if (!given_up)
    judge(Law::clock_condition, edge.delay(corrected) >= edge.mu, [&] { return "message " + words(edge); });
  if (!has_truth()) return;
  const Ticks true_delay = edge.delay(truth);
  truth_errors_.faster += true_delay < edge.mu;
  const bool nodes_known = message.sender_node != no_node && message.receiver_node != no_node;
  const bool one_node = message.sender_node == message.receiver_node;
  for (const Column column : {recorded, corrected}) {
    const double error = std::fabs(static_cast<double>(subtract_saturating(edge.delay(column), true_delay)));
    truth_errors_.delays[column].add(error);
    if (nodes_known) (one_node ? truth_errors_.within_nodes : truth_errors_.between_nodes)[column].add(error);
  }
}

void CorrectionCheck::collective(const Collective& operation) {
  if (window_.leaves_out(operation)) return;
  operations_ += operation.members.size() == operation.size;
  trips_.collective(operation, delays_);
  Time first = Time::latest();
  Time last = Time::earliest();
  for (const Member& member : operation.members) {
    first = std::min(first, member.end.time[recorded]);
    last = std::max(last, member.end.time[recorded]);
  }
  const bool given_up = last - first > wait_limit_ ||
                        std::any_of(operation.members.begin(), operation.members.end(),
                                    [&](const Member& member) { return silent(member.process, first, last); });
  for (const Column column : {recorded, corrected}) {
    const EdgeFigures figures = collective_judge_.judge(operation, column);
    (given_up ? given_up_ : collectives_)[column].add(figures);
    if (column == recorded || given_up || figures.edges == 0) continue;
    Verdict& verdict = verdicts_[static_cast<std::size_t>(Law::clock_condition)];
    if (verdict.broken == 0 && figures.violated != 0)
      verdict.first = std::string(info(operation.operation).name) + ' ' + words(figures.worst);
    verdict.checked += figures.edges;
    verdict.broken += figures.violated;
  }
}

void CorrectionCheck::incomplete(const Collective& operation) {
  if (window_.leaves_out(operation)) return;
  for (const Column column : {recorded, corrected}) incomplete_[column].add(collective_judge_.judge(operation, column));
}

void CorrectionCheck::finish(bool complete) {
  matcher_.finish();
  if (!complete) {
    notes_ = {};
    definitions_ = {};
  }
  for (const auto& [line, more] : definitions_) notes_[more > 0 ? recorded : corrected].push_back(line);
  for (const Column file : {recorded, corrected})
    for (const std::string& line : notes_[file]) {
      if (file == recorded && window_.may_miss(line)) continue;
      judge(Law::same_records, false, [&] {
        return "line " + in_quotes(line) +
               (file == recorded ? " is missing in the corrected trace" : " is not in the recorded trace");
      });
    }
  // What was not read may hold violations, and an end may have been corrected before another member disagreed.
  verdicts_[static_cast<std::size_t>(Law::unchanged)].applies =
      complete && !set_back_.any && !moves_apart() && leftovers().disagreements == 0 &&
      messages_[recorded].violated + collectives_[recorded].violated + incomplete_[recorded].violated +
              given_up_[recorded].violated ==
          0;
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
  VerdictFigures figures = matching_figures(leftovers(), messages_[recorded].edges, operations_);
  Time last_recorded = Time::earliest();
  Time last_corrected = Time::earliest();
  for (const Last& last : last_) {
    if (!last.known) continue;
    ++figures.processes;
    last_recorded = std::max(last_recorded, last.stamp.time[recorded]);
    last_corrected = std::max(last_corrected, last.stamp.time[corrected]);
  }
  figures.clocks = sides_[recorded].definitions->clocks_of(
      [&](ProcessIndex process) { return process < last_.size() && last_[process].known; });
  figures.edges = messages_[recorded].edges + collectives_[recorded].edges + incomplete_[recorded].edges +
                  given_up_[recorded].edges;
  figures.violations = messages_[corrected].violated + collectives_[corrected].violated + given_up_[corrected].violated;
  figures.late = figures.violations != 0;
  for (const LawInfo& law : laws)
    if (!verdict(law.law).holds() && law.law != Law::clock_condition) figures.broken_laws.push_back(title(law));
  figures.min_delay_us = us(delays_.default_delay());
  figures.one_min_delay = delays_.uniform() && !delays_.by_length();
  figures.trips = trips_.statistics();
  figures.tick_us = us(1);
  figures.interval_error = local_time_.all > 0 ? local_time_.changed / local_time_.all : 0;
  if (figures.processes != 0) {
    figures.length_us = us(last_recorded - start_);
    figures.growth_us = us(last_corrected - last_recorded);
  }
  figures.largest_correction_us = std::fabs(us(largest_correction_));
  Ticks difference = trips_.clock_difference();
  for (const auto* edges : {&messages_, &collectives_, &given_up_})
    difference = std::max(difference, subtract_saturating(0, (*edges)[recorded].smallest_delay));
  figures.clock_difference_us = us(difference);
  return figures;
}

}  // namespace clc::check
