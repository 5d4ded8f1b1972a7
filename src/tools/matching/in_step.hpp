// Reads several traces of the same run side by side.
#pragma once

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
};

/// Reads the files in step: the one of which the fewest records have been read comes next. Throws InputError.
void read_in_step(const std::vector<Source*>& files, StepObserver& observer);

}  // namespace clc::matching
