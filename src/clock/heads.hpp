// The heads: processes the oldest unprocessed event of each clock as soon as all that it depends on was processed.
//
// Place    Around the lanes: adds messages and collective operations. The reader appends events and processes those
//          that need not wait; `work` processes what then need not wait any longer.
// Order    Clocks whose head became ready are served in the order in which that happened, each as far as possible.
// Epochs   By the order-free rules (Parameters::Order) a head also waits for its cut, see held.hpp.
// Cost     O(1) per event, and what the edges cost. By epochs: O(clocks) per cut.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "clc/indexes.hpp"
#include "clc/time.hpp"
#include "clock/collectives.hpp"
#include "clock/held.hpp"
#include "clock/lanes.hpp"
#include "clock/messages.hpp"
#include "trace/delay.hpp"

namespace clc {

class Heads final : private WriteObserver {
 public:
  /// Keeps references to definitions and sink.
  Heads(const Parameters& p, const Definitions& definitions, EventSink& sink);

  Lanes lanes;
  DelayModel delays;
  Messages messages;
  Collectives collectives;

  void grow(std::size_t processes);

  /// Whether all edges of a head come from processed events.
  [[nodiscard]] bool ready(const Node& node) const;
  /// Not ready: a record that it waits for was not read.
  [[nodiscard]] bool misses_a_record(const Node& node) const;
  /// A head waits: it is processed when it has become ready.
  void wait_at(const Node& node);
  /// The head of a clock has become ready.
  void wake(ClockIndex clock) { work_.push_back(clock); }
  void take_woken();
  /// Processes all heads that have become ready, by epochs also those that need not wait for a cut any more.
  void work();
  template <Parameters::Order order>
  void work();
  /// The same without a look at collective operations, which most events have not changed.
  template <Parameters::Order order>
  [[gnu::always_inline]] void work_if_woken() {
    if (!work_.empty()) work<order>();
  }
  void work_if_woken() {
    if (!work_.empty()) work();
  }

  // ---- by epochs ----
  [[nodiscard]] bool by_epochs() const noexcept { return lanes.controllers.per_epoch != nullptr; }
  /// Processes the head of a clock that was just read, if it need not wait, and what comes after it.
  void start(ClockIndex clock);
  /// Before the first event is processed, which has that time.
  void begin_epochs(Time origin) { held_.begin(origin); }
  /// No record is still to come.
  void end_input() { held_.end_input(); }
  /// All events were processed.
  void finish_epochs() { held_.finish(); }

  // Each processes node, the head of that queue, at that index.
  template <Parameters::Order order>
  [[gnu::always_inline]] void process_send(ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index,
                                           Messages::Found found);
  template <Parameters::Order order>
  [[gnu::always_inline]] void process_receive(ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index,
                                              Messages::Found found);
  template <Parameters::Order order>
  void process_collective(ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index);

  /// An edge between events of one clock orders nothing: they have their order.
  [[nodiscard]] bool within_a_clock(const Message& message) const noexcept {
    return lanes.clock_of(message.sender) == lanes.clock_of(message.receiver);
  }
  /// Limits of tails whose heads were processed.
  void take_limits();
  /// Bytes of events and edges.
  [[nodiscard]] std::uint64_t memory() const {
    return lanes.pool.memory() + messages.memory() + collectives.memory() + lanes.release.memory() +
           lanes.set_back.memory();
  }

 private:
  template <Parameters::Order order>
  void drain(ClockIndex clock);
  template <Parameters::Order order>
  void process_next(ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index);
  template <Parameters::Order order>
  void process_receive_within(ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index,
                              Messages::Found found);
  void record_message(ClockIndex clock, EventIndex index, const Node& node, Messages::Found found);
  /// If the times of a message may be rounded or cut off: node is its receive, which has been processed with that
  /// offset and limits the send to so many ticks more.
  void judge_as_written(Node& node, const Message& message, double offset, Ticks more);
  void written(ClockIndex clock, EventIndex index, const Node& node, Time time) override;
  [[nodiscard]] bool judges(ClockIndex clock, EventIndex index, const Node& node) const override;

  std::deque<ClockIndex> work_;  // clocks whose head became ready, in the order in which they began to wait
  Held held_;
};

template <Parameters::Order order>
inline void Heads::process_send(ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index,
                                Messages::Found found) {
  const ForwardStep step = lanes.step<order>(clock, queue, node, index, {}, true);
  if (found.message == nullptr) return;
  Message& message = *found.message;
  if (message.abandoned) [[unlikely]] {
    messages.finish(found);
    return;
  }
  message.offset = step.offset;
  message.simple_offset = step.simple_offset;
  message.send_processed = true;
  if (message.receiver_waits) wake(lanes.clock_of(message.receiver));
}

template <Parameters::Order order>
inline void Heads::process_receive(ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index,
                                   Messages::Found found) {
  if (found.message == nullptr) [[unlikely]] {
    lanes.step<order>(clock, queue, node, index, {}, true);
    return;
  }
  if (within_a_clock(*found.message)) [[unlikely]]
    return process_receive_within<order>(clock, queue, node, index, found);
  const Message& message = *found.message;
  const Ticks apart = node.recorded - message.sent;
  const Ticks ticks = add_saturating(message.sent - node.recorded, message.delay);
  const ForwardStep step =
      lanes.step<order>(clock, queue, node, index, {true, ticks, message.offset, ticks, message.simple_offset}, true);
  const Ticks more = subtract_saturating(apart, message.delay);
  if (lanes.rare_times) [[unlikely]]
    record_message(clock, index, node, found);
  else
    lanes.analysis.message(message.pair, message.sender, message.receiver, node.recorded, apart, message.delay);
  // Below D of the send only where D of the receive was cut off: that does not hold the send back.
  lanes.limit(lanes.clock_of(message.sender), message.send, std::max(message.offset, plus_at_most(step.offset, more)));
  node.edge = no_edge;
  if (!is_exact(step.offset, more) || lanes.rare_times) [[unlikely]]
    judge_as_written(node, message, step.offset, more);
  messages.finish(found);
}

}  // namespace clc
