// Collective calls that a member has missed: the rule against a plain one, the filter's code against the judge's, the
// clock with what it is told against communicators of those that are left, and the truth.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "clc/event.hpp"
#include "for_seeds.hpp"
#include "lost/call_bounds.hpp"
#include "lost/ends.hpp"
#include "lost/marks.hpp"
#include "matching/lost/lost_records.hpp"
#include "plain_channel.hpp"
#include "plain_order.hpp"
#include "random_trace.hpp"
#include "regular_program.hpp"
#include "run_filter.hpp"

namespace clc::test {
namespace {

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
  std::vector<std::pair<std::size_t, std::size_t>> messages;  // events
};

struct ProgramOptions {
  std::int64_t most = 80;   // rounds
  bool steps = false;       // of clocks
  double messages = 0;      // from each process to its neighbours in a round, as a share
  std::int64_t fewest = 2;  // processes
  std::int64_t processes = 6;
  bool irregular = false;  // other operations each time, and any time between them
  bool pauses = false;     // for irregular times, and clocks that drift
};

/// The program of one communicator, and of one of some of its members, whose operations come again and again.
class Maker {
 public:
  Maker(std::uint64_t seed, const ProgramOptions& options) : random_(seed), options_(options) {}
  [[nodiscard]] Program make();

 private:
  /// An operation that comes again and again.
  struct Repeated {
    Operation operation;
    Rank root;
    std::uint64_t bytes;
  };
  void call(CommunicatorIndex communicator, const std::vector<ProcessIndex>& members, const Repeated& repeated);
  void exchange();
  [[nodiscard]] Time record(ProcessIndex process, Ticks time);
  void sort();

  Random random_;
  ProgramOptions options_;
  Program made_;
  std::vector<Ticks> now_;
  std::vector<Ticks> offsets_;
  std::vector<Ticks> parts_;  // of the time, by which a clock drifts
  std::vector<Ticks> latest_;
  std::vector<std::pair<ProcessIndex, std::pair<Ticks, Ticks>>> steps_;  // when, by how much
};

Time Maker::record(ProcessIndex process, Ticks time) {
  Ticks shown = time + offsets_[process] + time / parts_[process];
  for (const auto& [which, step] : steps_)
    if (which == process && step.first <= time) shown += step.second;
  return Time(latest_[process] = std::max(latest_[process], shown));
}

/// Of messages with neighbours.
void Maker::exchange() {
  const std::size_t processes = now_.size();
  for (std::size_t p = 0; p + 1 < processes; ++p)
    for (const bool up : {true, false}) {
      if (!random_.chance(options_.messages)) continue;
      const auto from = static_cast<ProcessIndex>(up ? p : p + 1);
      const auto to = static_cast<ProcessIndex>(up ? p + 1 : p);
      const Ticks sent = ++now_[from];
      now_[to] = std::max(now_[to] + 1, sent + usual_min_delay + random_.integer(0, 3));
      made_.messages.emplace_back(made_.events.size(), made_.events.size() + 1);
      made_.events.push_back(
          {.time = record(from, sent), .process = from, .role = Role::send, .peer = to, .communicator = 0, .bytes = 8});
      made_.events.push_back({.time = record(to, now_[to]),
                              .process = to,
                              .role = Role::receive,
                              .peer = from,
                              .communicator = 0,
                              .bytes = 8});
    }
}

void Maker::call(CommunicatorIndex communicator, const std::vector<ProcessIndex>& members, const Repeated& repeated) {
  const auto& [operation, root, bytes] = repeated;
  const CollectiveClass kind = info(operation).kind;
  std::vector<Ticks> begins;
  for (const ProcessIndex process : members) begins.push_back(now_[process] += random_.integer(1, 3));
  for (Rank rank = 0; rank < members.size(); ++rank) {
    Ticks end = begins[rank] + 1;
    for (Rank other = 0; other < members.size(); ++other) {
      const bool binds = kind == CollectiveClass::n_to_n || (kind == CollectiveClass::one_to_n && other == root) ||
                         (kind == CollectiveClass::n_to_one && rank == root) ||
                         (kind == CollectiveClass::prefix && other < rank);
      if (binds && other != rank) end = std::max(end, begins[other] + usual_min_delay + random_.integer(0, 3));
    }
    const ProcessIndex process = members[rank];
    Event begin{.time = record(process, begins[rank]), .process = process, .role = Role::collective_begin};
    Event done{.time = record(process, end),
               .process = process,
               .role = Role::collective_end,
               .operation = operation,
               .communicator = communicator,
               .root = info(operation).rooted ? root : no_rank,
               .bytes = bytes,
               .received = bytes};
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
  for (auto& [send, receive] : made_.messages) {
    send = place[send];
    receive = place[receive];
  }
}

Program Maker::make() {
  made_.definitions.resolution = Resolution(1'000'000);
  const auto processes = static_cast<ProcessIndex>(random_.integer(options_.fewest, options_.processes));
  std::vector<ProcessIndex> all;
  std::vector<ProcessIndex> some;
  for (ProcessIndex p = 0; p < processes; ++p) {
    all.push_back(made_.definitions.add_process(p, ""));
    if (p % 2 == 1 || p == 0) some.push_back(p);
  }
  if (random_.chance(0.5)) std::reverse(some.begin(), some.end());
  made_.definitions.add_communicator(0, all);
  made_.definitions.add_communicator(1, some);
  const Ticks period = usual_min_delay * random_.integer(20, 100);
  const Ticks unrest = std::max<Ticks>(1, period / random_.integer(4, 40));
  const std::int64_t rounds = random_.integer(options_.most / 2, options_.most);
  const double both = random_.pick<double>({0, 0.2, 1});
  std::vector<Repeated> of_round;
  for (std::int64_t left = random_.integer(1, 4); left > 0; --left)
    of_round.push_back({operations[random_.index(operations.size())].operation,
                        static_cast<Rank>(random_.index(some.size())),
                        static_cast<std::uint64_t>(random_.chance(0.8) ? 8 : 16)});
  now_.resize(processes);
  latest_.assign(processes, ticks_min);
  for (ProcessIndex p = 0; p < processes; ++p) {
    offsets_.push_back(random_.integer(-3 * period, 3 * period));
    parts_.push_back(options_.pauses ? random_.pick<Ticks>({-3000, -10'000, 300'000, 1'000'000'000}) : ticks_max);
    if (options_.steps && random_.chance(0.5))
      steps_.push_back({p, {random_.integer(0, rounds * period), random_.integer(-3 * period, 3 * period)}});
  }
  const double long_pauses = options_.pauses ? random_.pick<double>({0, 0.2, 0.5}) : 0;
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (Ticks& each : now_) each += period + random_.integer(-unrest, unrest);
    exchange();
    Repeated repeated = of_round[static_cast<std::size_t>(round) % of_round.size()];
    if (options_.pauses) {
      const Ticks pause = random_.integer(0, 3 * period) * (random_.chance(long_pauses) ? 1000 : 1);
      for (Ticks& each : now_) each += pause;
    }
    if (options_.irregular) {
      for (Ticks& each : now_) each += random_.integer(0, 3 * period);
      repeated.operation = operations[random_.index(operations.size())].operation;
      repeated.root = static_cast<Rank>(random_.index(some.size()));
    }
    call(0, all, repeated);
    if (random_.chance(both)) call(1, some, repeated);
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

Program random_program(std::uint64_t seed, std::int64_t most, bool steps = false, double messages = 0) {
  return Maker(seed, {most, steps, messages}).make();
}

/// Some calls send or receive nothing.
void empty_some(Random& random, Program& program) {
  for (Event& event : program.events) {
    if (event.role != Role::collective_end) continue;
    if (random.chance(0.05)) event.bytes = 0;
    if (random.chance(0.05)) event.received = 0;
  }
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
  parameters.min_delay_us = usual_min_delay;
  parameters.match = match;
  return run_filter(parameters, program.definitions, events);
}

// ---- the rule, in plain form ------------------------------------------------------------------

/// An operation in the time of the member that has most calls.
struct Column {
  lost::End end;
  std::uint64_t length = 0;
  std::map<ProcessIndex, std::size_t> calls = {};
};

/// That all members send; 0: there may be several.
std::uint64_t plain_length(const Event& end) {
  const std::string name(info(end.operation).name);
  const bool may_differ =
      name.back() == 'v' || name.back() == 'w' || name == "barrier" || name == "bcast" || name == "scatter";
  return may_differ ? 0 : end.bytes;
}

/// The columns of one communicator, and what happened before what.
class PlainCalls {
 public:
  PlainCalls(const Definitions& definitions, const std::vector<Event>& events, CommunicatorIndex communicator)
      : definitions_(definitions),
        events_(events),
        communicator_(communicator),
        order_(plain_order(definitions, events)) {
    const auto all = calls_in(events);
    if (const auto own = all.find(communicator); own != all.end()) calls_ = own->second;
    std::map<ProcessIndex, Time> latest;
    for (const Event& event : events) {
      Time& time = latest.try_emplace(event.process, Time::earliest()).first->second;
      times_.push_back(time = std::max(time, event.time));
    }
  }
  /// None: nothing is told.
  [[nodiscard]] std::optional<Marks> marks();

 private:
  [[nodiscard]] lost::End end_of(ProcessIndex process, std::size_t k) const {
    const Event& event = events_[calls_.at(process)[k].end];
    const std::uint64_t root = info(event.operation).rooted ? event.root : 0;
    return {times_[calls_.at(process)[k].end], 1000 * (static_cast<std::uint64_t>(event.operation) + 1) + root};
  }
  [[nodiscard]] std::uint64_t length(ProcessIndex process, std::size_t k) const {
    return plain_length(events_[calls_.at(process)[k].end]);
  }
  [[nodiscard]] bool all_agree() const;
  [[nodiscard]] bool is_over(std::size_t other, ProcessIndex process, std::size_t k) const;
  [[nodiscard]] bool is_to_come(std::size_t other, ProcessIndex process, std::size_t k) const;
  /// May it be of that column? Those that are inserted are between calls of the member that has most.
  [[nodiscard]] bool may_be(ProcessIndex process, std::size_t k, std::size_t column) const {
    return !is_past(process, k, column) && !is_future(process, k, column);
  }
  [[nodiscard]] bool is_past(ProcessIndex process, std::size_t k, std::size_t column) const;
  [[nodiscard]] bool is_future(ProcessIndex process, std::size_t k, std::size_t column) const;
  [[nodiscard]] bool add(ProcessIndex process);
  void forget(ProcessIndex process);

  // ---- calls that clocks contradict -------------------------------------------------------------
  /// A call of the process and the column that it is matched with, which the member that has most is in.
  struct Pair {
    std::size_t k;
    std::size_t column;
  };
  struct Against {
    Pair wrong;
    Pair other;
    std::size_t nth;
    bool is_unlikely;  // even if its call has no other column
    Ticks part;        // of a time, by which the clocks drift in it
  };
  using Match = std::function<std::optional<std::vector<std::uint32_t>>(const std::vector<Against>&)>;
  [[nodiscard]] const PlainCall* its_call(std::size_t column) const {
    const auto call = columns_[column].calls.find(most_);
    return call == columns_[column].calls.end() ? nullptr : &calls_.at(most_)[call->second];
  }
  [[nodiscard]] Ticks beyond(Pair a, Pair b) const;
  [[nodiscard]] Ticks by_ticks() const;
  [[nodiscard]] Ticks allowed(Pair a, Pair b, Ticks part) const;
  [[nodiscard]] bool contradict(Pair a, Pair b, Ticks part) const;
  [[nodiscard]] Ticks delay(Pair pair) const {
    return times_[its_call(pair.column)->end] - times_[calls_.at(of_)[pair.k].end];
  }
  [[nodiscard]] std::vector<Pair> pairs(const std::vector<std::uint32_t>& partners) const;
  [[nodiscard]] bool is_out(const std::vector<Pair>& pairs, std::size_t nth, Ticks part, bool was_set) const;
  [[nodiscard]] std::vector<Against> wrong(const std::vector<std::uint32_t>& partners);
  [[nodiscard]] bool is_ruled_out(const Against& against, std::size_t column) const;
  [[nodiscard]] std::vector<Against> likely(const std::vector<Against>& all,
                                            const std::vector<std::uint32_t>& now) const;
  void match_by_clocks(std::vector<std::uint32_t>& partners, std::vector<Against>& ruled_out, const Match& match);
  std::size_t insert(ProcessIndex process, std::size_t k, std::size_t from, std::size_t limit, Time time);

  const Definitions& definitions_;
  const std::vector<Event>& events_;
  CommunicatorIndex communicator_;
  PlainOrder order_;
  std::map<ProcessIndex, std::vector<PlainCall>> calls_;
  std::vector<Time> times_;  // of events
  ProcessIndex most_ = 0;
  ProcessIndex of_ = 0;  // whose calls are matched
  Ticks ticks_ = 0;      // of both clocks
  std::vector<Column> columns_;
};

bool PlainCalls::all_agree() const {
  for (const auto& [process, calls] : calls_) {
    if (calls.size() != calls_.at(most_).size()) return false;
    for (std::size_t k = 0; k < calls.size(); ++k)
      if (end_of(process, k).bytes != end_of(most_, k).bytes) return false;
  }
  return true;
}

/// Is a call of the member that has most over before this one begins, though the operation would order them?
bool PlainCalls::is_over(std::size_t other, ProcessIndex process, std::size_t k) const {
  const PlainCall& own = calls_.at(process)[k];
  const PlainCall& its = calls_.at(most_)[other];
  Event tail = events_[its.end];
  tail.bytes = events_[own.end].operation == Operation::barrier ? 1 : events_[own.end].bytes;
  if (tail.operation == Operation::barrier && tail.bytes == 0) return false;
  return is_edge(tail, rank_of(definitions_, communicator_, process), events_[its.end],
                 rank_of(definitions_, communicator_, most_)) &&
         order_.is_before(its.end, own.begin);
}

/// Does it begin after this one is over, though the operation would order them?
bool PlainCalls::is_to_come(std::size_t other, ProcessIndex process, std::size_t k) const {
  const PlainCall& own = calls_.at(process)[k];
  const PlainCall& its = calls_.at(most_)[other];
  Event head = events_[its.end];
  head.received = events_[own.end].operation == Operation::barrier ? 1 : events_[own.end].received;
  if (head.operation == Operation::barrier && head.received == 0) return false;
  return is_edge(events_[its.end], rank_of(definitions_, communicator_, most_), head,
                 rank_of(definitions_, communicator_, process)) &&
         order_.is_before(own.end, its.begin);
}

/// Is the column one of those that are over, up to the last?
bool PlainCalls::is_past(ProcessIndex process, std::size_t k, std::size_t column) const {
  for (std::size_t later = column; later < columns_.size(); ++later)
    if (const auto call = columns_[later].calls.find(most_);
        call != columns_[later].calls.end() && is_over(call->second, process, k))
      return true;
  return false;
}

bool PlainCalls::is_future(ProcessIndex process, std::size_t k, std::size_t column) const {
  for (std::size_t earlier = 0; earlier <= column; ++earlier)
    if (const auto call = columns_[earlier].calls.find(most_);
        call != columns_[earlier].calls.end() && is_to_come(call->second, process, k))
      return true;
  return false;
}

/// A call that belongs to none of the columns goes between those before `limit`, at its time.
std::size_t PlainCalls::insert(ProcessIndex process, std::size_t k, std::size_t from, std::size_t limit, Time time) {
  while (from < limit && !is_future(process, k, from) && (is_past(process, k, from) || columns_[from].end.time <= time))
    ++from;
  if (from > 0) time = std::max(time, columns_[from - 1].end.time);
  if (from < columns_.size()) time = std::min(time, columns_[from].end.time);
  columns_.insert(columns_.begin() + static_cast<std::ptrdiff_t>(from),
                  {{time, end_of(process, k).bytes}, length(process, k)});
  return from;
}

/// By how much the least that the clock of the member that has most is ahead, by one pair, is above the most by
/// another.
Ticks PlainCalls::beyond(Pair a, Pair b) const {
  const Rank own = rank_of(definitions_, communicator_, of_);
  const Rank its = rank_of(definitions_, communicator_, most_);
  const PlainCall& call_a = calls_.at(of_)[a.k];
  const PlainCall& call_b = calls_.at(of_)[b.k];
  const PlainCall* const its_a = its_call(a.column);
  const PlainCall* const its_b = its_call(b.column);
  if (its_a == nullptr || its_b == nullptr || !is_edge(events_[its_a->end], its, events_[call_a.end], own) ||
      !is_edge(events_[call_b.end], own, events_[its_b->end], its))
    return ticks_min;
  return subtract_saturating(times_[its_a->begin] - times_[call_a.end], times_[its_b->end] - times_[call_b.begin]);
}

/// The ticks of both clocks.
Ticks PlainCalls::by_ticks() const {
  Ticks ticks = 0;
  for (const ProcessIndex process : {of_, most_}) {
    std::uint64_t tick = 0;
    const Time first = times_[calls_.at(process)[0].end];
    for (const PlainCall& call : calls_.at(process))
      for (const std::size_t e : {call.begin, call.end})
        tick = std::gcd(tick, ticks_between(std::min(first, times_[e]), std::max(first, times_[e])));
    ticks += static_cast<Ticks>(tick);
  }
  return ticks;
}

Ticks PlainCalls::allowed(Pair a, Pair b, Ticks part) const {
  return std::abs(times_[calls_.at(of_)[a.k].end] - times_[calls_.at(of_)[b.k].end]) / part + ticks_;
}

bool PlainCalls::contradict(Pair a, Pair b, Ticks part) const {
  return std::max(beyond(a, b), beyond(b, a)) > allowed(a, b, part);
}

std::vector<PlainCalls::Pair> PlainCalls::pairs(const std::vector<std::uint32_t>& partners) const {
  std::vector<Pair> pairs;
  for (std::size_t k = 0; k < partners.size(); ++k)
    if (partners[k] != lost::no_partner && its_call(partners[k]) != nullptr) pairs.push_back({k, partners[k]});
  return pairs;
}

/// Is the pair one that three times as many around contradict as agree with it? If no clock was set, of those that tell
/// by how much the clock is ahead at most, or of those that tell by how much at least.
bool PlainCalls::is_out(const std::vector<Pair>& pairs, std::size_t nth, Ticks part, bool was_set) const {
  const auto are_three_times = [&](const std::function<Ticks(Pair)>& excess, bool all_count) {
    int against = 0;
    int agree = 0;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      if (k == nth || k + 16 < nth || k > nth + 16) continue;
      const Ticks beyond = excess(pairs[k]);
      against += beyond > allowed(pairs[k], pairs[nth], part) ? 1 : 0;
      agree += beyond <= 0 && (all_count || beyond != ticks_min) ? 1 : 0;
    }
    return against > 0 && against >= 3 * agree;
  };
  const auto above = [&](Pair other) { return beyond(pairs[nth], other); };
  const auto below = [&](Pair other) { return beyond(other, pairs[nth]); };
  if (was_set) return are_three_times([&](Pair other) { return std::max(above(other), below(other)); }, true);
  return are_three_times(above, false) || are_three_times(below, false);
}

std::vector<PlainCalls::Against> PlainCalls::wrong(const std::vector<std::uint32_t>& partners) {
  const std::vector<Pair> pairs = this->pairs(partners);
  ticks_ = by_ticks();
  std::vector<bool> out;
  const auto find_out = [&](Ticks part, bool was_set) {
    out.clear();
    for (std::size_t k = 0; k < pairs.size(); ++k) out.push_back(is_out(pairs, k, part, was_set));
  };
  Ticks part = Ticks{1} << 21;
  do {
    part /= 2;
    find_out(part, false);
  } while (part > 1024 && std::count(out.begin(), out.end(), true) * 8 > std::ssize(out));
  bool was_set = false;
  for (std::size_t a = 0; a < pairs.size(); ++a)
    for (std::size_t b = 0; b < pairs.size(); ++b)
      was_set |= a < b && b <= a + 16 && !out[a] && !out[b] && contradict(pairs[a], pairs[b], 1024);
  if (was_set) find_out(part = 1024, true);
  std::vector<Against> wrong;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (!out[k]) continue;
    std::vector<std::size_t> before;  // around, which contradict it
    std::vector<std::size_t> behind;
    for (std::size_t other = 0; other < pairs.size(); ++other)
      if (other + 16 >= k && other <= k + 16 && !out[other] && contradict(pairs[other], pairs[k], part))
        (other < k ? before : behind).push_back(other);
    std::optional<Pair> against;
    for (const std::size_t one : before)
      for (const std::size_t other : behind)
        if (!against && !contradict(pairs[one], pairs[other], part)) against = pairs[one];
    const auto begin = out.begin() + static_cast<std::ptrdiff_t>(k);
    const bool are_out_before = std::count(out.begin(), begin, false) == 0;
    const bool are_out_behind = std::count(begin, out.end(), false) == 0;
    if (k < 8 && before.empty() && !behind.empty() && (!was_set || are_out_before)) against = pairs[behind.front()];
    if (k + 8 >= pairs.size() && behind.empty() && !before.empty() && (!was_set || are_out_behind))
      against = pairs[before.back()];
    if (!against) continue;
    bool is_unlikely = !was_set && std::max(beyond(pairs[k], *against), beyond(*against, pairs[k])) / 16 >
                                       allowed(pairs[k], *against, 1024);
    if (k > 0 && k + 1 < pairs.size()) {
      const Ticks before_it = delay(pairs[k - 1]);
      const Ticks own = delay(pairs[k]);
      const Ticks behind_it = delay(pairs[k + 1]);
      is_unlikely |=
          std::abs(behind_it - before_it) <= std::min(std::abs(own - before_it), std::abs(own - behind_it)) / 16;
    }
    wrong.push_back({pairs[k], *against, k, is_unlikely, part});
  }
  return wrong;
}

/// From the column of the wrong pair on, columns that contradict in the same way; and all behind one that does so in
/// the other way.
bool PlainCalls::is_ruled_out(const Against& against, std::size_t column) const {
  const auto is_beyond = [&](std::size_t c, bool above) {
    const Pair pair{against.wrong.k, c};
    return contradict(pair, against.other, against.part) &&
           (above ? beyond(pair, against.other) > 0 : beyond(against.other, pair) > 0);
  };
  const bool above = is_beyond(against.wrong.column, true);
  std::ptrdiff_t at = static_cast<std::ptrdiff_t>(against.wrong.column);
  const std::ptrdiff_t on = above ? -1 : 1;
  const auto all = static_cast<std::ptrdiff_t>(columns_.size());
  while (at >= 0 && at < all && is_beyond(static_cast<std::size_t>(at), above)) at += on;
  for (; at >= 0 && at < all && !is_beyond(static_cast<std::size_t>(at), !above); at += on)
    if (static_cast<std::size_t>(at) == column) return false;
  return true;
}

std::vector<PlainCalls::Against> PlainCalls::likely(const std::vector<Against>& all,
                                                    const std::vector<std::uint32_t>& now) const {
  std::vector<Against> likely;
  for (std::size_t from = 0, to = 0; from < all.size(); from = to) {
    for (to = from + 1; to < all.size() && all[to].nth == all[to - 1].nth + 1;) ++to;
    Ticks were = 0;
    Ticks are = 0;
    std::size_t matched = 0;
    for (std::size_t k = from; k < to; ++k) {
      const std::uint32_t column = now[all[k].wrong.k];
      if (column == lost::no_partner || its_call(column) == nullptr) continue;
      ++matched;
      were += std::abs(delay(all[k].wrong) - delay(all[k].other));
      are += std::abs(delay({all[k].wrong.k, column}) - delay(all[k].other));
    }
    if (matched > 0 ? are <= were / 16 : to == from + 1 && all[from].is_unlikely)
      for (std::size_t k = from; k < to; ++k) likely.push_back(all[k]);
  }
  return likely;
}

void PlainCalls::match_by_clocks(std::vector<std::uint32_t>& partners, std::vector<Against>& ruled_out,
                                 const Match& match) {
  for (int times = 0; times < 4; ++times) {
    std::vector<Against> all = wrong(partners);
    while (true) {
      if (all.empty()) return;
      const auto now = match(all);
      if (!now) return;
      const std::vector<Against> some = likely(all, *now);
      if (some.size() == all.size()) {
        partners = *now;
        ruled_out.insert(ruled_out.end(), all.begin(), all.end());
        break;
      }
      all = some;
    }
  }
}

bool PlainCalls::add(ProcessIndex process) {
  std::vector<lost::End> calls;
  std::vector<lost::End> ends;
  for (std::size_t k = 0; k < calls_.at(process).size(); ++k) calls.push_back(end_of(process, k));
  for (const Column& column : columns_) ends.push_back(column.end);
  of_ = process;
  std::vector<std::uint32_t> partners;
  std::vector<Against> ruled_out;
  const auto match = [&](const std::vector<Against>& more) {
    const Plain plain(calls, ends, true, lost::Clocks::may_be_set, [&](std::size_t k, std::size_t column) {
      const auto rules_out = [&](const Against& each) { return each.wrong.k == k && is_ruled_out(each, column); };
      return may_be(process, k, column) && std::none_of(ruled_out.begin(), ruled_out.end(), rules_out) &&
             std::none_of(more.begin(), more.end(), rules_out);
    });
    return plain.is_known ? std::optional(plain.partners()) : std::nullopt;
  };
  if (auto first = match({}))
    partners = std::move(*first);
  else
    return false;
  match_by_clocks(partners, ruled_out, match);
  std::vector<std::size_t> unlike;
  for (std::size_t k = 0; k < calls.size(); ++k) {
    if (partners[k] == lost::no_partner) continue;
    const std::uint64_t a = length(process, k);
    const std::uint64_t b = columns_[partners[k]].length;
    if (a != 0 && b != 0 && a != b) unlike.push_back(k);
  }
  const auto alone = static_cast<std::size_t>(std::count(partners.begin(), partners.end(), lost::no_partner));
  if (4 * unlike.size() <= partners.size() - alone)
    for (const std::size_t k : unlike) partners[k] = lost::no_partner;
  std::optional<Ticks> delay;
  for (std::size_t k = 0; k < calls.size() && !delay; ++k)
    if (partners[k] != lost::no_partner) delay = ends[partners[k]].time - calls[k].time;
  std::size_t more = 0;  // columns so far
  std::size_t next = 0;
  for (std::size_t k = 0; k < calls.size(); ++k) {
    if (partners[k] != lost::no_partner) {
      next = partners[k] + more;
      delay = columns_[next].end.time - calls[k].time;
      if (columns_[next].length == 0) columns_[next].length = length(process, k);
    } else {
      std::size_t limit = columns_.size();
      for (std::size_t other = calls.size(); other-- > k;)
        if (partners[other] != lost::no_partner) limit = partners[other] + more;
      next = insert(process, k, next, limit, calls[k].time + delay.value_or(0));
      ++more;
    }
    columns_[next++].calls[process] = k;
  }
  return true;
}

void PlainCalls::forget(ProcessIndex process) {
  for (Column& column : columns_) column.calls.erase(process);
  std::erase_if(columns_, [](const Column& column) { return column.calls.empty(); });
}

std::optional<Marks> PlainCalls::marks() {
  if (calls_.empty()) return std::nullopt;
  most_ = calls_.begin()->first;
  for (const auto& [process, calls] : calls_)
    if (calls.size() > calls_[most_].size()) most_ = process;
  if (all_agree()) return std::nullopt;
  for (std::size_t k = 0; k < calls_[most_].size(); ++k)
    columns_.push_back({end_of(most_, k), length(most_, k), {{most_, k}}});
  for (const auto& [process, calls] : calls_)
    if (process != most_ && !add(process)) return std::nullopt;
  for (const auto& [process, calls] : calls_) {
    if (process == most_ || columns_.size() == calls_[most_].size()) continue;
    forget(process);
    if (!add(process)) return std::nullopt;
  }
  std::map<std::pair<ProcessIndex, std::size_t>, std::pair<std::uint16_t, std::uint8_t>> told;
  for (const auto& [process, calls] : calls_) {
    std::uint16_t missed = 0;
    for (const Column& column : columns_) {
      const auto call = column.calls.find(process);
      if (call == column.calls.end()) {
        ++missed;
        continue;
      }
      told[{process, call->second}] = {std::exchange(missed, std::uint16_t{0}),
                                       static_cast<std::uint8_t>(calls_.size() - column.calls.size())};
    }
  }
  Marks marks;
  std::map<ProcessIndex, std::size_t> next;
  for (const Event& event : events_)
    if (event.role == Role::collective_end && event.communicator == communicator_)
      marks.push_back(told[{event.process, next[event.process]++}]);
  return marks;
}

TEST_CASE("the calls of members are matched as by the plain rule") {
  std::size_t told = 0;
  for_seeds(1, enough_to_count, [&](std::uint64_t seed) -> std::string {
    Random random(seed * 3 + 1);
    // Clocks contradict matches where each member has lost another call.
    const bool pauses = random.chance(0.3);
    Program program = pauses ? Maker(seed, {.most = 10, .fewest = 2, .processes = 2, .pauses = true}).make()
                             : random_program(seed, 8, false, random.pick<double>({0, 0.5, 1}));
    if (random.chance(0.3)) empty_some(random, program);
    const auto events = left_of(program.events, events_of(program, lose(random, program, pauses ? 0.2 : 0.1)));
    const std::vector<Event> found = marked(program, events);
    for (const CommunicatorIndex communicator : {CommunicatorIndex{0}, CommunicatorIndex{1}}) {
      std::vector<Event> own;
      for (const Event& event : found)
        if (event.communicator == communicator) own.push_back(event);
      // Where each member has lost as many calls, it seems that none is missing, and there may be a circle.
      if (plain_order(program.definitions, events).has_circle()) continue;
      const auto expected = PlainCalls(program.definitions, events, communicator).marks();
      told += expected ? 1U : 0U;
      if (marks_of(own) != expected.value_or(Marks(marks_of(own).size()))) return expected ? "other calls" : "told";
    }
    return {};
  });
  CHECK(told > 0);
}

TEST_CASE("a call that is matched with the next operation is wrong by what is known of the drift of the clocks") {
  const auto barrier = [](std::int64_t time) {
    return lost::CallTimes{Time(time), Time(time + 100), true, true, true};
  };
  // The second operation of each of them has no call of the other one, 2 ms apart. A drift of 1/1024 would explain
  // these 2 ms in the 3 s to the third one.
  std::vector<lost::CallTimes> own{barrier(0), barrier(10'000)};
  std::vector<lost::CallTimes> others{barrier(0), barrier(12'000)};
  for (std::int64_t time = 3'000'000; time < 5'000'000; time += 100'000) {
    own.push_back(barrier(time));
    others.push_back(barrier(time));
  }
  std::vector<std::uint32_t> partners(own.size());
  std::iota(partners.begin(), partners.end(), 0U);
  lost::CallBounds bounds(own, others, 2);
  const auto wrong = bounds.wrong(partners);
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0].match.call == 1);
  CHECK(wrong[0].other.call == 0);
  CHECK(wrong[0].is_unlikely);
}

TEST_CASE("the calls of members are matched by the filter as by the judge") {
  std::size_t told = 0;
  for_seeds(1, enough_to_count, [&](std::uint64_t seed) -> std::string {
    Random random(seed * 3 + 2);
    Program program = random_program(seed, 200, seed % 3 == 0, random.pick<double>({0, 0.3, 1}));
    if (random.chance(0.3)) empty_some(random, program);
    const double share = random.pick<double>({0, 0.002, 0.02, 0.1});
    const auto events = left_of(program.events, events_of(program, lose(random, program, share)));
    const std::vector<Event> found = marked(program, events);
    const Run run = corrected(program, found, Match::whole);
    if (!run.fault.empty()) return run.fault;
    matching::LostRecords lost(true);
    for (const Event& event : events) lost.add(event, event.time);
    lost.find(program.definitions, usual_min_delay, 10'000'000, true);
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

TEST_CASE("of a member that missed more calls in a row than can be told nothing is told") {
  for (const std::size_t missed : {std::size_t{most_missed}, most_missed + std::size_t{1}}) {
    Program program;
    program.definitions.add_communicator(
        0, {program.definitions.add_process(0, ""), program.definitions.add_process(1, "")});
    // Barriers of the first member, then operations of both.
    for (std::size_t k = 0; k < missed + 12; ++k)
      for (ProcessIndex process = 0; process < (k < missed ? 1U : 2U); ++process) {
        const Time begin(static_cast<std::int64_t>(100 * k));
        program.events.push_back({.time = begin, .process = process, .role = Role::collective_begin});
        program.events.push_back({.time = begin + 10,
                                  .process = process,
                                  .role = Role::collective_end,
                                  .operation = k < missed ? Operation::barrier : Operation::allreduce,
                                  .communicator = 0,
                                  .bytes = 8,
                                  .received = 8});
      }
    const std::vector<Event> found = marked(program, program.events);
    const auto told = std::ranges::max(found, {}, &Event::missed);
    CHECK(told.missed == (missed <= most_missed ? missed : 0));
    CHECK(std::ranges::any_of(found, [](const Event& event) { return event.absent > 0; }) == (missed <= most_missed));
  }
}

TEST_CASE("collective operations of which nothing is missing are the k-th calls, whatever clocks do") {
  for_seeds(1, [&](std::uint64_t seed) -> std::string {
    const Program program = random_program(seed, 100, seed % 2 == 0, seed % 3 == 0 ? 0 : 0.5);
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
    parameters.min_delay_us = usual_min_delay;
    // These depend on the order in which events of one time are processed, and that on which ends wait.
    parameters.regulator_b = parameters.regulator_c = false;
    const Run run = run_filter(parameters, program.definitions, told);
    const Run expected = run_filter(parameters, program.definitions, split);
    if (!run.fault.empty()) return run.fault;
    if (run.analysis.counted(Case::collective_given_up) + run.analysis.counted(Case::late_member) > 0) return "a wait";
    return run.written == expected.written ? "" : "other times";
  });
}

/// Some sends and receives are lost, too.
std::vector<bool> lose_all(Random& random, const Program& program, double calls, double ends) {
  std::vector<bool> lost = events_of(program, lose(random, program, calls));
  for (const auto& [send, receive] : program.messages) {
    lost[send] = random.chance(ends);
    lost[receive] = random.chance(ends);
  }
  return lost;
}

TEST_CASE("sends, receives and calls that are lost together are found by the filter as by the judge") {
  std::size_t missing = 0;
  for_seeds(1, enough_to_count, [&](std::uint64_t seed) -> std::string {
    Random random(seed * 3 + 4);
    const Program program = random_program(seed, 100, seed % 2 == 0, random.pick<double>({0.5, 1}));
    const double calls = random.pick<double>({0, 0.01, 0.05});
    const auto events = left_of(program.events, lose_all(random, program, calls, 0.02));
    const std::vector<Event> found = marked(program, events);
    matching::LostRecords lost(true);
    for (const Event& event : events) lost.add(event, event.time);
    // Channels that are not known have to be left to first in, first out here: no limit, no other rule.
    lost.find(program.definitions, usual_min_delay, 0, true);
    std::vector<Event> judged = events;
    for (Event& event : judged)
      if (event.role == Role::collective_end) lost.mark(event);
    if (marks_of(found) != marks_of(judged)) return "other calls";
    std::map<std::pair<ProcessIndex, ProcessIndex>, bool> is_known;
    for (const Event& event : found)
      if (event.other_end != OtherEnd::unknown) is_known[{sender_of(event), receiver_of(event)}] = true;
    for (std::size_t e = 0; e < events.size(); ++e) {
      const bool is_lone = lost.takes(events[e]);
      if (events[e].role != Role::send && events[e].role != Role::receive) continue;
      if (!is_known[{sender_of(events[e]), receiver_of(events[e])}]) continue;
      missing += is_lone ? 1U : 0U;
      if (is_lone != (found[e].other_end == OtherEnd::missing)) return "other ends";
    }
    return {};
  });
  CHECK(missing > 0);
}

TEST_CASE("what one process tells others of lost records is what it found") {
  std::size_t told = 0;
  for_seeds(1, enough_to_count, [&](std::uint64_t seed) -> std::string {
    Random random(seed * 3 + 5);
    const Program program = random_program(seed, 60, seed % 2 == 0, random.pick<double>({0.5, 1}));
    const auto events = left_of(program.events, lose_all(random, program, 0.03, 0.03));
    lost::Ends ends(1U << 30U);
    for (const Event& event : events) ends.add(event);
    if (!ends.find(program.definitions)) return {};
    // The other one has met the communicators in another order.
    Definitions others;
    for (const Process& process : program.definitions.processes()) others.add_process(process.number, process.name);
    const auto& communicators = program.definitions.communicators();
    for (auto it = communicators.rbegin(); it != communicators.rend(); ++it)
      others.add_communicator(it->number, Members(it->members));
    const auto there = [&](CommunicatorIndex c) {
      return static_cast<CommunicatorIndex>(communicators.size() - 1 - c);
    };
    lost::Marks marks(ends.numbers(program.definitions), others);
    if (marks.empty()) return {};
    for (const bool again : {false, true}) {
      if (again) marks.rewind();
      ends.rewind();
      for (Event expected : events) {
        Event found = expected;
        if (found.communicator != no_communicator) found.communicator = there(found.communicator);
        marks.mark(found);
        ends.mark(expected);
        told += found.other_end == OtherEnd::missing || found.missed > 0 || found.absent > 0 ? 1U : 0U;
        if ((found.other_end == OtherEnd::missing) != (expected.other_end == OtherEnd::missing)) return "another end";
        if (found.missed != expected.missed || found.absent != expected.absent) return "another call";
      }
    }
    return {};
  });
  CHECK(told > 0);
}

TEST_CASE("no receive that is matched otherwise than first in, first out comes before its send by way of operations") {
  std::size_t shifted = 0;
  for_seeds(1, enough_to_count, [&](std::uint64_t seed) -> std::string {
    Random random(seed * 3 + 5);
    const Program program = random_program(seed, 60, seed % 2 == 0, 1);
    const std::vector<Event> found = marked(program, left_of(program.events, lose_all(random, program, 0, 0.05)));
    struct Ends {
      std::vector<std::pair<std::size_t, std::size_t>> sends;  // event, and its number
      std::vector<std::pair<std::size_t, std::size_t>> receives;
      std::array<std::size_t, 2> numbers{};
    };
    std::map<std::pair<ProcessIndex, ProcessIndex>, Ends> channels;
    std::vector<Event> alone = found;  // no message orders anything
    for (std::size_t e = 0; e < found.size(); ++e) {
      const Event& event = found[e];
      if (event.role != Role::send && event.role != Role::receive) continue;
      alone[e].other_end = OtherEnd::missing;
      Ends& ends = channels[{sender_of(event), receiver_of(event)}];
      const std::size_t number = ends.numbers[event.role == Role::send ? 0 : 1]++;
      if (event.other_end == OtherEnd::present)
        (event.role == Role::send ? ends.sends : ends.receives).emplace_back(e, number);
    }
    const PlainOrder order = plain_order(program.definitions, alone);
    for (const auto& [channel, ends] : channels) {
      if (ends.sends.size() != ends.receives.size()) return "ends without others";
      bool is_shifted = false;
      for (std::size_t k = 0; k < ends.sends.size(); ++k) is_shifted |= ends.sends[k].second != ends.receives[k].second;
      shifted += is_shifted ? 1U : 0U;
      for (std::size_t k = 0; is_shifted && k < ends.sends.size(); ++k)
        if (order.is_before(ends.receives[k].first, ends.sends[k].first)) return "a receive before its send";
    }
    return {};
  });
  CHECK(shifted > 0);
}

TEST_CASE("calls that are lost alone are found where they were when a trace is read first") {
  constexpr std::size_t all = 200;
  std::size_t right = 0;
  for (std::uint64_t seed = 1; seed <= all; ++seed) {
    // Clocks that are set look like lost calls, but messages tell.
    const bool has_messages = seed % 2 == 0;
    const Program program = random_program(seed, 80, has_messages, has_messages ? 1 : 0);
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

/// Of a trace that lacks one call, and of one that lacks none, or two of different members.
TEST_CASE("where a program computes for irregular times, operations and roots tell which calls are lost") {
  for_seeds(1, [](std::uint64_t seed) -> std::string {
    const Program program = Maker(seed, {.irregular = true}).make();
    Random random(seed + 1);
    std::vector<bool> lost(program.calls.size());
    const std::size_t losses = random.index(3);
    for (std::size_t k = 0; k < losses; ++k) lost[random.index(lost.size())] = true;
    const auto all = static_cast<std::size_t>(std::count(lost.begin(), lost.end(), true));
    const auto events = left_of(program.events, events_of(program, lost));
    const Run run = corrected(program, marked(program, events), Match::whole);
    if (!run.fault.empty()) return run.fault;
    if (run.analysis.counted(Case::operation_mismatch) > 0) return "members disagree";
    const std::size_t found = run.analysis.lost_calls().size();
    return found <= all ? "" : std::to_string(found) + " of " + std::to_string(all) + " calls are told to be lost";
  });
}

TEST_CASE("of many members, those that are matched first are matched as well as the others") {
  constexpr std::size_t all = 60;
  std::size_t right = 0;
  for (std::uint64_t seed = 1; seed <= all; ++seed) {
    Random random(seed * 3 + 5);
    Program program = Maker(seed, {.most = 400, .messages = 1, .fewest = 12, .processes = 12}).make();
    const auto [told, split] = told_and_split(program, lose(random, program, 0.04));
    std::vector<Event> unmarked = told;
    for (Event& event : unmarked) event.missed = event.absent = 0;
    right += marks_of(marked(program, unmarked)) == marks_of(told) ? 1U : 0U;
  }
  INFO(right << " of " << all);
  CHECK(3 * right > 2 * all);
}

}  // namespace
}  // namespace clc::test
