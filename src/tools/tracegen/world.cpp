#include "world.hpp"

#include <cmath>
#include <utility>

#include "clc/error.hpp"

namespace clc::tracegen {

namespace {

constexpr std::uint64_t program_stream = 0x90990a;
constexpr double call_us = 0.1;  // what a call costs before and after the message itself

constexpr Ticks latest = Ticks{1} << 61;
constexpr double longest = 1e15;  // ticks that the length of a message may take

Ticks at_least_one(Ticks ticks) { return std::max<Ticks>(1, ticks); }

}  // namespace

World::World(const Settings& settings, std::uint32_t processes, Recorder& recorder)
    : recorder_(&recorder),
      random_(settings.seed, program_stream),
      now_(processes),
      present_(processes, 1),
      inside_(processes, 0),
      absences_(settings.defects.absences),
      regions_(settings.regions),
      overhead_(at_least_one(settings.resolution.ticks_of_microseconds(call_us))),
      delay_(at_least_one(settings.resolution.ticks_of_microseconds(settings.messages.delay_us.value()))),
      node_delay_(at_least_one(settings.resolution.ticks_of_microseconds(settings.messages.node_delay_us.value()))),
      per_node_(settings.processes_per_node),
      jitter_(settings.messages.jitter_us.value() * static_cast<double>(settings.resolution.per_second()) / 1e6),
      ticks_per_byte_(settings.messages.bandwidth_mb_s ? static_cast<double>(settings.resolution.per_second()) /
                                                             (*settings.messages.bandwidth_mb_s * 1e6)
                                                       : 0) {}

Ticks World::transfer(std::uint64_t bytes) const noexcept {
  return static_cast<Ticks>(std::ceil(std::min(longest, static_cast<double>(bytes) * ticks_per_byte_)));
}

bool World::absent(ProcessIndex process, double fraction) const noexcept {
  for (const PartOfRun& absence : absences_)
    if (absence.process == process && fraction >= absence.from && fraction < absence.to) return true;
  return false;
}

double World::next_presence(ProcessIndex process, double fraction) const noexcept {
  for (bool moved = true; moved;) {
    moved = false;
    for (const PartOfRun& absence : absences_)
      if (absence.process == process && fraction >= absence.from && fraction < absence.to) {
        fraction = absence.to;
        moved = true;
      }
  }
  return fraction;
}

void World::begin_round(double fraction) {
  recorder_->progress(fraction);
  for (const PartOfRun& absence : absences_) {
    const ProcessIndex process = absence.process;
    const bool present = !absent(process, fraction);
    if (present && present_[process] == 0) idle_until(process, frontier_);
    if (!present && inside_[process] != 0 && next_presence(process, fraction) > 1) {
      idle_until(process, frontier_);
      add_region(process, now_[process], Kind::leave, region_of(Region::program));
      inside_[process] = 0;
    }
    present_[process] = present;
  }
  if (!regions_) return;
  for (ProcessIndex process = 0; process < processes(); ++process)
    if (present_[process] != 0) enter_program(process);
}

Ticks World::earliest(Ticks otherwise) const noexcept {
  Ticks result = ticks_max;
  for (ProcessIndex process = 0; process < processes(); ++process)
    if (present_[process] != 0) result = std::min(result, now_[process]);
  return result == ticks_max ? otherwise : result;
}

void World::end_round(Ticks frontier) {
  frontier_ = std::max(frontier_, frontier);
  if (frontier_ > latest) throw UsageError("the run is too long for 64-bit times: choose shorter delays");
  recorder_->advance(frontier_);
}

void World::finish() {
  for (ProcessIndex process = 0; process < processes(); ++process)
    if (inside_[process] != 0) {
      idle_until(process, frontier_);
      add_region(process, now_[process], Kind::leave, region_of(Region::program));
    }
  recorder_->finish();
}

void World::begin(Collective& collective) {
  for (Rank rank = 0; rank < collective.members.size(); ++rank) {
    Member& member = collective.members[rank];
    Ticks& now = now_[member.process];
    const auto region = region_of(collective.operation);
    if (regions_) now = add_region(member.process, now, Kind::enter, region) + overhead_;
    member.begin = now;
    Point point;
    point.kind = Kind::collective_begin;
    point.tag = collective.call;
    if (rank != collective.lost || !collective.begin_lost) recorder_->add(member.process, now, point);
    now += overhead_;
    if (regions_ && collective.call != 0) now = add_region(member.process, now, Kind::leave, region) + overhead_;
  }
}

void World::end(const Collective& collective) {
  const auto region = collective.call != 0 ? region_of(Region::wait) : region_of(collective.operation);
  for (const Member& member : collective.members) {
    Ticks& now = now_[member.process];
    if (regions_ && collective.call != 0) now = add_region(member.process, now, Kind::enter, region) + overhead_;
  }
  wait_for_tails(collective);
  for (Rank rank = 0; rank < collective.members.size(); ++rank) {
    const Member& member = collective.members[rank];
    Ticks& now = now_[member.process];
    now = std::max(now, ends_[rank]);
    Point point;
    point.kind = Kind::collective_end;
    point.operation = collective.operation;
    point.communicator = collective.communicator;
    point.peer = info(collective.operation).rooted ? collective.root : no_rank;
    point.tag = collective.call;
    point.bytes = member.sent;
    point.received = member.received;
    if (rank != collective.lost) recorder_->add(member.process, now, point);
    now += overhead_;
    if (regions_) now = add_region(member.process, now, Kind::leave, region) + overhead_;
  }
}

/// Sets ends_: when the data of those who contribute is there, by rank.
void World::wait_for_tails(const Collective& collective) {
  const std::vector<Member>& members = collective.members;
  const OperationInfo& what = info(collective.operation);
  const bool barrier = collective.operation == Operation::barrier;
  const auto size = static_cast<Rank>(members.size());
  ends_.assign(size, 0);

  const auto is_tail = [&](Rank rank) { return barrier || members[rank].sent > 0; };
  const auto is_head = [&](Rank rank) { return barrier || members[rank].received > 0; };
  const auto order = [&](Rank tail, Rank head) {
    if (tail == head || !is_tail(tail) || !is_head(head)) return;
    const Ticks arrival =
        members[tail].begin + flight(members[tail].process, members[head].process, members[head].received);
    ends_[head] = std::max(ends_[head], arrival);
  };
  if (what.kind == CollectiveClass::one_to_n) {
    for (Rank head = 0; head < size; ++head) order(collective.root, head);
    return;
  }
  if (what.kind == CollectiveClass::n_to_one) {
    for (Rank tail = 0; tail < size; ++tail) order(tail, collective.root);
    return;
  }
  // The others wait for the last of those who contribute, apart from themselves: for `last`, or for the second
  // to last. What begins earlier may come from further away, hence the larger delay.
  Rank last = no_rank;
  Rank second = no_rank;
  const auto contribute = [&](Rank rank) {
    if (!is_tail(rank)) return;
    if (last == no_rank || members[rank].begin > members[last].begin) {
      second = std::exchange(last, rank);
    } else if (second == no_rank || members[rank].begin > members[second].begin) {
      second = rank;
    }
  };
  const bool prefix = what.kind == CollectiveClass::prefix;
  if (!prefix)
    for (Rank rank = 0; rank < size; ++rank) contribute(rank);
  for (Rank head = 0; head < size; ++head) {
    const Rank tail = last == head ? second : last;
    if (tail != no_rank && is_head(head)) {
      order(tail, head);
      const Ticks longest_way = std::max(delay_, node_delay_) + transfer(members[head].received);
      ends_[head] = std::max(ends_[head], members[tail].begin + longest_way);
    }
    if (prefix) contribute(head);
  }
}

}  // namespace clc::tracegen
