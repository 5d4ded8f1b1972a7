// Threads of one process: teams, locks, threads that make others.
#include <utility>

#include "otf2/event_kinds.hpp"
#include "otf2/event_reader.hpp"

namespace clc::otf2 {

void EventReader::add_fork(OTF2_TimeStamp time) {
  add_internal(time, number(EventKind::ThreadFork));
  if (archive_.teams().empty()) return;
  if (!forked_) add_call_begin(fork_call);
  forked_ = true;
}

void EventReader::add_team_begin(OTF2_TimeStamp time, OTF2_CommRef ref) {
  at(time);
  OpenTeam open;
  open.master = forked_;
  if (Teams::Team* const team = archive_.teams().find(ref)) {
    open.paradigm = team->paradigm;
    const Teams::Region* const region =
        team->even ? members_.try_emplace(ref, *team, index_).first->second.next() : nullptr;
    if (region == nullptr) {
      ++archive_.oddities.uneven_regions;
    } else if (region->size > 1) {
      open.communicator = archive_.communicators().team(ref, region->size, lines_);
      open.even = region->barriers != Teams::Region::uneven;
    }
  }
  if (open.communicator != no_communicator) {
    if (!forked_) add_call_begin(fork_call);
    add_call_end(fork_call, Operation::bcast, open.communicator, forked_ ? 1 : 0, forked_ ? 0 : 1);
  } else if (forked_) {
    drop_call(fork_call);
  }
  forked_ = false;
  teams_.push_back(open);
  put_internal(number(EventKind::ThreadTeamBegin));
}

void EventReader::add_team_end(OTF2_TimeStamp time) {
  add_internal(time, number(EventKind::ThreadTeamEnd));
  if (teams_.empty()) return;
  const OpenTeam left = teams_.back();
  teams_.pop_back();
  if (left.communicator == no_communicator) return;
  add_call_begin(join_call);
  if (left.master)
    joins_ = left.communicator;
  else
    add_call_end(join_call, Operation::gather, left.communicator, 1, 0);
}

void EventReader::add_join(OTF2_TimeStamp time) {
  at(time);
  if (std::exchange(forked_, false)) drop_call(fork_call);
  if (joins_ != no_communicator)
    add_call_end(join_call, Operation::gather, std::exchange(joins_, no_communicator), 0, 1);
  put_internal(number(EventKind::ThreadJoin));
}

void EventReader::enter_barrier(OpenTeam& team) {
  if (++team.barriers != 1) return;
  if (team.even)
    add_call_begin(barrier_call);
  else
    ++archive_.oddities.uneven_barriers;
}

void EventReader::leave_barrier(OpenTeam& team) {
  if (team.barriers == 0 || --team.barriers > 0 || !team.even) return;
  add_call_end(barrier_call, Operation::barrier, team.communicator, 0, 0);
}

namespace {

/// What the holder of that number waits for.
std::int64_t lock_tag(std::uint32_t lock, std::uint32_t order) noexcept {
  return static_cast<std::int64_t>(std::uint64_t{lock} << 32U | order);
}

}  // namespace

void EventReader::add_acquire(OTF2_TimeStamp time, std::size_t kind, OTF2_Paradigm paradigm, std::uint32_t lock,
                              std::uint32_t order) {
  at(time);
  // The first holder, number 0 or 1, gets it from nobody; who has it already does not wait.
  if (archive_.thread_delay() > 0 && location_.threads > 1 && locks_[{paradigm, lock}]++ == 0 && order > 1) {
    Event event;
    event.communicator = archive_.communicators().lock(location_.group, paradigm, lines_);
    event.tag = lock_tag(lock, order);
    add(Kind::receive, event);
  }
  put_internal(kind);
}

void EventReader::add_release(OTF2_TimeStamp time, std::size_t kind, OTF2_Paradigm paradigm, std::uint32_t lock,
                              std::uint32_t order) {
  add_internal(time, kind);
  if (archive_.thread_delay() == 0 || location_.threads < 2) return;
  const auto held = locks_.find({paradigm, lock});
  if (held != locks_.end()) {
    if (--held->second > 0) return;
    locks_.erase(held);
  }
  Event event;
  event.communicator = archive_.communicators().lock(location_.group, paradigm, lines_);
  event.tag = lock_tag(lock, order + 1);
  add(Kind::send, event);
}

void EventReader::add_thread(OTF2_TimeStamp time, std::size_t kind, Role role, OTF2_CommRef contingent,
                             std::uint64_t sequence, bool end) {
  at(time);
  const Ranks* const ranks = archive_.communicators().ranks(contingent);
  const bool orders =
      archive_.thread_delay() > 0 && ranks != nullptr && ranks->threads && sequence != OTF2_UNDEFINED_UINT64;
  Event event;
  if (orders) {
    event.communicator = ranks->index;
    event.tag = static_cast<std::int64_t>(2 * sequence + (end ? 1 : 0));
    if (role == Role::receive) add(Kind::receive, event);
  }
  put_internal(kind);
  if (orders && role == Role::send) add(Kind::send, event);
}

}  // namespace clc::otf2
