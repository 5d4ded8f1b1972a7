#include "clock/given_up.hpp"

namespace clc {

GivenUp::Id GivenUp::take() {
  const Id id = free_;
  if (id != none) {
    free_ = messages_[id].next_free;
    messages_[id] = {};
    return id;
  }
  messages_.emplace_back();
  return static_cast<Id>(messages_.size() - 1);
}

GivenUp::Id GivenUp::release(ProcessIndex receiver, Time received) {
  if (given_up_ == most) return none;
  ++given_up_;
  const Id id = take();
  messages_[id].receiver = receiver;
  messages_[id].recorded = received;
  return id;
}

GivenUp::Id GivenUp::watch(Ticks mu) {
  if (watched_ == most_watched) return none;
  ++watched_;
  const Id id = take();
  messages_[id].watched = true;
  messages_[id].matched = true;
  messages_[id].mu = mu;
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
