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
#include <optional>
#include <string>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/io/source.hpp"
#include "clc/parameters.hpp"
#include "common/provenance.hpp"
#include "comparison.hpp"
#include "correction_figures.hpp"
#include "last_events.hpp"
#include "matching/clock_map.hpp"
#include "matching/edges.hpp"
#include "matching/in_step.hpp"
#include "matching/laws.hpp"
#include "matching/lost/lost_records.hpp"
#include "matching/pairing.hpp"
#include "matching/trips.hpp"
#include "matching/violations.hpp"
#include "matching/window.hpp"
#include "receive_order.hpp"
#include "report/judge.hpp"
#include "trace/delay.hpp"
#include "verdict.hpp"

namespace clc::check {

/// How a correction was made, as far as the laws depend on it.
struct Manner {
  tool::Direction direction = tool::Direction::forwards;  ///< in which the clock ran
  tool::Deltas deltas = {};
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
  /// The next line of a file that is no record.
  void note(Column file, const Batch::Note& note) override;
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
  /// The first recorded time, also if it is before the window.
  [[nodiscard]] Time begin() const noexcept { return last_.begin(); }
  [[nodiscard]] const Verdict& verdict(Law law) const noexcept { return verdicts_[static_cast<std::size_t>(law)]; }
  [[nodiscard]] bool has_truth() const noexcept { return sides_.size() > truth; }
  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }
  [[nodiscard]] std::uint64_t operations() const noexcept { return operations_; }
  /// Of the recorded and the corrected trace.
  [[nodiscard]] const EdgesByKind& edges(Column column) const noexcept { return edges_[column]; }
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
  [[nodiscard]] bool violated_as_recorded() const { return edges_[recorded].sum(&EdgeFigures::violated) > 0; }
  [[nodiscard]] bool moves_apart() const noexcept { return ticks_of(manner_.deltas.largest_us) > 0; }
  [[nodiscard]] const LargestCorrection& largest_correction() const noexcept { return largest_correction_; }
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

  [[nodiscard]] Verdict& verdict_of(Law law) noexcept { return verdicts_[static_cast<std::size_t>(law)]; }
  template <class Words>
  void judge(Law law, bool holds, const Words& first_case) {
    verdict_of(law).judge(holds, first_case);
  }
  [[nodiscard]] std::string words(const Edge& edge) const;
  [[nodiscard]] std::string words(ProcessIndex process, const Stamp& stamp) const;
  [[nodiscard]] std::string words(Ticks ticks) const;
  /// Of a --delta; -1: none.
  [[nodiscard]] Ticks ticks_of(const std::optional<double>& delta_us) const noexcept {
    return delta_us ? sides_[recorded].definitions->resolution.ticks_of_microseconds(*delta_us) : -1;
  }

  std::vector<Side> sides_;
  ClockMap map_;
  Manner manner_;
  DelayModel delays_;
  CollectiveJudge collective_judge_;
  Pairing pairing_;
  Matcher matcher_;
  std::optional<LostRecords> lost_;
  std::array<Verdict, laws.size()> verdicts_;
  std::uint64_t events_ = 0;
  std::uint64_t operations_ = 0;
  std::array<EdgesByKind, 2> edges_;  ///< by Column recorded and corrected
  LastEvents last_;
  std::optional<Time> last_corrected_;
  struct SetBack {
    std::vector<Time> clocks;  // the last recorded time of each
    bool any = false;
  };
  SetBack set_back_;
  InWindow window_;
  LineComparison lines_;
  IntervalErrors intervals_;
  LargestCorrection largest_correction_;
  TruthErrors truth_errors_;
  ReceiveOrder receive_order_;
  Trips trips_;
};

}  // namespace clc::check
