// The sends and receives of a channel that wait for their other ends, in the order of posting, and its floor.
//
// Memory   120 bytes for each channel, and 8 for each end that waits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "matching/lost/channel_floor.hpp"
#include "matching/lost/message_ends.hpp"
#include "trace/short_queue.hpp"

namespace clc::matching {

class WaitingEnds {
 public:
  static constexpr std::uint32_t none = MessageEnds::none;

  void put(std::uint32_t end, bool is_send, std::size_t overtakes);
  void drop_first();

  [[nodiscard]] std::uint32_t sends() const noexcept { return sends_; }
  [[nodiscard]] std::uint32_t receives() const noexcept { return receives_; }
  /// Is no receive ahead of an earlier one?
  [[nodiscard]] bool in_order() const noexcept { return gaps_.empty(); }
  [[nodiscard]] std::size_t gaps() const noexcept { return gaps_.size(); }
  /// The n-th send and receive; none: it has not come.
  struct Slot {
    std::uint32_t send = none;
    std::uint32_t receive = none;
  };
  /// From the first that is not complete.
  [[nodiscard]] const ShortQueue<Slot>& slots() const noexcept { return slots_; }

  ChannelFloor floor;

 private:
  [[nodiscard]] std::uint32_t place_receive(std::size_t overtakes);

  ShortQueue<Slot> slots_;
  std::uint32_t dropped_ = 0;   // slots ahead of these, modulo 2^32
  std::uint32_t sends_ = 0;     // slots with a send: the first ones
  std::uint32_t receives_ = 0;  // slots with a receive
  // Slots without receive ahead of others with one, counted as dropped is; at most as many as a receive can overtake.
  ShortQueue<std::uint32_t> gaps_;
};

}  // namespace clc::matching
