// What a trace says of how it was made, in the lines "%provenance " that stand before its first record, the newest
// first: of each program that wrote it a line, and of clc-filter the map of the clocks that it corrected, a line
// "offset PROCESS TIME OFFSET" for each point. With look-ahead the map grows: its points are lines "offset@N PROCESS
// TIME OFFSET" ahead of the records that they apply to, where N counts the corrections from the first one on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "clc/io/format.hpp"
#include "clc/io/source.hpp"
#include "clc/parameters.hpp"
#include "trace/offsets.hpp"

namespace clc::tool {

/// The directions in which the clock ran; both: the mean of the results.
enum class Direction : std::uint8_t { forwards, backwards, both };

/// The part of a trace that was corrected or copied, seconds since its first event.
struct PartOfTrace {
  std::optional<double> from_s;
  std::optional<double> to_s;
  [[nodiscard]] bool any() const noexcept { return from_s || to_s; }
};

/// Which events it had on one clock.
struct NotedClocks {
  ClockOf clock_of = ClockOf::process;
  double thread_delay_us = SourceOptions::default_thread_delay_us;
};

/// The least and the largest --delta with which a trace was corrected; none: the default alone.
struct Deltas {
  std::optional<double> least_us;
  std::optional<double> largest_us;
};

class Provenance {
 public:
  /// A line of the trace that is no record; others than provenance tell nothing.
  void note(std::string_view line);
  /// Of programs, at most 8.
  [[nodiscard]] const std::vector<std::string>& programs() const noexcept { return programs_; }
  /// Corrections, the newest included.
  [[nodiscard]] int corrections() const noexcept { return corrections_; }
  /// The map of the newest correction continues between the records.
  [[nodiscard]] bool grows() const;
  /// The map that the newest correction applied. Empty: none, or it cannot be read.
  [[nodiscard]] Offsets offsets() const;
  /// In which the newest correction ran.
  [[nodiscard]] Direction direction() const;
  /// Which part of the trace it corrected; or, if that was all, which part was copied since.
  [[nodiscard]] PartOfTrace part() const;
  /// Of several traces, neither it nor a copy made since read any behind the damage of one: no --keep-going.
  [[nodiscard]] bool ends_at_damage() const;
  /// Its clocks.
  [[nodiscard]] NotedClocks clocks() const;
  /// By which rule it matched messages; none: there is no correction, or it does not name its rule.
  [[nodiscard]] std::optional<Match> match() const;
  /// For how long it waited for a record; none: there is no correction, or it does not tell.
  [[nodiscard]] std::optional<double> wait_limit_s() const;
  /// Its minimum distances of events.
  [[nodiscard]] Deltas deltas() const;

 private:
  /// The words of the newest correction; empty: there is none.
  [[nodiscard]] std::istringstream newest_correction() const;
  /// The lines of the newest correction and of the copies made since, the newest first.
  [[nodiscard]] std::vector<std::string> newest_runs() const;

  std::vector<std::string> programs_;
  int corrections_ = 0;
  std::string offsets_;
  std::map<int, std::string> grown_;  ///< by the number of the correction
};

/// Of a trace that was just opened, and is read until it tells no more: to its first record, or to its end if the map
/// of its clocks grows; an archive tells all in its first batch. What stands behind damage is left out.
[[nodiscard]] Provenance provenance_in(Source& source, bool is_archive);
/// The map in a file. Throws InputError.
[[nodiscard]] Offsets read_offsets(const std::string& name);
/// The lines of a map, for SinkOptions::provenance.
[[nodiscard]] std::vector<std::string> provenance_of(const Offsets& offsets);

}  // namespace clc::tool
