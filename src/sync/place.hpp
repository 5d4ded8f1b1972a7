// Where an event stands in the order in which a single process reads a trace that several read.
#pragma once

#include <compare>
#include <cstdint>

#include "clc/indexes.hpp"
#include "clc/time.hpp"

namespace clc::sync {

/// By time, none before one that its process recorded earlier; then by process. An edge stands where the later of its
/// events does.
struct EventPlace {
  Time time;  ///< the latest of its clock so far
  ProcessIndex process = 0;
  std::uint32_t turn = 0;  ///< among events of its clock with that time
  std::uint32_t part = 0;  ///< among edges of an operation
  friend auto operator<=>(const EventPlace&, const EventPlace&) = default;
};

}  // namespace clc::sync
