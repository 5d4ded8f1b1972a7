#include "clock/given_up.hpp"

namespace clc {

GivenUp::Id GivenUp::release(ProcessIndex receiver, Time received) {
  Id id = free_;
  if (id != none) {
    free_ = messages_[id].next_free;
    messages_[id] = {};
  } else {
    if (messages_.size() == most) return none;
    id = static_cast<Id>(messages_.size());
    messages_.emplace_back();
  }
  messages_[id].receiver = receiver;
  messages_[id].recorded = received;
  return id;
}

void GivenUp::match(Id id, std::uint32_t pair, ProcessIndex sender, Time sent, Ticks mu) {
  Message& message = messages_[id];
  analysis_.message(pair, sender, message.receiver, message.recorded, message.recorded - sent, mu);
  message.matched = true;
  message.mu = mu;
}

void GivenUp::match_unknown() noexcept {
  analysis_.late_message();
  analysis_.violation_left();
}

void GivenUp::forget(Id id) noexcept {
  messages_[id].forgotten = true;
  judge(id);
}

void GivenUp::written(Id id, bool send, Time time) noexcept {
  Message& message = messages_[id];
  (send ? message.sent : message.received) = time;
  (send ? message.send_written : message.receive_written) = true;
  judge(id);
}

void GivenUp::judge(Id id) noexcept {
  const Message& message = messages_[id];
  if (!message.receive_written || !(message.forgotten || message.send_written)) return;
  if (message.matched && message.received - message.sent < message.mu) analysis_.violation_left();
  free(id);
}

}  // namespace clc
