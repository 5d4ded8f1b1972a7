#include "clock/collectives.hpp"

#include "clc/error.hpp"
#include "clock/extremes.hpp"

namespace clc {

struct Collectives::Sums {
  explicit Sums(const DelayModel& delays) : latest(delays), simple(delays) {}
  Extremes<true> latest;
  Extremes<true> simple;
  Rank next = 0;  // ranks below are in

  [[nodiscard]] std::uint64_t memory() const noexcept { return sizeof *this + latest.memory() + simple.memory(); }
};

/// The members of a prefix operation that are tails, for ends that come after it was given up: who is one does not
/// change any more. Sums of those before each block of them, so that an end need not look at all.
struct Collectives::Settled {
  std::vector<Rank> tails;  // ascending
  std::size_t block = 0;
  std::vector<Sums> before;  // each block, and the end
  std::uint64_t memory = 0;
};

Collectives::Collectives(const Definitions& definitions, const DelayModel& delays, Recorder& analysis)
    : definitions_(definitions), delays_(delays), analysis_(analysis), calls_(analysis), rosters_(definitions) {}

Collectives::~Collectives() = default;

// ---- calls ------------------------------------------------------------------------------------

Collectives::OfCommunicator& Collectives::of(CommunicatorIndex communicator) {
  if (communicators_.size() <= communicator) {
    if (communicator >= definitions_.communicators().size())
      throw UsageError("a call has no communicator that was defined; add_communicator() before its event");
    communicators_.resize(communicator + std::size_t{1});
  }
  if (!communicators_[communicator]) communicators_[communicator] = std::make_unique<OfCommunicator>();
  OfCommunicator& state = *communicators_[communicator];
  const Communicator& definition = definitions_.communicators()[communicator];
  if (state.changes != definition.changes) [[unlikely]]
    follow(state, definition);
  return state;
}

void Collectives::follow(OfCommunicator& state, const Communicator& definition) {
  state.changes = definition.changes;
  if (definition.min_delay > 0)
    state.delays = std::make_shared<const DelayModel>(definition.min_delay);
  else
    state.delays = {std::shared_ptr<void>(), &delays_};
  // Who was a member goes on with its count of calls; who was not begins with the operations to come.
  const std::shared_ptr<Roster> before = std::exchange(state.roster, rosters_.of(definition.members));
  if (before == state.roster) return;
  const Roster& roster = *state.roster;
  rosters_.count(*state.roster, roster.communicators + 1);
  const Chunks<std::uint64_t> known_calls = std::exchange(state.calls, {});
  state.calls.reset(static_cast<Rank>(roster.members.size()));
  if (before) {
    rosters_.count(*before, before->communicators - 1);
    const std::uint64_t to_come = state.first + state.instances.size();
    for (Rank rank = 0; rank < state.calls.size(); ++rank) {
      const Rank* known = before->ranks.find(roster.members[rank]);
      const std::uint64_t calls = known != nullptr ? known_calls[*known] : to_come;
      if (calls == 0) continue;
      if (!state.calls.holds(rank)) state.calls.hold(rank);
      state.calls.held(rank) = calls;
    }
  }
  count_memory(state);
}

void Collectives::count_memory(OfCommunicator& state) noexcept {
  const std::uint64_t bytes = on_heap(sizeof state) + state.instances.memory() + state.calls.memory();
  communicator_memory_ += bytes - std::exchange(state.memory, bytes);
}

Ticks Collectives::largest_own_delay() {
  // A begin does not name its communicator: any may be the one.
  const std::deque<Communicator>& known = definitions_.communicators();
  if (changes_seen_ != definitions_.changes()) {
    changes_seen_ = definitions_.changes();
    delays_seen_ = 0;
  }
  for (; delays_seen_ < known.size(); ++delays_seen_)
    largest_own_delay_ = std::max(largest_own_delay_, known[delays_seen_].min_delay);
  // One that is to come may be in effect only behind the begin of its first operation.
  return std::max(largest_own_delay_, definitions_.largest_delay_to_come);
}

Collectives::ReadEnd Collectives::read_end(const Event& event, EventIndex index, Time recorded) {
  const CallId id = calls_.close_begin(event);
  calls_[id].end_recorded = recorded;
  const auto drop = [&](std::optional<Case> why = {}) -> ReadEnd {
    if (why) analysis_.count(*why);
    calls_.drop(id);
    return {};
  };
  OfCommunicator& state = of(event.communicator);
  const Rank* rank = state.roster->ranks.find(event.process);
  if (rank == nullptr) return drop(Case::not_a_member);
  if (state.calls.size() < 2) return drop();
  if (!state.calls.holds(*rank)) [[unlikely]] {
    state.calls.hold(*rank);
    count_memory(state);
  }
  const std::uint64_t number = state.calls.held(*rank) + event.missed;
  state.calls.held(*rank) = number + 1;
  if (number < state.first) return drop(Case::late_member);
  while (number - state.first >= state.instances.size()) state.instances.push_back(no_instance);
  InstanceId& entry = state.instances[number - state.first];
  if (entry == done_instance) return drop(Case::late_member);
  if (entry != no_instance && instances_[entry].lingers) {
    if (const ReadEnd late = read_late_end(entry, *rank, id, event, index); late.late) return late;
    return drop();
  }
  const bool opened = entry == no_instance;
  if (opened) entry = open_instance(event, number);
  Instance& instance = instances_[entry];
  // The instance was opened when the communicator had other members.
  if (*rank >= instance.members.size() || instance.opened.roster->members[*rank] != event.process)
    return drop(Case::not_a_member);
  if (!agrees(instance, event)) [[unlikely]]
    disagree(instance);

  Call& call = calls_[id];
  take_end(call, instance, event, index);
  call.instance = entry;
  call.rank = *rank;
  const std::uint64_t memory = memory_of(instance);
  const Member& member = instance.members.set_call(*rank, id);
  const std::uint64_t taken = memory_of(instance) - memory;
  member_memory_ += taken;
  if (member.excused) {
    analysis_.count(Case::late_member);
    ++instance.counts.ends_open;
  } else {
    --instance.counts.missing;
    if (call.begin_processed || !call.sends) contribute(entry, *rank);
    if (instance.counts.missing > 0 && instance.counts.missing == event.absent && event.absent < most_absent)
        [[unlikely]]
      excuse_absent(instance);
  }
  return {id, entry, opened, false, opened ? 8 * memory + taken : taken};
}

InstanceId Collectives::open_instance(const Event& end, std::uint64_t number) {
  InstanceId id = no_instance;
  if (free_instances_.empty()) {
    id = static_cast<InstanceId>(instances_.size());
    instances_.add();
    if (free_instances_.capacity() < instances_.size()) free_instances_.reserve(2 * instances_.size());
  } else {
    id = free_instances_.back();
    free_instances_.pop_back();
  }
  const OfCommunicator& state = *communicators_[end.communicator];
  Instance& instance = instances_[id];
  InstanceMembers members = std::move(instance.members);
  instance = Instance{};
  instance.members = std::move(members);
  instance.members.reset(state.calls.size());
  instance.serial = ++serials_;
  instance.opened.roster = state.roster;
  instance.opened.delays = state.delays;
  instance.opened.node_changes = definitions_.node_changes();
  instance.shared = instance.opened.roster->shared();
  instance.number = number;
  instance.communicator = end.communicator;
  instance.operation = end.operation;
  instance.kind = info(end.operation).kind;
  instance.root = info(end.operation).rooted ? end.root : no_rank;
  instance.open = true;
  instance.counts.ends_open = instance.members.size();
  instance.counts.missing = instance.counts.ends_open;
  if (info(end.operation).rooted && end.root >= instance.members.size()) analysis_.count(Case::root_not_a_member);
  if (instance.shared) find_frontiers(instance);
  member_memory_ += memory_of(instance);
  return id;
}

// ---- readiness --------------------------------------------------------------------------------

void Collectives::take_end(Call& call, const Instance& instance, const Event& end, EventIndex index) noexcept {
  const bool barrier = instance.operation == Operation::barrier;
  call.node = instance.opened.delays->node_of(end.process, instance.opened.node_changes);
  call.end = end.time;
  call.end_index = index;
  call.sends = end.bytes > 0 || barrier;
  call.receives = (end.received > 0 || barrier) && !instance.disagrees;
}

bool Collectives::is_tail(const Instance& instance, const Member& member) const noexcept {
  if (member.call == no_call || member.excused || !member.contributed) return false;
  const Call& call = calls_[member.call];
  if (call.begin_index == no_event) return false;
  return call.sends && can_be_tail(instance.kind, call.rank, instance.root);
}

bool Collectives::is_head(const Instance& instance, const Member& member) const noexcept {
  if (member.call == no_call) return false;
  const Call& call = calls_[member.call];
  return call.receives && !call.late && can_be_head(instance.kind, call.rank, instance.root);
}

bool Collectives::ready(CallId id) const noexcept {
  const Call& call = calls_[id];
  const Instance& instance = instances_[call.instance];
  if (!call.receives) return true;
  switch (instance.kind) {
    case CollectiveClass::one_to_n: {
      if (instance.root >= instance.members.size()) return true;
      const Member& root = instance.members[instance.root];
      return root.settled() || instance.clock_of(instance.root) == instance.clock_of(call.rank);
    }
    case CollectiveClass::n_to_one:
      return call.rank != instance.root || instance.frontier_of(call.rank) == instance.members.size();
    case CollectiveClass::n_to_n:
      return instance.frontier_of(call.rank) == instance.members.size();
    case CollectiveClass::prefix:
      return instance.frontier_of(call.rank) >= call.rank;
  }
  return true;
}

void Collectives::contribute(InstanceId id, Rank rank) {
  Instance& instance = instances_[id];
  Member& member = instance.members.called(rank);
  if (member.excused || member.contributed) return;
  member.contributed = true;
  const Rank size = instance.members.size();
  const Rank old_frontier = instance.frontier;
  const Rank old_other = instance.other_frontier;
  settle(instance);
  // Ends need not wait for all that share their clock.
  const bool joins = instance.kind == CollectiveClass::n_to_one || instance.kind == CollectiveClass::n_to_n;
  if (instance.shared && joins) insert_tail(instance, rank, sums_of(instance));
  switch (instance.kind) {
    case CollectiveClass::one_to_n:
      if (rank == instance.root) wake(instance, 0, size);
      break;
    case CollectiveClass::n_to_one:
    case CollectiveClass::n_to_n:
      if (instance.frontier == size || (instance.other_frontier == size && old_other < size)) wake(instance, 0, size);
      break;
    case CollectiveClass::prefix:
      if (instance.frontier > old_frontier) wake(instance, old_frontier, std::min(size, instance.frontier + 1));
      if (instance.other_frontier > old_other) wake(instance, old_other, std::min(size, instance.other_frontier + 1));
      break;
  }
}

void Collectives::settle(Instance& instance) {
  ++instance.counts.settled;
  find_frontiers(instance);
}

void Collectives::find_frontiers(Instance& instance) {
  const Rank size = instance.members.size();
  if (instance.counts.settled == size) {
    instance.frontier = size;
    if (instance.shared) instance.other_frontier = size;
    return;
  }
  while (instance.frontier < size && instance.members[instance.frontier].settled())
    instance.frontier = instance.members.behind(instance.frontier);
  if (!instance.shared) return;
  const ClockIndex clock = instance.frontier < size ? instance.clock_of(instance.frontier) : no_process;
  Rank& other = instance.other_frontier;
  other = std::max(other, instance.frontier);
  while (other < size) {
    if (instance.clock_of(other) == clock)
      other = instance.opened.roster->clock_ends[other];
    else if (instance.members[other].settled())
      other = instance.members.behind(other);
    else
      return;
  }
}

void Collectives::wake(const Instance& instance, Rank first, Rank last) {
  instance.members.for_each_call(first, last, [&](Rank, const Member& member) {
    Call& call = calls_[member.call];
    if (call.wait_number == 0 || !ready(member.call)) return;
    woken_.emplace_back(call.wait_number, call.process);
    call.wait_number = 0;
  });
}

void Collectives::begin_processed(CallId id, double offset, double simple_offset) {
  Call& call = calls_[id];
  if (call.orphan) {
    calls_.free(id);
    return;
  }
  call.begin_processed = true;
  call.begin_offset = offset;
  call.begin_simple_offset = simple_offset;
  if (call.instance != no_instance) contribute(call.instance, call.rank);
}

void Collectives::give_up(InstanceId id) {
  Instance& instance = instances_[id];
  const bool circle = instance.counts.missing == 0;
  std::uint64_t waiting = 0;
  instance.members.for_each_call(
      [&](Rank, const Member& member) { waiting += !calls_[member.call].end_processed && !ready(member.call); });
  if (!circle) analysis_.count(Case::collective_incomplete);
  analysis_.count(circle ? Case::wait_in_circle : Case::collective_given_up, waiting);
  instance.given_up = true;
  if (circle) {
    instance.members.for_each_call([&](Rank, Member& member) {
      if (member.settled()) return;
      member.excused = true;
      ++instance.counts.settled;
    });
  } else {
    instance.members.excuse_without_call();
    instance.counts.ends_open -= instance.counts.missing;
    instance.counts.settled += std::exchange(instance.counts.missing, 0);
  }
  find_frontiers(instance);
  wake(instance, 0, instance.members.size());
  retire_if_done(id);
}

void Collectives::excuse_absent(Instance& instance) {
  analysis_.count(Case::collective_incomplete);
  Time first = Time::latest();
  instance.members.for_each_call(
      [&](Rank, const Member& member) { first = std::min(first, calls_[member.call].end_recorded); });
  for (Rank rank = 0; rank < instance.members.size(); ++rank)
    if (instance.members[rank].call == no_call && !instance.members[rank].excused)
      analysis_.lost({instance.opened.roster->members[rank], instance.communicator, instance.operation, first});
  instance.members.excuse_without_call();
  instance.counts.ends_open -= instance.counts.missing;
  instance.counts.settled += std::exchange(instance.counts.missing, 0);
  find_frontiers(instance);
  wake(instance, 0, instance.members.size());
}

bool Collectives::agrees(const Instance& instance, const Event& end) noexcept {
  return instance.operation == end.operation && (!info(instance.operation).rooted || instance.root == end.root);
}

void Collectives::disagree(Instance& instance) {
  analysis_.count(Case::operation_mismatch);
  if (std::exchange(instance.disagrees, true)) return;
  instance.members.for_each_call([&](Rank, const Member& member) {
    if (!calls_[member.call].end_processed) calls_[member.call].receives = false;
  });
  wake(instance, 0, instance.members.size());
}

// ---- bounds -----------------------------------------------------------------------------------

void Collectives::insert_tail(const Instance& instance, Rank rank, Sums& sums) const {
  const Member& member = instance.members[rank];
  if (!is_tail(instance, member)) return;
  const Call& call = calls_[member.call];
  const ClockIndex clock = instance.clock_of(rank);
  sums.latest.insert({moment(call.begin, call.begin_offset), call.process, clock, call.node, rank});
  sums.simple.insert({moment(call.begin, call.begin_simple_offset), call.process, clock, call.node, rank});
}

void Collectives::find_tails(Instance& instance, Rank rank, const Sums& sums) const {
  Member& member = instance.members.called(rank);
  const Call& call = calls_[member.call];
  const ClockIndex clock = instance.clock_of(rank);
  const Found tail = sums.latest.find({call.process, call.node}, clock);
  const Found simple_tail = sums.simple.find({call.process, call.node}, clock);
  member.latest = {tail.delay, simple_tail.delay, tail.rank, simple_tail.rank};
  member.summed_up = true;
}

Collectives::Sums& Collectives::sums_of(Instance& instance) {
  if (!instance.sums) {
    instance.sums = std::make_unique<Sums>(*instance.opened.delays);
    count_sums(instance);
  }
  return *instance.sums;
}

void Collectives::count_sums(Instance& instance) noexcept {
  const std::uint64_t bytes =
      (instance.sums ? instance.sums->memory() : 0) + (instance.tails ? instance.tails->memory : 0);
  member_memory_ += bytes - std::exchange(instance.sums_memory, bytes);
}

/// The end came when those of higher ranks had been summed up: its member was excused, as all have settled.
void Collectives::sum_up_late(Instance& instance, Rank wanted) {
  if (!instance.tails) find_settled(instance);
  const Settled& settled = *instance.tails;
  const auto end = static_cast<std::size_t>(std::lower_bound(settled.tails.begin(), settled.tails.end(), wanted) -
                                            settled.tails.begin());
  Sums sums = settled.before[end / settled.block];
  for (std::size_t i = end / settled.block * settled.block; i < end; ++i) insert_tail(instance, settled.tails[i], sums);
  find_tails(instance, wanted, sums);
}

void Collectives::find_settled(Instance& instance) {
  auto settled = std::make_unique<Settled>();
  instance.members.for_each_call([&](Rank rank, const Member& member) {
    if (is_tail(instance, member)) settled->tails.push_back(rank);
  });
  // Sums have a part for each node; where delays of single pairs matter, they are as many as the tails.
  Sums all(*instance.opened.delays);
  for (const Rank rank : settled->tails) insert_tail(instance, rank, all);
  settled->block = instance.opened.delays->has_pairs() ? settled->tails.size() + 1 : 64 + all.latest.nodes();
  Sums sums(*instance.opened.delays);
  for (std::size_t i = 0; i <= settled->tails.size(); ++i) {
    if (i % settled->block == 0) settled->before.push_back(sums);
    if (i < settled->tails.size()) insert_tail(instance, settled->tails[i], sums);
  }
  settled->memory = on_heap(settled->tails) + settled->before.size() * all.memory();
  instance.tails = std::move(settled);
  count_sums(instance);
}

void Collectives::sum_up(Instance& instance, Rank wanted) {
  const Rank size = instance.members.size();
  if (instance.kind == CollectiveClass::prefix) {
    if (instance.members[wanted].summed_up) return;
    if (instance.sums && instance.sums->next > wanted) return sum_up_late(instance, wanted);
  }
  Sums& sums = sums_of(instance);
  if (instance.kind == CollectiveClass::prefix) {
    for (; sums.next <= wanted && sums.next < instance.frontier; sums.next = instance.members.behind(sums.next)) {
      if (instance.members[sums.next].call == no_call) continue;
      find_tails(instance, sums.next, sums);
      insert_tail(instance, sums.next, sums);
    }
    if (sums.next > wanted) return;
    // Behind one of its clock that is not settled.
    Sums more = sums;
    instance.members.for_each_call(more.next, wanted,
                                   [&](Rank rank, const Member&) { insert_tail(instance, rank, more); });
    return find_tails(instance, wanted, more);
  }
  if (instance.kind == CollectiveClass::one_to_n) {
    if (sums.next == 0 && instance.root < size && instance.members[instance.root].settled()) {
      insert_tail(instance, instance.root, sums);
      sums.next = size;
    }
  } else if (!instance.shared) {
    instance.members.for_each_call(sums.next, size,
                                   [&](Rank rank, const Member&) { insert_tail(instance, rank, sums); });
    sums.next = size;
  }
  find_tails(instance, wanted, sums);
}

Bound Collectives::bound(CallId id) {
  const Call& call = calls_[id];
  Instance& instance = instances_[call.instance];
  if (!is_head(instance, instance.members[call.rank])) return {};
  sum_up(instance, call.rank);
  if (!instance.opened.delays->uniform()) count_sums(instance);
  const Latest& latest = instance.members[call.rank].latest;
  if (latest.tail == no_rank) return {};
  const Call& tail = calls_[instance.members[latest.tail].call];
  const Call& simple = calls_[instance.members[latest.simple_tail].call];
  return {true, add_saturating(tail.begin - call.end, latest.delay), tail.begin_offset,
          add_saturating(simple.begin - call.end, latest.simple_delay), simple.begin_simple_offset};
}

// ---- limits -----------------------------------------------------------------------------------

void Collectives::end_processed(CallId id, double offset) {
  Call& call = calls_[id];
  call.end_processed = true;
  call.end_offset = offset;
  Instance& instance = instances_[call.instance];
  --instance.counts.ends_open;
  if (!instance.heads_changed) {
    instance.heads_changed = true;
    changed_.push_back(call.instance);
  }
  retire_if_done(call.instance);
}

void Collectives::limit(Instance& instance, Rank tail, Rank head, Ticks delay) {
  const Call& s = calls_[instance.members[tail].call];
  const Call& r = calls_[instance.members[head].call];
  // Below D of the begin only where D of the end was cut off: that does not hold the begin back.
  const Ticks more = subtract_saturating(r.end - s.begin, delay);
  if (!is_exact(r.end_offset, more)) instance.as_written = true;
  const double most = plus_at_most(r.end_offset, more);
  limits_.push_back({s.process, s.begin_index, std::max(s.begin_offset, most)});
}

void Collectives::find_limits(Instance& instance) {
  instance.heads_changed = false;
  Extremes<false> earliest(*instance.opened.delays);
  const auto insert = [&](Rank rank) {
    const Member& member = instance.members[rank];
    if (!is_head(instance, member) || !calls_[member.call].end_processed) return;
    const Call& call = calls_[member.call];
    earliest.insert({moment(call.end, call.end_offset), call.process, instance.clock_of(rank), call.node, rank});
  };
  const auto find = [&](Rank rank) {
    const Member& member = instance.members[rank];
    if (!is_tail(instance, member)) return;
    const Call& call = calls_[member.call];
    const Found head = earliest.find({call.process, call.node}, instance.clock_of(rank));
    if (head.rank != no_rank) limit(instance, rank, head.rank, head.delay);
  };
  if (instance.kind == CollectiveClass::prefix) {
    instance.members.for_each_call_backwards([&](Rank rank) {
      find(rank);
      insert(rank);
    });
    return;
  }
  instance.members.for_each_call([&](Rank rank, const Member&) { insert(rank); });
  instance.members.for_each_call([&](Rank rank, const Member&) { find(rank); });
}

void Collectives::refresh_limits() {
  for (const InstanceId id : changed_) {
    if (!instances_[id].open || !instances_[id].heads_changed) continue;
    find_limits(instances_[id]);
    looked_at_ += instances_[id].members.calls();
  }
  changed_.clear();
}

/// The members, with recorded times.
void Collectives::gather(const Instance& instance) {
  observed_.clear();
  observed_root_ = no_rank;
  instance.members.for_each_call([&](Rank rank, const Member& member) {
    if (rank == instance.root) observed_root_ = static_cast<Rank>(observed_.size());
    const Call& call = calls_[member.call];
    CollectiveMember seen;
    seen.process = call.process;
    seen.clock = instance.clock_of(rank);
    seen.node = call.node;
    seen.begin = call.begin_recorded;
    seen.end = call.end_recorded;
    seen.tail = !instance.disagrees && is_tail(instance, member);
    seen.head = !instance.disagrees && is_head(instance, member);
    observed_.push_back(seen);
  });
}

void Collectives::observe(const Instance& instance) {
  gather(instance);
  analysis_.collective(instance.kind, observed_root_, observed_, *instance.opened.delays, instance.shared);
}

void Collectives::retire_if_done(InstanceId id) {
  Instance& instance = instances_[id];
  if (!instance.open || instance.counts.ends_open > 0) return;
  if (instance.heads_changed) find_limits(instance);
  instance.open = false;
  member_memory_ -= memory_of(instance);
  instance.sums.reset();
  instance.tails.reset();
  count_sums(instance);
  if (instance.given_up) return linger(id);
  observe(instance);
  if (instance.as_written) return linger(id);
  retire(id);
}

void Collectives::retire(InstanceId id) {
  Instance& instance = instances_[id];
  instance.members.for_each_call([&](Rank, const Member& member) {
    calls_[member.call].instance = no_instance;
    calls_.drop(member.call);  // its begin may be late
  });
  instance.opened.roster = nullptr;
  OfCommunicator& state = *communicators_[instance.communicator];
  state.instances[instance.number - state.first] = done_instance;
  for (; !state.instances.empty() && state.instances.front() == done_instance; ++state.first)
    state.instances.pop_front();
  free_instances_.push_back(id);
}

// ---- what was given up ------------------------------------------------------------------------

void Collectives::linger(InstanceId id) {
  Instance& instance = instances_[id];
  instance.lingers = true;
  instance.members.for_each_call(
      [&](Rank, const Member& member) { instance.counts.unwritten += unwritten(calls_[member.call]); });
  lingering_calls_ += instance.members.calls();
  instance.counts.absent = instance.members.size() - static_cast<std::uint32_t>(instance.members.calls());
  lingering_members_ += instance.members.size();
  lingering_.emplace_back(id, instance.serial);
  judge_if_written(id);
  while (!lingering_.empty()) {
    const auto [oldest, serial] = lingering_.front();
    const bool here = instances_[oldest].serial == serial && instances_[oldest].lingers;
    if (here && lingering_members_ <= most_lingering) return;
    lingering_.pop_front();
    if (here) let_go(oldest);
  }
}

Collectives::ReadEnd Collectives::read_late_end(InstanceId id, Rank rank, CallId call_id, const Event& event,
                                                EventIndex index) {
  Instance& instance = instances_[id];
  if (rank >= instance.members.size() || instance.opened.roster->members[rank] != event.process ||
      instance.members[rank].call != no_call) {
    analysis_.count(Case::not_a_member);
    return {};
  }
  analysis_.count(Case::late_member);
  Call& call = calls_[call_id];
  take_end(call, instance, event, index);
  call.instance = id;
  call.rank = rank;
  call.late = true;
  if (!agrees(instance, event)) disagree(instance);
  instance.members.set_call(rank, call_id);
  instance.counts.unwritten += unwritten(call);
  ++lingering_calls_;
  --instance.counts.absent;
  return {call_id, id, false, true};
}

void Collectives::written(CallId id, ClockIndex clock, EventIndex index, bool end, Time time) {
  Call& call = calls_[id];
  if (call.process == no_process || definitions_.processes()[call.process].clock != clock ||
      (end ? call.end_index : call.begin_index) != index)
    return;  // it is done
  (end ? call.end_written : call.begin_written) = time;
  (end ? call.end_is_written : call.begin_is_written) = true;
  if (call.instance == no_instance || !instances_[call.instance].lingers) return;
  --instances_[call.instance].counts.unwritten;
  judge_if_written(call.instance);
}

bool Collectives::judges(CallId id, ClockIndex clock, EventIndex index) const {
  const Call& call = calls_[id];
  return call.process != no_process && definitions_.processes()[call.process].clock == clock &&
         call.begin_index == index && call.instance != no_instance && instances_[call.instance].as_written;
}

void Collectives::judge_if_written(InstanceId id) {
  Instance& instance = instances_[id];
  if (instance.counts.absent > 0 || instance.counts.unwritten > 0) return;
  instance.members.for_each_call([&](Rank, Member& member) {
    member.excused = false;
    member.contributed = true;
    calls_[member.call].late = false;
  });
  if (instance.given_up)
    observe(instance);
  else
    gather(instance);
  for (Rank rank = 0; rank < instance.members.size(); ++rank) {
    observed_[rank].begin = calls_[instance.members[rank].call].begin_written;
    observed_[rank].end = calls_[instance.members[rank].call].end_written;
  }
  analysis_.collective_left(instance.kind, instance.root, observed_, *instance.opened.delays, instance.shared);
  lingering_calls_ -= instance.members.size();
  lingering_members_ -= instance.members.size();
  instance.lingers = false;
  retire(id);
}

void Collectives::let_go(InstanceId id) {
  Instance& instance = instances_[id];
  if (instance.given_up) observe(instance);
  lingering_calls_ -= instance.members.size() - instance.counts.absent;
  lingering_members_ -= instance.members.size();
  instance.lingers = false;
  retire(id);
}

void Collectives::close() {
  calls_.close();
  for (const auto& [id, serial] : lingering_)
    if (instances_[id].serial == serial && instances_[id].lingers && instances_[id].counts.absent > 0) let_go(id);
}

}  // namespace clc
