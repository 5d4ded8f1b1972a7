// Collective operations: which begins order which ends.
//
// Place     Part of the input buffer. The k-th finished call of each member on a communicator is one
//           instance [L 3.4]; a begin belongs to the next end of its process (or the end with its call id).
// Edges     See CollectiveClass. Tails are begins of members that send data, heads are ends of members that
//           receive data (barriers: all); never a pair of one process.
// Ready     An end that receives data waits until all members that may contribute a tail to it *have contributed*:
//           their end records are read and, where these say that data was sent, their begins processed. Reading
//           never waits, so this cannot deadlock.
// Bounded   An instance that is not complete `wait_limit` after its first end record is given up: members whose end
//           was not read are excused, at once if they are presumed ended. Members that have not contributed although
//           it was read are excused another `wait_limit` later: they wait in a circle. What was given up lingers until
//           all its records are read and written, to see which of its edges are violated; at most `most_lingering`
//           members do, the oldest go first.
// Disagree  An instance whose members name different operations or roots orders nothing: its pairs are not counted, and
//           no end is bound from the moment that this is read. Ends that wait for all members are never bound then;
//           one that waited for fewer (1-to-N, prefix) may have taken its edges before, and keeps them.
// Replaced  Where a communicator is defined again, open instances keep its members and delay, and where a process is,
//           they keep its node; who was a member keeps the count of finished calls, new members begin with the
//           instances to come.
// Cost      O(members) per instance, also where delays differ by node; O(members^2) where some pairs have a delay of
//           their own. Besides, refresh_limits and for_each_begin look at all members of an open instance.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/stage/delay.hpp"
#include "clc/stage/flat_map.hpp"
#include "clc/stage/process_queue.hpp"

namespace clc {

using CallId = std::uint32_t;
using InstanceId = std::uint32_t;
inline constexpr CallId no_call = no_edge;
inline constexpr InstanceId no_instance = 0xffff'ffff;
inline constexpr InstanceId done_instance = 0xffff'fffe;

/// A moment of a logical clock as whole ticks and fraction: exact to compare between processes.
struct Moment {
  Ticks ticks = 0;
  double fraction = 0;
  friend auto operator<=>(const Moment&, const Moment&) = default;
};
[[nodiscard]] inline Moment moment(Time recorded, double offset) noexcept {
  const Ticks ticks = whole(offset);
  return {(recorded + ticks).ticks(), offset - static_cast<double>(ticks)};
}

/// One process in one collective operation, from its begin to its end.
struct Call {
  Time begin;                      ///< C of the begin
  Time end;                        ///< C of the end
  Time begin_written;              ///< once it is
  Time end_written;                ///< once it is
  double begin_offset = 0;         ///< D of the begin, once processed
  double begin_simple_offset = 0;  ///< E of the begin, once processed
  double end_offset = 0;           ///< D of the end, once processed
  EventIndex begin_index = no_event;
  EventIndex end_index = no_event;
  std::int64_t call_id = 0;
  std::uint64_t wait_number = 0;  ///< 0: does not wait; else the order in which waits began
  ProcessIndex process = no_process;
  InstanceId instance = no_instance;
  Rank rank = 0;
  bool begin_processed = false;
  bool end_processed = false;
  bool orphan = false;    ///< a begin without end, to be freed once processed
  bool sends = false;     ///< data, or what stands for it in a barrier
  bool receives = false;  ///< the same; false: bound by nothing
  bool late = false;      ///< its end came when its instance was done
  bool begin_is_written = false;
  bool end_is_written = false;
};

/// The latest tail that an end must not precede, for LC' and for LC.
struct Bound {
  bool any = false;
  Ticks ticks = 0;           ///< C(s) - C(e) + mu of the tail that is latest on LC'
  double offset = 0;         ///< its D(s)
  Ticks simple_ticks = 0;    ///< same for the simple clock LC
  double simple_offset = 0;  ///< its E(s)
};

class Collectives {
 public:
  Collectives(const Definitions& definitions, const DelayModel& delays, Analysis& analysis);
  Collectives(const Collectives&) = delete;
  Collectives& operator=(const Collectives&) = delete;
  ~Collectives();

  /// A begin is read: its call.
  CallId read_begin(const Event& event, EventIndex index);
  struct ReadEnd {
    CallId call = no_call;  ///< no_call: the end is bound by nothing
    InstanceId instance = no_instance;
    bool opened = false;  ///< this end is the first of its instance
    bool late = false;    ///< its instance was given up and is done: the end is bound by nothing
  };
  /// An end record is read. May make other ends ready (see woken).
  ReadEnd read_end(const Event& event, EventIndex index);

  /// A begin is processed. May make ends ready.
  void begin_processed(CallId id, double offset, double simple_offset);
  /// An end is processed. After the last end of an instance, limits() holds what its tails must not exceed.
  void end_processed(CallId id, double offset);

  [[nodiscard]] bool ready(CallId id) const noexcept;
  struct Awaited {
    ProcessIndex process = no_process;
    Time recorded;
  };
  /// A begin that the end waits for: that of the lowest rank. None where it is not known. Pre: not ready.
  [[nodiscard]] std::optional<Awaited> awaited(CallId id) const;
  /// Pre: ready.
  [[nodiscard]] Bound bound(CallId id);
  /// The end is head of its queue and not ready.
  void wait(CallId id) noexcept { calls_[id].wait_number = ++waits_; }
  [[nodiscard]] bool woke() const noexcept { return !woken_.empty(); }
  /// Calls visit(process) for every waiting end that became ready, in the order in which they began to wait.
  template <class Visit>
  void take_woken(Visit visit) {
    std::sort(woken_.begin(), woken_.end());
    for (const auto& [wait, process] : woken_) visit(process);
    woken_.clear();
  }

  /// What a tail's offset must not exceed any more.
  struct Limit {
    ProcessIndex process;
    EventIndex index;
    double offset;
  };
  /// Limits that became known. The caller clears it.
  [[nodiscard]] std::vector<Limit>& limits() noexcept { return limits_; }
  /// Makes limits of instances known of which some but not all ends are processed.
  void refresh_limits();

  /// Excuses members: their begins are no tails, nobody waits for them. Those whose end record is missing, or where
  /// none is, those that have not contributed.
  void give_up(InstanceId id);
  /// True while the instance with this serial number waits for a member.
  [[nodiscard]] bool waits(InstanceId id, std::uint64_t serial) const noexcept {
    const Instance& instance = instances_[id];
    return instance.serial == serial && instance.open && instance.settled < instance.members.size();
  }
  [[nodiscard]] std::uint64_t serial(InstanceId id) const noexcept { return instances_[id].serial; }
  /// Calls visit(process) for members without end record until it returns false; true: all returned true.
  template <class Visit>
  [[nodiscard]] bool all_missing(InstanceId id, Visit visit) const {
    const Instance& instance = instances_[id];
    return std::all_of(instance.members.begin(), instance.members.end(), [&](const Member& member) {
      return member.call != no_call || member.excused || visit(member.process);
    });
  }
  /// Members without end record that are still waited for.
  [[nodiscard]] std::size_t missing(InstanceId id) const noexcept { return instances_[id].missing; }
  /// Calls visit(process, index) for every begin of the instance that this end belongs to, once per round. A begin does
  /// not tell its instance: of a member whose end is not read, the oldest one without end.
  template <class Visit>
  void for_each_begin(CallId end, std::uint64_t round, Visit visit) {
    Instance& instance = instances_[calls_[end].instance];
    if (instance.visited == round) return;
    instance.visited = round;
    looked_at_ += instance.members.size();
    for (const Member& member : instance.members) {
      if (member.call != no_call) {
        if (calls_[member.call].begin_index != no_event)
          visit(calls_[member.call].process, calls_[member.call].begin_index);
      } else if (!member.excused && member.process < open_begins_.size()) {
        const std::vector<CallId>& open = open_begins_[member.process];
        if (!open.empty()) visit(member.process, calls_[open.front()].begin_index);
      }
    }
  }
  /// How many members refresh_limits and for_each_begin have looked at since the last call of this.
  [[nodiscard]] std::uint64_t take_looked_at() noexcept { return std::exchange(looked_at_, 0); }
  void put_back_looked_at(std::uint64_t members) noexcept { looked_at_ = members; }
  /// Bytes of an open instance.
  [[nodiscard]] std::uint64_t memory_of(InstanceId id) const noexcept { return memory_of(instances_[id]); }
  /// A begin or an end was written.
  void written(CallId id, ClockIndex clock, EventIndex index, bool end, Time time);
  /// Largest delay of a communicator that has one of its own, of those that are defined so far.
  [[nodiscard]] Ticks largest_own_delay();
  /// End of input: counts begins without end, and what was given up without all members.
  void close();

  [[nodiscard]] std::uint64_t memory() const noexcept {
    const std::size_t held = free_calls_.size() + lingering_calls_;
    return (calls_.size() - held) * sizeof(Call) + (instances_.size() - free_instances_.size()) * sizeof(Instance) +
           member_memory_;
  }

 private:
  /// The tails that bind one end most: ranks, no_rank for none.
  struct Latest {
    Ticks delay = 0;
    Ticks simple_delay = 0;
    Rank tail = no_rank;
    Rank simple_tail = no_rank;
  };
  struct Member {
    ProcessIndex process = no_process;
    CallId call = no_call;         // no_call: end not read
    bool contributed = false;      // end read, begin absent, processed or without data
    bool excused = false;          // given up: no tail
    NodeIndex node = no_node;      // as DelayModel::node_of when the instance was opened
    std::uint32_t node_place = 0;  // of that node among those of the instance
    ClockIndex clock = no_process;
    Latest latest;  // of its end, once summed up
    [[nodiscard]] bool settled() const noexcept { return contributed || excused; }
  };
  struct Sums;  // the latest tails among the ranks seen so far
  struct Instance {
    std::uint64_t serial = 0;
    std::uint64_t number = 0;  // in its communicator
    std::uint64_t visited = 0;
    CommunicatorIndex communicator = no_communicator;
    CollectiveClass kind = CollectiveClass::n_to_n;
    Operation operation = Operation::barrier;
    Rank root = no_rank;
    bool open = false;
    bool lingers = false;         // given up and done: kept for what is late, and to see what is left
    bool disagrees = false;       // members name another operation or root than the first
    bool heads_changed = false;   // ends were processed since limits were made known
    std::uint32_t missing = 0;    // end not read, not excused
    std::uint32_t settled = 0;    // contributed or excused
    std::uint32_t ends_open = 0;  // expected and not processed
    std::uint32_t absent = 0;     // while it lingers: ends not read
    std::uint32_t unwritten = 0;  // while it lingers: begins and ends that were read and not written
    bool shared = false;          // some members share a clock
    Rank frontier = 0;            // all ranks below are settled
    Rank other_frontier = 0;      // shared: all below but those of the clock of the member at `frontier` are
    std::uint32_t nodes = 0;      // of the members
    // Of the communicator, as it was when the instance was opened.
    std::vector<Member> members;  // by rank
    std::shared_ptr<const DelayModel> delays;
    std::unique_ptr<Sums> sums;
    /// All ranks below, but those of the member's own clock, are settled.
    [[nodiscard]] Rank frontier_of(Rank rank) const noexcept {
      if (!shared || frontier == members.size() || members[frontier].clock != members[rank].clock) return frontier;
      return other_frontier;
    }
  };
  struct OfCommunicator {
    std::uint64_t first = 0;           // number of the oldest entry of `instances`
    std::deque<InstanceId> instances;  // no_instance: not opened yet; done_instance: done
    std::vector<std::uint64_t> calls;  // finished calls by rank
    FlatMap<ProcessIndex, Rank> ranks;
    std::optional<std::uint32_t> changes;  // of the communicator, when all this was made from it; none: not yet
    std::shared_ptr<const DelayModel> delays;
  };

  /// A process has no more begins open than that: older ones count as begins without end.
  static constexpr std::size_t most_open = 1024;
  /// Members of instances that linger. They are not in memory(): what was given up does not press others.
  static constexpr std::size_t most_lingering = std::size_t{1} << 16;

  [[nodiscard]] CallId take_call();
  void drop_begin(std::vector<CallId>& open, std::vector<CallId>::const_iterator begin);
  void free_call(CallId id) noexcept {
    calls_[id].instance = no_instance;
    free_calls_.push_back(id);
  }
  [[nodiscard]] CallId close_begin(const Event& end);
  [[nodiscard]] OfCommunicator& of(CommunicatorIndex communicator);
  /// Members or delay are new or others.
  void follow(OfCommunicator& state, const Communicator& definition);
  [[nodiscard]] InstanceId open_instance(const Event& end, std::uint64_t number);
  [[nodiscard]] std::uint32_t place_of_node(Instance& instance, NodeIndex node);
  [[nodiscard]] bool shares_clocks(std::span<const Member> members);
  [[nodiscard]] static std::uint64_t memory_of(const Instance& instance) noexcept {
    return instance.members.size() * sizeof(Member);
  }
  [[nodiscard]] bool is_tail(const Instance& instance, const Member& member) const noexcept;
  [[nodiscard]] bool is_head(const Instance& instance, const Member& member) const noexcept;
  void contribute(InstanceId id, Rank rank);
  /// One more member has contributed or is excused.
  void settle(Instance& instance);
  static void find_frontiers(Instance& instance);
  void wake(const Instance& instance, Rank first, Rank last);
  void insert_tail(const Instance& instance, Rank rank, Sums& sums) const;
  static void find_tails(Member& member, const Sums& sums);
  [[nodiscard]] Sums& sums_of(Instance& instance);
  void sum_up(Instance& instance, Rank wanted);
  void find_limits(Instance& instance);
  void limit(const Instance& instance, Rank tail, Rank head, Ticks delay);
  void retire_if_done(InstanceId id);
  void observe(const Instance& instance);
  void linger(InstanceId id);
  /// A member's end came after its instance was done.
  [[nodiscard]] ReadEnd read_late_end(InstanceId id, Rank rank, CallId call, const Event& event, EventIndex index);
  [[nodiscard]] static std::uint32_t unwritten(const Call& call) noexcept {
    return static_cast<std::uint32_t>(call.begin_index != no_event && !call.begin_is_written) +
           static_cast<std::uint32_t>(!call.end_is_written);
  }
  void judge_if_written(InstanceId id);
  /// Takes over what an end says.
  static void take_end(Call& call, const Instance& instance, const Event& end, EventIndex index) noexcept;
  /// Counts a member that names another operation or root than the first: ends that are not bound yet never are.
  void disagree(Instance& instance);
  [[nodiscard]] static bool agrees(const Instance& instance, const Event& end) noexcept;
  /// What lingers goes, complete or not.
  void let_go(InstanceId id);
  void retire(InstanceId id);

  const Definitions& definitions_;
  const DelayModel& delays_;
  Analysis& analysis_;
  std::deque<Call> calls_;
  std::vector<CallId> free_calls_;
  std::vector<std::vector<CallId>> open_begins_;  // by process
  std::deque<Instance> instances_;
  std::vector<InstanceId> free_instances_;
  std::vector<InstanceId> changed_;  // with heads_changed
  /// Lingering instances with their serials, oldest first; some may be gone.
  std::deque<std::pair<InstanceId, std::uint64_t>> lingering_;
  std::size_t lingering_members_ = 0;
  std::size_t lingering_calls_ = 0;
  std::deque<OfCommunicator> communicators_;
  std::vector<std::pair<std::uint64_t, ProcessIndex>> woken_;  // by wait number
  std::vector<Limit> limits_;
  Ticks largest_own_delay_ = 0;
  std::size_t delays_seen_ = 0;     // of that many communicators
  std::uint64_t changes_seen_ = 0;  // of the definitions
  std::uint64_t waits_ = 0;
  std::uint64_t serials_ = 0;
  std::uint64_t member_memory_ = 0;
  std::uint64_t looked_at_ = 0;                                       // members
  std::vector<std::pair<std::uint64_t, std::uint32_t>> node_places_;  // by node: serial of an instance, place in it
  std::vector<std::uint64_t> clock_rounds_;                           // by clock: in which it was last met
  std::uint64_t clock_round_ = 0;
  std::vector<CollectiveMember> observed_;
};

}  // namespace clc
