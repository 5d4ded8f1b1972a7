// Backward amortization on a rank: the clocks' events after the forward step, until they have their final times.
//
// Place    Behind the controller. An event waits in the queue of its clock until all limits of the tails up to it are
//          known, in the order of its clock; only then it counts as processed for the amortizer. So each clock sees the
//          same calls in the same order, whatever the number of ranks and the order in which limits arrive: results are
//          equal to the last bit.
// Leisure  No other rank waits for any of this. So clocks that can go on are only listed, and go on when there is
//          nothing else to do, several events at once.
// Cost     As the amortizer. Memory: events whose limits are not known, and the window of the amortizer. A tail that
//          gets no answer holds the later events of its clock until the end.
// cldiff   A clock learns of larger jumps from the cuts of its events (clock/epochs.hpp), so its intervals and what has
//          left depend on its own sequence of events only: where intervals grow, they begin no earlier than those
//          before could have.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "clc/parameters.hpp"
#include "clock/amortizer.hpp"
#include "clock/distances.hpp"
#include "clock/forward_step.hpp"
#include "clock/offset.hpp"
#include "clock/process_queue.hpp"
#include "clock/recorder.hpp"
#include "clock/set_back.hpp"
#include "ranks/own_clocks.hpp"
#include "trace/corrected.hpp"
#include "trace/heap.hpp"

namespace clc::ranks {

/// Takes the corrected times. The events of each clock come in order.
class Output {
 public:
  virtual ~Output() = default;
  /// Some events of a process.
  virtual void written(ProcessIndex process, std::span<const CorrectedTime> events) = 0;
};

/// How the correction changed the times of some clocks, which are recorded as C; ticks. What ends at a step back is no
/// interval. `join` is exact in any order.
struct Movement {
  Time first_recorded = Time::latest();
  Time first_corrected = Time::latest();
  Time last_recorded = Time::earliest();
  Time last_corrected = Time::earliest();
  std::uint64_t clocks = 0;  ///< with events
  Ticks local_time = 0;      ///< sum of the recorded intervals of each clock
  Ticks changed = 0;         ///< sum of the absolute changes of these intervals

  void join(const Movement& other) noexcept;
};

class Backward {
 public:
  /// Keeps references to clocks, distances, set_back and output.
  Backward(const Parameters& parameters, const Resolution& resolution, const OwnClocks& clocks,
           const Distances& distances, SetBack& set_back, Output& output);

  /// The next event of a clock, after the forward step. recorded: C^; answers: so many limits are still to come;
  /// jump_in_cut: the largest jump that is known, or 0.
  void add(ClockIndex clock, ProcessIndex process, Time recorded, const ForwardStep& step, std::uint32_t answers,
           double jump_in_cut);
  /// So many more limits are to come for a tail that waits for some.
  void expect(ClockIndex clock, EventIndex index, std::uint32_t answers);
  /// One limit of a tail.
  void limit(ClockIndex clock, EventIndex index, double limit);
  /// Goes on with one of the clocks that can go on. False: there is none.
  bool go_on();
  /// Goes on with all of them if it has left much undone.
  void catch_up();
  /// No limit is to come any more.
  void finish();

  /// Bytes of the events that have no final times.
  [[nodiscard]] std::uint64_t memory() const noexcept { return pool_.memory(); }
  /// Bytes besides, for all clocks.
  [[nodiscard]] std::uint64_t tables() const noexcept { return on_heap(queues_) + on_heap(of_); }
  /// L_A in ticks before any clock difference has grown.
  [[nodiscard]] double first_length() const noexcept { return amortizer_.first_length(); }
  /// Number of events whose time exceeds 64 bits.
  [[nodiscard]] std::uint64_t saturated() const noexcept { return saturated_; }
  /// Of the events that have their final times.
  [[nodiscard]] Movement movement() const;

 private:
  struct OfClock {
    Time recorded = Time::latest();  // C^
    Time corrected = Time::earliest();
    bool is_listed = false;
    Time newest;               // C^ of the newest event,
    double newest_offset = 0;  // and its LC' - C^
  };
  // What the nodes of a queue tell beside their times: whether there is a jump, and how many limits are still to come.
  static constexpr std::uint64_t no_jump = 0;
  static constexpr std::uint64_t jump = 1;
  [[nodiscard]] static std::uint32_t& answers_of(Node& node) noexcept { return node.edge; }
  void list(ClockIndex clock);
  void settle(ClockIndex clock);
  void enter(ClockIndex clock, ProcessQueue& queue);
  /// Emits the events that no later jump moves: all before `horizon`.
  void release(ClockIndex clock, Time horizon);
  void write(ClockIndex clock, ProcessQueue& queue, std::span<const Node> run);
  [[nodiscard]] CorrectedTime last_written(ClockIndex clock) const;
  void note_movement(const CorrectedTime& before, bool is_first, std::span<const CorrectedTime> times) noexcept;
  [[nodiscard]] CorrectedTime corrected(OfClock& state, const Node& node, Ticks distance, Time earliest);
  [[nodiscard]] CorrectedTime corrected_behind(ClockIndex clock, OfClock& state, const Node& node, EventIndex index,
                                               Ticks distance);

  const OwnClocks& clocks_;
  const Distances& distances_;
  SetBack& set_back_;
  Output& output_;
  Recorder recorder_;
  Amortizer amortizer_;
  QueuePool pool_;
  std::vector<ProcessQueue> queues_;
  std::vector<OfClock> of_;
  std::vector<ClockIndex> listed_;  // their oldest events need not wait any more
  unsigned since_leisure_ = 0;      // events since none was listed
  std::uint64_t saturated_ = 0;
  Movement movement_;  // without the last events
};

[[gnu::always_inline]] inline void Backward::add(ClockIndex clock, ProcessIndex process, Time recorded,
                                                 const ForwardStep& step, std::uint32_t answers, double jump_in_cut) {
  ++since_leisure_;
  ProcessQueue& queue = queues_[clock];
  OfClock& state = of_[clock];
  if (amortizer_.lengthens(clock, jump_in_cut) && queue.end() > 0) [[unlikely]]
    amortizer_.lengthen(clock, jump_in_cut, std::max(state.newest + whole(state.newest_offset), recorded));
  state.newest = recorded;
  state.newest_offset = step.offset;
  const std::uint64_t kind = step.jump > 0 ? jump : no_jump;
  if (kind == jump) amortizer_.jumped(clock, queue.end(), step.local, step.jump);
  Node& node = process == clocks_.among_all(clock) ? queue.append(recorded, kind, Role::internal, {})
                                                   : queue.append_of(process, recorded, kind, Role::internal, {});
  node.offset = step.offset;
  answers_of(node) = answers;
  if (answers == 0 && queue.waiting() == 1) list(clock);
}

inline void Backward::limit(ClockIndex clock, EventIndex index, double limit) {
  ProcessQueue& queue = queues_[clock];
  Node& tail = queue.raw(index);
  tail.limit = std::min(tail.limit, limit);
  if (--answers_of(tail) == 0 && index == queue.processed_end()) list(clock);
}

}  // namespace clc::ranks
