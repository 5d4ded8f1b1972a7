// The payload that a Paje source passes to its sink: the line as read, the position of its time, and its meaning.
//
// Body     flags, decimals, then as varints: position and length of the time in the line, length of the line; the line;
//          processes that end before it (a count and numbers, with `Flag::last`); the container that is created (with
//          `Flag::outer`); the creations of the containers around it (with `Flag::inside`: their bytes, then of each
//          container, time and line); on conversion, the record in the encoding of the binary format.
// Notes    Lines without time travel as comments of the text format, after `raw_line`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "clc/indexes.hpp"
#include "clc/time.hpp"

namespace clc::formats::paje {

enum Flag : unsigned {
  unterminated = 1,  ///< the line has no newline
  opens = 2,         ///< the container of the process, or one around processes, is created
  closes = 4,        ///< it is destroyed
  last = 8,          ///< a container around processes is destroyed; all of them were destroyed before
  outer = 16,        ///< a container is created that may be around processes
  inside = 32,       ///< a container is created inside of such ones
};

inline constexpr std::string_view raw_line = "#paje ";
inline constexpr std::string_view raw_unterminated_line = "#paje\\ ";

/// The creation of a container around others: containers inside may come first in the output.
struct Outer {
  std::uint64_t container = 0;
  std::uint64_t life = 0;  ///< how often it was created before
  Time recorded;
  std::size_t time_at = 0;
  std::size_t time_size = 0;
  std::string_view line;
};

struct Parts {
  unsigned flags = 0;
  unsigned decimals = 0;  ///< 10^decimals ticks are one unit of the trace's time
  std::size_t time_at = 0;
  std::size_t time_size = 0;
  std::string_view line;
  std::vector<ProcessIndex> processes;  ///< with `last`
  std::uint64_t container = 0;          ///< with `outer`
  std::uint64_t life = 0;               ///< with `outer`
  std::string_view around;              ///< with `inside`: of `append`, from the outermost container on
};

/// Appends everything but the record.
void append(std::string& body, const Parts& parts);
/// Parses it; `record` is the rest.
[[nodiscard]] Parts take_apart(Body body, Body& record);

void append(std::string& around, const Outer& outer);
/// Removes the first one from the front.
[[nodiscard]] Outer take_outer(std::string_view& around) noexcept;

}  // namespace clc::formats::paje
