#include "clock/reader.hpp"

namespace clc {

bool Reader::push(const Event& event, Body body) {
  return heads.by_epochs() ? push<Parameters::Order::epochs>(event, body)
                           : push<Parameters::Order::events>(event, body);
}

/// What only waited for C to get there goes on, before waits end for which the same is true.
void Reader::reach(const Event& event) {
  Lanes& lanes = heads.lanes;
  if (lanes.input.order == 0) heads.begin_epochs(event.time);
  lanes.input.now = event.time;
  heads.work<Parameters::Order::epochs>();
}

[[gnu::noinline]] void Reader::end_overdue(Time now) {
  if (now >= Waits::late) heads.lanes.rare_times = true;
  patience.waits.end_overdue(now);
}

[[gnu::noinline]] void Reader::step(ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index) {
  if (heads.by_epochs())
    heads.wake(clock);
  else
    heads.lanes.step(clock, queue, node, index, {}, true);
}

[[gnu::noinline]] bool Reader::push_set_back(const Event& event, Body body, Time recorded) {
  Lanes& lanes = heads.lanes;
  const ClockIndex clock = lanes.clock_of(event.process);
  lanes.rare_times = true;
  const Time before = lanes.set_back.read(clock, lanes.queues[clock].end(), recorded, event.time);
  if (recorded < before) lanes.analysis.step_back({event.process, before, recorded});
  lanes.controllers.set_back(clock);
  const bool certain = push(event, body);
  lanes.set_back.reading({});
  return certain;
}

[[gnu::noinline]] void Reader::read_alone(const Event& event, ClockIndex clock, ProcessQueue& queue, Node& node,
                                          EventIndex index) {
  node.edge = no_edge;
  count_lost(event, heads.lanes.set_back.recorded(event.time), event.role == Role::receive);
  if (queue.waiting() == 1) step(clock, queue, node, index);
}

/// A receive that was read ahead of its send on one clock waits no longer.
[[gnu::noinline]] void Reader::let_receive_go(Message& message) {
  message.offset = 0;
  message.simple_offset = 0;
  message.send_processed = true;
  if (message.receiver_waits) heads.wake(heads.lanes.clock_of(message.receiver));
}

[[gnu::noinline]] void Reader::read_collective(const Event& event, ClockIndex clock, ProcessQueue& queue, Node& node,
                                               EventIndex index) {
  Processes::State& state = heads.lanes.processes[event.process];
  if (event.role == Role::collective_begin) {
    state.sends(event.time);
    node.edge = heads.collectives.read_begin(event, index, heads.lanes.set_back.recorded(event.time));
  } else {
    note_receive(event, state);
    read_collective_end(event, node, index);
  }
  if (queue.waiting() == 1) {
    if (heads.by_epochs())
      heads.wake(clock);
    else if (heads.ready(node))
      heads.process_collective<Parameters::Order::events>(clock, queue, node, index);
    else
      heads.wait_at(node);
  }
  heads.take_woken();
}

void Reader::read_collective_end(const Event& event, Node& node, EventIndex index) {
  Collectives& collectives = heads.collectives;
  const Collectives::ReadEnd end = collectives.read_end(event, index, heads.lanes.set_back.recorded(event.time));
  node.edge = end.call;
  if (end.call == no_call) return;
  if (end.late) {
    node.release(released::collective_end, end.call);
    return;
  }
  if (end.opened) patience.waits.begin(event.time, node.order(), collectives.serial(end.instance), end.instance, true);
  opened_ += end.memory;
  const Processes& processes = heads.lanes.processes;
  const std::size_t missing = collectives.missing(end.instance);
  if (missing == 0 || missing > processes.count_ended()) return;
  if (collectives.all_missing_ended(end.instance, processes.revived(), processes.ended(), processes.last_read()))
    collectives.give_up(end.instance);
}

template <Parameters::Order order>
void Reader::read_message(const Event& event, ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index) {
  if (event.role == Role::send)
    read_send<order>(event, clock, queue, node, index);
  else
    read_receive<order>(event, clock, queue, node, index);
}

// ---- lost records -----------------------------------------------------------------------------

[[gnu::noinline]] void Reader::begin_doubt(const Event& event, EventIndex index) {
  const Lanes& lanes = heads.lanes;
  if (lanes.clock_of(event.process) == lanes.clock_of(event.peer))
    doubts.dismiss(event, index);
  else
    doubts.begin(event, index, heads.messages.doubt(), lanes.processes[event.process].first);
}

void Reader::settle(Doubts::Verdict verdict) {
  Lanes& lanes = heads.lanes;
  const bool keep = verdict == Doubts::Verdict::keep;
  const Event event = doubts.event();
  const EventIndex index = doubts.index();
  const ClockIndex clock = lanes.clock_of(event.process);
  ProcessQueue& queue = lanes.queues[clock];
  Node& node = queue.raw(index);
  heads.messages.decide(keep);
  const bool is_send = event.role == Role::send;
  const Time recorded = lanes.set_back.recorded(clock, index, event.time);
  if (recorded != event.time) lanes.set_back.reading(recorded);
  if (!keep && doubts.sends_are_lone() == is_send) {
    count_lost(event, recorded, !is_send);
    if (is_send) heads.messages.send_taken_out(event, true);
    if (queue.waiting() == 1) step(clock, queue, node, index);
  } else {
    for (std::size_t lone = keep ? 0 : doubts.lone(); lone > 0; --lone) {
      const ChannelState channel = heads.messages.channel_of(event);
      if (channel.oldest == no_message || channel.receives != is_send) break;
      if (is_send)
        take_out_receive(event);
      else
        take_out_send(event);
    }
    if (heads.by_epochs())
      read_message<Parameters::Order::epochs>(event, clock, queue, node, index);
    else
      read_message<Parameters::Order::events>(event, clock, queue, node, index);
  }
  lanes.set_back.reading({});
  if (!in_doubt()) heads.work_if_woken();
}

/// An end of the event's channel has lost its other end; lost_send: that one is a send.
void Reader::count_lost(const Event& event, Time time, bool lost_send) {
  Recorder& analysis = heads.lanes.analysis;
  analysis.lost({sender_of(event), receiver_of(event), event.communicator, event.tag, time, lost_send});
  analysis.count(lost_send ? Case::receive_without_send : Case::send_without_receive);
}

namespace {

/// Of the events that wait: the first one of that time or a later one.
EventIndex first_from(const ProcessQueue& queue, Time time) {
  EventIndex first = queue.processed_end();
  for (std::uint64_t left = queue.end() - first; left > 0;) {
    const std::uint64_t half = left / 2;
    if (queue.raw(first + half).recorded < time) {
      first += half + 1;
      left -= half + 1;
    } else {
      left = half;
    }
  }
  return first;
}

}  // namespace

/// The oldest receive that waits for a send of that channel has lost its own.
void Reader::take_out_receive(const Event& send) {
  Lanes& lanes = heads.lanes;
  const MessageId id = heads.messages.channel_of(send).oldest;
  const ClockIndex clock = lanes.clock_of(send.peer);
  ProcessQueue& queue = lanes.queues[clock];
  const Message message = heads.messages.take_out_oldest(send);
  EventIndex index = first_from(queue, message.sent);
  while (queue.raw(index).edge != id || queue.raw(index).role() != Role::receive) ++index;
  queue.raw(index).edge = no_edge;
  count_lost(send, lanes.set_back.recorded(clock, index, message.sent), true);
  if (message.receiver_waits) heads.wake(clock);
}

/// The oldest send that waits for a receive of that channel has lost its own.
void Reader::take_out_send(const Event& receive) {
  Lanes& lanes = heads.lanes;
  const MessageId id = heads.messages.channel_of(receive).oldest;
  const Message message = heads.messages.take_out_oldest(receive);
  heads.messages.send_taken_out(receive, false);
  ProcessQueue& queue = lanes.queues[lanes.clock_of(receive.peer)];
  if (message.send >= queue.begin()) queue.raw(message.send).edge = no_edge;
  count_lost(receive, lanes.set_back.sent(id, message.sent), false);
}

}  // namespace clc
