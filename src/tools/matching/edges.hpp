// Matches messages and collective operations from records alone, to find the edges between events.
//
// Place    The independent matching of clc-check. It shares no code with that of the filter, so that no
//          mistake can hide in both.
// Rules    Messages match first-in-first-out per (sender, receiver, communicator, tag), whichever end is read first.
//          Receives count in the order of posting, which is the order of reading except for Event::overtakes. Ends
//          that do not name their peer match by communicator and tag; those of a correction in the order of the
//          recorded trace. The k-th finished calls of all members of a communicator are one operation. A begin belongs
//          to the next end of its process, or to the end with the same call id. Event::missed and Event::absent tell
//          which members miss an operation. The members of an operation are those of its communicator at the first end.
// Memory   Proportional to the unmatched events, plus the processes and communicators of the trace.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "clc/time.hpp"
#include "matching/expected_order.hpp"
#include "trace/channel.hpp"
#include "trace/delay.hpp"
#include "trace/hash.hpp"

namespace clc::matching {

/// Which times: those of the trace under test (the recorded ones), of its correction, or the true ones.
enum Column : std::uint8_t { recorded = 0, corrected = 1, truth = 2 };
inline constexpr std::size_t columns = 3;

/// Times and places of an event in up to three files with the same records.
struct Stamp {
  std::array<Time, columns> time{};
  std::array<std::uint64_t, 2> place{};  ///< Batch::places in the recorded and the corrected trace
};

/// A matched message.
struct Message {
  ProcessIndex sender = no_process;
  ProcessIndex receiver = no_process;
  CommunicatorIndex communicator = no_communicator;
  std::int64_t tag = 0;
  Ticks own_delay = 0;                ///< minimum delay of the communicator at the send; 0: the communicator has none
  std::uint64_t bytes = 0;            ///< as recorded by the sender
  NodeIndex sender_node = no_node;    ///< at the send; if ends do not name each other: when both have been read
  NodeIndex receiver_node = no_node;  ///< at the same moment
  bool within_clock = false;          ///< sender and receiver share a clock: not an edge
  Stamp sent;
  Stamp received;
};

/// A member of a collective operation.
struct Member {
  ProcessIndex process = no_process;
  ClockIndex clock = no_process;
  Rank rank = 0;
  NodeIndex node = no_node;                  ///< when the first member finished the operation
  Operation operation = Operation::barrier;  ///< as recorded at its end
  Rank root = no_rank;                       ///< as recorded at its end
  bool has_begin = false;
  std::uint64_t sent = 0;      ///< bytes
  std::uint64_t received = 0;  ///< bytes
  Stamp begin;
  Stamp end;
};

/// A collective operation; members in the order in which their ends were read. The member whose end was recorded first
/// determines the operation. If others disagree, it has no edges.
struct Collective {
  Operation operation = Operation::barrier;
  CommunicatorIndex communicator = no_communicator;
  Rank root = no_rank;
  Ticks own_delay = 0;             ///< minimum delay of the communicator at the first end; 0: the communicator has none
  std::size_t size = 0;            ///< members of the communicator
  bool agreed = true;              ///< all ends name the same operation and root
  Members callers;                 ///< members of the communicator by rank, when the first one finished
  std::uint64_t node_changes = 0;  ///< Definitions::node_changes() at that moment
  std::vector<Member> members;
};

/// Receives matched messages and operations.
class EdgeObserver {
 public:
  virtual ~EdgeObserver() = default;
  virtual void message(const Message& message) = 0;
  /// An operation that all members have finished, but for those that are known to miss it.
  virtual void collective(const Collective& operation) = 0;
  /// At the end of the trace: an operation that some members never finished.
  virtual void incomplete(const Collective& operation) = 0;
};

/// Counts of unmatched and inconsistent events.
struct Leftovers {
  std::uint64_t sends = 0;                ///< sends never received
  std::uint64_t receives = 0;             ///< receives never sent
  std::uint64_t unclaimed = 0;            ///< sends without named receiver, never received; not a fault
  std::uint64_t self_messages = 0;        ///< messages of a process to itself; no edges
  std::uint64_t within_clocks = 0;        ///< messages between processes that share a clock; no edges
  std::uint64_t clock_disagreements = 0;  ///< those of them that end before they begin
  std::uint64_t incomplete = 0;           ///< collective operations that some members never finished
  std::uint64_t ends_without_begin = 0;   ///< of collective operations
  std::uint64_t begins_without_end = 0;   ///< of collective operations
  std::uint64_t outsiders = 0;            ///< ends by processes outside the communicator
  std::uint64_t foreign_roots = 0;        ///< operations whose root is not a rank of the communicator
  std::uint64_t disagreements = 0;        ///< members that name another operation or root than the first; such an
                                          ///< operation has no edges
};

class Matcher {
 public:
  /// Keeps references; definitions may grow.
  Matcher(const Definitions& definitions, EdgeObserver& observer);

  /// Takes the next event. The events of each process come in order. Processes may interleave in any way, except for
  /// ends that do not name their peer and were not expected.
  void add(const Event& event, const Stamp& stamp);
  /// A send or receive whose other end is not in the trace: it is counted, and matches nothing.
  void add_lone(const Event& event) {
    ++(event.role == Role::send ? leftovers_.sends : leftovers_.receives);
    leave_out(event);
  }
  /// Two traces are paired: the next event of the recorded one, before it is added. Ends that do not name their peer
  /// match in this order.
  void expect(const Event& event) {
    if (is_unnamed(event)) unnamed_.expect(event.process, key_of(event));
  }
  /// An event that was expected is never added.
  void leave_out(const Event& event);
  /// End of the trace: reports incomplete operations and completes the counts.
  void finish();

  [[nodiscard]] const Leftovers& leftovers() const noexcept { return leftovers_; }
  /// Current number of message ends that wait for the other end.
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }
  /// Current number of channels.
  [[nodiscard]] std::size_t channels() const noexcept { return channels_.size(); }

 private:
  static constexpr std::uint32_t none = 0xffff'ffff;
  /// If more pairs than this are in disorder, receives count in the order in which they are read.
  static constexpr std::size_t most_disordered = std::size_t{1} << 20;

  /// Either sends wait here or receives, never both.
  struct WaitingEnds {
    std::uint32_t first = none;
    std::uint32_t last = none;
    bool sends = false;
  };
  struct Waiting {
    Stamp stamp;
    std::uint64_t bytes;
    Ticks own_delay;  ///< of a send: that of its communicator
    ProcessIndex process;
    NodeIndex node;       ///< of a send that names its receiver: the sender's
    NodeIndex peer_node;  ///< the receiver's
    std::uint32_t next;
  };
  /// One end of a message, for its channel.
  struct MessageEnd {
    Waiting waiting;
    bool send = false;
    std::uint16_t overtakes = 0;
  };
  /// A list of members, shared by all communicators that have it.
  struct Roster {
    Members members;
    HashMap<ProcessIndex, Rank> ranks;
  };
  struct Group {
    std::shared_ptr<Roster> roster;                 ///< null: not yet made from the communicator
    std::uint32_t changes = 0;                      ///< of the communicator, when it was made
    HashMap<ProcessIndex, std::uint64_t> finished;  ///< operations; none: 0
    std::uint64_t first_open = 0;
    std::deque<Collective> open;  ///< size 0: not begun; no members: finished
  };
  struct Calls {
    bool begun = false;
    Stamp begin;  ///< of the call without id
    HashMap<std::int64_t, Stamp> by_id;

    /// Ends the call with the id, or that without. False: it has no begin.
    bool end(std::int64_t id, Stamp& its_begin) {
      if (id == 0) {
        its_begin = begin;
        return std::exchange(begun, false);
      }
      const auto entry = by_id.find(id);
      if (entry == by_id.end()) return false;
      its_begin = entry->second;
      by_id.erase(entry);
      return true;
    }
  };

  /// The n-th send and receive of a channel, in the order of posting.
  struct Pair {
    std::uint32_t send = none;
    std::uint32_t receive = none;
  };
  /// A channel in which receives were overtaken that are not read yet.
  struct Disorder {
    std::deque<Pair> pairs;  ///< from the first that is not complete
    std::size_t sent = 0;    ///< of them have a send, from the first

    /// The place of the pair that has no receive, and n such pairs ahead of it; it may be behind the last.
    [[nodiscard]] std::size_t without_receive(std::size_t n) const noexcept;
    void put_receive(std::size_t place, std::uint32_t slot);
    void pop_complete();

   private:
    static constexpr std::size_t block = 256;  // places, counted from the channel's first
    std::deque<std::uint32_t> received_;       // of each block from that of the first pair: how many have a receive
    std::size_t ahead_ = 0;                    // places of the first block ahead of the first pair
  };

  /// Where a process is now: where the first one is that reads its clock.
  [[nodiscard]] NodeIndex node_of(ProcessIndex process) const noexcept {
    const auto& processes = definitions_->processes();
    return process < processes.size() ? processes[processes[process].clock].node : no_node;
  }
  /// Minimum delay of a communicator now; 0: it has none of its own.
  [[nodiscard]] Ticks own_delay(CommunicatorIndex communicator) const noexcept {
    const auto& communicators = definitions_->communicators();
    return communicator < communicators.size() ? communicators[communicator].min_delay : 0;
  }
  [[nodiscard]] static bool is_unnamed(const Event& event) noexcept {
    return event.peer == no_process && (event.role == Role::send || event.role == Role::receive);
  }
  [[nodiscard]] static Channel key_of(const Event& event) noexcept {
    const ProcessIndex self = event.peer != no_process ? event.process : no_process;
    return event.role == Role::send ? Channel{self, event.peer, event.communicator, event.tag}
                                    : Channel{event.peer, self, event.communicator, event.tag};
  }
  void message_end(const Event& event, const Stamp& stamp);
  void take(const Channel& key, const MessageEnd& end);
  void end_in_disorder(const Channel& key, WaitingEnds& channel, const MessageEnd& end);
  void match(const Channel& key, const Waiting& send, const Waiting& receive);
  /// An end that waits.
  [[nodiscard]] std::uint32_t keep(const Waiting& end);
  void drop(std::uint32_t slot) noexcept;
  /// An end that was never matched.
  void leave(const Channel& key, bool send) noexcept;
  void forget_empty_channels();
  void begin(const Event& event, const Stamp& stamp);
  void end(const Event& event, const Stamp& stamp);
  [[nodiscard]] Calls& calls_of(ProcessIndex process) {
    if (calls_.size() <= process) calls_.resize(process + std::size_t{1});
    return calls_[process];
  }
  void open_next(Group& group);
  /// Its first end was read.
  void start(Collective& operation, const Event& event);
  /// All its ends were read: the first one says what it is, the others whether they agree.
  void agree(Collective& operation);
  /// All members have finished it.
  void complete(Group& group, Collective& operation);
  /// The communicator's members are new or others.
  void follow(Group& group, const Communicator& communicator);
  /// That of the members, which may be in use by other communicators.
  [[nodiscard]] std::shared_ptr<Roster> roster_of(const Members& members);

  const Definitions* definitions_;
  EdgeObserver* observer_;
  HashMap<Channel, WaitingEnds, HashOfChannel> channels_;
  HashMap<Channel, Disorder, HashOfChannel> disorders_;  ///< mostly empty
  std::size_t disordered_ = 0;                           ///< pairs in them
  std::size_t channel_limit_ = 4096;                     ///< empty channels are forgotten when there are more
  std::vector<Waiting> slots_;
  std::uint32_t free_ = none;
  std::size_t waiting_ = 0;
  ExpectedOrder<Channel, HashOfChannel, MessageEnd> unnamed_;
  std::vector<std::unique_ptr<Group>> groups_;  ///< null: without operations so far
  /// By the address of the list, which the roster keeps in place. Those no longer in use are forgotten from time to
  /// time.
  HashMap<std::uintptr_t, std::weak_ptr<Roster>> rosters_;
  std::size_t roster_limit_ = 1024;
  std::vector<Calls> calls_;
  std::vector<std::vector<Member>> spare_;
  Leftovers leftovers_;
};

}  // namespace clc::matching
