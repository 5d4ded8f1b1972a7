// Maps the clocks of processes to a common time by points with linear interpolation of the offset.
//
// Place    Estimated by clc-sync or measured; applied to records as they are read, before the clock.
// Units    Ticks of the trace. Mapped time = recorded time + offset, rounded to the nearest tick, halves up.
// Clocks   Offsets are those of a clock: the points of a process count for all that share its clock.
// Errors   `parse_offsets` and `offsets_of_clocks` throw InputError.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/time.hpp"

namespace clc {

/// An offset at a time on the process's own clock.
struct OffsetPoint {
  static constexpr double unknown = -1;
  Time time;
  Ticks offset = 0;        ///< added to the time, rounded down
  double fraction = 0;     ///< the remaining fraction, at least 0, less than 1
  double error = unknown;  ///< standard deviation, ticks; 0: exact; a map does not depend on it

  [[nodiscard]] bool has_error() const noexcept { return error >= 0; }

  friend bool operator==(const OffsetPoint&, const OffsetPoint&) = default;
};

/// The points of one process, by time. A single point is a constant offset. Before the first and after the last point,
/// the line through the nearest two continues.
class OffsetLine {
 public:
  OffsetLine() = default;
  /// Takes points in any order. Of two points at the same time, the last one counts.
  explicit OffsetLine(std::vector<OffsetPoint> points);

  [[nodiscard]] const std::vector<OffsetPoint>& points() const noexcept { return points_; }
  /// Mapped time. O(log points).
  [[nodiscard]] Time at(Time time) const noexcept {
    std::size_t after = 1;
    return at(time, after);
  }
  /// The same. after: the point behind the time that was mapped last, 1 at first, possibly of a line that was replaced;
  /// O(1) if it is that of this time.
  [[nodiscard]] Time at(Time time, std::size_t& after) const noexcept { return exactly_at(time, after).time; }
  struct Mapped {
    Time time;
    bool cut_off = false;  ///< it does not fit into 64 bits
  };
  [[nodiscard]] Mapped exactly_at(Time time, std::size_t& after) const noexcept;
  /// The first point behind a place, but neither the first of all nor behind the last one. after: that of another
  /// place; O(1) if it is the same, else O(log points). is_passed(point): it is not behind the place. Pre: two points.
  template <class Predicate>
  [[nodiscard]] std::size_t point_behind(std::size_t after, Predicate is_passed) const noexcept {
    const bool is_same =
        (after == 1 || is_passed(points_[after - 1])) && (after + 1 == points_.size() || !is_passed(points_[after]));
    if (is_same) return after;
    const auto behind = std::partition_point(points_.begin() + 1, points_.end() - 1, is_passed);
    return static_cast<std::size_t>(behind - points_.begin());
  }

 private:
  std::vector<OffsetPoint> points_;
};

/// The line of each process that has points, by process number.
struct Offsets : std::map<std::uint64_t, OffsetLine> {
  using map::map;
  /// Null: the process has no points, and its times are not changed.
  [[nodiscard]] const OffsetLine* line_of(std::uint64_t process) const {
    const auto found = find(process);
    return found == end() ? nullptr : &found->second;
  }
};

/// A point of the line of a process, by its number.
struct ProcessPoint {
  std::uint64_t process = 0;
  OffsetPoint point;
};

/// Reads a line "%offset PROCESS TIME OFFSET" or "%offset PROCESS TIME OFFSET ERROR" (ticks; OFFSET and ERROR may have
/// a fraction). Additional fields are ignored. nullopt: it is no such line.
[[nodiscard]] std::optional<ProcessPoint> read_offset_line(std::string_view line);
/// "found '%offset 1 0', expected %offset ...; remedy", of a line that cannot be read.
[[nodiscard]] std::string unreadable_offset_line(std::string_view line);

/// Finds different offsets of a process at the same time.
class OffsetPlaces {
 public:
  /// place: where the point stands. Returns the place of the first point of this process and time if it has another
  /// offset.
  [[nodiscard]] std::optional<std::uint64_t> add(const ProcessPoint& point, std::uint64_t place);

 private:
  struct First {
    OffsetPoint point;
    std::uint64_t place;
  };
  std::map<std::pair<std::uint64_t, Time>, First> first_;
};
/// "found another offset ... than in WHERE, expected ...; remedy"; where: the place that OffsetPlaces::add returned.
[[nodiscard]] std::string contradicting_offset(const ProcessPoint& point, const std::string& where);
/// The same of processes that share a clock. other: the number of the process that had a point at that time before.
[[nodiscard]] std::string contradicting_offset(const ProcessPoint& point, std::uint64_t other);

/// Of different offsets of a process at the same time.
enum class SameTime : std::uint8_t { last_counts, must_agree };

/// Reads such lines. Skips empty lines and lines that start with '#'. name: the file's name for messages. Throws
/// InputError.
[[nodiscard]] Offsets parse_offsets(std::istream& input, const std::string& name,
                                    SameTime same = SameTime::last_counts);

/// Gives each process the line of its clock, which has the points of all processes that share it. Processes that are
/// not defined keep theirs. name: the file's name for messages. Throws InputError: different offsets of a clock at the
/// same time.
[[nodiscard]] Offsets offsets_of_clocks(const Offsets& offsets, const Definitions& definitions,
                                        const std::string& name);
/// The line of the clock of a process, which may have been defined after offsets_of_clocks; null: there is none. Throws
/// InputError: such a process has another line of its own.
[[nodiscard]] const OffsetLine* line_of_clock(const Offsets& offsets, const Definitions& definitions,
                                              ProcessIndex process);

/// Makes such a line, without newline. The error is rounded up to a thousandth of a tick.
[[nodiscard]] std::string offset_line(std::uint64_t process, const OffsetPoint& point);

/// Maps the times of one process in order. A later time stays later, by at least one tick; where the clock was set
/// back, so is the mapped one.
class OffsetMap {
 public:
  OffsetMap() = default;
  explicit OffsetMap(const OffsetLine* line) : line_(line) {}
  [[nodiscard]] Time next(Time time) noexcept;
  /// The time that `next` returned last does not fit into 64 bits: it is the nearest that does.
  [[nodiscard]] bool is_cut_off() const noexcept { return cut_off_; }

 private:
  const OffsetLine* line_ = nullptr;  ///< null: times are not changed
  std::size_t after_ = 1;             ///< the point behind the last time
  bool any_ = false;
  bool cut_off_ = false;
  Time recorded_;
  Time mapped_;
};

}  // namespace clc
