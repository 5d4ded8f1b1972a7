// Maps from the clocks of processes to a common time: points between which the offset is linear.
//
// Place    Estimated by clc-sync or measured, applied to records as they are read, in front of the clock.
// Units    Ticks of the trace. Mapped time = recorded time + offset, rounded to the nearest tick, halves up.
// Errors   `parse_offsets` throws UsageError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <vector>

#include "clc/time.hpp"

namespace clc {

/// An offset at a time of the process' own clock.
struct OffsetPoint {
  Time time;
  Ticks offset = 0;     ///< what is added there, rounded down
  double fraction = 0;  ///< the rest of it, from 0 to less than 1

  friend bool operator==(const OffsetPoint&, const OffsetPoint&) = default;
};

/// The points of one process, by time. One point: a constant. Before the first and after the last of several the line
/// of the nearest two goes on.
class OffsetLine {
 public:
  OffsetLine() = default;
  /// Points in any order; of two at one time the last counts.
  explicit OffsetLine(std::vector<OffsetPoint> points);

  [[nodiscard]] const std::vector<OffsetPoint>& points() const noexcept { return points_; }
  /// Mapped time. O(log points).
  [[nodiscard]] Time at(Time time) const noexcept;

 private:
  std::vector<OffsetPoint> points_;
};

/// Of each process that has points, by its number.
using Offsets = std::map<std::uint64_t, OffsetLine>;

/// Reads lines "%offset PROCESS TIME OFFSET" (ticks; OFFSET may have a fraction); empty lines and those that start with
/// '#' are skipped. name: of the file, for messages. Throws UsageError.
[[nodiscard]] Offsets parse_offsets(std::istream& input, const std::string& name);

/// Such a line, without newline.
[[nodiscard]] std::string offset_line(std::uint64_t process, const OffsetPoint& point);

/// Maps the times of one process in their order: what comes later stays later, and by a tick where it was later by one.
class OffsetMap {
 public:
  OffsetMap() = default;
  explicit OffsetMap(const OffsetLine* line) : line_(line) {}
  [[nodiscard]] Time next(Time time) noexcept;

 private:
  const OffsetLine* line_ = nullptr;  ///< null: times stay
  bool any_ = false;
  Time recorded_;
  Time mapped_;
};

}  // namespace clc
