// The lines of a trace with measured offsets:
//
//     %sync PROCESS REFERENCE T1 T2 T3 T4     a round trip, in ticks of both clocks; see sync/samples.hpp
//     %offset PROCESS TIME OFFSET [ERROR]     a point of the map, as clc-sync writes it
//
// Place    First pass. Every format with notes carries such lines, Paje in comments: "# %sync ...".
// Errors   InputError: a line that cannot be read, a process that is not defined, different offsets of a clock at the
//          same time, a trace whose times were already corrected.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/io/batch.hpp"
#include "clc/io/source.hpp"
#include "estimation/estimation.hpp"
#include "sync/samples.hpp"
#include "trace/offsets.hpp"

namespace clc::tool {

/// Measured offsets by clock, from the lines of its processes. Of the same offset at the same time there is one, with
/// the error that was stated last.
class PointsOfClocks {
 public:
  PointsOfClocks(const Definitions& definitions, std::vector<sync::GivenPoint>& to)
      : definitions_(definitions), to_(to) {}
  /// where: of the line, for messages. Throws InputError: the process is not defined, or its clock has another offset
  /// at that time.
  void add(const ProcessPoint& point, const std::string& where);
  void add(const Offsets& offsets, const std::string& name);

 private:
  const Definitions& definitions_;
  std::vector<sync::GivenPoint>& to_;
  std::map<std::pair<ClockIndex, Time>, std::size_t> place_;  ///< in to_
  OffsetPlaces first_;                                        ///< by clock, with the process as the place
};

class MeasurementLines {
 public:
  /// source: it describes places.
  MeasurementLines(TraceInput trace, const Source& source) : trace_(std::move(trace)), source_(source) {}
  /// Any line that is not a record.
  void note(const Batch::Note& note);
  /// The times of the trace are no longer those that were recorded.
  [[nodiscard]] bool corrected() const noexcept { return times_ != Times::recorded; }
  /// Adds all of them. definitions: of the whole trace. Round trips that end before they began are left out, with a
  /// warning.
  void add_to(std::vector<sync::Sample>& samples, PointsOfClocks& points, const Definitions& definitions,
              std::vector<std::string>& warnings) const;

 private:
  struct Numbers {
    std::uint64_t place;  ///< as Batch::Note has it
    std::uint64_t process;
    std::uint64_t reference;
    std::array<std::int64_t, 4> times;
  };
  struct Point {
    std::uint64_t place;
    ProcessPoint point;
  };
  [[nodiscard]] std::string where(std::uint64_t place) const {
    return place == 0 ? trace_.name : source_.describe(place);
  }
  void note_offset(std::string_view line, std::uint64_t place);
  void note_sync(std::string_view line, std::uint64_t place);

  void note_program(std::string_view line);

  enum class Times : std::uint8_t {
    recorded,
    mapped,  ///< by clock offsets that --write-offsets wrote
    corrected,
  };
  TraceInput trace_;
  const Source& source_;
  std::vector<Numbers> samples_;
  std::vector<Point> points_;
  OffsetPlaces places_;
  Times times_ = Times::recorded;
  bool any_program_ = false;  ///< lines of clc-filter, the newest first
  bool can_ignore_ = false;   ///< the clock offsets are those of the archive
  bool any_ = false;          ///< lines of measurements
};

}  // namespace clc::tool
