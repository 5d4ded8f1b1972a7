// What pairs of processes and the last events of processes show, of a parallel run: how far clocks differ, how far
// groups of processes run ahead, and whose records of a channel are missing although it went on.
//
// Place    Between the replays and the verdict. The messages of a pair in either direction are received on two ranks:
//          each tells the rank of the sender.
// Memory   In proportion to the own pairs, and 24 bytes for each process of all ranks while they are joined.
#pragma once

#include <span>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"
#include "clc/indexes.hpp"
#include "clc/time.hpp"
#include "ranks/replay.hpp"
#include "report/judge.hpp"
#include "trace/corrected.hpp"

namespace clc::filter_mpi {

class MpiPartners;

/// The last event of each process, of those that were written here, then of all.
class LastEvents {
 public:
  /// Some events of a process, in order; times as they were corrected, not as they are in the archive.
  void written(ProcessIndex process, std::span<const CorrectedTime> events);
  /// Adds those of all other ranks.
  void join(MpiPartners& partners);

  /// Recorded time; of processes without events `Time::earliest()`.
  [[nodiscard]] const std::vector<Time>& recorded() const noexcept { return recorded_; }
  [[nodiscard]] bool any(ProcessIndex process) const noexcept { return recorded_[process] != Time::earliest(); }
  /// By how much it was moved.
  [[nodiscard]] Ticks shift(ProcessIndex process) const noexcept { return corrected_[process] - recorded_[process]; }

 private:
  void add(ProcessIndex process, Time recorded, Time corrected);

  std::vector<Time> recorded_;
  std::vector<Time> corrected_;
};

struct PairFigures {
  ClockDifference difference;  ///< of pairs with messages in both directions
  Ticks apart = 0;             ///< ClocksApart::at_most
  Ticks ahead = 0;             ///< RunAhead::most

  /// Of all ranks. received: by processes of this one; owners: the rank of each process; all_connected: other edges
  /// than messages connect all processes; losses, last: of all ranks.
  [[nodiscard]] static PairFigures of(const std::vector<ranks::Replay::Direction>& received,
                                      const Definitions& definitions, const std::vector<unsigned>& owners,
                                      bool all_connected, std::span<const Loss> losses, const LastEvents& last,
                                      MpiPartners& partners);
};

}  // namespace clc::filter_mpi
