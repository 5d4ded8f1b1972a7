// A recording, played forwards and backwards.
#include "replay/player.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clc/definitions.hpp"
#include "replay/results.hpp"

namespace clc::replay {
namespace {

struct Played {
  std::vector<Event> events;
  std::vector<Label> labels;  ///< empty bodies have none
  std::vector<std::string> bodies;
};

Recording& record(Recording& recording, const std::vector<Event>& events, const std::vector<std::string>& bodies) {
  for (std::size_t i = 0; i < events.size();) {
    Batch batch;
    std::vector<Time> times;
    for (std::size_t n = 0; n < 100 && i < events.size(); ++n, ++i) {
      batch.events.push_back(events[i]);
      batch.bodies.emplace_back(bodies[i]);
      times.push_back(events[i].time + 7);  // as recorded
    }
    if (!recording.add(batch, times)) break;
  }
  recording.finish(true);
  return recording;
}

Played play(const Recording& recording, Direction direction) {
  Player player(recording, direction);
  Played played;
  Batch batch;
  while (player.read(batch))
    for (std::size_t i = 0; i < batch.events.size(); ++i) {
      played.events.push_back(batch.events[i]);
      const bool added = batch.bodies[i] == added_body;
      played.labels.push_back(added ? Label{none, {}, {}} : label_of(batch.bodies[i]));
      played.bodies.emplace_back(played.labels.back().body);
    }
  return played;
}

Definitions world(std::uint64_t processes) {
  Definitions definitions;
  std::vector<ProcessIndex> all;
  for (std::uint64_t number = 0; number < processes; ++number) all.push_back(definitions.add_process(number, ""));
  definitions.add_communicator(0, all);
  return definitions;
}

TEST_CASE("replay: records of many blocks come back as they were, in both directions") {
  const Definitions definitions = world(2);
  std::vector<Event> events;
  std::vector<std::string> bodies;
  for (Ticks i = 0; i < 60'000; ++i) {
    events.push_back({.time = Time(i * 3 - 1000), .process = static_cast<ProcessIndex>(i % 2)});
    bodies.push_back(std::to_string(i));
  }
  Recording recording(definitions, std::nullopt);
  record(recording, events, bodies);
  REQUIRE(recording.blocks() > 2);
  CHECK(recording.events() == events.size());
  CHECK_FALSE(recording.any_set_back());
  CHECK(recording.newest(recording.blocks() - 1) == events.back().time);
  for (const Direction direction : {Direction::forwards, Direction::backwards}) {
    const Played played = play(recording, direction);
    REQUIRE(played.events.size() == events.size());
    bool same = true;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const bool back = direction == Direction::backwards;
      const std::size_t e = back ? events.size() - 1 - i : i;
      same = same && played.events[i].time == (back ? negated(events[e].time) : events[e].time) &&
             played.events[i].process == events[e].process && played.labels[i].sequence == e &&
             played.labels[i].recorded == events[e].time + 7 && played.bodies[i] == bodies[e];
    }
    CHECK(same);
  }
}

TEST_CASE("replay: backwards, clocks that were set back are sorted by their smallest times to come") {
  const Definitions definitions = world(3);
  std::vector<Event> events;
  std::vector<std::string> bodies;
  // The second clock is set back by 9,000 ticks now and then, the third always stands; sorted by the largest times.
  for (Ticks i = 0; i < 90'000; ++i) {
    const auto process = static_cast<ProcessIndex>(i % 3);
    Ticks time = i;
    if (process == 1 && i % 20'000 > 10'000) time -= 9000;
    if (process == 2) time = i / 100 * 100;
    events.push_back({.time = Time(time), .process = process});
    bodies.emplace_back(process == 1 ? "one" : "");
  }
  std::map<ProcessIndex, Time> largest;
  std::vector<std::pair<Time, std::size_t>> order;
  for (std::size_t e = 0; e < events.size(); ++e) {
    Time& of = largest.try_emplace(events[e].process, events[e].time).first->second;
    order.emplace_back(of = std::max(of, events[e].time), e);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Event> sorted;
  std::vector<std::string> sorted_bodies;
  for (const auto& [time, e] : order) {
    sorted.push_back(events[e]);
    sorted_bodies.push_back(bodies[e]);
  }
  Recording recording(definitions, std::nullopt);
  record(recording, sorted, sorted_bodies);
  REQUIRE(recording.blocks() > 2);
  CHECK(recording.any_set_back());

  std::map<ProcessIndex, Time> smallest;
  std::vector<std::pair<Time, std::size_t>> expected;
  for (std::size_t e = sorted.size(); e-- > 0;) {
    Time& of = smallest.try_emplace(sorted[e].process, sorted[e].time).first->second;
    expected.emplace_back(of = std::min(of, sorted[e].time), e);
  }
  std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return b.first < a.first; });
  const Played played = play(recording, Direction::backwards);
  REQUIRE(played.events.size() == sorted.size());
  bool same = true;
  for (std::size_t i = 0; i < sorted.size(); ++i)
    same = same && played.labels[i].sequence == expected[i].second &&
           played.events[i].time == negated(sorted[expected[i].second].time) &&
           played.bodies[i] == sorted_bodies[expected[i].second];
  CHECK(same);
  // Forwards as recorded.
  const Played forwards = play(recording, Direction::forwards);
  for (std::size_t i = 0; i < sorted.size(); ++i) same = same && forwards.labels[i].sequence == i;
  CHECK(same);
}

TEST_CASE("replay: backwards, messages and operations change their roles") {
  const Definitions definitions = world(2);
  const auto message = [](Ticks time, Role role, ProcessIndex process, std::uint64_t bytes) {
    return Event{.time = Time(time),
                 .process = process,
                 .role = role,
                 .peer = 1 - process,
                 .communicator = 0,
                 .tag = 3,
                 .bytes = bytes};
  };
  const auto end = [](Ticks time, ProcessIndex process, std::uint64_t sent, std::uint64_t received) {
    return Event{.time = Time(time),
                 .process = process,
                 .role = Role::collective_end,
                 .operation = Operation::bcast,
                 .communicator = 0,
                 .root = 0,
                 .bytes = sent,
                 .received = received};
  };
  const std::vector<Event> events{message(0, Role::send, 0, 10),
                                  message(1, Role::receive, 1, 20),
                                  {.time = Time(2), .process = 0, .role = Role::collective_begin},
                                  end(3, 0, 64, 0),
                                  end(4, 1, 0, 64),
                                  message(5, Role::send, 0, 10)};
  Recording recording(definitions, std::nullopt);
  record(recording, events, std::vector<std::string>(events.size()));
  const Played played = play(recording, Direction::backwards);
  // The end without begin became a begin and an added end.
  REQUIRE(played.events.size() == 7);
  CHECK(played.events[0].role == Role::internal);  // never received
  CHECK(played.events[1].role == Role::collective_begin);
  CHECK(played.labels[1].sequence == 4);
  CHECK(played.events[2].role == Role::collective_end);
  CHECK(played.labels[2].sequence == none);
  CHECK(played.events[3].role == Role::collective_begin);
  const Event& mirrored = played.events[4];
  CHECK(mirrored.role == Role::collective_end);
  CHECK(mirrored.operation == Operation::reduce);
  CHECK(mirrored.bytes == 0);
  CHECK(mirrored.received == 64);
  CHECK(mirrored.communicator == played.events[2].communicator);
  CHECK(played.events[5].role == Role::send);
  CHECK(played.events[5].bytes == 10);  // the length that the send of the trace names
  CHECK(played.events[6].role == Role::receive);
  CHECK(played.events[5].tag == played.events[6].tag);
}

TEST_CASE("replay: a window has the records between two times, by the largest time of each clock") {
  const Definitions definitions = world(2);
  std::vector<Event> events;
  for (const auto& [time, process] : std::vector<std::pair<Ticks, ProcessIndex>>{
           {100, 0}, {200, 0}, {150, 0}, {210, 1}, {220, 0}, {190, 0}, {300, 1}, {301, 1}})
    events.push_back({.time = Time(time), .process = process});
  Recording recording(definitions, Window{105, 120, 80});
  record(recording, events, std::vector<std::string>(events.size()));
  const Played played = play(recording, Direction::forwards);
  std::vector<Sequence> kept;
  for (const Label& label : played.labels) kept.push_back(label.sequence);
  CHECK(kept == std::vector<Sequence>{3, 4, 5});
}

/// Collects what leaves.
class Collected final : public EventSink {
 public:
  void events(std::span<const Corrected> run) override {
    for (const Corrected& event : run)
      lines.push_back(std::to_string(event.time.ticks()) + ' ' + std::string(event.body));
  }
  void note(Body line) override { lines.emplace_back(line); }
  std::vector<std::string> lines;
};

TEST_CASE("replay: results forwards and backwards are combined record by record, with notes in their places") {
  const Definitions definitions = world(1);
  Recording recording(definitions, std::nullopt);
  Batch batch;
  const std::vector<std::string> bodies{"a", "b", "c"};
  std::vector<Time> times;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    batch.events.push_back({.time = Time(static_cast<Ticks>(10 * i)), .process = 0});
    batch.bodies.emplace_back(bodies[i]);
    times.push_back(batch.events.back().time);
  }
  batch.notes = {{0, "first"}, {2, "before c"}, {3, "last"}};
  REQUIRE(recording.add(batch, times));
  recording.finish(true);
  const auto labelled = [&](Direction direction) {
    Player player(recording, direction);
    Batch played;
    REQUIRE(player.read(played));
    return played.bodies.size() == 3 ? std::vector<std::string>(played.bodies.begin(), played.bodies.end())
                                     : std::vector<std::string>();
  };
  const std::vector<std::string> forwards = labelled(Direction::forwards);
  const std::vector<std::string> backwards = labelled(Direction::backwards);
  REQUIRE(forwards.size() == 3);
  Backwards back;
  // c, b and a at 19, 8 and -5.
  const std::vector<Corrected> reversed{{negated(Time(19)), negated(Time(20)), 0, backwards[0]},
                                        {negated(Time(8)), negated(Time(10)), 0, backwards[1]},
                                        {negated(Time(-5)), negated(Time(0)), 0, backwards[2]}};
  back.events(reversed);
  back.finish();
  Collected alone;
  {
    Restorer out(recording, alone);
    back.pass_on(out);
    out.finish();
  }
  CHECK(alone.lines == std::vector<std::string>{"first", "-5 a", "8 b", "before c", "19 c", "last"});
  Collected both;
  Restorer out(recording, both);
  MeanOf mean(back, out);
  const std::vector<Corrected> run{
      {Time(2), Time(0), 0, forwards[0]}, {Time(13), Time(10), 0, forwards[1]}, {Time(20), Time(20), 0, forwards[2]}};
  mean.events(run);
  mean.finish();
  out.finish();
  // Rounded down.
  CHECK(both.lines == std::vector<std::string>{"first", "-2 a", "10 b", "before c", "19 c", "last"});
}

}  // namespace
}  // namespace clc::replay
