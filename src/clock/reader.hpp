// The reader: appends an event to its queue, finds its edge, and processes it at once if it need not wait.
//
// Place    Around the heads. Expects events in the order of C^; the filter sees to that, and holds back what follows an
//          event whose match is in doubt.
// Cost     O(1) per event, and what matching costs.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "clc/event.hpp"
#include "clock/doubts.hpp"
#include "clock/heads.hpp"
#include "clock/patience.hpp"

namespace clc {

class Reader {
 public:
  /// Keeps references to definitions and sink.
  Reader(const Parameters& p, const Definitions& definitions, EventSink& sink)
      : Reader(p, definitions, sink, definitions.resolution.ticks_of_seconds(p.wait_limit_s)) {}

  Heads heads;
  Patience patience;
  Doubts doubts;

  /// Prefetches what the events from the 5th to the 21st on will touch.
  void fetch(std::span<const Event> ahead) const;
  /// False: its match is in doubt; nothing more may be read until `settle`.
  template <Parameters::Order order>
  [[gnu::always_inline]] bool push(const Event& event, Body body);
  /// The same for any order.
  bool push(const Event& event, Body body);
  /// Time has reached the end of a wait.
  void end_overdue(Time now);
  /// recorded: C of the event, whose time is C^.
  bool push_set_back(const Event& event, Body body, Time recorded);

  /// The match of the event read last is in doubt.
  [[nodiscard]] bool in_doubt() const noexcept { return heads.messages.doubt() != Doubt::none; }
  /// Goes on with the event that was in doubt.
  void settle(Doubts::Verdict verdict);
  /// Time of the newest record, read or held.
  [[nodiscard]] Time newest() const noexcept { return doubts.newest(heads.lanes.input.now); }

  /// Bytes of collective operations that were opened since they were last taken.
  [[nodiscard]] std::uint64_t opened() const noexcept { return opened_; }
  [[nodiscard]] std::uint64_t take_opened() noexcept { return std::exchange(opened_, 0); }

 private:
  Reader(const Parameters& p, const Definitions& definitions, EventSink& sink, Ticks wait_limit)
      : heads(p, definitions, sink), patience(wait_limit, heads), doubts(heads.messages, wait_limit) {}

  void note_receive(const Event& event, Processes::State& state) noexcept {
    heads.lanes.analysis.receive_read();
    if (state.has_sent) heads.lanes.analysis.receive_after_send(event.time - state.sent);
    state.has_sent = false;
  }
  template <Parameters::Order order>
  [[gnu::always_inline]] void read_send(const Event& event, ClockIndex clock, ProcessQueue& queue, Node& node,
                                        EventIndex index);
  template <Parameters::Order order>
  [[gnu::always_inline]] void read_receive(const Event& event, ClockIndex clock, ProcessQueue& queue, Node& node,
                                           EventIndex index);
  template <Parameters::Order order>
  void read_message(const Event& event, ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index);
  /// By epochs, before an event is read: C has reached its time.
  void reach(const Event& event);
  /// An event that orders nothing was read.
  void step(ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index);
  /// An event of which it is known that its other end is missing.
  void read_alone(const Event& event, ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index);
  void let_receive_go(Message& message);
  void read_collective(const Event& event, ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index);
  void read_collective_end(const Event& event, Node& node, EventIndex index);

  // ---- lost records, see losses.hpp ----
  void begin_doubt(const Event& event, EventIndex index);
  void count_lost(const Event& event, Time time, bool lost_send);
  void take_out_receive(const Event& send);
  void take_out_send(const Event& receive);

  std::uint64_t opened_ = 0;
};

/// With very many processes it is in no cache. Each step uses what the one before asked for, 4 events earlier.
[[gnu::always_inline]] inline void Reader::fetch(std::span<const Event> ahead) const {
  if (ahead.size() <= 20) return;
  const Lanes& lanes = heads.lanes;
  const auto is_known = [&](ProcessIndex process) { return process < lanes.queues.size(); };
  const auto is_message = [](const Event& event) { return event.role == Role::send || event.role == Role::receive; };
  const auto receives = [&](const Event& event) { return event.role == Role::receive && is_known(event.peer); };
  const auto queue_of = [&](ProcessIndex process) { return &lanes.queues[lanes.clock_of(process)]; };
  if (const Event& event = ahead[20]; is_known(event.process)) {
    clc::fetch(queue_of(event.process));
    clc::fetch(&lanes.processes[event.process]);
    lanes.controllers.per_event.fetch(lanes.clock_of(event.process));
    if (is_message(event)) heads.messages.fetch(event);
  }
  if (const Event& event = ahead[16]; is_known(event.process)) {
    queue_of(event.process)->fetch_end();
    if (is_message(event)) heads.messages.fetch_channel(event);
  }
  if (const Event& event = ahead[12]; is_message(event)) {
    heads.messages.fetch_message(event);
    if (receives(event)) clc::fetch(queue_of(event.peer));
  }
  if (const Event& event = ahead[8]; receives(event))
    if (const Message* message = heads.messages.fetch_message(event)) queue_of(event.peer)->fetch_leaf(message->send);
  if (const Event& event = ahead[4]; receives(event))
    if (const Message* message = heads.messages.fetch_message(event)) queue_of(event.peer)->fetch_limit(message->send);
}

template <Parameters::Order order>
inline bool Reader::push(const Event& event, Body body) {
  constexpr bool by_epochs = order == Parameters::Order::epochs;
  Lanes& lanes = heads.lanes;
  if constexpr (by_epochs) reach(event);
  lanes.input.now = event.time;
  if (patience.waits.is_one_over(event.time)) [[unlikely]]
    end_overdue(event.time);

  const ClockIndex clock = lanes.clock_of(event.process);
  ProcessQueue& queue = lanes.queues[clock];
  const EventIndex index = queue.end();
  Node& node = lanes.append(event, clock, queue, body);
  Processes::State& state = lanes.processes[event.process];
  if (!state.runs) [[unlikely]] {
    lanes.processes.run(event.process, event.time);
    lanes.analysis.start(event.time);
  }
  state.last_read = lanes.input.order;
  switch (event.role) {
    case Role::internal:
      if constexpr (by_epochs) {
        if (queue.waiting() == 1) heads.start(clock);
        break;
      }
      if (queue.waiting() == 1) lanes.step(clock, queue, node, index, {}, false);
      return true;  // it wakes nobody
    case Role::send:
      state.sends(event.time);
      read_send<order>(event, clock, queue, node, index);
      break;
    case Role::receive:
      note_receive(event, state);
      read_receive<order>(event, clock, queue, node, index);
      break;
    case Role::collective_begin:
    case Role::collective_end:
      read_collective(event, clock, queue, node, index);
      break;
  }
  if (!by_epochs || !in_doubt()) heads.work_if_woken<order>();
  return !in_doubt();
}

template <Parameters::Order order>
inline void Reader::read_send(const Event& event, ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index) {
  if (event.other_end == OtherEnd::missing) [[unlikely]]
    return read_alone(event, clock, queue, node, index);
  Messages::Found found = heads.messages.read_send(event, index);
  if (found.message != nullptr && found.message->receive_read && found.message->receiver != no_process &&
      heads.within_a_clock(*found.message)) [[unlikely]] {
    let_receive_go(*found.message);
    found = {};
  }
  node.edge = found.id;
  if (found.message == nullptr) [[unlikely]] {
    if (in_doubt()) return begin_doubt(event, index);
    if (found.id != no_message) node.release(released::send, found.id);
  }
  if (queue.waiting() != 1) return;
  if constexpr (order == Parameters::Order::epochs)
    heads.start(clock);
  else
    heads.process_send<order>(clock, queue, node, index, found);
}

template <Parameters::Order order>
inline void Reader::read_receive(const Event& event, ClockIndex clock, ProcessQueue& queue, Node& node,
                                 EventIndex index) {
  if (event.other_end == OtherEnd::missing) [[unlikely]]
    return read_alone(event, clock, queue, node, index);
  Messages::Found found = heads.messages.read_receive(event);
  node.edge = found.id;
  if (found.message == nullptr && in_doubt()) [[unlikely]]
    return begin_doubt(event, index);
  if (found.message != nullptr && found.message->send == no_event) {
    const Processes& processes = heads.lanes.processes;
    if (processes.count_ended() > 0 && event.peer != no_process && processes[event.peer].presumed_ended) {
      patience.give_up_receive(clock, index, node.order());
      found = {};
    } else {
      patience.waits.begin(event.time, node.order(), index, clock, false);
    }
  }
  if (queue.waiting() != 1) return;
  if constexpr (order == Parameters::Order::epochs)
    heads.start(clock);
  else if (found.message == nullptr || found.message->send_processed)
    heads.process_receive<order>(clock, queue, node, index, found);
  else
    found.message->receiver_waits = true;
}

}  // namespace clc
