// Backward amortization on a rank: the clocks' events after the forward step, until they have their final times.
//
// Place    Behind the controller. An event first waits until all limits of the tails up to it are known, in the order
//          of its clock; then it enters the queue of the amortizer. So each clock sees the same calls in the same
//          order, whatever the number of ranks and the order in which limits arrive: results are equal to the last bit.
// Cost     As the amortizer. Memory: events whose limits are not known, and the window of the amortizer. A tail that
//          gets no answer holds the later events of its clock until the end.
// cldiff   Does not grow, because growth would depend on the order; jumps that would increase it are counted.
#pragma once

#include <cstdint>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/parameters.hpp"
#include "clock/amortizer.hpp"
#include "clock/distances.hpp"
#include "clock/process_queue.hpp"
#include "clock/recorder.hpp"
#include "clock/set_back.hpp"
#include "trace/short_queue.hpp"

namespace clc::ranks {

/// Takes the corrected times. The events of each clock come in order.
class Output {
 public:
  virtual ~Output() = default;
  virtual void written(ProcessIndex process, Time recorded, Time corrected) = 0;
};

class Backward {
 public:
  /// Keeps references to distances, set_back and output.
  Backward(const Parameters& parameters, const Definitions& definitions, const Distances& distances, SetBack& set_back,
           Output& output);

  /// After the forward step.
  struct Processed {
    ProcessIndex process = 0;
    Time recorded;  ///< C^
    double offset = 0;
    double local = 0;
    double jump = 0;
    double limit = no_limit;
    std::uint32_t answers = 0;  ///< limits that are still to come
  };
  /// The next event of a clock.
  void add(ClockIndex clock, const Processed& event);
  /// So many more limits are to come for a tail that waits for some.
  void expect(ClockIndex clock, EventIndex index, std::uint32_t answers);
  /// One limit of a tail.
  void limit(ClockIndex clock, EventIndex index, double limit);
  /// No limit is to come any more.
  void finish();

  /// Bytes of the events that have no final times.
  [[nodiscard]] std::uint64_t memory() const noexcept;
  /// Number of jumps larger than the largest clock difference.
  [[nodiscard]] std::uint64_t beyond() const noexcept { return beyond_; }
  /// Number of events whose time exceeds 64 bits.
  [[nodiscard]] std::uint64_t saturated() const noexcept { return saturated_; }

 private:
  struct OfClock {
    ShortQueue<Processed> waiting;
    EventIndex first = 0;  // of them
    Time recorded = Time::latest();
    Time corrected = Time::earliest();
  };
  void settle(ClockIndex clock);
  void enter(ClockIndex clock, const Processed& event);
  /// Emits the events that no later jump moves: all before `horizon`.
  void release(ClockIndex clock, Time horizon);
  void write(ClockIndex clock, ProcessQueue& queue, const Node& node, EventIndex index);

  const Distances& distances_;
  SetBack& set_back_;
  Output& output_;
  Recorder recorder_;
  Amortizer amortizer_;
  QueuePool pool_;
  std::vector<ProcessQueue> queues_;
  std::vector<OfClock> of_;
  std::uint64_t beyond_ = 0;
  std::uint64_t saturated_ = 0;
};

}  // namespace clc::ranks
