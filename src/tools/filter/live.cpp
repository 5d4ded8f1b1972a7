#include "filter/live.hpp"

#include <algorithm>
#include <utility>

namespace clc::filter {

void Live::arrived(std::span<const Event> events) {
  if (events.empty()) return;
  const Time now = monitor_();
  for (const Event& event : events) {
    if (event.process >= inside_.size()) inside_.resize(event.process + std::size_t{1});
    std::deque<Arrival>& arrivals = inside_[event.process];
    if (arrivals.empty() || arrivals.back().at != now) arrivals.push_back({now, 0});
    ++arrivals.back().events;
  }
  if (events.front().time < proved_) late_by_ = std::max(late_by_, proved_ - events.front().time);
  // The first of them is the oldest one.
  const Ticks oldest = now - std::max(newest_, events.front().time);
  newest_ = std::max(newest_, events.back().time);
  if (!paused_) return;
  lag_ = std::max(lag_.value_or(oldest), oldest);
  least_lag_ = std::min(least_lag_, now - newest_);
}

std::optional<Time> Live::pause() {
  paused_ = true;
  if (!transfer_ || !lag_) return std::nullopt;
  proved_ = std::max(proved_, monitor_() - add_saturating(*lag_, *transfer_));
  return proved_;
}

bool Live::take_left() { return std::exchange(left_, false); }

std::optional<Ticks> Live::lag() const noexcept {
  return lag_ ? std::optional(subtract_saturating(*lag_, least_lag_)) : std::nullopt;
}

void Live::events(std::span<const Corrected> run) {
  left_ = true;
  const Time now = monitor_();
  for (const Corrected& event : run) {
    std::deque<Arrival>& arrivals = inside_[event.process];
    largest_stay_ = std::max(largest_stay_, now - arrivals.front().at);
    if (--arrivals.front().events == 0) arrivals.pop_front();
  }
  next_.events(run);
}

}  // namespace clc::filter
