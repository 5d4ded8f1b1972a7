// A correction of a window of the recorded trace: which records it has, and what crosses its border.
//
// Rule     clc-filter(1), --from: seconds since the first event, mapped if clocks are; both borders belong to it. Where
//          a clock was set back, its largest time so far counts. Written from the manual, not from the filter.
// Units    Ticks of the trace.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clc/definitions.hpp"
#include "matching/clock_map.hpp"
#include "matching/edges.hpp"

namespace clc::matching {

/// Ticks since the first mapped time.
struct Window {
  Ticks from = 0;
  Ticks to = ticks_max;
};

class InWindow {
 public:
  /// none: all of the trace. definitions: of the recorded trace; must outlive it.
  InWindow(std::optional<Window> window, Offsets offsets, const Definitions& definitions)
      : window_(window), map_(std::move(offsets), definitions), definitions_(definitions) {}
  [[nodiscard]] bool any() const noexcept { return window_.has_value(); }

  enum class Place : std::uint8_t { before, inside, behind };
  /// Of the next record of the recorded trace.
  [[nodiscard]] Place next(const Event& event) {
    const ClockIndex clock = definitions_.processes()[event.process].clock;
    if (reached_.size() <= clock) reached_.resize(clock + std::size_t{1}, Time::earliest());
    const Time mapped = map_.next(event.process, event.time);
    reached_[clock] = std::max(reached_[clock], mapped);
    zero_ = std::min(zero_, reached_[clock]);
    const Ticks since = reached_[clock] - zero_;
    if (since >= window_->from && since <= window_->to) return Place::inside;
    ++left_out_;
    ended_ = ended_ || since > window_->to;
    return since < window_->from ? Place::before : Place::behind;
  }
  /// How many were not inside, since the last call.
  [[nodiscard]] std::uint64_t take_left_out() noexcept { return std::exchange(left_out_, 0); }

  /// Of a record before the window, mapped to that time.
  [[nodiscard]] static Stamp outside(Time mapped) noexcept {
    Stamp stamp;
    stamp.time.fill(mapped);
    stamp.place.fill(nowhere);
    return stamp;
  }
  [[nodiscard]] static bool is_outside(const Stamp& stamp) noexcept { return stamp.place[corrected] == nowhere; }
  /// True if an end is outside; counts what crosses the border.
  [[nodiscard]] bool leaves_out(const Message& message) {
    return any() && leaves_out(std::size_t{is_outside(message.sent)} + std::size_t{is_outside(message.received)}, 2);
  }
  [[nodiscard]] bool leaves_out(const Collective& operation) {
    if (!any()) return false;
    std::size_t out = 0;
    std::size_t ends = 0;
    for (const Member& member : operation.members) {
      out += std::size_t{is_outside(member.end)} + std::size_t{member.has_begin && is_outside(member.begin)};
      ends += member.has_begin ? 2 : 1;
    }
    return leaves_out(out, ends);
  }
  [[nodiscard]] std::uint64_t crossing() const noexcept { return crossing_; }

  /// A line of the recorded trace. Those behind the window may be missing in its correction.
  void note(Body line) {
    if (ended_) ++optional_[std::string(line)];
  }
  [[nodiscard]] bool may_miss(const std::string& line) {
    const auto found = optional_.find(line);
    return found != optional_.end() && found->second-- > 0;
  }

 private:
  /// In place of the place in the corrected trace.
  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};
  [[nodiscard]] bool leaves_out(std::size_t out, std::size_t ends) noexcept {
    crossing_ += out > 0 && out < ends ? 1 : 0;
    return out > 0;
  }

  std::optional<Window> window_;
  ClockMap map_;
  const Definitions& definitions_;
  std::vector<Time> reached_;   ///< the largest mapped time of each clock
  Time zero_ = Time::latest();  ///< the first mapped time, as far as it was read
  bool ended_ = false;          ///< a record behind the window was read
  std::uint64_t left_out_ = 0;
  std::uint64_t crossing_ = 0;
  std::map<std::string, std::int64_t> optional_;  ///< lines behind the window
};

}  // namespace clc::matching
