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
  /// Of a message or operation: how many ends there are, and how many of them are outside.
  struct Ends {
    std::size_t all = 0;
    std::size_t outside = 0;
    void add(const Stamp& stamp) noexcept {
      ++all;
      if (stamp.place[corrected] == nowhere) ++outside;
    }
  };
  [[nodiscard]] static Ends ends_of(const Message& message) noexcept {
    Ends ends;
    ends.add(message.sent);
    ends.add(message.received);
    return ends;
  }
  [[nodiscard]] static Ends ends_of(const Collective& operation) noexcept {
    Ends ends;
    for (const Member& member : operation.members) {
      ends.add(member.end);
      if (member.has_begin) ends.add(member.begin);
    }
    return ends;
  }
  /// True if an end is outside; counts what crosses the border.
  template <class Edges>
  [[nodiscard]] bool leaves_out(const Edges& edges) {
    if (!any()) return false;
    const Ends ends = ends_of(edges);
    if (ends.outside > 0 && ends.outside < ends.all) ++crossing_;
    return ends.outside > 0;
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
