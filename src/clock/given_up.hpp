// Messages that may be violated in the output: checks whether the emitted times of their ends satisfy the clock
// condition.
//
// Place     Beside the matching of messages. A message is given up if its receive is released and its send comes late
//           or is part of a circular wait. One that is in force is watched if its times may be rounded by whole ticks,
//           or cut off at the end of 64 bits. The merge reports when each of the two ends is emitted.
// Bounded   At most `most` messages that were given up. Further ones count as violated before and after the correction,
//           as their sends were read after their receives. At most `most_watched` others; the merge judges further ones
//           by their limits.
// Cost      O(1) per message given up or watched, none for others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clc/time.hpp"
#include "clock/process_queue.hpp"
#include "clock/recorder.hpp"

namespace clc {

class GivenUp {
 public:
  using Id = std::uint32_t;
  static constexpr Id none = no_edge;
  static constexpr std::size_t most = std::size_t{1} << 17;
  static constexpr std::size_t most_watched = std::size_t{1} << 19;

  explicit GivenUp(Recorder& analysis) noexcept : analysis_(analysis) {}

  /// A receive is released without its send. None: too many are held.
  [[nodiscard]] Id release(ProcessIndex receiver, Time received);
  [[nodiscard]] ProcessIndex receiver(Id id) const noexcept { return messages_[id].receiver; }
  [[nodiscard]] Time received(Id id) const noexcept { return messages_[id].recorded; }
  /// Its send has been read.
  void match(Id id, std::uint32_t pair, ProcessIndex sender, Time sent, Ticks mu);
  /// Its send has been read, but which receive belongs to it is unknown.
  void match_unknown() noexcept;
  /// A message in force, of which `written` will be told. None: too many are watched.
  [[nodiscard]] Id watch(Ticks mu);
  /// The message will not be named again.
  void forget(Id id) noexcept;
  /// One of its ends was emitted.
  void written(Id id, bool send, Time time) noexcept;

 private:
  struct Message {
    Time recorded;  // of the receive
    Time sent;      // corrected
    Time received;  // corrected
    Ticks mu = 0;
    ProcessIndex receiver = no_process;
    Id next_free = none;
    bool matched = false;
    bool watched = false;
    bool forgotten = false;
    bool send_written = false;
    bool receive_written = false;
  };
  [[nodiscard]] Id take();
  void judge(Id id) noexcept;
  void free(Id id) noexcept {
    --(messages_[id].watched ? watched_ : given_up_);
    messages_[id].next_free = free_;
    free_ = id;
  }

  Recorder& analysis_;
  std::vector<Message> messages_;
  Id free_ = none;
  std::size_t given_up_ = 0;  // held
  std::size_t watched_ = 0;   // held besides
};

}  // namespace clc
