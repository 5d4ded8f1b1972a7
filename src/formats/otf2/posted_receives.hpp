// Receives of one location in the order of posting, which determines their sends in the channel; but the channel is
// known only when they complete.
//
// Place    Part of EventReader.
// Memory   So far as it looks back: 1024 receives.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "otf2/run.hpp"

namespace clc::otf2 {

class PostedReceives {
 public:
  [[nodiscard]] bool empty() const noexcept { return posted_.empty(); }
  void post(std::uint64_t request);
  /// The request will not complete, or has no edges.
  void withdraw(std::uint64_t request);
  /// The last event of the run is the completion of a receive. request: of a non-blocking one. Returns how many of its
  /// channel that were posted later completed in an earlier run.
  [[nodiscard]] std::uint64_t end(std::optional<std::uint64_t> request, Run& run);

  void begin_run() noexcept;
  /// So many events were inserted into the run.
  void shift(std::size_t place, std::size_t count) noexcept;
  /// A receive of the run waits for what was posted ahead of it.
  [[nodiscard]] bool open() const noexcept;
  /// A receive of the run overtook some of them.
  [[nodiscard]] bool overtaken() const noexcept { return overtaken_; }

 private:
  struct Posted {
    std::uint64_t request = 0;
    bool ended = false;
    std::optional<std::size_t> place = {};  ///< of its end in the run; none: in an earlier run
    ProcessIndex sender = no_process;
    CommunicatorIndex communicator = no_communicator;
    std::int64_t tag = 0;
  };
  /// The pending one; end(): none.
  [[nodiscard]] std::deque<Posted>::iterator find(std::uint64_t request);
  void drop() noexcept;

  std::deque<Posted> posted_;  ///< from the first pending one
  bool overtaken_ = false;
};

}  // namespace clc::otf2
