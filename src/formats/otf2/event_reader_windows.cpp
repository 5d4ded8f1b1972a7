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
  event.communicator = archive_.window_communicator(window, lines_);
  if (event.communicator == no_communicator) {
    archive_.unknown_communicators += known ? 1U : 0U;
    event.communicator = archive_.self_communicator(OTF2_UNDEFINED_COMM, index_, lines_);
  }
  put_end(event, known, root, sent, received);
}

void EventReader::add_group_sync(OTF2_TimeStamp time, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window,
                                 OTF2_GroupRef group) {
  const bool first = location_.events == 0;
  at(time);
  if (epoch_.kind != Archive::Epoch::none) return add_epoch(level, window, group);
  const CommunicatorIndex communicator = (level & OTF2_RMA_SYNC_LEVEL_PROCESS) == 0
                                             ? no_communicator
                                             : archive_.group_communicator(window, group, index_, lines_);
  if (communicator != no_communicator) {
    // When it began is not recorded, but not before the event ahead of it.
    const Time now = std::exchange(now_, first ? now_ : before_);
    Event begin;
    begin.tag = group_sync_call;
    add(Kind::collective_begin, begin, first ? recorded() : run_->recorded(run_->events.size() - 1));
    now_ = now;
    add_call_end(group_sync_call, Operation::barrier, communicator, 0, 0);
  } else {
    ++archive_.one_sided;
  }
  put_internal(number(EventKind::RmaGroupSync));
}

// The others have completed their accesses before MPI_Win_wait ends. MPI_Win_start and complete need not wait for
// MPI_Win_post.
void EventReader::add_epoch(OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, OTF2_GroupRef group) {
  const clc::Members* const others = archive_.window_group(group);
  Event event;
  event.communicator = archive_.window_communicator(window, lines_);
  event.tag = epoch_tag;
  // A call synchronizes with one group.
  if (epoch_.kind == Archive::Epoch::begin || epoch_.synchronized || (level & OTF2_RMA_SYNC_LEVEL_PROCESS) == 0 ||
      others == nullptr || event.communicator == no_communicator) {
    ++archive_.one_sided;
  } else {
    epoch_.synchronized = true;
    std::vector<Event> events;
    events.reserve(others->size());
    for (const ProcessIndex other : *others) {
      event.peer = other;
      if (other != index_) events.push_back(event);
    }
    if (epoch_.kind == Archive::Epoch::access_end)
      insert_sends(events);
    else
      epoch_.awaited.insert(epoch_.awaited.end(), events.begin(), events.end());
  }
  put_internal(number(EventKind::RmaGroupSync));
}

void EventReader::insert_sends(std::vector<Event>& sends) {
  if (sends.empty()) return;
  const std::size_t call = epoch_.place == 0 ? 0 : epoch_.place - 1;
  const Time time = run_->events.empty() ? now_ : run_->events[call].time;
  const std::optional<Time> kept = run_->events.empty() ? recorded() : run_->recorded(call);
  location_.communicates = true;
  std::string bytes;
  std::vector<std::size_t> ends;
  for (Event& event : sends) {
    event.role = Role::send;
    event.process = index_;
    event.time = time;
    if (!bodies_) continue;
    encode_body({Kind::send, event, {}, kept}, bytes);
    ends.push_back(bytes.size());
  }
  run_->insert_added(epoch_.place, sends, bytes, ends);
  receives_.shift(epoch_.place, sends.size());
  requests_.shift(epoch_.place, sends.size());
  epoch_.place += sends.size();
}

/// Within a call others may be entered and left, also calls for windows.
void EventReader::pass_epoch(Kind kind, OTF2_RegionRef region) {
  constexpr std::size_t deepest = 16;  // more are calls whose ends are missing
  if (kind == Kind::enter && archive_.epoch(region) == Archive::Epoch::none) {
    ++epoch_.within;
  } else if (kind == Kind::leave && epoch_.within > 0) {
    --epoch_.within;
  } else if (kind == Kind::enter) {
    if (outer_epochs_.size() == deepest) outer_epochs_.erase(outer_epochs_.begin());
    outer_epochs_.push_back(std::exchange(epoch_, {}));
  } else {
    leave_epoch();
  }
}

void EventReader::leave_epoch() {
  for (const Event& event : epoch_.awaited) add(Kind::receive, event);
  const EpochCall inner = std::exchange(epoch_, {});
  if (outer_epochs_.empty()) return;
  epoch_ = std::move(outer_epochs_.back());
  outer_epochs_.pop_back();
  // An inner call of its kind did what the outer one is for.
  if (inner.synchronized && inner.kind == epoch_.kind) epoch_.synchronized = true;
}

void EventReader::add_sync(OTF2_TimeStamp time, OTF2_RmaWinRef window, std::uint32_t remote, OTF2_RmaSyncType type) {
  at(time);
  Event event;
  event.peer = archive_.window_rank(window, remote);
  if (event.peer == no_process || (type != OTF2_RMA_SYNC_TYPE_NOTIFY_IN && type != OTF2_RMA_SYNC_TYPE_NOTIFY_OUT)) {
    ++archive_.one_sided;
    return put_internal(number(EventKind::RmaSync));
  }
  event.communicator = archive_.window_communicator(window, lines_);
  if (type == OTF2_RMA_SYNC_TYPE_NOTIFY_IN) add(Kind::receive, event);
  put_internal(number(EventKind::RmaSync));
  if (type == OTF2_RMA_SYNC_TYPE_NOTIFY_OUT) add(Kind::send, event);
}

void EventReader::add_one_sided(OTF2_TimeStamp time, std::size_t kind) {
  ++archive_.one_sided;
  add_internal(time, kind);
}

}  // namespace clc::otf2
