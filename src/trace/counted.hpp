// Events that differ in nothing but their times.
#pragma once

#include <cstdint>

#include "clc/event.hpp"

namespace clc {

struct CountedEvent {
  Event event;
  std::uint64_t count = 0;
};

}  // namespace clc
