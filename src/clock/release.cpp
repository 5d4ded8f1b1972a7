#include "clock/release.hpp"

namespace clc {

void Release::grow(std::size_t clocks) {
  final_before_.resize(clocks);
  lengthenings_.resize(clocks, amortizer_.lengthenings());
  amortizer_.grow(clocks);
  merge_.grow(clocks);
}

// ---- horizons ---------------------------------------------------------------------------------

std::optional<Time> Release::earliest_waiting(ClockIndex clock) const {
  const ProcessQueue& queue = clocks_.queues[clock];
  if (queue.waiting() == 0) return std::nullopt;
  return std::max(clocks_.controllers.newest(clock), queue.head().recorded);
}

/// No later jump of this clock stands before that, less the interval.
Time Release::horizon(ClockIndex clock, Ticks interval) const {
  return earliest_waiting(clock).value_or(clocks_.input.now) - interval;
}

void Release::keep_horizon(ClockIndex clock) {
  amortizer_.keep(clock, lengthenings_[clock], earliest_waiting(clock));
  lengthenings_[clock] = amortizer_.lengthenings();
}

void Release::keep_horizons() {
  if (amortizer_.lengthenings() == 0) return;
  for (ClockIndex clock = 0; clock < clocks_.queues.size(); ++clock) keep_horizon(clock);
  std::fill(lengthenings_.begin(), lengthenings_.end(), 0);
  amortizer_.forget_lengthenings();
}

bool Release::waits_hold_back() const {
  for (ClockIndex clock = 0; clock < clocks_.queues.size(); ++clock) {
    const ProcessQueue& queue = clocks_.queues[clock];
    if (queue.empty()) continue;
    const EventIndex first = queue.begin();
    const Time earliest =
        first < queue.processed_end() ? queue.raw(first).recorded + whole(queue.offset(first)) : horizon(clock, 0);
    if (earliest <= clocks_.input.now) return true;
  }
  return false;
}

// ---- leaving ----------------------------------------------------------------------------------

void Release::spread(ClockIndex clock, bool all, Ticks delay, EventIndex stuck) {
  const std::optional<Time> now = all ? std::nullopt : std::optional(clocks_.input.now);
  amortizer_.amortize(clock, clocks_.queues[clock], now, delay, stuck);
}

void Release::let_out_before(Time now, std::uint64_t order) {
  merge_.release(clocks_.queues, final_before_, now, order);
  if (clocks_.input.order == analysis_.emitted()) static_cast<void>(let_notes_go());  // nothing stands ahead of them
}

void Release::let_out(Ticks interval, bool all) {
  for (ClockIndex clock = 0; clock < clocks_.queues.size(); ++clock) {
    const ProcessQueue& queue = clocks_.queues[clock];
    if (queue.empty()) continue;
    const Ticks own = std::min(interval, amortizer_.interval(clock));
    final_before_[clock] = all ? Time::latest() : std::min(horizon(clock, own), amortizer_.reach(clock, queue, own));
  }
  if (all)
    let_out_before(Time::latest(), ~std::uint64_t{0});
  else
    let_out_before(clocks_.input.now, clocks_.input.order);
}

void Release::let_out_early(Ticks interval) {
  let_out(interval, false);
  for (ClockIndex clock = 0; clock < clocks_.queues.size(); ++clock) amortizer_.keep(clock, final_before_[clock]);
}

/// No event still to come is written before that, which is after the newest record if all clocks are ahead of it: LC'
/// never decreases, also where clocks are set back again and again.
Time Release::earliest_to_come() const {
  Time earliest = Time::latest();
  for (ClockIndex clock = 0; clock < clocks_.queues.size(); ++clock)
    earliest = std::min(earliest, clocks_.controllers.newest(clock));
  return std::max(clocks_.input.now, earliest);
}

void Release::let_out_up_to_now() {
  std::fill(final_before_.begin(), final_before_.end(), Time::latest());
  let_out_before(earliest_to_come(), clocks_.input.order);
  for (ClockIndex clock = 0; clock < clocks_.queues.size(); ++clock) {
    amortizer_.keep(clock, clocks_.input.now);
    amortizer_.forget_jumps_before(clock, clocks_.queues[clock].begin());
  }
}

}  // namespace clc
