#include "clc/stage/messages.hpp"

#include <algorithm>

namespace clc {

inline Messages::Channel& Messages::channel(const Key& key) {
  if (Channel* known = channels_.find(key)) [[likely]]
    return *known;
  return new_channel(key);
}

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
        if (old.sender != no_process) analysis_.count(Case::forgotten_channel);
        analysis_.count(unmatched_send(old), c.old_sends);
        return false;
      });
    }
  }
  Channel& fresh = *channels_.insert(key).first;
  fresh.own_delay = delays_.own(key.communicator) > 0;
  if (fresh.own_delay || key.sender == no_process)
    fresh.pair = Analysis::unpaired;
  else
    fresh.pair = analysis_.pair(key.sender, key.receiver);
  return fresh;
}

MessageId Messages::take() {
  if (free_ == no_message) {
    const auto first = static_cast<MessageId>(slabs_.size() * slab_messages);
    slabs_.push_back(std::make_unique<Message[]>(slab_messages));
    for (MessageId id = first + slab_messages; id-- > first;) {
      (*this)[id].next = free_;
      free_ = id;
    }
  }
  ++live_;
  const MessageId id = free_;
  Message& message = (*this)[id];
  free_ = message.next;
  message = Message{};
  return id;
}

void Messages::append(Channel& channel, MessageId id) noexcept {
  if (channel.oldest == no_message)
    channel.oldest = id;
  else
    (*this)[channel.newest].next = id;
  channel.newest = id;
}

MessageId Messages::pop(Channel& channel) noexcept {
  const MessageId id = channel.oldest;
  channel.oldest = (*this)[id].next;
  (*this)[id].next = no_message;
  return id;
}

MessageId Messages::read_send(const Event& event, EventIndex index) {
  if (event.peer == event.process) {
    analysis_.count(Case::self_message);
    return no_message;
  }
  Channel& line = channel(key_of(event.process, event.peer, event));
  const Ticks delay = line.own_delay             ? delays_.own(event.communicator)
                      : event.peer == no_process ? delays_.to_anyone(event.bytes)
                                                 : delays_.message(event.process, event.peer, event.bytes);
  largest_delay_ = std::max(largest_delay_, delay);
  if (line.released_receives > 0) {
    --line.released_receives;
    analysis_.count(Case::late_send);
    return no_message;
  }
  const bool received = line.oldest != no_message && line.receives;
  const MessageId id = received ? pop(line) : take();
  if (received) drop_abandoned(line);
  Message& message = (*this)[id];
  message.sent = event.time;
  message.delay = delay;
  message.send = index;
  message.sender = event.process;
  if (event.peer != no_process) message.receiver = event.peer;
  message.pair = line.pair;
  if (!received) {
    line.receives = false;
    append(line, id);
  }
  return id;
}

inline MessageId Messages::next_receive(Channel& line, const Event& event) {
  if (line.old_sends > 0) {
    --line.old_sends;
    return no_message;
  }
  if (line.oldest != no_message && !line.receives) return pop(line);
  const MessageId id = take();
  Message& message = (*this)[id];
  message.sender = event.peer;
  message.communicator = event.communicator;
  message.tag = event.tag;
  line.receives = true;
  append(line, id);
  return id;
}

MessageId Messages::receive_out_of_order(Channel& line, const Key& key, const Event& event) {
  if (event.overtakes == 0 && !overtaken_.contains(key)) return next_receive(line, event);
  std::vector<MessageId>& kept = overtaken_[key];
  MessageId id = no_message;
  if (event.overtakes < kept.size()) {
    const auto own = kept.begin() + event.overtakes;
    id = *own;
    kept.erase(own);
    --kept_;
  } else {
    for (std::size_t more = event.overtakes - kept.size(); more > 0 && kept_ < overtaken_limit; --more, ++kept_)
      kept.push_back(next_receive(line, event));
    id = next_receive(line, event);
  }
  if (kept.empty()) overtaken_.erase(key);
  return id;
}

MessageId Messages::read_receive(const Event& event) {
  if (event.peer == event.process) return no_message;
  const Key key = key_of(event.peer, event.process, event);
  Channel& line = channel(key);
  const MessageId id =
      event.overtakes == 0 && overtaken_.empty() ? next_receive(line, event) : receive_out_of_order(line, key, event);
  if (id == no_message) {
    analysis_.old_message();
    return no_message;
  }
  Message& message = (*this)[id];
  message.receiver = event.process;
  if (message.sender == event.process) [[unlikely]] {
    analysis_.count(Case::self_message);
    if (message.send_processed)
      finish(id);
    else
      message.abandoned = true;
    return no_message;
  }
  return id;
}

void Messages::give_up(MessageId id) {
  Message& message = (*this)[id];
  message.abandoned = true;
  if (message.send != no_event) return;  // matched: the send still refers to it
  // Waits of a channel mostly end in the order in which they began; one that ends early stays in line.
  const ProcessIndex receiver = message.sender == no_process ? no_process : message.receiver;
  Channel& line = channel({message.tag, message.sender, receiver, message.communicator});
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
  return message.send_processed && message.sent + add_saturating(whole(message.offset) + 1, message.delay) <= now;
}

void Messages::tidy(Time now, bool hurry) {
  if (!hurry && live_ < std::max<std::size_t>(4096, 2 * tidied_live_)) return;
  const Time until = hurry || live_ > most_live_ ? now : now - wait_limit_;
  channels_.for_each([&](const Key&, Channel& line) {
    while (line.oldest != no_message && !line.receives && cannot_bind((*this)[line.oldest], until)) {
      finish(pop(line));
      ++line.old_sends;
    }
  });
  tidied_live_ = live_;
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
