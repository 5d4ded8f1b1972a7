#include "lost/ends.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "clc/error.hpp"
#include "clc/io/batch.hpp"
#include "formats/common/decorator.hpp"

namespace clc::lost {

void Ends::add(const Event& event) {
  // The other process may have no records at all.
  const bool has_peer = (event.role == Role::send || event.role == Role::receive) && event.peer != no_process;
  const std::size_t processes = (has_peer ? std::max(event.process, event.peer) : event.process) + std::size_t{1};
  if (processes > processes_.size()) processes_.resize(processes);
  OfProcess& own = processes_[event.process];
  own.latest = std::max(own.latest, event.time);
  if (event.role == Role::internal) return;
  const auto nth = static_cast<std::uint32_t>(own.ends.size());
  if (event.role == Role::collective_begin) return too_many() ? void() : calls_.add_begin(event, nth);
  count_ += event.role == Role::collective_end ? 2 : 1;
  if (too_many()) {
    channels_ = {};
    index_ = {};
    calls_.clear();
    return;
  }
  if (event.role == Role::collective_end) return calls_.add(event, own.latest, nth);
  own.ends.push_back(OtherEnd::unknown);
  own.links.emplace_back();
  if (event.peer == no_process || event.peer == event.process) return;
  const auto [place, is_new] = index_.try_emplace(ChannelKey(event), static_cast<std::uint32_t>(channels_.size()));
  if (is_new) channels_.push_back({sender_of(event), receiver_of(event), event.communicator, event.tag, {}, {}});
  own.links.back().channel = place->second;
  Channel& channel = channels_[place->second];
  channel.in_order &= event.role == Role::send || event.overtakes == 0;
  (event.role == Role::send ? channel.sends : channel.receives).push_back({{own.latest, event.bytes}, nth});
}

bool Ends::find(const Definitions& definitions) {
  all_processes_ = definitions.processes().size();
  const bool lacks_ends = std::any_of(channels_.begin(), channels_.end(), [](const Channel& channel) {
    return channel.sends.size() != channel.receives.size();
  });
  if (!too_many() && !definitions.shares_clocks()) {
    Steps steps = this->steps();
    if (lacks_ends) steps.find();
    const Turns turns = lacks_ends ? this->turns() : Turns({}, 0);
    match_all(lacks_ends, steps, turns);
    const bool lacks_calls = calls_.lack_some(definitions);
    if (lacks_ends || lacks_calls) calls_.find(steps, match_by_order(steps, turns));
  }
  calls_.close();
  for (Channel& channel : channels_) {
    if (channel.is_known) tell(channel);
    channel.sends = channel.receives = {};
  }
  for (OfProcess& process : processes_) process.links = {};
  std::sort(losses_.begin(), losses_.end(), [](const Loss& a, const Loss& b) { return key_of(a) < key_of(b); });
  return tells();
}

Steps Ends::steps() const {
  std::vector<Sides> sides;
  for (const Channel& channel : channels_)
    if (channel.in_order) sides.push_back({{channel.sender, channel.receiver}, {channel.sends, channel.receives}});
  return {std::move(sides), processes_.size()};
}

Turns Ends::turns() const {
  std::vector<Sides> sides;
  for (const Channel& channel : channels_)
    sides.push_back({{channel.sender, channel.receiver}, {channel.sends, channel.receives}});
  return {std::move(sides), processes_.size()};
}

namespace {

Clocks clocks_of(ProcessIndex sender, ProcessIndex receiver, const Steps& steps) {
  if (!steps.is_followed(sender) || !steps.is_followed(receiver)) return Clocks::may_be_set;
  return steps.goes_on(sender) && steps.goes_on(receiver) ? Clocks::go_on : Clocks::were_set;
}

}  // namespace

/// Its ends without steps of clocks and with turns.
void Ends::prepare(View& view, const Steps& steps, const Turns& turns) const {
  const Channel& own = channels_[view.channel];
  std::array<std::vector<End>, 2> ends{steps.without(own.sends, own.sender), steps.without(own.receives, own.receiver)};
  for (const std::size_t side : {0U, 1U}) {
    const std::vector<std::uint32_t> counted = turns.count(view.channel, side);
    for (std::size_t k = 0; k < counted.size(); ++k) ends[side][k].turn = counted[k];
  }
  const bool more_receives = own.receives.size() >= own.sends.size();
  view.fewer = std::move(ends[more_receives ? 0 : 1]);
  view.more = std::move(ends[more_receives ? 1 : 0]);
  view.clocks = clocks_of(own.sender, own.receiver, steps);
}

void Ends::match_all(bool lacks_ends, const Steps& steps, const Turns& turns) {
  std::vector<std::vector<View>> together(processes_.size());  // of the process that lacks ends
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    Channel& channel = channels_[c];
    if (!channel.in_order) continue;
    if (!lacks_ends) {
      settle(channel, first_in_first_out(std::min(channel.sends.size(), channel.receives.size())));
      continue;
    }
    View view;
    view.channel = c;
    prepare(view, steps, turns);
    view.matched = match(view.fewer, view.more, Unlike::unusual, view.clocks);
    const bool is_counted = view.matched.is_known && has_turns(view.fewer);
    if (!is_counted || view.fewer.size() == view.more.size()) {
      settle(view);
      continue;
    }
    const bool lacks_sends = channel.sends.size() < channel.receives.size();
    for (const Placed& placed : lacks_sends ? channel.sends : channel.receives) view.places.push_back(placed.nth);
    together[lacks_sends ? channel.sender : channel.receiver].push_back(std::move(view));
  }
  for (std::vector<View>& views : together) {
    std::sort(views.begin(), views.end(), [&](const View& a, const View& b) {
      const auto key = [](const Channel& c) { return std::tuple(c.sender, c.receiver, c.communicator, c.tag); };
      return key(channels_[a.channel]) < key(channels_[b.channel]);
    });
    match_together(views);
    for (View& view : views) settle(view);
    views = {};
  }
}

void Ends::settle(View& view) {
  Channel& channel = channels_[view.channel];
  std::vector<std::uint32_t>& partners = view.matched.partners;
  for (std::size_t k = 0; k < partners.size(); ++k) channel.in_first_out &= partners[k] == k;
  leave_out_early(view.fewer, view.more, channel.receives.size() >= channel.sends.size(), view.matched);
  settle(channel, view.matched);
}

void Ends::settle(Channel& channel, const Matched& matched) {
  if (!matched.is_known) return leave(channel);
  const bool more_receives = channel.receives.size() >= channel.sends.size();
  const std::vector<Placed>& fewer = more_receives ? channel.sends : channel.receives;
  const std::vector<Placed>& more = more_receives ? channel.receives : channel.sends;
  channel.is_known = true;
  channel.gain = matched.gain;
  channel.cost = matched.cost;
  for (std::size_t k = 0; k < matched.partners.size(); ++k)
    if (const std::uint32_t partner = matched.partners[k]; partner != no_partner)
      pair(channel, more_receives ? fewer[k] : more[partner], more_receives ? more[partner] : fewer[k]);
}

/// Nothing is told of it. Where no send is missing, each receive still comes after as many sends.
void Ends::leave(Channel& channel) {
  channel.is_known = false;
  channel.in_first_out = true;
  for (std::size_t k = 0; k < channel.receives.size(); ++k)
    processes_[channel.receiver].links[channel.receives[k].nth].send =
        channel.sends.size() >= channel.receives.size() ? channel.sends[k].nth : none;
}

void Ends::pair(const Channel& channel, const Placed& send, const Placed& receive) {
  OfProcess& receiver = processes_[channel.receiver];
  processes_[channel.sender].ends[send.nth] = receiver.ends[receive.nth] = OtherEnd::present;
  receiver.links[receive.nth].send = send.nth;
}

/// The ends of a known channel are present or missing, those of others unknown.
void Ends::tell(const Channel& channel) {
  const auto miss = [&](ProcessIndex process, const std::vector<Placed>& ends, bool lost_send) {
    for (const Placed& placed : ends) {
      OtherEnd& end = processes_[process].ends[placed.nth];
      if (end == OtherEnd::present) continue;
      end = OtherEnd::missing;
      losses_.push_back(
          {channel.sender, channel.receiver, channel.communicator, channel.tag, placed.end.time, lost_send});
    }
  };
  miss(channel.sender, channel.sends, false);
  miss(channel.receiver, channel.receives, true);
}

// ---- circles ----------------------------------------------------------------------------------

/// Of all channels but that one.
Order Ends::order(std::uint32_t without) const {
  Order order(processes_.size());
  for (ProcessIndex process = 0; process < processes_.size(); ++process) {
    const std::vector<Link>& links = processes_[process].links;
    order.set_ends(process, links.size());
    for (std::uint32_t nth = 0; nth < links.size(); ++nth)
      if (links[nth].send != none && links[nth].channel != without)
        order.put_behind(process, nth, channels_[links[nth].channel].sender, links[nth].send);
  }
  calls_.put_into(order);
  return order;
}

Order Ends::match_by_order(const Steps& steps, const Turns& turns) {
  {
    Order order = without_circles(steps, turns);
    if (!match_others(order)) return order;
  }
  return without_circles(steps, turns);
}

Order Ends::without_circles(const Steps& steps, const Turns& turns) {
  for (;;) {
    std::vector<std::uint32_t> open;
    {
      Order order = this->order();
      open = break_circles(order);
      if (open.empty()) return order;
    }
    match_one_again(open, steps, turns);
  }
}

/// The channels of a circle of which one has to be matched again; none: there is no circle any more.
std::vector<std::uint32_t> Ends::break_circles(Order& order) {
  for (auto circle = order.follow(); !circle.empty(); circle = order.follow()) {
    std::vector<ProcessIndex> receivers;
    std::vector<std::uint32_t> open;
    std::optional<ProcessIndex> least;
    const auto channel_at = [&](ProcessIndex process) {
      return processes_[process].links[*order.waiting_end(process)].channel;
    };
    for (const ProcessIndex process : circle) {
      if (!order.waiting_end(process)) continue;
      receivers.push_back(process);
      const Channel& channel = channels_[channel_at(process)];
      if (channel.is_open()) open.push_back(channel_at(process));
      if (channel.in_first_out || (least && channel.gain >= channels_[channel_at(*least)].gain)) continue;
      least = process;
    }
    if (!open.empty() && may_look(order)) return open;
    if (least) {
      unpair(*least, *order.waiting_end(*least));
      order.release(*least);
    } else {
      // They happen anyway; a channel is more easily wrong than a communicator.
      order.release(receivers.empty() ? circle : receivers);
    }
  }
  return {};
}

/// At all of it once more, which counts then.
bool Ends::looks(const Order& order) noexcept {
  const bool may = may_look(order);
  if (may) looks_ += looks_at(order);
  return may;
}

/// That one of them which costs least more by what the other channels tell, so that it fits.
void Ends::match_one_again(const std::vector<std::uint32_t>& channels, const Steps& steps, const Turns& turns) {
  std::optional<View> best;
  const auto more = [&](const View& view) { return view.matched.cost - channels_[view.channel].cost; };
  for (const std::uint32_t c : channels) {
    const Channel& channel = channels_[c];
    Order others = order(c);
    if (!looks(others)) break;
    for (auto circle = others.follow(); !circle.empty(); circle = others.follow()) {
      others.release(circle);
      looks_ += all_processes_;
    }
    const std::vector<std::uint32_t> before =
        receives_before(channel.sends, channel.receives, others.ends_before(channel.receiver)[channel.sender]);
    View view;
    view.channel = c;
    prepare(view, steps, turns);
    view.matched = match(view.fewer, view.more, Unlike::unusual, view.clocks, ranges(before, channel.receives.size()));
    if (view.matched.is_known && (!best || more(view) < more(*best))) best = std::move(view);
  }
  if (!best) {
    for (const std::uint32_t c : channels) channels_[c].by_order = true;
    return;
  }
  forget(channels_[best->channel]);
  settle(*best);
}

/// Those that lack sends and are left to the rule of --match resync, where first in, first out is wrong.
bool Ends::match_others(const Order& order) {
  std::vector<std::vector<std::uint32_t>> of(processes_.size());
  for (std::uint32_t c = 0; c < channels_.size(); ++c) {
    const Channel& channel = channels_[c];
    if (!channel.is_known && channel.in_order && channel.sends.size() < channel.receives.size())
      of[channel.receiver].push_back(c);
  }
  bool some = false;
  for (ProcessIndex process = 0; process < of.size(); ++process) {
    if (of[process].empty()) continue;
    if (!looks(order)) break;
    const Order::Numbers before = order.ends_before(process);
    for (const std::uint32_t c : of[process]) {
      Channel& channel = channels_[c];
      const Matched matched = first_possible(receives_before(channel.sends, channel.receives, before[channel.sender]),
                                             channel.receives.size());
      if (matched.partners == first_in_first_out(channel.sends.size()).partners) continue;
      forget(channel);
      channel.in_first_out = false;
      settle(channel, matched);
      some = true;
    }
  }
  return some;
}

/// How it was matched: by what happened before what it is matched anew.
void Ends::forget(Channel& channel) {
  channel.by_order = true;
  channel.in_first_out = true;
  for (const Placed& send : channel.sends) processes_[channel.sender].ends[send.nth] = OtherEnd::unknown;
  for (const Placed& receive : channel.receives) {
    processes_[channel.receiver].ends[receive.nth] = OtherEnd::unknown;
    processes_[channel.receiver].links[receive.nth].send = none;
  }
}

/// The receive and its send are left unmatched.
void Ends::unpair(ProcessIndex process, std::uint32_t receive) {
  OfProcess& own = processes_[process];
  Link& link = own.links[receive];
  own.ends[receive] = processes_[channels_[link.channel].sender].ends[link.send] = OtherEnd::unknown;
  link.send = none;
}

std::vector<std::int64_t> Ends::numbers(const Definitions& definitions) const {
  std::vector<std::int64_t> numbers{0};
  for (ProcessIndex process = 0; process < processes_.size(); ++process) {
    const std::vector<OtherEnd>& ends = processes_[process].ends;
    const auto count = std::count(ends.begin(), ends.end(), OtherEnd::missing);
    if (count == 0) continue;
    ++numbers[0];
    numbers.insert(numbers.end(), {process, count});
    for (std::size_t nth = 0; nth < ends.size(); ++nth)
      if (ends[nth] == OtherEnd::missing) numbers.push_back(static_cast<std::int64_t>(nth));
  }
  calls_.put_numbers(definitions, numbers);
  return numbers;
}

bool Ends::are_all_in(std::span<const Loss> losses) const {
  std::vector<Loss> others;
  for (const Loss& loss : losses) {
    Event send;
    send.role = Role::send;
    send.process = loss.sender;
    send.peer = loss.receiver;
    send.communicator = loss.communicator;
    send.tag = loss.tag;
    const auto channel = index_.find(ChannelKey(send));
    if (channel != index_.end() && channels_[channel->second].is_known) others.push_back(loss);
  }
  std::sort(others.begin(), others.end(), [](const Loss& a, const Loss& b) { return key_of(a) < key_of(b); });
  return std::equal(others.begin(), others.end(), losses_.begin(), losses_.end(),
                    [](const Loss& a, const Loss& b) { return key_of(a) == key_of(b); });
}

namespace {

class MarkedSource final : public formats::Decorator {
 public:
  MarkedSource(std::unique_ptr<Source> inner, Ends& ends) : Decorator(std::move(inner)), ends_(ends) { ends_.rewind(); }

  bool read(Batch& batch) override {
    const bool more = inner().read(batch);
    for (Event& event : batch.events) ends_.mark(event);
    return more;
  }

 private:
  Ends& ends_;
};

}  // namespace

void add_all(Source& source, Ends& ends) {
  try {
    Batch batch;
    for (bool more = true; more;) {
      more = source.read(batch);
      for (const Event& event : batch.events) ends.add(event);
    }
  } catch (const InputError&) {
  }
}

std::unique_ptr<Source> marked(std::unique_ptr<Source> inner, Ends& ends) {
  return std::make_unique<MarkedSource>(std::move(inner), ends);
}

}  // namespace clc::lost
