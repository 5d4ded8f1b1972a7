#include "ranks/replay.hpp"

#include <algorithm>
#include <tuple>

#include "clock/offset.hpp"
#include "trace/channel_of.hpp"

namespace clc::ranks {

namespace {

constexpr unsigned run_events = 192;    // before items are looked for, and sent: others wait for them meanwhile
constexpr unsigned turn_events = 64;    // of a clock
constexpr unsigned leisure_clocks = 4;  // go on before items are looked for again, which may let other programs run

const Parameters& checked(const Parameters& parameters) {
  parameters.validate();
  return parameters;
}

}  // namespace

Replay::Replay(const Parameters& parameters, const Definitions& definitions, const std::vector<unsigned>& owners,
               Input& input, Output& output, Exchange& exchange)
    : definitions_(definitions),
      owners_(owners),
      input_(input),
      exchange_(exchange),
      clocks_(definitions, owners, exchange.rank()),
      delays_(checked(parameters), definitions),
      distances_(parameters, definitions),
      controller_(parameters, distances_, set_back_, recorder_),
      cuts_(controller_.regulation()),
      backward_(parameters, definitions.resolution, clocks_, distances_, set_back_, output),
      operations_(definitions, delays_, owners, exchange.rank()),
      of_(clocks_.size()) {
  for (ProcessIndex process = 0; process < owners.size(); ++process)
    if (is_own(process)) distances_.add(clocks_.of(process), definitions.processes()[process]);
  controller_.grow(of_.size());
}

// ---- the heads of clocks -----------------------------------------------------------------------

[[gnu::always_inline]] inline bool Replay::ready(ClockIndex clock, OfClock& state) {
  if (!tails_ready(state)) return false;
  return !epochs().is_on() || epochs().is_taken(clock) || ready_for_cut(clock, state);
}

/// Most clocks are ahead: then what binds the event does not matter.
bool Replay::ready_for_cut(ClockIndex clock, const OfClock& state) {
  return epochs().ready(clock,
                        controller_.may_ask(clock, {}) || controller_.may_ask(clock, bound_of(state, sent_to(state))));
}

[[gnu::always_inline]] inline bool Replay::tails_ready(OfClock& state) {
  if (!state.orders || state.given_up) return true;
  if (state.event.role == Role::receive) [[likely]]
    return state.line->value(state.number) != nullptr;
  return operations_.ready(state.event, state.end);
}

/// The edges of which a head is the head, of which the tails are ready or given up. sent: by `sent_to`.
[[gnu::always_inline]] inline Bound Replay::bound_of(const OfClock& state, const Line::Value* sent) {
  if (sent != nullptr) {
    const Ticks ticks = add_saturating(sent->time - state.event.time, sent->delay);
    return {true, ticks, sent->offset, ticks, sent->simple_offset};
  }
  if (!state.orders || state.event.role == Role::receive) return {};
  return operations_.bound(state.event, state.end);
}

[[gnu::always_inline]] inline void Replay::wake(ClockIndex clock) {
  OfClock& state = of_[clock];
  if (state.state == State::waiting && phase_ == Phase::replay && ready(clock, state)) make_runnable(clock);
}

// ---- steps -------------------------------------------------------------------------------------

bool Replay::advance() {
  if (phase_ == Phase::done) return false;
  if (phase_ == Phase::begin) {
    count_all();
    phase_ = Phase::count;
  }
  if (phase_ == Phase::counted) start();
  if (runnable_.empty() || since_poll_ >= run_events) poll();
  if (!runnable_.empty()) {
    standstill_.reset();
    const ClockIndex clock = runnable_.top().clock;
    runnable_.pop();
    run(clock);
    return true;
  }
  unsigned clocks = 0;
  while (clocks < leisure_clocks && backward_.go_on()) ++clocks;
  if (clocks > 0) return true;
  if (!standstill_) standstill_ = standstill();
  Standstill all = *standstill_;
  if (!exchange_.quiet(all)) return true;
  standstill_.reset();
  conclude(all);
  return phase_ != Phase::done;
}

/// No rank can go on.
void Replay::conclude(const Standstill& all) {
  if (phase_ == Phase::count) {
    phase_ = Phase::counted;
  } else if (phase_ == Phase::origin) {
    begin_epochs(all.first);
  } else if (all.waits_for_cut) {
    if (!cuts_.go_on(all)) return;
    for (ClockIndex clock = 0; clock < of_.size(); ++clock) wake(clock);
  } else if (all.oldest.clock == no_process) {
    finish();
  } else if (is_own(all.oldest.clock)) {
    const ClockIndex clock = clocks_.of(all.oldest.clock);
    of_[clock].given_up = true;
    epochs().give_up(clock);
    count(Case::wait_in_circle);
    observed_.evidence.in_circles += of_[clock].event.role == Role::receive ? 1U : 0U;
    wake(clock);
  }
}

void Replay::poll() {
  since_poll_ = 0;
  arrived_.clear();
  exchange_.poll(arrived_);
  for (const Item& item : arrived_) take(item);
  if (!arrived_.empty()) standstill_.reset();
  backward_.catch_up();
}

// ---- before the first event -------------------------------------------------------------------

void Replay::count_all() {
  Survey survey(definitions_, clocks_, operations_, lines_, epochs().is_on());
  survey.read(input_);
  post_counts(survey);
  parts_ = std::move(survey.parts);
}

/// Of a channel with one end on this rank: to the other end.
void Replay::post_counts(Lines::Entry& entry) {
  const auto& [channel, line, next] = entry;
  Item item;
  item.channel = channel;
  if (!is_own(channel.receiver)) {
    item.kind = Item::Kind::sends;
    item.number = line.sends;
    if (line.sends > 0) exchange_.post(owners_[channel.receiver], item);
  } else if (!is_own(channel.sender) && line.receives > 0) {
    item.kind = Item::Kind::receives;
    item.number = line.receives;
    item.index = numbered_.size();
    numbered_.push_back(&entry);
    exchange_.post(owners_[channel.sender], item);
  }
}

void Replay::post_counts(const Survey& survey) {
  for (Lines::Entry& entry : lines_) post_counts(entry);
  for (CommunicatorIndex c = 0; c < definitions_.communicators().size(); ++c) {
    std::vector<Item> counts;  // of the members; one for all of them if they agree
    for (const ProcessIndex member : operations_.local_members_of(c)) {
      Item item;
      item.kind = Item::Kind::ends;
      item.channel = {member, no_process, c, 0};
      const auto found = survey.ends.find(item.channel);
      const Survey::OfMember known = found == survey.ends.end() ? Survey::OfMember{} : found->second;
      item.number = known.ends;
      item.index = known.signature.value();
      counts.push_back(item);
    }
    const auto differ = [](const Item& a, const Item& b) { return a.number != b.number || a.index != b.index; };
    if (!counts.empty() && std::adjacent_find(counts.begin(), counts.end(), differ) == counts.end()) {
      counts.resize(1);
      counts.front().is_complete = true;
    }
    for (const Item& item : counts)
      for (const unsigned rank : operations_.ranks_of(c)) post(rank, item);
  }
}

bool Replay::lacks_records() const {
  return operations_.differ() || std::any_of(lines_.begin(), lines_.end(), [&](const auto& line) {
           return is_own(line.channel.sender) && line.value.sends != line.value.receives;
         });
}

void Replay::start() {
  phase_ = Phase::origin;
  input_.rewind();
  for (auto& [channel, line, next] : lines_) line.all_counted();
  const auto post_to_all = [&](const Item& part) {
    for (const unsigned rank : operations_.receivers_of(part.channel.communicator)) post(rank, part);
  };
  for (const Item& part : std::exchange(parts_.without_begin, {})) post_to_all(part);
  for (ShortQueue<Item>& parts : parts_.early)
    for (const Item& part : parts)
      if (!part.is_tail) post_to_all(part);
  for (ClockIndex clock = 0; clock < of_.size(); ++clock) static_cast<void>(read_next(clock));
  if (!epochs().is_on()) begin_epochs({});
}

/// first: recorded time of the first event of all.
void Replay::begin_epochs(Time first) {
  phase_ = Phase::replay;
  epochs().begin(Epochs(first, backward_.first_length()));
  for (ClockIndex clock = 0; clock < of_.size(); ++clock) {
    if (of_[clock].state == State::ended) continue;
    epochs().read(clock, of_[clock].event.time);
    wake(clock);
  }
}

void Replay::finish() {
  phase_ = Phase::done;
  backward_.finish();
  count(Case::begin_without_end, begins_.size());
  for (const auto& [channel, line, next] : lines_)
    if (is_own(channel.receiver)) count(Case::send_without_receive, line.not_received());
  count(Case::collective_incomplete, operations_.incomplete());
  count(Case::operation_mismatch, operations_.mismatches());
  count(Case::time_saturated, backward_.saturated());
}

// ---- items ------------------------------------------------------------------------------------

void Replay::post(unsigned to, const Item& item) {
  if (to == exchange_.rank())
    take(item);
  else
    exchange_.post(to, item);
}

void Replay::take(const Item& item) {
  switch (item.kind) {
    case Item::Kind::sends:
      lines_[item.channel].sends = item.number;
      break;
    case Item::Kind::receives:
      lines_[item.channel].receives = item.number;
      lines_[item.channel].number = item.index;
      break;
    case Item::Kind::ends:
      operations_.count(item);
      break;
    case Item::Kind::value: {
      auto& [channel, line, next] = *numbered_[item.number];
      if (line.arrive({item.time, item.recorded, item.offset, item.delay, item.index, item.simple_offset})) {
        arrive_late(line, item.recorded);
        answer(channel.sender, item.index, no_limit);
      }
      wake(clocks_.of(channel.receiver));
      break;
    }
    case Item::Kind::part:
    case Item::Kind::begins:
    case Item::Kind::ended: {
      const bool wakes = operations_.take(item);
      answer_all();
      if (!wakes) break;
      for (const ProcessIndex member : operations_.local_members_of(item.channel.communicator))
        wake(clocks_.of(member));
      break;
    }
    case Item::Kind::limit:
      backward_.limit(clocks_.of(item.channel.sender), item.index, item.offset);
      break;
    case Item::Kind::failed:
      throw OtherRankFailed();
  }
}

/// A limit of a tail, which may be on another rank.
void Replay::answer(ProcessIndex sender, EventIndex index, double limit) {
  if (is_own(sender)) return backward_.limit(clocks_.of(sender), index, limit);
  Item item;
  item.kind = Item::Kind::limit;
  item.channel.sender = sender;
  item.index = index;
  item.offset = limit;
  exchange_.post(owners_[sender], item);
}

/// The tails of operations, and what these send to other ranks.
void Replay::answer_all() {
  for (const Item& tail : operations_.answers()) answer(tail.channel.sender, tail.index, tail.offset);
  operations_.answers().clear();
  for (const Posted& posted : operations_.posts()) exchange_.post(posted.to, posted.item);
  operations_.posts().clear();
}

// ---- the clocks -------------------------------------------------------------------------------

/// What this rank knows while its clocks wait.
Standstill Replay::standstill() {
  Standstill own;
  if (epochs().is_on()) cuts_.tell(own);
  if (cuts_.are_under_way()) return own;
  for (ClockIndex clock = 0; clock < of_.size(); ++clock) {
    OfClock& state = of_[clock];
    if (state.state != State::waiting) continue;
    own.oldest = std::min(own.oldest, Waiting{state.event.time, clocks_.among_all(clock)});
    own.first = std::min(own.first, state.event.time);
    if (!epochs().is_on() || epochs().is_taken(clock)) continue;
    own.needed = std::min(own.needed, epochs().needs(clock));
    own.waits_for_cut = own.waits_for_cut || tails_ready(state);
  }
  return own;
}

Replay::Regulation Replay::regulation() const {
  return {epochs().total(),
          epochs().gammas(),
          recorder_.regulation.regulator_b,
          recorder_.regulation.regulator_c,
          recorder_.regulation.events_below_gamma_max,
          observed_.largest_jump,
          cuts_.count()};
}

Replay::Evidence Replay::evidence() const {
  Evidence all = observed_.evidence;
  all.movement = backward_.movement();
  all.operations = operations_.total();
  for (const auto& [channel, line, next] : lines_)
    all.ahead = std::max(all.ahead, subtract_saturating(0, line.smallest_delay));
  return all;
}

void Replay::Evidence::join(const Evidence& other) noexcept {
  movement.join(other.movement);
  messages += other.messages;
  ends += other.ends;
  operations += other.operations;
  in_circles += other.in_circles;
  ahead = std::max(ahead, other.ahead);
}

std::vector<Replay::Direction> Replay::directions() const {
  std::vector<Direction> all;
  for (const auto& [channel, line, next] : lines_)
    if (line.smallest_delay != ticks_max && delays_.own(channel.communicator) == 0)
      all.push_back({channel.sender, channel.receiver, line.smallest_delay});
  const auto order = [](const Direction& d) { return std::tuple(d.sender, d.receiver, d.smallest_delay); };
  std::sort(all.begin(), all.end(), [&](const Direction& a, const Direction& b) { return order(a) < order(b); });
  const auto same_way = [](const Direction& a, const Direction& b) {
    return a.sender == b.sender && a.receiver == b.receiver;
  };
  all.erase(std::unique(all.begin(), all.end(), same_way), all.end());
  return all;
}

Replay::Memory Replay::memory() const noexcept {
  Memory bytes{backward_.memory(), 0, operations_.memory(), 0};
  for (const auto& [channel, line, next] : lines_) bytes.messages += line.memory();
  bytes.messages += ahead_of_sends_.memory();
  bytes.tables = clocks_.memory() + on_heap(of_) + controller_.memory() + backward_.tables() + lines_.memory() +
                 on_heap(numbered_.capacity() * sizeof(void*)) + parts_.memory();
  return bytes;
}

void Replay::Regulation::join(const Regulation& other) noexcept {
  events.join(other.events);
  gamma.join(other.gamma);
  for (const auto& [own, more] : {std::pair(&b, &other.b), std::pair(&c, &other.c)}) {
    own->below += more->below;
    own->lowest = std::min(own->lowest, more->lowest);
  }
  events_below_gamma_max += other.events_below_gamma_max;
  largest_jump = std::max(largest_jump, other.largest_jump);
  cuts = std::max(cuts, other.cuts);
}

void Replay::make_runnable(ClockIndex clock) {
  of_[clock].state = State::runnable;
  runnable_.push({of_[clock].event.time, clock});
}

/// The channel of a send whose receive, by another clock, is in the trace; null: there is none.
[[gnu::always_inline]] inline Line* Replay::line_of_send(ClockIndex clock, OfClock& state) {
  const Event& event = state.event;
  if (event.peer == event.process) count(Case::self_message);
  if (!is_message(event)) return nullptr;
  Line& line = lines_.next(state.trail, channel_of(event), false);
  if (!ahead_of_sends_.within_clocks.empty()) [[unlikely]]
    compare_with_receive(clock, state, line);
  if (line.sent++ >= line.receives) [[unlikely]] {
    lack_other_end(clock, state);
    return nullptr;
  }
  return clocks_.of(event.peer) != clock ? &line : nullptr;
}

[[gnu::always_inline]] inline void Replay::process(ClockIndex clock, OfClock& state) {
  const Event& event = state.event;
  const Line::Value* const sent = sent_to(state);
  const Bound bound = bound_of(state, sent);
  const ForwardStep step = controller_.step(clock, state.index, event.time, bound, event.role != Role::internal);
  if (step.jump > observed_.largest_jump) [[unlikely]]
    observed_.largest_jump = step.jump;
  Line* const line = event.role == Role::send ? line_of_send(clock, state) : nullptr;
  const bool waits = line != nullptr || event.role == Role::collective_begin;
  backward_.add(clock, event.process, event.time, step, waits ? 1 : 0, epochs().jump_in_cut(clock));
  if (line != nullptr) return processed_send(clock, state, *line, step);
  if (event.role == Role::collective_begin) return process_begin(clock, state, step);
  if (!state.orders) return;
  if (event.role == Role::receive) return processed_receive(clock, state, sent, step.offset);
  note_end(operations_.processed(event, state.end, step.offset, recorded(clock, state)));
  answer_all();
}

/// smallest_delay: of the end of an operation; none: it is the head of no edge.
void Replay::note_end(std::optional<Ticks> smallest_delay) noexcept {
  if (!smallest_delay) return;
  ++observed_.evidence.ends;
  observed_.evidence.ahead = std::max(observed_.evidence.ahead, subtract_saturating(0, *smallest_delay));
}

/// Until it waits, and no longer than its turn. Others that are older may wait meanwhile: to go from clock to clock
/// with every event would cost more than the event.
void Replay::run(ClockIndex clock) {
  OfClock& state = of_[clock];
  for (unsigned events = 0; events < turn_events; ++events) {
    state.state = State::ended;  // of interest to nobody
    process(clock, state);
    ++since_poll_;
    if (!read_next(clock)) return;
  }
  make_runnable(clock);
}

/// The head is behind a step back of its clock, which has shown that maximum before.
void Replay::read_behind(ClockIndex clock, OfClock& state, Time maximum) {
  const Time before = set_back_.read(clock, state.index, state.event.time, maximum);
  set_back_.reading({});
  if (state.event.time < before) count(Case::clock_set_back);
  state.event.time = maximum;
  controller_.set_back(clock);
}

/// True if the event need not wait.
[[gnu::always_inline]] inline bool Replay::read_next(ClockIndex clock) {
  OfClock& state = of_[clock];
  const Time maximum = state.event.time;
  if (!input_.next(clocks_.among_all(clock), state.event)) {
    state.state = State::ended;
    return false;
  }
  if (state.started) {
    ++state.index;
    if (state.event.time < maximum) [[unlikely]]
      read_behind(clock, state, maximum);
  }
  state.started = true;
  state.orders = state.given_up = false;
  if (state.event.role == Role::receive) read_receive(clock, state);
  if (state.event.role == Role::collective_end) read_end(clock, state);
  if (state.event.other_end == OtherEnd::missing) {
    count(state.event.role == Role::send ? Case::send_without_receive : Case::receive_without_send);
    lack_other_end(clock, state);
  }
  state.state = State::waiting;
  if (phase_ != Phase::replay) return false;
  if (epochs().is_on()) epochs().read(clock, state.event.time);
  return ready(clock, state);
}

[[gnu::always_inline]] inline void Replay::read_receive(ClockIndex clock, OfClock& state) {
  const Event& event = state.event;
  if (!is_message(event)) return;
  state.line = &lines_.next(state.trail, channel_of(event), true);
  state.number = state.line->receive(event.overtakes);
  state.orders = state.line->is_sent(state.number);
  if (!state.orders) {
    count(Case::receive_without_send);
    lack_other_end(clock, state);
  }
  if (clocks_.of(event.peer) == clock) {
    if (state.orders && state.number >= state.line->sent)
      ahead_of_sends_.within_clocks.emplace(std::pair(state.line, state.number), recorded(clock, state));
    state.orders = false;
  }
  if (!state.orders) state.line->processed(state.number);
}

/// The other end of the head is not in the trace.
void Replay::lack_other_end(ClockIndex clock, const OfClock& state) {
  const Event& event = state.event;
  observed_.losses.add({sender_of(event), receiver_of(event), event.communicator, event.tag, recorded(clock, state),
                        event.role == Role::receive});
}

void Replay::read_end(ClockIndex clock, OfClock& state) {
  const Event& event = state.event;
  Begin begin;
  if (const auto found = begins_.find(call_of(event)); found != begins_.end()) {
    begin = found->second;
    begins_.erase(found);
  } else {
    count(Case::end_without_begin);
  }
  Rank member = 0;
  if (!operations_.find(event, member)) {
    const Members& members = definitions_.communicators()[event.communicator].members;
    if (std::find(members.begin(), members.end(), event.process) == members.end()) count(Case::not_a_member);
    close_begin(clock, begin);
    return;
  }
  state.orders = true;
  state.end = operations_.read(event, member);
  const bool orders =
      !info(event.operation).rooted || event.root < definitions_.communicators()[event.communicator].members.size();
  if (!orders && member == 0) count(Case::root_not_a_member);
  if (begin.index == no_event || begin.is_posted) return;
  post_part(clock, part_of(definitions_, event, member, state.end.number), begin);
}

/// Of an operation whose begin was processed.
void Replay::post_part(ClockIndex clock, Item part, const Begin& begin) {
  const std::vector<unsigned>& ranks = operations_.receivers_of(part.channel.communicator);
  if (part.is_tail) backward_.expect(clock, begin.index, static_cast<std::uint32_t>(ranks.size()));
  close_begin(clock, begin);
  part.index = begin.index;
  part.time = begin.time;
  part.recorded = begin.recorded;
  part.offset = begin.offset;
  part.simple_offset = begin.simple_offset;
  for (const unsigned rank : ranks) post(rank, part);
}

/// It is known which limits are to come: the one that stood for that comes now.
void Replay::close_begin(ClockIndex clock, const Begin& begin) {
  if (begin.index != no_event) backward_.limit(clock, begin.index, no_limit);
}

void Replay::process_begin(ClockIndex clock, const OfClock& state, const ForwardStep& step) {
  Begin& open = begins_[call_of(state.event)];
  if (open.index != no_event) {
    count(Case::begin_without_end);
    close_begin(clock, open);
  }
  open = {state.index, state.event.time, recorded(clock, state), step.offset, step.simple_offset, false};
  ShortQueue<Item>& early = parts_.early[clock];
  if (early.empty() || early.front().index != state.index) return;
  const Item part = early.front();
  early.pop_front();
  open.is_posted = true;
  if (part.is_tail)
    post_part(clock, part, open);
  else
    close_begin(clock, open);
}

/// The next send of that channel, within a clock, whose receive may have come ahead of it.
void Replay::compare_with_receive(ClockIndex clock, const OfClock& state, const Line& line) {
  const auto receive = ahead_of_sends_.within_clocks.find({&line, line.sent});
  if (receive == ahead_of_sends_.within_clocks.end()) return;
  if (receive->second < recorded(clock, state)) count(Case::clock_disagrees);
  ahead_of_sends_.within_clocks.erase(receive);
}

[[gnu::always_inline]] inline void Replay::processed_send(ClockIndex clock, const OfClock& state, Line& line,
                                                          const ForwardStep& step) {
  const Event& event = state.event;
  const Ticks own = delays_.own(event.communicator);
  const Ticks delay = own > 0 ? own : delays_.message(event.process, event.peer, event.bytes);
  if (is_own(event.peer)) {
    const Time sent = recorded(clock, state);
    if (line.arrive({event.time, sent, step.offset, delay, state.index, step.simple_offset})) {
      arrive_late(line, sent);
      backward_.limit(clock, state.index, no_limit);
    }
    return wake(clocks_.of(event.peer));
  }
  Item value;
  value.kind = Item::Kind::value;
  value.number = line.number;
  value.index = state.index;
  value.time = event.time;
  value.recorded = recorded(clock, state);
  value.offset = step.offset;
  value.delay = delay;
  value.simple_offset = step.simple_offset;
  exchange_.post(owners_[event.peer], value);
}

/// sent: null if it was given up.
[[gnu::always_inline]] inline void Replay::processed_receive(ClockIndex clock, const OfClock& state,
                                                             const Line::Value* sent, double offset) {
  if (sent != nullptr) {
    ++observed_.evidence.messages;
    const Time received = recorded(clock, state);
    state.line->smallest_delay = std::min(state.line->smallest_delay, received - sent->recorded);
    if (state.number < TripSample::most_messages && delays_.own(state.event.communicator) == 0)
      observed_.trips.add(state.event.peer, state.event.process, sent->recorded, received, sent->delay);
    const Ticks apart = subtract_saturating(state.event.time - sent->time, sent->delay);
    answer(state.event.peer, sent->index, std::max(sent->offset, plus_at_most(offset, apart)));
  } else {
    ahead_of_sends_.given_up.emplace(std::pair(state.line, state.number), recorded(clock, state));
  }
  state.line->processed(state.number);
}

/// The newest value of a channel is that of a receive that was given up. sent: its C.
void Replay::arrive_late(Line& line, Time sent) {
  const auto receive = ahead_of_sends_.given_up.find({&line, line.arrived() - 1});
  if (receive == ahead_of_sends_.given_up.end()) return;  // it ordered nothing
  line.smallest_delay = std::min(line.smallest_delay, receive->second - sent);
  ahead_of_sends_.given_up.erase(receive);
}

}  // namespace clc::ranks
