#include "trace/channel.hpp"

#include "clc/event.hpp"

namespace clc {

ChannelKey::ChannelKey(const Event& event) noexcept : communicator(event.communicator), tag(event.tag) {
  if (event.peer != no_process) ends = std::uint64_t{sender_of(event)} << 32U | std::uint64_t{receiver_of(event)};
}

std::uint64_t ChannelNumbers::receive_out_of_order(std::size_t overtakes) {
  if (overtakes < overtaken.size()) {
    const auto own = overtaken.begin() + static_cast<std::ptrdiff_t>(overtakes);
    const std::uint64_t number = *own;
    overtaken.erase(own);
    return number;
  }
  for (std::size_t left = overtakes - overtaken.size(); left > 0; --left) overtaken.push_back(receives++);
  return receives++;
}

}  // namespace clc
