// How good is a correction: the laws that a corrected trace must keep, the errors it brought, and how
// much nearer to the truth it is.
//
// Laws     [R theorem 9], and what a file can show of them:
//          1  C'(r) >= C'(s) + mu for every edge
//          2  C' >= C for every event
//          3  the order inside a process is kept, distinct times stay distinct
//          4  a trace without violation comes out unchanged
//          and the records are the same apart from their time, and the output is sorted.
//          Where clocks were mapped in front of the correction, C is the mapped time. Where the clock ran backwards,
//          law 2 is C' <= C; where the results of both directions were combined, it does not apply. With --delta
//          law 4 does not apply, and with one of less than a tick distinct times may meet.
// Memory   That of Pairing and Matcher.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/io/source.hpp"
#include "clc/parameters.hpp"
#include "common/provenance.hpp"
#include "error_figures.hpp"
#include "matching/clock_map.hpp"
#include "matching/edges.hpp"
#include "matching/in_step.hpp"
#include "matching/laws.hpp"
#include "matching/lost_records.hpp"
#include "matching/pairing.hpp"
#include "matching/trips.hpp"
#include "matching/violations.hpp"
#include "matching/window.hpp"
#include "offset_errors.hpp"
#include "receive_order.hpp"
#include "report/judge.hpp"
#include "trace/delay.hpp"

namespace clc::check {

using namespace matching;  // edges and columns are the words of this room, too

struct Verdict {
  bool applies = true;        ///< law 4: only when the recorded trace has no violation, see report.cpp
  std::uint64_t checked = 0;  ///< edges, events, ...
  std::uint64_t broken = 0;
  std::string first;  ///< words for the first case
  [[nodiscard]] bool holds() const noexcept { return !applies || broken == 0; }
};

/// How a correction was made, as far as the laws depend on it.
struct Manner {
  tool::Direction direction = tool::Direction::forwards;  ///< in which the clock ran
  tool::Deltas deltas = {};
};

/// One trace, as far as its records can be compared with those of another.
struct Side {
  const Definitions* definitions = nullptr;
  const BodyDecoder* decoder = nullptr;
  /// Words for a place: "run.clct:17".
  std::function<std::string(std::uint64_t place)> describe;
};

/// Are two records the same apart from their time? Process and communicator numbers are compared, not
/// indexes. A recorded time that was kept beside the corrected one must be the recorded time.
class RecordComparison {
 public:
  RecordComparison(const Side& a, const Side& b) : a_(&a), b_(&b) {}
  /// Empty: they are; otherwise in what they differ.
  [[nodiscard]] std::string difference(const Sighting& a, const Sighting& b) const;

 private:
  const Side* a_;
  const Side* b_;
};

/// |d corrected - d recorded| / d recorded for the intervals d between successive events of a process.
struct IntervalErrors {
  struct Class {
    std::uint64_t count = 0;
    double sum = 0;
    double largest = 0;
    [[nodiscard]] double average() const noexcept { return count == 0 ? 0 : sum / static_cast<double>(count); }
  };
  static constexpr double small_limit = 1e-3;

  std::uint64_t exact = 0;         ///< 0 %
  Class small;                     ///< up to 0.1 %
  Class large;                     ///< above
  std::uint64_t zero_widened = 0;  ///< recorded length 0, corrected length above 0: no relative error
  ErrorFigures all;                ///< of all but the widened ones
  Stamp largest_at;                ///< the event at the end of the interval with the largest error
  ProcessIndex largest_in = no_process;
  Ticks largest_change = 0;  ///< of a length, ticks

  [[nodiscard]] std::uint64_t count() const noexcept { return all.count() + zero_widened; }
  void add(Ticks before, Ticks after, ProcessIndex process, const Stamp& stamp);
};

/// Against the truth, before and after; absolute values, ticks.
struct TruthErrors {
  std::array<OffsetErrors, 2> offsets;             ///< of all events; by Column recorded and corrected
  std::array<ErrorFigures, 2> delays;              ///< of messages
  std::array<ErrorFigures, 2> within_nodes;        ///< of those between processes of one node
  std::array<ErrorFigures, 2> between_nodes;       ///< of those between processes of two nodes
  std::array<ErrorFigures, 2> intervals;           ///< between successive events of a process
  std::array<ErrorFigures, 2> relative_intervals;  ///< same, by the true length, where it is above 0
  std::uint64_t faster = 0;                        ///< messages whose true delay is below mu: mu is too large
};

class CorrectionCheck final : public StepObserver, private PairObserver, private EdgeObserver {
 public:
  /// sides: recorded, corrected and, if known, the truth. wait_limit, ticks: edges that the filter gives up
  /// with it are reported apart; ticks_max: none. offsets: the map of the clocks. lost: what was found in the recorded
  /// trace beforehand. window: of the recorded trace; what is only partly in it is in no law. Throws InputError when
  /// the traces cannot belong together.
  CorrectionCheck(const Parameters& parameters, std::vector<Side> sides, Ticks wait_limit = ticks_max,
                  Offsets offsets = {}, std::optional<LostRecords> lost = {}, const Manner& manner = {},
                  std::optional<Window> window = {});
  CorrectionCheck(const CorrectionCheck&) = delete;
  CorrectionCheck& operator=(const CorrectionCheck&) = delete;

  /// The next record of a file.
  void add(Column file, const Event& event, Body body, std::uint64_t place) override;
  /// The next line of a file that is no record. The order of processes and communicators means nothing: the formats
  /// that name them in their records define them at their first use.
  void note(Column file, Body line) override;
  /// A file has no more records.
  void end(Column file) override;
  [[nodiscard]] bool waits(Column file) const override { return pairing_.waiting(file) > 0; }
  [[nodiscard]] std::uint64_t take_left_out() override { return window_.take_left_out(); }
  /// Nothing more comes. complete: all files have ended; false: one was damaged.
  void finish(bool complete = true);

  /// For people; where clocks were mapped, law 2 is about mapped times.
  [[nodiscard]] std::string title(const LawInfo& law) const;
  [[nodiscard]] bool laws_hold() const noexcept;
  /// Whether the correction can be used.
  [[nodiscard]] VerdictFigures verdict_figures() const;
  /// Clocks were mapped: what is called recorded is mapped then.
  [[nodiscard]] bool mapped() const noexcept { return map_.any(); }
  /// The first recorded time.
  [[nodiscard]] Time first() const noexcept { return start_; }
  [[nodiscard]] const Verdict& verdict(Law law) const noexcept { return verdicts_[static_cast<std::size_t>(law)]; }
  [[nodiscard]] bool has_truth() const noexcept { return sides_.size() > truth; }
  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }
  [[nodiscard]] std::uint64_t operations() const noexcept { return operations_; }
  /// By Column recorded and corrected.
  [[nodiscard]] const EdgeFigures& messages(Column column) const noexcept { return messages_[column]; }
  [[nodiscard]] const EdgeFigures& collectives(Column column) const noexcept { return collectives_[column]; }
  /// Ordered pairs among the members that finished an operation which others did not; in no law.
  [[nodiscard]] const EdgeFigures& incomplete(Column column) const noexcept { return incomplete_[column]; }
  /// Edges beyond the wait limit; in no law.
  [[nodiscard]] const EdgeFigures& given_up(Column column) const noexcept { return given_up_[column]; }
  /// With a window there are none: they may have their other ends outside of it.
  [[nodiscard]] const Leftovers& leftovers() const noexcept {
    static const Leftovers none;
    return window_.any() ? none : matcher_.leftovers();
  }
  /// Messages and operations that are only partly in the window, and partly before it.
  [[nodiscard]] std::uint64_t crossing() const noexcept { return window_.crossing(); }
  /// None: messages match first in, first out.
  [[nodiscard]] const std::optional<LostRecords>& lost() const noexcept { return lost_; }
  [[nodiscard]] const DelayModel& delays() const noexcept { return delays_; }
  [[nodiscard]] const IntervalErrors& intervals() const noexcept { return intervals_; }
  [[nodiscard]] std::uint64_t moved() const noexcept { return verdict(Law::unchanged).broken; }
  [[nodiscard]] tool::Direction direction() const noexcept { return manner_.direction; }
  /// Events may be moved apart where no edge is violated.
  [[nodiscard]] bool moves_apart() const noexcept { return ticks_of(manner_.deltas.largest_us) > 0; }
  /// Largest C' - C, ticks, and where. If the clock also ran backwards: that of the largest magnitude.
  [[nodiscard]] Ticks largest_correction() const noexcept { return largest_correction_; }
  [[nodiscard]] const Stamp& largest_correction_at() const noexcept { return largest_correction_at_; }
  [[nodiscard]] ProcessIndex largest_correction_in() const noexcept { return largest_correction_in_; }
  [[nodiscard]] const TruthErrors& truth_errors() const noexcept { return truth_errors_; }
  /// Without the truth, its figures mean nothing.
  [[nodiscard]] const ReceiveOrderFigures& receive_order() const noexcept { return receive_order_.figures(); }

 private:
  void matched(const std::array<Sighting, columns>& sightings) override;
  /// True if a record of the recorded trace is in the window. Those before it go to the matcher only.
  [[nodiscard]] bool is_inside(const Event& event);
  /// Of the next record of its process.
  [[nodiscard]] bool has_lost_other_end(const Event& event) { return lost_ && lost_->takes(event); }
  void match(const Event& event, const Stamp& stamp, bool lone);
  void judge_shift(ProcessIndex process, const Stamp& stamp);
  void judge_interval(ProcessIndex process, const Stamp& before, const Stamp& stamp);
  void unmatched(Column file, Column missing_in, const Sighting& sighting) override;
  void message(const Message& message) override;
  void collective(const Collective& operation) override;
  void incomplete(const Collective& operation) override;

  template <class Words>
  void judge(Law law, bool holds, const Words& first_case) {
    Verdict& verdict = verdicts_[static_cast<std::size_t>(law)];
    ++verdict.checked;
    if (holds) [[likely]]
      return;
    if (verdict.broken++ == 0) verdict.first = first_case();
  }
  [[nodiscard]] std::string words(const Edge& edge) const;
  [[nodiscard]] std::string words(ProcessIndex process, const Stamp& stamp) const;
  [[nodiscard]] std::string words(Ticks ticks) const;
  /// Of a --delta; -1: none.
  [[nodiscard]] Ticks ticks_of(const std::optional<double>& delta_us) const noexcept {
    return delta_us ? sides_[recorded].definitions->resolution.ticks_of_microseconds(*delta_us) : -1;
  }
  void compare_notes();
  /// Was the process silent for longer than the wait limit while the recorded times from..to passed?
  [[nodiscard]] bool silent(ProcessIndex process, Time from, Time to) const noexcept;

  std::vector<Side> sides_;
  ClockMap map_;
  Manner manner_;
  DelayModel delays_;
  CollectiveJudge collective_judge_;
  RecordComparison same_as_corrected_;
  Ticks wait_limit_;
  Pairing pairing_;
  Matcher matcher_;
  std::optional<LostRecords> lost_;
  std::array<Verdict, laws.size()> verdicts_;
  std::uint64_t events_ = 0;
  std::uint64_t operations_ = 0;
  std::array<EdgeFigures, 2> messages_;
  std::array<EdgeFigures, 2> collectives_;
  std::array<EdgeFigures, 2> incomplete_;
  std::array<EdgeFigures, 2> given_up_;
  struct Last {
    bool known = false;
    Stamp stamp;
    Time silent_from = Time::latest();  ///< the last time without records that was longer than the wait limit
    Time silent_to = Time::latest();
  };
  std::vector<Last> last_;       ///< event of each process
  Time start_ = Time::latest();  ///< of the recorded trace, as far as it was read
  std::optional<Time> last_corrected_;
  struct SetBack {
    std::vector<Time> clocks;  // the last recorded time of each
    bool any = false;
  };
  SetBack set_back_;
  InWindow window_;
  std::array<std::deque<std::string>, 2> notes_;
  std::map<std::string, std::int64_t> definitions_;  ///< lines, and how often more in the recorded trace
  IntervalErrors intervals_;
  Ticks largest_correction_ = 0;
  Stamp largest_correction_at_;
  ProcessIndex largest_correction_in_ = no_process;
  TruthErrors truth_errors_;
  ReceiveOrder receive_order_;
  Trips trips_;
  struct LocalTime {
    double all = 0;      // lengths of all intervals, ticks
    double changed = 0;  // by how much they changed, ticks
  };
  LocalTime local_time_;
};

}  // namespace clc::check
