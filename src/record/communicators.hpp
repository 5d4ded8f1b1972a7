// The communicators of an MPI process, by their handles.
//
// Place    Part of Recorder, under its lock.
// Memory   A communicator is kept while MPI or a request knows it: it may be freed while requests are pending.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "record/key.hpp"

namespace clc::record {

struct Communicator {
  std::uint64_t number = 0;  ///< the same in all traces
  std::uint32_t index = 0;   ///< in this trace
  std::vector<int> world;    ///< ranks in MPI_COMM_WORLD by rank; of an inter-communicator those of the remote group
  std::vector<int> local;    ///< of an inter-communicator those of the own group
  bool inter = false;

  /// Of an inter-communicator in the same order on both sides.
  [[nodiscard]] std::vector<int> members() const noexcept;
  /// Some are not in MPI_COMM_WORLD.
  [[nodiscard]] bool reaches_outside() const noexcept;
};

using KnownCommunicator = std::shared_ptr<Communicator>;

/// Without its number and index.
[[nodiscard]] KnownCommunicator described(MPI_Comm comm) noexcept;
/// All members agree on the proposal of the first; of an inter-communicator on the smallest.
[[nodiscard]] std::uint64_t agree(MPI_Comm comm, bool inter, std::uint64_t proposal) noexcept;

class Communicators {
 public:
  void add(MPI_Comm comm, KnownCommunicator known) noexcept;
  void forget(MPI_Comm comm) noexcept;
  /// nullptr: unknown.
  [[nodiscard]] const KnownCommunicator& find(MPI_Comm comm) noexcept;
  /// For the next line that defines one.
  [[nodiscard]] std::uint32_t next_index() noexcept { return defined_++; }
  /// A number that no other communicator has, of a process with this rank.
  [[nodiscard]] std::uint64_t new_number(int rank) noexcept;

 private:
  std::map<Key, KnownCommunicator> all_;
  Key last_handle_ = 0;
  const KnownCommunicator* last_ = nullptr;
  std::uint32_t defined_ = 0;
  std::uint64_t created_ = 0;
};

}  // namespace clc::record
