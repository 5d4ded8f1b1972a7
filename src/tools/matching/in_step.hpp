// Reads several traces of the same run side by side.
#pragma once

#include <cstdint>
#include <vector>

#include "clc/io/batch.hpp"
#include "clc/io/source.hpp"
#include "matching/edges.hpp"

namespace clc {
struct Event;
}  // namespace clc

namespace clc::matching {

/// Receives the records, those of each file in order.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual void add(Column file, const Event& event, Body body, std::uint64_t place) = 0;
  virtual void note(Column file, const Batch::Note& note) = 0;
  virtual void end(Column file) = 0;
  /// True if records of the file wait for counterparts.
  [[nodiscard]] virtual bool waits(Column file) const = 0;
  /// How many records of the recorded trace, since the last call, have no counterparts by intent: they do not count.
  [[nodiscard]] virtual std::uint64_t take_left_out() { return 0; }
};

inline constexpr std::uint64_t most_ahead = 65536;

/// Reads the files in step: always the one with the fewest records read so far. The definitions are those of the
/// recorded trace; it is read on only if none of its records waits, because new definitions do not apply to them. Other
/// files may therefore be ahead of it, by at most about `most_ahead` records. Throws InputError.
void read_in_step(const std::vector<Source*>& files, StepObserver& observer);

}  // namespace clc::matching
