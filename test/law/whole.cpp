// Channels of which all ends are known: the rule against all matchings that there are, the filter's code against the
// judge's, and the truth, over seeded channels and programs that repeat themselves.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "clc/event.hpp"
#include "for_seeds.hpp"
#include "lossy.hpp"
#include "lost/ends.hpp"
#include "lost/rule.hpp"
#include "matching/lost/whole_channel.hpp"
#include "plain_channel.hpp"
#include "random_trace.hpp"
#include "regular_program.hpp"
#include "run_filter.hpp"

namespace clc::test {
namespace {

struct WholeChannel {
  std::vector<lost::End> sends;
  std::vector<lost::End> receives;
};

/// Of up to that many messages, some ends of which are lost.
WholeChannel random_channel(Random& random, std::int64_t most) {
  WholeChannel channel;
  const Ticks period = random.pick<Ticks>({1, 8, 1000, Ticks{1} << 40});
  const Ticks unrest = std::max<Ticks>(1, period / random.pick<Ticks>({1, 4, 20}));
  const double lost = random.pick<double>({0, 0.1, 0.4});
  const bool sizes = random.chance(0.3);
  const std::array<bool, 2> turns{random.chance(0.5), random.chance(0.5)};
  std::array<std::uint32_t, 2> turn{};
  turn[0] = turns[0] && random.chance(0.2) ? 3 : 0;
  std::int64_t late = random.chance(0.3) ? random.integer(1, 14) : 0;  // sends of a process that begins late
  Time sent(random.integer(-period, period));
  Time received = sent;
  for (std::int64_t left = late + random.integer(1, late > 3 ? most / 2 : most); left > 0; --left) {
    if (!random.chance(0.05)) sent = sent + period + random.integer(-unrest, unrest) / 2;
    if (!random.chance(0.05)) received = std::max(received, sent + random.integer(0, unrest));
    if (random.chance(0.05)) received = received + random.integer(0, 3 * period);
    const std::uint64_t bytes = sizes ? static_cast<std::uint64_t>(random.integer(0, 2)) : 8;
    // Some that are lost are not counted, and some are counted that are not there.
    const bool is_late = late-- > 0;
    for (const std::size_t side : {0U, 1U})
      if (turns[side] && !(is_late && side == 0)) turn[side] += random.chance(0.05) ? 2U : 1U;
    const bool send_is_lost = is_late || random.chance(lost);
    const bool receive_is_lost = random.chance(lost / 2);
    if (!send_is_lost) channel.sends.push_back({sent, bytes, turn[0]});
    if (!receive_is_lost) channel.receives.push_back({received, random.chance(0.9) ? bytes : 3, turn[1]});
    if (send_is_lost && !is_late && turns[0] && random.chance(0.2)) --turn[0];
    if (receive_is_lost && turns[1] && random.chance(0.2)) --turn[1];
  }
  for (std::vector<lost::End>* side : {&channel.sends, &channel.receives})
    for (std::size_t k = 1; k < side->size(); ++k) (*side)[k].time = std::max((*side)[k].time, (*side)[k - 1].time);
  if (channel.sends.size() > channel.receives.size()) std::swap(channel.sends, channel.receives);
  return channel;
}

/// Of the sends, which are not more: none, or receives around that of the same number.
std::vector<lost::Range> random_ranges(Random& random, const WholeChannel& channel) {
  std::vector<lost::Range> ranges;
  if (random.chance(0.5)) return ranges;
  const std::int64_t width = random.integer(0, 6);
  for (std::size_t k = 0; k < channel.sends.size(); ++k) {
    const auto at = static_cast<std::int64_t>(k);
    ranges.push_back({static_cast<std::uint32_t>(std::max<std::int64_t>(0, at - random.integer(-1, width))),
                      static_cast<std::uint32_t>(at + random.integer(1, width + 2))});
  }
  return ranges;
}

lost::Clocks random_clocks(Random& random) {
  return random.pick<lost::Clocks>({lost::Clocks::may_be_set, lost::Clocks::were_set, lost::Clocks::go_on});
}

TEST_CASE("the ends of a whole channel are matched by the least cost of all matchings") {
  std::size_t known = 0;
  for_seeds(1, enough_to_count, [&](std::uint64_t seed) -> std::string {
    Random random(seed);
    const WholeChannel channel = random_channel(random, 8);
    const lost::Clocks clocks = random_clocks(random);
    const auto ranges = random_ranges(random, channel);
    const bool calls = random.chance(0.2);
    const auto may = [&](std::size_t i, std::size_t j) {
      return ranges.empty() || (j >= ranges[i].first && j < ranges[i].last);
    };
    const bool was_cut = random.chance(0.2);
    const Plain plain(channel.sends, channel.receives, calls, clocks, may, was_cut);
    const auto unlike = calls ? lost::Unlike::impossible : lost::Unlike::unusual;
    const lost::Matched matched =
        lost::match(channel.sends, channel.receives, unlike, clocks, ranges, lost::no_most_cost, was_cut);
    if (matched.is_known != plain.is_known) return plain.is_known ? "not known" : "known";
    known += matched.is_known ? 1 : 0;
    if (matched.is_known && !channel.sends.empty() && matched.cost != plain.shown_cost()) return "another cost";
    if (matched.is_known && !channel.sends.empty() && matched.luck != plain.shown_luck()) return "other luck";
    return !matched.is_known || matched.partners == plain.partners() ? "" : "other partners";
  });
  CHECK(known > 0);
}

/// What the filter and the judge find for the sends, which are not more; empty: the same.
std::string difference_to_judge(const WholeChannel& channel, const lost::Matched& matched,
                                const matching::WholeRules& rules) {
  std::array<std::vector<matching::WholeEnd>, 2> ends;
  for (const lost::End& send : channel.sends) ends[0].push_back({send.time, send.bytes, send.turn});
  for (const lost::End& receive : channel.receives) ends[1].push_back({receive.time, receive.bytes, receive.turn});
  auto expected = matching::match_whole(ends[0], ends[1], rules);
  if (expected && !rules.only_alike) matching::forget_early(expected->pairs, ends[0], ends[1]);
  if (matched.is_known != expected.has_value()) return expected ? "not known" : "known";
  if (!expected) return {};
  std::vector<std::uint32_t> partners(channel.sends.size(), lost::no_partner);
  for (const auto& [send, receive] : expected->pairs) partners[send] = static_cast<std::uint32_t>(receive);
  if (matched.gain != expected->gain) return "another gain";
  if (matched.cost != expected->cost) return "another cost";
  if (matched.luck != expected->chance) return "other luck";
  return matched.partners == partners ? "" : "other partners";
}

TEST_CASE("the ends of a whole channel are matched by the filter as by the judge") {
  for_seeds(1, [&](std::uint64_t seed) -> std::string {
    Random random(seed);
    const WholeChannel channel = random_channel(random, 300);
    const lost::Clocks clocks = random_clocks(random);
    const auto ranges = random_ranges(random, channel);
    const bool calls = random.chance(0.2);
    const auto unlike = calls ? lost::Unlike::impossible : lost::Unlike::unusual;
    const bool was_cut = random.chance(0.2);
    lost::Matched matched =
        lost::match(channel.sends, channel.receives, unlike, clocks, ranges, lost::no_most_cost, was_cut);
    if (!calls) lost::leave_out_early(channel.sends, channel.receives, true, matched);
    matching::WholeRules rules{.only_alike = calls,
                               .clocks_go_on = clocks == lost::Clocks::go_on,
                               .steps_known = clocks != lost::Clocks::may_be_set,
                               .was_cut = was_cut};
    for (const lost::Range& range : ranges) rules.bounds.emplace_back(range.first, range.last);
    return difference_to_judge(channel, matched, rules);
  });
}

/// Of so many ends that it is matched part by part, and which receive belongs to each send.
struct LongChannel {
  WholeChannel ends;
  std::vector<std::uint32_t> partners;
};

LongChannel long_channel(Random& random) {
  LongChannel channel;
  const double lost = random.pick<double>({0.03, 0.1});
  const std::int64_t hole = random.integer(0, 8000);
  const std::int64_t end_of_hole = hole + random.pick<std::int64_t>({0, 10, 500});
  const Ticks apart = random.pick<Ticks>({0, 100'000});  // the clocks
  Time sent;
  for (std::int64_t k = 0; k < 9000; ++k) {
    sent = sent + random.integer(800, 1200);
    const Time received = sent + random.integer(50, 100) + apart;
    const bool receive_is_there = !random.chance(0.005);
    const auto nth = static_cast<std::uint32_t>(channel.ends.receives.size());
    if (receive_is_there) channel.ends.receives.push_back({received});
    if (random.chance(lost) || (k >= hole && k < end_of_hole)) continue;
    channel.ends.sends.push_back({sent});
    channel.partners.push_back(receive_is_there ? nth : lost::no_partner);
  }
  return channel;
}

TEST_CASE("a channel of many ends is matched part by part, rightly and by the filter as by the judge") {
  for_seeds(100, 4, [&](std::uint64_t seed) -> std::string {
    Random random(seed);
    const LongChannel channel = long_channel(random);
    const auto& [sends, receives] = channel.ends;
    lost::Matched matched = lost::match(sends, receives);
    lost::leave_out_early(sends, receives, true, matched);
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < matched.partners.size(); ++k) wrong += matched.partners[k] != channel.partners[k];
    if (!matched.is_known || 100 * wrong > sends.size()) return std::to_string(wrong) + " are wrong";
    return difference_to_judge(channel.ends, matched, {});
  });
}

/// Of a program that computes between its messages, so that delays tell nothing; sends are missing at one side.
WholeChannel channel_of_part(Random& random, bool begins_late) {
  WholeChannel channel;
  const std::int64_t missing = random.integer(5, 200);
  const std::int64_t first = begins_late ? missing : 0;
  const Ticks most = missing < 40 ? std::min<Ticks>(150 * missing - 500, 300) : 1500;
  const Ticks apart = random.integer(-most, most);  // the clocks
  Time begin;
  for (std::int64_t k = 0; k < missing + 104; ++k) {
    begin = begin + random.integer(900, 1100);
    if (k >= first && k < first + 104) channel.sends.push_back({begin + random.integer(0, 100)});
    channel.receives.push_back({begin + apart + random.integer(400, 600)});
  }
  return channel;
}

TEST_CASE("where delays tell nothing, times tell whether a process began late or ended early") {
  for_seeds(1, [&](std::uint64_t seed) -> std::string {
    Random random(seed);
    const bool begins_late = random.chance(0.5);
    const WholeChannel channel = channel_of_part(random, begins_late);
    const lost::Clocks clocks = random_clocks(random);
    const lost::Matched matched = lost::match(channel.sends, channel.receives, lost::Unlike::unusual, clocks);
    if (!matched.is_known) return "not known";
    const std::size_t first = begins_late ? channel.receives.size() - channel.sends.size() : 0;
    for (std::size_t k = 0; k < matched.partners.size(); ++k)
      if (matched.partners[k] != k + first) return "send " + std::to_string(k) + " is matched otherwise";
    return {};
  });
}

TEST_CASE("a match whose receive is early is left out, and no other one") {
  std::size_t early = 0;
  for_seeds(1, enough_to_count, [&](std::uint64_t seed) -> std::string {
    Random random(seed);
    const WholeChannel channel = random_channel(random, 60);
    const bool sends_are_fewer = random.chance(0.5);
    lost::Matched matched = lost::match(channel.sends, channel.receives);
    const std::vector<std::uint32_t> before = matched.partners;
    lost::leave_out_early(channel.sends, channel.receives, sends_are_fewer, matched);
    if (!matched.is_known) return {};
    std::vector<Ticks> gaps;
    for (std::size_t k = 1; k < channel.sends.size(); ++k)
      gaps.push_back(channel.sends[k].time - channel.sends[k - 1].time);
    std::sort(gaps.begin(), gaps.end());
    const Ticks jump = gaps.empty() ? 1 : std::clamp<Ticks>(gaps[gaps.size() / 2] / 2, 1, Ticks{1} << 34);
    std::vector<std::pair<std::size_t, Ticks>> delays;
    for (std::size_t k = 0; k < before.size(); ++k)
      if (before[k] != lost::no_partner)
        delays.emplace_back(k, (channel.receives[before[k]].time - channel.sends[k].time) * (sends_are_fewer ? 1 : -1));
    for (std::size_t k = 0; k < delays.size(); ++k) {
      std::array<std::size_t, 2> neighbours{};
      bool is_lowest = true;
      for (std::size_t other = 0; other < delays.size(); ++other) {
        if (other == k || std::max(other, k) - std::min(other, k) > 8) continue;
        ++neighbours[other < k ? 0 : 1];
        is_lowest &= delays[other].second - delays[k].second >= jump;
      }
      const bool is_early = is_lowest && neighbours[0] > 0 && neighbours[1] > 0 &&
                            std::abs(delays[k + 1].second - delays[k - 1].second) < jump;
      early += is_early ? 1U : 0U;
      const std::uint32_t expected = is_early ? lost::no_partner : before[delays[k].first];
      if (matched.partners[delays[k].first] != expected)
        return is_early ? "an early one is left" : "another one is gone";
    }
    return {};
  });
  CHECK(early > 0);
}

Run corrected(const RegularProgram& program, std::vector<Event> events) {
  Parameters parameters;
  parameters.min_delay_us = usual_min_delay;
  parameters.match = Match::whole;
  lost::Ends ends(parameters.max_memory);
  for (const Event& event : events) ends.add(event);
  if (ends.find(program.definitions))
    for (Event& event : events) ends.mark(event);
  return run_filter(parameters, program.definitions, events);
}

TEST_CASE("a trace of which nothing is missing is matched first in, first out when it is read first") {
  for_seeds(1, [&](std::uint64_t seed) -> std::string {
    const RegularProgram program =
        regular_program(seed, usual_min_delay, {seed % 3 == 1, seed % 5 == 1, seed % 4 == 1, seed % 2 == 1});
    std::vector<Event> events = program.events;
    // Without messages that are still under way.
    std::vector<bool> alone(events.size());
    for (std::size_t e = 0; e < events.size(); ++e) alone[e] = program.partner[e] == e;
    events = without(events, alone);
    const Run run = corrected(program, events);
    Parameters parameters;
    parameters.min_delay_us = usual_min_delay;
    const Run expected = run_filter(parameters, program.definitions, events);
    return run.written == expected.written && run.analysis.losses().empty() ? "" : "a loss";
  });
}

TEST_CASE("records that are lost alone are found where they were when a trace is read first") {
  constexpr std::size_t all = 200;  // fewer would tell nothing of most
  std::array<std::size_t, 2> right{};
  for (std::uint64_t seed = 1; seed <= all; ++seed) {
    const RegularProgram program = regular_program(seed, usual_min_delay, {});
    for (const bool is_send : {false, true}) {
      std::size_t lost = program.events.size() / 2;
      while ((program.events[lost].role == Role::send) != is_send || program.partner[lost] == lost) ++lost;
      std::vector<bool> which(program.events.size());
      which[lost] = true;
      const Run run = corrected(program, without(program.events, which));
      CAPTURE(seed, is_send);
      REQUIRE(run.fault.empty());
      const Event& other = program.events[program.partner[lost]];
      right[is_send] += std::any_of(run.analysis.losses().begin(), run.analysis.losses().end(), [&](const Loss& loss) {
        const ProcessIndex process = loss.send ? loss.receiver : loss.sender;
        return loss.send == is_send && process == other.process && loss.recorded == other.time && loss.tag == other.tag;
      });
    }
  }
  INFO(right[0] << " receives and " << right[1] << " sends of " << all);
  CHECK(4 * right[0] > 3 * all);
  CHECK(4 * right[1] > 3 * all);
}

/// Of each channel of 12 messages or more, one send and one receive are lost, in different rounds.
Lossy lose_as_many(std::uint64_t seed, const RegularProgram& program) {
  Random random(seed);
  std::map<std::tuple<ProcessIndex, ProcessIndex, CommunicatorIndex, std::int64_t>, std::vector<std::size_t>> channels;
  for (std::size_t e = 0; e < program.events.size(); ++e) {
    const Event& event = program.events[e];
    if (event.role == Role::send && program.partner[e] != e)
      channels[{event.process, event.peer, event.communicator, event.tag}].push_back(e);
  }
  Lossy trace{program.definitions, {}, {}};
  std::vector<bool> lost(program.events.size());
  for (const auto& [channel, sends] : channels) {
    if (sends.size() < 12) continue;
    const std::size_t early = 2 + random.index(sends.size() / 3);
    const std::size_t late = sends.size() / 2 + random.index(sends.size() / 3);
    const bool send_first = random.chance(0.5);
    const std::size_t send = sends[send_first ? early : late];
    const std::size_t other = sends[send_first ? late : early];
    const std::size_t receive = program.partner[other];
    lost[send] = lost[receive] = true;
    const auto& [sender, receiver, communicator, tag] = channel;
    trace.losses.push_back({sender, receiver, communicator, tag, program.events[program.partner[send]].time, true});
    trace.losses.push_back({sender, receiver, communicator, tag, program.events[other].time, false});
  }
  std::ranges::sort(trace.losses);
  trace.events = without(program.events, lost);
  return trace;
}

TEST_CASE("losses of as many sends as receives of each channel are found by the filter as by the judge") {
  std::size_t told = 0;
  std::size_t right = 0;
  for_seeds(1, enough_to_count, [&](std::uint64_t seed) -> std::string {
    const Lossy trace = lose_as_many(seed, regular_program(seed, usual_min_delay, {}));
    const lost::Ends ends = ends_of(trace);
    for (const Loss& loss : ends.losses()) {
      ++told;
      right += std::ranges::binary_search(trace.losses, loss) ? 1U : 0U;
    }
    std::size_t all_right = 0;
    return differ_from_judge(trace, all_right);
  });
  INFO(right << " of " << told << " that were told");
  CHECK(told > 0);
  CHECK(4 * right > 3 * told);
}

}  // namespace
}  // namespace clc::test
