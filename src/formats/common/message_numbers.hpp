// A number for each message, the same at both of its ends, counted in the order of the output; and at the second end
// what the first one gave: for formats that draw arrows.
//
// Assumes  What message_places.hpp does; of both ends of a message any may come first.
// Memory   In proportion to the channels and to the messages whose other end is awaited. Beyond `most_waiting` all of
//          the latter are forgotten: then both ends of a message that is under way get numbers of their own.
#pragma once

#include <cstdint>

#include "clc/event.hpp"
#include "clc/hash.hpp"
#include "common/message_places.hpp"

namespace clc::formats {

class MessageNumbers {
 public:
  static constexpr std::size_t most_waiting = std::size_t{1} << 21;

  struct End {
    std::uint64_t number = 0;
    bool second = false;  ///< the other end came before
    Time first;           ///< then: what it gave as its time
  };
  /// For a send or receive on that process. The time is kept for the other end.
  End end(const Event& event, ProcessIndex process, Time time);

 private:
  struct Waiting {
    std::uint64_t number = 0;
    Time time;
  };

  MessagePlaces places_;
  HashMap<MessagePlace, Waiting, MessageHash> waiting_;  ///< messages of which one end came
  std::uint64_t last_ = 0;
};

}  // namespace clc::formats
