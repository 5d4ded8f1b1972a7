// Channels that lost their first or their last records, in programs that compute between their messages, so that delays
// and round trips do not tell which: the truth, and the filter's code against the judge's.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "for_seeds.hpp"
#include "lossy.hpp"
#include "random_trace.hpp"

namespace clc::test {
namespace {

constexpr Ticks period = 100'000;

/// What is lost of a channel, at its begin or its end.
struct Hole {
  ProcessIndex sender;
  ProcessIndex receiver;
  bool sends;
  bool at_begin;
  std::int64_t records;
};

/// Processes of a grid that send to their neighbours, compute, and receive; unrest: of what they compute.
class StencilMaker {
 public:
  StencilMaker(Random& random, double unrest, std::int64_t least) : random_(random), unrest_(unrest) {
    side_ = static_cast<ProcessIndex>(random.integer(3, 4));
    repetitions_ = random.integer(least, 200);
    computes_ = random.real(0.2, 0.9);
    std::vector<ProcessIndex> all;
    made_.definitions.resolution = Resolution(1'000'000'000);
    for (ProcessIndex p = 0; p < side_ * side_; ++p) {
      all.push_back(made_.definitions.add_process(p, "", "", {}));
      clocks_.push_back({random.integer(-10 * period, 10 * period), random.real(-5e-5, 5e-5)});
      phases_.push_back(random.integer(0, period / 20));
    }
    made_.definitions.add_communicator(0, all);
  }

  [[nodiscard]] ProcessIndex processes() const { return side_ * side_; }
  [[nodiscard]] bool are_neighbours(ProcessIndex a, ProcessIndex b) const {
    const ProcessIndex rows = std::max(a / side_, b / side_) - std::min(a / side_, b / side_);
    const ProcessIndex columns = std::max(a % side_, b % side_) - std::min(a % side_, b % side_);
    return rows + columns == 1;
  }

  /// The messages of a channel wait for so many repetitions.
  void let_wait(ProcessIndex sender, ProcessIndex receiver, double repetitions) {
    waiting_ = {sender, receiver, repetitions};
  }
  [[nodiscard]] Lossy make(const std::vector<Hole>& holes) {
    for (ProcessIndex p = 0; p < processes(); ++p)
      for (std::int64_t k = 0; k < repetitions_; ++k) {
        const Ticks begin = k * period + phases_[p];
        for (const bool sends : {true, false})
          for (ProcessIndex other = 0, nth = 0; other < processes(); ++other)
            if (are_neighbours(p, other)) add(holes, p, other, sends, k, begin + 100 * ++nth);
      }
    std::ranges::stable_sort(made_.events, {}, &Event::time);
    std::ranges::sort(made_.losses);
    return std::move(made_);
  }

 private:
  struct Clock {
    Ticks ahead;
    double rate;
  };
  struct Waiting {
    ProcessIndex sender = no_process;
    ProcessIndex receiver = no_process;
    double repetitions = 0;
  };

  void add(const std::vector<Hole>& holes, ProcessIndex process, ProcessIndex other, bool sends, std::int64_t k,
           Ticks begin) {
    Event event;
    event.process = process;
    event.peer = other;
    event.communicator = 0;
    event.role = sends ? Role::send : Role::receive;
    const double share = sends ? 0 : computes_ + unrest_ * random_.real();
    const bool waits = !sends && other == waiting_.sender && process == waiting_.receiver;
    const Ticks time =
        begin + static_cast<Ticks>(share * period) + (waits ? static_cast<Ticks>(waiting_.repetitions * period) : 0);
    event.time =
        Time(time + clocks_[process].ahead + static_cast<Ticks>(clocks_[process].rate * static_cast<double>(time)));
    const auto is_lost = [&](bool of_sends) {
      return std::ranges::any_of(holes, [&](const Hole& hole) {
        return hole.sender == (sends ? process : other) && hole.receiver == (sends ? other : process) &&
               hole.sends == of_sends && (hole.at_begin ? k < hole.records : k >= repetitions_ - hole.records);
      });
    };
    if (is_lost(sends)) return;
    made_.events.push_back(event);
    if (is_lost(!sends)) made_.losses.push_back({sender_of(event), receiver_of(event), 0, 0, event.time, !sends});
  }

  Random& random_;
  double unrest_;
  ProcessIndex side_ = 0;
  std::int64_t repetitions_ = 0;
  double computes_ = 0;  // of the time of a repetition
  std::vector<Clock> clocks_;
  std::vector<Ticks> phases_;
  Waiting waiting_;
  Lossy made_;
};

Hole random_hole(Random& random, const StencilMaker& maker, std::int64_t most) {
  Hole hole{0, 0, random.chance(0.5), random.chance(0.5), random.integer(1, most)};
  while (!maker.are_neighbours(hole.sender, hole.receiver)) {
    hole.sender = static_cast<ProcessIndex>(random.index(maker.processes()));
    hole.receiver = static_cast<ProcessIndex>(random.index(maker.processes()));
  }
  return hole;
}

TEST_CASE("a channel whose messages would arrive before they were sent, round a circle, is shifted") {
  for_seeds(2, 8, [](std::uint64_t seed) -> std::string {
    Random random(seed);
    StencilMaker maker(random, 0.05, 30);
    Hole hole = random_hole(random, maker, 3);
    hole.sends |= hole.at_begin;
    const Lossy stencil = maker.make({hole});
    return differ(ends_of(stencil).losses(), stencil.losses);
  });
}

TEST_CASE("of a trace that was cut at a recorded time, the last records are missing, not the first ones") {
  for_seeds(2, 8, [](std::uint64_t seed) -> std::string {
    Random random(seed);
    StencilMaker maker(random, 0.05, 100);
    Lossy stencil = maker.make({});
    const Time cut = stencil.events[stencil.events.size() / 2].time;
    std::erase_if(stencil.events, [&](const Event& event) { return event.time > cut; });
    // Of which the other end would have come later by the clock of its process.
    std::map<std::tuple<ProcessIndex, ProcessIndex, bool>, std::vector<Time>> ends;
    for (const Event& event : stencil.events)
      ends[{sender_of(event), receiver_of(event), event.role == Role::send}].push_back(event.time);
    for (const auto& [side, times] : ends) {
      const auto& [sender, receiver, sends] = side;
      const std::size_t others = ends[{sender, receiver, !sends}].size();
      for (std::size_t k = others; k < times.size(); ++k)
        stencil.losses.push_back({sender, receiver, 0, 0, times[k], !sends});
    }
    std::ranges::sort(stencil.losses);
    const lost::Ends found = ends_of(stencil);
    if (!found.are_all_in(judges(stencil))) return "another judgement";
    return differ(found.losses(), stencil.losses);
  });
}

TEST_CASE("messages that wait for whole repetitions are not taken for those of lost records") {
  for_seeds(2, 8, [](std::uint64_t seed) -> std::string {
    Random random(seed);
    StencilMaker maker(random, 0.02, 40);
    const Hole any = random_hole(random, maker, 2);
    const Hole hole{any.sender, any.receiver, false, false, any.records};
    maker.let_wait(hole.sender, hole.receiver, static_cast<double>(hole.records));
    const Lossy stencil = maker.make({hole});
    return differ(ends_of(stencil).losses(), stencil.losses);
  });
}

TEST_CASE("messages that wait for a part of a repetition are shifted by the filter as by the judge") {
  for_seeds(4, enough_to_count, [](std::uint64_t seed) -> std::string {
    Random random(seed + 2'000'000);
    StencilMaker maker(random, 0.02, 40);
    Hole hole = random_hole(random, maker, 2);
    hole.sends = hole.at_begin = true;
    // Shifted right, too, its offset would not be that of the others.
    maker.let_wait(hole.sender, hole.receiver, random.real(0.3, 0.4));
    std::size_t right = 0;
    return differ_from_judge(maker.make({hole}), right);
  });
}

TEST_CASE("channels are shifted by the filter as by the judge") {
  std::size_t right = 0;
  for_seeds(2, enough_to_count, [&](std::uint64_t seed) -> std::string {
    Random random(seed + 1'000'000);
    StencilMaker maker(random, random.pick<double>({0.02, 0.1, 0.4}), 8);
    std::vector<Hole> holes;
    for (std::int64_t left = random.integer(1, 4); left > 0; --left) holes.push_back(random_hole(random, maker, 8));
    const Lossy stencil = maker.make(holes);
    return differ_from_judge(stencil, right);
  });
  CHECK(right > 0);
}

}  // namespace
}  // namespace clc::test
