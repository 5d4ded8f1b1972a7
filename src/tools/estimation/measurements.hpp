// The lines of a trace with measured offsets:
//
//     %sync PROCESS REFERENCE T1 T2 T3 T4     a round trip, in ticks of both clocks; see sync/samples.hpp
//     %offset PROCESS TIME OFFSET [ERROR]     a point of the map, as clc-sync writes it
//
// Place    First pass. Every format with notes carries such lines, Paje in comments: "# %sync ...".
// Errors   InputError: a line that cannot be read, a process that is not defined, a trace whose times were already
//          corrected.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clc/definitions.hpp"
#include "sync/samples.hpp"

namespace clc::tool {

/// Adds the points of offsets. name: where they are from, for messages. Throws InputError: a process is not defined.
void add_points(const Offsets& offsets, const std::string& name, const Definitions& definitions,
                sync::Measurements& to);

class MeasurementLines {
 public:
  /// name: of the trace, for messages.
  explicit MeasurementLines(std::string name) : name_(std::move(name)) {}
  /// Any line that is not a record.
  void note(std::string_view line);
  /// The times of the trace are no longer those that were recorded.
  [[nodiscard]] bool corrected() const noexcept { return corrected_; }
  /// definitions: of the whole trace.
  [[nodiscard]] sync::Measurements measurements(const Definitions& definitions) const;

 private:
  struct Numbers {
    std::uint64_t process;
    std::uint64_t reference;
    std::array<std::int64_t, 4> times;
  };
  std::string name_;
  std::vector<Numbers> samples_;
  std::string offsets_;  ///< lines
  bool corrected_ = false;
};

}  // namespace clc::tool
