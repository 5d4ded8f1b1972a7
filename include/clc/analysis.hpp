// The figures of a run: counters of cases, and all that the report shows [R fig. 6.3].
//
// Place    Filter::analysis; read by the report.
// Units    Ticks throughout; the report converts.
// Cost     Memory per process and per pair of processes that exchanged messages (at most `pair_limit` pairs; all others
//          share one entry).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/indexes.hpp"
#include "clc/time.hpp"
#include "clc/verdict.hpp"

namespace clc {

enum class CollectiveClass : std::uint8_t;
enum class Operation : std::uint8_t;

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
  late_record,
  crosses_window,
  clock_set_back,
};

enum class Severity : std::uint8_t {
  remark,      ///< no edge is given up
  unresolved,  ///< an edge could not be ordered
};

struct CaseInfo {
  Case which;
  Severity severity;
  std::string_view name;    ///< for programs: JSON key
  std::string_view prose;   ///< for people, to follow the count: "sends were never received"
  std::string_view single;  ///< the same for a count of 1
  [[nodiscard]] constexpr std::string_view prose_of(std::uint64_t count) const noexcept {
    return count == 1 ? single : prose;
  }
  /// A record is missing: it was lost, or it is in the part that was not read because reading ended early.
  [[nodiscard]] constexpr bool lacks_a_record() const noexcept {
    return which == Case::send_without_receive || which == Case::receive_without_send ||
           which == Case::unclaimed_send || which == Case::collective_incomplete ||
           which == Case::collective_given_up || which == Case::begin_without_end;
  }
  /// The same prose; ended_early: reading stopped before the end of the trace.
  [[nodiscard]] std::string prose_of(std::uint64_t count, bool ended_early) const {
    return std::string(prose_of(count)) + (ended_early && lacks_a_record() ? " in the part that was read" : "");
  }
};

inline constexpr std::array cases{
    CaseInfo{Case::send_without_receive, Severity::unresolved, "send_without_receive", "sends were never received",
             "send was never received"},
    CaseInfo{Case::receive_without_send, Severity::unresolved, "receive_without_send",
             "receives were released without their send", "receive was released without its send"},
    CaseInfo{Case::late_send, Severity::unresolved, "late_send", "sends came after their receive had been released",
             "send came after its receive had been released"},
    CaseInfo{Case::wait_in_circle, Severity::unresolved, "wait_in_circle",
             "receives and ends of collective operations were released to break a circular wait (are records missing?)",
             "receive or end of a collective operation was released to break a circular wait (are records missing?)"},
    CaseInfo{Case::clock_disagrees, Severity::unresolved, "clock_disagrees",
             "messages and ordered pairs of collective operations on one clock end before they begin",
             "message or ordered pair of a collective operation on one clock ends before it begins"},
    CaseInfo{Case::self_message, Severity::remark, "self_message", "messages of a process to itself were ignored",
             "message of a process to itself was ignored"},
    CaseInfo{Case::forgotten_channel, Severity::unresolved, "forgotten_channel",
             "channels with unmatched messages were forgotten to limit memory",
             "channel with unmatched messages was forgotten to limit memory"},
    CaseInfo{Case::collective_incomplete, Severity::unresolved, "collective_incomplete",
             "collective operations were never finished by all members",
             "collective operation was never finished by all members"},
    CaseInfo{Case::collective_given_up, Severity::unresolved, "collective_given_up",
             "ends of collective operations were released without all members",
             "end of a collective operation was released without all members"},
    CaseInfo{Case::late_member, Severity::unresolved, "late_member",
             "members finished a collective operation after others had been released",
             "member finished a collective operation after others had been released"},
    CaseInfo{Case::end_without_begin, Severity::unresolved, "end_without_begin",
             "ends of collective operations have no begin", "end of a collective operation has no begin"},
    CaseInfo{Case::begin_without_end, Severity::unresolved, "begin_without_end",
             "begins of collective operations have no end", "begin of a collective operation has no end"},
    CaseInfo{Case::not_a_member, Severity::unresolved, "not_a_member",
             "collective operations were called by processes outside the communicator",
             "collective operation was called by a process outside the communicator"},
    CaseInfo{Case::root_not_a_member, Severity::unresolved, "root_not_a_member",
             "collective operations name a root outside the communicator",
             "collective operation names a root outside the communicator"},
    CaseInfo{Case::operation_mismatch, Severity::unresolved, "operation_mismatch",
             "collective calls disagree with the other members on the operation or its root",
             "collective call disagrees with the other members on the operation or its root"},
    CaseInfo{Case::unclaimed_send, Severity::remark, "unclaimed_send",
             "sends that name no receiver were never received", "send that names no receiver was never received"},
    CaseInfo{Case::final_early, Severity::remark, "final_early", "events were finalized early to limit memory",
             "event was finalized early to limit memory"},
    CaseInfo{Case::wait_given_up, Severity::unresolved, "wait_given_up", "waits were given up to limit memory",
             "wait was given up to limit memory"},
    CaseInfo{Case::note_early, Severity::remark, "note_early",
             "lines other than events were written early to limit memory",
             "line other than events was written early to limit memory"},
    CaseInfo{Case::memory_exceeded, Severity::remark, "memory_exceeded",
             "times the memory limit was exceeded, because corrected times are far ahead of recorded ones",
             "time the memory limit was exceeded, because corrected times are far ahead of recorded ones"},
    CaseInfo{Case::time_saturated, Severity::unresolved, "time_saturated", "corrected times do not fit into 64 bits",
             "corrected time does not fit into 64 bits"},
    CaseInfo{Case::late_record, Severity::unresolved, "late_record",
             "records came too late and were taken at the time that the input had reached",
             "record came too late and was taken at the time that the input had reached"},
    CaseInfo{Case::crosses_window, Severity::remark, "crosses_window",
             "messages, and calls or operations of a communicator, cross the border of the window",
             "message, or call or operation of a communicator, crosses the border of the window"},
    CaseInfo{Case::clock_set_back, Severity::remark, "clock_set_back",
             "times a clock was set back between two events of a process",
             "time a clock was set back between two events of a process"},
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
  std::uint32_t reverse = 0xffff'ffff;  ///< number of the pair for the opposite direction; Analysis::no_pair: none
};

/// A member of a completed (or given up) collective operation, as it is counted.
struct CollectiveMember {
  ProcessIndex process = no_process;
  ClockIndex clock = no_process;
  Time begin;
  Time end;
  bool tail = false;         ///< its begin is the tail of edges
  bool head = false;         ///< its end is the head of edges
  NodeIndex node = no_node;  ///< its node when the operation was first seen; no_node if nodes make no difference
};

/// Is notified of the messages that count in pairs, and of complete collective operations.
class FilterObserver {
 public:
  FilterObserver() = default;
  FilterObserver(const FilterObserver&) = delete;
  FilterObserver& operator=(const FilterObserver&) = delete;
  virtual ~FilterObserver() = default;
  /// pair: its number in Analysis::pairs().
  virtual void message(std::uint32_t pair, ProcessIndex sender, ProcessIndex receiver, Time received, Ticks delay) = 0;
  virtual void operation(CollectiveClass kind, Rank root, std::span<const CollectiveMember> members) = 0;
};

/// Figures of one process.
struct ProcessStatistics {
  std::uint64_t events = 0;
  Time last_recorded;
  Time last_corrected;
  Ticks largest_shift = 0;  ///< the shift of the largest magnitude
  Time largest_shift_at;    ///< recorded time of that event
};

/// Relative errors of intervals between successive events of a process: |corrected length - recorded length| / recorded
/// length.
struct IntervalClass {
  std::uint64_t count = 0;
  double sum = 0;
  double largest = 0;
};

/// Changes of intervals between successive events of a process, |corrected length - recorded length| [R 5.1].
struct IntervalErrors {
  std::uint64_t count = 0;           ///< intervals, changed or not
  std::uint64_t stretched_ties = 0;  ///< intervals of recorded length 0 that became longer: no relative error
  double sum = 0;                    ///< ticks
  double largest = 0;                ///< ticks
  double relative_sum = 0;           ///< of the changes as shares of the recorded length
  double relative_largest = 0;

  [[nodiscard]] double average() const noexcept { return count == 0 ? 0 : sum / static_cast<double>(count); }
  [[nodiscard]] bool all_were_ties() const noexcept { return count == stretched_ties; }  ///< none has a relative error
  [[nodiscard]] double relative_average() const noexcept {
    return all_were_ties() ? 0 : relative_sum / static_cast<double>(count - stretched_ties);
  }
  void merge(const IntervalErrors& other) noexcept {
    count += other.count;
    stretched_ties += other.stretched_ties;
    sum += other.sum;
    largest = std::max(largest, other.largest);
    relative_sum += other.relative_sum;
    relative_largest = std::max(relative_largest, other.relative_largest);
  }
};

/// Where corrections grow fastest between two successive events of a process: the amortization gradient A of
/// [R eq. 5.9], relative to recorded times. Corrections are whole ticks, so the growth may be a tick larger than that
/// of LC^A - C; this tick is taken off.
struct SteepestPiece {
  double gradient = 0;                ///< (growth - 1 tick) / recorded length; 0: nothing grows by more than a tick
  ProcessIndex process = no_process;  ///< of several with this gradient: the earliest one
  Time time;                          ///< recorded time of the event that ends it
};

/// A message with one end missing from the trace.
struct Loss {
  ProcessIndex sender = no_process;
  ProcessIndex receiver = no_process;
  CommunicatorIndex communicator = no_communicator;
  std::int64_t tag = 0;
  Time recorded;      ///< recorded time of the other end
  bool send = false;  ///< true: the send is missing; false: the receive

  friend constexpr auto operator<=>(const Loss&, const Loss&) noexcept = default;
};

/// A collective operation of which the record of a member is missing from the trace.
struct LostCall {
  ProcessIndex process = no_process;
  CommunicatorIndex communicator = no_communicator;
  Operation operation{};
  Time recorded;  ///< recorded time of the first end of the others
};

/// The size of a correction, which is negative where the clock ran backwards.
[[nodiscard]] constexpr std::uint64_t magnitude(Ticks shift) noexcept {
  return shift < 0 ? 0 - static_cast<std::uint64_t>(shift) : static_cast<std::uint64_t>(shift);
}

/// A clock that was set back between two events of a process.
struct StepBack {
  ProcessIndex process = no_process;
  Time before;  ///< recorded time of the event before the step
  Time after;   ///< recorded time of the event after it
  [[nodiscard]] Ticks size() const noexcept { return before - after; }
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
  /// The course of a clock that ran backwards, in the order of time. It begins with the span of the earliest event.
  [[nodiscard]] GammaCourse reversed() const noexcept;

 private:
  /// The events counted together that are not yet added to a span.
  [[nodiscard]] Span counted() const noexcept {
    return {events_, static_cast<double>(events_) * (1 - gamma_), events_ > 0 ? gamma_ : 1};
  }

  friend class GammaRecorder;
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

/// Smallest and largest corrections of all processes at equally spaced moments, at most most_moments of them. The
/// distance doubles as the trace grows. As corrected times are close to a common time, the difference between the two
/// corrections shows how far clocks are apart. From its first to its last event, a process has the correction of its
/// latest event.
class CorrectionCourse {
 public:
  static constexpr std::size_t most_moments = 32;
  struct Range {
    Ticks lowest = ticks_max;
    Ticks highest = ticks_min;
    [[nodiscard]] bool any() const noexcept { return lowest <= highest; }
    [[nodiscard]] Ticks width() const noexcept { return any() ? subtract_saturating(highest, lowest) : 0; }
    void add(Ticks correction) noexcept {
      lowest = std::min(lowest, correction);
      highest = std::max(highest, correction);
    }
  };
  [[nodiscard]] const std::array<Range, most_moments>& ranges() const noexcept { return ranges_; }
  /// Between two moments, ticks. The first one is that of the first event of the trace.
  [[nodiscard]] double distance() const noexcept { return std::ldexp(1.0, static_cast<int>(shift_)); }
  /// The largest difference of two corrections at one of these moments.
  [[nodiscard]] Ticks widest() const noexcept {
    Ticks widest = 0;
    for (const Range& range : ranges_) widest = std::max(widest, range.width());
    return widest;
  }

 private:
  friend class CourseRecorder;
  bool started_ = false;
  unsigned shift_ = 0;
  Time start_;
  std::array<Range, most_moments> ranges_{};
};

/// The figures of a run.
class Analysis {
 public:
  Analysis() = default;

  static constexpr std::uint32_t no_pair = 0xffff'ffff;
  static constexpr std::size_t most_losses = 1000;
  static constexpr std::size_t most_steps_back = 100;
  static constexpr std::size_t pair_limit = std::size_t{1} << 20;
  static constexpr std::size_t shift_classes = 64;

  /// Effects of the regulators.
  struct Regulation {
    RegulatorStatistics regulator_b;
    RegulatorStatistics regulator_c;
    GammaCourse gamma_course;
    bool quartz_at_first = false;  ///< clocks counted as quartz clocks at first
    std::optional<NotQuartz> not_quartz;
    std::uint64_t events_below_gamma_max = 0;
  };
  Regulation regulation;
  double clock_difference = 0;        ///< cldiff at the end, ticks
  double clock_difference_start = 0;  ///< its start value, ticks

  [[nodiscard]] std::uint64_t counted(Case which) const noexcept { return cases_[static_cast<std::size_t>(which)]; }
  /// Receives whose send was not read, nor read after their release (Case::late_send).
  [[nodiscard]] std::uint64_t lone_receives() const noexcept {
    return counted(Case::receive_without_send) - counted(Case::late_send);
  }
  /// Sum of the counters of severity unresolved.
  [[nodiscard]] std::uint64_t unresolved() const noexcept;
  [[nodiscard]] const Violations& messages() const noexcept { return messages_; }
  [[nodiscard]] const Violations& collectives() const noexcept { return collectives_; }
  [[nodiscard]] std::uint64_t collective_operations() const noexcept { return collective_operations_; }
  [[nodiscard]] std::uint64_t old_messages() const noexcept { return old_messages_; }
  [[nodiscard]] std::uint64_t messages_within_clocks() const noexcept { return messages_within_clocks_; }
  /// The receives among Case::wait_in_circle.
  [[nodiscard]] std::uint64_t receives_in_circles() const noexcept { return receives_in_circles_; }
  [[nodiscard]] const std::vector<Loss>& losses() const noexcept { return losses_; }
  /// Members that are known to miss an operation; the first most_losses.
  [[nodiscard]] const std::vector<LostCall>& lost_calls() const noexcept { return lost_calls_; }
  /// The number of channels with both sends and receives that have no other end.
  [[nodiscard]] std::uint64_t left_on_both_sides() const;
  /// There are ends without their other end, but on each channel as many sends as receives: nothing seems to be
  /// missing, so messages were matched wrongly.
  [[nodiscard]] bool nothing_seems_missing() const;
  /// The most_steps_back largest ones, the largest first; of equal ones, those that were read first.
  [[nodiscard]] const std::vector<StepBack>& steps_back() const noexcept { return steps_back_; }
  [[nodiscard]] std::uint64_t violations_left() const noexcept { return violations_left_; }
  [[nodiscard]] std::span<const PairStatistics> pairs() const noexcept { return pairs_; }
  /// Messages of pairs beyond pair_limit.
  [[nodiscard]] const PairStatistics& other_pairs() const noexcept { return other_pairs_; }
  /// Messages that count in no pair: those of communicators with a minimum delay of their own, which are between the
  /// threads of a process, and those whose send was read too late.
  struct Unpaired {
    std::uint64_t messages = 0;
    std::uint64_t violated = 0;
  };
  [[nodiscard]] Unpaired unpaired() const noexcept;
  [[nodiscard]] const std::vector<ProcessStatistics>& processes() const noexcept { return processes_; }
  [[nodiscard]] std::uint64_t events() const noexcept { return movement_.events; }
  [[nodiscard]] std::uint64_t moved() const noexcept { return movement_.moved; }
  /// The first times of all events; latest(): there are none.
  [[nodiscard]] Time first_recorded() const noexcept { return movement_.first_recorded; }
  [[nodiscard]] Time first_corrected() const noexcept { return movement_.first_corrected; }
  /// Moved events by size: entry k counts shifts from 2^k to 2^(k+1) - 1 ticks.
  [[nodiscard]] const std::array<std::uint64_t, shift_classes>& shifts() const noexcept { return movement_.shifts; }
  [[nodiscard]] std::uint64_t jumps() const noexcept { return jumps_.count; }
  [[nodiscard]] double largest_jump() const noexcept { return jumps_.largest; }
  [[nodiscard]] Ticks smallest_distance() const noexcept { return movement_.smallest_distance; }  ///< ticks_max: none
  [[nodiscard]] std::uint64_t exact_intervals() const noexcept;
  /// Sum of the absolute changes of all intervals, as a share of their recorded sum.
  [[nodiscard]] double changed_share() const noexcept {
    return movement_.local_time > 0 ? all_intervals().sum / movement_.local_time : 0;
  }
  /// Intervals of recorded length 0 that became longer; they have no relative error.
  [[nodiscard]] std::uint64_t stretched_ties() const noexcept { return all_intervals().stretched_ties; }
  [[nodiscard]] IntervalClass small_errors() const noexcept { return errors_of(small); }  ///< up to 0.1 %
  [[nodiscard]] IntervalClass large_errors() const noexcept { return errors_of(large); }  ///< above 0.1 %
  /// Intervals that end at a receive or at the end of a collective operation, or at another event; those up to the
  /// event at which the clock of the process was first raised, or later ones [R 5.1].
  enum class IntervalKind : std::uint8_t { at_receive, at_other, until_raised, later };
  [[nodiscard]] IntervalErrors interval_errors(IntervalKind kind) const noexcept;
  [[nodiscard]] IntervalErrors all_intervals() const noexcept;
  /// False: the kinds of intervals are not known, because the clock did not read the trace forwards.
  [[nodiscard]] bool knows_kinds() const noexcept { return movement_.knows_kinds; }
  [[nodiscard]] const SteepestPiece& steepest() const noexcept { return movement_.steepest; }
  /// Share of the recorded time of all processes in which corrections grow faster than A_def, by their gradients.
  [[nodiscard]] double steep_share() const noexcept {
    return movement_.local_time > 0 ? movement_.steep_time / movement_.local_time : 0;
  }
  /// Shortest recorded time from a send, or begin of a collective operation, to the next receive or end of the same
  /// process [R eq. 5.10], by C^ where clocks were set back; ticks_max: none.
  [[nodiscard]] Ticks send_to_receive() const noexcept { return send_to_receive_; }
  [[nodiscard]] const CorrectionCourse& correction_course() const noexcept { return movement_.course; }
  [[nodiscard]] std::uint64_t peak_events() const noexcept { return peak_.events; }
  [[nodiscard]] std::uint64_t peak_bytes() const noexcept { return peak_.bytes; }

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

 protected:
  static constexpr std::size_t interval_kinds = 4;
  /// Intervals that were changed.
  struct Changed {
    std::uint64_t count = 0;
    double sum = 0;
    double largest = 0;
    double relative_sum = 0;
    double relative_largest = 0;
  };
  /// Of recorded length 0, with errors up to 0.1 %, and above.
  enum ErrorClass : std::size_t { of_tie, small, large };
  /// How far events were moved, and how that changed the intervals between successive events of a process.
  struct Movement {
    std::uint64_t events = 0;
    std::uint64_t moved = 0;
    std::array<std::uint64_t, shift_classes> shifts{};
    Ticks smallest_distance = ticks_max;
    double local_time = 0;  ///< sum of all intervals, ticks
    Time first_recorded = Time::latest();
    Time first_corrected = Time::latest();
    bool knows_kinds = true;
    std::array<std::uint64_t, 2> intervals{};                      ///< until the clock was raised, later
    std::uint64_t at_receives = 0;                                 ///< of these
    std::array<std::array<Changed, 3>, interval_kinds> changed{};  ///< by kind_of
    SteepestPiece steepest;
    double steep_time = 0;  ///< ticks
    CorrectionCourse course;
  };
  [[nodiscard]] static constexpr std::size_t kind_of(bool at_receive, bool raised) noexcept {
    return (at_receive ? 1U : 0U) + (raised ? 2U : 0U);
  }

  [[nodiscard]] IntervalClass errors_of(ErrorClass of) const noexcept;

  /// pair_memory: the storage of pairs().
  explicit Analysis(std::pmr::memory_resource* pair_memory) : pairs_(pair_memory) {}

  std::array<std::uint64_t, cases.size()> cases_{};
  Violations messages_;
  Violations collectives_;
  std::uint64_t collective_operations_ = 0;
  std::uint64_t old_messages_ = 0;
  std::uint64_t messages_within_clocks_ = 0;
  std::uint64_t receives_in_circles_ = 0;
  std::uint64_t violations_left_ = 0;
  std::vector<Loss> losses_;
  std::vector<LostCall> lost_calls_;
  std::vector<StepBack> steps_back_;
  std::pmr::vector<PairStatistics> pairs_;
  RoundTripStatistics short_trips_;
  Ticks smallest_collective_delay_ = ticks_max;
  Ticks smallest_own_delay_ = ticks_max;
  PairStatistics other_pairs_;
  std::vector<ProcessStatistics> processes_;
  Movement movement_;
  Ticks send_to_receive_ = ticks_max;
  struct Jumps {
    std::uint64_t count = 0;
    double largest = 0;
  };
  Jumps jumps_;
  struct Peak {
    std::uint64_t events = 0;
    std::uint64_t bytes = 0;
  };
  Peak peak_;
};

}  // namespace clc
