// Collective operations, blocking and not, and those between two groups.
#include <optional>

#include "otf2/event_kinds.hpp"
#include "otf2/event_reader.hpp"

namespace clc::otf2 {

void EventReader::add_begin(OTF2_TimeStamp time, std::int64_t call) {
  Event event;
  event.role = Role::collective_begin;
  event.tag = call;
  location_.communicates = true;
  take(time, event);
  if (bodies_) add_body({Kind::collective_begin, event, {}, {}});
  if (rank_ == index_ || call != 0) [[likely]]
    return;
  event.tag = call_of_thread(index_);
  add_of_rank(Kind::collective_begin, event);
}

bool EventReader::add_end_of_rank(const Ranks* ranks, std::optional<Operation> operation, std::uint32_t root,
                                  std::uint64_t sent, std::uint64_t received) {
  const bool is_of_rank = ranks == nullptr || !ranks->threads;
  const bool orders = is_of_rank && ranks != nullptr && ranks->kind == Ranks::Kind::plain;
  Event event;
  event.tag = call_of_thread(index_);
  event.communicator = orders ? ranks->index : archive_.communicators().self(OTF2_UNDEFINED_COMM, rank_, lines_);
  if (!is_of_rank) operation.reset();
  add_of_rank(Kind::collective_end, end_of(event, operation, root, sent, received));
  if (!is_of_rank) return false;
  Event own;  // closes the call of the thread
  own.communicator = archive_.communicators().self(OTF2_UNDEFINED_COMM, index_, lines_);
  put_end(own, std::nullopt, root, sent, received);
  return true;
}

void EventReader::add_end(OTF2_TimeStamp time, OTF2_CollectiveOp operation, OTF2_CommRef communicator,
                          std::uint32_t root, std::uint64_t sent, std::uint64_t received, std::int64_t call) {
  at(time);
  const Ranks* const ranks = archive_.communicators().ranks(communicator);
  std::optional<Operation> known = operation_of(operation);
  if (operation > OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE) [[unlikely]]
    ++archive_.unknown_operations;
  if (ranks == nullptr) [[unlikely]]
    ++archive_.unknown_communicators;
  if (rank_ != index_ && call == 0 && add_end_of_rank(ranks, known, root, sent, received)) return;
  if (ranks != nullptr && ranks->kind == Ranks::Kind::inter)
    return add_end_between_groups(*ranks, communicator, known, root, sent > 0, received > 0, call);
  Event event;
  event.tag = call;
  // Alone: the end must have a begin, but orders nothing.
  if (ranks == nullptr || ranks->kind == Ranks::Kind::self)
    event.communicator = archive_.communicators().self(communicator, index_, lines_);
  else
    event.communicator =
        call == 0 || archive_.own().peers ? ranks->index : requests_.complete(call, communicator, *run_);
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
  const bool first = ranks.in_group->at(index_);
  add_call_end(call, Operation::scan, archive_.communicators().direction(communicator, first, lines_),
               operation && sent ? 1 : 0, 0);
  add_call_begin(between_call);
  Event event;
  event.tag = between_call;
  event.communicator = archive_.communicators().direction(communicator, !first, lines_);
  put_end(event, Operation::scan, OTF2_UNDEFINED_UINT32, 0, operation && received ? 1 : 0);
}

}  // namespace clc::otf2
