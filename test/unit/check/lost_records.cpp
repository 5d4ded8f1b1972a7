// The judge finds the same lost records as clc-filter --match resync and whole, with code of its own, over seeded
// programs.
#include "matching/lost/lost_records.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "for_seeds.hpp"
#include "helpers.hpp"
#include "lost/ends.hpp"
#include "regular_program.hpp"
#include "run_filter.hpp"

namespace clc::check {
namespace {

constexpr Ticks min_delay = 5;

Parameters resynchronising(Match match = Match::resynchronise) {
  Parameters parameters;
  parameters.match = match;
  parameters.min_delay_us = min_delay;
  return parameters;
}

LostRecords found_in(const Definitions& definitions, const std::vector<Event>& events, bool whole = false) {
  const Parameters parameters = resynchronising();
  LostRecords lost(whole);
  for (const Event& event : events) lost.add(event, event.time);
  lost.find(definitions, DelayModel(parameters, definitions).default_delay(),
            definitions.resolution.ticks_of_seconds(parameters.wait_limit_s));
  return lost;
}

using Found = std::vector<std::tuple<bool, ProcessIndex, ProcessIndex, CommunicatorIndex, std::int64_t, Ticks>>;

template <class All, class Time>
Found sorted(const All& all, const Time& time) {
  Found found;
  for (const auto& one : all)
    found.emplace_back(one.send, one.sender, one.receiver, one.communicator, one.tag, time(one).ticks());
  std::sort(found.begin(), found.end());
  return found;
}

struct Judgement {
  bool laws_hold = false;
  Leftovers leftovers;
};

/// Of a correction; output, times: its events in order, and their times.
Judgement judge(const Definitions& definitions, const std::vector<Event>& events,
                const std::vector<std::size_t>& output, const std::vector<Time>& times,
                std::optional<LostRecords> lost) {
  static const PlainDecoder decoder;
  std::vector<Side> sides;
  for (const char* name : {"in:", "out:"})
    sides.push_back({&definitions, &decoder, [name](std::uint64_t place) { return name + std::to_string(place); }});
  CorrectionCheck check(resynchronising(), sides, ticks_max, {}, std::move(lost));
  for (const Event& event : events) check.add(recorded, event, "x", 1);
  check.end(recorded);
  for (const std::size_t e : output) {
    Event event = events[e];
    event.time = times[e];
    check.add(corrected, event, "x", 1);
  }
  check.end(corrected);
  check.finish();
  return {check.laws_hold(), check.leftovers()};
}

/// As the filter gets them when it has read the trace first.
std::vector<Event> marked(const Definitions& definitions, std::vector<Event> events) {
  lost::Ends ends(Parameters().max_memory);
  for (const Event& event : events) ends.add(event);
  if (!ends.find(definitions)) return events;
  for (Event& event : events) ends.mark(event);
  return events;
}

test::RegularProgram regular(std::uint64_t seed) {
  return test::regular_program(seed, min_delay, {seed % 3 == 1, seed % 5 == 1, false, seed % 2 == 1, seed % 7 < 2});
}

void expect_the_same(Match match, const std::function<test::RegularProgram(std::uint64_t)>& make) {
  const bool whole = match == Match::whole;
  std::size_t found = 0;
  std::size_t judged = 0;
  std::size_t wrong_by_fifo = 0;
  std::size_t all = 0;
  test::for_seeds(1, test::enough_to_count, [&](std::uint64_t seed) -> std::string {
    const test::RegularProgram program = make(seed);
    const Definitions& definitions = program.definitions;
    // Where nothing is lost as well.
    const std::vector<Event> events =
        seed % 7 == 0 ? program.events : test::without(program.events, test::lose_records(seed, program));
    const test::Run run =
        test::run_filter(resynchronising(match), definitions, whole ? marked(definitions, events) : events);
    if (!run.fault.empty()) return run.fault;
    ++all;
    // Receives that waited in a circle were given up, which the judge does not follow.
    if (run.analysis.counted(Case::wait_in_circle) != 0 || run.analysis.counted(Case::late_send) != 0) return {};
    ++judged;
    const LostRecords lost = found_in(definitions, events, whole);
    found += lost.found().size();
    const Found expected = sorted(run.analysis.losses(), [](const Loss& loss) { return loss.recorded; });
    if (run.analysis.losses().size() < Analysis::most_losses &&
        sorted(lost.found(), [](const LostRecord& record) { return record.other_end; }) != expected)
      return "other losses than the filter's";
    const Judgement judgement = judge(definitions, events, run.output, run.written, lost);
    if (judgement.leftovers.sends != run.analysis.counted(Case::send_without_receive) ||
        judgement.leftovers.receives != run.analysis.counted(Case::receive_without_send))
      return "other numbers of lost ends than the filter's";
    if (!judgement.laws_hold) return "the laws do not hold";
    wrong_by_fifo += !judge(definitions, events, run.output, run.written, {}).laws_hold;
    // What was corrected was violated.
    std::vector<std::size_t> order(events.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<Time> times;
    for (const Event& event : events) times.push_back(event.time);
    if (judge(definitions, events, order, times, lost).laws_hold != (times == run.written))
      return "the trace as it was is judged wrongly";
    return {};
  });
  INFO(found << " lost records, " << judged << " of " << all << " traces, " << wrong_by_fifo << " wrong by fifo");
  CHECK(found > 0);
  CHECK(2 * judged > all);
  CHECK(wrong_by_fifo > 0);
}

}  // namespace

TEST_CASE("the judge finds what the filter finds, and calls its correction right") {
  expect_the_same(Match::resynchronise, regular);
}

TEST_CASE("the same where the trace is read first") { expect_the_same(Match::whole, regular); }

TEST_CASE("the same where channels have few messages, matched by what happened before what") {
  expect_the_same(Match::whole, [](std::uint64_t seed) { return test::scattered_program(seed, min_delay); });
}

TEST_CASE("ends of channels that lack all ends of the other side are told in the order of channels and times") {
  const Definitions definitions = world(3);
  lost::Ends ends(Parameters().max_memory);
  for (const Event& event : {receive(5, 1, 2, 3), send(10, 0, 1, 1), send(12, 0, 2, 2), receive(20, 1, 0, 1),
                             send(30, 0, 1, 1), send(32, 0, 2, 2), receive(40, 1, 0, 1), receive(45, 1, 2, 3)})
    ends.add(event);
  REQUIRE(ends.find(definitions));
  const std::vector<Loss> expected{{0, 2, 0, 2, Time(12), false},
                                   {0, 2, 0, 2, Time(32), false},
                                   {2, 1, 0, 3, Time(5), true},
                                   {2, 1, 0, 3, Time(45), true}};
  CHECK(ends.losses() == expected);
}

}  // namespace clc::check
