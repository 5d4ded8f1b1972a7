// The lines of a trace with measured offsets:
//
//     %sync PROCESS REFERENCE T1 T2 T3 T4     a round trip, in ticks of both clocks; see sync/samples.hpp
//     %offset PROCESS TIME OFFSET [ERROR]     a point of the map, as clc-sync writes it
//
// Place    First pass. Every format with notes carries such lines, Paje in comments: "# %sync ...".
// Errors   InputError: a line that cannot be read, a process that is not defined, different offsets of a process at the
//          same time, a trace whose times were already corrected.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/io/batch.hpp"
#include "clc/io/source.hpp"
#include "sync/samples.hpp"
#include "trace/offsets.hpp"

namespace clc::tool {

/// Adds the points of offsets. name: where they are from, for messages. Throws InputError: a process is not defined.
void add_points(const Offsets& offsets, const std::string& name, const Definitions& definitions,
                sync::Measurements& to);

class MeasurementLines {
 public:
  /// name: of the trace, for messages about lines without a place. source: it describes places.
  MeasurementLines(std::string name, const Source& source) : name_(std::move(name)), source_(source) {}
  /// Any line that is not a record.
  void note(const Batch::Note& note);
  /// The times of the trace are no longer those that were recorded.
  [[nodiscard]] bool corrected() const noexcept { return corrected_; }
  /// definitions: of the whole trace. Round trips that end before they began are left out, with a warning.
  [[nodiscard]] sync::Measurements measurements(const Definitions& definitions,
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
  [[nodiscard]] std::string where(std::uint64_t place) const { return place == 0 ? name_ : source_.describe(place); }
  void note_offset(std::string_view line, std::uint64_t place);
  void note_sync(std::string_view line, std::uint64_t place);

  std::string name_;
  const Source& source_;
  std::vector<Numbers> samples_;
  std::vector<Point> points_;
  OffsetPlaces places_;
  bool corrected_ = false;
  bool any_ = false;  ///< lines of measurements
};

}  // namespace clc::tool
