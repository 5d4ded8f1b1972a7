// The regions of an archive: their names, and which of them order events.
//
// Place    Part of Archive.
#pragma once

#include <otf2/otf2.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/hash.hpp"
#include "trace/heap.hpp"

namespace clc::otf2 {

/// The calls of MPI for windows that name the group of the other processes: MPI_Win_post and start, complete, wait and
/// test.
enum class Epoch : std::uint8_t { none, begin, access_end, exposure_end };

class Regions {
 public:
  /// name: must stay.
  void define(OTF2_RegionRef region, std::string_view name) { names_[region] = name; }
  /// Those in which the threads of a team of that paradigm wait for each other.
  void define_barriers(std::vector<std::pair<OTF2_RegionRef, OTF2_Paradigm>> barriers) {
    thread_barriers_ = std::move(barriers);
    std::sort(thread_barriers_.begin(), thread_barriers_.end());
  }
  /// Tells epochs by their names; to be called in archives with windows.
  void find_epochs() {
    for (const auto& [ref, name] : names_) {
      if (name == "MPI_Win_post" || name == "MPI_Win_start") epochs_[ref] = Epoch::begin;
      if (name == "MPI_Win_complete") epochs_[ref] = Epoch::access_end;
      if (name == "MPI_Win_wait" || name == "MPI_Win_test") epochs_[ref] = Epoch::exposure_end;
    }
  }

  /// Empty: unknown.
  [[nodiscard]] std::string_view name(OTF2_RegionRef region) const noexcept {
    const auto found = names_.find(region);
    return found == names_.end() ? std::string_view() : found->second;
  }
  [[nodiscard]] bool is_thread_barrier(OTF2_RegionRef region, OTF2_Paradigm paradigm) const noexcept {
    return std::binary_search(thread_barriers_.begin(), thread_barriers_.end(), std::pair(region, paradigm));
  }
  [[nodiscard]] Epoch epoch(OTF2_RegionRef region) const noexcept {
    const auto found = epochs_.find(region);
    return found == epochs_.end() ? Epoch::none : found->second;
  }
  [[nodiscard]] bool has_epochs() const noexcept { return !epochs_.empty(); }
  /// Bytes.
  [[nodiscard]] std::uint64_t memory() const noexcept {
    return on_heap(names_) + on_heap(epochs_) + on_heap(thread_barriers_);
  }

 private:
  HashMap<OTF2_RegionRef, std::string_view> names_;
  HashMap<OTF2_RegionRef, Epoch> epochs_;                                  ///< when there are windows
  std::vector<std::pair<OTF2_RegionRef, OTF2_Paradigm>> thread_barriers_;  ///< sorted
};

}  // namespace clc::otf2
