// Collective operations: which begins order which ends.
//
// Place     Part of the input buffer. The k-th finished call of each member on a communicator is one
//           instance [L 3.4]; a begin belongs to the next end of its process (or the end with its call id).
// Edges     See CollectiveClass. Tails are begins of members that send data, heads are ends of members that
//           receive data (barriers: all); never both of one process.
// Ready     An end that receives data waits until all members that may contribute a tail to it *have contributed*:
//           their end records are read and, if these say that data was sent, their begins are processed. Reading
//           never waits, so this cannot deadlock.
// Bounded   An instance that is incomplete `wait_limit` after its first end record is given up: members whose end has
//           not been read are excused, at once if they are presumed ended. Members whose end has been read but that
//           have not contributed are part of a circular wait; they are excused another `wait_limit` later. An instance
//           that was given up lingers until all its records are read and emitted, to count its violated edges. At most
//           `most_lingering` members linger; the oldest instances are dropped first.
// Absent    Where it is known that members miss an instance (Event::absent), they are excused as soon as the ends of
//           all others are read. Event::missed tells how many instances a member leaves out before a call.
// Disagree  An instance whose members name different operations or roots orders nothing: its pairs are not counted, and
//           as soon as the disagreement is read, its ends are no longer bound. Ends that wait for all members are then
//           never bound. An end that waited for fewer (1-to-N, prefix) may already have been bound and keeps its edges.
// Replaced  If a communicator is redefined, open instances keep its members and delay; if a process changes its node,
//           they keep the old one. Continuing members keep their count of finished calls; new members start with the
//           next instance that is not open.
// Cost      Per instance O(members with an end), also if delays differ by node, and a pointer per 64 members;
//           O(members^2) if some pairs have a delay of their own. A late end of a prefix operation takes O(64 + nodes).
//           end_round visits all members of a communicator. Communicators whose members are copies of one list share
//           what depends on the list alone; each takes a pointer per 64 members.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "clock/bound.hpp"
#include "clock/calls.hpp"
#include "clock/instance_members.hpp"
#include "clock/process_queue.hpp"
#include "clock/recorder.hpp"
#include "clock/rosters.hpp"
#include "trace/delay.hpp"
#include "trace/heap.hpp"
#include "trace/short_queue.hpp"

namespace clc {

class Collectives {
 public:
  Collectives(const Definitions& definitions, const DelayModel& delays, Recorder& analysis);
  Collectives(const Collectives&) = delete;
  Collectives& operator=(const Collectives&) = delete;
  ~Collectives();

  /// Reads a begin record; returns its call.
  CallId read_begin(const Event& event, EventIndex index, Time recorded) {
    return calls_.read_begin(event, index, recorded);
  }
  struct ReadEnd {
    CallId call = no_call;  ///< no_call: the end is not bound
    InstanceId instance = no_instance;
    bool opened = false;       ///< this end is the first one of its instance
    bool late = false;         ///< its instance was given up and is done: the end is not bound
    std::uint64_t memory = 0;  ///< bytes added, with an allowance for further members
  };
  /// Reads an end record. May make other ends ready (see woken).
  ReadEnd read_end(const Event& event, EventIndex index, Time recorded);

  /// A begin is processed. May make ends ready.
  void begin_processed(CallId id, double offset, double simple_offset);
  /// Whether edges of the call's operation are violated is judged by the times that are written: these may be rounded
  /// or cut off.
  void judge_as_written(CallId id) noexcept { instances_[calls_[id].instance].as_written = true; }
  /// It is, and the begin with that index is that of the call.
  [[nodiscard]] bool judges(CallId id, ClockIndex clock, EventIndex index) const;
  /// An end is processed. After the last end of an instance, limits() holds the limits of its tails.
  void end_processed(CallId id, double offset);

  [[nodiscard]] bool ready(CallId id) const noexcept;
  /// Pre: ready.
  [[nodiscard]] Bound bound(CallId id);
  /// The end is the head of its queue and not ready.
  void wait(CallId id) noexcept { calls_[id].wait_number = ++waits_; }
  [[nodiscard]] bool woke() const noexcept { return !woken_.empty(); }
  /// Calls visit(process) for every waiting end that became ready, in the order in which they began to wait.
  template <class Visit>
  void take_woken(Visit visit) {
    std::sort(woken_.begin(), woken_.end());
    for (const auto& [wait, process] : woken_) visit(process);
    woken_.clear();
  }

  /// A new upper bound of a tail's offset.
  struct Limit {
    ProcessIndex process;
    EventIndex index;
    double offset;
  };
  /// The limits found since the caller last cleared them.
  [[nodiscard]] std::vector<Limit>& limits() noexcept { return limits_; }
  /// Adds the limits of instances of which some but not all ends are processed.
  void refresh_limits();

  /// Excuses members whose end record is missing or, if none is missing, those that have not contributed: their begins
  /// are no tails, and no end waits for them.
  void give_up(InstanceId id);
  /// True while the instance with this serial number waits for a member.
  [[nodiscard]] bool waits(InstanceId id, std::uint64_t serial) const noexcept {
    const Instance& instance = instances_[id];
    return instance.serial == serial && instance.open && instance.counts.settled < instance.members.size();
  }
  [[nodiscard]] std::uint64_t serial(InstanceId id) const noexcept { return instances_[id].serial; }
  /// True if ended(process) is true for all members without end record. revived: the processes for which it has become
  /// false, in that order, since the round began. last_read(process): see end_missing.
  template <class Ended, class LastRead>
  [[nodiscard]] bool all_missing_ended(InstanceId id, const Revived& revived, Ended ended, LastRead last_read) {
    Instance& instance = instances_[id];
    Roster& roster = *instance.opened.roster;
    const auto waits_for = [&](Rank rank) {
      return instance.members[rank].call == no_call && !instance.members[rank].excused && !ended(roster.members[rank]);
    };
    if (instance.witness < instance.members.size() && waits_for(instance.witness)) return false;
    roster.follow(revived, ended, last_read);
    rosters_.count(roster, roster.communicators);
    const std::size_t living = roster.living.size();
    std::size_t looked_at = 0;
    instance.witness = no_rank;
    for (; looked_at < living && instance.witness == no_rank; ++looked_at) {
      instance.next_living = instance.next_living < living ? instance.next_living : 0;
      if (waits_for(roster.living[instance.next_living].rank))
        instance.witness = roster.living[instance.next_living].rank;
      else
        ++instance.next_living;
    }
    const bool all = instance.witness == no_rank;
    if (looked_at > living / 2) roster.forget_ended(ended);
    return all;
  }
  /// For an instance that is given up: calls end(process) for members without end record of which no record was read
  /// after position `since`, unless they have been passed before. last_read(process): position of the newest record
  /// read.
  template <class Ended, class LastRead, class End>
  void end_missing(InstanceId id, std::uint64_t since, const Revived& revived, Ended ended, LastRead last_read,
                   End end) {
    Roster& roster = *instances_[id].opened.roster;
    roster.follow(revived, ended, last_read);
    rosters_.count(roster, roster.communicators);
    // Members that are visited here have no record after `since`, and therefore no end record.
    std::vector<Living>& living = roster.living;
    while (!living.empty() && living.front().last_read <= since) {
      std::pop_heap(living.begin(), living.end(), Living::later);
      const ProcessIndex process = roster.members[living.back().rank];
      living.back().last_read = last_read(process);
      if (living.back().last_read > since) {
        std::push_heap(living.begin(), living.end(), Living::later);
        continue;
      }
      roster.lives[living.back().rank] = false;
      living.pop_back();
      end(process);
    }
  }
  /// Members without end record that are still waited for.
  [[nodiscard]] std::size_t missing(InstanceId id) const noexcept { return instances_[id].counts.missing; }
  /// The same of the instance of an end.
  [[nodiscard]] std::size_t missing_of(CallId end) const noexcept { return missing(calls_[end].instance); }
  /// Calls visit(process, index) for every begin of the instance of this end, once per round. A begin does not name its
  /// instance: for a member whose end has not been read, end_round visits the oldest begin without end.
  template <class Visit>
  void for_each_begin(CallId end, std::uint64_t round, Visit visit) {
    Instance& instance = instances_[calls_[end].instance];
    if (instance.visited == round) return;
    instance.visited = round;
    instance.members.for_each_call([&](Rank, const Member& member) {
      if (calls_[member.call].begin_index != no_event)
        visit(calls_[member.call].process, calls_[member.call].begin_index);
    });
    looked_at_ += instance.members.calls();
    if (instance.counts.missing == 0) return;
    // A member whose end is missing here is also missing in all later instances of the communicator.
    std::size_t& place = communicators_[instance.communicator]->incomplete;
    if (place >= incomplete_.size() || instances_[incomplete_[place]].opened.roster != instance.opened.roster) {
      place = incomplete_.size();
      incomplete_.push_back(calls_[end].instance);
    } else if (instances_[incomplete_[place]].number < instance.number) {
      incomplete_[place] = calls_[end].instance;
    }
  }
  /// Ends the round of for_each_begin.
  template <class Visit>
  void end_round(Visit visit) {
    for (const InstanceId id : incomplete_) {
      const Instance& instance = instances_[id];
      looked_at_ += instance.members.size();
      for (Rank rank = 0; rank < instance.members.size(); ++rank) {
        const ProcessIndex process = instance.opened.roster->members[rank];
        const CallId open = calls_.oldest_open(process);
        if (open != no_call && instance.members[rank].call == no_call) visit(process, calls_[open].begin_index);
      }
    }
    incomplete_.clear();
  }
  /// Number of members that refresh_limits, for_each_begin and end_round have visited since the last call.
  [[nodiscard]] std::uint64_t take_looked_at() noexcept { return std::exchange(looked_at_, 0); }
  void put_back_looked_at(std::uint64_t members) noexcept { looked_at_ = members; }
  /// Bytes of an open instance.
  [[nodiscard]] std::uint64_t memory_of(InstanceId id) const noexcept { return memory_of(instances_[id]); }
  /// A begin or an end was emitted.
  void written(CallId id, ClockIndex clock, EventIndex index, bool end, Time time);
  /// The largest of the communicators' own delays defined so far.
  [[nodiscard]] Ticks largest_own_delay();
  /// End of input: counts begins without end, and the edges of lingering instances that are incomplete.
  void close();

  [[nodiscard]] std::uint64_t memory() const noexcept {
    return (calls_.in_use() - lingering_calls_) * sizeof(Call) +
           (instances_.size() - free_instances_.size()) * sizeof(Instance) + member_memory_ +
           rosters_.replaced_memory();
  }
  /// Bytes of the communicators that have had operations. They stay until the end.
  [[nodiscard]] std::uint64_t memory_of_communicators() const noexcept {
    return communicators_.capacity() * sizeof communicators_[0] + communicator_memory_ + rosters_.memory();
  }

 private:
  using Member = InstanceMembers::Member;
  using Latest = InstanceMembers::Latest;
  struct Sums;     // the latest tails among the ranks seen so far
  struct Settled;  // the tails of a prefix operation that was given up
  struct Instance {
    std::uint64_t serial = 0;
    std::uint64_t number = 0;  // in its communicator
    std::uint64_t visited = 0;
    CommunicatorIndex communicator = no_communicator;
    CollectiveClass kind = CollectiveClass::n_to_n;
    Operation operation = Operation::barrier;
    Rank root = no_rank;
    bool open = false;
    bool given_up = false;       // members are excused
    bool as_written = false;     // times may be rounded by whole ticks, or cut off at the end of 64 bits
    bool lingers = false;        // of one of both, done: kept for late records and to count violations left
    bool disagrees = false;      // members name another operation or root than the first
    bool heads_changed = false;  // ends were processed since the last limits
    // Numbers of members, begins and ends.
    struct Counts {
      std::uint32_t missing = 0;    // number of members: end not read, not excused
      std::uint32_t settled = 0;    // contributed or excused
      std::uint32_t ends_open = 0;  // ends expected and not processed
      std::uint32_t absent = 0;     // while it lingers: number of ends not read
      std::uint32_t unwritten = 0;  // while it lingers: begins and ends read but not emitted
    };
    Counts counts;
    bool shared = false;          // some members share a clock
    Rank frontier = 0;            // all ranks below are settled
    Rank other_frontier = 0;      // if shared: the same, ignoring the clock of the member at `frontier`
    Rank witness = no_rank;       // a member known to be waited for
    std::size_t next_living = 0;  // start of the search for the next one
    InstanceMembers members;
    // Of the communicator at the time the instance was opened.
    struct Opened {
      std::shared_ptr<Roster> roster;
      std::shared_ptr<const DelayModel> delays;
      std::uint64_t node_changes = 0;  // of the definitions
    };
    Opened opened;
    std::unique_ptr<Sums> sums;
    std::unique_ptr<Settled> tails;  // made for ends that come late
    std::uint64_t sums_memory = 0;   // bytes of both, when they were last counted
    [[nodiscard]] ClockIndex clock_of(Rank rank) const noexcept { return opened.roster->clocks[rank]; }
    /// All ranks below are settled, except those on the member's own clock.
    [[nodiscard]] Rank frontier_of(Rank rank) const noexcept {
      if (!shared || frontier == members.size() || clock_of(frontier) != clock_of(rank)) return frontier;
      return other_frontier;
    }
  };
  struct OfCommunicator {
    std::uint64_t first = 0;               // number of the oldest entry of `instances`
    ShortQueue<InstanceId> instances;      // no_instance: not opened yet; done_instance: done
    Chunks<std::uint64_t> calls;           // finished calls by rank
    std::optional<std::uint32_t> changes;  // Communicator::changes at the last update; none: not yet
    std::shared_ptr<const DelayModel> delays;
    std::shared_ptr<Roster> roster;
    std::size_t incomplete = 0;  // place in incomplete_, if it is there
    std::uint64_t memory = 0;    // bytes, when it was last counted; without the roster
  };

  /// Maximum number of members of lingering instances. They do not count in memory(), so that they displace nothing.
  static constexpr std::size_t most_lingering = std::size_t{1} << 16;

  /// Excuses the members without end record, which are known to be missing.
  void excuse_absent(Instance& instance);
  [[nodiscard]] OfCommunicator& of(CommunicatorIndex communicator);
  /// The communicator is new, or its members or delay have changed.
  void follow(OfCommunicator& state, const Communicator& definition);
  void count_memory(OfCommunicator& state) noexcept;
  [[nodiscard]] InstanceId open_instance(const Event& end, std::uint64_t number);
  [[nodiscard]] static std::uint64_t memory_of(const Instance& instance) noexcept { return instance.members.memory(); }
  [[nodiscard]] bool is_tail(const Instance& instance, const Member& member) const noexcept;
  [[nodiscard]] bool is_head(const Instance& instance, const Member& member) const noexcept;
  void contribute(InstanceId id, Rank rank);
  /// One more member has contributed or is excused.
  void settle(Instance& instance);
  static void find_frontiers(Instance& instance);
  void wake(const Instance& instance, Rank first, Rank last);
  void insert_tail(const Instance& instance, Rank rank, Sums& sums) const;
  void find_tails(Instance& instance, Rank rank, const Sums& sums) const;
  [[nodiscard]] Sums& sums_of(Instance& instance);
  /// Counts the memory of its sums and tails.
  void count_sums(Instance& instance) noexcept;
  void sum_up(Instance& instance, Rank wanted);
  void sum_up_late(Instance& instance, Rank wanted);
  void find_settled(Instance& instance);
  void find_limits(Instance& instance);
  void limit(Instance& instance, Rank tail, Rank head, Ticks delay);
  void retire_if_done(InstanceId id);
  void gather(const Instance& instance);
  void observe(const Instance& instance);
  void linger(InstanceId id);
  /// Reads the end of a member whose instance was done.
  [[nodiscard]] ReadEnd read_late_end(InstanceId id, Rank rank, CallId call, const Event& event, EventIndex index);
  [[nodiscard]] static std::uint32_t unwritten(const Call& call) noexcept {
    return static_cast<std::uint32_t>(call.begin_index != no_event && !call.begin_is_written) +
           static_cast<std::uint32_t>(!call.end_is_written);
  }
  void judge_if_written(InstanceId id);
  /// Copies the fields of an end record.
  static void take_end(Call& call, const Instance& instance, const Event& end, EventIndex index) noexcept;
  /// Counts a member that names a different operation or root than the first one; ends not yet bound never are.
  void disagree(Instance& instance);
  [[nodiscard]] static bool agrees(const Instance& instance, const Event& end) noexcept;
  /// Drops a lingering instance, complete or not.
  void let_go(InstanceId id);
  void retire(InstanceId id);

  const Definitions& definitions_;
  const DelayModel& delays_;
  Recorder& analysis_;
  Calls calls_;
  Rosters rosters_;
  Blocks<Instance> instances_;
  std::vector<InstanceId> free_instances_;
  std::vector<InstanceId> changed_;     // with heads_changed
  std::vector<InstanceId> incomplete_;  // per communicator: the newest one visited in this round that misses an end
  /// Lingering instances with their serials, oldest first; some may already be dropped.
  std::deque<std::pair<InstanceId, std::uint64_t>> lingering_;
  std::size_t lingering_members_ = 0;
  std::size_t lingering_calls_ = 0;
  std::vector<std::unique_ptr<OfCommunicator>> communicators_;  // null: no operations so far
  std::vector<std::pair<std::uint64_t, ProcessIndex>> woken_;   // by wait number
  std::vector<Limit> limits_;
  Ticks largest_own_delay_ = 0;
  std::size_t delays_seen_ = 0;     // number of communicators considered
  std::uint64_t changes_seen_ = 0;  // of the definitions
  std::uint64_t waits_ = 0;
  std::uint64_t serials_ = 0;
  std::uint64_t member_memory_ = 0;
  std::uint64_t communicator_memory_ = 0;
  std::uint64_t looked_at_ = 0;             // members
  std::vector<CollectiveMember> observed_;  // members with an end, by rank
  Rank observed_root_ = no_rank;            // index of the root among them
};

}  // namespace clc
