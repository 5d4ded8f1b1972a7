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
  bool outside = false;          ///< has members that are not in MPI_COMM_WORLD: not recorded, without a number
  std::uint64_t duplicates = 0;  ///< by MPI_Comm_idup
  std::uint64_t operations = 0;  ///< non-blocking collective ones that were posted
  std::vector<std::shared_ptr<Communicator>> for_requests;  ///< so many as were needed
  std::uint64_t last_ended = 0;                             ///< of one for requests: the highest number

  /// Of an inter-communicator in the same order on both sides.
  [[nodiscard]] std::vector<int> members() const noexcept;
  /// How many communicators, with the same members, its non-blocking operations are divided among. All members post
  /// them in the same order but may complete them in any, and operations of a communicator are matched in the order in
  /// which they end. So each has a number, and those with the same number modulo this one share a communicator, which
  /// all members know without a word. Fewer if there are many members, as each trace lists them. 0: not needed.
  [[nodiscard]] std::uint64_t most_for_requests() const noexcept;
  /// The number of its next duplicate by MPI_Comm_idup. All members call that in the same order, so they need not
  /// agree, which could wait for members that wait for this one.
  [[nodiscard]] std::uint64_t next_duplicate() noexcept;
};

constexpr std::uint64_t most_for_any = 256;  ///< of most_for_requests()

using KnownCommunicator = std::shared_ptr<Communicator>;

/// Without its number and index.
[[nodiscard]] KnownCommunicator described(MPI_Comm comm) noexcept;
/// All members agree on the proposal of the first; of an inter-communicator on the smallest.
[[nodiscard]] std::uint64_t agree(MPI_Comm comm, bool inter, std::uint64_t proposal) noexcept;

class Communicators {
 public:
  void add(MPI_Comm comm, KnownCommunicator known) noexcept;
  /// If comm is its handle still.
  void forget(MPI_Comm comm, const KnownCommunicator& freed) noexcept;
  /// nullptr: unknown. Communicators with members that are not in MPI_COMM_WORLD are known by these.
  [[nodiscard]] const KnownCommunicator& find(MPI_Comm comm) noexcept;
  /// For the next line that defines one.
  [[nodiscard]] std::uint32_t next_index() noexcept { return defined_++; }
  /// A number that no other communicator has, of a process with this rank. Those after it are for requests.
  [[nodiscard]] std::uint64_t new_number(int rank) noexcept;

 private:
  std::map<Key, KnownCommunicator> all_;
  Key last_handle_ = 0;
  const KnownCommunicator* last_ = nullptr;
  std::uint32_t defined_ = 0;
  std::uint64_t created_ = 0;
};

}  // namespace clc::record
