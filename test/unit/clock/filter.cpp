// What a caller of the library may rely on at the edges of its contract.
#include "clc/filter.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "clc/error.hpp"
#include "clc/event.hpp"
#include "clc/io/record.hpp"
#include "run_filter.hpp"
#include "trace/group_sink.hpp"

namespace clc {

/// Keeps the times of what leaves.
struct Times : EventSink {
  void events(std::span<const Corrected> run) override {
    for (const Corrected& event : run) {
      times.push_back(event.time.ticks());
      shifts.push_back(event.time - event.recorded);
    }
  }
  void note(Body /*line*/) override { ++notes; }
  int notes = 0;
  std::vector<Ticks> times;
  std::vector<Ticks> shifts;
};

/// Keeps the bodies of what leaves, and holds as much as it may.
struct Holder : EventSink, GroupSink {
  void events(std::span<const Corrected> run) override {
    for (const Corrected& event : run) bodies.emplace_back(event.body);
  }
  void note(Body /*line*/) override {}
  void leave(Leaving& leaving) override {
    holding.push_back(&leaving);
    if (holding.size() <= held()) return;
    holding.front()->write(*this);
    holding.erase(holding.begin());
  }
  [[nodiscard]] std::size_t held() const noexcept override { return 3; }
  void drain() noexcept override {
    for (Leaving* const leaving : holding) leaving->write(*this);
    holding.clear();
  }
  std::vector<Leaving*> holding;
  std::vector<std::string> bodies;
};

TEST_CASE("what a sink holds stays as it is until it is written", "[filter]") {
  for (const bool finished : {true, false}) {
    Holder sink;
    std::vector<std::string> expected;
    {
      Definitions definitions;
      const ProcessIndex process = definitions.add_process(0, "rank0");
      Filter filter(Parameters{}, definitions, sink);
      for (Ticks i = 0; i < 1000; ++i) {
        // Short ones, and some that are longer than what bodies usually share.
        expected.push_back(std::string(i % 7 == 0 ? 1000 : 20, static_cast<char>('a' + i % 26)) + std::to_string(i));
        filter.push({.time = Time(i * 1'000'000'000), .process = process}, expected.back());
        if (i % 50 == 49) filter.flush();
      }
      REQUIRE(sink.holding.size() == 3);
      if (finished) filter.finish();
    }
    // Destruction waits, too.
    REQUIRE(sink.holding.empty());
    if (!finished) expected.resize(sink.bodies.size());
    REQUIRE(expected.size() > 900);
    REQUIRE(sink.bodies == expected);
  }
}

TEST_CASE("an event that is earlier than one of another clock is refused", "[filter]") {
  Times sink;
  Definitions definitions;
  const ProcessIndex a = definitions.add_process(0, "rank0");
  const ProcessIndex b = definitions.add_process(1, "rank1");
  Filter filter(Parameters{}, definitions, sink);
  filter.push({.time = Time(20), .process = a}, {});
  filter.push({.time = Time(20), .process = b}, {});
  filter.push({.time = Time(5), .process = a}, {});  // set back
  filter.push({.time = Time(21), .process = b}, {});
  REQUIRE_THROWS_WITH(filter.push({.time = Time(19), .process = a}, {}),
                      "event at 19 follows an event at 21; expected events sorted by time");
}

TEST_CASE("runs of events without a body each, and records after the end, are refused", "[filter]") {
  Times sink;
  Definitions definitions;
  const ProcessIndex process = definitions.add_process(0, "rank0");
  const std::vector<Event> events(3, {.time = Time(20), .process = process});
  Filter filter(Parameters{}, definitions, sink);
  CHECK_THROWS_WITH(filter.push(events, std::vector<Body>(2)),
                    "expected a body for each event, found 3 events and 2 bodies");
  Filter ended(Parameters{}, definitions, sink);
  ended.push(events, std::vector<Body>(3));
  ended.finish();
  for (const auto& call : std::vector<std::function<void()>>{[&] { ended.push(events[0], {}); },
                                                             [&] { ended.note("%x"); }, [&] { ended.finish(); }})
    CHECK_THROWS_WITH(call(), "expected no record after Filter::finish()");
}

TEST_CASE("members of communicators are processes", "[filter]") {
  Definitions definitions;
  const ProcessIndex a = definitions.add_process(7, "a");
  for (const ProcessIndex other : {a + 1, no_process})
    CHECK_THROWS_AS(definitions.add_communicator(3, {a, other}), UsageError);
  CHECK(definitions.communicators().empty());
}

TEST_CASE("a communicator that is defined again has its new delay from then on", "[filter]") {
  Times sink;
  Definitions definitions;
  const ProcessIndex sender = definitions.add_process(0, "rank0");
  const ProcessIndex receiver = definitions.add_process(1, "rank1");
  Parameters parameters;
  parameters.min_delay_us = 0.002;
  parameters.amortization = false;
  Filter filter(parameters, definitions, sink);
  Ticks time = 0;
  const std::vector<Ticks> delays{0, 50, 7000, 0};  // 0: none of its own
  for (const Ticks delay : delays) {
    const CommunicatorIndex all = definitions.add_communicator(0, {sender, receiver}, delay);
    time += 1'000'000'000;
    Event event{.time = Time(time), .process = sender, .role = Role::send, .peer = receiver, .communicator = all};
    filter.push(event, {});
    event.role = Role::receive;
    std::swap(event.process, event.peer);
    filter.push(event, {});
  }
  filter.finish();
  REQUIRE(sink.shifts == std::vector<Ticks>{0, 2, 0, 50, 0, 7000, 0, 2});
}

Event barrier(Ticks time, ProcessIndex process, Role role) {
  return {.time = Time(time), .process = process, .role = role, .operation = Operation::barrier, .communicator = 0};
}

Event message(Ticks time, Role role, ProcessIndex process, ProcessIndex peer, std::int64_t tag) {
  return {.time = Time(time), .process = process, .role = role, .peer = peer, .communicator = 0, .tag = tag};
}

TEST_CASE("processes that are defined late and have no events are waited for like others", "[filter]") {
  constexpr std::size_t late = 1000;
  Times sink;
  Definitions definitions;
  std::vector<ProcessIndex> all{definitions.add_process(0, "rank0")};
  Parameters parameters;
  parameters.wait_limit_s = 1e-6;
  Filter filter(parameters, definitions, sink);
  filter.push({.time = Time(0), .process = 0}, {});
  for (std::size_t number = 1; number <= late; ++number) all.push_back(definitions.add_process(number, "late"));
  definitions.add_communicator(0, all);
  filter.push(barrier(1, 0, Role::collective_begin), {});
  filter.push(barrier(2, 0, Role::collective_end), {});
  for (const Ticks time : {3, 5000, 5001})
    filter.push({.time = Time(time), .process = 0, .role = Role::receive, .peer = late, .communicator = 0}, {});
  const ProcessIndex last = definitions.add_process(late + 1, "last");
  filter.push({.time = Time(5002), .process = 0, .role = Role::receive, .peer = last, .communicator = 0}, {});
  filter.finish();
  REQUIRE(sink.times == std::vector<Ticks>{0, 1, 2, 3, 5000, 5001, 5002});
  REQUIRE(filter.analysis().counted(Case::collective_incomplete) == 1);
  REQUIRE(filter.analysis().counted(Case::receive_without_send) == 4);
}

TEST_CASE("operations keep the members and the delay that their communicator had", "[filter]") {
  Times sink;
  Definitions definitions;
  for (std::uint64_t number = 0; number < 3; ++number) definitions.add_process(number, "rank");
  definitions.add_communicator(0, {0, 1}, 100);
  Parameters parameters;
  parameters.amortization = false;
  parameters.regulator_a = parameters.regulator_b = parameters.regulator_c = parameters.regulator_d = false;
  Filter filter(parameters, definitions, sink);
  const auto call = [&](Ticks time, ProcessIndex process) {
    filter.push(barrier(time, process, Role::collective_begin), {});
    filter.push(barrier(time + 1, process, Role::collective_end), {});
  };
  SECTION("another delay: for the operations to come") {
    call(1000, 0);
    definitions.add_communicator(0, {0, 1}, 700);
    call(2000, 1);
    call(3000, 0);
    call(4000, 1);
    filter.finish();
    REQUIRE(sink.times == std::vector<Ticks>{1000, 2000, 2001, 2100, 4000, 4099, 4700, 4799});
  }
  SECTION("fewer members: nobody else is asked for") {
    call(1000, 0);
    definitions.add_communicator(0, {0}, 100);
    call(2000, 0);
    filter.finish();
    REQUIRE(filter.analysis().counted(Case::collective_incomplete) == 1);
    REQUIRE(sink.times == std::vector<Ticks>{1000, 1001, 2000, 2001});
  }
  SECTION("more members, with other ranks: they begin with the operations to come") {
    call(1000, 0);
    call(1001, 1);
    call(2000, 0);
    definitions.add_communicator(0, {1, 0, 2}, 100);
    call(3000, 1);  // of the second operation, in which it has another rank
    call(4000, 0);
    call(4010, 1);
    call(4020, 2);
    filter.finish();
    REQUIRE(filter.analysis().counted(Case::not_a_member) == 1);
    REQUIRE(filter.analysis().counted(Case::collective_incomplete) == 1);
    REQUIRE(filter.analysis().counted(Case::late_member) == 0);
    REQUIRE(filter.analysis().collective_operations() == 3);
    REQUIRE(std::is_sorted(sink.times.begin(), sink.times.end()));
    REQUIRE(std::count_if(sink.times.begin(), sink.times.end(), [](Ticks time) { return time >= 4110; }) == 3);
  }
  SECTION("nobody, and all again") {
    call(1000, 0);
    call(1001, 1);
    definitions.add_communicator(0, {});
    filter.push({.time = Time(2000), .process = 0}, {});
    call(2001, 0);
    definitions.add_communicator(0, {0, 1}, 100);
    call(3000, 0);
    call(3001, 1);
    filter.finish();
    REQUIRE(filter.analysis().counted(Case::not_a_member) == 1);
    REQUIRE(filter.analysis().counted(Case::late_member) == 0);
    REQUIRE(filter.analysis().collective_operations() == 2);
  }
}

TEST_CASE("operations keep the nodes that their members were on, whatever was released before", "[filter]") {
  const bool flush = GENERATE(false, true);
  Definitions definitions;
  for (std::uint64_t number = 0; number < 4; ++number) definitions.add_process(number, "rank", "n0");
  definitions.add_communicator(0, {0, 1, 2});
  Parameters parameters;
  parameters.node_delay_us = 5;
  Times sink;
  Filter filter(parameters, definitions, sink);
  filter.push(barrier(0, 2, Role::collective_begin), {});
  filter.push(message(10, Role::receive, 2, 3, 0), {});  // so the end of this member is not processed
  filter.push(barrier(100, 0, Role::collective_begin), {});
  filter.push(barrier(10'000, 1, Role::collective_begin), {});
  for (const ProcessIndex process : {0U, 1U, 2U}) filter.push(barrier(20'000, process, Role::collective_end), {});
  filter.push(message(21'000, Role::receive, 1, 3, 0), {});
  if (flush) filter.flush();
  definitions.add_process(1, "rank", "n1");
  filter.push(message(50'000, Role::send, 3, 2, 0), {});
  filter.push(message(50'001, Role::send, 3, 1, 0), {});
  filter.finish();
  // The begins at 0 and at 10,000 go as far as 5 us before the end at 20,000.
  REQUIRE(sink.times.size() == 10);
  REQUIRE(std::count_if(sink.times.begin(), sink.times.end(),
                        [](Ticks time) { return time == 14'999 || time == 15'000; }) == 2);
}

TEST_CASE("an operation without one of its members waits for all others", "[filter]") {
  Definitions definitions;
  for (std::uint64_t number = 0; number < 4; ++number) definitions.add_process(number, "rank");
  definitions.add_communicator(0, {0, 1, 2});
  Parameters parameters;
  parameters.wait_limit_s = GENERATE(1e-6, 1.0);
  Times sink;
  Filter filter(parameters, definitions, sink);
  filter.push(barrier(0, 0, Role::collective_begin), {});
  filter.push(barrier(10, 0, Role::collective_end), {});
  filter.push(message(20, Role::receive, 1, 3, 0), {});  // never sent: what follows waits
  filter.push(barrier(500, 1, Role::collective_begin), {});
  filter.push(barrier(510, 1, Role::collective_end), {});
  for (const Ticks time : {1010, 1021, 5000}) filter.push({.time = Time(time), .process = 3}, {});
  filter.finish();
  REQUIRE(std::count(sink.times.begin(), sink.times.end(), Ticks{1500}) == 1);  // of process 0, 1 us behind the begin
  REQUIRE(filter.analysis().counted(Case::collective_incomplete) == 1);
  REQUIRE(filter.analysis().counted(Case::collective_given_up) == 2);
  REQUIRE(filter.analysis().counted(Case::wait_in_circle) == 0);
}

namespace {

/// Pushes begins and ends on communicator 0, of (end, process, operation, root), and returns the shifts by process.
struct End {
  Ticks time;
  ProcessIndex process;
  Operation operation;
  Rank root;
};
std::vector<Ticks> shifts_of_ends(const std::vector<Ticks>& begins, const std::vector<End>& ends, Analysis& analysis) {
  Definitions definitions;
  std::vector<ProcessIndex> members;
  for (std::uint64_t number = 0; number < begins.size(); ++number)
    members.push_back(definitions.add_process(number, "rank"));
  definitions.add_communicator(0, members);
  std::vector<Event> events;
  for (const ProcessIndex process : members)
    events.push_back({.time = Time(begins[process]), .process = process, .role = Role::collective_begin});
  for (const End& end : ends)
    events.push_back({.time = Time(end.time),
                      .process = end.process,
                      .role = Role::collective_end,
                      .operation = end.operation,
                      .communicator = 0,
                      .root = end.root,
                      .bytes = 8,
                      .received = 8});
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.time < b.time; });
  Parameters parameters;
  parameters.amortization = false;
  const test::Run run = test::run_filter(parameters, definitions, events);
  analysis = run.analysis;
  std::vector<Ticks> shifts(begins.size());
  for (std::size_t e = 0; e < events.size(); ++e)
    if (events[e].role == Role::collective_end) shifts[events[e].process] = run.written[e] - events[e].time;
  return shifts;
}

}  // namespace

TEST_CASE("an operation whose members disagree orders nothing", "[filter]") {
  using Shifts = std::vector<Ticks>;
  Definitions none;
  Analysis analysis;
  // The third begins last; 1 us is the minimum delay.
  const std::vector<Ticks> begins{0, 10, 5000};
  SECTION("all agree") {
    const Shifts shifts = shifts_of_ends(
        begins, {{100, 0, Operation::barrier, 0}, {200, 1, Operation::barrier, 1}, {5001, 2, Operation::barrier, 2}},
        analysis);
    CHECK(shifts == Shifts{5900, 5800, 0});
    CHECK(analysis.counted(Case::operation_mismatch) == 0);
    CHECK(analysis.collectives().edges == 6);
    return;
  }
  SECTION("on the operation")
  CHECK(shifts_of_ends(
            begins,
            {{100, 0, Operation::barrier, 0}, {200, 1, Operation::barrier, 1}, {5001, 2, Operation::allreduce, 2}},
            analysis) == Shifts{0, 0, 0});
  SECTION("on the root for which all wait")
  CHECK(shifts_of_ends(
            begins, {{100, 0, Operation::reduce, 0}, {200, 1, Operation::reduce, 1}, {5001, 2, Operation::reduce, 0}},
            analysis) == Shifts{0, 0, 0});
  SECTION("on the root that all wait for, before it is read")
  CHECK(shifts_of_ends(begins,
                       {{100, 0, Operation::bcast, 2}, {200, 1, Operation::bcast, 1}, {5001, 2, Operation::bcast, 2}},
                       analysis) == Shifts{0, 0, 0});
  SECTION("on the root that all wait for, when one end took its edge: only that is bound")
  CHECK(shifts_of_ends({0, 10, 20, 300},
                       {{100, 0, Operation::bcast, 3},
                        {400, 3, Operation::bcast, 3},
                        {500, 2, Operation::bcast, 0},
                        {600, 1, Operation::bcast, 3}},
                       analysis) == Shifts{1200, 0, 0, 0});
  SECTION("above a rank that does not wait for it")
  CHECK(shifts_of_ends({5000, 10, 20},
                       {{200, 1, Operation::scan, 0}, {5001, 0, Operation::scan, 0}, {5002, 2, Operation::barrier, 0}},
                       analysis) == Shifts{0, 5800, 0});
  CHECK(analysis.counted(Case::operation_mismatch) == 1);
  CHECK(analysis.collectives().edges == 0);
  CHECK(analysis.collective_operations() == 1);
}

TEST_CASE("operations that wait for each other are a circle", "[filter]") {
  Definitions definitions;
  for (std::uint64_t number = 0; number < 2; ++number) definitions.add_process(number, "rank");
  const CommunicatorIndex one = definitions.add_communicator(0, {0, 1});
  const CommunicatorIndex other = definitions.add_communicator(1, {0, 1});
  Times sink;
  Filter filter({}, definitions, sink);
  Ticks time = 0;
  const auto end = [&](ProcessIndex process, CommunicatorIndex communicator) {
    filter.push(barrier(++time, process, Role::collective_begin), {});
    Event event = barrier(++time, process, Role::collective_end);
    event.communicator = communicator;
    filter.push(event, {});
  };
  end(0, one);
  end(1, other);
  end(1, one);
  end(0, other);
  filter.finish();
  REQUIRE(sink.times.size() == 8);
  REQUIRE(filter.analysis().counted(Case::wait_in_circle) > 0);
  REQUIRE(filter.analysis().counted(Case::collective_incomplete) == 0);
}

TEST_CASE("a late end of a prefix operation follows the begins of lower ranks", "[filter]") {
  Definitions definitions;
  for (std::uint64_t number = 0; number < 4; ++number) definitions.add_process(number, "rank");
  const CommunicatorIndex all = definitions.add_communicator(0, {0, 1, 2, 3});
  std::vector<Event> events;
  const auto begin = [&](Ticks time, ProcessIndex process) {
    events.push_back({.time = Time(time), .process = process, .role = Role::collective_begin});
  };
  const auto end = [&](Ticks time, ProcessIndex process) {
    events.push_back({.time = Time(time),
                      .process = process,
                      .role = Role::collective_end,
                      .operation = Operation::scan,
                      .communicator = all,
                      .bytes = 8,
                      .received = 8});
  };
  begin(800, 3);
  end(801, 3);
  begin(900, 0);
  end(901, 0);
  begin(902, 2);
  // Holds back the end of the third, so that the operation is not done when its wait ends; the last then is bound.
  events.push_back(
      {.time = Time(950), .process = 2, .role = Role::receive, .peer = 3, .communicator = all, .bytes = 8});
  end(951, 2);
  events.push_back({.time = Time(1010), .process = 3});
  begin(1020, 1);
  end(1030, 1);
  Parameters parameters;
  parameters.amortization = false;
  parameters.regulator_a = parameters.regulator_b = parameters.regulator_c = parameters.regulator_d = false;
  parameters.wait_limit_s = 200e-9;
  const test::Run run = test::run_filter(parameters, definitions, events);
  REQUIRE(run.analysis.counted(Case::late_member) == 1);
  REQUIRE(run.written[7].ticks() > 1902);
  REQUIRE(run.written[9].ticks() == 1900);
}

TEST_CASE("the end of an operation that is done orders nothing", "[filter]") {
  Definitions definitions;
  const ProcessIndex root = definitions.add_process(0, "rank0");
  const ProcessIndex late = definitions.add_process(1, "rank1");
  const ProcessIndex other = definitions.add_process(2, "rank2");
  const CommunicatorIndex pair = definitions.add_communicator(0, {root, late});
  const CommunicatorIndex all = definitions.add_communicator(1, {root, late, other}, 1000);
  // While the late one waits for a message that is lost, the second operation is done before the first.
  const bool waits = GENERATE(false, true);
  std::vector<Event> events;
  const auto bcast = [&](Ticks time, ProcessIndex process) {
    events.push_back({.time = Time(time), .process = process, .role = Role::collective_begin});
    events.push_back({.time = Time(time + 1),
                      .process = process,
                      .role = Role::collective_end,
                      .operation = Operation::bcast,
                      .communicator = pair,
                      .root = 0,
                      .bytes = process == root ? 8U : 0U,
                      .received = process == root ? 0U : 8U});
  };
  const auto message = [&](Ticks time, Role role, ProcessIndex process, ProcessIndex peer) {
    events.push_back({.time = Time(time), .process = process, .role = role, .peer = peer, .communicator = all});
  };
  bcast(0, root);
  message(2, Role::send, other, root);
  message(2, Role::receive, root, other);
  bcast(3, root);
  if (waits) message(10, Role::receive, late, other);
  bcast(11, late);
  bcast(105, late);
  bcast(107, root);
  bcast(109, late);
  events.push_back({.time = Time(111), .process = root});
  Parameters parameters;
  parameters.min_delay_us = 0.2;
  parameters.amortization = false;
  parameters.regulator_a = parameters.regulator_b = parameters.regulator_c = parameters.regulator_d = false;
  const auto ends_of_late = [&](const test::Run& run) {
    std::vector<Ticks> times;
    for (std::size_t e = 0; e < events.size(); ++e)
      if (events[e].process == late && events[e].role == Role::collective_end) times.push_back(run.written[e].ticks());
    return times;
  };
  parameters.wait_limit_s = 100e-9;
  const test::Run run = test::run_filter(parameters, definitions, events);
  REQUIRE(run.fault.empty());
  REQUIRE(run.analysis.counted(Case::late_member) == 1);
  REQUIRE(run.analysis.counted(Case::collective_incomplete) == 1);
  REQUIRE(run.analysis.counted(Case::receive_without_send) == (waits ? 1 : 0));
  // The second follows the first as it was recorded.
  REQUIRE(ends_of_late(run) == std::vector<Ticks>{200, 294, 1307});
  // With a longer limit it is in time.
  parameters.wait_limit_s = 1;
  const test::Run patient = test::run_filter(parameters, definitions, events);
  REQUIRE(patient.fault.empty());
  REQUIRE(patient.analysis.counted(Case::late_member) == 0);
  REQUIRE(ends_of_late(patient) == std::vector<Ticks>{200, 1203, 1307});
}

namespace {

/// Processes that are all in communicator 0.
Definitions world(std::size_t processes) {
  Definitions definitions;
  std::vector<ProcessIndex> all;
  for (std::uint64_t p = 0; p < processes; ++p) all.push_back(definitions.add_process(p, "rank"));
  definitions.add_communicator(0, all);
  return definitions;
}
/// Events of a test, sorted by time.
std::vector<Event> sorted(std::vector<Event> events) {
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.time < b.time; });
  return events;
}
std::size_t index_of(const std::vector<Event>& events, Ticks time) {
  const auto at = std::find_if(events.begin(), events.end(), [&](const Event& e) { return e.time == Time(time); });
  return static_cast<std::size_t>(at - events.begin());
}

}  // namespace

TEST_CASE("a send that amortization may still move is not forgotten", "[filter]") {
  Definitions definitions = world(4);
  // The send could bind no receive that is read later than 1 us behind it, but a jump stands right behind it.
  const auto around = [](Ticks start, Ticks until_received, Ticks until_jump) {
    return std::vector<Event>{{.time = Time(start - 100'000), .process = 0},
                              message(start, Role::send, 0, 1, 5),
                              message(start + 50'000, Role::receive, 0, 2, 6),
                              message(start + until_received, Role::receive, 1, 0, 5),
                              message(start + until_jump, Role::send, 2, 0, 6)};
  };
  Parameters parameters;
  std::vector<Event> events;
  Ticks sent = 2'100'000;
  Ticks received = 4'000'000;
  SECTION("with very many messages under way") {
    events = around(sent, received - sent, 7'900'000);
    for (Ticks i = 0; i < 40'000; ++i) {
      events.push_back(message(2'200'000 + i, Role::send, 3, 2, 78));
      events.push_back(message(40'000'000 + i, Role::receive, 2, 3, 78));
    }
  }
  SECTION("with little memory") {
    sent = 400'000'000;
    received = 430'000'000;
    parameters.max_memory = std::uint64_t{1} << 20;
    events = around(sent, received - sent, 100'000'000);
    for (Ticks i = 0; i < 105'000; ++i) events.push_back({.time = Time(i * 9'500 + 1), .process = 3});
  }
  events = sorted(std::move(events));
  const test::Run run = test::run_filter(parameters, definitions, events);
  REQUIRE(run.fault.empty());
  REQUIRE(run.analysis.violations_left() == 0);
  REQUIRE(run.analysis.unresolved() == 0);
  REQUIRE(run.written[index_of(events, received)] - run.written[index_of(events, sent)] >= 1000);
}

namespace {

/// By how much a receive is moved to which the message from `sender` to `receiver` belongs: at the same time as its
/// send and, the other way round, ahead of it.
std::vector<Ticks> shifts_of_message(const Parameters& parameters, const Definitions& definitions, ProcessIndex sender,
                                     ProcessIndex receiver, CommunicatorIndex communicator,
                                     std::vector<PairStatistics>& pairs) {
  std::vector<Ticks> shifts;
  for (const bool send_first : {true, false}) {
    Event send = message(1000, Role::send, sender, no_process, 7);
    Event receive = message(1000, Role::receive, receiver, no_process, 7);
    send.communicator = receive.communicator = communicator;
    send.bytes = 64;
    const test::Run run = test::run_filter(
        parameters, definitions, send_first ? std::vector<Event>{send, receive} : std::vector<Event>{receive, send});
    REQUIRE(run.fault.empty());
    shifts.push_back(run.written[send_first ? 1 : 0].ticks() - 1000);
    pairs.assign(run.analysis.pairs().begin(), run.analysis.pairs().end());
  }
  return shifts;
}

}  // namespace

TEST_CASE("messages whose ends do not name each other have the delay of their processes", "[filter]") {
  Definitions definitions;
  definitions.add_process(10, "a", "x");
  definitions.add_process(11, "b", "x");
  definitions.add_process(12, "c", "y");
  definitions.add_communicator(0, {0, 1, 2});
  definitions.add_communicator(1, {0, 1, 2}, 7);
  Parameters parameters;
  parameters.min_delay_us = 2;
  parameters.node_delay_us = 0.5;
  parameters.pair_delays = {{10, 12, 5}, {12, 10, 0.1}};
  std::vector<PairStatistics> pairs;
  const auto shifts = [&](ProcessIndex sender, ProcessIndex receiver, CommunicatorIndex communicator) {
    return shifts_of_message(parameters, definitions, sender, receiver, communicator, pairs);
  };
  REQUIRE(shifts(0, 1, 0) == std::vector<Ticks>{500, 500});
  REQUIRE(shifts(1, 2, 0) == std::vector<Ticks>{2000, 2000});
  REQUIRE(shifts(2, 0, 0) == std::vector<Ticks>{100, 100});
  REQUIRE(shifts(0, 2, 0) == std::vector<Ticks>{5000, 5000});
  REQUIRE(pairs.size() == 1);
  REQUIRE(pairs[0].sender == 0);
  REQUIRE(pairs[0].receiver == 2);
  REQUIRE(pairs[0].messages == 1);
  REQUIRE(pairs[0].violated == 1);
  REQUIRE(pairs[0].worst == -5000);
  parameters.bandwidth_mb_s = 1000;
  REQUIRE(shifts(0, 2, 0) == std::vector<Ticks>{5064, 5064});
  // That of the communicator goes before all of this.
  REQUIRE(shifts(0, 2, 1) == std::vector<Ticks>{7, 7});
  REQUIRE(pairs.empty());
}

TEST_CASE("the nodes that processes had before are known", "[filter]") {
  Definitions definitions;
  const char* const nodes_of_one[] = {"x", "y", "y", "x", "z"};  // the second "y" is no change
  const char* const nodes_of_other[] = {"", "", "x", "z", "z"};
  std::vector<std::array<NodeIndex, 3>> known;  // by the number of changes
  for (std::size_t i = 0; i < std::size(nodes_of_one); ++i) {
    definitions.add_process(10, "one", nodes_of_one[i]);
    definitions.add_process(11, "other", nodes_of_other[i]);
    definitions.add_process(12, "third", "y");
    known.resize(definitions.node_changes() + 1);
    const auto& processes = definitions.processes();
    known.back() = {processes[0].node, processes[1].node, processes[2].node};
  }
  REQUIRE(definitions.node_changes() == 5);
  for (const std::size_t changes : {0U, 1U, 2U, 4U, 5U})
    for (const ProcessIndex process : {0U, 1U, 2U})
      CHECK(definitions.node_of(process, changes) == known[changes][process]);
}

TEST_CASE("who receives a message that names nobody is known when its receive is read, not one that overtakes it",
          "[filter]") {
  Definitions definitions;
  for (std::uint64_t p = 0; p < 3; ++p) definitions.add_process(p, "rank");
  definitions.add_communicator(0, {0, 1, 2});
  Parameters parameters;
  parameters.pair_delays = {{0, 1, 5}, {0, 2, 9}, {1, 2, 3}};
  Event overtaking = message(1000, Role::receive, 2, no_process, 7);
  overtaking.overtakes = 1;
  const Event first = message(1000, Role::send, 0, no_process, 7);
  const Event second = message(1000, Role::send, 1, no_process, 7);
  const Event overtaken = message(1000, Role::receive, 1, no_process, 7);
  const std::vector<std::vector<Event>> orders{{overtaking, first, second, overtaken},
                                               {first, overtaking, second, overtaken},
                                               {first, second, overtaking, overtaken}};
  for (const std::vector<Event>& events : orders) {
    const test::Run run = test::run_filter(parameters, definitions, events);
    REQUIRE(run.fault.empty());
    for (std::size_t e = 0; e < events.size(); ++e) {
      if (events[e].role == Role::receive) CHECK(run.written[e].ticks() == (events[e].process == 2 ? 4000 : 6000));
    }
  }
}

TEST_CASE("a send that names no receiver is kept while the longest of all delays can bind", "[filter]") {
  Definitions definitions = world(4);
  Parameters parameters;
  parameters.clock_difference_us = 1;
  parameters.max_error_percent = 100;
  parameters.pair_delays = {{0, 1, 20'000}};
  const Ticks sent = 2'100'000;
  const Ticks received = 10'000'000;
  std::vector<Event> events{message(sent, Role::send, 0, no_process, 5),
                            message(received, Role::receive, 1, no_process, 5)};
  for (Ticks i = 0; i < 40'000; ++i) {
    events.push_back(message(2'200'000 + i, Role::send, 3, 2, 78));
    events.push_back(message(40'000'000 + i, Role::receive, 2, 3, 78));
  }
  events = sorted(std::move(events));
  const test::Run run = test::run_filter(parameters, definitions, events);
  REQUIRE(run.fault.empty());
  REQUIRE(run.analysis.unresolved() == 0);
  REQUIRE(run.written[index_of(events, received)].ticks() == sent + 20'000'000);
}

TEST_CASE("a begin keeps the delay of its communicator although only its end names that", "[filter]") {
  Definitions definitions = world(4);
  const Ticks own_delay = 1'000'000;
  definitions.add_communicator(1, {0, 1}, own_delay);
  const auto call = [](Ticks time, Role role, ProcessIndex process) {
    Event event{.time = Time(time), .process = process, .role = role, .communicator = 1, .tag = 1};
    event.operation = Operation::allreduce;
    event.bytes = event.received = 8;
    return event;
  };
  std::vector<Event> events{{.time = Time(5'000), .process = 1},     call(10'000, Role::collective_begin, 1),
                            call(10'001, Role::collective_begin, 0), message(15'000, Role::receive, 1, 2, 0),
                            message(100'000, Role::send, 2, 1, 0),   call(1'300'000, Role::collective_end, 1)};
  SECTION("the other end is still to come") { events.push_back(call(500'000, Role::collective_end, 0)); }
  SECTION("the other end waits") { events.push_back(call(20'000, Role::collective_end, 0)); }
  const std::size_t other = events.size() - 1;
  const Time end = events[other].time;
  for (Ticks i = 0; i < 10'000; ++i) events.push_back({.time = Time(200'001 + 100 * i), .process = 3});
  events = sorted(std::move(events));
  const test::Run run = test::run_filter(Parameters(), definitions, events);
  REQUIRE(run.fault.empty());
  REQUIRE(run.analysis.violations_left() == 0);
  REQUIRE(run.written[index_of(events, end.ticks())] - run.written[index_of(events, 10'000)] >= own_delay);
}

TEST_CASE("begins without end do not add up", "[filter]") {
  Definitions definitions;
  const ProcessIndex process = definitions.add_process(0, "rank0");
  Parameters parameters;
  std::vector<Event> events;
  constexpr Ticks begins = 20'000;
  for (Ticks i = 0; i < begins; ++i)
    events.push_back({.time = Time(i * 1'000'000), .process = process, .role = Role::collective_begin, .tag = i});
  const test::Run run = test::run_filter(parameters, definitions, events);
  REQUIRE(run.fault.empty());
  REQUIRE(run.analysis.counted(Case::begin_without_end) == begins);
  REQUIRE(run.analysis.peak_bytes() < std::uint64_t{1} << 20);
}

TEST_CASE("memory that was needed once does not count for ever", "[filter]") {
  Definitions definitions;
  const ProcessIndex sender = definitions.add_process(0, "rank0");
  const ProcessIndex receiver = definitions.add_process(1, "rank1");
  definitions.add_communicator(0, {sender, receiver});
  Parameters parameters;
  parameters.max_memory = std::uint64_t{4} << 20;
  std::vector<Event> events;
  const auto burst = [&](Ticks from, Ticks messages) {
    for (Ticks i = 0; i < messages; ++i) {
      events.push_back(message(from + i, Role::send, sender, receiver, 0));
      events.push_back(message(from + 50'000 + i, Role::receive, receiver, sender, 0));
    }
  };
  burst(0, 30'000);
  const std::size_t first = events.size();
  for (Ticks i = 0; i < 400; ++i) burst(1'000'000'000 + i * 1'000'000, 100);
  events = sorted(std::move(events));
  const test::Run run = test::run_filter(parameters, definitions, events);
  REQUIRE(run.fault.empty());
  CAPTURE(run.analysis.counted(Case::final_early), first);
  REQUIRE(run.analysis.counted(Case::final_early) <= first);
}

TEST_CASE("large records and notes count for the bound of memory", "[filter]") {
  Definitions definitions;
  const ProcessIndex process = definitions.add_process(0, "rank0");
  const ProcessIndex sender = definitions.add_process(1, "rank1");
  definitions.add_communicator(0, {process, sender});
  Times sink;
  Parameters parameters;
  parameters.max_memory = std::uint64_t{1} << 20;
  Filter filter(parameters, definitions, sink);
  const std::string large(100'000, '.');
  SECTION("records") {
    for (Ticks i = 0; i < 500; ++i) filter.push({.time = Time(i * 1000), .process = process}, large);
    REQUIRE(filter.analysis().counted(Case::final_early) > 400);
  }
  SECTION("notes behind an event that cannot leave yet") {
    filter.push({.time = Time(1000), .process = process}, {});
    filter.push(message(1000, Role::receive, process, sender, 0), {});
    filter.push(message(1000, Role::send, sender, process, 0), {});  // moves the receive ahead of the input
    for (int i = 0; i < 500; ++i) filter.note(large);
    REQUIRE(filter.analysis().counted(Case::note_early) > 400);
  }
  SECTION("notes behind an event at the end of the input") {
    filter.push({.time = Time(1000), .process = process}, {});
    for (int i = 0; i < 500; ++i) filter.note(large);
    REQUIRE(filter.analysis().counted(Case::final_early) == 1);
    REQUIRE(filter.analysis().counted(Case::note_early) == 0);
  }
  SECTION("notes with nothing ahead of them") {
    for (int i = 0; i < 500; ++i) filter.note(large);
    REQUIRE(sink.notes == 500);
  }
  filter.finish();
  REQUIRE(sink.notes + static_cast<int>(sink.times.size()) >= 500);
  REQUIRE(filter.analysis().peak_bytes() < std::uint64_t{3} << 20);
}

TEST_CASE("events of one time leave where memory is short, as others do", "[filter]") {
  Parameters parameters;
  parameters.max_memory = std::uint64_t{1} << 20;
  Definitions definitions = world(3);
  std::vector<Event> events{message(1000, Role::receive, 0, 1, 0), message(1000, Role::send, 1, 0, 0)};
  constexpr Ticks now = 1'000'000'000;
  SECTION("that wait for nothing") {}
  SECTION("behind a receive whose send never comes") { events.push_back(message(now, Role::receive, 0, 1, 1)); }
  SECTION("behind a member that ends alone") {
    for (int i = 0; i < 3; ++i)
      events.push_back({.time = Time(now), .process = 0, .role = Role::collective_end, .communicator = 0});
  }
  const bool waits = events.size() > 2;
  for (ProcessIndex i = 0; i < 100'000; ++i) events.push_back({.time = Time(now), .process = i % 3});
  const test::Run run = test::run_filter(parameters, definitions, events);
  REQUIRE(run.fault.empty());
  REQUIRE(run.analysis.counted(Case::memory_exceeded) == 0);
  REQUIRE(run.analysis.counted(Case::final_early) > 50'000);
  REQUIRE((run.analysis.counted(Case::wait_given_up) > 0) == waits);
  REQUIRE(run.analysis.peak_bytes() < 2 * parameters.max_memory);
}

TEST_CASE("clocks that are set back again and again leave where memory is short", "[filter]") {
  // LC' runs ahead of C^ at twice its speed.
  Parameters parameters;
  parameters.max_memory = std::uint64_t{1} << 20;
  Definitions definitions = world(3);
  const ProcessIndex clocks = GENERATE(1U, 3U);
  const bool one_is_silent = GENERATE(false, true);
  std::vector<Event> events;
  if (one_is_silent) events.push_back({.time = Time(0), .process = clocks == 1 ? 1U : 0U});
  for (ProcessIndex i = 0; i < 100'000; ++i) {
    const auto step = static_cast<Ticks>(i / clocks);
    const ProcessIndex process = i % clocks;
    if (one_is_silent && clocks == 3 && process == 0) continue;
    events.push_back({.time = Time(1000 + (step ^ 1)), .process = process});
  }
  if (!one_is_silent && clocks == 1) definitions = world(1);
  const test::Run run = test::run_filter(parameters, definitions, events);
  REQUIRE(run.fault.empty());
  REQUIRE(run.analysis.counted(Case::clock_set_back) > 10'000);
  // Of a clock that is silent, a record may come at any time, which all others have to wait for.
  REQUIRE((run.analysis.counted(Case::memory_exceeded) > 0) == one_is_silent);
  if (!one_is_silent) REQUIRE(run.analysis.peak_bytes() < 2 * parameters.max_memory);
}

TEST_CASE("what definitions take is not left to events", "[filter]") {
  Definitions definitions;
  std::vector<ProcessIndex> all;
  for (std::uint64_t number = 0; number < 8; ++number) all.push_back(definitions.add_process(number, "rank"));
  Parameters parameters;
  parameters.max_memory = std::uint64_t{4} << 20;
  const auto peak = [&] {
    Times sink;
    Filter filter(parameters, definitions, sink);
    for (Ticks i = 0; i < 200'000; ++i) filter.push({.time = Time(i), .process = 0}, {});
    filter.finish();
    REQUIRE(filter.analysis().events() == 200'000);
    return filter.analysis().peak_bytes();
  };
  constexpr std::uint64_t round = std::uint64_t{1} << 18;  // of events between two looks at the memory
  REQUIRE(peak() > parameters.max_memory - round);
  REQUIRE(peak() < parameters.max_memory + round);
  // Communicators that share their members take little, and no more when they are defined again.
  const std::uint64_t nothing = definitions.memory();
  const Members shared(all);
  for (std::uint64_t number = 0; number < 10'000; ++number) definitions.add_communicator(number, shared);
  REQUIRE(definitions.memory() - nothing < 10'000 * (sizeof(Communicator) + 40));
  for (std::uint64_t number = 0; number < 10'000; ++number) definitions.add_communicator(number, {0, 1});
  const std::uint64_t same = definitions.memory();
  REQUIRE(same - nothing > 10'000 * (sizeof(Communicator) + 2 * sizeof(ProcessIndex)));
  for (int i = 0; i < 3; ++i)
    for (std::uint64_t number = 0; number < 10'000; ++number) definitions.add_communicator(number, {1, 0});
  REQUIRE(definitions.memory() == same);
  REQUIRE(peak() < parameters.max_memory + round - same);
  // However many they are, something is left.
  for (std::uint64_t number = 0; number < 100'000; ++number) definitions.add_communicator(number, all);
  REQUIRE(definitions.memory() > 2 * parameters.max_memory);
  REQUIRE(peak() > Parameters::least_memory - round);
  REQUIRE(peak() < Parameters::least_memory + round);
}

TEST_CASE("waits are not given up in vain", "[filter]") {
  // What is corrected to times far ahead of the input cannot leave before the input gets there.
  Definitions definitions = world(3);
  Parameters parameters;
  parameters.max_memory = std::uint64_t{1} << 20;
  parameters.pair_delays = {{0, 1, 1e6}, {0, 2, 1e6}};  // a second
  std::vector<Event> events{message(1, Role::send, 0, 1, 0), message(2, Role::send, 0, 2, 0),
                            message(10, Role::receive, 1, 0, 0), message(10, Role::receive, 2, 0, 0)};
  for (Ticks i = 0; i < 20'000; ++i) {  // each receive waits a little
    events.push_back(message(2'000 + i * 1'000, Role::receive, 2, 1, 0));
    events.push_back(message(2'900 + i * 1'000, Role::send, 1, 2, 0));
  }
  const test::Run run = test::run_filter(parameters, definitions, sorted(std::move(events)));
  REQUIRE(run.fault.empty());
  REQUIRE(run.analysis.counted(Case::memory_exceeded) > 0);
  REQUIRE(run.analysis.unresolved() == 0);
}

TEST_CASE("waits are given up rather than more memory taken than allowed", "[filter]") {
  Definitions definitions;
  const ProcessIndex sender = definitions.add_process(0, "rank0");
  const ProcessIndex receiver = definitions.add_process(1, "rank1");
  const CommunicatorIndex all = definitions.add_communicator(0, {sender, receiver});
  Parameters parameters;
  parameters.max_memory = std::uint64_t{1} << 20;
  parameters.wait_limit_s = 1000;
  std::vector<Event> events;
  Ticks time = 0;
  for (const int message : {1, 2}) {  // of which the send never comes
    events.push_back({.time = Time(++time),
                      .process = receiver,
                      .role = Role::receive,
                      .peer = sender,
                      .communicator = all,
                      .tag = message});
    for (int i = 0; i < 100'000; ++i) events.push_back({.time = Time(time += 1000), .process = receiver});
  }
  const test::Run run = test::run_filter(parameters, definitions, events);
  REQUIRE(run.fault.empty());
  // The sender is taken for ended then, so that the second receive does not wait.
  REQUIRE(run.analysis.counted(Case::wait_given_up) == 1);
  REQUIRE(run.analysis.counted(Case::receive_without_send) == 2);
  REQUIRE(run.analysis.peak_bytes() < 3 * parameters.max_memory);
  // Without the limit everything behind the receives waits.
  parameters.max_memory = std::uint64_t{1} << 30;
  const test::Run free = test::run_filter(parameters, definitions, events);
  REQUIRE(free.analysis.counted(Case::wait_given_up) == 0);
  REQUIRE(free.analysis.peak_bytes() > std::uint64_t{3} << 20);
}

TEST_CASE("what was not defined is refused, and so are definitions that mean nothing", "[filter]") {
  Definitions definitions;
  const ProcessIndex process = definitions.add_process(0, "rank0");
  const ProcessIndex other = definitions.add_process(1, "rank1");
  CHECK_THROWS_AS(definitions.add_communicator(0, {process, other, other}), UsageError);
  CHECK_THROWS_AS(definitions.add_communicator(0, {process, other + 1}), UsageError);
  CHECK_THROWS_AS(definitions.add_communicator(0, {process, other}, -1), UsageError);
  const CommunicatorIndex communicator = definitions.add_communicator(0, {other, process});
  Times sink;
  Filter filter(Parameters{}, definitions, sink);
  filter.push({.time = Time(1), .process = process, .role = Role::send, .peer = other, .communicator = communicator},
              {});
  CHECK_THROWS_AS(
      filter.push({.time = Time(2), .process = process, .role = Role::send, .peer = 2, .communicator = communicator},
                  {}),
      UsageError);
  for (const CommunicatorIndex unknown : {communicator + 1, no_communicator})
    for (const ProcessIndex peer : {other, no_process})
      CHECK_THROWS_AS(
          filter.push({.time = Time(2), .process = process, .role = Role::send, .peer = peer, .communicator = unknown},
                      {}),
          UsageError);
  CHECK_THROWS_AS(filter.push({.time = Time(3), .process = other, .role = Role::collective_end}, {}), UsageError);
  CHECK_THROWS_AS(filter.push({.time = Time(4), .process = other + 1, .role = Role::internal}, {}), UsageError);
  std::string storage;
  for (const Kind kind : {Kind::send, Kind::receive, Kind::collective_end})
    CHECK_THROWS_AS(encode_body(Record{kind, {}, "", {}}, storage), UsageError);
}

TEST_CASE("a run of events is taken as its events one by one, also behind a time that was proved", "[filter]") {
  const std::array<Event, 4> events{Event{.time = Time(100), .process = 0}, Event{.time = Time(95), .process = 1},
                                    Event{.time = Time(100), .process = 1}, Event{.time = Time(101), .process = 0}};
  const std::array<Body, 4> bodies{};
  std::array<Times, 2> sinks;
  for (const bool in_a_run : {false, true}) {
    Definitions definitions;
    for (const char* name : {"rank0", "rank1"}) definitions.add_process(definitions.processes().size(), name);
    Filter filter(Parameters{}, definitions, sinks[in_a_run]);
    filter.advance(Time(100));
    if (in_a_run)
      filter.push(events, bodies);
    else
      for (std::size_t i = 0; i < events.size(); ++i) filter.push(events[i], bodies[i]);
    filter.finish();
    CHECK(filter.analysis().counted(Case::late_record) == 1);
  }
  CHECK(sinks[0].times == sinks[1].times);
}

TEST_CASE("nothing is inside once all events have left, also those that are not counted", "[filter]") {
  Definitions definitions;
  const ProcessIndex process = definitions.add_process(0, "rank0");
  Parameters parameters;
  parameters.uncounted_body = "added";
  Times sink;
  Filter filter(parameters, definitions, sink);
  filter.push({.time = Time(1), .process = process}, "added");
  filter.push({.time = Time(2), .process = process}, "recorded");
  filter.push({.time = Time(3), .process = process}, "added");
  CHECK(filter.advance(Time(4)));
  CHECK_FALSE(filter.advance(Time(5'000'000'000)));
  CHECK(sink.times == std::vector<Ticks>{1, 2, 3});
  CHECK(filter.analysis().events() == 1);
  // A line that nothing stands ahead of leaves at once.
  filter.note("%");
  CHECK(sink.notes == 1);
  filter.finish();
}

TEST_CASE("a parameter out of range is named with what was found", "[filter]") {
  const auto refusal = [](const auto& change) -> std::string {
    Parameters parameters;
    change(parameters);
    try {
      parameters.validate();
    } catch (const UsageError& error) {
      return error.what();
    }
    return {};
  };
  CHECK(refusal([](Parameters& p) { p.gamma_min = 2; }) ==
        "Parameters::gamma_min: expected a number from 0 to 1, found 2");
  CHECK(refusal([](Parameters& p) {
          p.pair_delays = {{0, 1, 2}, {3, 4, -0.5}};
        }) == "Parameters::pair_delays from 3 to 4: expected microseconds, 0 or more, found -0.5");
  CHECK(refusal([](Parameters& p) { p.wait_limit_s = std::numeric_limits<double>::quiet_NaN(); }) ==
        "Parameters::wait_limit_s: expected seconds, 0 or more, found nan");
  CHECK(refusal([](Parameters&) {}).empty());
}

}  // namespace clc
