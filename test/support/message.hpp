// The events of messages, for tests that write their traces by hand.
#pragma once

#include <cstdint>

#include "clc/event.hpp"

namespace clc::test {

/// A send to a peer or a receive from it, in the first communicator.
[[nodiscard]] inline Event message(Role role, Time time, ProcessIndex process, ProcessIndex peer,
                                   std::int64_t tag = 0) {
  return {.time = time, .process = process, .role = role, .peer = peer, .communicator = 0, .tag = tag};
}

}  // namespace clc::test
