// What the records of a process tell: of its clock the span and the tick, of a receive whether it was waited for, of
// the end of a collective operation when it began.
//
// Place    First pass, ahead of the matching, whose other part is what belongs to several processes.
// Waited   A delay is that of the network only if the receiver was waiting: if more than 2.5 times
//          min(its shortest gap so far, 2 us) have passed since its last record.
// Units    Ticks as recorded.
// Cost     O(1) per record.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "clc/indexes.hpp"
#include "sync/clock_span.hpp"
#include "sync/collector.hpp"
#include "trace/hash.hpp"

namespace clc::sync {

class Records {
 public:
  class OfProcess {
   public:
    [[nodiscard]] ClockIndex clock() const noexcept { return clock_; }
    /// A collective operation begins.
    void begin(const Event& event) { begins_[event.tag] = begins_[0] = event.time; }
    /// It ends: when it began; nullopt: not known.
    std::optional<Time> end(const Event& event) {
      const auto begin = begins_.find(event.tag);
      if (begin == begins_.end()) return std::nullopt;
      const Time began = begin->second;
      if (event.tag != 0) begins_.erase(begin);
      return began;
    }

   private:
    friend class Records;
    std::optional<Time> last_;  ///< record so far
    ClockIndex clock_ = 0;      ///< if there is one
    Ticks shortest_gap_ = ticks_max;
    Ticks tick_ = 0;  ///< greatest common divisor of its gaps; 0: it had none
    std::uint32_t gaps_ = 0;
    HashMap<std::int64_t, Time> begins_;  ///< by call id; 0: the last one
  };

  /// definitions: of the events; they may grow.
  explicit Records(const Definitions& definitions) : definitions_(definitions) {}

  /// The next record of its process. waited: is set to whether it is a receive that was waited for.
  OfProcess& add(const Event& event, bool& waited);

  /// nullopt: without records.
  [[nodiscard]] std::optional<ClockSpan> span(ClockIndex clock) const {
    return clock < spans_.size() ? spans_[clock] : std::nullopt;
  }
  /// The tick of a clock: the greatest common divisor of all gaps between the records of a process.
  [[nodiscard]] Ticks coarsest_tick() const noexcept;

  /// What somebody else knows of a clock, all of whose records he has read.
  void put(ClockIndex clock, const ClockSpan& span);
  void put_tick(Ticks tick) noexcept { tick_ = std::max(tick_, tick); }

 private:
  void start(OfProcess& state, const Event& event);

  const Definitions& definitions_;
  std::vector<OfProcess> states_;
  Resolution resolution_;  // as in the definitions, once there are records
  Ticks quick_ = resolution_.ticks_of_microseconds(2);
  ClockSpans spans_;
  Ticks tick_ = 1;  // that was put
};

inline Records::OfProcess& Records::add(const Event& event, bool& waited) {
  if (event.process >= states_.size()) states_.resize(event.process + std::size_t{1});
  OfProcess& state = states_[event.process];
  waited = false;
  if (!state.last_) {
    start(state, event);
    return state;
  }
  const Ticks gap = event.time - *state.last_;
  if (event.role == Role::receive) {
    state.shortest_gap_ = std::min(state.shortest_gap_, gap);
    const Ticks quick = std::min(state.shortest_gap_, quick_);
    waited = static_cast<double>(gap) > 2.5 * static_cast<double>(quick);
  }
  if (state.tick_ != 1 && gap > 0) {
    state.tick_ = std::gcd(state.tick_, gap);
    ++state.gaps_;
  }
  state.last_ = std::max(*state.last_, event.time);
  ClockSpan& of_clock = *spans_[state.clock_];
  of_clock.first = std::min(of_clock.first, event.time);
  of_clock.last = std::max(of_clock.last, event.time);
  return state;
}

}  // namespace clc::sync
