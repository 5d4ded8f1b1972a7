// Collective operations, blocking and not, and those between two groups.
#include <optional>

#include "otf2/event_kinds.hpp"
#include "otf2/event_reader.hpp"

namespace clc::otf2 {

void EventReader::add_begin(OTF2_TimeStamp time, std::int64_t call) {
  Event event;
  event.role = Role::collective_begin;
  event.tag = call;
  if (rank_ != index_ && is_request(call)) {  // it may be completed by another thread
    add_internal(time, number(EventKind::NonBlockingCollectiveRequest));
    return add_of_rank(Kind::collective_begin, event);
  }
  location_.communicates = true;
  take(time, event);
  if (bodies_) add_body({Kind::collective_begin, event, {}, {}});
  if (rank_ == index_) [[likely]]
    return;
  event.tag = call_of_thread(index_, call);
  add_of_rank(Kind::collective_begin, event);
}

void EventReader::put_end_for_rank(std::int64_t call, CommunicatorIndex communicator,
                                   std::optional<Operation> operation, std::uint32_t root, std::uint64_t sent,
                                   std::uint64_t received) {
  add_end_of_rank(call, communicator, operation, root, sent, received);
  put_own_end(call);
}

void EventReader::add_end_of_rank(std::int64_t call, CommunicatorIndex communicator, std::optional<Operation> operation,
                                  std::uint32_t root, std::uint64_t sent, std::uint64_t received) {
  Event event;
  event.tag = of_rank(call);
  event.communicator = communicator == no_communicator
                           ? archive_.communicators().self(OTF2_UNDEFINED_COMM, rank_, lines_)
                           : communicator;
  add_of_rank(Kind::collective_end, end_of(event, operation, root, sent, received));
}

void EventReader::put_own_end(std::int64_t call) {
  if (is_request(call)) return put_internal(number(EventKind::NonBlockingCollectiveComplete));
  Event event;
  event.tag = call;
  event.communicator = archive_.communicators().self(OTF2_UNDEFINED_COMM, index_, lines_);
  put_end(event, std::nullopt, 0, 0, 0);
}

CommunicatorIndex EventReader::requested(std::int64_t call, const Ranks* ranks, OTF2_CommRef communicator) {
  const std::uint64_t number = order_ ? order_->next_operation() : 0;
  if (ranks == nullptr || ranks->kind != Ranks::Kind::plain) {
    requests_.withdraw(call, *run_);
    return no_communicator;
  }
  if (order_) return archive_.communicators().request(communicator, number, lines_);
  return requests_.complete(call, communicator, *run_).value_or(ranks->index);
}

void EventReader::add_end(OTF2_TimeStamp time, OTF2_CollectiveOp operation, OTF2_CommRef communicator,
                          std::uint32_t root, std::uint64_t sent, std::uint64_t received, std::int64_t call) {
  at(time);
  const Ranks* const ranks = archive_.communicators().ranks(communicator);
  std::optional<Operation> known = operation_of(operation);
  if (operation > OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE) [[unlikely]]
    ++archive_.oddities.unknown_operations;
  if (ranks == nullptr) [[unlikely]]
    ++archive_.oddities.unknown_communicators;
  // Alone: the end must have a begin, but orders nothing.
  CommunicatorIndex on = ranks == nullptr || ranks->kind != Ranks::Kind::plain ? no_communicator : ranks->index;
  if (is_request(call) && !archive_.own().peers) on = requested(call, ranks, communicator);
  if (ranks != nullptr && ranks->kind == Ranks::Kind::inter)
    return add_end_between_groups(*ranks, communicator, known, root, sent > 0, received > 0, call);
  if (rank_ != index_) {
    const bool of_threads = ranks != nullptr && ranks->threads;
    if (!of_threads) return put_end_for_rank(call, on, known, root, sent, received);
    if (is_request(call)) return put_end_for_rank(call, no_communicator, std::nullopt, root, sent, received);
    add_end_of_rank(call, no_communicator, std::nullopt, root, sent, received);
  }
  Event event;
  event.tag = call;
  event.communicator = on == no_communicator ? archive_.communicators().self(communicator, index_, lines_) : on;
  put_end(event, known, root, sent, received);
}

/// The event, with what its operation says; nullopt: an unknown one.
Event EventReader::end_of(Event event, std::optional<Operation> operation, std::uint32_t root, std::uint64_t sent,
                          std::uint64_t received) noexcept {
  event.role = Role::collective_end;
  if (operation) {
    event.operation = *operation;
    event.root = info(*operation).rooted ? root : no_rank;
    event.bytes = sent;
    event.received = received;
  } else {
    // Nobody sends, nobody receives: orders nothing, and every member still counts its call.
    event.operation = Operation::alltoall;
  }
  return event;
}

void EventReader::put_end(const Event& call, std::optional<Operation> operation, std::uint32_t root, std::uint64_t sent,
                          std::uint64_t received) {
  const Event event = end_of(call, operation, root, sent, received);
  put(event);
  if (bodies_) add_body({Kind::collective_end, event, {}, {}});
}

// Between two groups data flows from one to the other and back, never within a group: two operations, one for each
// direction, in which the higher ranks wait for the lower ones. Who only receives begins when it ends, so one begin is
// enough.
void EventReader::add_end_between_groups(const Ranks& ranks, OTF2_CommRef communicator,
                                         std::optional<Operation> operation, std::uint32_t root, bool sent,
                                         bool received, std::int64_t call) {
  if (operation) {
    const bool other_group_has_root = root < OTF2_COLLECTIVE_ROOT_THIS_GROUP;
    const bool is_root = root == OTF2_COLLECTIVE_ROOT_SELF;
    switch (info(*operation).kind) {
      case CollectiveClass::one_to_n:
        sent = is_root;
        received = other_group_has_root;
        break;
      case CollectiveClass::n_to_one:
        sent = other_group_has_root;
        received = is_root;
        break;
      case CollectiveClass::n_to_n:
        if (*operation == Operation::barrier) sent = received = true;
        break;
      case CollectiveClass::prefix:
        operation.reset();
        break;
    }
  }
  const bool first = ranks.in_group->at(rank_);
  add_call_end(of_rank(call), Operation::scan, archive_.communicators().direction(communicator, first, lines_),
               operation && sent ? 1 : 0, 0);
  count_for_rank();
  add_call_begin(between_call);
  count_for_rank();
  Event event;
  event.tag = between_call;
  event.communicator = archive_.communicators().direction(communicator, !first, lines_);
  const std::uint64_t got = operation && received ? 1 : 0;
  if (rank_ == index_) return put_end(event, Operation::scan, OTF2_UNDEFINED_UINT32, 0, got);
  add_of_rank(Kind::collective_end, end_of(event, Operation::scan, OTF2_UNDEFINED_UINT32, 0, got));
  put_own_end(call);
}

}  // namespace clc::otf2
