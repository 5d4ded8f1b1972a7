// What the verdict has to know of a map that is applied before the correction.
//
// Units    Microseconds, but for the times of maps, which are ticks of the trace.
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

/// The smallest delay of each pair in recorded times, of messages whose times were mapped before the clock read them.
class RecordedDelays final : public MessageObserver {
 public:
  /// As of Unmapping. backwards: the clock reads the trace from its end, with times negated.
  RecordedDelays(const Offsets& maps, const Definitions& definitions, bool backwards = false)
      : unmapping_(maps, definitions), backwards_(backwards) {}
  void message(std::uint32_t pair, ProcessIndex sender, ProcessIndex receiver, Time received, Ticks delay) override {
    if (pair >= smallest_.size()) smallest_.resize(pair + std::size_t{1}, ticks_max);
    if (backwards_) {
      std::swap(sender, receiver);
      received = Time(add_saturating(~received.ticks(), delay));
    }
    smallest_[pair] = std::min(smallest_[pair], unmapping_.delay(sender, receiver, received, delay));
  }
  [[nodiscard]] std::span<const Ticks> smallest() const noexcept { return smallest_; }

 private:
  Unmapping unmapping_;
  bool backwards_;
  std::vector<Ticks> smallest_;
};

/// Adds by how much messages of one process to another one are received before they are sent: the smallest delays, as
/// mapped and as recorded. Measured offsets may be wrong by a minimum delay.
void add_early(MapFigures& figures, Ticks mapped, Ticks recorded, Resolution resolution, double min_delay_us);
/// The same of all pairs. analysis: of the mapped times. recorded: by pair.
void add_early(MapFigures& figures, const Analysis& analysis, std::span<const Ticks> recorded, Resolution resolution,
               double min_delay_us);

/// What the first pass says of measured offsets: whether they make the edges that bind clearly worse, by more than they
/// may be wrong by.
void add_binding(MapFigures& figures, const sync::Estimate& estimate, double min_delay_us);

}  // namespace clc::tool
