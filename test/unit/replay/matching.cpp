// What belongs together in a recording.
#include "replay/matching.hpp"

#include <catch2/catch.hpp>
#include <cstdint>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"

namespace clc::replay {
namespace {

struct Trace {
  Definitions definitions;
  Matching matching{definitions};
  Sequence next = 0;

  explicit Trace(std::uint64_t processes = 2) {
    std::vector<ProcessIndex> all;
    for (std::uint64_t number = 0; number < processes; ++number) all.push_back(definitions.add_process(number, ""));
    definitions.add_communicator(0, all);
  }
  /// Ten ticks a record.
  [[nodiscard]] Time now() const { return Time(static_cast<std::int64_t>(10 * next)); }
  Partner send(std::int64_t tag = 1, std::uint64_t bytes = 8, bool inside = true) {
    return matching.add(
        {.time = {}, .process = 0, .role = Role::send, .peer = 1, .communicator = 0, .tag = tag, .bytes = bytes}, now(),
        next++, inside);
  }
  Partner receive(std::int64_t tag = 1, std::uint16_t overtakes = 0, bool inside = true) {
    return matching.add({.time = {},
                         .process = 1,
                         .role = Role::receive,
                         .overtakes = overtakes,
                         .peer = 0,
                         .communicator = 0,
                         .tag = tag,
                         .bytes = 9},
                        now(), next++, inside);
  }
  Partner begin(ProcessIndex process, std::int64_t call = 0, bool inside = true) {
    return matching.add({.time = {}, .process = process, .role = Role::collective_begin, .tag = call}, now(), next++,
                        inside);
  }
  Partner end(ProcessIndex process, std::int64_t call = 0, bool inside = true,
              Operation operation = Operation::barrier) {
    return matching.add({.time = {},
                         .process = process,
                         .role = Role::collective_end,
                         .operation = operation,
                         .communicator = 0,
                         .tag = call},
                        now(), next++, inside);
  }
};

TEST_CASE("replay: messages match first in, first out, whichever end comes first") {
  Trace trace;
  CHECK(trace.send().record == none);       // 0
  CHECK(trace.send(1, 77).record == none);  // 1
  CHECK(trace.receive(2).record == none);   // 2
  const Partner first = trace.receive();    // 3
  CHECK(first.record == 0);
  CHECK(first.bytes == 8);
  CHECK(trace.receive().bytes == 77);  // 4
  const Partner late = trace.send(2);  // 5
  CHECK(late.record == 2);
  CHECK(late.bytes == 9);
  trace.matching.finish(true);
  for (Sequence i = 0; i < trace.next; ++i) CHECK_FALSE(trace.matching.is_loose(i));
  for (const CaseInfo& info : cases) CHECK(trace.matching.counted(info.which) == 0);
}

TEST_CASE("replay: a receive that overtakes others leaves them the earlier sends") {
  Trace trace;
  for (int i = 0; i < 4; ++i) static_cast<void>(trace.send());
  CHECK(trace.receive(1, 2).record == 2);
  CHECK(trace.receive(1, 1).record == 1);  // of the two that were left
  CHECK(trace.receive().record == 0);
  CHECK(trace.receive().record == 3);
}

TEST_CASE("replay: losses are in the order of time, and the first of them are kept") {
  Trace trace;
  const auto count = static_cast<std::int64_t>(3 * Analysis::most_losses);
  for (std::int64_t tag = count; tag > 0; --tag) static_cast<void>(trace.send(tag));
  trace.matching.finish(true);
  const std::vector<Loss> losses = trace.matching.losses();
  REQUIRE(losses.size() == Analysis::most_losses);
  for (std::size_t i = 0; i < losses.size(); ++i) CHECK(losses[i].tag == count - static_cast<std::int64_t>(i));
}

TEST_CASE("replay: what has no partner is loose and counted, what crosses the window is told apart") {
  Trace trace;
  static_cast<void>(trace.send(1, 8, false));        // 0: received inside
  CHECK(trace.receive(1).record == none);            // 1
  static_cast<void>(trace.send(2));                  // 2: received behind
  CHECK(trace.receive(2, 0, false).record == none);  // 3
  static_cast<void>(trace.send(3));                  // 4: never received
  static_cast<void>(trace.receive(4));               // 5: never sent
  static_cast<void>(trace.send(5, 8, false));        // 6: all outside
  CHECK(trace.receive(5, 0, false).record == 6);     // 7
  static_cast<void>(trace.begin(0));                 // 8: no end
  const bool whole = GENERATE(false, true);
  trace.matching.finish(whole);
  for (const Sequence i : {1U, 2U, 4U, 5U, 8U}) CHECK(trace.matching.is_loose(i));
  for (const Sequence i : {0U, 3U, 6U, 7U}) CHECK_FALSE(trace.matching.is_loose(i));  // not in the window
  const auto counted = [&](Case which) { return trace.matching.counted(which); };
  CHECK(counted(Case::receive_without_send) == 1);
  CHECK(counted(Case::send_without_receive) == (whole ? 1 : 0));
  CHECK(counted(Case::begin_without_end) == (whole ? 1 : 0));
  CHECK(counted(Case::crosses_window) == (whole ? 2 : 4));
}

TEST_CASE("replay: calls and operations") {
  Trace trace(3);
  static_cast<void>(trace.begin(0, 4));   // 0
  static_cast<void>(trace.begin(0, 5));   // 1
  static_cast<void>(trace.begin(1));      // 2
  const Partner first = trace.end(0, 4);  // 3
  CHECK(first.record == 0);
  CHECK(first.operation == 0);
  const Partner second = trace.end(0, 5);  // 4: the next operation
  CHECK(second.record == 1);
  CHECK(second.operation == 1);
  CHECK(trace.end(1).operation == 0);  // 5
  const Partner alone = trace.end(2);  // 6: no begin, still a member
  CHECK(alone.record == none);
  CHECK(alone.operation == 0);
  CHECK(trace.end(1, 0, true, Operation::bcast).operation == 1);  // 7: disagrees
  CHECK(trace.end(2).operation == 1);                             // 8
  static_cast<void>(trace.end(2));                                // 9: the others never come
  trace.matching.finish(true);
  for (const Sequence i : {0U, 2U, 3U, 5U, 6U}) CHECK_FALSE(trace.matching.is_loose(i));
  for (const Sequence i : {1U, 4U, 7U, 8U, 9U}) CHECK(trace.matching.is_loose(i));
  CHECK(trace.matching.counted(Case::end_without_begin) == 4);
  CHECK(trace.matching.counted(Case::operation_mismatch) == 1);
  CHECK(trace.matching.counted(Case::collective_incomplete) == 1);
  CHECK(trace.matching.members(0, 0).size() == 3);
}

TEST_CASE("replay: a lost call is told with the least time of the ends of the others, in whatever order they are") {
  for (const std::vector<std::int64_t>& times : {std::vector<std::int64_t>{4011, 4009, 4012},
                                                 {4009, 4012, 4011},
                                                 {4012, 4011, 4009}}) {  // clocks that were set back
    Trace trace(4);
    for (ProcessIndex process = 0; process < 3; ++process)
      static_cast<void>(trace.matching.add({.time = {},
                                            .process = process,
                                            .role = Role::collective_end,
                                            .operation = Operation::barrier,
                                            .communicator = 0,
                                            .absent = 1},
                                           Time(times[process]), trace.next++, true));
    trace.matching.finish(true);
    REQUIRE(trace.matching.lost_calls().size() == 1);
    CHECK(trace.matching.lost_calls()[0].process == 3);
    CHECK(trace.matching.lost_calls()[0].recorded == Time(4009));
  }
}

TEST_CASE("replay: an operation keeps the members that its communicator had") {
  Trace trace(3);
  for (const ProcessIndex process : {0U, 1U, 2U}) CHECK(trace.end(process).operation == 0);
  trace.definitions.add_communicator(0, {0, 1}, 7);
  CHECK(trace.end(2).operation == none);  // no member any more
  for (const ProcessIndex process : {0U, 1U}) CHECK(trace.end(process).operation == 1);
  trace.matching.finish(true);
  CHECK(trace.matching.members(0, 0).size() == 3);
  CHECK(trace.matching.members(0, 1).size() == 2);
  CHECK(trace.matching.min_delay(0, 0) == 0);
  CHECK(trace.matching.min_delay(0, 1) == 7);
  CHECK(trace.matching.counted(Case::not_a_member) == 1);
}

TEST_CASE("replay: new members of a communicator take part in the operations to come") {
  Trace trace(3);
  trace.definitions.add_communicator(0, {0, 1});
  for (std::uint64_t operation = 0; operation < 3; ++operation)
    for (const ProcessIndex process : {0U, 1U}) CHECK(trace.end(process).operation == operation);
  trace.definitions.add_communicator(0, {0, 1, 2});
  for (std::uint64_t operation = 3; operation < 6; ++operation)
    for (const ProcessIndex process : {2U, 0U, 1U}) CHECK(trace.end(process).operation == operation);
  trace.matching.finish(true);
  CHECK(trace.matching.members(0, 2).size() == 2);
  CHECK(trace.matching.members(0, 3).size() == 3);
  CHECK(trace.matching.counted(Case::collective_incomplete) == 0);
  for (Sequence i = 0; i < trace.next; ++i) CHECK_FALSE(trace.matching.is_loose(i));
}

}  // namespace
}  // namespace clc::replay
