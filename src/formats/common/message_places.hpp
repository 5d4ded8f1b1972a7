// Which message of the trace a send or receive is an end of: its channel, and how many messages of that came before.
// Both ends count for themselves, so it does not matter in which order the events of different processes come.
//
// Assumes  The events of a process come in their order, and ends match first-in-first-out per channel. A receive that
//          overtakes others leaves them the sends that are theirs. Where ends do not name each other, those of all
//          processes with that communicator and tag count together, in the order in which they come.
// Memory   In proportion to the channels. Of more than `most_channels` those with nothing under way are forgotten, and
//          all where that is less than half of them: they count from the beginning then. Receives that were overtaken
//          are remembered up to `most_overtaken`; beyond that they count in the order in which they come.
#pragma once

#include <cstdint>
#include <vector>

#include "clc/event.hpp"
#include "clc/hash.hpp"

namespace clc::formats {

/// Messages of one channel, and of no other, have the same sender, receiver, communicator and tag.
struct MessageChannel {
  ProcessIndex sender = no_process;
  ProcessIndex receiver = no_process;
  CommunicatorIndex communicator = no_communicator;
  std::int64_t tag = 0;
  friend bool operator==(const MessageChannel&, const MessageChannel&) = default;
};

struct MessagePlace {
  MessageChannel channel;
  std::uint32_t age = 0;     ///< how often channels had been forgotten when the count began
  std::uint64_t before = 0;  ///< messages of the channel
  friend bool operator==(const MessagePlace&, const MessagePlace&) = default;
};

struct MessageHash {
  [[nodiscard]] std::size_t operator()(const MessageChannel& channel) const noexcept {
    return static_cast<std::size_t>(hash(std::uint64_t{channel.sender} << 32U | channel.receiver,
                                         static_cast<std::uint64_t>(channel.tag), channel.communicator));
  }
  [[nodiscard]] std::size_t operator()(const MessagePlace& place) const noexcept {
    return static_cast<std::size_t>(hash((*this)(place.channel), place.before));
  }
};

class MessagePlaces {
 public:
  static constexpr std::size_t most_channels = std::size_t{1} << 20;
  static constexpr std::size_t most_overtaken = std::size_t{1} << 16;

  /// Of a send or receive on that process.
  [[nodiscard]] MessagePlace of(const Event& event, ProcessIndex process);

 private:
  struct Counts {
    std::uint64_t sends = 0;
    std::uint64_t receives = 0;  ///< with those that were overtaken and have not come
    std::uint32_t age = 0;
  };
  [[nodiscard]] std::uint64_t receive_out_of_order(const MessageChannel& channel, Counts& counts,
                                                   std::size_t overtakes);
  void forget();

  HashMap<MessageChannel, Counts, MessageHash> channels_;
  /// Receives that were overtaken and have not come, in their order; mostly empty.
  HashMap<MessageChannel, std::vector<std::uint64_t>, MessageHash> overtaken_;
  std::size_t all_overtaken_ = 0;  ///< of all channels
  std::uint32_t age_ = 0;
};

}  // namespace clc::formats
