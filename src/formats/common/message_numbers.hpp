// A number for each message, the same at both of its ends: for formats in which a key joins them.
//
// Assumes  Records come in the order of the output; ends match first-in-first-out per channel, whichever comes first. A
//          receive that overtakes others leaves them the sends that are theirs.
// Memory   In proportion to the messages from the first on whose other end is awaited. Beyond `most_waiting` all of
//          them are forgotten: then both ends of a message that is under way get numbers of their own.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "clc/event.hpp"

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
  std::uint64_t number(const Event& event, ProcessIndex process) { return end(event, process, Time()).number; }

 private:
  struct Key {
    ProcessIndex sender;
    ProcessIndex receiver;
    CommunicatorIndex communicator;
    std::int64_t tag;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    [[nodiscard]] std::size_t operator()(const Key& key) const noexcept {
      std::uint64_t x = (std::uint64_t{key.sender} << 32U | key.receiver) * 0x9e3779b97f4a7c15U;
      x = (x ^ x >> 32U) + static_cast<std::uint64_t>(key.tag) + (std::uint64_t{key.communicator} << 40U);
      x *= 0xd6e8feb86659fd93U;
      return static_cast<std::size_t>(x ^ x >> 32U);
    }
  };
  struct Message {
    std::uint64_t number = 0;
    Time time;  ///< of the end that came first
    bool sent = false;
    bool received = false;
  };
  /// Messages in the order of their sends, from the first that is not complete.
  struct Channel {
    std::vector<Message> messages;
    std::size_t first = 0;     ///< those before are complete
    std::size_t sends = 0;     ///< the next to be sent
    std::size_t receives = 0;  ///< the first that is not received
    /// The next to be received that leaves so many to others.
    [[nodiscard]] std::size_t not_received(std::size_t others) const noexcept;
    void advance() noexcept;
  };

  std::unordered_map<Key, Channel, KeyHash> channels_;
  std::size_t waiting_ = 0;  ///< messages of all channels from the first that is not complete
  std::uint64_t last_ = 0;
};

}  // namespace clc::formats
