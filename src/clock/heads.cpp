#include "clock/heads.hpp"

namespace clc {

Heads::Heads(const Parameters& p, const Definitions& definitions, EventSink& sink)
    : lanes(p, definitions, sink, *this),
      delays(p, definitions),
      messages(delays, definitions.resolution.ticks_of_seconds(p.wait_limit_s), p.match,
               p.clock_error_us ? definitions.resolution.ticks_of_microseconds(*p.clock_error_us) : ticks_max,
               lanes.set_back, lanes.analysis),
      collectives(definitions, delays, lanes.analysis),
      held_(*this) {}

void Heads::grow(std::size_t processes) {
  messages.grow(processes);
  lanes.grow(processes);
}

// ---- waiting ----------------------------------------------------------------------------------

bool Heads::ready(const Node& node) const {
  if (node.edge == no_edge) return true;
  switch (node.role()) {
    case Role::receive:
      return messages[node.edge].send_processed;
    case Role::collective_end:
      return collectives.ready(node.edge);
    default:
      return true;
  }
}

bool Heads::misses_a_record(const Node& node) const {
  return node.role() == Role::receive ? messages[node.edge].send == no_event : collectives.missing_of(node.edge) > 0;
}

void Heads::wait_at(const Node& node) {
  if (node.role() == Role::receive)
    messages[node.edge].receiver_waits = true;
  else
    collectives.wait(node.edge);
}

void Heads::take_woken() {
  if (collectives.woke()) collectives.take_woken([&](ProcessIndex process) { wake(lanes.clock_of(process)); });
}

void Heads::work() {
  if (by_epochs())
    work<Parameters::Order::epochs>();
  else
    work<Parameters::Order::events>();
}

template <Parameters::Order order>
void Heads::work() {
  do {
    take_woken();
    while (!work_.empty()) {
      const ClockIndex clock = work_.front();
      work_.pop_front();
      drain<order>(clock);
    }
  } while (order == Parameters::Order::epochs && held_.look_further());
}

template <Parameters::Order order>
void Heads::drain(ClockIndex clock) {
  ProcessQueue& queue = lanes.queues[clock];
  while (queue.waiting() > 0) {
    Node& head = queue.head();
    bool is_held = false;
    if constexpr (order == Parameters::Order::epochs) is_held = held_.holds(clock, head);
    if (!ready(head)) {
      wait_at(head);
      return;
    }
    if (is_held) return held_.hold(clock);
    lanes.release.before_change(clock);
    process_next<order>(clock, queue, head, queue.processed_end());
  }
}

void Heads::start(ClockIndex clock) { drain<Parameters::Order::epochs>(clock); }

// ---- processing -------------------------------------------------------------------------------

template <Parameters::Order order>
[[gnu::always_inline]] inline void Heads::process_next(ClockIndex clock, ProcessQueue& queue, Node& node,
                                                       EventIndex index) {
  switch (node.role()) {
    case Role::internal:
      lanes.step<order>(clock, queue, node, index, {}, false);
      break;
    case Role::send:
      process_send<order>(clock, queue, node, index, messages.at(node.edge));
      break;
    case Role::receive:
      process_receive<order>(clock, queue, node, index, messages.at(node.edge));
      break;
    case Role::collective_begin:
    case Role::collective_end:
      process_collective<order>(clock, queue, node, index);
      break;
    default:  // its edge was given up
      lanes.step<order>(clock, queue, node, index, {}, true);
  }
}

/// The figures of a message where a clock was set back.
[[gnu::noinline]] void Heads::record_message(ClockIndex clock, EventIndex index, const Node& node,
                                             Messages::Found found) {
  const Message& message = *found.message;
  const Time received = lanes.set_back.recorded(clock, index, node.recorded);
  const Ticks delay = received - lanes.set_back.sent(found.id, message.sent);
  lanes.analysis.message(message.pair, message.sender, message.receiver, received, delay, message.delay);
}

[[gnu::noinline]] void Heads::judge_as_written(Node& node, const Message& message, double offset, Ticks more) {
  if (is_exact(offset, more) && node.recorded + whole(offset) != Time::latest()) return;
  GivenUp& judge = messages.given_up();
  const GivenUp::Id id = judge.watch(message.delay);
  if (id == GivenUp::none) return;
  node.release(released::receive, id);
  ProcessQueue& sender = lanes.queues[lanes.clock_of(message.sender)];
  if (message.send >= sender.begin())
    sender.raw(message.send).release(released::send, id);
  else  // it has left, as no later receive could limit it
    judge.written(id, true, message.sent + clc::written(message.offset));
}

/// A message from a clock to itself.
template <Parameters::Order order>
[[gnu::noinline]] void Heads::process_receive_within(ClockIndex clock, ProcessQueue& queue, Node& node,
                                                     EventIndex index, Messages::Found found) {
  lanes.step<order>(clock, queue, node, index, {}, true);
  const Message& message = *found.message;
  if (message.sender == message.receiver) {
    lanes.analysis.count(Case::self_message);
  } else {
    lanes.analysis.message_within_clock();
    if (lanes.set_back.recorded(clock, index, node.recorded) < lanes.set_back.sent(found.id, message.sent))
      lanes.analysis.count(Case::clock_disagrees);
  }
  messages.finish(found);
  node.edge = no_edge;
}

template <Parameters::Order order>
void Heads::process_collective(ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index) {
  const bool edge = node.edge != no_edge && node.role() != released::collective_end;
  Bound bound;
  if (edge && node.role() == Role::collective_end) bound = collectives.bound(node.edge);
  const ForwardStep step = lanes.step<order>(clock, queue, node, index, bound, true);
  if (!edge) return;
  if (node.role() == Role::collective_begin) {
    collectives.begin_processed(node.edge, step.offset, step.simple_offset);
  } else {
    if (lanes.rare_times && node.recorded + whole(step.offset) == Time::latest())
      collectives.judge_as_written(node.edge);
    collectives.end_processed(node.edge, step.offset);
    take_limits();
  }
  take_woken();
}

template void Heads::work<Parameters::Order::events>();
template void Heads::work<Parameters::Order::epochs>();
template void Heads::process_receive_within<Parameters::Order::events>(ClockIndex, ProcessQueue&, Node&, EventIndex,
                                                                       Messages::Found);
template void Heads::process_collective<Parameters::Order::events>(ClockIndex, ProcessQueue&, Node&, EventIndex);

void Heads::take_limits() {
  for (const Collectives::Limit& known : collectives.limits())
    lanes.limit(lanes.clock_of(known.process), known.index, known.offset);
  collectives.limits().clear();
}

void Heads::written(ClockIndex clock, EventIndex index, const Node& node, Time time) {
  if (node.edge == no_edge) return;
  const Role role = node.role();
  if (role == released::receive || role == released::send)
    messages.given_up().written(node.edge, role == released::send, time);
  else
    collectives.written(node.edge, clock, index, role != Role::collective_begin, time);
}

bool Heads::judges(ClockIndex clock, EventIndex index, const Node& node) const {
  if (node.edge == no_edge) return false;
  if (node.role() == released::send) return true;
  return node.role() == Role::collective_begin && collectives.judges(node.edge, clock, index);
}

}  // namespace clc
