#include "lost/by_order.hpp"

#include <optional>
#include <utility>

#include "lost/bounds.hpp"

namespace clc::lost {

Order ByOrder::match() {
  {
    Order order = without_circles();
    if (!match_others(order)) return order;
  }
  return without_circles();
}

/// Of all channels but that one.
Order ByOrder::order(std::uint32_t without) const {
  Order order(matches_.processes());
  matches_.put_into(order, without);
  calls_.put_into(order);
  return order;
}

Order ByOrder::without_circles() {
  for (;;) {
    std::vector<std::uint32_t> open;
    {
      Order order = this->order();
      open = break_circles(order);
      if (open.empty()) return order;
    }
    match_one_again(open);
  }
}

/// The channels of a circle of which one has to be matched again; none: there is no circle any more.
std::vector<std::uint32_t> ByOrder::break_circles(Order& order) {
  for (auto circle = order.follow(); !circle.empty(); circle = order.follow()) {
    std::vector<ProcessIndex> receivers;
    std::vector<std::uint32_t> open;
    std::optional<ProcessIndex> least;
    std::int64_t least_gain = 0;
    for (const ProcessIndex process : circle) {
      const std::optional<std::uint32_t> receive = order.waiting_end(process);
      if (!receive) continue;
      receivers.push_back(process);
      const std::uint32_t c = matches_.channel_of(process, *receive);
      const Matches::Channel& channel = matches_.channels()[c];
      if (channel.is_open()) open.push_back(c);
      if (channel.in_first_out || (least && channel.gain >= least_gain)) continue;
      least = process;
      least_gain = channel.gain;
    }
    if (!open.empty() && may_look(order)) return open;
    if (least) {
      matches_.unpair(*least, *order.waiting_end(*least));
      order.release(*least);
    } else {
      // They happen anyway; a channel is more easily wrong than a communicator.
      order.release(receivers.empty() ? circle : receivers);
    }
  }
  return {};
}

/// At all of it once more, which counts then.
bool ByOrder::looks(const Order& order) noexcept {
  const bool may = may_look(order);
  if (may) looks_ += looks_at(order);
  return may;
}

/// That one of them which costs least more by what the other channels tell, so that it fits.
void ByOrder::match_one_again(const std::vector<std::uint32_t>& channels) {
  std::optional<View> best;
  const auto more = [&](const View& view) { return view.matched.cost - matches_.channels()[view.channel].cost; };
  for (const std::uint32_t c : channels) {
    const Matches::Channel& channel = matches_.channels()[c];
    Order others = order(c);
    if (!looks(others)) break;
    for (auto circle = others.follow(); !circle.empty(); circle = others.follow()) {
      others.release(circle);
      looks_ += processes_;
    }
    const std::vector<std::uint32_t> before =
        receives_before(channel.sends, channel.receives, others.ends_before(channel.receiver)[channel.sender]);
    View view = matches_.view(c, steps_, turns_);
    view.matched = lost::match(view, ranges(before, channel.receives.size()));
    if (view.matched.is_known && (!best || more(view) < more(*best))) best = std::move(view);
  }
  if (best) return matches_.settle_by_order(*best);
  for (const std::uint32_t c : channels) matches_.keep(c);
}

/// Those that lack sends and are left to the rule of Match::resynchronise, where first in, first out is wrong.
bool ByOrder::match_others(const Order& order) {
  std::vector<std::vector<std::uint32_t>> of(matches_.processes());
  for (std::uint32_t c = 0; c < matches_.channels().size(); ++c) {
    const Matches::Channel& channel = matches_.channels()[c];
    if (!channel.is_known && channel.in_order && channel.lacks_sends()) of[channel.receiver].push_back(c);
  }
  bool some = false;
  for (ProcessIndex process = 0; process < of.size(); ++process) {
    if (of[process].empty()) continue;
    if (!looks(order)) break;
    const Order::Numbers before = order.ends_before(process);
    for (const std::uint32_t c : of[process]) {
      const Matches::Channel& channel = matches_.channels()[c];
      const Matched matched = first_possible(receives_before(channel.sends, channel.receives, before[channel.sender]),
                                             channel.receives.size());
      if (matched.partners == first_in_first_out(channel.sends.size()).partners) continue;
      matches_.settle_by_order(c, matched);
      some = true;
    }
  }
  return some;
}

}  // namespace clc::lost
