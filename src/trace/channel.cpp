#include "trace/channel.hpp"

#include "clc/event.hpp"

namespace clc {

ChannelKey::ChannelKey(const Event& event) noexcept : communicator(event.communicator), tag(event.tag) {
  if (event.peer != no_process) ends = std::uint64_t{sender_of(event)} << 32U | std::uint64_t{receiver_of(event)};
}

}  // namespace clc
