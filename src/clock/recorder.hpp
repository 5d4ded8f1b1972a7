// Records the figures of a run.
//
// Place    Observes the stages. No stage computes report figures, and no figure here influences a stage.
// Units    Ticks throughout; the report converts.
// Cost     A few nanoseconds per event; memory as in Analysis.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"
#include "clc/event_sink.hpp"
#include "clc/time.hpp"
#include "clock/offset.hpp"
#include "trace/delay.hpp"
#include "trace/fetch.hpp"
#include "trace/flat_map.hpp"
#include "trace/hash.hpp"
#include "trace/large_pages.hpp"
#include "trace/round_trips.hpp"

namespace clc {

/// Adds events to a GammaCourse.
class GammaRecorder {
 public:
  /// To be called for the first event of each process.
  static void start(GammaCourse& course, Time time) noexcept {
    if (course.started_) return;
    course.started_ = true;
    course.start_ = time;
  }
  /// gamma rarely changes: successive events of a span with the same gamma are counted together.
  [[gnu::always_inline]] static void add(GammaCourse& course, Time time, double gamma) noexcept {
    if (gamma != course.gamma_ || ticks_between(course.span_start_, time) >= course.span_ticks_) [[unlikely]]
      change(course, time, gamma);
    ++course.events_;
  }

 private:
  /// Widens the spans until one contains the time. Events are processed almost in order of time; an event before the
  /// start counts in the first span.
  [[gnu::noinline]] static void change(GammaCourse& course, Time time, double gamma) noexcept;
};

/// Adds events to a CorrectionCourse.
class CourseRecorder {
 public:
  /// To be called for the first event of the trace.
  static void start(CorrectionCourse& course, Time time) noexcept {
    if (course.started_) return;
    course.started_ = true;
    course.start_ = time;
  }
  /// Events of a process, which had that correction since `since`. sorted: by recorded time.
  static void add(CorrectionCourse& course, Time since, Ticks correction, std::span<const Corrected> run,
                  bool sorted) noexcept {
    const Time last = run.back().recorded;
    if (sorted && first_from(course, since) == first_from(course, last)) [[likely]]
      return reach(course, last);
    add_moments(course, since, correction, run, sorted);
  }

 private:
  /// Number of the first moment that is not before the time.
  [[nodiscard]] static std::uint64_t first_from(const CorrectionCourse& course, Time time) noexcept {
    if (time <= course.start_) return 0;
    return ((ticks_between(course.start_, time) - 1) >> course.shift_) + 1;
  }
  /// Makes room for the moments up to that time.
  static void reach(CorrectionCourse& course, Time time) noexcept {
    while (time > course.start_ &&
           ticks_between(course.start_, time) >> course.shift_ >= CorrectionCourse::most_moments)
      widen(course);
  }
  static void widen(CorrectionCourse& course) noexcept;
  static void add_moments(CorrectionCourse& course, Time since, Ticks correction, std::span<const Corrected> run,
                          bool sorted) noexcept;
};

/// The worst edge so far.
inline void note_worst(Violations& all, ProcessIndex sender, ProcessIndex receiver, Time received, Ticks delay,
                       Ticks mu) noexcept {
  const Ticks margin = subtract_saturating(delay, mu);
  if (margin >= all.worst) return;
  all.worst = margin;
  all.worst_delay = delay;
  all.worst_sender = sender;
  all.worst_receiver = receiver;
  all.worst_time = received;
}
/// An edge.
inline void add(Violations& all, ProcessIndex sender, ProcessIndex receiver, Time received, Ticks delay,
                Ticks mu) noexcept {
  ++all.edges;
  all.backwards += delay < 0;
  all.violated += delay < mu;
  note_worst(all, sender, receiver, received, delay, mu);
}

/// An Analysis that grows.
class Recorder : public Analysis {
 public:
  static constexpr std::uint32_t unpaired = 0xffff'fffe;  ///< counted in no pair

  using Roles = std::span<const std::uint64_t>;

  Recorder() : Analysis(large_page_memory()) {}

  std::string uncounted;       ///< body of events that are no records of the trace; empty: none are
  double wanted_gradient = 0;  ///< A_def
  FilterObserver* observer = nullptr;

  void count(Case which, std::uint64_t times = 1) noexcept { cases_[static_cast<std::size_t>(which)] += times; }
  /// A regulator has asked for less than gamma_max.
  static void regulated(RegulatorStatistics& statistics, double gamma) noexcept {
    ++statistics.below;
    if (gamma < statistics.lowest) statistics.lowest = gamma;
  }
  /// A matched message. pair: the number of its pair, from pair().
  [[gnu::always_inline]] void message(std::uint32_t pair, ProcessIndex sender, ProcessIndex receiver, Time received,
                                      Ticks delay, Ticks mu) {
    add(messages_, sender, receiver, received, delay, mu);
    if (pair < pairs_.size()) [[likely]] {
      message_of_pair(pairs_[pair], received, delay, mu);
      if (observer != nullptr) [[unlikely]]
        observer->message(pair, sender, receiver, received, delay);
    } else if (pair != unpaired)
      add_to(other_pairs_, delay, mu);
    else
      smallest_own_delay_ = std::min(smallest_own_delay_, delay);
  }
  void message(ProcessIndex sender, ProcessIndex receiver, Time received, Ticks delay, Ticks mu) {
    message(pair(sender, receiver), sender, receiver, received, delay, mu);
  }
  /// Number of a pair of processes, for message(). Called once per channel. no_pair beyond pair_limit.
  [[nodiscard]] std::uint32_t pair(ProcessIndex sender, ProcessIndex receiver) {
    const std::uint32_t known = find_pair(sender, receiver);
    return known != no_pair ? known : new_pair(sender, receiver);
  }
  /// Prefetches the memory of a pair for which message() will soon be called.
  [[gnu::always_inline]] void fetch(std::uint32_t pair) const noexcept {
    if (pair < pairs_.size()) clc::fetch_whole(&pairs_[pair]);
  }
  /// A message whose send was read so late that the time of its receive is no longer known.
  void late_message() noexcept {
    ++messages_.edges;
    ++messages_.violated;
  }
  /// A receive was released to break a circular wait.
  void receive_in_circle() noexcept {
    count(Case::wait_in_circle);
    ++receives_in_circles_;
  }
  /// A matched message between processes that share a clock.
  void message_within_clock() noexcept { ++messages_within_clocks_; }
  /// A matched message whose send was read so long ago that its time was discarded.
  void old_message() noexcept { ++old_messages_; }
  /// Counts the ordered pairs of a collective operation. members: by rank, each process once. shared: some members
  /// share a clock, which already orders their begins and ends. Cost: O(m) for m members while nothing is violated,
  /// else O(m log m) (scan, exscan: O(m log^2 m)), plus the pair delays among its members.
  void collective(CollectiveClass kind, Rank root, std::span<const CollectiveMember> members, const DelayModel& delays,
                  bool shared = false);
  /// The same for corrected times: counts the violations that are left.
  void collective_left(CollectiveClass kind, Rank root, std::span<const CollectiveMember> members,
                       const DelayModel& delays, bool shared = false);
  /// A message between two known processes with one end missing; only the first most_losses are kept.
  void lost(const Loss& loss) {
    if (losses_.size() < most_losses) losses_.push_back(loss);
  }
  /// It came after all, late.
  void found(const Loss& loss) {
    const auto kept = std::find(losses_.begin(), losses_.end(), loss);
    if (kept != losses_.end()) losses_.erase(kept);
  }
  void lost(const LostCall& call) {
    if (lost_calls_.size() < most_losses) lost_calls_.push_back(call);
  }
  /// A clock was set back.
  void step_back(const StepBack& step);
  void recorded_granularity(std::uint64_t ticks) noexcept { RoundTripRecorder::recorded(short_trips_, ticks); }
  /// A receive, or the end of a collective operation, is read. apart: time since a send, for the first one after it.
  void receive_read() noexcept { ++movement_.at_receives; }
  void receive_after_send(Ticks apart) noexcept { send_to_receive_ = std::min(send_to_receive_, apart); }
  /// The first event of the trace.
  void start(Time time) noexcept { CourseRecorder::start(movement_.course, time); }
  /// A jump of the forward clock [R alg. 5], at the event of the clock with that index.
  void jump(ClockIndex clock, std::uint64_t index, double height) {
    ++jumps_.count;
    if (height > jumps_.largest) jumps_.largest = height;
    if (height > grain && until_raised(clock) == never) [[unlikely]]
      raised(clock, index);
  }
  /// The number of events of a clock, from that index on, up to the one at which it was first raised; less than `grain`
  /// is rounding.
  [[nodiscard]] std::uint64_t until_raised(ClockIndex clock, std::uint64_t from = 0) const noexcept {
    const std::uint64_t until = clock < raised_.size() ? raised_[clock] : never;
    return until - std::min(until, from);
  }
  /// Emitted events, all of one process and in its order. roles: theirs, as Node::order_and_role; none: not known.
  /// until_raised: so many are not later than the event at which their clock was first raised.
  void released(std::span<const Corrected> events, Roles roles = {}, std::size_t until_raised = 0) {
    if (!uncounted.empty() || roles.empty()) [[unlikely]]
      return released_counted(events, roles, until_raised);
    add_released(events, roles, until_raised);
  }
  /// Events that were emitted, with those that are no records of the trace.
  [[nodiscard]] std::uint64_t emitted() const noexcept { return events() + emitted_uncounted_; }
  /// An edge that the corrected times still violate.
  void violation_left() noexcept { ++violations_left_; }
  void buffered(std::uint64_t events, std::uint64_t bytes) noexcept {
    if (events > peak_.events) peak_.events = events;
    if (bytes > peak_.bytes) peak_.bytes = bytes;
  }

 private:
  void add_released(std::span<const Corrected> events, Roles roles, std::size_t until_raised);
  void released_counted(std::span<const Corrected> events, Roles roles, std::size_t until_raised);
  void raised(ClockIndex clock, std::uint64_t index);
  static void add_to(PairStatistics& pair, Ticks delay, Ticks mu) noexcept {
    const Ticks margin = subtract_saturating(delay, mu);
    ++pair.messages;
    pair.violated += margin < 0;
    if (delay < pair.smallest_delay) pair.smallest_delay = delay;
    if (margin < pair.worst) pair.worst = margin;
  }
  [[gnu::always_inline]] void message_of_pair(PairStatistics& pair, Time received, Ticks delay, Ticks mu) {
    add_to(pair, delay, mu);
    pair.last_received = received;
    pair.last_delay = delay;
    pair.last_mu = mu < Ticks{0xffff'ffff} ? static_cast<std::uint32_t>(mu) : 0xffff'ffff;
    if (pair.reverse == no_pair) [[unlikely]]
      return follow_cycle(pair, mu);
    const PairStatistics& back = pairs_[pair.reverse];
    // From the newest send in the opposite direction to this receive, on the same clock.
    const auto apart = static_cast<std::uint64_t>(received.ticks()) -
                       static_cast<std::uint64_t>(back.last_received.ticks()) +
                       static_cast<std::uint64_t>(back.last_delay);
    if (back.messages != 0)
      RoundTripRecorder::add(short_trips_, add_saturating(delay, back.last_delay), static_cast<Ticks>(apart),
                             add_saturating(mu, Ticks{back.last_mu}));
  }
  /// A message of a pair without messages in the opposite direction. It may close a cycle of processes.
  void follow_cycle(const PairStatistics& pair, Ticks mu);
  void add_trip(std::span<const CollectiveMember> members, const DelayModel& delays);

  // Movement.
  /// raised: the phase of all of them.
  void add_movement(ProcessStatistics& p, std::span<const Corrected> run, Roles roles, bool raised);
  /// Adds events that were moved by the same shift.
  void count_moved(Ticks shift, std::uint64_t count) noexcept;
  /// Adds the interval of the given recorded length that ends at the event and was changed by `change`.
  [[gnu::always_inline]] void changed_interval(const Corrected& event, Ticks length, Ticks change,
                                               std::size_t kind) noexcept;
  [[gnu::noinline]] void note_growth(const Corrected& event, double length, double growth) noexcept;

  [[nodiscard]] static std::uint64_t hash_of(ProcessIndex sender, ProcessIndex receiver) noexcept {
    return hash(std::uint64_t{sender} << 32 | receiver);
  }
  [[nodiscard]] std::uint32_t find_pair(ProcessIndex sender, ProcessIndex receiver) const noexcept {
    static_assert(no_pair == NumberTable::none);
    return pair_numbers_.find(hash_of(sender, receiver), [&](std::uint32_t number) {
      return pairs_[number].sender == sender && pairs_[number].receiver == receiver;
    });
  }
  std::uint32_t new_pair(ProcessIndex sender, ProcessIndex receiver);

  /// A chain of messages from process `origin` to this one.
  struct Chain {
    Time received;           ///< time of the newest receive
    Ticks delays = 0;        ///< sum
    Ticks mus = 0;           ///< sum
    Ticks between = 0;       ///< time between a receive and the next send, sum
    std::uint32_t hops = 0;  ///< 0: none
    ProcessIndex origin = no_process;
  };
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  std::vector<Chain> chains_;          // by process
  double noted_gradient_ = 0;          // what is not steeper is not noted
  std::vector<std::uint64_t> raised_;  // by clock
  std::vector<std::uint64_t> no_roles_;
  std::uint64_t emitted_uncounted_ = 0;
  NumberTable pair_numbers_{2};  // of pairs_
};

}  // namespace clc
