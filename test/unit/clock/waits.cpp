// When waits end, and in which order.
#include "clock/waits.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <vector>

namespace clc::test {
namespace {

/// Waits are told apart by `which`.
struct Observer final : WaitObserver {
  struct State {
    bool waits = true;
    bool misses = true;
    int needed = 1;  // how often it has to be ended
  };
  std::map<std::uint64_t, State> states;
  std::vector<std::uint64_t> ended;

  [[nodiscard]] bool waits_still(const Wait& wait) const override { return states.at(wait.which).waits; }
  [[nodiscard]] bool misses_a_record(const Wait& wait) const override { return states.at(wait.which).misses; }
  void end_wait(const Wait& wait) override {
    ended.push_back(wait.which);
    State& state = states.at(wait.which);
    state.waits = --state.needed > 0;
    state.misses = false;
  }
};

using Ended = std::vector<std::uint64_t>;

struct Fixture {
  Observer observer;
  Waits waits{10, observer};
  /// Begins at that time; the same number is its name.
  void begin(Ticks time, Observer::State state, bool collective = false) {
    const auto which = static_cast<std::uint64_t>(time);
    observer.states[which] = state;
    waits.begin(Time(time), which, which, 0, collective);
  }
  Ended end_overdue(Ticks now) {
    observer.ended.clear();
    if (waits.is_one_over(Time(now))) waits.end_overdue(Time(now));
    return observer.ended;
  }
};

}  // namespace

TEST_CASE("waits: what misses a record is given up after the limit") {
  Fixture f;
  f.begin(100, {});
  f.begin(103, {});
  CHECK(f.end_overdue(110).empty());
  CHECK(f.end_overdue(111) == Ended{100});
  CHECK(f.end_overdue(113).empty());
  CHECK(f.end_overdue(114) == Ended{103});
  CHECK(f.waits.empty());
}

TEST_CASE("waits: what waits for a record that was read may wait twice as long") {
  Fixture f;
  f.begin(100, {true, false, 1});
  f.begin(101, {true, true, 1});
  CHECK(f.end_overdue(119) == Ended{101});
  CHECK(f.end_overdue(120).empty());
  CHECK(f.end_overdue(121) == Ended{100});
}

TEST_CASE("waits: an operation whose members wait themselves is given up in two steps") {
  Fixture f;
  f.begin(100, {true, true, 2}, true);
  CHECK(f.end_overdue(111) == Ended{100});
  CHECK_FALSE(f.waits.empty());
  CHECK(f.end_overdue(120).empty());
  CHECK(f.end_overdue(121) == Ended{100});
  CHECK(f.waits.empty());
}

TEST_CASE("waits: those that are over by themselves are not given up") {
  Fixture f;
  f.begin(100, {});
  f.begin(101, {});
  f.observer.states[100].waits = false;
  CHECK(f.end_overdue(200) == Ended{101});
}

TEST_CASE("waits: at the end, missing records come before circles") {
  Fixture f;
  f.begin(100, {true, false, 1});
  f.begin(101, {true, true, 1});
  f.begin(102, {true, false, 1});
  f.waits.end_all();
  CHECK(f.observer.ended == Ended{101, 100, 102});
  CHECK(f.waits.empty());
}

TEST_CASE("waits: the oldest one is a blocked one") {
  Fixture f;
  f.begin(100, {true, false, 1});
  f.begin(105, {});
  f.begin(106, {});
  CHECK(f.end_overdue(112).empty());  // 100 is blocked
  f.observer.states[105].waits = false;
  CHECK(f.waits.take_oldest()->which == 100);
  CHECK(f.waits.take_oldest()->which == 106);
  CHECK_FALSE(f.waits.take_oldest());
}

TEST_CASE("waits: those that are over are forgotten, wherever they are") {
  Fixture f;
  for (Ticks time = 0; time < 5000; ++time) f.begin(time, {time == 0, false, 1});
  f.waits.forget_finished();
  CHECK(f.waits.take_oldest()->which == 0);
  CHECK(f.waits.empty());
}

}  // namespace clc::test
