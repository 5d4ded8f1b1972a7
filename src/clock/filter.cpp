#include "clc/filter.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "clc/error.hpp"
#include "clc/stage/amortizer.hpp"
#include "clc/stage/collectives.hpp"
#include "clc/stage/controller.hpp"
#include "clc/stage/delay.hpp"
#include "clc/stage/merge.hpp"
#include "clc/stage/messages.hpp"
#include "clc/stage/process_queue.hpp"

namespace clc {

namespace {

const Parameters& validated(const Parameters& parameters) {
  parameters.validate();
  return parameters;
}

[[noreturn, gnu::cold]] void refuse(Time time, Time newest) {
  throw InputError("event at " + std::to_string(time.ticks()) + " follows an event at " +
                   std::to_string(newest.ticks()) + "; expected events sorted by time");
}

}  // namespace

/// Tells the analysis of events that were carried.
class CarriedAnalysis final : public CarriedEvents {
 public:
  explicit CarriedAnalysis(Analysis& analysis) : analysis_(analysis) {}
  void begin(ProcessIndex process) override {
    process_ = process;
    statistics_ = {};
    movement_ = {};
  }
  void events(std::span<const Corrected> run) override {
    if (!run.empty()) movement_.add(statistics_, run);
  }
  void end() override { analysis_.carried(process_, statistics_, movement_); }

 private:
  Analysis& analysis_;
  ProcessIndex process_ = 0;
  ProcessStatistics statistics_;
  Movement movement_;
};

/// The loop around the stages. What flows back: how far the input is (now_), and limits of tails whose heads
/// were processed.
class Filter::Pipeline {
 public:
  Pipeline(const Parameters& p, const Definitions& definitions, EventSink& sink)
      : definitions_(definitions),
        wait_limit_(definitions.resolution.ticks_of_seconds(validated(p).wait_limit_s)),
        max_memory_(p.max_memory),
        pool_(definitions.processes().size()),
        delays_(p, definitions),
        messages_(delays_, wait_limit_, analysis_),
        collectives_(definitions, delays_, analysis_),
        delta_(p.delta_us ? definitions.resolution.ticks_of_microseconds(*p.delta_us) : -1),
        controller_(p, delta_, analysis_),
        amortizer_(static_cast<double>(definitions.resolution.ticks_of_microseconds(p.clock_difference_us)),
                   p.max_error_percent / 100, p.amortization, analysis_),
        merge_(sink, pool_, delta_ == 0 ? 0 : 1, analysis_) {
    grow(definitions.processes().size());
  }

  void push(std::span<const Event> events, std::span<const Body> bodies) {
    // Peers and members of communicators need not have had an event.
    if (definitions_.processes().size() > queues_.size()) [[unlikely]]
      grow(definitions_.processes().size());
    messages_.follow(definitions_.changes());
    for (std::size_t i = 0; i < events.size();) {
      std::size_t pause = i + std::min<std::uint64_t>(events.size() - i, until_release_);
      until_release_ -= pause - i;
      if (queues_.size() < fetched_ahead) {
        for (; i < pause; ++i) {
          push(events[i], bodies[i]);
          if (bodies[i].size() + opened_ > usual_body) [[unlikely]]
            pause -= pushed_large(bodies[i].size(), pause - (i + 1));
        }
      } else {
        for (; i < pause; ++i) {
          fetch(events.subspan(i));
          push(events[i], bodies[i]);
          if (bodies[i].size() + opened_ > usual_body) [[unlikely]]
            pause -= pushed_large(bodies[i].size(), pause - (i + 1));
        }
      }
      if (until_release_ == 0) release();
    }
  }
  void note(Body line) {
    merge_.note(next_order_, line);
    if (merge_.memory() == 0) return;  // it has left
    static_cast<void>(pushed_large(line.size(), 0));
    if (until_release_ > 0) --until_release_;
    if (until_release_ == 0) release();
  }
  /// Writes what is final.
  void release() { release(false); }
  void finish();
  [[nodiscard]] const Analysis& analysis() const noexcept { return analysis_; }
  [[nodiscard]] CarriedEvents& carried() noexcept { return carried_; }

 private:
  static constexpr std::size_t usual_body = 512;  // bytes
  /// Memory is looked at in releases, so what is large counts for several events: a body, or the collective operation
  /// that its event opened. Returns how many of the `counted` ones that follow it stands for.
  [[gnu::noinline]] std::uint64_t pushed_large(std::uint64_t bytes, std::uint64_t counted) noexcept {
    const std::uint64_t others = (bytes + std::exchange(opened_, 0)) / usual_body;
    until_release_ -= std::min(until_release_, others - std::min(others, counted));
    return std::min(others, counted);
  }

  static constexpr std::size_t fetched_ahead = 1024;  // from that many processes on

  struct State {
    std::uint64_t last_read = 0;     // position of the newest record read, plus one
    std::uint32_t lengthenings = 0;  // of the interval, of which it knows
    bool presumed_ended = false;     // a wait for it ran out, and nothing was read from it since
    EventIndex stuck = no_event;     // oldest tail with a head that was read and is not processed
  };
  /// A receive that was read before its send, or an open collective operation: given up when it waited too long.
  struct Wait {
    Time since;
    std::uint64_t order = 0;  // of the receive, or of the first end of the instance
    std::uint64_t which = 0;  // index of the receive in its process, or serial of the instance
    std::uint32_t where = 0;  // process, or instance
    bool collective = false;
  };

  void grow(std::size_t processes);
  void fetch(std::span<const Event> ahead) const;
  void push(const Event& event, Body body);
  void read_send(const Event& event, ProcessQueue& queue, Node& node, EventIndex index);
  void read_receive(const Event& event, ProcessQueue& queue, Node& node, EventIndex index);
  void read_collective(const Event& event, ProcessQueue& queue, Node& node, EventIndex index);
  void read_collective_end(const Event& event, Node& node, EventIndex index);
  [[nodiscard]] bool ready(const Node& node) const;
  void drain(ProcessIndex process);
  void process_next(ProcessIndex process, ProcessQueue& queue, Node& node, EventIndex index);
  Controller::Step step(ProcessIndex process, ProcessQueue& queue, Node& node, EventIndex index, const Bound& bound,
                        bool communicates);
  void process_send(ProcessIndex process, ProcessQueue& queue, Node& node, EventIndex index, Messages::Found found);
  void process_receive(ProcessIndex process, ProcessQueue& queue, Node& node, EventIndex index, Messages::Found found);
  void process_collective(ProcessIndex process, ProcessQueue& queue, Node& node, EventIndex index);
  void jumped(ProcessIndex process, EventIndex index, const Controller::Step& step);
  void wait_at(const Node& node);
  void work();
  void take_woken();
  void limit(ProcessIndex process, EventIndex index, double limit);
  void take_limits();
  void know_lengthenings(ProcessIndex process);
  void keep_horizon(ProcessIndex process);
  void keep_horizons();
  [[nodiscard]] std::optional<Time> earliest_waiting(ProcessIndex process) const;
  [[nodiscard]] Time horizon(ProcessIndex process, Ticks interval) const;
  void begin_wait(Time since, std::uint64_t order, std::uint64_t which, std::uint32_t where, bool collective) {
    Wait& wait = waits_.emplace_back();  // filled in place: what was just written in parts is slow to copy whole
    wait.since = since;
    wait.order = order;
    wait.which = which;
    wait.where = where;
    wait.collective = collective;
    patience_ = std::min(patience_, since + wait_limit_);
  }
  [[nodiscard]] bool misses_a_record(const Wait& wait) const;
  void end_wait(const Wait& wait);
  void end_waits();
  void end_all_waits();
  void give_up(const Wait& wait);
  void give_up_receive(ProcessIndex process, EventIndex index, std::uint64_t order);
  void presume_ended(ProcessIndex process, std::uint64_t since);
  [[nodiscard]] bool waits_still(const Wait& wait) const;
  void forget_finished_waits();
  void find_stuck();
  /// all: no event is still to come.
  void release(bool all);
  void let_out(Ticks interval, bool all);
  void save_memory();
  void give_up_oldest_wait();
  void tidy_messages(bool hurry) {
    messages_.tidy(now_, hurry,
                   [this](ProcessIndex process, EventIndex index) { return index < queues_[process].begin(); });
  }
  /// Events are held back that would leave if nothing waited.
  [[nodiscard]] bool waits_hold_back() const;
  [[nodiscard]] std::uint64_t events_at_home() const;
  [[nodiscard]] std::uint64_t memory() const {
    return pool_.memory() + messages_.memory() + collectives_.memory() + merge_.memory();
  }

  const Definitions& definitions_;
  Analysis analysis_;
  CarriedAnalysis carried_{analysis_};
  Ticks wait_limit_;
  std::uint64_t max_memory_;
  QueuePool pool_;
  DelayModel delays_;
  Messages messages_;
  Collectives collectives_;
  Ticks delta_;  // negative: automatic
  Controller controller_;
  Amortizer amortizer_;
  Merge merge_;
  LargeVector<ProcessQueue> queues_;
  std::vector<State> states_;
  std::vector<Time> final_before_;
  std::deque<ProcessIndex> work_;   // processes whose head became ready, in the order in which they began to wait
  std::deque<Wait> waits_;          // in input order
  std::deque<Wait> blocked_;        // beyond the wait limit, for records that were read; in input order
  Time patience_ = Time::latest();  // no wait ends before that has passed
  Time now_ = Time::earliest();     // recorded time of the newest record read
  std::uint64_t next_order_ = 0;
  std::uint64_t until_release_ = 1;  // events, large ones count more; never 0
  std::uint64_t opened_ = 0;         // bytes of collective operations, not yet counted for events
  std::uint64_t rounds_ = 0;
  std::uint64_t waiting_ = 0;   // events that wait to be processed, at the last release
  std::size_t waits_kept_ = 0;  // entries of waits_ when it was last cleaned
  std::size_t ended_ = 0;       // processes presumed ended
};

void Filter::Pipeline::grow(std::size_t processes) {
  // As much again: processes may be defined one by one.
  if (processes > queues_.capacity()) queues_.reserve(std::max(processes, 2 * queues_.capacity()));
  while (queues_.size() < processes) queues_.emplace_back(pool_);
  State state;
  state.lengthenings = amortizer_.lengthenings();
  states_.resize(processes, state);
  final_before_.resize(processes);
  messages_.grow(processes);
  controller_.grow(processes);
  amortizer_.grow(processes);
  merge_.grow(processes);
}

// ---- reading ----------------------------------------------------------------------------------

/// What the events from the 5th to the 21st on will touch: with very many processes it is in no cache. Each step uses
/// what the one before asked for, 4 events earlier.
[[gnu::always_inline]] inline void Filter::Pipeline::fetch(std::span<const Event> ahead) const {
  if (ahead.size() <= 20) return;
  const auto is_known = [this](ProcessIndex process) { return process < queues_.size(); };
  const auto is_message = [](const Event& event) { return event.role == Role::send || event.role == Role::receive; };
  const auto receives = [&](const Event& event) { return event.role == Role::receive && is_known(event.peer); };
  if (const Event& event = ahead[20]; is_known(event.process)) {
    clc::fetch(&queues_[event.process]);
    clc::fetch(&states_[event.process]);
    controller_.fetch(event.process);
    if (is_message(event)) messages_.fetch(event);
  }
  if (const Event& event = ahead[16]; is_known(event.process)) {
    queues_[event.process].fetch_end();
    if (is_message(event)) messages_.fetch_channel(event);
  }
  if (const Event& event = ahead[12]; is_message(event)) {
    messages_.fetch_message(event);
    if (receives(event)) clc::fetch(&queues_[event.peer]);
  }
  if (const Event& event = ahead[8]; receives(event))
    if (const Message* message = messages_.fetch_message(event)) queues_[event.peer].fetch_leaf(message->send);
  if (const Event& event = ahead[4]; receives(event))
    if (const Message* message = messages_.fetch_message(event)) queues_[event.peer].fetch_limit(message->send);
}

[[gnu::always_inline]] inline void Filter::Pipeline::push(const Event& event, Body body) {
  if (event.time < now_) [[unlikely]]
    refuse(event.time, now_);
  now_ = event.time;
  if (now_ > patience_) [[unlikely]]
    end_waits();

  know_lengthenings(event.process);
  ProcessQueue& queue = queues_[event.process];
  const EventIndex index = queue.end();
  Node& node = queue.append(event.time, next_order_++, event.role, body);
  State& state = states_[event.process];
  state.last_read = next_order_;
  if (state.presumed_ended) [[unlikely]] {
    state.presumed_ended = false;
    --ended_;
  }
  switch (event.role) {
    case Role::internal:
      if (queue.waiting() == 1) step(event.process, queue, node, index, {}, false);
      break;
    case Role::send:
      read_send(event, queue, node, index);
      break;
    case Role::receive:
      read_receive(event, queue, node, index);
      break;
    case Role::collective_begin:
    case Role::collective_end:
      read_collective(event, queue, node, index);
      break;
  }
  if (!work_.empty()) work();
}

[[gnu::always_inline]] inline void Filter::Pipeline::read_send(const Event& event, ProcessQueue& queue, Node& node,
                                                               EventIndex index) {
  const Messages::Found found = messages_.read_send(event, index);
  node.edge = found.id;
  if (queue.waiting() == 1) process_send(event.process, queue, node, index, found);
}

[[gnu::always_inline]] inline void Filter::Pipeline::read_receive(const Event& event, ProcessQueue& queue, Node& node,
                                                                  EventIndex index) {
  Messages::Found found = messages_.read_receive(event);
  node.edge = found.id;
  if (found.message != nullptr && found.message->send == no_event) {
    if (ended_ > 0 && event.peer != no_process && states_[event.peer].presumed_ended) {
      give_up_receive(event.process, index, node.order());
      found = {};
    } else {
      begin_wait(event.time, node.order(), index, event.process, false);
    }
  }
  if (queue.waiting() != 1) return;
  if (found.message == nullptr || found.message->send_processed)
    process_receive(event.process, queue, node, index, found);
  else
    found.message->receiver_waits = true;
}

[[gnu::noinline]] void Filter::Pipeline::read_collective(const Event& event, ProcessQueue& queue, Node& node,
                                                         EventIndex index) {
  if (event.role == Role::collective_begin)
    node.edge = collectives_.read_begin(event, index);
  else
    read_collective_end(event, node, index);
  if (queue.waiting() == 1) {
    if (ready(node))
      process_collective(event.process, queue, node, index);
    else
      wait_at(node);
  }
  take_woken();
}

void Filter::Pipeline::read_collective_end(const Event& event, Node& node, EventIndex index) {
  const Collectives::ReadEnd end = collectives_.read_end(event, index);
  node.edge = end.call;
  if (end.call == no_call) return;
  if (end.opened) {
    begin_wait(event.time, node.order(), collectives_.serial(end.instance), end.instance, true);
    opened_ += collectives_.memory_of(end.instance);
  }
  const std::size_t missing = collectives_.missing(end.instance);
  if (missing == 0 || missing > ended_) return;
  if (collectives_.all_missing(end.instance, [&](ProcessIndex p) { return states_[p].presumed_ended; }))
    collectives_.give_up(end.instance);
}

// ---- waits ------------------------------------------------------------------------------------

bool Filter::Pipeline::waits_still(const Wait& wait) const {
  return wait.collective ? collectives_.waits(wait.where, wait.which)
                         : wait.which >= queues_[wait.where].processed_end();
}

void Filter::Pipeline::presume_ended(ProcessIndex process, std::uint64_t since) {
  State& state = states_[process];
  if (state.presumed_ended || state.last_read > since) return;
  state.presumed_ended = true;
  ++ended_;
}

void Filter::Pipeline::give_up_receive(ProcessIndex process, EventIndex index, std::uint64_t order) {
  Node& node = queues_[process].raw(index);
  const Message& message = messages_[node.edge];
  const bool waits = message.receiver_waits;
  if (message.send == no_event) {
    analysis_.count(Case::receive_without_send);
    if (message.sender != no_process) presume_ended(message.sender, order);
  } else {
    analysis_.count(Case::wait_in_circle);
  }
  messages_.give_up(node.edge);
  node.edge = no_edge;
  if (waits) work_.push_back(process);
}

void Filter::Pipeline::give_up(const Wait& wait) {
  if (!wait.collective) {
    give_up_receive(wait.where, wait.which, wait.order);
    return;
  }
  [[maybe_unused]] const bool all = collectives_.all_missing(wait.where, [&](ProcessIndex process) {
    presume_ended(process, wait.order);
    return true;
  });
  collectives_.give_up(wait.where);
}

bool Filter::Pipeline::misses_a_record(const Wait& wait) const {
  if (!wait.collective) return messages_[queues_[wait.where].raw(wait.which).edge].send == no_event;
  return collectives_.missing(wait.where) > 0;
}

void Filter::Pipeline::end_wait(const Wait& wait) {
  give_up(wait);
  work();
}

void Filter::Pipeline::end_waits() {
  // What misses a record is released. What waits for a record that was read does so because that record's process
  // waits; that ends within another wait limit, or never: in a circle.
  while (!waits_.empty() && waits_.front().since + wait_limit_ < now_) {
    const Wait wait = waits_.front();
    waits_.pop_front();
    if (!waits_still(wait)) continue;
    const bool misses = misses_a_record(wait);
    if (misses) end_wait(wait);
    if (!misses || (wait.collective && waits_still(wait))) blocked_.push_back(wait);
  }
  while (!blocked_.empty() && blocked_.front().since + wait_limit_ + wait_limit_ < now_) {
    const Wait wait = blocked_.front();
    blocked_.pop_front();
    if (waits_still(wait)) end_wait(wait);
  }
  patience_ = Time::latest();
  if (!waits_.empty()) patience_ = waits_.front().since + wait_limit_;
  if (!blocked_.empty()) patience_ = std::min(patience_, blocked_.front().since + wait_limit_ + wait_limit_);
}

void Filter::Pipeline::end_all_waits() {
  blocked_.insert(blocked_.end(), waits_.begin(), waits_.end());
  waits_.clear();
  for (const bool circles : {false, true}) {
    for (const Wait& wait : blocked_)
      if (waits_still(wait) && (circles || misses_a_record(wait))) end_wait(wait);
  }
  blocked_.clear();
}

void Filter::Pipeline::forget_finished_waits() {
  for (std::deque<Wait>* waits : {&waits_, &blocked_})
    while (!waits->empty() && !waits_still(waits->front())) waits->pop_front();
  if (waits_.size() < 2 * waits_kept_ + 1024) return;
  std::erase_if(waits_, [&](const Wait& wait) { return !waits_still(wait); });
  waits_kept_ = waits_.size();
}

// ---- processing -------------------------------------------------------------------------------

bool Filter::Pipeline::ready(const Node& node) const {
  if (node.edge == no_edge) return true;
  switch (node.role()) {
    case Role::receive:
      return messages_[node.edge].send_processed;
    case Role::collective_end:
      return collectives_.ready(node.edge);
    default:
      return true;
  }
}

/// node: the head of the queue, at that index.
[[gnu::always_inline]] inline Controller::Step Filter::Pipeline::step(ProcessIndex process, ProcessQueue& queue,
                                                                      Node& node, EventIndex index, const Bound& bound,
                                                                      bool communicates) {
  const Controller::Step step = controller_.step(process, node.recorded, bound, communicates);
  node.offset = step.offset;
  queue.head_processed();
  if (step.jump > 0) jumped(process, index, step);
  return step;
}

void Filter::Pipeline::jumped(ProcessIndex process, EventIndex index, const Controller::Step& step) {
  analysis_.jump(step.jump);
  amortizer_.jumped(process, index, step.local, step.jump);
  if (amortizer_.lengthens(step.jump)) amortizer_.lengthen(step.jump, now_);
}

[[gnu::always_inline]] inline void Filter::Pipeline::process_send(ProcessIndex process, ProcessQueue& queue, Node& node,
                                                                  EventIndex index, Messages::Found found) {
  const Controller::Step step = this->step(process, queue, node, index, {}, true);
  if (found.message == nullptr) return;
  Message& message = *found.message;
  if (message.abandoned) [[unlikely]] {
    messages_.finish(found);
    return;
  }
  message.offset = step.offset;
  message.simple_offset = step.simple_offset;
  message.send_processed = true;
  if (message.receiver_waits) work_.push_back(message.receiver);
}

[[gnu::always_inline]] inline void Filter::Pipeline::process_receive(ProcessIndex process, ProcessQueue& queue,
                                                                     Node& node, EventIndex index,
                                                                     Messages::Found found) {
  if (found.message == nullptr) [[unlikely]] {
    step(process, queue, node, index, {}, true);
    return;
  }
  const Message& message = *found.message;
  const Ticks delay = node.recorded - message.sent;
  const Ticks ticks = add_saturating(message.sent - node.recorded, message.delay);
  const Controller::Step step =
      this->step(process, queue, node, index, {true, ticks, message.offset, ticks, message.simple_offset}, true);
  analysis_.message(message.pair, message.sender, process, node.recorded, delay, message.delay);
  // Below D of the send only where D of the receive was cut off: that does not hold the send back.
  limit(message.sender, message.send,
        std::max(message.offset, plus_at_most(step.offset, subtract_saturating(delay, message.delay))));
  messages_.finish(found);
  node.edge = no_edge;
}

void Filter::Pipeline::process_collective(ProcessIndex process, ProcessQueue& queue, Node& node, EventIndex index) {
  const bool edge = node.edge != no_edge;
  Bound bound;
  if (edge && node.role() == Role::collective_end) bound = collectives_.bound(node.edge);
  const Controller::Step step = this->step(process, queue, node, index, bound, true);
  if (!edge) return;
  if (node.role() == Role::collective_begin) {
    collectives_.begin_processed(node.edge, step.offset, step.simple_offset);
  } else {
    collectives_.end_processed(node.edge, step.offset);
    node.edge = no_edge;
    take_limits();
  }
  take_woken();
}

[[gnu::always_inline]] inline void Filter::Pipeline::process_next(ProcessIndex process, ProcessQueue& queue, Node& node,
                                                                  EventIndex index) {
  switch (node.role()) {
    case Role::internal:
      step(process, queue, node, index, {}, false);
      break;
    case Role::send:
      process_send(process, queue, node, index, messages_.at(node.edge));
      break;
    case Role::receive:
      process_receive(process, queue, node, index, messages_.at(node.edge));
      break;
    case Role::collective_begin:
    case Role::collective_end:
      process_collective(process, queue, node, index);
      break;
  }
}

void Filter::Pipeline::drain(ProcessIndex process) {
  ProcessQueue& queue = queues_[process];
  while (queue.waiting() > 0) {
    Node& head = queue.head();
    if (!ready(head)) {
      wait_at(head);
      return;
    }
    know_lengthenings(process);
    process_next(process, queue, head, queue.processed_end());
  }
}

void Filter::Pipeline::wait_at(const Node& node) {
  if (node.role() == Role::receive)
    messages_[node.edge].receiver_waits = true;
  else
    collectives_.wait(node.edge);
}

void Filter::Pipeline::take_woken() {
  if (collectives_.woke()) collectives_.take_woken([&](ProcessIndex process) { work_.push_back(process); });
}

void Filter::Pipeline::work() {
  take_woken();
  while (!work_.empty()) {
    const ProcessIndex process = work_.front();
    work_.pop_front();
    drain(process);
  }
}

void Filter::Pipeline::limit(ProcessIndex process, EventIndex index, double limit) {
  if (index >= queues_[process].begin()) queues_[process].lower_limit(index, limit);
}

void Filter::Pipeline::take_limits() {
  for (const Collectives::Limit& known : collectives_.limits()) limit(known.process, known.index, known.offset);
  collectives_.limits().clear();
}

// ---- what is final ----------------------------------------------------------------------------

std::optional<Time> Filter::Pipeline::earliest_waiting(ProcessIndex process) const {
  const ProcessQueue& queue = queues_[process];
  if (queue.waiting() == 0) return std::nullopt;
  return std::max(controller_.newest(process), queue.head().recorded);
}

Time Filter::Pipeline::horizon(ProcessIndex process, Ticks interval) const {
  // No later jump of this process stands before that, less the interval.
  return earliest_waiting(process).value_or(now_) - interval;
}

/// Before the horizon of a process changes.
[[gnu::always_inline]] inline void Filter::Pipeline::know_lengthenings(ProcessIndex process) {
  if (amortizer_.lengthenings() > 0) [[unlikely]]
    keep_horizon(process);
}

[[gnu::noinline]] void Filter::Pipeline::keep_horizon(ProcessIndex process) {
  std::uint32_t& known = states_[process].lengthenings;
  amortizer_.keep(process, known, earliest_waiting(process));
  known = amortizer_.lengthenings();
}

void Filter::Pipeline::keep_horizons() {
  if (amortizer_.lengthenings() == 0) return;
  for (ProcessIndex process = 0; process < queues_.size(); ++process) {
    keep_horizon(process);
    states_[process].lengthenings = 0;
  }
  amortizer_.forget_lengthenings();
}

void Filter::Pipeline::find_stuck() {
  ++rounds_;
  for (State& state : states_) state.stuck = no_event;
  for (const ProcessQueue& queue : queues_) {
    for (EventIndex i = queue.processed_end(); i < queue.end(); ++i) {
      const Node& node = queue.raw(i);
      if (node.edge == no_edge) continue;
      if (node.role() == Role::receive) {
        const Message& message = messages_[node.edge];
        if (message.send != no_event)
          states_[message.sender].stuck = std::min(states_[message.sender].stuck, message.send);
      } else if (node.role() == Role::collective_end) {
        collectives_.for_each_begin(node.edge, rounds_, [&](ProcessIndex p, EventIndex begin) {
          states_[p].stuck = std::min(states_[p].stuck, begin);
        });
      }
    }
  }
}

void Filter::Pipeline::let_out(Ticks interval, bool all) {
  for (ProcessIndex process = 0; process < queues_.size(); ++process) {
    if (queues_[process].empty()) continue;
    final_before_[process] =
        all ? Time::latest()
            : std::min(horizon(process, interval), amortizer_.reach(process, queues_[process], interval));
  }
  if (all)
    merge_.release(queues_, final_before_, Time::latest(), ~std::uint64_t{0});
  else
    merge_.release(queues_, final_before_, now_, next_order_);
  if (next_order_ == analysis_.events()) static_cast<void>(merge_.let_notes_go());  // nothing stands ahead of them
}

bool Filter::Pipeline::waits_hold_back() const {
  for (ProcessIndex process = 0; process < queues_.size(); ++process) {
    const ProcessQueue& queue = queues_[process];
    if (queue.empty()) continue;
    const EventIndex first = queue.begin();
    const Time earliest =
        first < queue.processed_end() ? queue.raw(first).recorded + whole(queue.offset(first)) : horizon(process, 0);
    if (earliest < now_) return true;
  }
  return false;
}

void Filter::Pipeline::release(bool all) {
  keep_horizons();
  tidy_messages(false);
  forget_finished_waits();
  collectives_.refresh_limits();
  take_limits();
  find_stuck();
  const Ticks delay = std::max({delays_.largest(), messages_.largest_delay(), collectives_.largest_own_delay()});
  const std::optional<Time> now = all ? std::nullopt : std::optional(now_);
  std::uint64_t buffered = 0;
  waiting_ = 0;
  for (ProcessIndex process = 0; process < queues_.size(); ++process) {
    ProcessQueue& queue = queues_[process];
    waiting_ += queue.waiting();
    buffered += queue.end() - queue.begin();
    if (!queue.empty()) amortizer_.amortize(process, queue, now, delay, states_[process].stuck);
  }
  analysis_.buffered(buffered, memory());
  let_out(amortizer_.interval(), all);
  if (memory() > max_memory_ && !all) save_memory();
  // Often enough to keep little, seldom enough that looking at every process, every waiting event and every member of
  // an open collective operation is cheap.
  const std::uint64_t looked_at = collectives_.take_looked_at();
  const std::uint64_t room = (max_memory_ - std::min(max_memory_, memory())) / usual_body;
  until_release_ = std::max<std::uint64_t>(
      {2048, 2 * queues_.size(), waiting_ / 8, std::min(looked_at / 16, std::max(looked_at / 64, room))});
}

void Filter::Pipeline::save_memory() {
  // First shorter intervals: what leaves early is not moved by jumps that are still to come.
  for (Ticks interval = amortizer_.interval() / 2; memory() > max_memory_; interval /= 2) {
    const std::uint64_t before = events_at_home();
    let_out(interval, false);
    for (ProcessIndex process = 0; process < queues_.size(); ++process)
      amortizer_.keep(process, final_before_[process]);
    analysis_.count(Case::final_early, before - events_at_home());
    if (interval == 0) break;
  }
  tidy_messages(true);
  // Then waits: the oldest holds back what all others could write. What is ahead of the input stays in any case. With
  // many processes several at once, because each is looked at then.
  while (memory() > max_memory_ && !(waits_.empty() && blocked_.empty()) && waits_hold_back()) {
    for (std::size_t i = 0; i <= queues_.size() / 64; ++i) give_up_oldest_wait();
    collectives_.refresh_limits();
    take_limits();
    let_out(0, false);
  }
  if (memory() > max_memory_) analysis_.count(Case::note_early, merge_.let_notes_go());
  if (memory() > max_memory_) analysis_.count(Case::memory_exceeded);
}

void Filter::Pipeline::give_up_oldest_wait() {
  for (;;) {
    std::deque<Wait>& waits = blocked_.empty() ? waits_ : blocked_;
    if (waits.empty()) return;
    const Wait wait = waits.front();
    waits.pop_front();
    if (!waits_still(wait)) continue;
    analysis_.count(Case::wait_given_up);
    end_wait(wait);
    if (wait.collective && waits_still(wait)) end_wait(wait);  // for members that wait themselves
    return;
  }
}

std::uint64_t Filter::Pipeline::events_at_home() const {
  std::uint64_t events = 0;
  for (const ProcessQueue& queue : queues_) events += queue.end() - queue.begin();
  return events;
}

void Filter::Pipeline::finish() {
  end_all_waits();
  messages_.close();
  collectives_.close();
  release(true);
  merge_.finish();
}

// ---- the public face --------------------------------------------------------------------------

Filter::Filter(const Parameters& parameters, const Definitions& definitions, EventSink& sink)
    : pipeline_(std::make_unique<Pipeline>(parameters, definitions, sink)) {}

Filter::~Filter() = default;

void Filter::push(const Event& event, Body body) { pipeline_->push({&event, 1}, {&body, 1}); }

void Filter::push(std::span<const Event> events, std::span<const Body> bodies) { pipeline_->push(events, bodies); }

void Filter::note(Body line) { pipeline_->note(line); }

void Filter::flush() { pipeline_->release(); }

void Filter::finish() { pipeline_->finish(); }

CarriedEvents& Filter::carried() noexcept { return pipeline_->carried(); }

const Analysis& Filter::analysis() const noexcept { return pipeline_->analysis(); }

}  // namespace clc
