// Messages that were given up: checks whether the emitted times of their ends satisfy the clock condition anyway.
//
// Place     Beside the matching of messages. A message is given up if its receive is released and its send comes late
//           or is part of a circular wait. The merge reports when each of the two is emitted.
// Bounded   At most `most` messages. Further ones count as violated before and after the correction, as their sends
//           were read after their receives.
// Cost      O(1) per message given up, none for others.
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

  explicit GivenUp(Recorder& analysis) noexcept : analysis_(analysis) {}

  /// A receive is released without its send. None: too many are held.
  [[nodiscard]] Id release(ProcessIndex receiver, Time received);
  [[nodiscard]] ProcessIndex receiver(Id id) const noexcept { return messages_[id].receiver; }
  [[nodiscard]] Time received(Id id) const noexcept { return messages_[id].recorded; }
  /// Its send has been read.
  void match(Id id, std::uint32_t pair, ProcessIndex sender, Time sent, Ticks mu);
  /// Its send has been read, but which receive belongs to it is unknown.
  void match_unknown() noexcept;
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
    bool forgotten = false;
    bool send_written = false;
    bool receive_written = false;
  };
  void judge(Id id) noexcept;
  void free(Id id) noexcept {
    messages_[id].next_free = free_;
    free_ = id;
  }

  Recorder& analysis_;
  std::vector<Message> messages_;
  Id free_ = none;
};

}  // namespace clc
