// Collective operations, on each rank that has members of the communicator: which begins precede which ends.
//
// Place    The begin of a member is processed: its part goes to all ranks with members. An end may be processed once
//          all parts it needs are there. A rank answers each tail once, when all its members' ends are processed.
// Formula  [L 3.4], as `Collectives` of the clock. Each end takes operation and root from its own record.
// Cost     One item per part and rank, O(members) per end. The number of operations of each member is known beforehand,
//          so that a missing end is recognised at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "clc/definitions.hpp"
#include "clock/collectives.hpp"
#include "ranks/exchange.hpp"
#include "trace/delay.hpp"

namespace clc::ranks {

/// An end that was read and is not processed.
struct End {
  CommunicatorIndex communicator = no_communicator;
  std::uint64_t number = 0;
  Rank member = 0;
  Rank checked = 0;  // members below are there
};

class Operations {
 public:
  /// Keeps references.
  Operations(const Definitions& definitions, const DelayModel& delays) : definitions_(definitions), delays_(delays) {}

  /// A member of a communicator; false if the process is none, or the only one.
  [[nodiscard]] bool find(const Event& end, Rank& member);
  /// How many operations that member ended; local: it belongs to this rank.
  void count(CommunicatorIndex communicator, Rank member, std::uint64_t ends, bool local);
  /// An end of a local member is read.
  [[nodiscard]] End read(const Event& end, Rank member);
  /// A part arrived, or is one of this rank.
  void take(const Item& part);
  /// True if the parts are there that the end needs.
  [[nodiscard]] bool ready(const Event& event, End& end);
  /// The latest tail of an end, among the parts that are there.
  [[nodiscard]] Bound bound(const Event& event, const End& end);
  /// An end was processed with that offset.
  void processed(const Event& event, const End& end, double offset);
  /// Limits of tails: `limit` items. The caller empties it.
  [[nodiscard]] std::vector<Item>& answers() noexcept { return answers_; }
  /// Number of operations of which a member has no end.
  [[nodiscard]] std::uint64_t incomplete() const noexcept;
  /// True if that operation lacks the end of a member.
  [[nodiscard]] bool misses(const End& end) const noexcept;

 private:
  struct Part {
    Item item;
    bool arrived = false;
    double limit = 0;
  };
  struct Instance {
    std::vector<Part> parts;
    Rank open = 0;     // local members whose ends are not processed
    Rank missing = 0;  // parts that are still to come
    bool known = false;
  };
  struct OfCommunicator {
    std::vector<std::uint64_t> ends;  // by member
    std::vector<bool> local;          // by member
    std::vector<std::uint64_t> read;  // by member, if local
    std::deque<Instance> instances;
    std::uint64_t first = 0;
    HashMap<ProcessIndex, Rank> ranks;
  };
  [[nodiscard]] OfCommunicator& of(CommunicatorIndex communicator);
  [[nodiscard]] Instance& instance(OfCommunicator& state, std::uint64_t number) const;
  [[nodiscard]] bool share_a_clock(CommunicatorIndex communicator, Rank a, Rank b) const;
  /// True if the begin of that member precedes the end, by class.
  [[nodiscard]] static bool needs(const Event& event, Rank own, Rank other) noexcept;
  void answer(const Item& part, double limit);
  void close(OfCommunicator& state);

  const Definitions& definitions_;
  const DelayModel& delays_;
  std::vector<OfCommunicator> of_;
  std::vector<Item> answers_;
};

}  // namespace clc::ranks
