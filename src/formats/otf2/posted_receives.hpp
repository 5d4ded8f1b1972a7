// Receives of one location, or of one process, in the order of posting, which determines their sends in the channel;
// but the channel is known only when they complete.
//
// Place    Part of EventReader, and of RequestOrders for all locations of a process.
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
  /// So many were posted so far.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// The last event of the run is the completion of a receive. request: of a non-blocking one. since: when a blocking
  /// one began, so many were posted; it comes ahead of those posted since that are pending. Returns how many of its
  /// channel that were posted later completed in an earlier run.
  [[nodiscard]] std::uint64_t end(std::optional<std::uint64_t> request, Run& run,
                                  std::uint64_t since = ~std::uint64_t{0});

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
    std::uint64_t number = 0;  ///< in the order of posting
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
  std::uint64_t count_ = 0;
};

}  // namespace clc::otf2
