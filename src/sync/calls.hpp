// Collective operations of a first pass: from the ends of their members to edges.
//
// Place    Beside the matching of messages, before the collector. Members and operations need not be in one place: what
//          a member tells is a value.
// Rules    The n-th calls of the members of a communicator belong together. An operation is complete when all members
//          have ended it. Of those that disagree about operation or root, no edges are made.
// Cost     One lookup per end, and one of a member in an operation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "clc/indexes.hpp"
#include "sync/collector.hpp"
#include "sync/place.hpp"
#include "trace/hash.hpp"

namespace clc::sync {

/// What the end of an operation tells.
struct Call {
  CommunicatorIndex communicator = no_communicator;
  Rank rank = 0;  ///< of the member
  std::uint64_t number = 0;
  Operation what = Operation::barrier;
  Rank root = no_rank;
  std::uint8_t absent = 0;  ///< members without a record of it; Event::absent
  Gathering::Member member;
  EventPlace place;  ///< of the end, where several processes read a trace
};

/// The calls of some processes, each in order.
class MemberCalls {
 public:
  /// definitions: of the events; they may grow.
  explicit MemberCalls(const Definitions& definitions) : definitions_(definitions) {}
  /// began: nullopt: not known. Returns nullopt where no other process takes part.
  [[nodiscard]] std::optional<Call> end(const Event& event, std::optional<Time> began, ClockIndex clock);

 private:
  struct Group {
    HashMap<ProcessIndex, std::uint64_t> calls;  ///< of each member so far
    HashMap<ProcessIndex, Rank> ranks;
    std::optional<std::uint32_t> changes;  ///< of the communicator, when they were made from it; none: not yet
    std::uint64_t to_come = 0;             ///< no member has had a call with this number or a later one
  };
  static void follow(Group& group, const Communicator& communicator);

  const Definitions& definitions_;
  HashMap<CommunicatorIndex, Group> groups_;
};

class OpenOperations {
 public:
  /// A complete one: edges, or members of which the latest binds.
  struct Complete {
    std::vector<Edge> edges;
    Gathering gathering;  ///< without members: there is none
    EventPlace place;     ///< the last of its ends
  };

  /// definitions: of the calls; they may grow.
  explicit OpenOperations(const Definitions& definitions) : definitions_(definitions) {}
  /// Returns the operation that it completes; nullopt: none that has edges.
  [[nodiscard]] std::optional<Complete> add(const Call& call);
  /// Forgets operations that all members so far ended before a time.
  void forget_before(Time time);
  /// Are there operations that some members have not ended, or of which they disagree?
  [[nodiscard]] bool lack_calls() const noexcept;

 private:
  struct Open {
    Operation what;
    Rank root;
    bool agreed;       ///< all members name the same operation and root; otherwise it has no edges
    EventPlace place;  ///< the last so far
    std::map<Rank, Gathering::Member> members;
  };
  [[nodiscard]] static std::optional<Complete> completed(const Open& open);

  const Definitions& definitions_;
  HashMap<CommunicatorIndex, std::map<std::uint64_t, Open>> open_;
  bool disagree_ = false;
};

/// The group of an operation's gathering. Communicators that an archive only implies have numbers beyond 32 bits: their
/// indexes depend on how it is read.
[[nodiscard]] std::uint64_t group_of(const Definitions& definitions, CommunicatorIndex communicator);

}  // namespace clc::sync
