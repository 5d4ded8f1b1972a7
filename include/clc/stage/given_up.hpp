// Messages that were given up: whether the written times of their ends satisfy the clock condition all the same.
//
// Place     Beside the matching of messages. A receive is released, its send comes late or waits in a circle with it;
//           the merge tells when each of the two is written.
// Bounded   At most `most` messages. Of one beyond them it is known that its send was read after its receive: it counts
//           as violated, before and after.
// Cost      O(1) per message that is given up, nothing for others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/stage/process_queue.hpp"
#include "clc/time.hpp"

namespace clc {

class GivenUp {
 public:
  using Id = std::uint32_t;
  static constexpr Id none = no_edge;
  static constexpr std::size_t most = std::size_t{1} << 17;

  explicit GivenUp(Analysis& analysis) noexcept : analysis_(analysis) {}

  /// A receive is released without its send. None: there are too many.
  [[nodiscard]] Id release(ProcessIndex receiver, Time received);
  [[nodiscard]] ProcessIndex receiver(Id id) const noexcept { return messages_[id].receiver; }
  [[nodiscard]] Time received(Id id) const noexcept { return messages_[id].recorded; }
  /// Its send is read.
  void match(Id id, std::uint32_t pair, ProcessIndex sender, Time sent, Ticks mu);
  /// Its send was read, and it is not known which receive was its own.
  void match_unknown() noexcept;
  /// Nobody will name it again.
  void forget(Id id) noexcept;
  /// One of its ends was written.
  void written(Id id, bool send, Time time) noexcept;

 private:
  struct Message {
    Time recorded;  // of the receive
    Time sent;      // as written
    Time received;  // as written
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

  Analysis& analysis_;
  std::vector<Message> messages_;
  Id free_ = none;
};

}  // namespace clc
