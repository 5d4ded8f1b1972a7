// A sink that keeps nothing: for runs of the clock of which only the report counts.
#pragma once

#include "clc/event_sink.hpp"

namespace clc::tool {

class Nowhere final : public EventSink {
 public:
  [[nodiscard]] Order order() const noexcept override { return Order::each_process; }
  void events(std::span<const Corrected> /*run*/) override {}
  void note(Body /*line*/) override {}
};

}  // namespace clc::tool
