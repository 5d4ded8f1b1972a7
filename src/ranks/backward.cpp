#include "ranks/backward.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

namespace clc::ranks {

namespace {

constexpr EventIndex release_interval = 64;  // events of a clock

}  // namespace

Backward::Backward(const Parameters& parameters, const Definitions& definitions, const Distances& distances,
                   SetBack& set_back, Output& output)
    : distances_(distances),
      set_back_(set_back),
      output_(output),
      amortizer_(static_cast<double>(definitions.resolution.ticks_of_microseconds(parameters.clock_difference_us)),
                 parameters.max_error_percent / 100, parameters.amortization, recorder_),
      pool_(definitions.clocks()),
      of_(definitions.processes().size()) {
  amortizer_.grow(of_.size());
  queues_.reserve(of_.size());
  for (std::size_t clock = 0; clock < of_.size(); ++clock) queues_.emplace_back(pool_);
}

std::uint64_t Backward::memory() const noexcept {
  std::uint64_t bytes = pool_.memory();
  for (const OfClock& state : of_) bytes += state.waiting.memory();
  return bytes;
}

void Backward::add(ClockIndex clock, const Processed& event) {
  OfClock& state = of_[clock];
  if (amortizer_.lengthens(event.jump)) ++beyond_;
  if (event.answers == 0 && state.waiting.empty()) {
    ++state.first;
    enter(clock, event);
  } else {
    state.waiting.push_back(event);
  }
}

void Backward::expect(ClockIndex clock, EventIndex index, std::uint32_t answers) {
  OfClock& state = of_[clock];
  state.waiting[static_cast<std::size_t>(index - state.first)].answers += answers;
}

void Backward::limit(ClockIndex clock, EventIndex index, double limit) {
  OfClock& state = of_[clock];
  Processed& tail = state.waiting[static_cast<std::size_t>(index - state.first)];
  tail.limit = std::min(tail.limit, limit);
  --tail.answers;
  settle(clock);
}

void Backward::settle(ClockIndex clock) {
  OfClock& state = of_[clock];
  for (; !state.waiting.empty() && state.waiting.front().answers == 0; ++state.first) {
    enter(clock, state.waiting.front());
    state.waiting.pop_front();
  }
}

void Backward::finish() {
  for (ClockIndex clock = 0; clock < of_.size(); ++clock) {
    ShortQueue<Processed>& waiting = of_[clock].waiting;
    for (std::size_t i = 0; i < waiting.size(); ++i) waiting[i].answers = 0;
    settle(clock);
    release(clock, Time::latest());
  }
}

void Backward::enter(ClockIndex clock, const Processed& event) {
  ProcessQueue& queue = queues_[clock];
  const EventIndex index = queue.end();
  Node& node = event.process == clock ? queue.append(event.recorded, index, Role::internal, {})
                                      : queue.append_of(event.process, event.recorded, index, Role::internal, {});
  node.offset = event.offset;
  queue.lower_limit(index, event.limit);
  queue.head_processed();
  if (event.jump > 0) {
    amortizer_.jumped(clock, index, event.local, event.jump);
    amortizer_.amortize(clock, queue, std::nullopt, 0, no_event);
  }
  // One tick less for rounding.
  if ((index + 1) % release_interval == 0)
    release(clock, event.recorded + whole(event.offset) - amortizer_.interval() - 1);
}

void Backward::release(ClockIndex clock, Time horizon) {
  ProcessQueue& queue = queues_[clock];
  for (;;) {
    const auto run = queue.front_run();
    std::size_t taken = 0;
    for (; taken < run.size(); ++taken) {
      const Node& node = run[taken];
      if (horizon != Time::latest() && node.recorded + whole(node.offset) >= horizon) break;
      write(clock, queue, node, queue.begin() + taken);
    }
    const bool all = taken == run.size();
    queue.pop(taken);
    if (!all || taken == 0) break;
  }
  if (set_back_.of(clock)) set_back_.forget(clock, queue.begin());
  QueuePool::Retired pages = pool_.retired();
  pool_.recycle(pages);
}

/// The formulas of Merge::take_of.
void Backward::write(ClockIndex clock, ProcessQueue& queue, const Node& node, EventIndex index) {
  OfClock& state = of_[clock];
  const Ticks distance = distances_.written(clock);
  const double offset = node.limit < node.offset ? std::max(0.0, node.limit) : node.offset;
  const Ticks least = node.recorded > state.recorded ? distance : 0;
  Time time = std::max(node.recorded + clc::written(offset), state.corrected + least);
  Time recorded = node.recorded;
  if (set_back_.of(clock)) [[unlikely]] {
    recorded = set_back_.recorded(clock, index, node.recorded);
    if (recorded != set_back_.written(clock).value_or(state.recorded))
      time = std::max(time, state.corrected + distance);
    set_back_.written(clock) = recorded;
  }
  if (time == Time::latest() && node.offset >= 1) ++saturated_;
  state.recorded = node.recorded;
  state.corrected = time;
  ProcessIndex process = clock;
  if (node.names_process()) std::memcpy(&process, queue.take_body(node.body_size).data(), sizeof process);
  output_.written(process, recorded, time);
}

}  // namespace clc::ranks
