// The stages of the clock by themselves: clc-bench-stages [STAGE...], for scripts/bench --stage. Prints the time of
// each operation, median and lowest of several runs over the same input.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "clc/event_sink.hpp"
#include "clc/parameters.hpp"
#include "clock/amortizer.hpp"
#include "clock/controller.hpp"
#include "clock/gathered.hpp"
#include "clock/process_queue.hpp"
#include "clock/recorder.hpp"
#include "clock/regulators.hpp"
#include "clock/waits.hpp"

namespace {

using namespace clc;

constexpr std::size_t operations = 1 << 20;
constexpr std::size_t clocks = 64;

/// Numbers that are the same everywhere.
class Random {
 public:
  std::uint64_t operator()(std::uint64_t below) {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return (state_ >> 33) % below;
  }

 private:
  std::uint64_t state_ = 1;
};

/// Keeps the compiler from leaving out what nobody looks at.
template <class T>
void use(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

void release(ProcessQueue& queue, QueuePool& pool) {
  while (true) {
    const auto run = queue.front_run();
    if (run.empty()) break;
    for (const Node& node : run) use(queue.take_body(node.body_size));
    queue.pop(run.size());
  }
  QueuePool::Retired pages = pool.retired();
  pool.recycle(pages);
}

/// Events through the buffers of 64 clocks, 4,096 at a time.
void queue() {
  QueuePool pool(clocks);
  std::vector<ProcessQueue> queues;
  for (std::size_t i = 0; i < clocks; ++i) queues.emplace_back(pool);
  for (std::size_t i = 0; i < operations; ++i) {
    ProcessQueue& queue = queues[i % clocks];
    queue.append(Time(static_cast<Ticks>(i)), i, Role::send, "12 bytes, so");
    queue.head_processed();
    if (i % 4096 == 4095)
      for (ProcessQueue& each : queues) release(each, pool);
  }
}

/// Shifts of the newest 2,000 of 20,000 events, and the search for crosses before.
void shifts() {
  QueuePool pool(1);
  ProcessQueue queue(pool);
  for (std::size_t i = 0; i < 20'000; ++i) {
    queue.append(Time(static_cast<Ticks>(100 * i)), i, Role::send, {});
    queue.head_processed();
  }
  const EventIndex last = queue.end() - 1;
  const EventIndex first = last - 2000;
  const Time reference = queue.raw(last).recorded;
  for (std::size_t i = 0; i < operations / 16; ++i) {
    queue.settle(first, last);
    use(queue.steepest(first, last, 0, 0.001, 0, reference));
    queue.shift(first, last, 1e-9, -200'000, 0, reference);
  }
}

/// Jumps of the newest event, each spread over 1,000 events with a limit at every tenth.
void amortizer() {
  QueuePool pool(1);
  Recorder analysis;
  ProcessQueue queue(pool);
  Amortizer amortizer(1000, 0.01, true, analysis);
  amortizer.grow(1);
  double offset = 0;
  for (std::size_t i = 0; i < operations; ++i) {
    queue.append(Time(static_cast<Ticks>(100 * i)), i, Role::send, {});
    queue.head().offset = offset;
    queue.head_processed();
    if (i % 10 == 0) queue.lower_limit(i, offset + 1000);
    if (i % 16 == 15) {
      offset += 1;
      queue.append(Time(static_cast<Ticks>(100 * i + 50)), i, Role::receive, {});
      queue.head().offset = offset;
      queue.head_processed();
      amortizer.jumped(0, queue.end() - 1, offset - 1, 1);
      amortizer.amortize(0, queue, std::nullopt, 0, no_event);
    }
    if (i % 4096 == 4095) {
      while (queue.end() - queue.begin() > 2000)
        queue.pop(std::min<std::size_t>(queue.front_run().size(), queue.end() - queue.begin() - 2000));
    }
  }
}

/// Events whose clocks are ahead by changing amounts, so that regulators B and C have to be asked.
void regulators() {
  Parameters parameters;
  RegulatorB b(parameters, Parameters::any_clock);
  RegulatorC c(parameters, Parameters::any_clock, false);
  b.grow(clocks);
  Random random;
  for (ProcessIndex process = 0; process < clocks; ++process) b.observe(process, 1, true);
  for (std::size_t i = 0; i < operations; ++i) {
    const auto offset = static_cast<double>(1 + random(1000));
    b.observe(static_cast<ProcessIndex>(random(clocks)), offset, true);
    c.observe(Time(static_cast<Ticks>(100 * i)), offset);
    use(b.gamma());
    use(c.gamma(offset));
  }
}

/// The forward step, with a bound at every fourth event and a jump at every 64th.
void controller() {
  Recorder analysis;
  const Definitions definitions;
  const Distances distances({}, definitions);
  SetBack set_back;
  Controller controller(Parameters{}, distances, set_back, analysis);
  controller.grow(clocks);
  for (std::size_t i = 0; i < operations; ++i) {
    Bound bound;
    bound.any = i % 4 == 0;
    bound.ticks = i % 64 == 0 ? 500 : -1000;
    use(controller.step(static_cast<ClockIndex>(i % clocks), i / clocks, Time(static_cast<Ticks>(10 * i)), bound,
                        true));
  }
}

/// Waits that begin and are over before their limit.
void waits() {
  struct Observer final : WaitObserver {
    std::uint64_t done = 0;
    [[nodiscard]] bool waits_still(const Wait& wait) const override { return wait.which >= done; }
    [[nodiscard]] bool misses_a_record(const Wait&) const override { return true; }
    void end_wait(const Wait& wait) override { done = wait.which + 1; }
  } observer;
  Waits waits(100'000, observer);
  for (std::size_t i = 0; i < operations; ++i) {
    const Time now(static_cast<Ticks>(10 * i));
    waits.begin(now, i, i, 0, false);
    if (waits.is_one_over(now)) waits.end_overdue(now);
    if (i > 100) observer.done = i - 100;
    if (i % 2048 == 0) waits.forget_finished();
  }
}

/// 4,096 events at a time, gathered from 64 clocks.
void order() {
  struct Nothing final : EventSink {
    void events(std::span<const Corrected> run) override { use(run); }
    void note(Body) override {}
  } nothing;
  Gathered gathered;
  Random random;
  Ticks begin = 0;
  for (std::size_t done = 0; done < operations; done += 4096) {
    gathered.clear();
    for (std::size_t clock = 0; clock < clocks; ++clock) {
      constexpr std::size_t each = 4096 / clocks;
      gathered.make_room(each);
      const std::size_t from = gathered.size();
      for (std::size_t k = 0; k < each; ++k) {
        const Time time(begin + static_cast<Ticks>(k * 6400 + random(6400)));
        gathered.events()[from + k] = {time, time, static_cast<ProcessIndex>(clock), {}};
        gathered.orders()[from + k] = done + k * clocks + clock;
      }
      gathered.resize(from + each);
      gathered.added(from);
    }
    gathered.write(nothing);
    begin += 4096 * 100;
  }
}

struct Stage {
  std::string_view name;
  std::string_view what;
  void (*run)();
  std::size_t times;
};
constexpr std::array<Stage, 7> stages{{
    {"queue", "an event through the buffer of its clock", queue, operations},
    {"shifts", "a shift of 2,000 events", shifts, operations / 16},
    {"amortizer", "a jump", amortizer, operations / 16},
    {"regulators", "an event, regulators B and C", regulators, operations},
    {"controller", "an event", controller, operations},
    {"waits", "a wait", waits, operations},
    {"order", "an event", order, operations},
}};

void measure(const Stage& stage) {
  std::array<double, 7> nanoseconds;
  for (double& each : nanoseconds) {
    const auto begin = std::chrono::steady_clock::now();
    stage.run();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    each = took.count() / static_cast<double>(stage.times);
  }
  std::sort(nanoseconds.begin(), nanoseconds.end());
  std::printf("%-12s %8.1f ns (lowest %.1f)  %.*s\n", stage.name.data(), nanoseconds[nanoseconds.size() / 2],
              nanoseconds.front(), static_cast<int>(stage.what.size()), stage.what.data());
}

}  // namespace

int main(int count, char** arguments) {
  const std::span<char*> names(arguments + 1, static_cast<std::size_t>(count - 1));
  for (const char* name : names) {
    if (std::any_of(stages.begin(), stages.end(), [&](const Stage& stage) { return stage.name == name; })) continue;
    std::fprintf(stderr, "clc-bench-stages: no stage %s; expected", name);
    for (const Stage& stage : stages) std::fprintf(stderr, " %s", stage.name.data());
    std::fprintf(stderr, "\n");
    return 2;
  }
  for (const Stage& stage : stages)
    if (names.empty() || std::find(names.begin(), names.end(), stage.name) != names.end()) measure(stage);
}
