// What the ranks of a parallel replay send each other, and the three calls by which they do.
//
// Place    Between a `Replay` and its transport: MPI in clc-filter-mpi, memory in the tests.
// Assumes  Items from one rank to another arrive in the order in which they were posted, each once. Nothing is assumed
//          about the order of items from different ranks, nor about when they arrive.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <exception>
#include <limits>
#include <vector>

#include "clc/event.hpp"
#include "clc/time.hpp"
#include "clock/epochs.hpp"
#include "trace/channel.hpp"

namespace clc::ranks {

struct Item {
  enum class Kind : std::uint8_t {
    sends,     ///< how many sends a channel has, to the rank of its receiver
    receives,  ///< how many receives, to the rank of its sender
    ends,      ///< how many operations of a communicator a member ended, or each member on its rank
    value,     ///< a send was processed
    part,      ///< the begin of a member of an operation was processed
    begins,    ///< the latest begins of an operation, see trees.hpp
    ended,     ///< its earliest ends
    limit,     ///< upper bound of a tail's offset; no_limit: none
    failed,    ///< the sender has ended early
  };
  Kind kind = Kind::limit;
  bool is_tail = false;                      ///< part: it has a begin, and sends data
  bool is_absent = false;                    ///< part: the member is known to have no record of the operation
  bool is_complete = false;                  ///< begins, ended: no more follow; ends: holds for all members on the rank
  Operation operation = Operation::barrier;  ///< part, begins, ended
  Rank member = 0;                           ///< part
  Channel channel;           ///< ends, part, begins, ended: process and communicator, and the root as receiver; limit:
                             ///< the sender alone; value: none
  std::uint64_t number = 0;  ///< sends, receives, ends: how many; part, begins, ended: of the operation; value: of the
                             ///< channel
  std::uint64_t index = 0;   ///< value, part, limit: of the tail in its clock; receives: the number of the channel;
                             ///< ends: the signature of the operations
  Time time;                 ///< value, part, begins: C^ of the tail; ended: of the head
  Time recorded;             ///< value, part: C of the tail; begins: of the tail that is latest by it
  double offset = 0;         ///< value, part, begins: D of the tail; ended: of the head; limit: the bound
  Ticks delay = 0;           ///< value: mu
  // Of the simple clock LC:
  double simple_offset = 0;                   ///< value, part: E of the tail; begins: of the tail that is latest on LC
  Time simple_time;                           ///< begins: C of that
  ProcessIndex simple_sender = no_process;    ///< begins: its process; no_process: none
  ProcessIndex recorded_sender = no_process;  ///< begins: the process of the tail that is latest by C; no_process: none
};

/// An event that waits: the oldest of all is given up if nothing goes on.
struct Waiting {
  Time time = Time::latest();
  ClockIndex clock = no_process;  ///< no_process: none waits

  friend auto operator<=>(const Waiting&, const Waiting&) = default;
};

/// What a rank knows while it has nothing to do. `join` is exact, associative and commutative.
struct Standstill {
  Waiting oldest;
  Time first = Time::latest();                       ///< C of the first event
  bool waits_for_cut = false;                        ///< an event does, and for nothing else; or the cut is summed up
  Epoch needed = std::numeric_limits<Epoch>::max();  ///< the smallest cut that is still needed
  EpochSummary summary;                              ///< of the cut that was needed

  void join(const Standstill& other) noexcept {
    oldest = std::min(oldest, other.oldest);
    first = std::min(first, other.first);
    waits_for_cut |= other.waits_for_cut;
    needed = std::min(needed, other.needed);
    summary.join(other.summary);
  }
};

class Exchange {
 public:
  virtual ~Exchange() = default;
  [[nodiscard]] virtual unsigned rank() const noexcept = 0;
  [[nodiscard]] virtual unsigned size() const noexcept = 0;
  /// Sends an item, perhaps together with later ones, at the latest when `poll` or `quiet` is called.
  virtual void post(unsigned to, const Item& item) = 0;
  /// Sends what was posted, and appends the items that have arrived. Does not wait.
  virtual void poll(std::vector<Item>& items) = 0;
  /// Call it when there is nothing to do, with what this rank knows. True once all ranks have nothing to do and no item
  /// is under way: standstill is then that of all ranks, joined. Does not wait: false means try again. What a rank
  /// posts after it was told true arrives at another one only after that was told, too.
  virtual bool quiet(Standstill& standstill) = 0;
};

/// Thrown by a replay: another rank has ended early. What is left to do is to `drain`.
class OtherRankFailed final : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "another process has failed"; }
};

/// The replay of this rank cannot go on: those of the others end, too. What is left to do is to `drain`.
void end_early(Exchange& exchange);
/// Takes what is under way, so that the exchange can be used again or destroyed. Does not wait: false means try again,
/// because another rank has not ended its replay yet.
[[nodiscard]] bool drain(Exchange& exchange);

}  // namespace clc::ranks
