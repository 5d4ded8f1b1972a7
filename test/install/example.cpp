// A message that seems to arrive 300 ns before it was sent.
#include <clc/event.hpp>
#include <clc/filter.hpp>
#include <iostream>

struct Printer : clc::EventSink {
  void events(std::span<const clc::Corrected> run) override {
    for (const clc::Corrected& event : run)
      std::cout << event.recorded.ticks() << " -> " << event.time.ticks() << "  process " << event.process << ": "
                << event.body << '\n';
  }
  void note(clc::Body) override {}
};

int main() {
  clc::Definitions definitions;  // default resolution: 10^9 ticks per second
  const auto rank0 = definitions.add_process(0, "rank 0");
  const auto rank1 = definitions.add_process(1, "rank 1");
  const auto world = definitions.add_communicator(0, {rank0, rank1});
  clc::Parameters parameters;
  parameters.min_delay_us = 2.5;

  Printer printer;
  clc::Filter filter(parameters, definitions, printer);
  using clc::Role, clc::Time;
  filter.push({.time = Time(1'000'000), .process = rank1, .role = Role::internal}, "compute");
  filter.push({.time = Time(1'000'700), .process = rank1, .role = Role::receive, .peer = rank0, .communicator = world},
              "receive");
  filter.push({.time = Time(1'001'000), .process = rank0, .role = Role::send, .peer = rank1, .communicator = world},
              "send");
  filter.finish();
  std::cout << filter.analysis().jumps() << " correction\n";
}
