// Clocks that were set in traces that lack records: the filter's code against the judge's, and the truth.
#include "lost/steps.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "clc/event.hpp"
#include "for_seeds.hpp"
#include "matching/lost/clock_steps.hpp"
#include "random_trace.hpp"
#include "regular_program.hpp"

namespace clc::test {
namespace {

struct Channel {
  ProcessIndex sender = 0;
  ProcessIndex receiver = 0;
  std::vector<lost::Placed> sends;
  std::vector<lost::Placed> receives;
};

std::vector<Channel> channels_of(const std::vector<Event>& events) {
  std::map<std::tuple<ProcessIndex, ProcessIndex, std::int64_t>, std::size_t> places;
  std::map<ProcessIndex, std::pair<std::uint32_t, Time>> ends;  // so far, and the latest time
  std::vector<Channel> channels;
  for (const Event& event : events) {
    const auto key = std::tuple(sender_of(event), receiver_of(event), event.tag);
    const auto [place, is_new] = places.try_emplace(key, channels.size());
    if (is_new) channels.push_back({sender_of(event), receiver_of(event), {}, {}});
    auto& [nth, latest] = ends.try_emplace(event.process, 0U, event.time).first->second;
    latest = std::max(latest, event.time);
    Channel& channel = channels[place->second];
    (event.role == Role::send ? channel.sends : channel.receives).push_back({{latest, event.bytes}, nth++});
  }
  return channels;
}

lost::Steps found_in(const std::vector<Channel>& channels, std::size_t processes) {
  std::vector<lost::Sides> sides;
  for (const Channel& channel : channels)
    sides.push_back({{channel.sender, channel.receiver}, {channel.sends, channel.receives}});
  lost::Steps steps(std::move(sides), processes);
  steps.find();
  return steps;
}

matching::ClockSteps::Ends copy_of(const std::vector<lost::Placed>& ends) {
  matching::ClockSteps::Ends copy;
  for (const lost::Placed& each : ends) copy.push_back({{each.end.time, each.end.bytes}, each.nth});
  return copy;
}

template <class Ends>
std::vector<Time> times_of(const Ends& ends) {
  std::vector<Time> times;
  for (const auto& end : ends) times.push_back(end.time);
  return times;
}

TEST_CASE("clocks that were set are found by the filter as by the judge") {
  std::size_t moved = 0;
  for_seeds(1, enough_to_count, [&](std::uint64_t seed) -> std::string {
    const RegularProgram program =
        regular_program(seed, usual_min_delay, {seed % 4 != 0, seed % 5 == 1, false, seed % 3 == 1});
    const std::vector<Event> events =
        seed % 7 == 0 ? program.events : without(program.events, lose_records(seed, program));
    const std::vector<Channel> channels = channels_of(events);
    const lost::Steps steps = found_in(channels, program.definitions.processes().size());
    matching::ClockSteps judge;
    for (const Channel& channel : channels)
      judge.add(channel.sender, copy_of(channel.sends), channel.receiver, copy_of(channel.receives));
    judge.find();
    for (ProcessIndex process = 0; process < program.definitions.processes().size(); ++process)
      if (steps.is_followed(process) != judge.follows(process) || steps.goes_on(process) != judge.never_set(process))
        return "other processes";
    for (const Channel& channel : channels)
      for (const auto& [process, ends] :
           {std::pair(channel.sender, &channel.sends), std::pair(channel.receiver, &channel.receives)}) {
        const std::vector<Time> times = times_of(steps.without(*ends, process));
        if (times != times_of(judge.without(process, copy_of(*ends)))) return "other times";
        if (times_of(steps.without_between(*ends, process)) != times_of(judge.without(process, copy_of(*ends), true)))
          return "other times between";
        // Records between them, at the time of the end ahead or of that behind.
        std::vector<lost::Placed> between;
        for (std::size_t k = 1; k < ends->size(); ++k)
          for (const std::size_t at : {k - 1, k}) between.push_back({(*ends)[at].end, (*ends)[k].nth});
        if (times_of(steps.without_between(between, process)) !=
            times_of(judge.without(process, copy_of(between), true)))
          return "other times of what is between";
        for (std::size_t k = 0; k < times.size(); ++k) moved += times[k] != (*ends)[k].end.time ? 1U : 0U;
      }
    return {};
  });
  CHECK(moved > 0);
}

/// Each process sends to all others and receives from all, again and again; the clock of the first one is set.
struct ProgramWithSteps {
  std::vector<Event> events;
  std::map<ProcessIndex, std::vector<Ticks>> truth;  // by process, of each end
  Ticks period = 0;
};

/// back: it is set back, and stands still until its time has come again.
ProgramWithSteps program_with_steps(Random& random, std::size_t processes, double lost, bool back) {
  ProgramWithSteps made;
  made.period = random.integer(200, 2000);
  const Ticks unrest = made.period / 20;
  std::vector<std::pair<Ticks, Ticks>> steps;
  for (std::int64_t left = random.integer(1, 3); left > 0; --left) {
    const Ticks size = made.period * random.integer(75, 700) / 100;
    steps.emplace_back(made.period * (100 * left - random.integer(20, 80)), back ? -size : size);
  }
  Ticks latest = ticks_min;
  const auto record = [&](Role role, ProcessIndex process, ProcessIndex peer, Ticks time) {
    if (random.chance(lost)) return;
    Ticks shown = time;
    if (process == 0) {
      for (const auto& [when, size] : steps)
        if (when <= time) shown += size;
      latest = shown = std::max(latest, shown);
    }
    Event event{.time = Time(shown), .process = process, .role = role, .peer = peer, .communicator = 0};
    made.events.push_back(event);
    made.truth[process].push_back(time);
  };
  std::vector<Ticks> now(processes);
  for (std::int64_t round = 0; round < 300; ++round) {
    std::vector<Ticks> sent;
    for (Ticks& each : now) sent.push_back(each = made.period * round + random.integer(0, unrest));
    for (ProcessIndex p = 0; p < processes; ++p) {
      for (ProcessIndex q = 0; q < processes; ++q)
        if (q != p) record(Role::send, p, q, now[p] += 1);
    }
    for (ProcessIndex p = 0; p < processes; ++p)
      for (ProcessIndex q = 0; q < processes; ++q) {
        if (q == p) continue;
        now[p] = std::max(now[p] + 1, sent[q] + static_cast<Ticks>(processes) + random.integer(5, 10));
        record(Role::receive, p, q, now[p]);
      }
  }
  return made;
}

TEST_CASE("a clock that was set is found on its channels, and where, if records are lost") {
  std::array<std::size_t, 2> right{};
  std::array<std::size_t, 2> all{};
  std::size_t not_found = 0;
  std::size_t set_ahead = 0;
  const auto look_at = [&](std::uint64_t seed) {
    Random random(seed);
    const auto processes = static_cast<std::size_t>(random.integer(3, 5));
    const bool back = seed % 2 == 0;
    const ProgramWithSteps program = program_with_steps(random, processes, random.pick<double>({0.001, 0.01}), back);
    const std::vector<Channel> channels = channels_of(program.events);
    const lost::Steps steps = found_in(channels, processes);
    if (!back) {
      ++set_ahead;
      not_found += steps.goes_on(0) ? 1U : 0U;
      for (ProcessIndex process = 1; process < processes; ++process) {
        INFO("seed " << seed << ", process " << process);
        CHECK(steps.goes_on(process));
      }
    }
    for (const Channel& channel : channels) {
      if (channel.sender != 0 && channel.receiver != 0) continue;
      const std::vector<lost::Placed>& ends = channel.sender == 0 ? channel.sends : channel.receives;
      const std::vector<lost::End> moved = steps.without(ends, 0);
      for (std::size_t k = 0; k < ends.size(); ++k) {
        const Ticks wrong = moved[k].time - Time(program.truth.at(0)[ends[k].nth]);
        right[back] += std::abs(wrong) < program.period / 2 ? 1U : 0U;
        ++all[back];
      }
    }
  };
  // Shares of few traces tell nothing.
  const std::uint64_t traces = std::max<std::uint64_t>(200, number("CLC_TRACES", 1000) / 10);
  for (std::uint64_t seed = 1; seed <= traces; ++seed) look_at(seed);
  INFO(right[0] << " of " << all[0] << ", set back " << right[1] << " of " << all[1] << ", not found " << not_found
                << " of " << set_ahead);
  CHECK(20 * not_found <= set_ahead);
  CHECK(10 * right[0] > 9 * all[0]);
  CHECK(4 * right[1] > 3 * all[1]);  // where it stood still, times are lost
}

}  // namespace
}  // namespace clc::test
