#include "common/message_numbers.hpp"

#include <algorithm>

namespace clc::formats {

std::size_t MessageNumbers::Channel::not_received(std::size_t others) const noexcept {
  std::size_t at = receives;
  for (; at < messages.size(); ++at)
    if (!messages[at].received && others-- == 0) return at;
  return at + others;
}

void MessageNumbers::Channel::advance() noexcept {
  while (receives < messages.size() && messages[receives].received) ++receives;
  first = std::min(sends, receives);
  if (first < messages.size() && first * 2 > messages.size()) {
    messages.erase(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(first));
    sends -= first;
    receives -= first;
    first = 0;
  }
}

MessageNumbers::End MessageNumbers::end(const Event& event, ProcessIndex process, Time time) {
  const bool send = event.role == Role::send;
  const ProcessIndex self = event.peer == no_process ? no_process : process;
  const Key key = send ? Key{self, event.peer, event.communicator, event.tag}
                       : Key{event.peer, self, event.communicator, event.tag};
  Channel& channel = channels_.try_emplace(key).first->second;
  const std::size_t before = channel.messages.size() - channel.first;
  const std::size_t at = send ? channel.sends++ : channel.not_received(event.overtakes);
  if (at >= channel.messages.size()) channel.messages.resize(at + 1);
  Message& message = channel.messages[at];
  (send ? message.sent : message.received) = true;
  const bool second = message.sent && message.received;
  if (!second) {
    message.number = ++last_;
    message.time = time;
  }
  const End end{message.number, second, message.time};
  channel.advance();
  waiting_ += channel.messages.size() - channel.first;
  waiting_ -= before;
  if (channel.first == channel.messages.size()) channels_.erase(key);
  if (waiting_ > most_waiting) {
    channels_.clear();
    waiting_ = 0;
  }
  return end;
}

}  // namespace clc::formats
