// Identifies the message of a send or receive: its channel, and the number of earlier messages in that channel. Each
// end counts by itself, so the order of events of different processes does not matter.
//
// Assumes  The events of a process come in order, and ends match first-in-first-out per channel. A receive that
//          overtakes others leaves the earlier sends to them. Ends that do not name each other are counted by
//          communicator and tag over all processes, in the order in which they come.
// Memory   Proportional to the channels. Beyond `most_channels`, channels without messages in transit are forgotten; if
//          these are less than half, all channels are. Forgotten channels count from the beginning again. At most
//          `most_overtaken` overtaken receives are remembered; further ones count in the order in which they come.
#pragma once

#include <cstdint>
#include <vector>

#include "clc/indexes.hpp"
#include "trace/channel.hpp"
#include "trace/hash.hpp"

namespace clc {
struct Event;
}

namespace clc::formats {

struct MessagePlace {
  Channel channel;
  std::uint32_t age = 0;     ///< how many times channels had been forgotten when the count began
  std::uint64_t before = 0;  ///< number of earlier messages in the channel
  friend bool operator==(const MessagePlace&, const MessagePlace&) = default;
};

struct MessageHash {
  [[nodiscard]] std::size_t operator()(const MessagePlace& place) const noexcept {
    return static_cast<std::size_t>(hash(HashOfChannel()(place.channel), place.before));
  }
};

class MessagePlaces {
 public:
  static constexpr std::size_t most_channels = std::size_t{1} << 20;
  static constexpr std::size_t most_overtaken = std::size_t{1} << 16;

  /// most: of channels.
  explicit MessagePlaces(std::size_t most = most_channels) : most_(most) {}

  /// Place of a send or receive on that process.
  [[nodiscard]] MessagePlace of(const Event& event, ProcessIndex process);

 private:
  struct Counts {
    std::uint64_t sends = 0;
    std::uint64_t receives = 0;  ///< including overtaken ones that have not come yet
    std::uint32_t age = 0;
  };
  [[nodiscard]] std::uint64_t receive_out_of_order(const Channel& channel, Counts& counts, std::size_t overtakes);
  void forget();

  HashMap<Channel, Counts, HashOfChannel> channels_;
  /// Overtaken receives that have not come yet, in order; mostly empty.
  HashMap<Channel, std::vector<std::uint64_t>, HashOfChannel> overtaken_;
  std::size_t all_overtaken_ = 0;  ///< in all channels
  std::uint32_t age_ = 0;
  std::size_t most_;
};

}  // namespace clc::formats
