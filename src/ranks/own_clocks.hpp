// The clocks of a rank, numbered from 0: what a rank keeps of each clock takes no room for the clocks of others.
//
// Cost     4 bytes for each process of the trace, and for each own clock.
#pragma once

#include <cstddef>
#include <vector>

#include "clc/definitions.hpp"
#include "trace/heap.hpp"

namespace clc::ranks {

class OwnClocks {
 public:
  /// owners: the rank of each process.
  OwnClocks(const Definitions& definitions, const std::vector<unsigned>& owners, unsigned rank) {
    of_.reserve(owners.size());
    for (ProcessIndex process = 0; process < owners.size(); ++process) {
      const ClockIndex clock = definitions.processes()[process].clock;
      const bool is_own = owners[process] == rank;
      if (is_own && clock == process) among_all_.push_back(clock);
      of_.push_back(!is_own ? no_process : clock == process ? static_cast<ClockIndex>(size() - 1) : of_[clock]);
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return among_all_.size(); }
  /// The own number of the clock of a process; no_process: the process belongs to another rank.
  [[nodiscard]] ClockIndex of(ProcessIndex process) const noexcept { return of_[process]; }
  /// The index of an own clock in the definitions, which is that of its first process. They ascend.
  [[nodiscard]] ClockIndex among_all(ClockIndex own) const noexcept { return among_all_[own]; }
  [[nodiscard]] std::uint64_t memory() const noexcept { return on_heap(of_) + on_heap(among_all_); }

 private:
  std::vector<ClockIndex> of_;
  std::vector<ClockIndex> among_all_;
};

}  // namespace clc::ranks
