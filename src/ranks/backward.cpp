#include "ranks/backward.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

namespace clc::ranks {

namespace {

constexpr EventIndex release_interval = 64;  // events of a clock
constexpr unsigned most_behind = 512;        // events of all clocks

}  // namespace

Backward::Backward(const Parameters& parameters, const Resolution& resolution, const OwnClocks& clocks,
                   const Distances& distances, SetBack& set_back, Output& output)
    : clocks_(clocks),
      distances_(distances),
      set_back_(set_back),
      output_(output),
      amortizer_(static_cast<double>(resolution.ticks_of_microseconds(parameters.clock_difference_us)),
                 parameters.max_error_percent / 100, parameters.amortization, recorder_),
      pool_(clocks.size()),
      of_(clocks.size()) {
  amortizer_.grow(of_.size());
  queues_.reserve(of_.size());
  for (std::size_t clock = 0; clock < of_.size(); ++clock) queues_.emplace_back(pool_);
}

void Backward::expect(ClockIndex clock, EventIndex index, std::uint32_t answers) {
  answers_of(queues_[clock].raw(index)) += answers;
}

void Backward::list(ClockIndex clock) {
  if (std::exchange(of_[clock].is_listed, true)) return;
  listed_.push_back(clock);
}

bool Backward::go_on() {
  if (listed_.empty()) {
    since_leisure_ = 0;
    return false;
  }
  const ClockIndex clock = listed_.back();
  listed_.pop_back();
  of_[clock].is_listed = false;
  settle(clock);
  return true;
}

void Backward::catch_up() {
  if (since_leisure_ < most_behind) return;
  while (go_on()) {
  }
}

void Backward::settle(ClockIndex clock) {
  ProcessQueue& queue = queues_[clock];
  while (queue.waiting() > 0 && answers_of(queue.head()) == 0) enter(clock, queue);
}

void Backward::finish() {
  for (ClockIndex clock = 0; clock < of_.size(); ++clock) {
    ProcessQueue& queue = queues_[clock];
    while (queue.waiting() > 0) enter(clock, queue);
    release(clock, Time::latest());
  }
}

/// The oldest event that waits needs not wait any more.
void Backward::enter(ClockIndex clock, ProcessQueue& queue) {
  const Node& node = queue.head();
  const EventIndex index = queue.processed_end();
  const bool jumps = node.order() == jump;
  const Time time = node.recorded + whole(node.offset);
  queue.head_processed();
  if (jumps) amortizer_.amortize(clock, queue, std::nullopt, 0, index);
  // One tick less for rounding.
  if ((index + 1) % release_interval == 0) release(clock, time - amortizer_.interval(clock) - 1);
}

void Backward::release(ClockIndex clock, Time horizon) {
  ProcessQueue& queue = queues_[clock];
  for (;;) {
    const auto run = queue.front_run();
    const auto is_open = [&](const Node& node) { return node.recorded + whole(node.offset) >= horizon; };
    const auto end = horizon == Time::latest() ? run.end() : std::find_if(run.begin(), run.end(), is_open);
    const auto taken = static_cast<std::size_t>(end - run.begin());
    write(clock, queue, run.first(taken));
    const bool all = taken == run.size();
    queue.pop(taken);
    if (!all || taken == 0) break;
  }
  if (set_back_.of(clock)) set_back_.forget(clock, queue.begin());
  QueuePool::Retired pages = pool_.retired();
  pool_.recycle(pages);
}

/// The formulas of Merge::take_of.
[[gnu::always_inline]] inline CorrectedTime Backward::corrected(OfClock& state, const Node& node, Ticks distance,
                                                                Time earliest) {
  const double offset = node.limit < node.offset ? std::max(0.0, node.limit) : node.offset;
  const Ticks least = node.recorded > state.recorded ? distance : 0;
  const Time time = std::max({node.recorded + clc::written(offset), state.corrected + least, earliest});
  if (time == Time::latest() && node.offset >= 1) ++saturated_;
  state.recorded = node.recorded;
  state.corrected = time;
  return {node.recorded, time};
}

/// The same where the clock was set back.
CorrectedTime Backward::corrected_behind(ClockIndex clock, OfClock& state, const Node& node, EventIndex index,
                                         Ticks distance) {
  const Time recorded = set_back_.recorded(clock, index, node.recorded);
  const Time before = std::exchange(set_back_.written(clock), recorded).value_or(state.recorded);
  const Time earliest = recorded != before ? state.corrected + distance : Time::earliest();
  return {recorded, corrected(state, node, distance, earliest).corrected};
}

void Movement::join(const Movement& other) noexcept {
  first_recorded = std::min(first_recorded, other.first_recorded);
  first_corrected = std::min(first_corrected, other.first_corrected);
  last_recorded = std::max(last_recorded, other.last_recorded);
  last_corrected = std::max(last_corrected, other.last_corrected);
  clocks += other.clocks;
  local_time = add_saturating(local_time, other.local_time);
  changed = add_saturating(changed, other.changed);
}

Movement Backward::movement() const {
  Movement all = movement_;
  for (ClockIndex clock = 0; clock < of_.size(); ++clock) {
    if (queues_[clock].begin() == 0) continue;  // no event
    const CorrectedTime last = last_written(clock);
    all.last_recorded = std::max(all.last_recorded, last.recorded);
    all.last_corrected = std::max(all.last_corrected, last.corrected);
  }
  return all;
}

/// The last event of a clock that has its final time.
CorrectedTime Backward::last_written(ClockIndex clock) const {
  const OfClock& state = of_[clock];
  return {set_back_.last_written(clock).value_or(state.recorded), state.corrected};
}

/// before: the last event of the clock; is_first: there was none.
void Backward::note_movement(const CorrectedTime& before, bool is_first,
                             std::span<const CorrectedTime> times) noexcept {
  if (times.empty()) return;
  Movement own;
  own.first_recorded = times.front().recorded;
  own.first_corrected = times.front().corrected;
  own.clocks = is_first ? 1 : 0;
  CorrectedTime last = is_first ? times.front() : before;
  own.local_time = times.back().recorded - last.recorded;
  for (const CorrectedTime& event : times) {
    const Ticks length = event.recorded - last.recorded;
    const Ticks change = (event.corrected - event.recorded) - (last.corrected - last.recorded);
    last = event;
    if (length < 0) [[unlikely]] {
      own.local_time = subtract_saturating(own.local_time, length);
      own.first_recorded = std::min(own.first_recorded, event.recorded);
    } else if (change != 0) {
      own.changed = add_saturating(own.changed, std::abs(change));
    }
  }
  movement_.join(own);
}

/// Some of the oldest events.
void Backward::write(ClockIndex clock, ProcessQueue& queue, std::span<const Node> run) {
  const Ticks distance = distances_.written(clock);
  const bool is_set_back = set_back_.of(clock);
  OfClock state = of_[clock];
  const CorrectedTime before = last_written(clock);
  std::array<CorrectedTime, QueuePool::leaf_events> times;
  const ProcessIndex first_process = clocks_.among_all(clock);
  ProcessIndex process = first_process;
  std::size_t first = 0;
  const auto write_until = [&](std::size_t end) {
    if (first < end) output_.written(process, std::span(times).subspan(first, end - first));
    first = end;
  };
  for (std::size_t i = 0; i < run.size(); ++i) {
    ProcessIndex of = first_process;
    if (run[i].names_process()) std::memcpy(&of, queue.take_body(run[i].body_size).data(), sizeof of);
    if (of != process) write_until(i);
    process = of;
    times[i] = is_set_back ? corrected_behind(clock, state, run[i], queue.begin() + i, distance)
                           : corrected(state, run[i], distance, Time::earliest());
  }
  note_movement(before, queue.begin() == 0, std::span(times).first(run.size()));
  of_[clock] = state;
  write_until(run.size());
}

}  // namespace clc::ranks
