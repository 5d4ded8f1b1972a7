#include "clc/stage/messages.hpp"

#include <algorithm>
#include <limits>

namespace clc {

Messages::Channel& Messages::new_channel(const Key& key) {
  if (channels_.full()) {
    std::size_t dormant = 0;
    channels_.retain([&](const Key&, const Channel& c) {
      dormant += c.oldest == no_message && !c.empty();
      return !c.empty();
    });
    if (dormant > most_dormant_) {
      channels_.retain([&](const Key& old, const Channel& c) {
        if (c.oldest != no_message) return true;
        if (old.ends != unnamed) analysis_.count(Case::forgotten_channel);
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
  line.pair = own ? Analysis::unpaired : named ? analysis_.pair(sender_of(key), receiver_of(key)) : pair_not_known;
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

void Messages::give_up(MessageId id) {
  Message& message = (*this)[id];
  message.abandoned = true;
  if (message.send != no_event) return;  // matched: the send still refers to it
  // Waits of a channel mostly end in the order in which they began; one that ends early stays in line.
  const std::uint64_t ends = message.sender == no_process ? unnamed : ends_of(message.sender, message.receiver);
  Channel& line = channel({message.tag, ends, message.communicator});
  drop_abandoned(line);
}

void Messages::drop_abandoned(Channel& line) noexcept {
  while (line.oldest != no_message && (*this)[line.oldest].abandoned) {
    finish(pop(line));
    ++line.released_receives;
  }
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
      finish(pop(line));
    }
    line.old_sends = 0;
  });
  // Overtaken by receives that came, but never received.
  for (const auto& [key, kept] : overtaken_)
    for (const MessageId id : kept)
      if (id == no_message || (*this)[id].send != no_event) analysis_.count(unmatched_send(key));
}

}  // namespace clc
