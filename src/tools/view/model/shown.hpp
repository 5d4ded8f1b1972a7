// The part of a trace that is shown: all of it, or a window.
//
// Use      begin with the first record, reach each record, widen to each that is shown; then finish.
// Units    Ticks of the trace; the window in seconds of corrected time from the first record on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "clc/definitions.hpp"
#include "clc/time.hpp"

namespace clc::view {

/// The part of a trace that is shown, seconds from the first event on.
struct Window {
  double from_s = 0;
  double to_s = 1e300;
};

class Shown {
 public:
  explicit Shown(std::optional<Window> window) : window_(window) {}

  [[nodiscard]] bool begun() const noexcept { return begun_; }
  /// origin: the corrected time of the first record.
  void begin(Time origin, Resolution resolution) {
    begun_ = true;
    origin_ = origin;
    if (!window_) return;
    from_ = origin + resolution.ticks_of_seconds(window_->from_s);
    to_ = origin + resolution.ticks_of_seconds(window_->to_s);
  }
  /// A record has these times.
  void reach(Time recorded, Time corrected) noexcept {
    newest_ = std::max(newest_, corrected);
    earliest_ = std::min({earliest_, recorded, corrected});
    latest_ = std::max({latest_, recorded, corrected});
  }
  /// A record that is shown has this time, on one of the sides.
  void widen(Time time) noexcept {
    first_ = std::min(first_, time);
    last_ = std::max(last_, time);
  }
  /// any: records are shown. A window then is its own axis, whatever little is in it.
  void finish(bool any) noexcept {
    if (!window_ || !any) return;
    first_ = from_;
    last_ = std::max(first_ + Ticks{1}, std::min(to_, newest_));
  }

  [[nodiscard]] bool contains(Time time) const noexcept { return time >= from_ && time <= to_; }
  /// Whether a line between two times is in it somewhere.
  [[nodiscard]] bool touches(Time a, Time b) const noexcept { return std::max(a, b) >= from_ && std::min(a, b) <= to_; }
  [[nodiscard]] Time from() const noexcept { return from_; }
  [[nodiscard]] Time to() const noexcept { return to_; }

  /// From the first event to the last, on both sides; with a window, its part of the trace.
  [[nodiscard]] Time first() const noexcept { return first_; }
  [[nodiscard]] Time last() const noexcept { return last_; }
  /// The zero of axes: the corrected time of the first record, also where it is not shown.
  [[nodiscard]] Time origin() const noexcept { return origin_; }
  /// From the first record to the last, corrected, whatever part of it is shown.
  [[nodiscard]] Ticks length() const noexcept { return begun_ ? newest_ - origin_ : 0; }
  /// Ticks from the earliest time of the trace to the latest, on both sides. More than ticks_max: differences of times
  /// saturate.
  [[nodiscard]] std::uint64_t spread() const noexcept { return begun_ ? ticks_between(earliest_, latest_) : 0; }
  [[nodiscard]] bool excerpt() const noexcept { return window_.has_value(); }

 private:
  std::optional<Window> window_;
  Time from_ = Time::earliest();
  Time to_ = Time::latest();
  bool begun_ = false;
  Time origin_ = Time(0);
  Time newest_ = Time::earliest();
  Time earliest_ = Time::latest();
  Time latest_ = Time::earliest();
  Time first_ = Time::latest();
  Time last_ = Time::earliest();
};

}  // namespace clc::view
