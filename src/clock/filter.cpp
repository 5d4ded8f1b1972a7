#include "clc/filter.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "clc/error.hpp"
#include "clc/event.hpp"
#include "clock/collectives.hpp"
#include "clock/controller.hpp"
#include "clock/distances.hpp"
#include "clock/doubts.hpp"
#include "clock/messages.hpp"
#include "clock/process_queue.hpp"
#include "clock/release.hpp"
#include "clock/set_back.hpp"
#include "clock/waits.hpp"
#include "trace/delay.hpp"
#include "trace/time_order.hpp"

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

/// The loop around the stages. What flows back: how far the input is (input_.now), and limits of tails whose heads
/// were processed. Queues and all that is corrected belong to clocks, edges to processes. A clock has the index of the
/// first of its processes, so what belongs to clocks is as long as what belongs to processes.
class Filter::Pipeline final : private WriteObserver, private WaitObserver {
 public:
  Pipeline(const Parameters& p, const Definitions& definitions, EventSink& sink)
      : definitions_(definitions),
        wait_limit_(definitions.resolution.ticks_of_seconds(validated(p).wait_limit_s)),
        memory_limit_(p.max_memory),
        max_memory_(p.max_memory),
        pool_(definitions.processes().size()),
        delays_(p, definitions),
        messages_(delays_, wait_limit_, p.match, set_back_, analysis_),
        collectives_(definitions, delays_, analysis_),
        distances_(p, definitions),
        controller_(p, distances_, set_back_, analysis_),
        release_({pool_, queues_, controller_, input_, set_back_}, p,
                 static_cast<double>(definitions.resolution.ticks_of_microseconds(p.clock_difference_us)), distances_,
                 sink, *this, analysis_),
        doubts_(messages_, wait_limit_),
        waits_(wait_limit_, *this) {
    analysis_.uncounted = p.uncounted_body;
    analysis_.wanted_gradient = p.max_error_percent / 100;
    grow(definitions.processes().size());
  }

  void push(std::span<const Event> events, std::span<const Body> bodies) {
    // Peers and members of communicators need not have had an event.
    if (definitions_.processes().size() > queues_.size()) [[unlikely]]
      grow(definitions_.processes().size());
    messages_.follow(definitions_.changes());
    while (!events.empty() && events.front().time < input_.now && input_.now == proved_) [[unlikely]] {
        push_late(events.front(), bodies.front());
        events = events.subspan(1);
        bodies = bodies.subspan(1);
      }
    push_sorted(events, bodies);
  }
  void push_sorted(std::span<const Event> events, std::span<const Body> bodies) {
    if (in_doubt()) [[unlikely]] {
      hold(events, bodies);
      decide(false);
      return;
    }
    push_all(events, bodies);
    note_reached(events);
  }
  void push_all(std::span<const Event> events, std::span<const Body> bodies) {
    for (std::size_t i = 0; i < events.size();) {
      std::size_t pause = i + std::min<std::uint64_t>(events.size() - i, until_release_);
      until_release_ -= pause - i;
      if (queues_.size() < fetched_ahead) {
        for (; i < pause; ++i) {
          if (events[i].time < input_.now) [[unlikely]]
            push_set_back(events, i, bodies[i]);
          else
            push(events[i], bodies[i]);
          if (in_doubt()) [[unlikely]]
            return hold_from(events, bodies, i, pause);
          if (bodies[i].size() + opened_ > usual_body) [[unlikely]]
            pause -= pushed_large(bodies[i].size(), pause - (i + 1));
        }
      } else {
        for (; i < pause; ++i) {
          fetch(events.subspan(i));
          if (events[i].time < input_.now) [[unlikely]]
            push_set_back(events, i, bodies[i]);
          else
            push(events[i], bodies[i]);
          if (in_doubt()) [[unlikely]]
            return hold_from(events, bodies, i, pause);
          if (bodies[i].size() + opened_ > usual_body) [[unlikely]]
            pause -= pushed_large(bodies[i].size(), pause - (i + 1));
        }
      }
      if (until_release_ == 0) release();
    }
  }
  void note(Body line) {
    if (in_doubt()) [[unlikely]]
      doubts_.hold_note(doubts_.newest(input_.now), line);
    else
      take_note(line);
  }
  void take_note(Body line) {
    if (!release_.note(line)) return;  // it has left
    static_cast<void>(pushed_large(line.size(), 0));
    if (until_release_ > 0) --until_release_;
    if (until_release_ == 0) release();
  }
  /// Writes what is final, as when there are enough records.
  void release() {
    release(false);
    plan_release();
  }
  /// The same while the input pauses; it changes neither when this is done for records nor what is given up for memory,
  /// so that the result does not depend on pauses.
  void release_in_pause() {
    const std::uint64_t looked_at = collectives_.take_looked_at();
    release(false);
    collectives_.put_back_looked_at(looked_at);
  }
  /// See Filter::advance.
  bool advance(Time bound);
  void finish();
  [[nodiscard]] const Analysis& analysis() const noexcept { return analysis_; }
  [[nodiscard]] std::uint64_t definition_memory() const noexcept {
    constexpr std::uint64_t of_process = 280;  // in the tables of all stages, as measured
    return definitions_.memory() + queues_.size() * of_process + collectives_.memory_of_communicators();
  }

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

  // ---- lost records, see losses.hpp ----
  static constexpr std::size_t least_held = 16384;  // records
  static constexpr std::size_t held_each = 64;      // for each process
  static constexpr std::uint64_t free_looks = std::uint64_t{1} << 20;
  static constexpr std::uint64_t looks_each = 16;  // for each record of the input
  /// The match of the event read last is in doubt; what follows is held until that is decided.
  [[nodiscard]] bool in_doubt() const noexcept { return messages_.doubt() != Doubt::none; }
  void hold(std::span<const Event> events, std::span<const Body> bodies);
  void hold_from(std::span<const Event> events, std::span<const Body> bodies, std::size_t i, std::size_t pause);
  void begin_doubt(const Event& event, EventIndex index);
  /// all: no more input comes.
  void decide(bool all);
  void settle(Doubts::Verdict verdict);
  void count_lost(const Event& event, Time time, bool lost_send);
  void take_out_receive(const Event& send);
  void take_out_send(const Event& receive);
  void release_after(std::size_t body);

  struct State {
    // Of a process.
    std::uint64_t last_read = 0;  // position of the newest record read, plus one
    Time first;                   // its first record
    bool presumed_ended = false;  // a wait for it ran out, and nothing was read from it since
    bool has_sent = false;        // and nothing was received since
    Time sent;                    // its last send, or begin of a collective operation
    // Of a clock.
    EventIndex stuck = no_event;  // oldest tail with a head that was read and is not processed
  };
  void grow(std::size_t processes);
  void fetch(std::span<const Event> ahead) const;
  void push(const Event& event, Body body);
  void note_receive(const Event& event, State& state) noexcept {
    analysis_.receive_read();
    if (state.has_sent) analysis_.receive_after_send(event.time - state.sent);
    state.has_sent = false;
  }
  void push_late(Event event, Body body);
  void push_set_back(std::span<const Event> events, std::size_t i, Body body);
  void push_set_back(const Event& event, Body body, Time recorded);
  [[nodiscard]] Time maximum_of(std::span<const Event> events, std::size_t i);
  void note_reached(std::span<const Event> events) {
    reached_.note(events, doubts_.newest(input_.now), [this](ProcessIndex process) { return clock_of(process); });
  }
  [[nodiscard]] ClockIndex clock_of(ProcessIndex process) const noexcept {
    if (!shared_) [[likely]]
      return process;
    return clocks_[process];
  }
  /// An edge between events of one clock orders nothing: they have their order.
  [[nodiscard]] bool within_a_clock(const Message& message) const noexcept {
    return clock_of(message.sender) == clock_of(message.receiver);
  }
  void read_send(const Event& event, ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index);
  void let_receive_go(Message& message);
  void read_receive(const Event& event, ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index);
  void read_collective(const Event& event, ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index);
  void read_collective_end(const Event& event, Node& node, EventIndex index);
  [[nodiscard]] bool ready(const Node& node) const;
  void drain(ClockIndex clock);
  void process_next(ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index);
  Controller::Step step(ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index, const Bound& bound,
                        bool communicates);
  void process_send(ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index, Messages::Found found);
  void process_receive(ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index, Messages::Found found);
  void process_receive_within(ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index,
                              Messages::Found found);
  void record_message(ClockIndex clock, EventIndex index, const Node& node, Messages::Found found);
  void process_collective(ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index);
  void jumped(ClockIndex clock, EventIndex index, const Controller::Step& step);
  void wait_at(const Node& node);
  void work();
  void take_woken();
  void limit(ClockIndex clock, EventIndex index, double limit);
  void take_limits();
  [[nodiscard]] bool waits_still(const Wait& wait) const override;
  [[nodiscard]] bool misses_a_record(const Wait& wait) const override;
  void end_wait(const Wait& wait) override;
  void give_up(const Wait& wait);
  void give_up_receive(ClockIndex clock, EventIndex index, std::uint64_t order);
  void presume_ended(ProcessIndex process, std::uint64_t since);
  void revive(ProcessIndex process);
  [[nodiscard]] auto ended() const noexcept {
    return [this](ProcessIndex process) { return states_[process].presumed_ended; };
  }
  [[nodiscard]] auto last_read() const noexcept {
    return [this](ProcessIndex process) { return states_[process].last_read; };
  }
  void be_stuck(ProcessIndex process, EventIndex tail);
  void find_stuck();
  void written(ClockIndex clock, EventIndex index, const Node& node, Time time) override;
  /// all: no event is still to come.
  void release(bool all);
  void plan_release();
  void save_memory();
  void give_up_oldest_wait();
  void tidy_messages(bool hurry) {
    messages_.tidy(input_.now, hurry, [this](ProcessIndex process, EventIndex index) {
      return index < queues_[clock_of(process)].begin();
    });
  }
  [[nodiscard]] std::uint64_t events_at_home() const;
  [[nodiscard]] std::uint64_t memory() const {
    return pool_.memory() + messages_.memory() + collectives_.memory() + release_.memory() + set_back_.memory();
  }

  const Definitions& definitions_;
  Recorder analysis_;
  Ticks wait_limit_;
  std::uint64_t memory_limit_;  // of definitions and events
  std::uint64_t max_memory_;    // of events: what definitions leave, at least Parameters::least_memory
  Reached reached_;
  InputPosition input_;
  Time proved_ = Time::earliest();  // input_.now, where no record reached it
  SetBack set_back_;
  QueuePool pool_;
  LargeVector<ProcessQueue> queues_;  // by clock
  DelayModel delays_;
  Messages messages_;
  Collectives collectives_;
  Distances distances_;
  Controller controller_;
  Release release_;
  bool shared_ = false;             // some processes share a clock
  std::vector<ClockIndex> clocks_;  // by process
  std::vector<State> states_;
  Doubts doubts_;
  std::size_t doubtful_body_ = 0;  // bytes of the event in doubt
  Waits waits_;
  std::deque<ClockIndex> work_;      // clocks whose head became ready, in the order in which they began to wait
  std::uint64_t until_release_ = 1;  // events, large ones count more; never 0
  std::uint64_t opened_ = 0;         // bytes of collective operations, not yet counted for events
  std::uint64_t rounds_ = 0;
  std::uint64_t waiting_ = 0;  // events that wait to be processed, at the last release
  std::size_t ended_ = 0;      // processes presumed ended
  Revived revived_;
};

void Filter::Pipeline::grow(std::size_t processes) {
  // As much again: processes may be defined one by one.
  if (processes > queues_.capacity()) queues_.reserve(std::max(processes, 2 * queues_.capacity()));
  while (queues_.size() < processes) queues_.emplace_back(pool_);
  while (clocks_.size() < processes) clocks_.push_back(definitions_.processes()[clocks_.size()].clock);
  shared_ = definitions_.shares_clocks();
  states_.resize(processes);
  messages_.grow(processes);
  distances_.grow(processes);
  controller_.grow(processes);
  release_.grow(processes);
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
    clc::fetch(&queues_[clock_of(event.process)]);
    clc::fetch(&states_[event.process]);
    controller_.fetch(clock_of(event.process));
    if (is_message(event)) messages_.fetch(event);
  }
  if (const Event& event = ahead[16]; is_known(event.process)) {
    queues_[clock_of(event.process)].fetch_end();
    if (is_message(event)) messages_.fetch_channel(event);
  }
  if (const Event& event = ahead[12]; is_message(event)) {
    messages_.fetch_message(event);
    if (receives(event)) clc::fetch(&queues_[clock_of(event.peer)]);
  }
  if (const Event& event = ahead[8]; receives(event))
    if (const Message* message = messages_.fetch_message(event))
      queues_[clock_of(event.peer)].fetch_leaf(message->send);
  if (const Event& event = ahead[4]; receives(event))
    if (const Message* message = messages_.fetch_message(event))
      queues_[clock_of(event.peer)].fetch_limit(message->send);
}

[[gnu::always_inline]] inline void Filter::Pipeline::push(const Event& event, Body body) {
  input_.now = event.time;
  if (waits_.is_one_over(input_.now)) [[unlikely]]
    waits_.end_overdue(input_.now);

  const ClockIndex clock = clock_of(event.process);
  ProcessQueue& queue = queues_[clock];
  release_.before_change(clock);
  const EventIndex index = queue.end();
  Node& node = clock == event.process ? queue.append(event.time, input_.order++, event.role, body)
                                      : queue.append_of(event.process, event.time, input_.order++, event.role, body);
  State& state = states_[event.process];
  if (state.last_read == 0) [[unlikely]] {
    state.first = event.time;
    analysis_.start(event.time);
  }
  state.last_read = input_.order;
  if (state.presumed_ended) [[unlikely]]
    revive(event.process);
  switch (event.role) {
    case Role::internal:
      if (queue.waiting() == 1) step(clock, queue, node, index, {}, false);
      break;
    case Role::send:
      state.sent = event.time;
      state.has_sent = true;
      read_send(event, clock, queue, node, index);
      break;
    case Role::receive:
      note_receive(event, state);
      read_receive(event, clock, queue, node, index);
      break;
    case Role::collective_begin:
    case Role::collective_end:
      read_collective(event, clock, queue, node, index);
      break;
  }
  if (!work_.empty()) work();
}

/// A record from before the time that was proved.
[[gnu::noinline]] void Filter::Pipeline::push_late(Event event, Body body) {
  event.time = proved_;
  analysis_.count(Case::late_record);
  push_sorted({&event, 1}, {&body, 1});
}

/// C^ of events[i], whose time is below that of the newest record.
[[gnu::noinline]] Time Filter::Pipeline::maximum_of(std::span<const Event> events, std::size_t i) {
  const Time newest = doubts_.newest(input_.now);
  note_reached(events.first(i));
  if (!reached_.by(clock_of(events[i].process), newest)) refuse(events[i].time, newest);
  return newest;
}

[[gnu::noinline]] void Filter::Pipeline::push_set_back(std::span<const Event> events, std::size_t i, Body body) {
  Event event = events[i];
  event.time = maximum_of(events, i);
  push_set_back(event, body, events[i].time);
}

/// event: with C^ as its time.
[[gnu::noinline]] void Filter::Pipeline::push_set_back(const Event& event, Body body, Time recorded) {
  const ClockIndex clock = clock_of(event.process);
  const Time before = set_back_.read(clock, queues_[clock].end(), recorded, event.time);
  if (recorded < before) analysis_.step_back({event.process, before, recorded});
  controller_.set_back(clock);
  push(event, body);
  set_back_.reading({});
}

[[gnu::always_inline]] inline void Filter::Pipeline::read_send(const Event& event, ClockIndex clock,
                                                               ProcessQueue& queue, Node& node, EventIndex index) {
  Messages::Found found = messages_.read_send(event, index);
  if (found.message != nullptr && found.message->receive_read && found.message->receiver != no_process &&
      within_a_clock(*found.message)) [[unlikely]] {
    let_receive_go(*found.message);
    found = {};
  }
  node.edge = found.id;
  if (found.message == nullptr) [[unlikely]] {
    if (in_doubt()) return begin_doubt(event, index);
    if (found.id != no_message) node.release(released::send, found.id);
  }
  if (queue.waiting() == 1) process_send(clock, queue, node, index, found);
}

/// A receive that was read ahead of its send on one clock waits no longer.
[[gnu::noinline]] void Filter::Pipeline::let_receive_go(Message& message) {
  message.offset = 0;
  message.simple_offset = 0;
  message.send_processed = true;
  if (message.receiver_waits) work_.push_back(clock_of(message.receiver));
}

[[gnu::always_inline]] inline void Filter::Pipeline::read_receive(const Event& event, ClockIndex clock,
                                                                  ProcessQueue& queue, Node& node, EventIndex index) {
  Messages::Found found = messages_.read_receive(event);
  node.edge = found.id;
  if (found.message == nullptr && in_doubt()) [[unlikely]]
    return begin_doubt(event, index);
  if (found.message != nullptr && found.message->send == no_event) {
    if (ended_ > 0 && event.peer != no_process && states_[event.peer].presumed_ended) {
      give_up_receive(clock, index, node.order());
      found = {};
    } else {
      waits_.begin(event.time, node.order(), index, clock, false);
    }
  }
  if (queue.waiting() != 1) return;
  if (found.message == nullptr || found.message->send_processed)
    process_receive(clock, queue, node, index, found);
  else
    found.message->receiver_waits = true;
}

[[gnu::noinline]] void Filter::Pipeline::read_collective(const Event& event, ClockIndex clock, ProcessQueue& queue,
                                                         Node& node, EventIndex index) {
  State& state = states_[event.process];
  if (event.role == Role::collective_begin) {
    state.sent = event.time;
    state.has_sent = true;
    node.edge = collectives_.read_begin(event, index, set_back_.recorded(event.time));
  } else {
    note_receive(event, state);
    read_collective_end(event, node, index);
  }
  if (queue.waiting() == 1) {
    if (ready(node))
      process_collective(clock, queue, node, index);
    else
      wait_at(node);
  }
  take_woken();
}

void Filter::Pipeline::read_collective_end(const Event& event, Node& node, EventIndex index) {
  const Collectives::ReadEnd end = collectives_.read_end(event, index, set_back_.recorded(event.time));
  node.edge = end.call;
  if (end.call == no_call) return;
  if (end.late) {
    node.release(released::collective_end, end.call);
    return;
  }
  if (end.opened) waits_.begin(event.time, node.order(), collectives_.serial(end.instance), end.instance, true);
  opened_ += end.memory;
  const std::size_t missing = collectives_.missing(end.instance);
  if (missing == 0 || missing > ended_) return;
  if (collectives_.all_missing_ended(end.instance, revived_, ended(), last_read())) collectives_.give_up(end.instance);
}

// ---- waits ------------------------------------------------------------------------------------

bool Filter::Pipeline::waits_still(const Wait& wait) const {
  if (wait.collective) return collectives_.waits(wait.where, wait.which);
  const ProcessQueue& queue = queues_[wait.where];
  if (wait.which < queue.processed_end()) return false;
  const Node& node = queue.raw(wait.which);
  return node.role() == Role::receive && node.edge != no_edge && !messages_[node.edge].send_processed;
}

void Filter::Pipeline::presume_ended(ProcessIndex process, std::uint64_t since) {
  State& state = states_[process];
  if (state.presumed_ended || state.last_read > since) return;
  state.presumed_ended = true;
  ++ended_;
}

[[gnu::noinline]] void Filter::Pipeline::revive(ProcessIndex process) {
  states_[process].presumed_ended = false;
  --ended_;
  if (revived_.processes.size() > states_.size() + 1024) {
    revived_.processes.clear();
    ++revived_.round;
  }
  revived_.processes.push_back(process);
}

void Filter::Pipeline::give_up_receive(ClockIndex clock, EventIndex index, std::uint64_t order) {
  Node& node = queues_[clock].raw(index);
  const Message& message = messages_[node.edge];
  const bool waits = message.receiver_waits;
  const Time received = set_back_.recorded(clock, index, node.recorded);
  if (message.send == no_event) {
    analysis_.count(Case::receive_without_send);
    if (message.sender != no_process) {
      analysis_.lost({message.sender, message.receiver, message.communicator, message.tag, received, true});
      presume_ended(message.sender, order);
    }
  } else {
    analysis_.count(Case::wait_in_circle);
  }
  const ProcessIndex sender = message.sender;
  const EventIndex send = message.send;
  const GivenUp::Id number = messages_.give_up(node.edge, received);
  node.release(released::receive, number);
  if (send != no_event) queues_[clock_of(sender)].raw(send).release(released::send, number);
  if (waits) work_.push_back(clock);
}

void Filter::Pipeline::give_up(const Wait& wait) {
  if (!wait.collective) {
    give_up_receive(wait.where, wait.which, wait.order);
    return;
  }
  if (collectives_.missing(wait.where) > 0)
    collectives_.end_missing(wait.where, wait.order, revived_, ended(), last_read(),
                             [&](ProcessIndex process) { presume_ended(process, wait.order); });
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

// ---- lost records -----------------------------------------------------------------------------

void Filter::Pipeline::hold(std::span<const Event> events, std::span<const Body> bodies) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].time >= doubts_.newest(input_.now)) {
      doubts_.hold(events[i], bodies[i]);
    } else {
      Event event = events[i];
      event.time = maximum_of(events, i);
      doubts_.hold(event, bodies[i], events[i].time);
    }
  }
  note_reached(events);
}

/// Holds what comes after events[i], which is in doubt; they were counted up to `pause`.
[[gnu::noinline]] void Filter::Pipeline::hold_from(std::span<const Event> events, std::span<const Body> bodies,
                                                   std::size_t i, std::size_t pause) {
  until_release_ += pause - (i + 1);
  doubtful_body_ = bodies[i].size();
  note_reached(events.first(i + 1));
  hold(events.subspan(i + 1), bodies.subspan(i + 1));
  decide(false);
}

[[gnu::noinline]] void Filter::Pipeline::begin_doubt(const Event& event, EventIndex index) {
  if (shared_)
    doubts_.dismiss(event, index);
  else
    doubts_.begin(event, index, messages_.doubt(), states_[event.process].first);
}

/// Goes on with the input that is held, as far as doubts in it can be decided.
void Filter::Pipeline::decide(bool all) {
  for (;;) {
    if (in_doubt()) {
      const Doubts::Room room{std::max(least_held, held_each * queues_.size()), max_memory_ / 16,
                              free_looks + looks_each * input_.order};
      const Doubts::Verdict verdict = doubts_.verdict(room, all);
      if (verdict == Doubts::Verdict::open) return;
      settle(verdict);
      continue;
    }
    if (doubts_.empty()) return;
    const Doubts::Record next = doubts_.take();
    if (next.is_note) {
      take_note(next.body);
      continue;
    }
    --until_release_;
    if (next.recorded)
      push_set_back(next.event, next.body, *next.recorded);
    else
      push(next.event, next.body);
    doubtful_body_ = next.body.size();
    if (!in_doubt()) release_after(next.body.size());
  }
}

/// Reads the event that was in doubt.
void Filter::Pipeline::settle(Doubts::Verdict verdict) {
  const bool keep = verdict == Doubts::Verdict::keep;
  const Event event = doubts_.event();
  const EventIndex index = doubts_.index();
  const ClockIndex clock = clock_of(event.process);
  ProcessQueue& queue = queues_[clock];
  Node& node = queue.raw(index);
  messages_.decide(keep);
  const bool is_send = event.role == Role::send;
  const Time recorded = set_back_.recorded(clock, index, event.time);
  if (recorded != event.time) set_back_.reading(recorded);
  if (!keep && doubts_.sends_are_lone() == is_send) {
    count_lost(event, recorded, !is_send);
    if (is_send) messages_.send_taken_out(event, true);
    if (queue.waiting() == 1) step(clock, queue, node, index, {}, true);
  } else {
    for (std::size_t lone = keep ? 0 : doubts_.lone(); lone > 0; --lone) {
      const ChannelState channel = messages_.channel_of(event);
      if (channel.oldest == no_message || channel.receives != is_send) break;
      if (is_send)
        take_out_receive(event);
      else
        take_out_send(event);
    }
    if (is_send)
      read_send(event, clock, queue, node, index);
    else
      read_receive(event, clock, queue, node, index);
  }
  set_back_.reading({});
  if (in_doubt()) return;
  if (!work_.empty()) work();
  release_after(doubtful_body_);
}

/// An end of the event's channel has lost its other end; lost_send: that one is a send.
void Filter::Pipeline::count_lost(const Event& event, Time time, bool lost_send) {
  analysis_.lost({sender_of(event), receiver_of(event), event.communicator, event.tag, time, lost_send});
  analysis_.count(lost_send ? Case::receive_without_send : Case::send_without_receive);
}

/// The oldest receive that waits for a send of that channel has lost its own.
void Filter::Pipeline::take_out_receive(const Event& send) {
  const MessageId id = messages_.channel_of(send).oldest;
  const ClockIndex clock = clock_of(send.peer);
  ProcessQueue& queue = queues_[clock];
  EventIndex index = queue.processed_end();
  while (queue.raw(index).edge != id || queue.raw(index).role() != Role::receive) ++index;
  queue.raw(index).edge = no_edge;
  const Message message = messages_.take_out_oldest(send);
  count_lost(send, set_back_.recorded(clock, index, message.sent), true);
  if (message.receiver_waits) work_.push_back(clock);
}

/// The oldest send that waits for a receive of that channel has lost its own.
void Filter::Pipeline::take_out_send(const Event& receive) {
  const MessageId id = messages_.channel_of(receive).oldest;
  const Message message = messages_.take_out_oldest(receive);
  messages_.send_taken_out(receive, false);
  ProcessQueue& queue = queues_[clock_of(receive.peer)];
  if (message.send >= queue.begin()) queue.raw(message.send).edge = no_edge;
  count_lost(receive, set_back_.sent(id, message.sent), false);
}

void Filter::Pipeline::release_after(std::size_t body) {
  if (body + opened_ > usual_body) static_cast<void>(pushed_large(body, 0));
  if (until_release_ == 0) release();
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
[[gnu::always_inline]] inline Controller::Step Filter::Pipeline::step(ClockIndex clock, ProcessQueue& queue, Node& node,
                                                                      EventIndex index, const Bound& bound,
                                                                      bool communicates) {
  const Controller::Step step = controller_.step(clock, index, node.recorded, bound, communicates);
  node.offset = step.offset;
  queue.head_processed();
  if (step.jump > 0) jumped(clock, index, step);
  return step;
}

void Filter::Pipeline::jumped(ClockIndex clock, EventIndex index, const Controller::Step& step) {
  analysis_.jump(clock, index, step.jump);
  release_.jumped(clock, index, step);
}

[[gnu::always_inline]] inline void Filter::Pipeline::process_send(ClockIndex clock, ProcessQueue& queue, Node& node,
                                                                  EventIndex index, Messages::Found found) {
  const Controller::Step step = this->step(clock, queue, node, index, {}, true);
  if (found.message == nullptr) return;
  Message& message = *found.message;
  if (message.abandoned) [[unlikely]] {
    messages_.finish(found);
    return;
  }
  message.offset = step.offset;
  message.simple_offset = step.simple_offset;
  message.send_processed = true;
  if (message.receiver_waits) work_.push_back(clock_of(message.receiver));
}

[[gnu::always_inline]] inline void Filter::Pipeline::process_receive(ClockIndex clock, ProcessQueue& queue, Node& node,
                                                                     EventIndex index, Messages::Found found) {
  if (found.message == nullptr) [[unlikely]] {
    step(clock, queue, node, index, {}, true);
    return;
  }
  if (within_a_clock(*found.message)) [[unlikely]]
    return process_receive_within(clock, queue, node, index, found);
  const Message& message = *found.message;
  const Ticks apart = node.recorded - message.sent;
  const Ticks ticks = add_saturating(message.sent - node.recorded, message.delay);
  const Controller::Step step =
      this->step(clock, queue, node, index, {true, ticks, message.offset, ticks, message.simple_offset}, true);
  if (set_back_.any()) [[unlikely]]
    record_message(clock, index, node, found);
  else
    analysis_.message(message.pair, message.sender, message.receiver, node.recorded, apart, message.delay);
  // Below D of the send only where D of the receive was cut off: that does not hold the send back.
  limit(clock_of(message.sender), message.send,
        std::max(message.offset, plus_at_most(step.offset, subtract_saturating(apart, message.delay))));
  messages_.finish(found);
  node.edge = no_edge;
}

/// The same where a clock was set back.
[[gnu::noinline]] void Filter::Pipeline::record_message(ClockIndex clock, EventIndex index, const Node& node,
                                                        Messages::Found found) {
  const Message& message = *found.message;
  const Time received = set_back_.recorded(clock, index, node.recorded);
  const Ticks delay = received - set_back_.sent(found.id, message.sent);
  analysis_.message(message.pair, message.sender, message.receiver, received, delay, message.delay);
}

/// A message from a clock to itself.
[[gnu::noinline]] void Filter::Pipeline::process_receive_within(ClockIndex clock, ProcessQueue& queue, Node& node,
                                                                EventIndex index, Messages::Found found) {
  step(clock, queue, node, index, {}, true);
  const Message& message = *found.message;
  if (message.sender == message.receiver) {
    analysis_.count(Case::self_message);
  } else {
    analysis_.message_within_clock();
    if (set_back_.recorded(clock, index, node.recorded) < set_back_.sent(found.id, message.sent))
      analysis_.count(Case::clock_disagrees);
  }
  messages_.finish(found);
  node.edge = no_edge;
}

void Filter::Pipeline::process_collective(ClockIndex clock, ProcessQueue& queue, Node& node, EventIndex index) {
  const bool edge = node.edge != no_edge && node.role() != released::collective_end;
  Bound bound;
  if (edge && node.role() == Role::collective_end) bound = collectives_.bound(node.edge);
  const Controller::Step step = this->step(clock, queue, node, index, bound, true);
  if (!edge) return;
  if (node.role() == Role::collective_begin) {
    collectives_.begin_processed(node.edge, step.offset, step.simple_offset);
  } else {
    collectives_.end_processed(node.edge, step.offset);
    take_limits();
  }
  take_woken();
}

[[gnu::always_inline]] inline void Filter::Pipeline::process_next(ClockIndex clock, ProcessQueue& queue, Node& node,
                                                                  EventIndex index) {
  switch (node.role()) {
    case Role::internal:
      step(clock, queue, node, index, {}, false);
      break;
    case Role::send:
      process_send(clock, queue, node, index, messages_.at(node.edge));
      break;
    case Role::receive:
      process_receive(clock, queue, node, index, messages_.at(node.edge));
      break;
    case Role::collective_begin:
    case Role::collective_end:
      process_collective(clock, queue, node, index);
      break;
    default:  // its edge was given up
      step(clock, queue, node, index, {}, true);
  }
}

void Filter::Pipeline::drain(ClockIndex clock) {
  ProcessQueue& queue = queues_[clock];
  while (queue.waiting() > 0) {
    Node& head = queue.head();
    if (!ready(head)) {
      wait_at(head);
      return;
    }
    release_.before_change(clock);
    process_next(clock, queue, head, queue.processed_end());
  }
}

void Filter::Pipeline::wait_at(const Node& node) {
  if (node.role() == Role::receive)
    messages_[node.edge].receiver_waits = true;
  else
    collectives_.wait(node.edge);
}

void Filter::Pipeline::take_woken() {
  if (collectives_.woke()) collectives_.take_woken([&](ProcessIndex process) { work_.push_back(clock_of(process)); });
}

void Filter::Pipeline::work() {
  take_woken();
  while (!work_.empty()) {
    const ClockIndex clock = work_.front();
    work_.pop_front();
    drain(clock);
  }
}

void Filter::Pipeline::limit(ClockIndex clock, EventIndex index, double limit) {
  if (index >= queues_[clock].begin()) queues_[clock].lower_limit(index, limit);
}

void Filter::Pipeline::take_limits() {
  for (const Collectives::Limit& known : collectives_.limits())
    limit(clock_of(known.process), known.index, known.offset);
  collectives_.limits().clear();
}

// ---- what is final ----------------------------------------------------------------------------

void Filter::Pipeline::be_stuck(ProcessIndex process, EventIndex tail) {
  EventIndex& oldest = states_[clock_of(process)].stuck;
  oldest = std::min(oldest, tail);
}

void Filter::Pipeline::find_stuck() {
  ++rounds_;
  for (State& state : states_) state.stuck = no_event;
  const auto keep = [this](ProcessIndex process, EventIndex begin) { be_stuck(process, begin); };
  for (const ProcessQueue& queue : queues_) {
    for (EventIndex i = queue.processed_end(); i < queue.end(); ++i) {
      const Node& node = queue.raw(i);
      if (node.edge == no_edge) continue;
      if (node.role() == Role::receive) {
        const Message& message = messages_[node.edge];
        if (message.send != no_event) be_stuck(message.sender, message.send);
      } else if (node.role() == Role::collective_end) {
        collectives_.for_each_begin(node.edge, rounds_, keep);
      }
    }
  }
  collectives_.end_round(keep);
}

void Filter::Pipeline::written(ClockIndex clock, EventIndex index, const Node& node, Time time) {
  if (node.edge == no_edge) return;
  const Role role = node.role();
  if (role == released::receive || role == released::send)
    messages_.given_up().written(node.edge, role == released::send, time);
  else
    collectives_.written(node.edge, clock, index, role != Role::collective_begin, time);
}

void Filter::Pipeline::release(bool all) {
  release_.keep_horizons();
  tidy_messages(false);
  waits_.forget_finished();
  collectives_.refresh_limits();
  take_limits();
  find_stuck();
  const Ticks delay = std::max({delays_.largest(), messages_.largest_delay(), collectives_.largest_own_delay()});
  std::uint64_t buffered = 0;
  waiting_ = 0;
  for (ClockIndex clock = 0; clock < queues_.size(); ++clock) {
    ProcessQueue& queue = queues_[clock];
    waiting_ += queue.waiting();
    buffered += queue.end() - queue.begin();
    if (!queue.empty()) release_.spread(clock, all, delay, states_[clock].stuck);
  }
  analysis_.buffered(buffered, memory());
  release_.let_out(release_.interval(), all);
}

void Filter::Pipeline::plan_release() {
  max_memory_ = std::max(Parameters::least_memory, memory_limit_ - std::min(memory_limit_, definition_memory()));
  if (memory() > max_memory_) save_memory();
  // Often enough to keep little, seldom enough that looking at every process, every waiting event and every member of
  // an open collective operation is cheap.
  const std::uint64_t looked_at = collectives_.take_looked_at();
  const std::uint64_t room = (max_memory_ - std::min(max_memory_, memory())) / usual_body;
  until_release_ = std::max<std::uint64_t>(
      {2048, 2 * queues_.size(), waiting_ / 8, std::min(looked_at / 16, std::max(looked_at / 64, room))});
}

void Filter::Pipeline::save_memory() {
  // First shorter intervals: what leaves early is not moved by jumps that are still to come.
  for (Ticks interval = release_.interval() / 2; memory() > max_memory_; interval /= 2) {
    const std::uint64_t before = events_at_home();
    release_.let_out_early(interval);
    analysis_.count(Case::final_early, before - events_at_home());
    if (interval == 0) break;
  }
  tidy_messages(true);
  // Then what is recorded at the time of the newest record: there time may stand still.
  const auto let_out_all = [this] {
    const std::uint64_t before = events_at_home();
    release_.let_out_up_to_now();
    analysis_.count(Case::final_early, before - events_at_home());
  };
  if (memory() > max_memory_) let_out_all();
  // Then waits: the oldest holds back what all others could write. What is ahead of the input stays in any case. With
  // many processes several at once, because each is looked at then.
  while (memory() > max_memory_ && !waits_.empty() && release_.waits_hold_back()) {
    for (std::size_t i = 0; i <= queues_.size() / 64; ++i) give_up_oldest_wait();
    collectives_.refresh_limits();
    take_limits();
    let_out_all();
  }
  if (memory() > max_memory_) analysis_.count(Case::note_early, release_.let_notes_go());
  if (memory() > max_memory_) analysis_.count(Case::memory_exceeded);
}

void Filter::Pipeline::give_up_oldest_wait() {
  const std::optional<Wait> wait = waits_.take_oldest();
  if (!wait) return;
  analysis_.count(Case::wait_given_up);
  end_wait(*wait);
  if (wait->collective && waits_still(*wait)) end_wait(*wait);  // for members that wait themselves
}

std::uint64_t Filter::Pipeline::events_at_home() const {
  std::uint64_t events = 0;
  for (const ProcessQueue& queue : queues_) events += queue.end() - queue.begin();
  return events;
}

bool Filter::Pipeline::advance(Time bound) {
  if (bound > input_.now && !in_doubt()) {  // what is held in a doubt is older than the bound
    input_.now = proved_ = bound;
    if (waits_.is_one_over(bound)) waits_.end_overdue(bound);
    if (!work_.empty()) work();
  }
  release_in_pause();
  return input_.order > analysis_.events();
}

void Filter::Pipeline::finish() {
  decide(true);
  waits_.end_all();
  messages_.close();
  collectives_.close();
  release(true);
  release_.finish();
}

// ---- the public face --------------------------------------------------------------------------

Filter::Filter(const Parameters& parameters, const Definitions& definitions, EventSink& sink)
    : pipeline_(std::make_unique<Pipeline>(parameters, definitions, sink)) {}

Filter::~Filter() = default;

void Filter::push(const Event& event, Body body) { pipeline_->push({&event, 1}, {&body, 1}); }

void Filter::push(std::span<const Event> events, std::span<const Body> bodies) { pipeline_->push(events, bodies); }

void Filter::note(Body line) { pipeline_->note(line); }

void Filter::flush() { pipeline_->release_in_pause(); }

bool Filter::advance(Time bound) { return pipeline_->advance(bound); }

void Filter::finish() { pipeline_->finish(); }

std::uint64_t Filter::definition_memory() const noexcept { return pipeline_->definition_memory(); }

const Analysis& Filter::analysis() const noexcept { return pipeline_->analysis(); }

}  // namespace clc
