// Receives that took messages in another order than they were sent [R fig. 1.4]: where any message could be received,
// a clock that is behind makes the message that was sent first look like the second one.
//
// Rule     Two successive receives of a process, of the same communicator and tag, from different senders: they could
//          have exchanged their messages if they were of any source, which no trace says. They are turned round if the
//          message of the first one was sent later.
// Memory   At most most_waiting receives of each process.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "matching/edges.hpp"

namespace clc::check {

struct ReceiveOrderFigures {
  std::uint64_t pairs = 0;
  std::array<std::uint64_t, matching::columns> turned{};
  std::array<std::uint64_t, 2> wrong{};  ///< turned, and not so in the truth, or the reverse; by Column
};

class ReceiveOrder {
 public:
  /// A receive that waits for its send longer than so many others of its process follow counts in no pair.
  static constexpr std::size_t most_waiting = 256;

  /// The next receive of a process. lone: it has no send.
  void receive(const Event& event, std::uint64_t place, bool lone) {
    if (processes_.size() <= event.process) processes_.resize(event.process + std::size_t{1});
    Process& process = processes_[event.process];
    const bool waits = !lone && event.peer != event.process;
    process.queue.push_back({{event.communicator, event.tag, no_process, {}}, place, waits});
    if (process.queue.size() > most_waiting) process.queue.front().waits = false;
    advance(process);
  }
  /// One of them was matched.
  void message(const matching::Message& message) {
    if (message.receiver >= processes_.size()) return;
    Process& process = processes_[message.receiver];
    const std::uint64_t place = message.received.place[matching::recorded];
    const auto found = std::ranges::lower_bound(process.queue, place, {}, &Waiting::place);
    if (found == process.queue.end() || found->place != place) return;
    found->taken.sender = message.sender;
    found->taken.sent = message.sent.time;
    found->waits = false;
    advance(process);
  }
  [[nodiscard]] const ReceiveOrderFigures& figures() const noexcept { return figures_; }

 private:
  struct Taken {
    CommunicatorIndex communicator = no_communicator;
    std::int64_t tag = 0;
    ProcessIndex sender = no_process;  ///< no_process: unknown
    std::array<Time, matching::columns> sent{};
  };
  struct Waiting {
    Taken taken;
    std::uint64_t place;
    bool waits;
  };
  struct Process {
    std::deque<Waiting> queue;  ///< from the first that waits
    Taken last;                 ///< the receive before them
  };

  void advance(Process& process) {
    for (; !process.queue.empty() && !process.queue.front().waits; process.queue.pop_front()) {
      const Taken& next = process.queue.front().taken;
      compare(process.last, next);
      process.last = next;
    }
  }
  void compare(const Taken& first, const Taken& second) {
    if (first.sender == no_process || second.sender == no_process || first.sender == second.sender) return;
    if (first.communicator != second.communicator || first.tag != second.tag) return;
    ++figures_.pairs;
    const auto turned = [&](matching::Column column) { return first.sent[column] > second.sent[column]; };
    for (const auto column : {matching::recorded, matching::corrected, matching::truth})
      figures_.turned[column] += turned(column);
    for (const auto column : {matching::recorded, matching::corrected})
      figures_.wrong[column] += turned(column) != turned(matching::truth);
  }

  std::vector<Process> processes_;
  ReceiveOrderFigures figures_;
};

}  // namespace clc::check
