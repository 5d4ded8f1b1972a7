// Matching of messages, on the rank of the receiver: the n-th send of a channel belongs to the n-th receive.
//
// Place    The number of sends is known before the first event is processed, so that a receive without send is
//          recognised at once, whatever the order in which ranks proceed.
// Cost     O(1) per message, O(overtaken receives) for a receive that was posted earlier. Memory for channels, and for
//          values that are ahead of their receives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clock/process_queue.hpp"
#include "ranks/exchange.hpp"
#include "trace/hash.hpp"
#include "trace/short_queue.hpp"

namespace clc::ranks {

struct HashOfChannel {
  [[nodiscard]] std::size_t operator()(const Channel& channel) const noexcept {
    const std::uint64_t ends = std::uint64_t{channel.sender} << 32U | channel.receiver;
    return static_cast<std::size_t>(hash(ends, channel.communicator, static_cast<std::uint64_t>(channel.tag)));
  }
};

/// Values by channel. Stable: the table never moves them. Most channels are used again soon, and these are found
/// without a search.
template <class Value>
class ChannelTable {
 public:
  [[nodiscard]] Value& operator[](const Channel& channel) {
    Recent& recent = recent_[place_of(channel)];
    if (recent.value == nullptr || recent.channel != channel) recent = {channel, &values_[channel]};
    return *recent.value;
  }
  [[nodiscard]] auto begin() const noexcept { return values_.begin(); }
  [[nodiscard]] auto end() const noexcept { return values_.end(); }

 private:
  static constexpr unsigned bits = 9;
  struct Recent {
    Channel channel;
    Value* value = nullptr;
  };
  [[nodiscard]] static std::size_t place_of(const Channel& channel) noexcept {
    const std::uint64_t rest =
        static_cast<std::uint64_t>(channel.tag) * 0x1'0001 + std::uint64_t{channel.communicator} * 0x101;
    const std::uint64_t ends = std::uint64_t{channel.sender} << 32U | channel.receiver;
    return static_cast<std::size_t>((ends + rest) * 0x9e37'79b9'7f4a'7c15 >> (64 - bits));
  }

  HashMap<Channel, Value, HashOfChannel> values_;
  std::vector<Recent> recent_{std::size_t{1} << bits};
};

class Messages {
 public:
  /// Of a send that was processed.
  struct Value {
    Time time;
    double offset = 0;
    Ticks delay = 0;
    EventIndex index = 0;
  };
  class OfChannel {
   public:
    std::uint64_t sends = 0;

    /// A receive is read. Returns its number; overtakes: see Event.
    [[nodiscard]] std::uint64_t receive(std::uint64_t overtakes);
    /// The value of the next send arrived. True: its receive, which was given up, is past; the caller answers.
    [[nodiscard]] bool arrive(const Item& value);
    [[nodiscard]] bool is_sent(std::uint64_t number) const noexcept { return number < sends; }
    /// The value for a receive that was read and not processed; null: not there yet.
    [[nodiscard]] const Value* value(std::uint64_t number) noexcept;
    /// That receive is processed, or given up.
    void processed(std::uint64_t number);
    /// Number of sends that no receive belongs to.
    [[nodiscard]] std::uint64_t not_received() const noexcept { return sends - received_; }
    /// Bytes of the values that are there.
    [[nodiscard]] std::uint64_t memory() const noexcept { return places_.memory(); }

   private:
    struct Place {
      Value value;
      bool arrived = false;
      bool is_read = false;  // its receive
      bool done = false;
    };
    [[nodiscard]] Place& at(std::uint64_t number);

    ShortQueue<Place> places_;  // from first_ on
    std::uint64_t first_ = 0;
    std::uint64_t arrived_ = 0;
    std::uint64_t received_ = 0;  // of the sends
  };

  [[nodiscard]] OfChannel& of(const Channel& channel) { return channels_[channel]; }
  /// Gives a channel its number, by which values name it.
  [[nodiscard]] std::uint64_t number(const Channel& channel) {
    numbered_.push_back(&channels_[channel]);
    return numbered_.size() - 1;
  }
  [[nodiscard]] OfChannel& numbered(std::uint64_t number) { return *numbered_[static_cast<std::size_t>(number)]; }
  /// Number of sends that no receive belongs to, of all channels.
  [[nodiscard]] std::uint64_t not_received() const noexcept;
  /// Bytes of values that are ahead of their receives.
  [[nodiscard]] std::uint64_t memory() const noexcept;

 private:
  ChannelTable<OfChannel> channels_;
  std::vector<OfChannel*> numbered_;
};

}  // namespace clc::ranks
