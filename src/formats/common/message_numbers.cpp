#include "common/message_numbers.hpp"

namespace clc::formats {

MessageNumbers::End MessageNumbers::end(const Event& event, ProcessIndex process, Time time) {
  const bool send = event.role == Role::send;
  const ProcessIndex self = event.peer == no_process ? no_process : process;
  const Key key = send ? Key{self, event.peer, event.communicator, event.tag}
                       : Key{event.peer, self, event.communicator, event.tag};
  Channel& channel = channels_.try_emplace(key).first->second;
  if (channel.first < channel.waiting.size() && channel.sends != send) {
    const Waiting other = channel.waiting[channel.first++];
    --waiting_;
    if (channel.first == channel.waiting.size()) {
      channels_.erase(key);
    } else if (channel.first * 2 > channel.waiting.size()) {
      channel.waiting.erase(channel.waiting.begin(),
                            channel.waiting.begin() + static_cast<std::ptrdiff_t>(channel.first));
      channel.first = 0;
    }
    return {other.number, true, other.time};
  }
  channel.sends = send;
  channel.waiting.push_back({++last_, time});
  if (++waiting_ > most_waiting) {
    channels_.clear();
    waiting_ = 0;
  }
  return {last_, false, time};
}

}  // namespace clc::formats
