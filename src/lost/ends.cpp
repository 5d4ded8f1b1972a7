#include "lost/ends.hpp"

#include <optional>
#include <utility>

#include "clc/io/batch.hpp"
#include "formats/common/decorator.hpp"

namespace clc::lost {

void Ends::add(const Event& event) {
  if (event.process >= processes_.size()) processes_.resize(event.process + std::size_t{1});
  OfProcess& own = processes_[event.process];
  own.latest = std::max(own.latest, event.time);
  const bool is_call = event.role == Role::collective_end;
  if (event.role != Role::send && event.role != Role::receive && !is_call) return;
  if (++count_ > most_ends_) {
    channels_ = {};
    index_ = {};
    calls_.clear();
    return;
  }
  if (is_call) return calls_.add(event, own.latest, static_cast<std::uint32_t>(own.ends.size()));
  const auto nth = static_cast<std::uint32_t>(own.ends.size());
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
  const bool lacks_ends = std::any_of(channels_.begin(), channels_.end(), [](const Channel& channel) {
    return channel.sends.size() != channel.receives.size();
  });
  if (!too_many() && !definitions.shares_clocks()) {
    Steps steps = this->steps();
    if (lacks_ends) steps.find();
    for (Channel& channel : channels_) settle(channel, lacks_ends, steps);
    if (lacks_ends) break_circles();
    calls_.find(definitions, steps);
  }
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

void Ends::settle(Channel& channel, bool lacks_ends, const Steps& steps) {
  if (!channel.in_order) return;
  const bool more_receives = channel.receives.size() >= channel.sends.size();
  const std::vector<Placed>& fewer = more_receives ? channel.sends : channel.receives;
  const std::vector<Placed>& more = more_receives ? channel.receives : channel.sends;
  const auto matched_by_cost = [&] {
    const std::vector<End> sends = steps.without(channel.sends, channel.sender);
    const std::vector<End> receives = steps.without(channel.receives, channel.receiver);
    const bool go_on = steps.is_followed(channel.sender) && steps.is_followed(channel.receiver);
    return match(more_receives ? sends : receives, more_receives ? receives : sends, Unlike::unusual,
                 go_on ? Clocks::go_on : Clocks::may_be_set);
  };
  const Matched matched = lacks_ends ? matched_by_cost() : first_in_first_out(fewer.size());
  if (!matched.is_known) return leave(channel);
  channel.is_known = true;
  channel.gain = matched.gain;
  for (std::size_t k = 0; k < matched.partners.size(); ++k) {
    const std::uint32_t partner = matched.partners[k];
    channel.in_first_out &= partner == k;
    if (partner != no_partner)
      pair(channel, more_receives ? fewer[k] : more[partner], more_receives ? more[partner] : fewer[k]);
  }
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

void Ends::break_circles() {
  for (ProcessIndex process = 0; process < processes_.size(); ++process) advance(process);
  for (ProcessIndex process = 0; process < processes_.size(); ++process)
    while (waits_for(process) != no_process) break_circle_of(process);
  for (OfProcess& process : processes_) process.waiting = {};
  rewind();
}

ProcessIndex Ends::waits_for(ProcessIndex process) const {
  const OfProcess& own = processes_[process];
  if (own.read == own.ends.size() || own.links[own.read].send == none) return no_process;
  const Channel& channel = channels_[own.links[own.read].channel];
  return processes_[channel.sender].read > own.links[own.read].send ? no_process : channel.sender;
}

void Ends::advance(ProcessIndex process) {
  for (std::vector<ProcessIndex> next{process}; !next.empty();) {
    const ProcessIndex which = next.back();
    next.pop_back();
    OfProcess& own = processes_[which];
    const std::size_t before = own.read;
    while (own.read < own.ends.size() && waits_for(which) == no_process) ++own.read;
    if (own.read > before) {
      next.insert(next.end(), own.waiting.begin(), own.waiting.end());
      own.waiting.clear();
    }
    if (const ProcessIndex other = waits_for(which); other != no_process) processes_[other].waiting.push_back(which);
  }
}

/// Each process waits for another one, so that one comes again.
void Ends::break_circle_of(ProcessIndex process) {
  std::vector<ProcessIndex> circle;
  for (; std::find(circle.begin(), circle.end(), process) == circle.end(); process = waits_for(process))
    circle.push_back(process);
  circle.erase(circle.begin(), std::find(circle.begin(), circle.end(), process));
  std::optional<ProcessIndex> least;
  for (const ProcessIndex each : circle) {
    const Channel& channel = channel_read(each);
    if (!channel.in_first_out && (!least || channel.gain < channel_read(*least).gain)) least = each;
  }
  if (least) return unpair(*least);
  for (const ProcessIndex each : circle) processes_[each].links[processes_[each].read].send = none;
  for (const ProcessIndex each : circle) advance(each);  // they are received anyway
}

/// The receive for which the process waits, and its send, are left unmatched.
void Ends::unpair(ProcessIndex process) {
  OfProcess& own = processes_[process];
  const std::uint32_t send = std::exchange(own.links[own.read].send, none);
  own.ends[own.read] = processes_[channel_read(process).sender].ends[send] = OtherEnd::unknown;
  advance(process);
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

std::unique_ptr<Source> marked(std::unique_ptr<Source> inner, Ends& ends) {
  return std::make_unique<MarkedSource>(std::move(inner), ends);
}

}  // namespace clc::lost
