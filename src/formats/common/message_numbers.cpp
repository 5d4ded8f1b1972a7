#include "common/message_numbers.hpp"

namespace clc::formats {

std::uint64_t MessageNumbers::number(const Event& event, ProcessIndex process) {
  const bool send = event.role == Role::send;
  const ProcessIndex self = event.peer == no_process ? no_process : process;
  const Key key = send ? Key{self, event.peer, event.communicator, event.tag}
                       : Key{event.peer, self, event.communicator, event.tag};
  Channel& channel = channels_.try_emplace(key).first->second;
  if (channel.first < channel.waiting.size() && channel.sends != send) {
    const std::uint64_t number = channel.waiting[channel.first++];
    --waiting_;
    if (channel.first == channel.waiting.size()) {
      channels_.erase(key);
    } else if (channel.first * 2 > channel.waiting.size()) {
      channel.waiting.erase(channel.waiting.begin(),
                            channel.waiting.begin() + static_cast<std::ptrdiff_t>(channel.first));
      channel.first = 0;
    }
    return number;
  }
  channel.sends = send;
  channel.waiting.push_back(++last_);
  if (++waiting_ > most_waiting) {
    channels_.clear();
    waiting_ = 0;
  }
  return last_;
}

}  // namespace clc::formats
