#include "regular_program.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <tuple>

#include "message.hpp"
#include "random_trace.hpp"

namespace clc::test {

namespace {

/// C(t) of a process.
class WrongClock {
 public:
  WrongClock(Random& random, Ticks apart, Ticks end, Ticks period, const RegularOptions& options)
      : offset_(random.integer(-apart, apart)), rate_(random.real(-2e-5, 2e-5)) {
    if (options.ticks) tick_ = std::max<Ticks>(1, period / random.integer(1, 100));
    if (options.steps)
      for (std::int64_t left = random.integer(0, 3); left > 0; --left)
        steps_.emplace_back(random.integer(0, end), random.integer(-3 * period, 3 * period));
    std::sort(steps_.begin(), steps_.end());
    if (options.slews)
      for (std::int64_t left = random.integer(1, 6); left > 0; --left)
        slews_.push_back({random.integer(0, end), random.integer(0, end / 2), random.real(-5e-4, 5e-4)});
  }
  [[nodiscard]] Ticks read(Ticks time) {
    Ticks shown = time + offset_ + static_cast<Ticks>(rate_ * static_cast<double>(time));
    for (const auto& [when, by] : steps_)
      if (when <= time) shown += by;
    for (const Slew& slew : slews_)
      shown +=
          static_cast<Ticks>(slew.rate * static_cast<double>(std::clamp<Ticks>(time - slew.begin, 0, slew.length)));
    newest_ = std::max(newest_, shown - (shown % tick_ + tick_) % tick_);
    return newest_;
  }

 private:
  struct Slew {
    Ticks begin;
    Ticks length;
    double rate;
  };
  Ticks offset_;
  double rate_;
  Ticks tick_ = 1;
  std::vector<std::pair<Ticks, Ticks>> steps_;
  std::vector<Slew> slews_;
  Ticks newest_ = ticks_min;
};

/// Without events yet. pairs: two processes each share a clock.
RegularProgram program_of(ProcessIndex processes, bool pairs = false) {
  RegularProgram made;
  made.definitions.resolution = Resolution(1'000'000);
  std::vector<ProcessIndex> all;
  for (ProcessIndex p = 0; p < processes; ++p) {
    std::optional<ProcessIndex> clock;
    if (pairs && p % 2 == 1) clock = p - 1;
    all.push_back(made.definitions.add_process(p, "", "", clock));
  }
  made.definitions.add_communicator(0, all);
  return made;
}

/// Events as the clocks show them, in that order.
void show(RegularProgram& made, std::vector<Event> events, Random& random, Ticks apart, Ticks period,
          const RegularOptions& options) {
  Ticks end = 0;
  for (const Event& event : events) end = std::max(end, event.time.ticks());
  const auto clock_of = [&](std::size_t e) { return made.definitions.processes()[events[e].process].clock; };
  std::vector<std::size_t> order(events.size());
  for (std::size_t e = 0; e < order.size(); ++e) order[e] = e;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(clock_of(a), events[a].time) < std::tuple(clock_of(b), events[b].time);
  });
  std::vector<WrongClock> clocks;
  for (std::size_t p = 0; p < made.definitions.processes().size(); ++p)
    clocks.emplace_back(random, apart, end, period, options);
  for (const std::size_t e : order) events[e].time = Time(clocks[clock_of(e)].read(events[e].time.ticks()));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return events[a].time < events[b].time; });
  std::vector<std::size_t> place(events.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = k;
  std::vector<std::size_t> partner(events.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    made.events.push_back(events[order[k]]);
    partner[k] = place[made.partner[order[k]]];
  }
  made.partner = std::move(partner);
}

}  // namespace

RegularProgram regular_program(std::uint64_t seed, Ticks min_delay, const RegularOptions& options) {
  Random random(seed);
  const auto processes = static_cast<ProcessIndex>(random.integer(2, 6));
  RegularProgram made = program_of(processes, options.pairs);
  const Ticks period = min_delay * random.integer(options.pauses ? 16 : 20, 200);
  const bool both_ways = random.chance(0.5);
  const bool sends_first = random.chance(0.7);
  const Ticks unrest = period / random.integer(4, 40);
  const std::int64_t rounds = random.integer(60, 150);
  const std::int64_t before = options.pauses ? random.integer(0, 3) : 0;  // messages, in each round

  // True times, one round of all processes after the other. A message's receive ends when it is there.
  std::vector<Ticks> now(processes);
  std::map<std::tuple<ProcessIndex, ProcessIndex, std::int64_t>, std::deque<std::pair<Ticks, std::size_t>>> under_way;
  std::vector<Event> events;
  const auto add = [&](Role role, ProcessIndex process, ProcessIndex peer, std::int64_t tag, Ticks time) {
    events.push_back(message(role, Time(time), process, peer, tag));
    made.partner.push_back(events.size() - 1);
  };
  // Without a processor no process gets on, and messages that are under way are received late.
  Ticks late = 0;
  const auto pause = [&] {
    late = 0;
    if (!options.pauses || !random.chance(0.02)) return;
    const Ticks length = period * random.integer(10, 10'000);
    for (Ticks& each : now) each += length + random.integer(0, period);
    late = random.integer(0, 2 * period);
  };
  const auto send = [&](ProcessIndex from, ProcessIndex to, std::int64_t tag) {
    add(Role::send, from, to, tag, now[from] += 1);
    const Ticks transfer =
        min_delay + (tag == 0 ? late : 0) + static_cast<Ticks>(random.exponential(static_cast<double>(min_delay) / 3));
    under_way[{from, to, tag}].emplace_back(now[from] + transfer, events.size() - 1);
  };
  const auto receive = [&](ProcessIndex from, ProcessIndex to, std::int64_t tag) {
    auto& messages = under_way[{from, to, tag}];
    if (messages.empty()) return;
    const auto [arrival, sent] = messages.front();
    messages.pop_front();
    now[to] = std::max(now[to] + 1, arrival);
    add(Role::receive, to, from, tag, now[to]);
    made.partner[sent] = events.size() - 1;
    made.partner.back() = sent;
  };
  const auto right = [&](ProcessIndex p) { return (p + 1) % processes; };
  const auto left = [&](ProcessIndex p) { return (p + processes - 1) % processes; };
  const auto receive_all = [&](ProcessIndex p) {
    for (std::int64_t k = 0; k < before; ++k) receive(left(p), p, 2);
    receive(left(p), p, 0);
    if (both_ways) receive(right(p), p, 1);
  };
  for (std::int64_t round = 0; round < rounds; ++round) {
    pause();
    for (ProcessIndex p = 0; p < processes; ++p) {
      now[p] += period + random.integer(-unrest, unrest);
      if (!sends_first) receive_all(p);  // what was sent in the round before
      for (std::int64_t k = 0; k < before; ++k) send(p, right(p), 2);
      send(p, right(p), 0);
      if (both_ways) send(p, left(p), 1);
    }
    for (ProcessIndex p = 0; sends_first && p < processes; ++p) receive_all(p);
  }

  show(made, std::move(events), random, random.pick<Ticks>({0, min_delay, period / 3, 10 * period}), period, options);
  return made;
}

RegularProgram scattered_program(std::uint64_t seed, Ticks min_delay) {
  Random random(seed);
  const auto processes = static_cast<ProcessIndex>(random.integer(4, 12));
  RegularProgram made = program_of(processes);
  const Ticks gap = min_delay * random.integer(2, 40);
  std::vector<Ticks> now(processes);
  std::vector<Event> events;
  for (std::int64_t left = random.integer(200, 600); left > 0; --left) {
    const auto from = static_cast<ProcessIndex>(random.index(processes));
    const auto to = static_cast<ProcessIndex>((from + 1 + random.index(processes - 1)) % processes);
    const std::int64_t tag = random.integer(0, 3);
    now[from] += random.integer(1, gap);
    now[to] = std::max(now[to] + 1, now[from] + min_delay + random.integer(0, gap / 4));
    made.partner.push_back(events.size() + 1);
    made.partner.push_back(events.size());
    events.push_back(message(Role::send, Time(now[from]), from, to, tag));
    events.push_back(message(Role::receive, Time(now[to]), to, from, tag));
  }
  show(made, std::move(events), random, random.pick<Ticks>({0, gap, 100 * gap}), 40 * gap, {.steps = true});
  return made;
}

std::vector<bool> lose_records(std::uint64_t seed, const RegularProgram& program) {
  Random random(seed ^ 0x105e5);
  std::vector<bool> lost(program.events.size());
  const auto process = static_cast<ProcessIndex>(random.index(program.definitions.processes().size()));
  std::vector<std::size_t> own;
  for (std::size_t e = 0; e < program.events.size(); ++e)
    if (program.events[e].process == process) own.push_back(e);
  switch (random.index(4)) {
    case 0:  // some here and there
      for (std::int64_t left = random.integer(1, 20); left > 0; --left) lost[random.index(lost.size())] = true;
      break;
    case 1: {  // a row of one process
      const std::size_t begin = random.index(own.size());
      const std::size_t length = random.index(60);
      for (std::size_t k = begin; k < std::min(own.size(), begin + length); ++k) lost[own[k]] = true;
      break;
    }
    case 2:  // its first ones
      for (std::size_t k = random.index(60); k > 0; --k) lost[own[k - 1]] = true;
      break;
    default:  // one
      lost[random.index(lost.size())] = true;
  }
  return lost;
}

std::vector<Event> without(const std::vector<Event>& events, const std::vector<bool>& lost) {
  std::vector<Event> left;
  for (std::size_t e = 0; e < events.size(); ++e)
    if (!lost[e]) left.push_back(events[e]);
  return left;
}

}  // namespace clc::test
