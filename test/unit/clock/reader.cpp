// The parts of the loop by themselves: when heads are processed, what is given up, and when a release is due.
#include "clock/reader.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "clock/upkeep.hpp"
#include "message.hpp"

namespace clc::test {
namespace {

struct Nowhere final : EventSink {
  void events(std::span<const Corrected> /*run*/) override {}
  void note(Body /*line*/) override {}
};

/// Three processes; a message takes at least 10 ticks.
struct Loop {
  static constexpr ProcessIndex processes = 3;
  Parameters parameters;
  Definitions definitions;
  Nowhere sink;
  std::unique_ptr<Reader> reader;

  Loop() {
    definitions.resolution = Resolution(1'000'000);
    std::vector<ProcessIndex> all;
    for (ProcessIndex p = 0; p < processes; ++p) all.push_back(definitions.add_process(p, ""));
    definitions.add_communicator(0, all);
    parameters.min_delay_us = 10;
    parameters.wait_limit_s = 1;
    reader = std::make_unique<Reader>(parameters, definitions, sink);
    reader->heads.grow(processes);
  }
  void push(const Event& event) { reader->push(event, {}); }
  void internal(ProcessIndex process, Ticks time) {
    Event event;
    event.process = process;
    event.time = Time(time);
    push(event);
  }
  [[nodiscard]] const ProcessQueue& queue(ProcessIndex process) const { return reader->heads.lanes.queues[process]; }
  [[nodiscard]] std::uint64_t waiting(ProcessIndex process) const { return queue(process).waiting(); }
  [[nodiscard]] double offset(ProcessIndex process, EventIndex index) const { return queue(process).raw(index).offset; }
};

}  // namespace

TEST_CASE("heads: a receive waits for its send, all behind it wait too, and go on with it") {
  Loop loop;
  loop.push(message(Role::receive, Time(100), 1, 0));
  loop.internal(1, 101);
  loop.push(message(Role::send, Time(102), 1, 2));
  loop.push(message(Role::receive, Time(103), 2, 1));
  CHECK(loop.waiting(1) == 3);
  CHECK(loop.waiting(2) == 1);
  loop.push(message(Role::send, Time(150), 0, 1));
  for (ProcessIndex process = 0; process < Loop::processes; ++process) CHECK(loop.waiting(process) == 0);
  CHECK(loop.offset(1, 0) == 60);  // 150 + 10 - 100
  CHECK(loop.offset(2, 0) > 68);   // 102 + 59.99... + 10 - 103
  CHECK(loop.offset(2, 0) <= 69);
  CHECK(loop.reader->heads.lanes.events() == 5);
}

TEST_CASE("patience: after the wait limit a receive goes on, and its sender counts as ended") {
  Loop loop;
  loop.push(message(Role::receive, Time(100), 1, 0));
  loop.internal(2, 1'000'100);
  CHECK(loop.waiting(1) == 1);
  loop.internal(2, 1'000'101);
  CHECK(loop.waiting(1) == 0);
  CHECK(loop.offset(1, 0) == 0);
  const Lanes& lanes = loop.reader->heads.lanes;
  CHECK(lanes.analysis.counted(Case::receive_without_send) == 1);
  CHECK(lanes.processes.count_ended() == 1);
  // Nothing waits for it any longer, until it is heard of again.
  loop.push(message(Role::receive, Time(1'000'102), 1, 0));
  CHECK(loop.waiting(1) == 0);
  CHECK(lanes.analysis.counted(Case::receive_without_send) == 2);
  loop.internal(0, 1'000'103);
  CHECK(lanes.processes.count_ended() == 0);
  loop.push(message(Role::receive, Time(1'000'104), 1, 0));
  CHECK(loop.waiting(1) == 1);
}

TEST_CASE("patience: the oldest wait is given up first") {
  Loop loop;
  loop.push(message(Role::receive, Time(100), 1, 0));
  loop.push(message(Role::receive, Time(101), 2, 0));
  loop.reader->patience.give_up_oldest();
  CHECK(loop.waiting(1) == 0);
  CHECK(loop.waiting(2) == 1);
  loop.reader->patience.give_up_oldest();
  CHECK(loop.waiting(2) == 0);
  loop.reader->patience.give_up_oldest();  // there is none
  CHECK(loop.reader->heads.lanes.analysis.counted(Case::wait_given_up) == 2);
}

TEST_CASE("processes: only what wrote nothing since is presumed ended") {
  Loop loop;
  Processes& processes = loop.reader->heads.lanes.processes;
  loop.internal(0, 1);  // positions 0, 1, 2 of the input
  loop.internal(1, 2);
  loop.internal(0, 3);
  processes.presume_ended(0, 1);
  CHECK(processes.count_ended() == 0);
  processes.presume_ended(1, 2);
  processes.presume_ended(1, 2);
  CHECK(processes.count_ended() == 1);
  CHECK(processes.ended()(1));
  CHECK_FALSE(processes.ended()(0));
  // Those that return are listed; a list that becomes long starts anew.
  const std::uint64_t round = processes.revived().round;
  for (std::size_t i = 0; i < 5000; ++i) {
    processes.run(1, Time(4));
    REQUIRE(processes.revived().processes.back() == 1);
    REQUIRE(processes.revived().processes.size() <= 2048);
    processes.presume_ended(1, 9);
  }
  CHECK(processes.revived().round > round);
}

TEST_CASE("upkeep: a release is due after so many events, large ones count for several") {
  Loop loop;
  Upkeep upkeep(std::uint64_t{1} << 30U, *loop.reader);
  CHECK(upkeep.count(10) == 1);  // the first one plans
  CHECK(upkeep.is_due());
  upkeep.release();
  CHECK(upkeep.count(2000) == 2000);
  upkeep.count_back(1000);
  CHECK(upkeep.count(500) == 500);
  CHECK_FALSE(upkeep.is_due());
  // 548 are left; a body of 512 * 100 bytes stands for 100 events, of which 30 were counted.
  CHECK(Upkeep::is_large(513));
  CHECK_FALSE(Upkeep::is_large(512));
  CHECK(upkeep.count_large(512 * 100, 30) == 30);
  CHECK(upkeep.count(1000) == 478);
  CHECK(upkeep.is_due());
}

TEST_CASE("upkeep: a pause lets out what is final, and changes no plan") {
  Loop loop;
  Upkeep upkeep(std::uint64_t{1} << 30U, *loop.reader);
  upkeep.release();
  for (Ticks time = 1; time <= 10; ++time) loop.internal(0, time * 1'000'000);
  CHECK(loop.reader->heads.lanes.events() == 10);
  upkeep.release_in_pause();
  CHECK(loop.reader->heads.lanes.events() < 10);
  CHECK(upkeep.count(5000) == 2048);
}

}  // namespace clc::test
