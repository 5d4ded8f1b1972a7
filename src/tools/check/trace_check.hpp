// How bad is a trace: violations of the clock condition, smallest delays, clock differences.
//
// Protocol   add each record in input order, then finish; figures are complete after that.
// Memory     In proportion to what is unmatched, and to the pairs of processes that exchange messages
//            (at most pair_limit of them are told apart).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "clc/parameters.hpp"
#include "matching/edges.hpp"
#include "matching/lost/lost_records.hpp"
#include "matching/trips.hpp"
#include "matching/violations.hpp"
#include "report/judge.hpp"
#include "trace/delay.hpp"
#include "trace/hash.hpp"
#include "trace/round_trips.hpp"

namespace clc::check {

using namespace matching;  // edges and columns are the words of this room, too

/// Messages from one process to another.
struct PairFigures {
  EdgeFigures edges;
  double sum = 0;  ///< of the delays, ticks
  Ticks largest_delay = ticks_min;
};

/// Messages between two processes both ways. Offsets of the clocks cancel in the round trip, drifts do not.
struct BothWays {
  ProcessIndex first = no_process;
  ProcessIndex second = no_process;
  Ticks forth = 0;  ///< smallest delay from first to second, ticks
  Ticks back = 0;   ///< smallest delay from second to first

  /// Half the smallest round trip, ticks: what a delay is if it is the same both ways.
  [[nodiscard]] double half_round_trip() const noexcept { return half_of_sum(forth, back); }
  /// Estimate of the clock of second minus that of first, ticks; off by at most half_round_trip() when
  /// the clocks do not drift.
  [[nodiscard]] double clock_difference() const noexcept { return half_of_sum(forth, subtract_saturating(0, back)); }
};

/// Is every record at least as late as the one before it? Of the whole trace, where the largest time of its clock so
/// far counts for each record, or of single clocks.
struct Sortedness {
  std::uint64_t unsorted = 0;  ///< records earlier than the one before them
  Time before;                 ///< the first such case: the record before it,
  Time after;                  ///< and its own time
  ProcessIndex process = no_process;
  std::uint64_t place = 0;

  /// largest: what counts for the record.
  void add(Time previous, Time time, Time largest, ProcessIndex where, std::uint64_t at) noexcept {
    if (largest >= previous) [[likely]]
      return;
    if (unsorted++ != 0) return;
    before = previous;
    after = time;
    process = where;
    place = at;
  }
};

class TraceCheck final : private EdgeObserver {
 public:
  static constexpr std::size_t pair_limit = std::size_t{1} << 20;

  /// Keeps definitions, which may grow. Its resolution and min-delay are read now. lost: found in the trace beforehand.
  /// most_pairs: of processes, to be told apart.
  TraceCheck(const Parameters& parameters, const Definitions& definitions, std::optional<LostRecords> lost = {},
             std::size_t most_pairs = pair_limit);
  TraceCheck(const TraceCheck&) = delete;
  TraceCheck& operator=(const TraceCheck&) = delete;

  void add(const Event& event, std::uint64_t place);
  void finish() { matcher_.finish(); }
  /// Whether the trace can be used as it is.
  [[nodiscard]] VerdictFigures verdict_figures(const Definitions& definitions) const;

  /// No ordered pair is violated, those of incomplete operations aside.
  [[nodiscard]] bool clock_condition_holds() const noexcept {
    return messages_.violated == 0 && collectives_.violated == 0;
  }
  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }
  [[nodiscard]] Time first() const noexcept { return first_; }
  /// By value, in whatever order the records are.
  [[nodiscard]] Time earliest() const noexcept { return earliest_; }
  [[nodiscard]] Time latest() const noexcept { return latest_; }
  [[nodiscard]] const DelayModel& delays() const noexcept { return delays_; }
  [[nodiscard]] const EdgeFigures& messages() const noexcept { return messages_; }
  [[nodiscard]] const EdgeFigures& collectives() const noexcept { return collectives_; }
  /// Ordered pairs among the members that finished an operation which others did not.
  [[nodiscard]] const EdgeFigures& incomplete() const noexcept { return incomplete_; }
  [[nodiscard]] std::uint64_t operations() const noexcept { return operations_; }
  [[nodiscard]] const Leftovers& leftovers() const noexcept { return matcher_.leftovers(); }
  [[nodiscard]] const Sortedness& sortedness() const noexcept { return sortedness_; }
  /// Records earlier than the one before them on the same clock.
  [[nodiscard]] const Sortedness& set_back() const noexcept { return set_back_; }
  /// Pairs of processes with messages, worst first.
  [[nodiscard]] std::vector<PairFigures> pairs() const;
  /// None: messages match first in, first out.
  [[nodiscard]] const std::optional<LostRecords>& lost() const noexcept { return lost_; }
  /// Messages of pairs beyond those that are told apart.
  [[nodiscard]] const EdgeFigures& other_pairs() const noexcept { return other_pairs_; }
  /// Pairs with messages both ways, the largest clock difference first.
  [[nodiscard]] std::vector<BothWays> both_ways() const;

 private:
  void message(const Message& message) override;
  void collective(const Collective& operation) override;
  void incomplete(const Collective& operation) override;

  const Definitions& definitions_;
  DelayModel delays_;
  CollectiveJudge judge_;
  Matcher matcher_;
  std::optional<LostRecords> lost_;
  std::uint64_t events_ = 0;
  Time first_;
  Time last_;
  Time earliest_;
  Time latest_;
  struct OfClock {
    Time last = Time::earliest();
    Time largest = Time::earliest();
  };
  std::vector<OfClock> clocks_;
  Sortedness sortedness_;
  Sortedness set_back_;
  EdgeFigures messages_;
  EdgeFigures collectives_;
  EdgeFigures incomplete_;
  std::uint64_t operations_ = 0;
  std::size_t most_pairs_;
  std::vector<PairFigures> pairs_;
  HashMap<std::uint64_t, std::uint32_t> pair_index_;
  EdgeFigures other_pairs_;
  Trips trips_;
  std::vector<bool> seen_;  // processes with events
};

}  // namespace clc::check
