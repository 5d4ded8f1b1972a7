// The channel of a send or receive.
#pragma once

#include "clc/event.hpp"
#include "trace/channel.hpp"

namespace clc {

[[nodiscard]] inline Channel channel_of(const Event& event) noexcept {
  return {sender_of(event), receiver_of(event), event.communicator, event.tag};
}

}  // namespace clc
