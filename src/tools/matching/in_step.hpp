// Reads several traces of the same run side by side.
#pragma once

#include <cstdint>
#include <vector>

#include "clc/io/source.hpp"
#include "matching/edges.hpp"

namespace clc::matching {

/// Takes what is read, each file in its own order.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual void add(Column file, const Event& event, Body body, std::uint64_t place) = 0;
  virtual void note(Column file, Body line) = 0;
  virtual void end(Column file) = 0;
  /// Records of the file wait for others.
  [[nodiscard]] virtual bool waits(Column file) const = 0;
};

inline constexpr std::uint64_t most_ahead = 65536;

/// Reads the files in step: the one of which the fewest records have been read comes next. The recorded trace, whose
/// definitions hold, goes on when none of its records waits: what it defines anew does not hold for these. Others run
/// ahead of it for that, at most about `most_ahead` records. Throws InputError.
void read_in_step(const std::vector<Source*>& files, StepObserver& observer);

}  // namespace clc::matching
