// One record of a simulated program, independent of formats.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "clc/event.hpp"
#include "clc/io/record.hpp"
#include "clc/time.hpp"

namespace clc::tracegen {

/// Names of regions; regions of collective operations follow, in the order of `operations`.
enum class Region : std::uint8_t { program, compute, send, receive, wait, collective };

inline constexpr std::array<std::string_view, 22> region_names{
    "main",         "compute",       "MPI_Send",      "MPI_Recv",           "MPI_Wait",
    "MPI_Barrier",  "MPI_Bcast",     "MPI_Scatter",   "MPI_Scatterv",       "MPI_Reduce",
    "MPI_Gather",   "MPI_Gatherv",   "MPI_Allreduce", "MPI_Allgather",      "MPI_Allgatherv",
    "MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw", "MPI_Reduce_scatter", "MPI_Reduce_scatter_block",
    "MPI_Scan",     "MPI_Exscan"};
static_assert(region_names.size() == 5 + operations.size());

[[nodiscard]] constexpr std::uint8_t region_of(Region region) noexcept { return static_cast<std::uint8_t>(region); }
[[nodiscard]] constexpr std::uint8_t region_of(Operation operation) noexcept {
  return static_cast<std::uint8_t>(5 + static_cast<std::uint8_t>(operation));
}

/// Fields that a kind does not name are 0.
struct Point {
  Ticks time = 0;
  std::uint64_t bytes = 0;         ///< send, receive: length; collective_end: bytes sent
  std::uint64_t received = 0;      ///< collective_end
  std::uint32_t peer = 0;          ///< send, receive: the other process; collective_end: root or no_rank
  std::uint32_t communicator = 0;  ///< send, receive, collective_end
  std::int32_t tag = 0;            ///< send, receive; collective: call id
  Kind kind = Kind::other;
  std::uint8_t region = 0;  ///< enter, leave: index into region_names
  Operation operation = Operation::barrier;

  friend bool operator==(const Point&, const Point&) = default;
};
static_assert(sizeof(Point) == 40);

/// The same with its process, on its way out.
struct Placed {
  ProcessIndex process = 0;
  Point point;
};

}  // namespace clc::tracegen
