// Ends that take turns, in traces that lack records: the filter's code against the judge's, and the truth.
#include "lost/turns.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "clc/event.hpp"
#include "for_seeds.hpp"
#include "matching/lost/turns.hpp"
#include "random_trace.hpp"
#include "regular_program.hpp"

namespace clc::test {
namespace {

struct TurnsChannel {
  ProcessIndex sender = 0;
  ProcessIndex receiver = 0;
  std::vector<lost::Placed> sends;
  std::vector<lost::Placed> receives;
  std::array<std::vector<std::uint32_t>, 2> rounds;  // of each send and receive
};

/// The next send or receive of its process.
struct End {
  Event event;
  std::uint32_t round = 0;
};

std::vector<TurnsChannel> channels_of(const std::vector<End>& ends) {
  std::map<std::tuple<ProcessIndex, ProcessIndex, std::int64_t>, std::size_t> places;
  std::map<ProcessIndex, std::uint32_t> so_far;
  std::vector<TurnsChannel> channels;
  for (const auto& [event, round] : ends) {
    const auto key = std::tuple(sender_of(event), receiver_of(event), event.tag);
    const auto [place, is_new] = places.try_emplace(key, channels.size());
    if (is_new) channels.push_back({sender_of(event), receiver_of(event), {}, {}, {}});
    TurnsChannel& channel = channels[place->second];
    const bool is_send = event.role == Role::send;
    (is_send ? channel.sends : channel.receives).push_back({{event.time, event.bytes}, so_far[event.process]++});
    channel.rounds[is_send ? 0 : 1].push_back(round);
  }
  return channels;
}

lost::Turns turns_in(const std::vector<TurnsChannel>& channels, std::size_t processes) {
  std::vector<lost::Sides> sides;
  for (const TurnsChannel& channel : channels)
    sides.push_back({{channel.sender, channel.receiver}, {channel.sends, channel.receives}});
  return {std::move(sides), processes};
}

TEST_CASE("turns are counted by the filter as by the judge") {
  std::size_t known = 0;
  std::size_t unknown = 0;
  for_seeds(1, enough_to_count, [&](std::uint64_t seed) -> std::string {
    const RegularProgram program = regular_program(seed, 5, {.steps = seed % 3 == 1, .pauses = seed % 2 == 1});
    std::vector<End> ends;
    for (const Event& event : without(program.events, lose_records(seed, program))) ends.push_back({event, 0});
    // Some change places with the one behind.
    Random random(seed);
    for (std::size_t k = 1; seed % 4 == 0 && k < ends.size(); ++k)
      if (random.chance(0.05)) std::swap(ends[k - 1], ends[k]);
    const std::vector<TurnsChannel> channels = channels_of(ends);
    const lost::Turns turns = turns_in(channels, program.definitions.processes().size());
    matching::Turns judge;
    for (std::uint32_t c = 0; c < channels.size(); ++c) {
      for (const lost::Placed& send : channels[c].sends) judge.add(channels[c].sender, send.nth, 2 * c);
      for (const lost::Placed& receive : channels[c].receives) judge.add(channels[c].receiver, receive.nth, 2 * c + 1);
    }
    for (std::uint32_t c = 0; c < channels.size(); ++c)
      for (const std::uint32_t side : {0U, 1U}) {
        const std::vector<std::uint32_t> counted = turns.count(c, side);
        ++(counted.empty() ? unknown : known);
        if (counted != judge.of(2 * c + side)) return "other turns";
      }
    return {};
  });
  CHECK(known > 0);
  CHECK(unknown > 0);
}

/// In each round a process sends to some others and receives from them, always in the same order; some ends are lost,
/// but of a process not in successive rounds.
std::vector<End> program_with_losses(Random& random, ProcessIndex processes, bool in_order) {
  std::vector<End> ends;
  const std::int64_t tags = random.integer(1, 3);
  std::vector<std::uint32_t> lost(processes, 0);
  const auto add = [&](Role role, ProcessIndex process, ProcessIndex peer, std::int64_t tag, std::uint32_t round) {
    if (round > lost[process] + 1 && random.chance(0.02)) {
      lost[process] = round;
      return;
    }
    ends.push_back(
        {{.time = Time(0), .process = process, .role = role, .peer = peer, .communicator = 0, .tag = tag}, round});
  };
  for (std::uint32_t round = 1; round <= 400; ++round)
    for (ProcessIndex p = 0; p < processes; ++p)
      for (std::int64_t left = 2 * tags, k = 0; left > 0; --left, ++k) {
        const std::int64_t which = in_order ? k : random.integer(0, 2 * tags - 1);
        const bool is_send = which < tags;
        const ProcessIndex peer = (p + (is_send ? 1U : processes - 1U)) % processes;
        add(is_send ? Role::send : Role::receive, p, peer, which % tags, round);
      }
  return ends;
}

TEST_CASE("ends that take turns tell how many are missing, in whatever order the others' are lost") {
  for_seeds(1, [&](std::uint64_t seed) -> std::string {
    Random random(seed);
    const auto processes = static_cast<ProcessIndex>(random.integer(2, 5));
    const std::vector<TurnsChannel> channels = channels_of(program_with_losses(random, processes, true));
    const lost::Turns turns = turns_in(channels, processes);
    for (std::size_t c = 0; c < channels.size(); ++c)
      for (const std::size_t side : {0U, 1U}) {
        const std::vector<std::uint32_t> counted = turns.count(c, side);
        const std::vector<std::uint32_t>& rounds = channels[c].rounds[side];
        if (counted.size() != rounds.size()) return "not counted";
        for (std::size_t k = 0; k < rounds.size(); ++k)
          if (counted[k] - counted[0] != rounds[k] - rounds[0]) return "other turns";
      }
    return {};
  });
}

TEST_CASE("ends in no order take no turns") {
  for_seeds(1, [&](std::uint64_t seed) -> std::string {
    Random random(seed);
    const auto processes = static_cast<ProcessIndex>(random.integer(2, 5));
    const std::vector<TurnsChannel> channels = channels_of(program_with_losses(random, processes, false));
    const lost::Turns turns = turns_in(channels, processes);
    for (std::size_t c = 0; c < channels.size(); ++c)
      for (const std::size_t side : {0U, 1U})
        if (!turns.count(c, side).empty()) return "counted";
    return {};
  });
}

}  // namespace
}  // namespace clc::test
