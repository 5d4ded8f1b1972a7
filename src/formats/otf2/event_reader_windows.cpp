// One-sided communication: operations on windows, groups that synchronize, notifications.
#include <optional>
#include <utility>

#include "otf2/event_kinds.hpp"
#include "otf2/event_reader.hpp"

namespace clc::otf2 {

void EventReader::add_window_end(OTF2_TimeStamp time, OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level,
                                 OTF2_RmaWinRef window, std::uint32_t root, std::uint64_t sent,
                                 std::uint64_t received) {
  at(time);
  std::optional<Operation> known = operation_of(operation);
  if ((level & OTF2_RMA_SYNC_LEVEL_PROCESS) == 0) known.reset();
  Event event;
  event.tag = window_call;
  event.communicator = archive_.communicators().window(window, lines_);
  if (event.communicator == no_communicator) archive_.oddities.unknown_communicators += known ? 1U : 0U;
  if (rank_ != index_) {
    if (member_of(window) == rank_)
      return put_end_for_rank(window_call, event.communicator, known, root, sent, received);
    add_end_of_rank(window_call, no_communicator, std::nullopt, root, sent, received);
  }
  if (event.communicator == no_communicator)
    event.communicator = archive_.communicators().self(OTF2_UNDEFINED_COMM, index_, lines_);
  put_end(event, known, root, sent, received);
}

ProcessIndex EventReader::member_of(OTF2_RmaWinRef window) {
  return rank_ == index_ || archive_.communicators().is_in_window(window, index_) ? index_ : rank_;
}

void EventReader::add_group_sync(OTF2_TimeStamp time, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window,
                                 OTF2_GroupRef group) {
  const bool first = location_.events == 0;
  at(time);
  if (window_calls_.any()) return add_epoch(level, window, group);
  const bool orders = (level & OTF2_RMA_SYNC_LEVEL_PROCESS) != 0;
  CommunicatorIndex communicator =
      orders ? archive_.communicators().group(window, group, index_, lines_) : no_communicator;
  const bool for_rank = orders && communicator == no_communicator && rank_ != index_;
  if (for_rank) communicator = archive_.communicators().group(window, group, rank_, lines_);
  if (communicator != no_communicator) {
    // When it began is not recorded, but not before the event ahead of it.
    const Time now = std::exchange(now_, first ? now_ : before_);
    Event begin;
    begin.tag = for_rank ? of_rank(group_sync_call) : group_sync_call;
    add(Kind::collective_begin, begin, first ? recorded() : run_->recorded(run_->events.size() - 1));
    if (for_rank) count_for_rank();
    now_ = now;
    add_call_end(begin.tag, Operation::barrier, communicator, 0, 0);
    if (for_rank) count_for_rank();
  } else {
    ++archive_.oddities.one_sided;
  }
  put_internal(number(EventKind::RmaGroupSync));
}

// The others have completed their accesses before MPI_Win_wait ends. MPI_Win_start and complete need not wait for
// MPI_Win_post.
void EventReader::add_epoch(OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, OTF2_GroupRef group) {
  const clc::Members* const others = archive_.communicators().window_group(group);
  WindowCalls::Call& call = window_calls_.current();
  Event event;
  event.communicator = archive_.communicators().window(window, lines_);
  event.tag = epoch_tag;
  // A call synchronizes with one group.
  if (call.kind == Epoch::begin || call.synchronized || (level & OTF2_RMA_SYNC_LEVEL_PROCESS) == 0 ||
      others == nullptr || event.communicator == no_communicator) {
    ++archive_.oddities.one_sided;
  } else {
    call.synchronized = true;
    std::vector<Event> events;
    events.reserve(others->size());
    for (const ProcessIndex other : *others) {
      event.peer = other;
      if (other != rank_) events.push_back(event);
    }
    if (call.kind == Epoch::access_end)
      insert_sends(events);
    else
      call.awaited.insert(call.awaited.end(), events.begin(), events.end());
  }
  put_internal(number(EventKind::RmaGroupSync));
}

void EventReader::insert_sends(std::vector<Event>& sends) {
  if (sends.empty()) return;
  std::size_t& place = window_calls_.current().place;
  const std::size_t call = place == 0 ? 0 : place - 1;
  const Time time = run_->events.empty() ? now_ : run_->events[call].time;
  const std::optional<Time> kept = run_->events.empty() ? recorded() : run_->recorded(call);
  location_.communicates = true;
  archive_.locations()[rank_].communicates = true;
  std::string bytes;
  std::vector<std::size_t> ends;
  for (Event& event : sends) {
    event.role = Role::send;
    event.process = rank_;
    event.time = time;
    if (!bodies_) continue;
    encode_body({Kind::send, event, {}, kept}, bytes);
    ends.push_back(bytes.size());
  }
  run_->insert_added(place, sends, bytes, ends);
  receives_.shift(place, sends.size());
  sends_.shift(place, sends.size());
  requests_.shift(place, sends.size());
  place += sends.size();
}

void EventReader::pass_epoch(Kind kind, OTF2_RegionRef region) {
  const bool enter = kind == Kind::enter;
  if (window_calls_.pass(enter, enter && archive_.regions().epoch(region) != Epoch::none)) return;
  for (const Event& event : window_calls_.leave()) add_of_rank(Kind::receive, event);
}

void EventReader::add_sync(OTF2_TimeStamp time, OTF2_RmaWinRef window, std::uint32_t remote, OTF2_RmaSyncType type) {
  at(time);
  Event event;
  event.peer = archive_.communicators().window_rank(window, remote);
  if (event.peer == no_process || (type != OTF2_RMA_SYNC_TYPE_NOTIFY_IN && type != OTF2_RMA_SYNC_TYPE_NOTIFY_OUT)) {
    ++archive_.oddities.one_sided;
    return put_internal(number(EventKind::RmaSync));
  }
  event.communicator = archive_.communicators().window(window, lines_);
  const bool for_rank = member_of(window) != index_;
  if (type == OTF2_RMA_SYNC_TYPE_NOTIFY_IN) {
    add(Kind::receive, event);
    if (for_rank) count_for_rank();
  }
  put_internal(number(EventKind::RmaSync));
  if (type == OTF2_RMA_SYNC_TYPE_NOTIFY_OUT) {
    add(Kind::send, event);
    if (for_rank) count_for_rank();
  }
}

void EventReader::add_one_sided(OTF2_TimeStamp time, std::size_t kind) {
  ++archive_.oddities.one_sided;
  add_internal(time, kind);
}

}  // namespace clc::otf2
