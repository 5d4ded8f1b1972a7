// The part of a record that the clock reads: time, process, role, and the key of its edge.
//
// Place    A source fills `Event`s, `Filter::push` takes them. The rest of the record is its payload:
//          bytes (`Body`) that the clock passes on without reading them.
// Cost     Headers that only name processes, or pass events on by reference, include clc/indexes.hpp instead: a change
//          of this file should rebuild little.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "clc/indexes.hpp"
#include "clc/time.hpp"

namespace clc {

/// The meaning of an event to the clock. Events without edges are `internal`.
enum class Role : std::uint8_t { internal, send, receive, collective_begin, collective_end };

/// Operations that order the members of a communicator [L 3.4].
enum class Operation : std::uint8_t {
  barrier,
  bcast,
  scatter,
  scatterv,
  reduce,
  gather,
  gatherv,
  allreduce,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
};

/// The four ways in which a collective operation orders begins before ends [L 3.4].
/// `prefix` is an extension: [L] does not cover scan and exscan.
enum class CollectiveClass : std::uint8_t {
  one_to_n,  ///< root's begin before every other end that receives data
  n_to_one,  ///< every other begin that sends data before root's end
  n_to_n,    ///< every begin that sends data before every end that receives data
  prefix,    ///< begins of lower ranks before the end of a rank
};

/// A member that sends data is a tail if its begin comes before the ends of others; one that receives data is a head if
/// its end comes after the begins of others [L 3.4].
[[nodiscard]] constexpr bool can_be_tail(CollectiveClass kind, Rank member, Rank root) noexcept {
  if (kind == CollectiveClass::one_to_n) return member == root;
  return kind != CollectiveClass::n_to_one || member != root;
}
[[nodiscard]] constexpr bool can_be_head(CollectiveClass kind, Rank member, Rank root) noexcept {
  if (kind == CollectiveClass::n_to_one) return member == root;
  return kind != CollectiveClass::one_to_n || member != root;
}
/// Does the begin of member `tail` come before the end of member `head`, if they are a tail and a head?
[[nodiscard]] constexpr bool orders(CollectiveClass kind, Rank tail, Rank head, Rank root) noexcept {
  if (kind == CollectiveClass::prefix) return tail < head;
  return tail != head && can_be_tail(kind, tail, root) && can_be_head(kind, head, root);
}

struct OperationInfo {
  Operation operation;
  std::string_view name;  ///< as written in traces and reports
  CollectiveClass kind;
  bool rooted;
};

inline constexpr std::array<OperationInfo, 17> operations{{
    {Operation::barrier, "barrier", CollectiveClass::n_to_n, false},
    {Operation::bcast, "bcast", CollectiveClass::one_to_n, true},
    {Operation::scatter, "scatter", CollectiveClass::one_to_n, true},
    {Operation::scatterv, "scatterv", CollectiveClass::one_to_n, true},
    {Operation::reduce, "reduce", CollectiveClass::n_to_one, true},
    {Operation::gather, "gather", CollectiveClass::n_to_one, true},
    {Operation::gatherv, "gatherv", CollectiveClass::n_to_one, true},
    {Operation::allreduce, "allreduce", CollectiveClass::n_to_n, false},
    {Operation::allgather, "allgather", CollectiveClass::n_to_n, false},
    {Operation::allgatherv, "allgatherv", CollectiveClass::n_to_n, false},
    {Operation::alltoall, "alltoall", CollectiveClass::n_to_n, false},
    {Operation::alltoallv, "alltoallv", CollectiveClass::n_to_n, false},
    {Operation::alltoallw, "alltoallw", CollectiveClass::n_to_n, false},
    {Operation::reduce_scatter, "reduce_scatter", CollectiveClass::n_to_n, false},
    {Operation::reduce_scatter_block, "reduce_scatter_block", CollectiveClass::n_to_n, false},
    {Operation::scan, "scan", CollectiveClass::prefix, false},
    {Operation::exscan, "exscan", CollectiveClass::prefix, false},
}};

[[nodiscard]] constexpr const OperationInfo& info(Operation operation) noexcept {
  return operations[static_cast<std::size_t>(operation)];
}

/// The largest value of Event::overtakes.
inline constexpr std::uint16_t most_overtaken = 0xffff;

/// The largest values of Event::missed and Event::absent.
inline constexpr std::uint16_t most_missed = 0xffff;
inline constexpr std::uint8_t most_absent = 0xff;

/// What is known about the other end of a message before its channel is read: for all ends of a channel, or for none.
enum class OtherEnd : std::uint8_t {
  unknown,
  present,  ///< in the trace: first in, first out is correct for all of these
  missing,  ///< not in the trace: the event creates no edge
};

/// One record of a trace, as the clock sees it. The fields after `role` count only for the roles named beside them.
struct Event {
  Time time;                                         ///< recorded time C(e)
  ProcessIndex process = 0;                          ///< where it happened
  Role role = Role::internal;                        ///< its meaning to the clock
  Operation operation = Operation::barrier;          ///< collective_end
  std::uint16_t overtakes = 0;                       ///< receive: number of receives of its channel that were posted
                                                     ///< earlier but complete later; they match the earlier sends
  ProcessIndex peer = no_process;                    ///< send: receiver; receive: sender; no_process: unknown,
                                                     ///< matched by communicator and tag alone
  CommunicatorIndex communicator = no_communicator;  ///< send, receive, collective_end
  Rank root = no_rank;                               ///< collective_end of a rooted operation
  OtherEnd other_end = OtherEnd::unknown;            ///< send, receive
  std::uint8_t absent = 0;                           ///< collective_end: members of which it is known that their record
                                                     ///< of the operation is missing; most_absent: or more
  std::uint16_t missed = 0;                          ///< collective_end: operations of its communicator since the one
                                                     ///< before of its process of which the record is missing
  std::int64_t tag = 0;                              ///< send, receive: tag; collective begin/end: call id
                                                     ///< that links an end to its begin (0: the latest begin)
  std::uint64_t bytes = 0;                           ///< send, receive: length; collective_end: bytes sent
  std::uint64_t received = 0;                        ///< collective_end: bytes received

  friend bool operator==(const Event&, const Event&) = default;
};

static_assert(sizeof(Event) == 56, "copied with each record");

/// The sender and the receiver of the message to which a send or receive belongs.
[[nodiscard]] constexpr ProcessIndex sender_of(const Event& event) noexcept {
  return event.role == Role::send ? event.process : event.peer;
}
[[nodiscard]] constexpr ProcessIndex receiver_of(const Event& event) noexcept {
  return event.role == Role::send ? event.peer : event.process;
}

}  // namespace clc
