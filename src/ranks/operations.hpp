// Collective operations, on each rank that has members of the communicator: which begins precede which ends.
//
// Place    The begin of a member is processed: its part goes to all ranks with members. An end may be processed once
//          all parts it needs are there. A rank answers each tail once, when all its members' ends are processed.
//          Where members agree and all delays are the same, a tree of the ranks does that (trees.hpp): a part then
//          goes to its own rank alone, which answers it.
// Formula  [L 3.4], as `Collectives` of the clock. Each end takes operation and root from its own record.
// Cost     Without a tree one item per part and rank, O(members) per end. The number of operations of each member is
//          known beforehand, so that a missing end is recognised at once.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "clc/definitions.hpp"
#include "clock/bound.hpp"
#include "ranks/exchange.hpp"
#include "ranks/trees.hpp"
#include "trace/delay.hpp"

namespace clc::ranks {

/// An end that was read and is not processed.
struct End {
  CommunicatorIndex communicator = no_communicator;
  std::uint64_t number = 0;
  Rank member = 0;
  Rank checked = 0;  // members below are there
};

/// Of the operations of a member, in order: equal ones have the same operations and roots.
class Signature {
 public:
  void add(const Item& part) noexcept;
  /// Among them is one that no tree serves.
  void refuse() noexcept { is_served_ = false; }
  [[nodiscard]] std::uint64_t value() const noexcept { return is_served_ ? value_ | served : value_ & ~served; }
  /// True if a tree can serve them all.
  [[nodiscard]] static bool is_served(std::uint64_t value) noexcept { return (value & served) != 0; }

 private:
  static constexpr std::uint64_t served = 1;
  bool is_served_ = true;
  std::uint64_t value_ = 0;
};

class Operations {
 public:
  /// owners: the rank of each process; rank: this one. Keeps references.
  Operations(const Definitions& definitions, const DelayModel& delays, const std::vector<unsigned>& owners,
             unsigned rank)
      : definitions_(definitions), delays_(delays), owners_(owners), rank_(rank) {}

  /// A member of a communicator; false if the process is none, or the only one.
  [[nodiscard]] bool find(const Event& end, Rank& member);
  /// How many operations a member ended, or each member on its rank, and their signature.
  void count(const Item& ends);
  /// The ranks with members, ascending.
  [[nodiscard]] const std::vector<unsigned>& ranks_of(CommunicatorIndex communicator);
  /// The ranks that a part goes to: all of them, or only this one. All members were counted.
  [[nodiscard]] const std::vector<unsigned>& receivers_of(CommunicatorIndex communicator);
  /// The members on this rank.
  [[nodiscard]] const std::vector<ProcessIndex>& local_members_of(CommunicatorIndex communicator) {
    return of(communicator).local_members;
  }
  /// An end of a local member is read.
  [[nodiscard]] End read(const Event& end, Rank member);
  /// A part arrived, or is one of this rank; or begins or ends arrived. True: local ends may have become ready.
  [[nodiscard]] bool take(const Item& item);
  /// True if the parts are there that the end needs.
  [[nodiscard]] bool ready(const Event& event, End& end);
  /// The latest tail of an end, among the parts that are there.
  [[nodiscard]] Bound bound(const Event& event, const End& end);
  /// An end was processed with that offset. recorded: its C. Returns the smallest recorded delay, C(e) - C(s), of all
  /// tails that it needs; none: there are no tails.
  [[nodiscard]] std::optional<Ticks> processed(const Event& event, const End& end, double offset, Time recorded);
  /// Limits of tails: `limit` items. The caller empties it.
  [[nodiscard]] std::vector<Item>& answers() noexcept { return answers_; }
  /// What goes to other ranks. The caller empties it.
  [[nodiscard]] std::vector<Posted>& posts() noexcept { return posts_; }
  /// Bytes of parts of operations that are open.
  [[nodiscard]] std::uint64_t memory() const noexcept;
  /// Number of operations that a member ended; of each communicator on the rank of its first member.
  [[nodiscard]] std::uint64_t total() const noexcept;
  /// Number of operations of which a member has no end; of each communicator on the rank of its first member.
  [[nodiscard]] std::uint64_t incomplete() const noexcept;
  /// Members that recorded another operation or root than the first member that recorded the operation; of each
  /// communicator on the rank of its first member.
  [[nodiscard]] std::uint64_t mismatches() const noexcept { return mismatches_; }
  /// True if members of a communicator ended other operations, of those that this rank counts. All were counted.
  [[nodiscard]] bool differ() const noexcept;

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
    std::vector<std::uint64_t> ends;        // by member
    std::vector<std::uint64_t> signatures;  // by member
    std::vector<bool> local;                // by member
    std::vector<std::uint64_t> read;        // by member, if local
    std::deque<Instance> instances;
    std::uint64_t first = 0;
    HashMap<ProcessIndex, Rank> member_of;
    std::vector<unsigned> ranks;  // with members
    std::vector<ProcessIndex> local_members;
    bool is_decided = false;  // whether a tree serves it
    std::optional<Tree> tree;
  };
  [[nodiscard]] OfCommunicator& of(CommunicatorIndex communicator);
  [[nodiscard]] Instance& instance(OfCommunicator& state, std::uint64_t number) const;
  [[nodiscard]] bool share_a_clock(CommunicatorIndex communicator, Rank a, Rank b) const;
  /// True if the begin of that member precedes the end, by class.
  [[nodiscard]] static bool needs(const Event& event, Rank own, Rank other) noexcept;
  void ended(Instance& operation);
  void answer(const Item& part, double limit);
  void close(OfCommunicator& state);
  void compare(const OfCommunicator& state, const Instance& operation);
  [[nodiscard]] Tree* tree_of(CommunicatorIndex communicator);
  [[nodiscard]] bool agree(CommunicatorIndex communicator);

  const Definitions& definitions_;
  const DelayModel& delays_;
  const std::vector<unsigned>& owners_;
  unsigned rank_;
  std::vector<unsigned> alone_{rank_};
  std::vector<OfCommunicator> of_;
  std::vector<Item> answers_;
  std::vector<Posted> posts_;
  std::uint64_t mismatches_ = 0;
  std::uint64_t passed_over_ = 0;  // operations of which a member has no end, but a later one
  std::uint64_t lost_by_all_ = 0;  // operations after the last one of a member, with no end of any other member either
};

}  // namespace clc::ranks
