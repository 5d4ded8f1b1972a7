// Kinds and operations as the binary format numbers them, see clc-trace(5). A test compares them with those of the
// other rooms.
#pragma once

#include <cstdint>

namespace clc::record {

enum class Kind : std::uint8_t { other, enter, leave, send, receive, begin, end };
enum class Operation : std::uint8_t {
  barrier,
  bcast,
  scatter,
  scatterv,
  reduce,
  gather,
  gatherv,
  allreduce,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
};

}  // namespace clc::record
