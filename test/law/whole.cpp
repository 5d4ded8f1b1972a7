// Channels of which all ends are known: the rule against all matchings that there are, the filter's code against the
// judge's, and the truth, over seeded channels and programs that repeat themselves.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "clc/event.hpp"
#include "for_seeds.hpp"
#include "lost/ends.hpp"
#include "lost/rule.hpp"
#include "matching/whole_channel.hpp"
#include "plain_channel.hpp"
#include "random_trace.hpp"
#include "regular_program.hpp"
#include "run_filter.hpp"

namespace clc::test {
namespace {

constexpr Ticks min_delay = 5;

struct Channel {
  std::vector<lost::End> sends;
  std::vector<lost::End> receives;
};

/// Of up to that many messages, some ends of which are lost.
Channel random_channel(Random& random, std::int64_t most) {
  Channel channel;
  const Ticks period = random.pick<Ticks>({1, 8, 1000, Ticks{1} << 40});
  const Ticks unrest = std::max<Ticks>(1, period / random.pick<Ticks>({1, 4, 20}));
  const double lost = random.pick<double>({0, 0.1, 0.4});
  const bool sizes = random.chance(0.3);
  Time sent(random.integer(-period, period));
  Time received = sent;
  for (std::int64_t left = random.integer(1, most); left > 0; --left) {
    if (!random.chance(0.05)) sent = sent + period + random.integer(-unrest, unrest) / 2;
    if (!random.chance(0.05)) received = std::max(received, sent + random.integer(0, unrest));
    if (random.chance(0.05)) received = received + random.integer(0, 3 * period);
    const std::uint64_t bytes = sizes ? static_cast<std::uint64_t>(random.integer(0, 2)) : 8;
    if (!random.chance(lost)) channel.sends.push_back({sent, bytes});
    if (!random.chance(lost / 2)) channel.receives.push_back({received, random.chance(0.9) ? bytes : 3});
  }
  for (std::vector<lost::End>* side : {&channel.sends, &channel.receives})
    for (std::size_t k = 1; k < side->size(); ++k) (*side)[k].time = std::max((*side)[k].time, (*side)[k - 1].time);
  if (channel.sends.size() > channel.receives.size()) std::swap(channel.sends, channel.receives);
  return channel;
}

lost::Clocks clocks(bool go_on) { return go_on ? lost::Clocks::go_on : lost::Clocks::may_be_set; }

TEST_CASE("the ends of a whole channel are matched by the least cost of all matchings") {
  std::size_t known = 0;
  for_seeds(1, [&](std::uint64_t seed) -> std::string {
    Random random(seed);
    const Channel channel = random_channel(random, 8);
    const bool go_on = random.chance(0.5);
    const Plain plain(channel.sends, channel.receives, false, go_on);
    const lost::Matched matched = lost::match(channel.sends, channel.receives, lost::Unlike::unusual, clocks(go_on));
    if (matched.is_known != plain.is_known) return plain.is_known ? "not known" : "known";
    known += matched.is_known ? 1 : 0;
    return !matched.is_known || matched.partners == plain.partners() ? "" : "other partners";
  });
  CHECK(known > 0);
}

TEST_CASE("the ends of a whole channel are matched by the filter as by the judge") {
  for_seeds(1, [&](std::uint64_t seed) -> std::string {
    Random random(seed);
    const Channel channel = random_channel(random, 300);
    std::array<std::vector<matching::WholeEnd>, 2> ends;
    for (const lost::End& send : channel.sends) ends[0].push_back({send.time, send.bytes});
    for (const lost::End& receive : channel.receives) ends[1].push_back({receive.time, receive.bytes});
    const bool go_on = random.chance(0.5);
    const lost::Matched matched = lost::match(channel.sends, channel.receives, lost::Unlike::unusual, clocks(go_on));
    const auto expected = matching::match_whole(ends[0], ends[1], false, go_on);
    if (matched.is_known != expected.has_value()) return expected ? "not known" : "known";
    if (!expected) return {};
    std::vector<std::uint32_t> partners(channel.sends.size(), lost::no_partner);
    for (const auto& [send, receive] : expected->pairs) partners[send] = static_cast<std::uint32_t>(receive);
    if (matched.gain != expected->gain) return "another gain";
    return matched.partners == partners ? "" : "other partners";
  });
}

Run corrected(const RegularProgram& program, std::vector<Event> events) {
  Parameters parameters;
  parameters.min_delay_us = min_delay;
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
        regular_program(seed, min_delay, {seed % 3 == 1, seed % 5 == 1, seed % 4 == 1, seed % 2 == 1});
    std::vector<Event> events = program.events;
    // Without messages that are still under way.
    std::vector<bool> alone(events.size());
    for (std::size_t e = 0; e < events.size(); ++e) alone[e] = program.partner[e] == e;
    events = without(events, alone);
    const Run run = corrected(program, events);
    Parameters parameters;
    parameters.min_delay_us = min_delay;
    const Run expected = run_filter(parameters, program.definitions, events);
    return run.written == expected.written && run.analysis.losses().empty() ? "" : "a loss";
  });
}

TEST_CASE("records that are lost alone are found where they were when a trace is read first") {
  constexpr std::size_t all = 200;  // fewer would tell nothing of most
  std::array<std::size_t, 2> right{};
  for (std::uint64_t seed = 1; seed <= all; ++seed) {
    const RegularProgram program = regular_program(seed, min_delay, {});
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

}  // namespace
}  // namespace clc::test
