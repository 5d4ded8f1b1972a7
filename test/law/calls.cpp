// Collective calls that a member has missed: the rule against a plain one, the filter's code against the judge's, the
// clock with what it is told against communicators of those that are left, and the truth.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "clc/event.hpp"
#include "for_seeds.hpp"
#include "lost/ends.hpp"
#include "matching/lost_records.hpp"
#include "plain_channel.hpp"
#include "random_trace.hpp"
#include "run_filter.hpp"

namespace clc::test {
namespace {

constexpr Ticks min_delay = 5;

/// A call in its operation.
struct Call {
  std::size_t operation = 0;
  std::size_t begin = 0;  // events
  std::size_t end = 0;
};

struct Program {
  Definitions definitions;
  std::vector<Event> events;  // sorted by recorded time
  std::vector<Call> calls;
  std::size_t operations = 0;
};

struct ProgramOptions {
  std::int64_t most = 80;  // rounds
  bool steps = false;      // of clocks
};

/// The program of one communicator, and of one of some of its members, whose operations come again and again.
class Maker {
 public:
  Maker(std::uint64_t seed, const ProgramOptions& options) : random_(seed), options_(options) {}
  [[nodiscard]] Program make();

 private:
  void call(CommunicatorIndex communicator, const std::vector<ProcessIndex>& members, Operation operation, Rank root);
  [[nodiscard]] Time record(ProcessIndex process, Ticks time);
  void sort();

  Random random_;
  ProgramOptions options_;
  Program made_;
  std::vector<Ticks> now_;
  std::vector<Ticks> offsets_;
  std::vector<Ticks> latest_;
  std::vector<std::pair<ProcessIndex, std::pair<Ticks, Ticks>>> steps_;  // when, by how much
};

Time Maker::record(ProcessIndex process, Ticks time) {
  Ticks shown = time + offsets_[process];
  for (const auto& [which, step] : steps_)
    if (which == process && step.first <= time) shown += step.second;
  return Time(latest_[process] = std::max(latest_[process], shown));
}

void Maker::call(CommunicatorIndex communicator, const std::vector<ProcessIndex>& members, Operation operation,
                 Rank root) {
  const CollectiveClass kind = info(operation).kind;
  std::vector<Ticks> begins;
  for (const ProcessIndex process : members) begins.push_back(now_[process] += random_.integer(1, 3));
  for (Rank rank = 0; rank < members.size(); ++rank) {
    Ticks end = begins[rank] + 1;
    for (Rank other = 0; other < members.size(); ++other) {
      const bool binds = kind == CollectiveClass::n_to_n || (kind == CollectiveClass::one_to_n && other == root) ||
                         (kind == CollectiveClass::n_to_one && rank == root) ||
                         (kind == CollectiveClass::prefix && other < rank);
      if (binds && other != rank) end = std::max(end, begins[other] + min_delay + random_.integer(0, 3));
    }
    const ProcessIndex process = members[rank];
    Event begin{.time = record(process, begins[rank]), .process = process, .role = Role::collective_begin};
    Event done{.time = record(process, end),
               .process = process,
               .role = Role::collective_end,
               .operation = operation,
               .communicator = communicator,
               .root = info(operation).rooted ? root : no_rank,
               .bytes = 8,
               .received = 8};
    made_.calls.push_back({made_.operations, made_.events.size(), made_.events.size() + 1});
    made_.events.push_back(begin);
    made_.events.push_back(done);
    now_[process] = end;
  }
  ++made_.operations;
}

void Maker::sort() {
  std::vector<std::size_t> order(made_.events.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return made_.events[a].time < made_.events[b].time; });
  std::vector<std::size_t> place(order.size());
  std::vector<Event> sorted;
  for (std::size_t k = 0; k < order.size(); ++k) {
    place[order[k]] = k;
    sorted.push_back(made_.events[order[k]]);
  }
  made_.events = std::move(sorted);
  for (Call& call : made_.calls) {
    call.begin = place[call.begin];
    call.end = place[call.end];
  }
}

Program Maker::make() {
  made_.definitions.resolution = Resolution(1'000'000);
  const auto processes = static_cast<ProcessIndex>(random_.integer(2, 6));
  std::vector<ProcessIndex> all;
  std::vector<ProcessIndex> some;
  for (ProcessIndex p = 0; p < processes; ++p) {
    all.push_back(made_.definitions.add_process(p, ""));
    if (p % 2 == 1 || p == 0) some.push_back(p);
  }
  if (random_.chance(0.5)) std::reverse(some.begin(), some.end());
  made_.definitions.add_communicator(0, all);
  made_.definitions.add_communicator(1, some);
  const Ticks period = min_delay * random_.integer(20, 100);
  const Ticks unrest = std::max<Ticks>(1, period / random_.integer(4, 40));
  const std::int64_t rounds = random_.integer(options_.most / 2, options_.most);
  const double both = random_.pick<double>({0, 0.2, 1});
  std::vector<std::pair<Operation, Rank>> of_round;
  for (std::int64_t left = random_.integer(1, 4); left > 0; --left)
    of_round.emplace_back(operations[random_.index(operations.size())].operation,
                          static_cast<Rank>(random_.index(some.size())));
  now_.resize(processes);
  latest_.assign(processes, ticks_min);
  for (ProcessIndex p = 0; p < processes; ++p) {
    offsets_.push_back(random_.integer(-3 * period, 3 * period));
    if (options_.steps && random_.chance(0.5))
      steps_.push_back({p, {random_.integer(0, rounds * period), random_.integer(-3 * period, 3 * period)}});
  }
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (Ticks& each : now_) each += period + random_.integer(-unrest, unrest);
    const auto& [operation, root] = of_round[static_cast<std::size_t>(round) % of_round.size()];
    call(0, all, operation, root);
    if (random_.chance(both)) call(1, some, operation, root);
  }
  sort();
  return std::move(made_);
}

/// Which calls are lost; never all of an operation.
std::vector<bool> lose(Random& random, const Program& program, double share) {
  std::vector<bool> lost(program.calls.size());
  std::vector<bool> is_kept(program.operations);
  for (std::size_t c = 0; c < lost.size(); ++c) {
    lost[c] = random.chance(share);
    if (!lost[c]) is_kept[program.calls[c].operation] = true;
  }
  for (std::size_t c = 0; c < lost.size(); ++c)
    if (!is_kept[program.calls[c].operation]) lost[c] = false;
  return lost;
}

/// Of each event of a program: is it of a lost call?
std::vector<bool> events_of(const Program& program, const std::vector<bool>& lost) {
  std::vector<bool> events(program.events.size());
  for (std::size_t c = 0; c < lost.size(); ++c)
    if (lost[c]) events[program.calls[c].begin] = events[program.calls[c].end] = true;
  return events;
}

std::vector<Event> left_of(const std::vector<Event>& events, const std::vector<bool>& lost) {
  std::vector<Event> left;
  for (std::size_t e = 0; e < events.size(); ++e)
    if (!lost[e]) left.push_back(events[e]);
  return left;
}

Program random_program(std::uint64_t seed, std::int64_t most, bool steps = false) {
  return Maker(seed, {most, steps}).make();
}

/// What is told of each finished call, in the order of the trace.
using Marks = std::vector<std::pair<std::uint16_t, std::uint8_t>>;

Marks marks_of(const std::vector<Event>& events) {
  Marks marks;
  for (const Event& event : events)
    if (event.role == Role::collective_end) marks.emplace_back(event.missed, event.absent);
  return marks;
}

std::vector<Event> marked(const Program& program, std::vector<Event> events) {
  lost::Ends ends(Parameters{}.max_memory);
  for (const Event& event : events) ends.add(event);
  if (ends.find(program.definitions))
    for (Event& event : events) ends.mark(event);
  return events;
}

Run corrected(const Program& program, const std::vector<Event>& events, Match match) {
  Parameters parameters;
  parameters.min_delay_us = min_delay;
  parameters.match = match;
  return run_filter(parameters, program.definitions, events);
}

// ---- the rule, in plain form ------------------------------------------------------------------

/// An operation in the time of the member that has most calls.
struct Column {
  lost::End end;
  std::map<ProcessIndex, std::size_t> calls;
};

/// A call that belongs to none of the columns goes between those before `limit`, at its time.
std::size_t insert(std::vector<Column>& columns, std::size_t from, std::size_t limit, lost::End end) {
  while (from < limit && columns[from].end.time <= end.time) ++from;
  if (from > 0) end.time = std::max(end.time, columns[from - 1].end.time);
  if (from < columns.size()) end.time = std::min(end.time, columns[from].end.time);
  columns.insert(columns.begin() + static_cast<std::ptrdiff_t>(from), {end, {}});
  return from;
}

bool add_member(std::vector<Column>& columns, ProcessIndex process, const std::vector<lost::End>& calls) {
  std::vector<lost::End> ends;
  for (const Column& column : columns) ends.push_back(column.end);
  const Plain plain(calls, ends, true);
  if (!plain.is_known) return false;
  const std::vector<std::uint32_t>& partners = plain.partners();
  std::optional<Ticks> delay;
  for (std::size_t k = 0; k < calls.size() && !delay; ++k)
    if (partners[k] != lost::no_partner) delay = ends[partners[k]].time - calls[k].time;
  std::size_t more = 0;  // columns so far
  std::size_t next = 0;
  for (std::size_t k = 0; k < calls.size(); ++k) {
    if (partners[k] != lost::no_partner) {
      next = partners[k] + more;
      delay = columns[next].end.time - calls[k].time;
    } else {
      std::size_t limit = columns.size();
      for (std::size_t other = calls.size(); other-- > k;)
        if (partners[other] != lost::no_partner) limit = partners[other] + more;
      next = insert(columns, next, limit, {calls[k].time + *delay, calls[k].bytes});
      ++more;
    }
    columns[next++].calls[process] = k;
  }
  return true;
}

/// The marks of one communicator; none: nothing is told.
std::optional<Marks> plain_marks(const std::vector<Event>& events, CommunicatorIndex communicator) {
  std::map<ProcessIndex, std::vector<lost::End>> calls;
  std::map<ProcessIndex, Time> latest;
  for (const Event& event : events) {
    Time& time = latest.try_emplace(event.process, Time::earliest()).first->second;
    time = std::max(time, event.time);
    if (event.role != Role::collective_end || event.communicator != communicator) continue;
    const std::uint64_t root = info(event.operation).rooted ? event.root : 0;
    calls[event.process].push_back({time, 1000 * (static_cast<std::uint64_t>(event.operation) + 1) + root});
  }
  if (calls.empty()) return std::nullopt;
  ProcessIndex most = calls.begin()->first;
  for (const auto& [process, ends] : calls)
    if (ends.size() > calls[most].size()) most = process;
  bool agree = true;
  for (const auto& [process, ends] : calls) {
    agree &= ends.size() == calls[most].size();
    for (std::size_t k = 0; agree && k < ends.size(); ++k) agree &= ends[k].bytes == calls[most][k].bytes;
  }
  if (agree) return std::nullopt;
  std::vector<Column> columns;
  for (std::size_t k = 0; k < calls[most].size(); ++k) columns.push_back({calls[most][k], {{most, k}}});
  for (const auto& [process, ends] : calls)
    if (process != most && !add_member(columns, process, ends)) return std::nullopt;
  std::map<std::pair<ProcessIndex, std::size_t>, std::pair<std::uint16_t, std::uint8_t>> told;
  for (const auto& [process, ends] : calls) {
    std::uint16_t missed = 0;
    for (const Column& column : columns) {
      const auto call = column.calls.find(process);
      if (call == column.calls.end()) {
        ++missed;
        continue;
      }
      told[{process, call->second}] = {std::exchange(missed, std::uint16_t{0}),
                                       static_cast<std::uint8_t>(calls.size() - column.calls.size())};
    }
  }
  Marks marks;
  std::map<ProcessIndex, std::size_t> next;
  for (const Event& event : events)
    if (event.role == Role::collective_end && event.communicator == communicator)
      marks.push_back(told[{event.process, next[event.process]++}]);
  return marks;
}

TEST_CASE("the calls of members are matched as by the plain rule") {
  std::size_t told = 0;
  for_seeds(1, [&](std::uint64_t seed) -> std::string {
    Random random(seed * 3 + 1);
    const Program program = random_program(seed, 8, seed % 3 == 0);
    const auto events = left_of(program.events, events_of(program, lose(random, program, 0.1)));
    const std::vector<Event> found = marked(program, events);
    for (const CommunicatorIndex communicator : {CommunicatorIndex{0}, CommunicatorIndex{1}}) {
      std::vector<Event> own;
      for (const Event& event : found)
        if (event.communicator == communicator) own.push_back(event);
      const auto expected = plain_marks(events, communicator);
      told += expected ? 1U : 0U;
      if (marks_of(own) != expected.value_or(Marks(marks_of(own).size()))) return expected ? "other calls" : "told";
    }
    return {};
  });
  CHECK(told > 0);
}

TEST_CASE("the calls of members are matched by the filter as by the judge") {
  std::size_t told = 0;
  for_seeds(1, [&](std::uint64_t seed) -> std::string {
    Random random(seed * 3 + 2);
    const Program program = random_program(seed, 200, seed % 3 == 0);
    const double share = random.pick<double>({0, 0.002, 0.02, 0.1});
    const auto events = left_of(program.events, events_of(program, lose(random, program, share)));
    const std::vector<Event> found = marked(program, events);
    const Run run = corrected(program, found, Match::whole);
    if (!run.fault.empty()) return run.fault;
    matching::LostRecords lost(true);
    for (const Event& event : events) lost.add(event, event.time);
    lost.find(program.definitions, min_delay, 10'000'000, true);
    std::vector<Event> judged = events;
    for (Event& event : judged)
      if (event.role == Role::collective_end) lost.mark(event);
    if (marks_of(found) != marks_of(judged)) return "other marks";
    std::vector<std::tuple<ProcessIndex, CommunicatorIndex, Time>> filters;
    std::vector<std::tuple<ProcessIndex, CommunicatorIndex, Time>> judges;
    for (const LostCall& call : run.analysis.lost_calls())
      filters.emplace_back(call.process, call.communicator, call.recorded);
    for (const matching::LostCall& call : lost.lost_calls())
      judges.emplace_back(call.process, call.communicator, call.others);
    std::sort(filters.begin(), filters.end());
    std::sort(judges.begin(), judges.end());
    told += judges.size();
    return filters == judges || filters.size() == Analysis::most_losses ? "" : "other calls";
  });
  CHECK(told > 0);
}

TEST_CASE("collective operations of which nothing is missing are the k-th calls, whatever clocks do") {
  for_seeds(1, [&](std::uint64_t seed) -> std::string {
    const Program program = random_program(seed, 100, seed % 2 == 0);
    const Run run = corrected(program, marked(program, program.events), Match::whole);
    const Run expected = corrected(program, program.events, Match::fifo);
    return run.written == expected.written && run.analysis.lost_calls().empty() ? "" : "a loss";
  });
}

/// The true marks, or communicators of those members that are left.
std::pair<std::vector<Event>, std::vector<Event>> told_and_split(Program& program, const std::vector<bool>& lost) {
  std::vector<Event> told = program.events;
  std::vector<Event> split = program.events;
  std::map<std::size_t, std::vector<std::size_t>> calls;
  std::map<std::pair<CommunicatorIndex, ProcessIndex>, std::uint16_t> missed;
  for (std::size_t c = 0; c < lost.size(); ++c) calls[program.calls[c].operation].push_back(c);
  for (const auto& [operation, all] : calls) {
    std::vector<ProcessIndex> left;
    for (const std::size_t c : all)
      if (!lost[c]) left.push_back(program.events[program.calls[c].end].process);
    if (left.size() == all.size()) {
      for (const std::size_t c : all) {
        Event& end = told[program.calls[c].end];
        end.missed = std::exchange(missed[{end.communicator, end.process}], std::uint16_t{0});
      }
      continue;
    }
    const Event& any = program.events[program.calls[all[0]].end];
    const Members members = program.definitions.communicators()[any.communicator].members;
    Rank root = any.root;
    if (root != no_rank) {
      const auto place = std::find(left.begin(), left.end(), members[root]);
      root = place == left.end() ? static_cast<Rank>(left.size()) : static_cast<Rank>(place - left.begin());
    }
    const CommunicatorIndex fewer = program.definitions.add_communicator(100 + operation, left);
    for (const std::size_t c : all) {
      Event& end = told[program.calls[c].end];
      std::uint16_t& before = missed[{end.communicator, end.process}];
      if (lost[c]) {
        ++before;
        continue;
      }
      end.missed = std::exchange(before, std::uint16_t{0});
      end.absent = static_cast<std::uint8_t>(all.size() - left.size());
      split[program.calls[c].end].communicator = fewer;
      split[program.calls[c].end].root = root;
    }
  }
  const std::vector<bool> events = events_of(program, lost);
  return {left_of(told, events), left_of(split, events)};
}

TEST_CASE("an operation that members are told to miss is one of the others") {
  for_seeds(1, [&](std::uint64_t seed) -> std::string {
    Random random(seed * 3 + 3);
    Program program = random_program(seed, 60, seed % 2 == 0);
    const auto [told, split] = told_and_split(program, lose(random, program, random.pick<double>({0.01, 0.1, 0.5})));
    Parameters parameters;
    parameters.min_delay_us = min_delay;
    // These depend on the order in which events of one time are processed, and that on which ends wait.
    parameters.regulator_b = parameters.regulator_c = false;
    const Run run = run_filter(parameters, program.definitions, told);
    const Run expected = run_filter(parameters, program.definitions, split);
    if (!run.fault.empty()) return run.fault;
    if (run.analysis.counted(Case::collective_given_up) + run.analysis.counted(Case::late_member) > 0) return "a wait";
    return run.written == expected.written ? "" : "other times";
  });
}

TEST_CASE("calls that are lost alone are found where they were when a trace is read first") {
  constexpr std::size_t all = 200;
  std::size_t right = 0;
  for (std::uint64_t seed = 1; seed <= all; ++seed) {
    const Program program = random_program(seed, 80);
    std::vector<bool> lost(program.calls.size());
    const std::size_t which = lost.size() / 2;
    lost[which] = true;
    const auto events = left_of(program.events, events_of(program, lost));
    const Run run = corrected(program, marked(program, events), Match::whole);
    CAPTURE(seed);
    REQUIRE(run.fault.empty());
    Time first = Time::latest();
    for (std::size_t c = 0; c < lost.size(); ++c)
      if (c != which && program.calls[c].operation == program.calls[which].operation)
        first = std::min(first, program.events[program.calls[c].end].time);
    const Event& end = program.events[program.calls[which].end];
    const auto& found = run.analysis.lost_calls();
    right += found.size() == 1 && found[0].process == end.process && found[0].communicator == end.communicator &&
             found[0].recorded == first;
  }
  INFO(right << " of " << all);
  CHECK(4 * right > 3 * all);
}

}  // namespace
}  // namespace clc::test
