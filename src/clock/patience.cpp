#include "clock/patience.hpp"

#include <optional>

namespace clc {

bool Patience::waits_still(const Wait& wait) const {
  if (wait.collective) return heads_.collectives.waits(wait.where, wait.which);
  const ProcessQueue& queue = heads_.lanes.queues[wait.where];
  if (wait.which < queue.processed_end()) return false;
  const Node& node = queue.raw(wait.which);
  return node.role() == Role::receive && node.edge != no_edge && !heads_.messages[node.edge].send_processed;
}

bool Patience::misses_a_record(const Wait& wait) const {
  if (wait.collective) return heads_.collectives.missing(wait.where) > 0;
  return heads_.messages[heads_.lanes.queues[wait.where].raw(wait.which).edge].send == no_event;
}

void Patience::give_up_receive(ClockIndex clock, EventIndex index, std::uint64_t order) {
  Lanes& lanes = heads_.lanes;
  Node& node = lanes.queues[clock].raw(index);
  const Message& message = heads_.messages[node.edge];
  const bool receiver_waits = message.receiver_waits;
  const Time received = lanes.set_back.recorded(clock, index, node.recorded);
  if (message.send == no_event) {
    lanes.analysis.count(Case::receive_without_send);
    if (message.sender != no_process) {
      lanes.analysis.lost({message.sender, message.receiver, message.communicator, message.tag, received, true});
      lanes.processes.presume_ended(message.sender, order);
    }
  } else {
    lanes.analysis.receive_in_circle();
  }
  const ProcessIndex sender = message.sender;
  const EventIndex send = message.send;
  const GivenUp::Id number = heads_.messages.give_up(node.edge, received);
  node.release(released::receive, number);
  if (send != no_event) lanes.queues[lanes.clock_of(sender)].raw(send).release(released::send, number);
  if (receiver_waits) heads_.wake(clock);
}

void Patience::give_up_collective(const Wait& wait) {
  Processes& processes = heads_.lanes.processes;
  if (heads_.collectives.missing(wait.where) > 0)
    heads_.collectives.end_missing(wait.where, wait.order, processes.revived(), processes.ended(),
                                   processes.last_read(),
                                   [&](ProcessIndex process) { processes.presume_ended(process, wait.order); });
  heads_.collectives.give_up(wait.where);
}

void Patience::end_wait(const Wait& wait) {
  if (wait.collective)
    give_up_collective(wait);
  else
    give_up_receive(wait.where, wait.which, wait.order);
  heads_.work();
}

void Patience::give_up_oldest() {
  const std::optional<Wait> wait = waits.take_oldest();
  if (!wait) return;
  heads_.lanes.analysis.count(Case::wait_given_up);
  end_wait(*wait);
  if (wait->collective && waits_still(*wait)) end_wait(*wait);  // for members that wait themselves
}

}  // namespace clc
