// Lost records: channels that contradict each other, matched again by what happened before what.
//
//     const Order order = ByOrder(matches, calls, steps, turns, processes).match();
//
// Rule      clc-algorithm(7), "Lost records", Match::whole. A message that would have to be received before it was
//           sent, round some circle of messages and collective operations of which nothing is missing (order.hpp), is
//           not one. One channel of the circle is matched again, as the others allow (bounds.hpp): that which costs
//           least more then. If none is left, the ends of the message are left unmatched, of the channel which gains
//           least by not being first in, first out. Channels with few or irregular messages that lack sends are matched
//           by that order alone.
// Cost      To follow the order, and each channel that is looked at again, see order.hpp; most_looks_in() bounds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lost/calls.hpp"
#include "lost/matches.hpp"
#include "lost/order.hpp"
#include "lost/steps.hpp"
#include "lost/turns.hpp"

namespace clc::lost {

class ByOrder {
 public:
  /// Of all channels, each of which was settled. processes: that are defined.
  ByOrder(Matches& matches, const Calls& calls, const Steps& steps, const Turns& turns, std::size_t processes)
      : matches_(matches), calls_(calls), steps_(steps), turns_(turns), processes_(processes) {}

  /// The order of what is left, followed.
  [[nodiscard]] Order match();

 private:
  [[nodiscard]] Order order(std::uint32_t without = Order::none) const;
  [[nodiscard]] Order without_circles();
  [[nodiscard]] std::vector<std::uint32_t> break_circles(Order& order);
  void match_one_again(const std::vector<std::uint32_t>& channels);
  [[nodiscard]] bool match_others(const Order& order);

  [[nodiscard]] std::size_t looks_at(const Order& order) const noexcept { return order.size() + 16 * processes_; }
  [[nodiscard]] bool may_look(const Order& order) const noexcept {
    return looks_ + looks_at(order) <= most_looks_in(order.size());
  }
  [[nodiscard]] bool looks(const Order& order) noexcept;

  Matches& matches_;
  const Calls& calls_;
  const Steps& steps_;
  const Turns& turns_;
  std::size_t processes_;
  std::size_t looks_ = 0;
};

}  // namespace clc::lost
