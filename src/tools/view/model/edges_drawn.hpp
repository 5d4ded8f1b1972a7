// The arrows of time lines: messages and collective operations, with recorded and corrected times.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/time.hpp"
#include "matching/edges.hpp"

namespace clc::view {

using matching::Column;
using matching::corrected;
using matching::recorded;
inline constexpr std::array<Column, 2> sides{recorded, corrected};

/// A value for each side.
template <class Value>
using Both = std::array<Value, 2>;

[[nodiscard]] inline Ticks size_of(Ticks ticks) noexcept { return ticks < 0 ? subtract_saturating(0, ticks) : ticks; }

/// A matched message; or the worst pair of a collective operation.
struct Arrow {
  ProcessIndex from = 0;
  ProcessIndex to = 0;
  std::uint64_t bytes = 0;
  Both<Time> sent{};
  Both<Time> received{};
  std::int64_t tag = 0;
  CommunicatorIndex communicator = no_communicator;
  Ticks mu = 0;                 ///< its minimum delay
  std::int16_t operation = -1;  ///< of a collective operation: which, as Operation
  std::uint64_t number = 0;     ///< of the messages in detail: the same in each chunk that holds it
  [[nodiscard]] Ticks delay(Column side) const noexcept { return received[side] - sent[side]; }
  [[nodiscard]] Ticks margin(Column side) const noexcept { return subtract_saturating(delay(side), mu); }
};

/// A collective operation from begin to end of each member.
struct Joint {
  struct Member {
    ProcessIndex process = 0;
    Both<Time> begin{};  ///< that of the end where there is none
    Both<Time> end{};
  };
  Operation operation = Operation::barrier;
  CommunicatorIndex communicator = no_communicator;
  Both<std::uint64_t> violated{};  ///< pairs of begin and end
  std::vector<Member> members;
  std::uint64_t number = 0;  ///< as that of an arrow
};

}  // namespace clc::view
