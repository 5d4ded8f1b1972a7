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
// Cost      Per instance O(members with an end), also where delays differ by node, and a pointer for each 64 members;
//           O(members^2) where some pairs have a delay of their own. For a member of a prefix operation whose end comes
//           late, O(64 + nodes). end_round looks at all members of a communicator. Where delays differ by node, a
//           process that changes its node makes the next instance look at all members.
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
#include "clc/heap.hpp"
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

/// Processes that were presumed ended until another record of them was read.
struct Revived {
  std::vector<ProcessIndex> processes;  ///< in this round
  std::uint64_t round = 1;
};

/// A growing array whose elements stay where they are.
template <class T>
class Blocks {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return blocks_[i / of_block][i % of_block]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return blocks_[i / of_block][i % of_block]; }
  void add() {
    if (size_ % of_block == 0) blocks_.push_back(std::make_unique<T[]>(of_block));
    ++size_;
  }

 private:
  static constexpr std::size_t of_block = 64;
  std::vector<std::unique_ptr<T[]>> blocks_;
  std::size_t size_ = 0;
};

/// A queue in an array: small where many are short.
template <class T>
class ShortQueue {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size() - first_; }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return entries_[first_ + i]; }
  [[nodiscard]] T& front() noexcept { return entries_[first_]; }
  void push_back(const T& entry) { entries_.push_back(entry); }
  void pop_front() noexcept {
    ++first_;
    if (2 * first_ <= entries_.size()) return;
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  /// Bytes.
  [[nodiscard]] std::uint64_t memory() const noexcept { return on_heap(entries_); }

 private:
  std::vector<T> entries_;
  std::size_t first_ = 0;
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
    bool opened = false;       ///< this end is the first of its instance
    bool late = false;         ///< its instance was given up and is done: the end is bound by nothing
    std::uint64_t memory = 0;  ///< bytes that its instance took; those for members to come count eight times
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
  /// Is ended(process) true of all members without end record? revived: all processes of which it was and is not any
  /// more, in the order in which that came to be; at the end of its round they are forgotten. last_read(process): see
  /// end_missing.
  template <class Ended, class LastRead>
  [[nodiscard]] bool all_missing_ended(InstanceId id, const Revived& revived, Ended ended, LastRead last_read) {
    Instance& instance = instances_[id];
    OfCommunicator& state = *communicators_[instance.communicator];
    const auto waits_for = [&](Rank rank) {
      return instance.members[rank].call == no_call && !instance.members[rank].excused &&
             !ended(instance.roster->places[rank].process);
    };
    if (state.roster != instance.roster) {  // it has other members by now
      for (Rank rank = 0; rank < instance.members.size(); ++rank)
        if (waits_for(rank)) return false;
      return true;
    }
    if (instance.witness < instance.members.size() && waits_for(instance.witness)) return false;
    follow_living(state, revived, ended, last_read);
    count_memory(state);
    const std::size_t living = state.living.size();
    std::size_t looked_at = 0;
    instance.witness = no_rank;
    for (; looked_at < living && instance.witness == no_rank; ++looked_at) {
      instance.next_living = instance.next_living < living ? instance.next_living : 0;
      if (waits_for(state.living[instance.next_living].rank))
        instance.witness = state.living[instance.next_living].rank;
      else
        ++instance.next_living;
    }
    const bool all = instance.witness == no_rank;
    if (looked_at > living / 2) forget_ended(state, ended);
    return all;
  }
  /// The instance is given up: calls end(process) for members without end record of which nothing was read since that
  /// position, which is later than any that was given before for the communicator, or else not all are called.
  /// last_read(process): position of the newest record read.
  template <class Ended, class LastRead, class End>
  void end_missing(InstanceId id, std::uint64_t since, const Revived& revived, Ended ended, LastRead last_read,
                   End end) {
    Instance& instance = instances_[id];
    OfCommunicator& state = *communicators_[instance.communicator];
    if (state.roster != instance.roster) {
      for (Rank rank = 0; rank < instance.members.size(); ++rank)
        if (instance.members[rank].call == no_call && !instance.members[rank].excused)
          end(instance.roster->places[rank].process);
      return;
    }
    follow_living(state, revived, ended, last_read);
    count_memory(state);
    // Nothing is read of a member without having been read since; so none that is left out here has an end record.
    std::vector<Living>& living = state.living;
    while (!living.empty() && living.front().last_read <= since) {
      std::pop_heap(living.begin(), living.end(), Living::later);
      const ProcessIndex process = state.roster->places[living.back().rank].process;
      living.back().last_read = last_read(process);
      if (living.back().last_read > since) {
        std::push_heap(living.begin(), living.end(), Living::later);
        continue;
      }
      state.lives[living.back().rank] = false;
      living.pop_back();
      end(process);
    }
  }
  /// Members without end record that are still waited for.
  [[nodiscard]] std::size_t missing(InstanceId id) const noexcept { return instances_[id].missing; }
  /// Calls visit(process, index) for every begin of the instance that this end belongs to, once per round. A begin does
  /// not tell its instance: of a member whose end is not read it is the oldest one without end, and it is visited at
  /// the end of the round.
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
    if (instance.missing == 0) return;
    // A member whose end is missing here is missing in all later instances of the communicator, too.
    std::size_t& place = communicators_[instance.communicator]->incomplete;
    if (place >= incomplete_.size() || instances_[incomplete_[place]].roster != instance.roster) {
      place = incomplete_.size();
      incomplete_.push_back(calls_[end].instance);
    } else if (instances_[incomplete_[place]].number < instance.number) {
      incomplete_[place] = calls_[end].instance;
    }
  }
  /// The round of for_each_begin ends.
  template <class Visit>
  void end_round(Visit visit) {
    for (const InstanceId id : incomplete_) {
      const Instance& instance = instances_[id];
      looked_at_ += instance.members.size();
      for (Rank rank = 0; rank < instance.members.size(); ++rank) {
        const ProcessIndex process = instance.roster->places[rank].process;
        if (process >= open_begins_.size() || open_begins_[process].empty()) continue;
        const Member& member = instance.members[rank];
        if (member.call == no_call) visit(process, calls_[open_begins_[process].front()].begin_index);
      }
    }
    incomplete_.clear();
  }
  /// How many members refresh_limits, for_each_begin and end_round have looked at since the last call of this.
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
           member_memory_ + replaced_memory_;
  }
  /// Bytes of the communicators that have had operations. They stay until the end.
  [[nodiscard]] std::uint64_t memory_of_communicators() const noexcept {
    return communicators_.capacity() * sizeof communicators_[0] + communicator_memory_;
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
    CallId call = no_call;     // no_call: end not read
    bool contributed = false;  // end read, begin absent, processed or without data
    bool excused = false;      // given up: no tail
    bool summed_up = false;    // `latest` is known
    Latest latest;             // of its end
    [[nodiscard]] bool settled() const noexcept { return contributed || excused; }
  };
  /// The members of an instance by rank. Room for some of them at a time is made when the end of one is read; all
  /// others are alike.
  class Members {
   public:
    [[nodiscard]] Rank size() const noexcept { return size_; }
    /// How many have a call.
    [[nodiscard]] std::size_t calls() const noexcept { return calls_; }
    [[nodiscard]] std::uint64_t memory() const noexcept {
      return chunks_.size() * sizeof chunks_[0] + used_.size() * std::min<Rank>(size_, chunk) * sizeof(Member);
    }
    void reset(Rank size) {
      chunks_.clear();
      chunks_.resize((size + chunk - 1) / chunk);
      used_.clear();
      size_ = size;
      calls_ = 0;
      others_ = {};
    }
    [[nodiscard]] const Member& operator[](Rank rank) const noexcept {
      const Member* const members = chunks_[rank / chunk].get();
      return members != nullptr ? members[rank % chunk] : others_;
    }
    /// Pre: it has a call.
    [[nodiscard]] Member& called(Rank rank) noexcept { return chunks_[rank / chunk][rank % chunk]; }
    Member& set_call(Rank rank, CallId call) {
      if (!chunks_[rank / chunk]) make_room(rank / chunk);
      Member& member = called(rank);
      member.call = call;
      ++calls_;
      return member;
    }
    void excuse_without_call() {
      others_.excused = true;
      for_each_used(0, size_, [](Rank, Member& member) { member.excused = member.excused || member.call == no_call; });
    }
    /// The next rank that may be in another state.
    [[nodiscard]] Rank behind(Rank rank) const noexcept {
      return chunks_[rank / chunk] ? rank + 1 : std::min(size_, (rank / chunk + 1) * chunk);
    }
    /// visit(rank, member) of those with a call, by rank.
    template <class Visit>
    void for_each_call(Visit visit) const {
      for_each_call(0, size_, visit);
    }
    template <class Visit>
    void for_each_call(Rank first, Rank last, Visit visit) const {
      for_each_used(first, last, [&](Rank rank, Member& member) {
        if (member.call != no_call) visit(rank, member);
      });
    }
    template <class Visit>
    void for_each_call_backwards(Visit visit) const {
      for (auto number = used_.rbegin(); number != used_.rend(); ++number)  // NOLINT(modernize-loop-convert): backwards
        for (Rank rank = std::min(size_, (*number + 1) * chunk); rank-- > *number * chunk;)
          if (chunks_[*number][rank % chunk].call != no_call) visit(rank);
    }

   private:
    static constexpr Rank chunk = 64;

    [[gnu::noinline]] void make_room(Rank number) {
      const Rank size = std::min(chunk, size_ - number * chunk);
      used_.insert(std::lower_bound(used_.begin(), used_.end(), number), number);
      chunks_[number] = std::make_unique<Member[]>(size);
      std::fill_n(chunks_[number].get(), size, others_);
    }
    template <class Visit>
    void for_each_used(Rank first, Rank last, Visit visit) const {
      for (auto number = std::lower_bound(used_.begin(), used_.end(), first / chunk); number != used_.end(); ++number) {
        if (*number * chunk >= last) return;
        const Rank end = std::min(last, *number * chunk + chunk);
        for (Rank rank = std::max(first, *number * chunk); rank < end; ++rank)
          visit(rank, chunks_[*number][rank % chunk]);
      }
    }

    std::vector<std::unique_ptr<Member[]>> chunks_;
    std::vector<Rank> used_;  // numbers of chunks, sorted
    Rank size_ = 0;
    std::size_t calls_ = 0;
    Member others_;
  };
  /// The members of a communicator as they were when an instance was opened.
  struct Roster {
    struct Place {
      ProcessIndex process = no_process;
      NodeIndex node = no_node;      // as DelayModel::node_of
      std::uint32_t node_place = 0;  // of that node among those of the members
      ClockIndex clock = no_process;
    };
    std::vector<Place> places;       // by rank
    std::vector<Rank> clock_ends;    // by rank: where ranks of the same clock end; empty: no clock is shared
    std::uint32_t nodes = 0;         // of the members
    std::uint64_t node_changes = 0;  // of the definitions, when it was made
    bool replaced = false;           // the communicator has another one by now
    [[nodiscard]] bool shared() const noexcept { return !clock_ends.empty(); }
    [[nodiscard]] std::uint64_t memory() const noexcept {
      return on_heap(sizeof *this + 2 * sizeof(void*)) + on_heap(places) + on_heap(clock_ends);
    }
  };
  /// A member that is not presumed ended, as far as is known.
  struct Living {
    std::uint64_t last_read;  // or earlier
    Rank rank;
    [[nodiscard]] static bool later(const Living& a, const Living& b) noexcept { return a.last_read > b.last_read; }
  };
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
    bool given_up = false;        // members are excused
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
    Rank witness = no_rank;       // a member that was waited for
    std::size_t next_living = 0;  // where the next one is looked for
    Members members;
    // Of the communicator, as it was when the instance was opened.
    std::shared_ptr<const Roster> roster;
    std::shared_ptr<const DelayModel> delays;
    std::unique_ptr<Sums> sums;
    std::unique_ptr<Settled> tails;  // made for ends that come late
    [[nodiscard]] ClockIndex clock_of(Rank rank) const noexcept { return roster->places[rank].clock; }
    /// All ranks below, but those of the member's own clock, are settled.
    [[nodiscard]] Rank frontier_of(Rank rank) const noexcept {
      if (!shared || frontier == members.size() || clock_of(frontier) != clock_of(rank)) return frontier;
      return other_frontier;
    }
  };
  struct OfCommunicator {
    std::uint64_t first = 0;           // number of the oldest entry of `instances`
    ShortQueue<InstanceId> instances;  // no_instance: not opened yet; done_instance: done
    std::vector<std::uint64_t> calls;  // finished calls by rank
    FlatMap<ProcessIndex, Rank> ranks;
    std::optional<std::uint32_t> changes;  // of the communicator, when all this was made from it; none: not yet
    std::shared_ptr<const DelayModel> delays;
    std::shared_ptr<Roster> roster;  // null: not made yet
    std::size_t incomplete = 0;      // place in incomplete_, if it is there
    std::uint64_t memory = 0;        // bytes, when it was last counted
    // Of the members of the roster; made when it is first asked who is still alive.
    std::vector<Living> living;       // a heap, the least recently read first; some may be presumed ended by now
    std::vector<bool> lives;          // by rank: in it
    std::uint64_t revived_round = 0;  // of what is known of revived processes
    std::size_t revived_seen = 0;
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
  void count_memory(OfCommunicator& state) noexcept;
  [[nodiscard]] InstanceId open_instance(const Event& end, std::uint64_t number);
  void make_roster(OfCommunicator& state, const Communicator& definition);
  /// Open instances may keep it.
  void drop_roster(OfCommunicator& state) noexcept;
  [[nodiscard]] std::uint32_t place_of_node(Roster& roster, NodeIndex node);
  [[nodiscard]] bool shares_clocks(const Roster& roster);
  [[nodiscard]] static std::uint64_t memory_of(const Instance& instance) noexcept { return instance.members.memory(); }
  /// Takes in who was revived.
  template <class Ended, class LastRead>
  static void follow_living(OfCommunicator& state, const Revived& revived, Ended ended, LastRead last_read) {
    const std::vector<Roster::Place>& places = state.roster->places;
    const bool known = state.lives.size() == places.size() && state.revived_round == revived.round &&
                       revived.processes.size() - state.revived_seen <= places.size();
    if (!known) {
      state.living.clear();
      state.lives.assign(places.size(), false);
      for (Rank rank = 0; rank < places.size(); ++rank) {
        if (ended(places[rank].process)) continue;
        state.living.push_back({last_read(places[rank].process), rank});
        state.lives[rank] = true;
      }
      std::make_heap(state.living.begin(), state.living.end(), Living::later);
    } else {
      for (std::size_t i = state.revived_seen; i < revived.processes.size(); ++i) {
        const Rank* const rank = state.ranks.find(revived.processes[i]);
        if (rank == nullptr || state.lives[*rank] || ended(revived.processes[i])) continue;
        state.living.push_back({last_read(revived.processes[i]), *rank});
        std::push_heap(state.living.begin(), state.living.end(), Living::later);
        state.lives[*rank] = true;
      }
    }
    state.revived_round = revived.round;
    state.revived_seen = revived.processes.size();
  }
  /// Those that are presumed ended go when they are many.
  template <class Ended>
  static void forget_ended(OfCommunicator& state, Ended ended) {
    const auto is_ended = [&](const Living& living) { return ended(state.roster->places[living.rank].process); };
    const auto count = std::count_if(state.living.begin(), state.living.end(), is_ended);
    if (static_cast<std::size_t>(count) * 2 <= state.living.size()) return;
    std::erase_if(state.living, [&](const Living& living) {
      if (!is_ended(living)) return false;
      state.lives[living.rank] = false;
      return true;
    });
    std::make_heap(state.living.begin(), state.living.end(), Living::later);
  }
  [[nodiscard]] bool is_tail(const Instance& instance, const Member& member) const noexcept;
  [[nodiscard]] bool is_head(const Instance& instance, const Member& member) const noexcept;
  void contribute(InstanceId id, Rank rank);
  /// One more member has contributed or is excused.
  void settle(Instance& instance);
  static void find_frontiers(Instance& instance);
  void wake(const Instance& instance, Rank first, Rank last);
  void insert_tail(const Instance& instance, Rank rank, Sums& sums) const;
  static void find_tails(Instance& instance, Rank rank, const Sums& sums);
  [[nodiscard]] Sums& sums_of(Instance& instance);
  void sum_up(Instance& instance, Rank wanted);
  void sum_up_late(Instance& instance, Rank wanted);
  void find_settled(Instance& instance);
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
  Blocks<Call> calls_;
  std::vector<CallId> free_calls_;
  std::vector<std::vector<CallId>> open_begins_;  // by process
  Blocks<Instance> instances_;
  std::vector<InstanceId> free_instances_;
  std::vector<InstanceId> changed_;     // with heads_changed
  std::vector<InstanceId> incomplete_;  // of each communicator the newest one met in this round that misses an end
  /// Lingering instances with their serials, oldest first; some may be gone.
  std::deque<std::pair<InstanceId, std::uint64_t>> lingering_;
  std::size_t lingering_members_ = 0;
  std::size_t lingering_calls_ = 0;
  std::vector<std::unique_ptr<OfCommunicator>> communicators_;  // null: without operations so far
  std::vector<std::pair<std::uint64_t, ProcessIndex>> woken_;   // by wait number
  std::vector<Limit> limits_;
  Ticks largest_own_delay_ = 0;
  std::size_t delays_seen_ = 0;     // of that many communicators
  std::uint64_t changes_seen_ = 0;  // of the definitions
  std::uint64_t waits_ = 0;
  std::uint64_t serials_ = 0;
  std::uint64_t member_memory_ = 0;
  std::uint64_t communicator_memory_ = 0;
  std::uint64_t replaced_memory_ = 0;                                 // of rosters that only instances have
  std::uint64_t looked_at_ = 0;                                       // members
  std::vector<std::pair<std::uint64_t, std::uint32_t>> node_places_;  // by node: number of a roster, place in it
  std::uint64_t rosters_ = 0;
  std::vector<std::uint64_t> clock_rounds_;  // by clock: in which it was last met
  std::uint64_t clock_round_ = 0;
  std::vector<CollectiveMember> observed_;  // with an end, by rank
  Rank observed_root_ = no_rank;            // place of the root among them
};

}  // namespace clc
