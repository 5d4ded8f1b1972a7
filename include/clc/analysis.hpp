// The figures of a run: counters of cases, and all that the report shows [R fig. 6.3].
//
// Place    Observes the stages. No stage computes report figures, and no figure here influences a stage.
// Units    Ticks throughout; the report converts.
// Cost     A few nanoseconds per event; memory per process and per pair of processes that exchanged
//          messages (at most `pair_limit` pairs; all others share one entry).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "clc/hash.hpp"
#include "clc/round_trips.hpp"
#include "clc/stage/delay.hpp"
#include "clc/stage/fetch.hpp"
#include "clc/stage/flat_map.hpp"
#include "clc/stage/large_pages.hpp"
#include "clc/time.hpp"

namespace clc {

/// Irregularities of traces and runs, each with a counter.
enum class Case : std::uint8_t {
  send_without_receive,
  receive_without_send,
  late_send,
  wait_in_circle,
  clock_disagrees,
  self_message,
  forgotten_channel,
  collective_incomplete,
  collective_given_up,
  late_member,
  end_without_begin,
  begin_without_end,
  not_a_member,
  root_not_a_member,
  operation_mismatch,
  unclaimed_send,
  final_early,
  wait_given_up,
  note_early,
  memory_exceeded,
  time_saturated,
};

enum class Severity : std::uint8_t {
  remark,      ///< no edge is given up
  unresolved,  ///< an edge could not be ordered: `--strict` fails
};

struct CaseInfo {
  Case which;
  Severity severity;
  std::string_view name;   ///< for programs: JSON key
  std::string_view prose;  ///< for people, to follow the count: "sends were never received"
};

inline constexpr std::array cases{
    CaseInfo{Case::send_without_receive, Severity::unresolved, "send_without_receive", "sends were never received"},
    CaseInfo{Case::receive_without_send, Severity::unresolved, "receive_without_send",
             "receives were released without their send"},
    CaseInfo{Case::late_send, Severity::unresolved, "late_send", "sends came after their receive had been released"},
    CaseInfo{
        Case::wait_in_circle, Severity::unresolved, "wait_in_circle",
        "receives and ends of collective operations were released to break a circular wait (are records missing?)"},
    CaseInfo{Case::clock_disagrees, Severity::unresolved, "clock_disagrees",
             "messages and ordered pairs of collective operations on one clock end before they begin"},
    CaseInfo{Case::self_message, Severity::remark, "self_message", "messages of a process to itself were ignored"},
    CaseInfo{Case::forgotten_channel, Severity::unresolved, "forgotten_channel",
             "channels with unmatched messages were forgotten to limit memory"},
    CaseInfo{Case::collective_incomplete, Severity::unresolved, "collective_incomplete",
             "collective operations were never finished by all members"},
    CaseInfo{Case::collective_given_up, Severity::unresolved, "collective_given_up",
             "ends of collective operations were released without all members"},
    CaseInfo{Case::late_member, Severity::unresolved, "late_member",
             "members finished a collective operation after others had been released"},
    CaseInfo{Case::end_without_begin, Severity::unresolved, "end_without_begin",
             "ends of collective operations have no begin"},
    CaseInfo{Case::begin_without_end, Severity::unresolved, "begin_without_end",
             "begins of collective operations have no end"},
    CaseInfo{Case::not_a_member, Severity::unresolved, "not_a_member",
             "collective operations were called by processes outside the communicator"},
    CaseInfo{Case::root_not_a_member, Severity::unresolved, "root_not_a_member",
             "collective operations name a root outside the communicator"},
    CaseInfo{Case::operation_mismatch, Severity::unresolved, "operation_mismatch",
             "members of a collective operation record different operations or roots, so it orders nothing"},
    CaseInfo{Case::unclaimed_send, Severity::remark, "unclaimed_send",
             "sends that name no receiver were never received"},
    CaseInfo{Case::final_early, Severity::remark, "final_early", "events were finalized early to limit memory"},
    CaseInfo{Case::wait_given_up, Severity::unresolved, "wait_given_up", "waits were given up to limit memory"},
    CaseInfo{Case::note_early, Severity::remark, "note_early",
             "lines other than events were written early to limit memory"},
    CaseInfo{Case::memory_exceeded, Severity::remark, "memory_exceeded",
             "times the memory limit was exceeded, because corrected times are far ahead of recorded ones"},
    CaseInfo{Case::time_saturated, Severity::unresolved, "time_saturated", "corrected times do not fit into 64 bits"},
};

/// Violations of the clock condition among edges of one kind, in recorded times.
struct Violations {
  std::uint64_t edges = 0;      ///< ordered pairs of events
  std::uint64_t backwards = 0;  ///< received before it was sent: C(r) < C(s)
  std::uint64_t violated = 0;   ///< C(r) < C(s) + mu
  Ticks worst = ticks_max;      ///< smallest C(r) - C(s) - mu; ticks_max without edges
  Ticks worst_delay = 0;        ///< C(r) - C(s) of that edge
  ProcessIndex worst_sender = no_process;
  ProcessIndex worst_receiver = no_process;
  Time worst_time;  ///< recorded time of that receive

  void add(ProcessIndex sender, ProcessIndex receiver, Time received, Ticks delay, Ticks mu) noexcept {
    ++edges;
    backwards += delay < 0;
    violated += delay < mu;
    note_worst(sender, receiver, received, delay, mu);
  }
  void note_worst(ProcessIndex sender, ProcessIndex receiver, Time received, Ticks delay, Ticks mu) noexcept {
    const Ticks margin = subtract_saturating(delay, mu);
    if (margin >= worst) return;
    worst = margin;
    worst_delay = delay;
    worst_sender = sender;
    worst_receiver = receiver;
    worst_time = received;
  }
};

/// Messages from one process to another, in recorded times.
struct PairStatistics {
  ProcessIndex sender = no_process;
  ProcessIndex receiver = no_process;
  std::uint64_t messages = 0;
  std::uint64_t violated = 0;
  Ticks smallest_delay = ticks_max;  ///< C(r) - C(s); ticks_max without messages
  Ticks worst = ticks_max;           ///< smallest C(r) - C(s) - mu; ticks_max without messages
  // The newest message, for round trips.
  Time last_received;
  Ticks last_delay = 0;
  std::uint32_t last_mu = 0;            ///< limited to 32 bits
  std::uint32_t reverse = 0xffff'ffff;  ///< number of the pair for the opposite direction

  void add(Ticks delay, Ticks mu) noexcept {
    const Ticks margin = subtract_saturating(delay, mu);
    ++messages;
    violated += margin < 0;
    if (delay < smallest_delay) smallest_delay = delay;
    if (margin < worst) worst = margin;
  }
};

/// Figures of one process.
struct ProcessStatistics {
  std::uint64_t events = 0;
  Time last_recorded;
  Time last_corrected;
  Ticks largest_shift = 0;
  Time largest_shift_at;  ///< recorded time of that event
};

/// Relative errors of intervals between successive events of a process: |corrected length - recorded length| / recorded
/// length.
struct IntervalClass {
  std::uint64_t count = 0;
  double sum = 0;
  double largest = 0;
  void merge(const IntervalClass& other) noexcept {
    count += other.count;
    sum += other.sum;
    if (other.largest > largest) largest = other.largest;
  }
};

/// How far events were moved, and how that changed the intervals between successive events of a process.
class Movement {
 public:
  static constexpr std::size_t shift_classes = 64;

  std::uint64_t events = 0;
  std::uint64_t moved = 0;
  std::array<std::uint64_t, shift_classes> shifts{};  ///< see Analysis::shifts
  Ticks smallest_distance = ticks_max;                ///< ticks_max: none
  std::uint64_t exact_intervals = 0;
  std::uint64_t stretched_ties = 0;
  double local_time = 0;    ///< sum of all intervals, ticks
  double changed_time = 0;  ///< sum of their absolute changes, ticks
  IntervalClass small_errors;
  IntervalClass large_errors;

  /// Adds events of one process that follow those already counted in p.
  void add(ProcessStatistics& p, std::span<const Corrected> run);

 private:
  /// Adds events that were moved by the same shift.
  void count_moved(Ticks shift, std::uint64_t count) noexcept;
  /// Adds an interval of the given recorded length that was changed by `change`.
  void changed_interval(Ticks length, Ticks change) noexcept {
    changed_time += std::abs(static_cast<double>(change));
    if (length == 0) {
      ++stretched_ties;
      return;
    }
    const double error = std::abs(static_cast<double>(change)) / static_cast<double>(length);
    IntervalClass& group = error <= 1e-3 ? small_errors : large_errors;
    ++group.count;
    group.sum += error;
    if (error > group.largest) group.largest = error;
  }
};

/// A member of a completed (or given up) collective operation, for counting.
struct CollectiveMember {
  ProcessIndex process = no_process;
  ClockIndex clock = no_process;
  Time begin;
  Time end;
  bool tail = false;         ///< its begin is the tail of edges
  bool head = false;         ///< its end is the head of edges
  NodeIndex node = no_node;  ///< its node when the operation was first seen; no_node if nodes make no difference
};

/// A message with one end missing from the trace.
struct Loss {
  ProcessIndex sender = no_process;
  ProcessIndex receiver = no_process;
  CommunicatorIndex communicator = no_communicator;
  std::int64_t tag = 0;
  Time recorded;      ///< recorded time of the other end
  bool send = false;  ///< true: the send is missing; false: the receive
};

/// How strongly a regulator acted.
struct RegulatorStatistics {
  double lowest = 1;        ///< lowest gamma that it requested
  std::uint64_t below = 0;  ///< events for which it requested less than gamma_max
};

/// The event that proved that clocks are not driven by their quartz alone, see clc-algorithm(7).
struct NotQuartz {
  Time time;               ///< recorded time of the event
  bool all_ahead = false;  ///< all clocks were ahead of their recorded times; else one, further than messages explain
};

/// gamma over time, in at most most_spans spans of equal length. Their length doubles as the trace grows. Only events
/// of processes that are ahead have a gamma.
class GammaCourse {
 public:
  static constexpr std::size_t most_spans = 256;
  struct Span {
    std::uint64_t events = 0;
    double sum_below = 0;  ///< of 1 - gamma
    double lowest = 1;
    void merge(const Span& other) noexcept {
      events += other.events;
      sum_below += other.sum_below;
      if (other.lowest < lowest) lowest = other.lowest;
    }
  };

  /// To be called for the first event of each process.
  void start(Time time) noexcept {
    if (started_) return;
    started_ = true;
    start_ = time;
  }
  /// gamma rarely changes: successive events of a span with the same gamma are counted together.
  [[gnu::always_inline]] void add(Time time, double gamma) noexcept {
    if (gamma != gamma_ || ticks_between(span_start_, time) >= span_ticks_) [[unlikely]]
      change(time, gamma);
    ++events_;
  }

  /// Time of the first event of the trace; none without events.
  [[nodiscard]] std::optional<Time> first() const noexcept { return started_ ? std::optional(start_) : std::nullopt; }
  /// True if any event has a gamma.
  [[nodiscard]] bool any() const noexcept {
    return events_ > 0 || std::any_of(spans_.begin(), spans_.end(), [](const Span& span) { return span.events > 0; });
  }
  /// Mean over all events; 1 without events.
  [[nodiscard]] double mean() const noexcept {
    Span all = counted();
    for (const Span& span : spans_) all.merge(span);
    return all.events == 0 ? 1 : 1 - all.sum_below / static_cast<double>(all.events);
  }
  /// Minimum over all events; 1 without events.
  [[nodiscard]] double lowest() const noexcept {
    Span all = counted();
    for (const Span& span : spans_) all.merge(span);
    return all.lowest;
  }
  [[nodiscard]] std::array<Span, most_spans> spans() const noexcept {
    std::array<Span, most_spans> all = spans_;
    all[span_].merge(counted());
    return all;
  }
  /// Length of a span, ticks. The first span begins at the first event of the trace.
  [[nodiscard]] double length() const noexcept { return std::ldexp(1.0, static_cast<int>(shift_)); }

 private:
  /// The events counted together that are not yet added to a span.
  [[nodiscard]] Span counted() const noexcept {
    return {events_, static_cast<double>(events_) * (1 - gamma_), events_ > 0 ? gamma_ : 1};
  }
  /// Widens the spans until one contains the time. Events are processed almost in order of time; an event before the
  /// start counts in the first span.
  [[gnu::noinline]] void change(Time time, double gamma) noexcept {
    spans_[span_].merge(counted());
    events_ = 0;
    gamma_ = gamma;
    const std::uint64_t since = time < start_ ? 0 : ticks_between(start_, time);
    while (since >> shift_ >= most_spans) widen();
    span_ = since >> shift_;
    span_ticks_ = std::uint64_t{1} << shift_;
    span_start_ = Time(static_cast<std::int64_t>(static_cast<std::uint64_t>(start_.ticks()) + (span_ << shift_)));
  }
  void widen() noexcept {
    for (std::size_t i = 0; i < most_spans; ++i) {
      const Span span = spans_[i];
      spans_[i] = Span{};
      spans_[i / 2].merge(span);
    }
    ++shift_;
  }

  bool started_ = false;
  unsigned shift_ = 0;
  Time start_;
  std::array<Span, most_spans> spans_{};
  // The events that are counted together.
  std::uint64_t events_ = 0;
  double gamma_ = 1;
  std::size_t span_ = 0;
  Time span_start_;
  std::uint64_t span_ticks_ = 0;  // 0: no span yet
};

class Analysis {
 public:
  static constexpr std::uint32_t no_pair = 0xffff'ffff;
  static constexpr std::uint32_t unpaired = 0xffff'fffe;  ///< counted in no pair
  static constexpr std::size_t most_losses = 1000;
  static constexpr std::size_t pair_limit = std::size_t{1} << 20;
  static constexpr std::size_t shift_classes = Movement::shift_classes;

  // ---- called by the stages -------------------------------------------------------------------
  void count(Case which, std::uint64_t times = 1) noexcept { cases_[static_cast<std::size_t>(which)] += times; }
  /// A matched message. pair: the number of its pair, from pair().
  void message(std::uint32_t pair, ProcessIndex sender, ProcessIndex receiver, Time received, Ticks delay, Ticks mu) {
    messages_.add(sender, receiver, received, delay, mu);
    if (pair < pairs_.size()) [[likely]]
      message_of_pair(pairs_[pair], received, delay, mu);
    else if (pair != unpaired)
      other_pairs_.add(delay, mu);
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
  /// A jump of the forward clock [R alg. 5].
  void jump(double height) noexcept {
    ++jumps_;
    if (height > largest_jump_) largest_jump_ = height;
  }
  /// Emitted events, all of one process and in its order.
  void released(std::span<const Corrected> events) {
    if (!uncounted.empty()) [[unlikely]]
      return released_counted(events);
    add_released(events);
  }
  /// An edge that the corrected times still violate.
  void violation_left() noexcept { ++violations_left_; }
  void buffered(std::uint64_t events, std::uint64_t bytes) noexcept {
    if (events > peak_events_) peak_events_ = events;
    if (bytes > peak_bytes_) peak_bytes_ = bytes;
  }
  RegulatorStatistics regulator_b;
  RegulatorStatistics regulator_c;
  GammaCourse gamma_course;
  std::string uncounted;         ///< body of events that are no records of the trace; empty: none are
  bool quartz_at_first = false;  ///< clocks counted as quartz clocks at first
  std::optional<NotQuartz> not_quartz;
  std::uint64_t events_below_gamma_max = 0;
  double clock_difference = 0;        ///< cldiff at the end, ticks
  double clock_difference_start = 0;  ///< its start value, ticks

  // ---- for the report -------------------------------------------------------------------------
  [[nodiscard]] std::uint64_t counted(Case which) const noexcept { return cases_[static_cast<std::size_t>(which)]; }
  /// Sum of the counters of severity unresolved.
  [[nodiscard]] std::uint64_t unresolved() const noexcept;
  [[nodiscard]] const Violations& messages() const noexcept { return messages_; }
  [[nodiscard]] const Violations& collectives() const noexcept { return collectives_; }
  [[nodiscard]] std::uint64_t collective_operations() const noexcept { return collective_operations_; }
  [[nodiscard]] std::uint64_t old_messages() const noexcept { return old_messages_; }
  [[nodiscard]] std::uint64_t messages_within_clocks() const noexcept { return messages_within_clocks_; }
  [[nodiscard]] const std::vector<Loss>& losses() const noexcept { return losses_; }
  [[nodiscard]] std::uint64_t violations_left() const noexcept { return violations_left_; }
  [[nodiscard]] std::span<const PairStatistics> pairs() const noexcept { return pairs_; }
  /// Messages of pairs beyond pair_limit.
  [[nodiscard]] const PairStatistics& other_pairs() const noexcept { return other_pairs_; }
  [[nodiscard]] const std::vector<ProcessStatistics>& processes() const noexcept { return processes_; }
  [[nodiscard]] std::uint64_t events() const noexcept { return movement_.events; }
  [[nodiscard]] std::uint64_t moved() const noexcept { return movement_.moved; }
  /// Moved events by size: entry k counts shifts from 2^k to 2^(k+1) - 1 ticks.
  [[nodiscard]] const std::array<std::uint64_t, shift_classes>& shifts() const noexcept { return movement_.shifts; }
  [[nodiscard]] std::uint64_t jumps() const noexcept { return jumps_; }
  [[nodiscard]] double largest_jump() const noexcept { return largest_jump_; }
  [[nodiscard]] Ticks smallest_distance() const noexcept { return movement_.smallest_distance; }  ///< ticks_max: none
  [[nodiscard]] std::uint64_t exact_intervals() const noexcept { return movement_.exact_intervals; }
  /// Sum of the absolute changes of all intervals, as a share of their recorded sum.
  [[nodiscard]] double changed_share() const noexcept {
    return movement_.local_time > 0 ? movement_.changed_time / movement_.local_time : 0;
  }
  /// Intervals of recorded length 0 that became longer; they have no relative error.
  [[nodiscard]] std::uint64_t stretched_ties() const noexcept { return movement_.stretched_ties; }
  [[nodiscard]] const IntervalClass& small_errors() const noexcept { return movement_.small_errors; }  ///< up to 0.1 %
  [[nodiscard]] const IntervalClass& large_errors() const noexcept { return movement_.large_errors; }  ///< above 0.1 %
  [[nodiscard]] std::uint64_t peak_events() const noexcept { return peak_events_; }
  [[nodiscard]] std::uint64_t peak_bytes() const noexcept { return peak_bytes_; }

  /// Half of the smallest round trip of each pair with messages in both directions, ticks [R fig. 6.3]: smallest,
  /// average and largest of all pairs. Clock offsets cancel, drift does not.
  struct RoundTrips {
    std::size_t pairs = 0;
    double smallest = 0;
    double average = 0;
    double largest = 0;
  };
  [[nodiscard]] RoundTrips round_trips() const;
  /// Round trips of neighbouring messages and of collective operations.
  [[nodiscard]] const RoundTripStatistics& short_trips() const noexcept { return short_trips_; }
  /// Smallest recorded delay of a message or collective edge between processes; ticks_max: none.
  [[nodiscard]] Ticks smallest_delay() const noexcept;
  /// The same in communicators with a minimum delay of their own, which says nothing about other edges.
  [[nodiscard]] Ticks smallest_own_delay() const noexcept { return smallest_own_delay_; }

 private:
  void add_released(std::span<const Corrected> events);
  void released_counted(std::span<const Corrected> events);
  [[gnu::always_inline]] void message_of_pair(PairStatistics& pair, Time received, Ticks delay, Ticks mu) {
    pair.add(delay, mu);
    pair.last_received = received;
    pair.last_delay = delay;
    pair.last_mu = mu < Ticks{0xffff'ffff} ? static_cast<std::uint32_t>(mu) : 0xffff'ffff;
    if (pair.reverse == no_pair) [[unlikely]]
      return follow_cycle(pair, mu);
    // Once a pair has many messages, every fourth one suffices.
    if (pair.messages > 64 && pair.messages % 4 != 0) return;
    const PairStatistics& back = pairs_[pair.reverse];
    // From the newest send in the opposite direction to this receive, on the same clock.
    const auto apart = static_cast<std::uint64_t>(received.ticks()) -
                       static_cast<std::uint64_t>(back.last_received.ticks()) +
                       static_cast<std::uint64_t>(back.last_delay);
    if (back.messages != 0)
      short_trips_.add(add_saturating(delay, back.last_delay), static_cast<Ticks>(apart),
                       add_saturating(mu, Ticks{back.last_mu}));
  }
  /// A message of a pair without messages in the opposite direction. It may close a cycle of processes.
  void follow_cycle(const PairStatistics& pair, Ticks mu);
  void add_trip(std::span<const CollectiveMember> members, const DelayModel& delays);

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

  std::array<std::uint64_t, cases.size()> cases_{};
  Violations messages_;
  Violations collectives_;
  std::uint64_t collective_operations_ = 0;
  std::uint64_t old_messages_ = 0;
  std::uint64_t messages_within_clocks_ = 0;
  std::uint64_t violations_left_ = 0;
  std::vector<Loss> losses_;
  LargeVector<PairStatistics> pairs_;
  /// A chain of messages from process `origin` to this one.
  struct Chain {
    Time received;           ///< time of the newest receive
    Ticks delays = 0;        ///< sum
    Ticks mus = 0;           ///< sum
    Ticks between = 0;       ///< time between a receive and the next send, sum
    std::uint32_t hops = 0;  ///< 0: none
    ProcessIndex origin = no_process;
  };
  std::vector<Chain> chains_;  // by process
  RoundTripStatistics short_trips_;
  Ticks smallest_collective_delay_ = ticks_max;
  Ticks smallest_own_delay_ = ticks_max;
  PairStatistics other_pairs_;
  std::vector<Corrected> of_trace_;  // of the events released
  NumberTable pair_numbers_{2};      // of pairs_
  std::vector<ProcessStatistics> processes_;
  Movement movement_;
  std::uint64_t jumps_ = 0;
  double largest_jump_ = 0;
  std::uint64_t peak_events_ = 0;
  std::uint64_t peak_bytes_ = 0;
};

}  // namespace clc
