// The judge's matching.
#include "matching/edges.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "helpers.hpp"

using namespace clc;
using namespace clc::check;

namespace {

void feed(Matcher& matcher, const std::vector<Event>& events) {
  for (std::size_t i = 0; i < events.size(); ++i) matcher.add(events[i], stamp_of(events[i], i));
}

}  // namespace

TEST_CASE("messages match first in, first out, whichever end is read first") {
  const Definitions definitions = world(2);
  Collector collector;
  Matcher matcher(definitions, collector);
  SECTION("sends first") { feed(matcher, {send(1, 0, 1), send(2, 0, 1), receive(3, 1, 0), receive(4, 1, 0)}); }
  SECTION("receives first") { feed(matcher, {receive(3, 1, 0), receive(4, 1, 0), send(1, 0, 1), send(2, 0, 1)}); }
  SECTION("mixed") { feed(matcher, {send(1, 0, 1), receive(3, 1, 0), receive(4, 1, 0), send(2, 0, 1)}); }
  matcher.finish();
  REQUIRE(collector.messages.size() == 2);
  CHECK(collector.messages[0].sent.time[0] == Time(1));
  CHECK(collector.messages[0].received.time[0] == Time(3));
  CHECK(collector.messages[1].sent.time[0] == Time(2));
  CHECK(collector.messages[1].received.time[0] == Time(4));
  CHECK(collector.messages[1].sender == 0);
  CHECK(collector.messages[1].receiver == 1);
  CHECK(matcher.waiting() == 0);
}

TEST_CASE("messages and operations count where processes are when they are sent and when the first member is done") {
  Definitions definitions;
  const ProcessIndex one = definitions.add_process(0, "rank0", "n0");
  const ProcessIndex other = definitions.add_process(1, "rank1", "n1");
  definitions.add_communicator(4, {one, other});
  Collector collector;
  Matcher matcher(definitions, collector);
  Event to_anybody = send(3, one, no_process, 7);
  Event from_anybody = receive(5, other, no_process, 7);
  feed(matcher, {receive(1, other, one, 1), send(2, one, other, 0), to_anybody, begin(3, one), begin(3, other),
                 end(4, one, Operation::barrier)});
  definitions.add_process(1, "rank1", "n0");
  feed(matcher, {receive(5, other, one, 0), from_anybody, end(6, other, Operation::barrier), send(7, one, other, 1)});
  matcher.finish();
  const NodeIndex here = definitions.processes()[one].node;
  REQUIRE(collector.messages.size() == 3);
  CHECK(collector.messages[0].sender_node == here);
  CHECK(collector.messages[0].receiver_node == here + 1);
  CHECK(collector.messages[1].receiver_node == here);  // found when both were read
  CHECK(collector.messages[2].receiver_node == here);  // sent after the move, although received ahead of it
  REQUIRE(collector.collectives.size() == 1);
  REQUIRE(collector.collectives[0].members.size() == 2);
  CHECK(collector.collectives[0].members[0].node == here);
  CHECK(collector.collectives[0].members[1].node == here + 1);
}

TEST_CASE("the end that was recorded first says what an operation is, in whatever order they are read") {
  const Definitions definitions = world(2);
  Collector collector;
  Matcher matcher(definitions, collector);
  feed(matcher,
       {begin(1, 0), begin(1, 1), end(30, 1, Operation::scatter, 8, 8, 1), end(20, 0, Operation::gather, 8, 8, 0)});
  matcher.finish();
  REQUIRE(collector.collectives.size() == 1);
  CHECK(collector.collectives[0].operation == Operation::gather);
  CHECK(collector.collectives[0].root == 0);
  CHECK_FALSE(collector.collectives[0].agreed);
  CHECK(matcher.leftovers().disagreements == 1);
}

TEST_CASE("a receive that overtakes others leaves them their sends") {
  const Definitions definitions = world(2);
  Collector collector;
  Matcher matcher(definitions, collector);
  Event last = receive(5, 1, 0);
  last.overtakes = 2;
  Event second = receive(6, 1, 0);
  second.overtakes = 1;
  const Event first = receive(7, 1, 0);
  SECTION("sends first") { feed(matcher, {send(1, 0, 1), send(2, 0, 1), send(3, 0, 1), last, second, first}); }
  SECTION("receives first") { feed(matcher, {last, second, first, send(1, 0, 1), send(2, 0, 1), send(3, 0, 1)}); }
  SECTION("mixed") { feed(matcher, {send(1, 0, 1), last, send(2, 0, 1), second, send(3, 0, 1), first}); }
  SECTION("and in order again") {
    feed(matcher, {send(1, 0, 1), send(2, 0, 1), send(3, 0, 1), last, second, first});
    feed(matcher, {send(11, 0, 1), receive(12, 1, 0)});
    CHECK(collector.messages.back().sent.time[0] == Time(11));
    collector.messages.pop_back();
  }
  matcher.finish();
  REQUIRE(collector.messages.size() == 3);
  for (const Message& message : collector.messages)
    CHECK(message.sent.time[0].ticks() == 8 - message.received.time[0].ticks());
  CHECK(matcher.waiting() == 0);
  CHECK(matcher.leftovers().sends == 0);
  CHECK(matcher.leftovers().receives == 0);
}

TEST_CASE("receives in any order take the sends of their order") {
  constexpr std::size_t count = 3000;
  const Definitions definitions = world(2);
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::vector<std::size_t> posted(count);  // in the order in which they end
    std::iota(posted.begin(), posted.end(), std::size_t{0});
    if (seed == 1)
      std::reverse(posted.begin(), posted.end());
    else
      for (std::size_t i = 0; i < count; ++i)  // within 20, and within all
        std::swap(posted[i], posted[std::min(count - 1, i + random() % (seed == 2 ? 20 : count))]);
    Collector collector;
    Matcher matcher(definitions, collector);
    std::vector<bool> ended(count);
    for (std::size_t sent = 0, at = 0; sent < count || at < count;) {
      if (at == count || (sent < count && random() % 2 == 0)) {
        feed(matcher, {send(static_cast<std::int64_t>(sent), 0, 1)});
        ++sent;
        continue;
      }
      const std::size_t which = posted[at++];
      Event event = receive(static_cast<std::int64_t>(which), 1, 0);
      event.overtakes = static_cast<std::uint16_t>(
          std::count(ended.begin(), ended.begin() + static_cast<std::ptrdiff_t>(which), false));
      ended[which] = true;
      feed(matcher, {event});
    }
    matcher.finish();
    REQUIRE(collector.messages.size() == count);
    for (const Message& message : collector.messages) REQUIRE(message.sent.time[0] == message.received.time[0]);
    CHECK(matcher.waiting() == 0);
  }
}

TEST_CASE("ends that do not name their peer match in the order in which they were expected") {
  const Definitions definitions = world(4);
  Collector collector;
  Matcher matcher(definitions, collector);
  std::vector<Event> recorded{send(14, 0, no_process), receive(17, 2, no_process), send(20, 3, no_process),
                              send(30, 1, no_process), receive(40, 2, no_process), receive(50, 2, no_process)};
  recorded[1].overtakes = 1;
  for (const Event& event : recorded) matcher.expect(event);
  SECTION("all of them come") {
    for (const std::size_t i : {3U, 0U, 2U, 1U, 4U, 5U}) matcher.add(recorded[i], stamp_of(recorded[i], i));
    matcher.finish();
    std::vector<std::pair<std::int64_t, std::int64_t>> found;
    for (const Message& message : collector.messages)
      found.emplace_back(message.sent.time[0].ticks(), message.received.time[0].ticks());
    std::sort(found.begin(), found.end());
    CHECK(found == std::vector<std::pair<std::int64_t, std::int64_t>>{{14, 40}, {20, 17}, {30, 50}});
  }
  SECTION("one is left out, one is lone, and one never comes") {
    matcher.leave_out(recorded[0]);
    matcher.add_lone(recorded[2]);
    for (const std::size_t i : {1U, 4U}) matcher.add(recorded[i], stamp_of(recorded[i], i));
    CHECK(collector.messages.empty());
    matcher.finish();
    CHECK(collector.messages.empty());
    CHECK(matcher.leftovers().sends == 1);
    CHECK(matcher.leftovers().receives == 2);
  }
  SECTION("what waits for one that never comes is passed on in the end") {
    for (const std::size_t i : {3U, 2U, 1U, 4U}) matcher.add(recorded[i], stamp_of(recorded[i], i));
    CHECK(collector.messages.empty());
    matcher.finish();
    REQUIRE(collector.messages.size() == 2);
  }
  CHECK(matcher.leftovers().self_messages == 0);
}

TEST_CASE("what is overtaken and never comes") {
  const Definitions definitions = world(2);
  Collector collector;
  Matcher matcher(definitions, collector);
  Event later = receive(5, 1, 0);
  later.overtakes = 1;
  Event far = receive(6, 1, 0, 1);
  far.overtakes = 65535;
  feed(matcher, {send(1, 0, 1), send(2, 0, 1), send(3, 0, 1), later, far});
  matcher.finish();
  REQUIRE(collector.messages.size() == 1);
  CHECK(collector.messages[0].sent.time[0] == Time(2));
  CHECK(matcher.leftovers().sends == 2);
  CHECK(matcher.leftovers().receives == 1);
}

TEST_CASE("messages of different tags, communicators, directions and pairs do not mix") {
  Definitions definitions = world(3);
  definitions.add_communicator(5, {0, 1, 2});
  Collector collector;
  Matcher matcher(definitions, collector);
  Event other_communicator = receive(2, 1, 0);
  other_communicator.communicator = 1;
  feed(matcher, {send(1, 0, 1, 7), receive(2, 1, 0, 8), receive(2, 2, 0, 7), receive(2, 1, 2, 7), send(2, 1, 0, 7),
                 other_communicator});
  matcher.finish();
  CHECK(collector.messages.empty());
  CHECK(matcher.leftovers().sends == 2);
  CHECK(matcher.leftovers().receives == 4);
}

TEST_CASE("the length of a message is the sender's") {
  const Definitions definitions = world(2);
  Collector collector;
  Matcher matcher(definitions, collector);
  feed(matcher, {send(1, 0, 1, 0, 100), receive(2, 1, 0, 0, 50), receive(3, 1, 0, 0, 60), send(4, 0, 1, 0, 200)});
  REQUIRE(collector.messages.size() == 2);
  CHECK(collector.messages[0].bytes == 100);
  CHECK(collector.messages[1].bytes == 200);
}

TEST_CASE("messages of a process to itself were ignored") {
  const Definitions definitions = world(2);
  Collector collector;
  Matcher matcher(definitions, collector);
  feed(matcher, {send(1, 0, 0), receive(2, 0, 0)});
  matcher.finish();
  CHECK(collector.messages.empty());
  CHECK(matcher.leftovers().self_messages == 1);
}

TEST_CASE("channels are forgotten once they are empty") {
  const Definitions definitions = world(2);
  Collector collector;
  Matcher matcher(definitions, collector);
  for (std::int64_t tag = 0; tag < 100'000; ++tag) {
    feed(matcher, {send(tag, 0, 1, tag), receive(tag, 1, 0, tag)});
    REQUIRE(matcher.channels() <= 5000);
    collector.messages.clear();
  }
}

TEST_CASE("the k-th finished calls of all members are one collective operation") {
  const Definitions definitions = world(2);
  Collector collector;
  Matcher matcher(definitions, collector);
  feed(matcher, {begin(1, 0), end(2, 0, Operation::barrier), begin(3, 0), end(4, 0, Operation::allreduce), begin(5, 1),
                 end(6, 1, Operation::barrier), begin(7, 1), end(8, 1, Operation::allreduce), begin(9, 0),
                 end(10, 0, Operation::bcast, 8, 8, 0)});
  matcher.finish();
  REQUIRE(collector.collectives.size() == 2);
  CHECK(collector.collectives[0].operation == Operation::barrier);
  CHECK(collector.collectives[0].agreed);
  CHECK(collector.collectives[0].members[1].begin.time[0] == Time(5));
  CHECK(collector.collectives[1].operation == Operation::allreduce);
  CHECK(collector.collectives[1].members[0].begin.time[0] == Time(3));
  CHECK(collector.collectives[1].members[0].end.time[0] == Time(4));
  REQUIRE(collector.unfinished.size() == 1);
  CHECK(collector.unfinished[0].members.size() == 1);
  CHECK(matcher.leftovers().incomplete == 1);
  CHECK(matcher.leftovers().disagreements == 0);
}

TEST_CASE("calls with an id may overlap") {
  const Definitions definitions = world(2);
  Collector collector;
  Matcher matcher(definitions, collector);
  feed(matcher, {begin(1, 0, 7), begin(2, 0, 8), end(3, 0, Operation::barrier, 0, 0, no_rank, 8),
                 end(4, 0, Operation::barrier, 0, 0, no_rank, 7), begin(5, 1), end(6, 1, Operation::barrier),
                 begin(7, 1), end(8, 1, Operation::barrier)});
  matcher.finish();
  REQUIRE(collector.collectives.size() == 2);
  CHECK(collector.collectives[0].members[0].begin.time[0] == Time(2));
  CHECK(collector.collectives[1].members[0].begin.time[0] == Time(1));
}

TEST_CASE("what makes no sense in collective operations is counted") {
  Definitions definitions = world(3);
  definitions.add_communicator(4, {0, 1});
  Collector collector;
  Matcher matcher(definitions, collector);
  feed(matcher, {end(1, 0, Operation::barrier), begin(2, 1), begin(3, 1), end(4, 1, Operation::allreduce), begin(5, 2),
                 end(6, 2, Operation::barrier), begin(7, 0), end(8, 0, Operation::bcast, 8, 8, 2), begin(9, 1),
                 end(9, 1, Operation::bcast, 8, 8, 2), begin(10, 0, 5)});
  matcher.finish();
  const Leftovers& left = matcher.leftovers();
  CHECK(left.ends_without_begin == 1);
  CHECK(left.begins_without_end == 2);
  CHECK(left.outsiders == 1);
  CHECK(left.foreign_roots == 1);
  CHECK(left.disagreements == 1);
  CHECK(collector.collectives.size() == 2);
}

TEST_CASE("members that a communicator gets later begin with the operations to come") {
  Definitions definitions = world(3);
  definitions.add_communicator(4, {0, 1});
  Collector collector;
  Matcher matcher(definitions, collector);
  const auto barrier = [&](ProcessIndex process, Ticks time) {
    feed(matcher, {begin(time, process), end(time + 1, process, Operation::barrier)});
  };
  barrier(0, 1);
  barrier(1, 1);
  barrier(0, 3);  // the other one does not come
  definitions.add_communicator(4, {2, 0});
  barrier(1, 5);
  barrier(0, 5);
  barrier(2, 5);
  matcher.finish();
  REQUIRE(collector.collectives.size() == 2);
  CHECK(collector.collectives[1].members[0].process == 0);
  CHECK(collector.collectives[1].members[1].process == 2);
  REQUIRE(collector.unfinished.size() == 1);
  CHECK(collector.unfinished[0].members[0].end.time[0] == Time(4));
  CHECK(matcher.leftovers().outsiders == 1);
}

TEST_CASE("a communicator may be defined anew") {
  Definitions definitions = world(3);
  Collector collector;
  Matcher matcher(definitions, collector);
  const auto barrier = [&](ProcessIndex process, Ticks time) {
    feed(matcher, {begin(time, process), end(time + 1, process, Operation::barrier)});
  };
  for (ProcessIndex process : {0U, 1U, 2U}) barrier(process, 1);
  definitions.add_communicator(4, {2, 0});
  for (ProcessIndex process : {0U, 2U}) barrier(process, 3);
  matcher.finish();
  REQUIRE(collector.collectives.size() == 2);
  CHECK(collector.collectives[1].members[0].rank == 1);
  CHECK(collector.collectives[1].members[1].rank == 0);
}
