#include "clock/messages.hpp"

#include <limits>

#include "clc/error.hpp"

namespace clc {

Messages::Channel& Messages::new_channel(const Key& key) {
  if (key.ends != unnamed && !(delays_.knows(sender_of(key)) && delays_.knows(receiver_of(key))))
    throw UsageError("the peer of a message is not a process that was added; add_process() before its event");
  if (!delays_.knows_communicator(key.communicator))
    throw UsageError("a message has no communicator that was defined; add_communicator() before its event");
  if (channels_.full() && channels_.size() >= least_swept_) {
    std::size_t dormant = 0;
    channels_.retain([&](const Key&, const Channel& c) {
      dormant += c.oldest == no_message && !c.empty();
      return !c.empty();
    });
    if (dormant > most_dormant_) {
      channels_.retain([&](const Key& old, const Channel& c) {
        if (c.oldest != no_message) return true;
        if (old.ends != unnamed) analysis_.count(Case::forgotten_channel);
        if (c.released_receives > 0) forget_released(old);
        analysis_.count(unmatched_send(old), c.old_sends);
        return false;
      });
    }
  }
  Channel& fresh = *channels_.insert(key).first;
  look_up(fresh, key);
  return fresh;
}

void Messages::look_up(Channel& line, const Key& key) {
  const bool own = delays_.own(key.communicator) > 0;
  const bool named = key.ends != unnamed;
  line.pair = own ? Recorder::unpaired : named ? analysis_.pair(sender_of(key), receiver_of(key)) : pair_not_known;
  line.changes = changes_;
  line.delay = 0;
  if (!own && (delays_.by_length() || !named)) return;
  const Ticks delay = delay_of(key, 0);
  if (delay <= std::numeric_limits<std::uint32_t>::max()) line.delay = static_cast<std::uint32_t>(delay);
}

Ticks Messages::delay_of(const Key& key, std::uint64_t bytes) {
  Ticks delay = delays_.own(key.communicator);
  if (delay == 0 && key.ends == unnamed) {
    const Ticks more = delays_.transfer(bytes);
    largest_delay_ = std::max(largest_delay_, add_saturating(delays_.largest(), more));
    return more;
  }
  if (delay == 0) delay = delays_.message(sender_of(key), receiver_of(key), bytes);
  largest_delay_ = std::max(largest_delay_, delay);
  return delay;
}

Messages::Found Messages::read_unnamed(const Event& event, EventIndex index) {
  const Key key{event.tag, unnamed, event.communicator};
  const Found found = event.role == Role::send ? read_send(key, event, index) : read_receive(key, event);
  if (found.message == nullptr) return found;
  Message& message = *found.message;
  if (message.send == no_event || message.receiver == no_process || message.pair != pair_not_known) return found;
  message.delay = add_saturating(delays_.between(message.sender, message.receiver), message.delay);
  message.pair = analysis_.pair(message.sender, message.receiver);
  return found;
}

void Messages::add_slab() {
  const auto first = static_cast<MessageId>(slabs_.size() * slab_messages);
  slabs_.push_back(new (arena_.take(slab_messages * sizeof(Message))) Message[slab_messages]);
  for (MessageId id = first + slab_messages; id-- > first;) {
    (*this)[id].next = free_;
    free_ = id;
  }
}

Messages::Found Messages::receive_out_of_order(Channel& line, const Key& key, const Event& event) {
  if (event.overtakes == 0 && !overtaken_.contains(key)) return next_receive(line, event);
  std::vector<MessageId>& kept = overtaken_[key];
  Found found;
  if (event.overtakes < kept.size()) {
    const auto own = kept.begin() + event.overtakes;
    found = at(*own);
    if (found.message != nullptr && found.message->send == no_event) found.message->sent = event.time;
    kept.erase(own);
    --kept_;
  } else {
    for (std::size_t more = event.overtakes - kept.size(); more > 0 && kept_ < overtaken_limit; --more, ++kept_) {
      const Found overtaken = next_receive(line, event);
      if (key.ends == unnamed && overtaken.message != nullptr) overtaken.message->receiver = no_process;
      kept.push_back(overtaken.id);
    }
    found = next_receive(line, event);
  }
  if (kept.empty()) overtaken_.erase(key);
  return found;
}

void Messages::received_itself(Found found) {
  analysis_.count(Case::self_message);
  if (found.message->send_processed)
    finish(found);
  else
    found.message->abandoned = true;
}

ChannelState Messages::channel_of(const Event& event) const {
  const Key key = key_of(event);
  const Channel* line = channels_.find(key);
  if (line == nullptr) return {};
  const bool in_order =
      line->old_sends == 0 && line->released_receives == 0 && (overtaken_.empty() || !overtaken_.contains(key));
  return {line->floor, line->oldest, line->receives, in_order};
}

bool Messages::doubts_still(Channel& line, const Key& key, const Event& event, Ticks delay) {
  if (line.released_receives != 0 || wait_limit_ <= 0 || key.ends == unnamed) return false;
  delay = std::clamp(delay, -Floor::longest, Floor::longest);
  if (!std::exchange(trusted_, false) && event.other_end == OtherEnd::unknown) {
    doubt_ = delay < least_delay_ ? Doubt::sure : line.floor.doubts(delay, event.time, margin_);
    if (doubt_ == Doubt::first && (*this)[line.oldest].next == no_message) doubt_ = Doubt::none;
    if (doubt_ != Doubt::none) return true;
  }
  if (delay < least_delay_ && line.floor.hit(delay, event.time, margin_)) return false;
  line.floor.miss(delay, event.time, margin_);
  return false;
}

Message Messages::take_out_oldest(const Event& event) {
  const Key key = key_of(event);
  Channel& line = *channels_.find(key);
  const Found found = pop(line);
  const Message message = *found.message;
  finish(found);
  drop_abandoned(line, key);
  return message;
}

GivenUp::Id Messages::give_up(MessageId id, Time received) {
  Message& message = (*this)[id];
  if (message.sender == message.receiver) {  // orders nothing
    finish({id, &message});
    return GivenUp::none;
  }
  const GivenUp::Id number = given_up_.release(message.receiver, received);
  if (message.send != no_event) {
    if (number != GivenUp::none)
      given_up_.match(number, message.pair, message.sender, set_back_.sent(id, message.sent), message.delay);
    else
      given_up_.match_unknown();
    finish({id, &message});
    return number;
  }
  message.abandoned = true;
  message.pair = number;
  // Waits of a channel mostly end in the order in which they began; one that ends early stays in line.
  const std::uint64_t ends = message.sender == no_process ? unnamed : ends_of(message.sender, message.receiver);
  const Key key{message.tag, ends, message.communicator};
  drop_abandoned(channel(key), key);
  return number;
}

void Messages::drop_abandoned(Channel& line, const Key& key) {
  while (line.oldest != no_message && (*this)[line.oldest].abandoned) {
    const Found found = pop(line);
    const GivenUp::Id number = found.message->pair;
    finish(found);
    ++line.released_receives;
    if (number == GivenUp::none) continue;
    // Known are the oldest ones: none behind one that is not.
    const auto known = released_.find(key);
    const std::size_t count = known == released_.end() ? 0 : known->second.size();
    if (count + 1 == line.released_receives)
      released_[key].push_back(number);
    else
      given_up_.forget(number);
  }
}

Messages::Found Messages::late_send(Channel& line, const Key& key, const Event& event, Ticks delay) {
  --line.released_receives;
  analysis_.count(Case::late_send);
  const auto known = released_.find(key);
  if (known == released_.end()) {
    if (key.ends == unnamed || !delays_.share_a_clock(sender_of(key), receiver_of(key)))
      given_up_.match_unknown();
    else
      within_a_clock(true);
    return {};
  }
  const GivenUp::Id number = known->second.front();
  known->second.pop_front();
  if (known->second.empty()) released_.erase(known);
  const ProcessIndex receiver = given_up_.receiver(number);
  if (key.ends != unnamed)
    analysis_.found({sender_of(key), receiver, key.communicator, key.tag, given_up_.received(number), true});
  if (delays_.share_a_clock(receiver, event.process)) {
    if (receiver != event.process) within_a_clock(given_up_.received(number) < set_back_.recorded(event.time));
    given_up_.forget(number);
    return {};
  }
  std::uint32_t pair = line.pair;
  if (pair == pair_not_known) {
    delay = add_saturating(delays_.between(event.process, receiver), delay);
    pair = analysis_.pair(event.process, receiver);
  }
  given_up_.match(number, pair, event.process, set_back_.recorded(event.time), delay);
  return {number, nullptr};
}

void Messages::within_a_clock(bool backwards) {
  analysis_.message_within_clock();
  if (backwards) analysis_.count(Case::clock_disagrees);
}

void Messages::forget_released(const Key& key) {
  const auto known = released_.find(key);
  if (known == released_.end()) return;
  for (const GivenUp::Id number : known->second) given_up_.forget(number);
  released_.erase(known);
}

bool Messages::cannot_bind(const Message& message, Time now) const noexcept {
  // A receive that is still to be read has LC' >= C >= now.
  return message.send_processed && message.sent + add_saturating(whole(message.offset) + 1, most_delay(message)) <= now;
}

void Messages::close() {
  channels_.for_each([&](const Key& key, Channel& line) {
    analysis_.count(unmatched_send(key), line.old_sends);
    while (line.oldest != no_message && !line.receives) {
      analysis_.count(unmatched_send(key));
      const Found send = pop(line);
      const Time sent = set_back_.sent(send.id, send.message->sent);
      if (key.ends != unnamed)
        analysis_.lost({sender_of(key), receiver_of(key), key.communicator, key.tag, sent, false});
      finish(send);
    }
    line.old_sends = 0;
  });
  // Overtaken by receives that came, but never received.
  for (const auto& [key, kept] : overtaken_)
    for (const MessageId id : kept)
      if (id == no_message || (*this)[id].send != no_event) analysis_.count(unmatched_send(key));
}

}  // namespace clc
