// The calls of MPI for windows that a location is in. Within a call others may be entered and left, also such calls.
//
// Place    Part of EventReader.
// Memory   At most 17 calls, with the receives at their ends.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "clc/event.hpp"
#include "otf2/regions.hpp"

namespace clc::otf2 {

class WindowCalls {
 public:
  struct Call {
    Epoch kind = Epoch::none;
    std::size_t place = 0;       ///< place after its begin in the run
    bool synchronized = false;   ///< with the group that it names
    std::uint64_t within = 0;    ///< regions entered in it and not left
    std::vector<Event> awaited;  ///< receives at its end
  };

  /// Those that were entered belong to earlier runs.
  void begin_run() noexcept {
    current_.place = 0;
    for (Call& outer : outer_) outer.place = 0;
  }
  [[nodiscard]] bool any() const noexcept { return current_.kind != Epoch::none; }
  /// The innermost one.
  [[nodiscard]] Call& current() noexcept { return current_; }
  [[nodiscard]] const Call& current() const noexcept { return current_; }
  /// A region was entered outside of calls. epoch: that of its call, if it is one. place: behind its begin in the run.
  void enter(Epoch epoch, std::size_t place) noexcept {
    current_.kind = epoch;
    current_.place = place;
  }
  /// In the current call, a region is entered or left. False: the call itself is left. is_call: of a region that is
  /// entered; its `enter` follows.
  [[nodiscard]] bool pass(bool enter, bool is_call) {
    constexpr std::size_t deepest = 16;  // more are calls whose ends are missing
    if (enter && !is_call) {
      ++current_.within;
    } else if (!enter && current_.within > 0) {
      --current_.within;
    } else if (enter) {
      if (outer_.size() == deepest) outer_.erase(outer_.begin());
      outer_.push_back(std::exchange(current_, {}));
    } else {
      return false;
    }
    return true;
  }
  /// The current one is left. Returns the receives at its end.
  [[nodiscard]] std::vector<Event> leave() {
    Call inner = std::exchange(current_, {});
    if (!outer_.empty()) {
      current_ = std::move(outer_.back());
      outer_.pop_back();
      // An inner call of its kind did what the outer one is for.
      if (inner.synchronized && inner.kind == current_.kind) current_.synchronized = true;
    }
    return std::move(inner.awaited);
  }

 private:
  Call current_;
  std::vector<Call> outer_;  ///< in which it was made
};

}  // namespace clc::otf2
