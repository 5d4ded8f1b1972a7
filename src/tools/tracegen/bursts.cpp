#include "bursts.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace clc::tracegen {

namespace {

constexpr std::uint64_t burst_stream = 0xb0257;
constexpr double pause_us = 1;  // from a receive to the next send

}  // namespace

Bursts::Bursts(const Settings& settings, std::vector<Clock> clocks, Output& recorded, Output* truth)
    : clocks_(std::move(clocks)),
      recorded_(&recorded),
      truth_(truth),
      random_(settings.seed, burst_stream),
      count_(settings.messages.bursts),
      origin_(settings.start),
      delay_(std::max<Ticks>(1, settings.resolution.ticks_of_microseconds(settings.messages.delay_us.value()))),
      node_delay_(
          std::max<Ticks>(1, settings.resolution.ticks_of_microseconds(settings.messages.node_delay_us.value()))),
      per_node_(settings.processes_per_node),
      jitter_(settings.messages.jitter_us.value() * static_cast<double>(settings.resolution.per_second()) / 1e6),
      pause_(std::max<Ticks>(1, settings.resolution.ticks_of_microseconds(pause_us))) {}

Ticks Bursts::flight(ProcessIndex process) {
  const Ticks least = per_node_ != 0 && process < per_node_ ? node_delay_ : delay_;
  return least + static_cast<Ticks>(jitter_ * random_.exponential());
}

void Bursts::write(Output& output, ProcessIndex process, const Ticks (&times)[4]) const {
  std::string line = "%sync " + std::to_string(process) + " 0";
  for (const Ticks time : times) line += ' ' + std::to_string(origin_ + time);
  output.line(line);
}

void Bursts::measure(Ticks start) {
  if (count_ == 0) return;
  now_ = std::max(now_, start);
  for (ProcessIndex process = 1; process < clocks_.size(); ++process)
    for (std::uint32_t i = 0; i < count_; ++i) {
      const Ticks sent = now_;
      const Ticks received = sent + flight(process);
      const Ticks answered = received + pause_;
      const Ticks back = answered + flight(process);
      now_ = back + pause_;
      Clock& reference = clocks_.front();
      Clock& clock = clocks_[process];
      // In the order of true time, each clock.
      const Ticks t1 = reference.read(sent);
      const Ticks t2 = clock.read(received);
      const Ticks t3 = clock.read(answered);
      const Ticks t4 = reference.read(back);
      write(*recorded_, process, {t1, t2, t3, t4});
      if (truth_ != nullptr) write(*truth_, process, {sent, received, answered, back});
    }
}

}  // namespace clc::tracegen
