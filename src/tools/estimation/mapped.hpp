// What the verdict has to know of a map that is applied before the correction.
//
// Units    Microseconds, but for times and delays, which are ticks of the trace.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"
#include "clc/report.hpp"
#include "clc/verdict.hpp"
#include "sync/estimate.hpp"
#include "trace/offsets.hpp"
#include "trace/time_order.hpp"

namespace clc::tool {

/// The clocks that a map changes.
[[nodiscard]] std::vector<MappedClock> mapped_clocks(const Offsets& maps, Resolution resolution);
/// The same of estimates.
[[nodiscard]] std::vector<MappedClock> mapped_clocks(std::span<const EstimatedClock> clocks);

/// The delays of messages before their times were mapped.
class Unmapping {
 public:
  /// Both must outlive this. maps: of clocks.
  Unmapping(const Offsets& maps, const Definitions& definitions) : maps_(maps), definitions_(definitions) {}
  /// received, delay: mapped. O(1) between the same points as before, else O(log points).
  [[nodiscard]] Ticks delay(ProcessIndex sender, ProcessIndex receiver, Time received, Ticks delay) {
    const Ticks shift = subtract_saturating(offset_at(receiver, received),
                                            offset_at(sender, Time(subtract_saturating(received.ticks(), delay))));
    return subtract_saturating(delay, shift);
  }
  /// The recorded time of a mapped one.
  [[nodiscard]] Time recorded(ProcessIndex process, Time mapped) {
    return Time(subtract_saturating(mapped.ticks(), offset_at(process, mapped)));
  }

 private:
  struct OfProcess {
    const OffsetLine* line = nullptr;
    std::size_t after = 1;  ///< the point behind the last time
  };
  [[nodiscard]] Ticks offset_at(ProcessIndex process, Time mapped);

  const Offsets& maps_;
  const Definitions& definitions_;
  std::vector<OfProcess> processes_;
};

/// The smallest delays of edges, mapped and recorded; ticks_max: there are none.
struct SmallestDelay {
  Ticks mapped = ticks_max;
  Ticks recorded = ticks_max;
};

/// The smallest delay of each pair in recorded times, of messages whose times were mapped before the clock read them,
/// and of collective operations the smallest one from the latest begin to each end.
class RecordedDelays final : public FilterObserver {
 public:
  /// As of Unmapping. backwards: the clock reads the trace from its end, with times negated.
  RecordedDelays(const Offsets& maps, const Definitions& definitions, bool backwards = false)
      : unmapping_(maps, definitions), backwards_(backwards) {}
  /// O(members), twice.
  void operation(CollectiveClass kind, Rank root, std::span<const CollectiveMember> members) override;
  void message(std::uint32_t pair, ProcessIndex sender, ProcessIndex receiver, Time received, Ticks delay) override {
    if (pair >= smallest_.size()) smallest_.resize(pair + std::size_t{1}, ticks_max);
    if (backwards_) {
      std::swap(sender, receiver);
      received = negated(received) + delay;
    }
    smallest_[pair] = std::min(smallest_[pair], unmapping_.delay(sender, receiver, received, delay));
  }
  [[nodiscard]] std::span<const Ticks> smallest() const noexcept { return smallest_; }
  /// By process.
  [[nodiscard]] std::span<const SmallestDelay> of_operations() const noexcept { return of_operations_; }

 private:
  /// A member of an operation, forwards.
  struct Member {
    ProcessIndex process;
    ClockIndex clock;
    bool tail;
    bool head;
    Time begin;
    Time end;
  };
  void note_ends(bool prefix, Ticks SmallestDelay::*smallest);

  Unmapping unmapping_;
  bool backwards_;
  std::vector<Ticks> smallest_;
  std::vector<SmallestDelay> of_operations_;
  std::vector<Member> members_;  // of the operation that is looked at
};

/// Messages of one process to another one.
struct MappedPair {
  ProcessIndex sender = no_process;
  ProcessIndex receiver = no_process;
  SmallestDelay delay;
};

/// By how much measured offsets may be wrong; trips: of the mapped times.
[[nodiscard]] double slack_of_offsets(const RoundTripStatistics& trips, Resolution resolution, double min_delay_us);
/// By how much messages are received before they are sent, and whether only those of one process are. figures: with
/// slack.
void add_messages(MapFigures& figures, std::span<const MappedPair> pairs, const Definitions& definitions);
/// The same, with the slack, and by how much collective operations end before all have begun. analysis: of the mapped
/// times.
void add_early(MapFigures& figures, const Analysis& analysis, const RecordedDelays& recorded,
               const Definitions& definitions, double min_delay_us);

/// What the first pass says of measured offsets: whether they make the edges that bind clearly worse, by more than they
/// may be wrong by.
void add_binding(MapFigures& figures, const sync::Estimate& estimate, double min_delay_us);

}  // namespace clc::tool
