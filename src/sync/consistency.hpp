// Which edges can be right: no clocks, whatever their offsets, receive messages before they are sent.
//
// Place    Asked by the matcher when a trace that lacks records is read again.
// Rule     An edge k -> i of delay d proves that o_i - o_k <= d, where o are the offsets of clocks. An edge is rejected
//          if no offsets fulfil it and the tightest accepted edge of each ordered pair of clocks: if round some circle
//          the delays add up to less than nothing. Clocks drift, so what an edge proves weakens by 1/1024 of its age.
//          Ages never shrink: an edge that is earlier than others counts as made at their time. So the offsets go on to
//          fulfil all bounds, and only a circle through the new edge can contradict.
// Units    Ticks as recorded.
// Cost     One lookup per edge; where offsets have to change, a walk over the pairs of clocks that change.
#pragma once

#include <map>
#include <vector>

#include "sync/collector.hpp"

namespace clc::sync {

class Consistency {
 public:
  /// tick: of all clocks; times are known to it.
  explicit Consistency(Ticks tick) : tick_(tick) {}

  /// False: the edge contradicts those before it, and is forgotten.
  [[nodiscard]] bool accept(const Edge& edge);
  /// Is the delay no smaller than accepted ones of that pair of clocks?
  [[nodiscard]] bool is_usual(const Edge& edge) const;

 private:
  struct Bound {
    Ticks delay;
    Time time;
    [[nodiscard]] Ticks at(Time now) const noexcept { return add_saturating(delay, (now - time) / 1024); }
  };

  /// Lowers the offset of a clock, and of others as far as they follow from it. False: `fixed` would follow; nothing
  /// has changed then.
  bool lower(ClockIndex clock, Ticks offset, ClockIndex fixed);

  Ticks tick_;
  Time latest_ = Time::earliest();                   ///< middle of an edge
  std::vector<Ticks> offsets_;                       ///< that fulfil all bounds
  std::vector<std::map<ClockIndex, Bound>> bounds_;  ///< by the clock they lead from
};

}  // namespace clc::sync
