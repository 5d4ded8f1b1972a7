// Records that a reader has in memory but has not decoded, in the encoding of the binary format.
//
// Purpose  Whoever merges very many traces decodes their records one by one, each when its turn comes.
// Place    Beside Source, for readers of that format and what wraps them. Whatever is out of the ordinary is left to
//          Source::read, which finds it again: notes, damage, times out of order, and the ends of blocks.
// Protocol ready, then taken, before the next read.
#pragma once

#include <cstdint>

#include "clc/indexes.hpp"
#include "clc/time.hpp"

namespace clc::formats {

class Entries {
 public:
  /// Entries from `at` to `end`. at == end: there are none. A few bytes behind them may be read.
  struct Ready {
    const char* at = nullptr;
    const char* end = nullptr;
    Time time;                      ///< what the first time difference counts from
    Time after = Time::earliest();  ///< records must be later than this one
    std::uint64_t place = 0;        ///< of the first entry, as in Batch::places; the others are as many bytes behind it
  };
  /// What was decoded of them: in order of time, records of equal times of one process each.
  struct Taken {
    const char* to = nullptr;  ///< the end of the last one
    std::uint64_t count = 0;   ///< at least 1
    // Of the last one.
    Time time;
    ProcessIndex process = 0;
    std::uint64_t place = 0;
  };

  Entries() = default;
  Entries(const Entries&) = delete;
  Entries& operator=(const Entries&) = delete;
  virtual ~Entries() = default;
  [[nodiscard]] virtual Ready ready() const = 0;
  virtual void taken(const Taken& taken) = 0;
};

}  // namespace clc::formats
