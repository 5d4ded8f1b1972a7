// The figures of a parallel run, summed over its processes, and their report.
#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"
#include "clc/parameters.hpp"
#include "clc/verdict.hpp"
#include "filter_mpi/pairs.hpp"
#include "ranks/replay.hpp"
#include "trace/corrected.hpp"

namespace clc::filter_mpi {

class MpiPartners;

struct Figures {
  std::uint64_t events = 0;
  std::uint64_t moved = 0;
  Ticks largest_shift = 0;
  std::uint64_t items = 0;  ///< sent to other processes: times, limits, counts
  ranks::Replay::Regulation regulation;
  ranks::Replay::Evidence evidence;
  ranks::TripSample trips;
  std::array<std::uint64_t, cases.size()> counted{};
  std::vector<Loss> losses;  ///< sends and receives whose other end is missing: the first by time
  LastEvents last_events;
  std::vector<ranks::Replay::Direction> received;  ///< of the messages that this rank received
  PairFigures pairs;                               ///< of all processes, once they are joined

  /// Some events were written.
  void add(std::span<const CorrectedTime> written) noexcept;
  /// Adds those of all other processes. owners: the rank of each process.
  void join(MpiPartners& partners, const Definitions& definitions, const std::vector<unsigned>& owners);
  [[nodiscard]] std::uint64_t unresolved() const noexcept;

 private:
  void join_losses(MpiPartners& partners);
};

struct RunFacts {
  std::string version;
  std::string options;
  std::string input;
  Parameters parameters;
  unsigned processes = 1;
  std::string alignment;  ///< what an estimate of the clocks found; empty: there was none
  std::string error;      ///< why the archive could not be read completely; empty: it could
  std::vector<std::string> remarks;
  bool min_delay_chosen = false;    ///< from the records
  MapFigures map;                   ///< of the clocks, if they are mapped
  MeasuredCounts measured;          ///< of the estimate
  std::vector<std::string> doubts;  ///< why it is not used, where it should be
  Verdict verdict;
};

/// Raised when a key of the JSON report is removed or changes its meaning.
inline constexpr int json_version = 1;

/// In the words of the command line; by all facts but the verdict. It does not know violations that are left.
[[nodiscard]] Verdict verdict_of(const Figures& figures, const Definitions& definitions, const RunFacts& facts);

void write_text(std::ostream& out, const Figures& figures, const Definitions& definitions, const RunFacts& facts);
void write_json(std::ostream& out, const Figures& figures, const Definitions& definitions, const RunFacts& facts);

}  // namespace clc::filter_mpi
