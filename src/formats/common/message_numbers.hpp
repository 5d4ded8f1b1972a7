// Numbers messages, for formats that draw arrows. Both ends of a message get the same number, in the order of the
// output; the second end also gets the time of the first.
//
// Assumes  As message_places.hpp; either end of a message may come first.
// Memory   Proportional to the channels and to the messages whose other end is awaited. Beyond `most_waiting` messages
//          all awaited ends are forgotten; the two ends of such a message get different numbers.
#pragma once

#include <cstdint>

#include "clc/indexes.hpp"
#include "clc/time.hpp"
#include "common/message_places.hpp"
#include "trace/hash.hpp"

namespace clc {
struct Event;
}

namespace clc::formats {

class MessageNumbers {
 public:
  static constexpr std::size_t most_waiting = std::size_t{1} << 21;

  struct End {
    std::uint64_t number = 0;
    bool second = false;  ///< the other end came first
    Time first;           ///< the time of the other end, if it came first
  };
  /// most: of awaited ends.
  explicit MessageNumbers(std::size_t most = most_waiting) : most_(most) {}

  /// Number of a send or receive on that process. The time is kept for the other end.
  End end(const Event& event, ProcessIndex process, Time time);

 private:
  struct Waiting {
    std::uint64_t number = 0;
    Time time;
  };

  MessagePlaces places_;
  HashMap<MessagePlace, Waiting, MessageHash> waiting_;  ///< messages with one end so far
  std::uint64_t last_ = 0;
  std::size_t most_;
};

}  // namespace clc::formats
