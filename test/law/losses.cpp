// Lost records: equality with the plain reference, and the truth, over seeded programs that repeat themselves.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "clc/event.hpp"
#include "compare.hpp"
#include "for_seeds.hpp"
#include "reference.hpp"
#include "regular_program.hpp"
#include "run_filter.hpp"

namespace clc::test {
namespace {

Parameters resynchronising() {
  Parameters parameters;
  parameters.match = Match::resynchronise;
  parameters.min_delay_us = usual_min_delay;
  return parameters;
}

RegularOptions options_of(std::uint64_t seed) {
  return {seed % 3 == 1, seed % 5 == 1, seed % 4 == 1, seed % 2 == 1, seed % 7 < 2};
}

/// How the filter differs from the plain reference; found: plus the ends that it found to be lost.
std::string differ(const Parameters& parameters, const RegularProgram& program, const std::vector<Event>& events,
                   std::uint64_t seed, std::size_t& found) {
  const Run run = run_filter(parameters, program.definitions, events, {.disturb = seed});
  if (!run.fault.empty()) return run.fault;
  const Reference expected = reference(parameters, program.definitions, events);
  for (const Case which : {Case::receive_without_send, Case::send_without_receive}) {
    const std::uint64_t counted = expected.counters[static_cast<std::size_t>(which)];
    if (run.analysis.counted(which) != counted)
      return std::to_string(run.analysis.counted(which)) + " lost ends, expected " + std::to_string(counted);
  }
  found += run.analysis.losses().size();
  return compare(expected, run, events);
}

TEST_CASE("what is lost, and all times then, equal the plain reference") {
  std::size_t found = 0;
  for_seeds(1, enough_to_count, [&](std::uint64_t seed) -> std::string {
    const RegularProgram program = regular_program(seed, usual_min_delay, options_of(seed));
    const std::vector<Event> events = without(program.events, lose_records(seed, program));
    Parameters parameters = resynchronising();
    if (seed % 2 == 0) parameters.clock_error_us = usual_min_delay * static_cast<double>(seed % 64);
    return differ(parameters, program, events, seed, found);
  });
  CHECK(found > 0);
}

/// Tells of some channels what is lost: of those that the seed picks.
void tell(std::uint64_t seed, const RegularProgram& program, const std::vector<bool>& lost,
          std::vector<Event>& events) {
  std::size_t left = 0;
  for (std::size_t e = 0; e < program.events.size(); ++e) {
    if (lost[e]) continue;
    Event& event = events[left++];
    const std::size_t partner = program.partner[e];
    const auto channel = sender_of(event) * 31 + receiver_of(event) * 7 + static_cast<std::uint64_t>(event.tag);
    if (partner != e && (seed + channel) % 3 == 0)
      event.other_end = lost[partner] ? OtherEnd::missing : OtherEnd::present;
  }
}

TEST_CASE("what is told to be lost, and all times then, equal the plain reference") {
  std::size_t found = 0;
  for_seeds(1, enough_to_count, [&](std::uint64_t seed) -> std::string {
    const RegularProgram program = regular_program(seed, usual_min_delay, options_of(seed));
    const std::vector<bool> lost = lose_records(seed, program);
    std::vector<Event> events = without(program.events, lost);
    tell(seed, program, lost, events);
    Parameters parameters = resynchronising();
    parameters.match = seed % 7 == 0 ? Match::fifo : Match::whole;
    if (seed % 2 == 0) parameters.clock_error_us = usual_min_delay * static_cast<double>(seed % 64);
    return differ(parameters, program, events, seed, found);
  });
  CHECK(found > 0);
}

/// By how much a receive is earlier than its send, at most.
Ticks error_of_clocks(const RegularProgram& program) {
  Ticks most = 0;
  for (std::size_t i = 0; i < program.events.size(); ++i)
    if (program.events[i].role == Role::receive && program.partner[i] != i)
      most = std::max(most, program.events[program.partner[i]].time - program.events[i].time);
  return most;
}

TEST_CASE("where nothing is lost nothing is found") {
  for_seeds(1, [&](std::uint64_t seed) -> std::string {
    const RegularProgram program = regular_program(seed, usual_min_delay, options_of(seed));
    Parameters parameters = resynchronising();
    if (seed % 2 == 0) parameters.clock_error_us = static_cast<double>(error_of_clocks(program));
    const Run run = run_filter(parameters, program.definitions, program.events);
    parameters.match = Match::fifo;
    const Run expected = run_filter(parameters, program.definitions, program.events);
    const bool is_same =
        run.written == expected.written && run.analysis.losses().size() == expected.analysis.losses().size();
    return is_same ? "" : "a loss";
  });
}

TEST_CASE("most sends that are lost alone are found where they were") {
  constexpr std::size_t all = 200;  // fewer would tell nothing of most
  std::size_t right = 0;
  for (std::uint64_t seed = 1; seed <= all; ++seed) {
    const RegularProgram program = regular_program(seed, usual_min_delay, {});
    // A send in the middle.
    std::size_t lost = program.events.size() / 2;
    while (program.events[lost].role != Role::send || program.partner[lost] == lost) ++lost;
    std::vector<bool> which(program.events.size());
    which[lost] = true;
    const std::vector<Event> events = without(program.events, which);
    const Run run = run_filter(resynchronising(), program.definitions, events);
    CAPTURE(seed);
    REQUIRE(run.fault.empty());
    const Event& receive = program.events[program.partner[lost]];
    right += std::any_of(run.analysis.losses().begin(), run.analysis.losses().end(), [&](const Loss& loss) {
      return loss.send && loss.receiver == receive.process && loss.recorded == receive.time && loss.tag == receive.tag;
    });
  }
  INFO(right << " of " << all);
  CHECK(2 * right > all);
}

}  // namespace
}  // namespace clc::test
