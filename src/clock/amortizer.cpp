#include "clock/amortizer.hpp"

namespace clc {

Amortizer::Amortizer(double cldiff, double error, bool on, Recorder& analysis)
    : cldiff_(cldiff), error_(error), on_(on), analysis_(analysis) {
  analysis_.clock_difference_start = cldiff;
  set_difference(cldiff);
}

void Amortizer::lengthen(double jump, Time now) {
  const Time reached = now - interval_;
  while (!furthest_.empty() && furthest_.back().time <= reached) furthest_.pop_back();
  furthest_.push_back({lengthenings(), reached});
  intervals_.push_back(interval_);
  set_difference(jump);
}

void Amortizer::keep(ClockIndex clock, std::uint32_t known, std::optional<Time> earliest) noexcept {
  if (known == lengthenings()) return;
  // The first of these intervals is the shortest.
  const auto furthest = std::lower_bound(furthest_.begin(), furthest_.end(), known,
                                         [](const Reached& a, std::uint32_t b) { return a.lengthening < b; });
  keep(clock, earliest ? *earliest - intervals_[known] : furthest->time);
}

void Amortizer::forget_lengthenings() noexcept {
  intervals_.clear();
  furthest_.clear();
}

void Amortizer::set_difference(double jump) noexcept {
  cldiff_ = jump;
  analysis_.clock_difference = jump;
  if (!on_) return;
  length_ = length(cldiff_);  // what lies before that may have left
  interval_ = in_ticks(length_);
}

void Amortizer::lengthen_own(ClockIndex clock, double cldiff, Time earliest) {
  keep(clock, earliest - interval(clock));
  of_[clock].cldiff = cldiff;
  longest_own_ = std::max(longest_own_, interval(clock));
}

Time Amortizer::reach(ClockIndex clock, const ProcessQueue& queue, Ticks interval) const noexcept {
  const OfClock& state = of_[clock];
  if (state.done == state.waiting.size()) return Time::latest();
  // Later jumps stand later, and none is longer than the interval is now.
  const Jump& jump = state.waiting[state.done];
  return queue.raw(jump.index).recorded + whole(jump.local) - interval;
}

void Amortizer::amortize(ClockIndex clock, ProcessQueue& queue, std::optional<Time> now, Ticks delay,
                         EventIndex stuck) {
  OfClock& state = of_[clock];
  for (; state.done < state.waiting.size(); ++state.done) {
    const Jump& jump = state.waiting[state.done];
    if (jump.index > stuck) break;
    const Node& node = queue.raw(jump.index);
    if (now && *now - node.recorded < add_saturating(whole(node.offset) + 1, delay)) break;
    amortize(state, queue, jump);
  }
  if (state.done == state.waiting.size()) {
    state.waiting.clear();
    state.done = 0;
  } else if (state.done >= 64 && state.done * 2 >= state.waiting.size()) {
    state.waiting.erase(state.waiting.begin(), state.waiting.begin() + static_cast<std::ptrdiff_t>(state.done));
    state.done = 0;
  }
}

void Amortizer::amortize(OfClock& state, ProcessQueue& queue, const Jump& jump) {
  const EventIndex last = jump.index;
  if (queue.begin() >= last) return;
  const Time reference = queue.raw(last).recorded;
  double x = jump.local;  // x_R, relative to C(R)
  double y = jump.height;
  const auto kept_from = static_cast<double>(jump.kept_from - reference);
  double start = std::max(x - jump.length, kept_from);
  const EventIndex first = queue.first_at(start, reference, last, state.hint);
  state.hint = first;
  if (first >= last) return;
  queue.settle(first, last);
  double start_y = 0;
  if (first == 0) {  // no event before the interval
    start = queue.x(0, reference);
    start_y = queue.smallest_slack(first, last, y);
  }
  // The hull from right to left: as long as some cross lies below the line to the start, the steepest such
  // line is the next segment.
  EventIndex end = last;
  while (end > first) {
    if (x - start <= grain) {  // no room for a line
      queue.shift(first, end, 0, start, start_y, reference);
      return;
    }
    const double slope = (y - start_y) / (x - start);
    const ProcessQueue::Cross cross = queue.steepest(first, end, x, y, slope, reference);
    if (cross.tail == no_event) {
      queue.shift(first, end, slope, start, start_y, reference);
      return;
    }
    const double steep = cross.x < x ? (y - cross.y) / (x - cross.x) : 0;
    queue.shift(cross.tail, end, steep, cross.x, cross.y, reference);
    x = cross.x;
    y = cross.y;
    end = cross.tail;
    if (y <= 0) return;
    queue.settle(first, end);
  }
}

}  // namespace clc
