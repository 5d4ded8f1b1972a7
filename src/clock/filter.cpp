// The loop. Two things flow back: how far the input is, and limits of tails whose heads were processed.
#include "clc/filter.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "clc/error.hpp"
#include "clc/event.hpp"
#include "clock/reader.hpp"
#include "clock/upkeep.hpp"
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

class Filter::Pipeline {
 public:
  Pipeline(const Parameters& p, const Definitions& definitions, EventSink& sink)
      : reader_(p, definitions, sink), upkeep_(p.max_memory, reader_) {
    reader_.heads.grow(definitions.processes().size());
  }

  void push(std::span<const Event> events, std::span<const Body> bodies) {
    // Peers and members of communicators need not have had an event.
    const Definitions& definitions = lanes().definitions;
    if (definitions.processes().size() > lanes().queues.size()) [[unlikely]]
      reader_.heads.grow(definitions.processes().size());
    check(events, bodies);
    reader_.heads.messages.follow(definitions.changes());
    while (!events.empty() && now() == proved_ && events.front().time <= proved_) [[unlikely]] {
        if (events.front().time < proved_)
          push_late(events.front(), bodies.front());
        else
          push_sorted(events.first(1), bodies.first(1));
        events = events.subspan(1);
        bodies = bodies.subspan(1);
      }
    push_sorted(events, bodies);
  }
  void note(Body line) {
    refuse_after_end();
    if (reader_.in_doubt()) [[unlikely]]
      reader_.doubts.hold_note(reader_.newest(), line);
    else
      take_note(line);
  }
  void flush() { upkeep_.release_in_pause(); }
  bool advance(Time bound);
  void finish();
  void recorded_granularity(std::uint64_t ticks) noexcept { lanes().analysis.recorded_granularity(ticks); }
  void observe(FilterObserver& observer) noexcept { lanes().analysis.observer = &observer; }
  [[nodiscard]] const Analysis& analysis() const noexcept { return reader_.heads.lanes.analysis; }
  [[nodiscard]] std::uint64_t definition_memory() const noexcept { return upkeep_.definition_memory(); }

 private:
  [[nodiscard]] Lanes& lanes() noexcept { return reader_.heads.lanes; }
  [[nodiscard]] Time now() const noexcept { return reader_.heads.lanes.input.now; }

  void refuse_after_end() const {
    if (finished_) [[unlikely]]
      throw UsageError("expected no record after Filter::finish()");
  }
  void check(std::span<const Event> events, std::span<const Body> bodies) {
    refuse_after_end();
    if (events.size() != bodies.size()) [[unlikely]]
      throw UsageError("expected a body for each event, found " + std::to_string(events.size()) + " events and " +
                       std::to_string(bodies.size()) + " bodies");
    ProcessIndex largest = 0;
    for (const Event& event : events) largest = std::max(largest, event.process);
    if (!events.empty() && largest >= lanes().queues.size()) [[unlikely]]
      throw UsageError("the process of an event was not added; add_process() before its event");
  }
  void push_late(Event event, Body body);
  void push_sorted(std::span<const Event> events, std::span<const Body> bodies);
  template <bool fetches, Parameters::Order order>
  std::size_t push_until_release(std::span<const Event> events, std::span<const Body> bodies, std::size_t i);
  bool push_set_back(std::span<const Event> events, std::size_t i, Body body);
  [[nodiscard]] Time maximum_of(std::span<const Event> events, std::size_t i);
  void note_reached(std::span<const Event> events) {
    reached_.note(events, reader_.newest(), [this](ProcessIndex process) { return lanes().clock_of(process); });
  }
  void take_note(Body line);
  // ---- while a match is in doubt, see doubts.hpp ----
  void hold(std::span<const Event> events, std::span<const Body> bodies);
  void hold_from(std::span<const Event> events, std::span<const Body> bodies, std::size_t i, std::size_t pause);
  void decide(bool all);

  Reader reader_;
  Upkeep upkeep_;
  Reached reached_;
  Time proved_ = Time::earliest();  // the time that the input has reached, where no record reached it
  std::size_t doubtful_body_ = 0;   // bytes of the event in doubt
  bool finished_ = false;
};

// ---- reading ----------------------------------------------------------------------------------

void Filter::Pipeline::push_sorted(std::span<const Event> events, std::span<const Body> bodies) {
  if (reader_.in_doubt()) [[unlikely]] {
    hold(events, bodies);
    return decide(false);
  }
  constexpr std::size_t many = 1024;  // processes, of which the caches hold few
  const bool fetches = lanes().queues.size() >= many;
  using Order = Parameters::Order;
  for (std::size_t i = 0; i < events.size();) {
    if (reader_.heads.by_epochs())
      i = push_until_release<false, Order::epochs>(events, bodies, i);
    else
      i = fetches ? push_until_release<true, Order::events>(events, bodies, i)
                  : push_until_release<false, Order::events>(events, bodies, i);
    if (upkeep_.is_due() && !reader_.in_doubt()) upkeep_.release();
  }
  note_reached(events);
}

/// From events[i] on, until a match is in doubt. Returns the number of the next event.
template <bool fetches, Parameters::Order order>
[[gnu::always_inline]] inline std::size_t Filter::Pipeline::push_until_release(std::span<const Event> events,
                                                                               std::span<const Body> bodies,
                                                                               std::size_t i) {
  std::size_t pause = i + upkeep_.count(events.size() - i);
  for (; i < pause; ++i) {
    if constexpr (fetches) reader_.fetch(events.subspan(i));
    const bool certain =
        events[i].time >= now() ? reader_.push<order>(events[i], bodies[i]) : push_set_back(events, i, bodies[i]);
    if (!certain) [[unlikely]] {
      hold_from(events, bodies, i, pause);
      return events.size();
    }
    if (Upkeep::is_large(bodies[i].size() + reader_.opened())) [[unlikely]]
      pause -= upkeep_.count_large(bodies[i].size(), pause - (i + 1));
  }
  return i;
}

/// A record from before the time that was proved.
[[gnu::noinline]] void Filter::Pipeline::push_late(Event event, Body body) {
  event.time = proved_;
  lanes().analysis.count(Case::late_record);
  push_sorted({&event, 1}, {&body, 1});
}

/// C^ of events[i], whose time is below that of the newest record.
[[gnu::noinline]] Time Filter::Pipeline::maximum_of(std::span<const Event> events, std::size_t i) {
  const Time newest = reader_.newest();
  note_reached(events.first(i));
  if (!reached_.by(lanes().clock_of(events[i].process), newest)) refuse(events[i].time, newest);
  return newest;
}

[[gnu::noinline]] bool Filter::Pipeline::push_set_back(std::span<const Event> events, std::size_t i, Body body) {
  Event event = events[i];
  event.time = maximum_of(events, i);
  return reader_.push_set_back(event, body, events[i].time);
}

void Filter::Pipeline::take_note(Body line) {
  if (!lanes().release.note(line)) return;  // it has left
  static_cast<void>(upkeep_.count_large(line.size(), 0));
  upkeep_.count(1);
  if (upkeep_.is_due()) upkeep_.release();
}

// ---- lost records -----------------------------------------------------------------------------

void Filter::Pipeline::hold(std::span<const Event> events, std::span<const Body> bodies) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].time >= reader_.newest()) {
      reader_.doubts.hold(events[i], bodies[i]);
    } else {
      Event event = events[i];
      event.time = maximum_of(events, i);
      reader_.doubts.hold(event, bodies[i], events[i].time);
    }
  }
  note_reached(events);
}

/// Holds what comes after events[i], which is in doubt; they were counted up to `pause`.
[[gnu::noinline]] void Filter::Pipeline::hold_from(std::span<const Event> events, std::span<const Body> bodies,
                                                   std::size_t i, std::size_t pause) {
  upkeep_.count_back(pause - (i + 1));
  doubtful_body_ = bodies[i].size();
  note_reached(events.first(i + 1));
  hold(events.subspan(i + 1), bodies.subspan(i + 1));
  decide(false);
}

/// Goes on with the input that is held, as far as doubts in it can be decided.
void Filter::Pipeline::decide(bool all) {
  for (;;) {
    if (reader_.in_doubt()) {
      const Doubts::Room room = Doubts::room(lanes().queues.size(), upkeep_.max_memory(), lanes().input.order);
      const Doubts::Verdict verdict = reader_.doubts.verdict(room, all);
      if (verdict == Doubts::Verdict::open) return;
      reader_.settle(verdict);
      if (!reader_.in_doubt()) upkeep_.after(doubtful_body_);
      continue;
    }
    if (reader_.doubts.empty()) return;
    const Doubts::Record next = reader_.doubts.take();
    if (next.is_note) {
      take_note(next.body);
      continue;
    }
    upkeep_.count(1);
    const bool certain = next.recorded ? reader_.push_set_back(next.event, next.body, *next.recorded)
                                       : reader_.push(next.event, next.body);
    doubtful_body_ = next.body.size();
    if (certain) upkeep_.after(next.body.size());
  }
}

// ---- pauses and the end -----------------------------------------------------------------------

bool Filter::Pipeline::advance(Time bound) {
  if (bound > now() && !reader_.in_doubt()) {  // what is held in a doubt is older than the bound
    lanes().input.now = proved_ = bound;
    if (reader_.heads.by_epochs()) reader_.heads.work();
    if (reader_.patience.waits.is_one_over(bound)) reader_.end_overdue(bound);
    reader_.heads.work_if_woken();
  }
  upkeep_.release_in_pause();
  return lanes().input.order > lanes().analysis.emitted();
}

void Filter::Pipeline::finish() {
  refuse_after_end();
  finished_ = true;
  decide(true);
  if (reader_.heads.by_epochs()) {
    reader_.heads.end_input();
    reader_.heads.work();
  }
  reader_.patience.waits.end_all();
  if (reader_.heads.by_epochs()) reader_.heads.finish_epochs();
  reader_.heads.messages.close();
  reader_.heads.collectives.close();
  upkeep_.release_all();
  lanes().release.finish();
}

// ---- the public face --------------------------------------------------------------------------

Filter::Filter(const Parameters& parameters, const Definitions& definitions, EventSink& sink)
    : pipeline_(std::make_unique<Pipeline>(validated(parameters), definitions, sink)) {}

Filter::~Filter() = default;

void Filter::push(const Event& event, Body body) { pipeline_->push({&event, 1}, {&body, 1}); }

void Filter::push(std::span<const Event> events, std::span<const Body> bodies) { pipeline_->push(events, bodies); }

void Filter::note(Body line) { pipeline_->note(line); }

void Filter::observe(FilterObserver& observer) { pipeline_->observe(observer); }
void Filter::recorded_granularity(std::uint64_t ticks) { pipeline_->recorded_granularity(ticks); }

void Filter::flush() { pipeline_->flush(); }

bool Filter::advance(Time bound) { return pipeline_->advance(bound); }

void Filter::finish() { pipeline_->finish(); }

std::uint64_t Filter::definition_memory() const noexcept { return pipeline_->definition_memory(); }

const Analysis& Filter::analysis() const noexcept { return pipeline_->analysis(); }

}  // namespace clc
