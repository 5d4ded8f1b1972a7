// Turns events into edges: matches messages and collective operations, and decides whether the receiver was waiting.
//
// Place    First pass, before the collector. Independent of the clock's matching: it has no wait limit and keeps
//          unmatched events to the end.
// Rules    Those of trace/channel.hpp. Ends that do not name their peer match by communicator and tag.
// Waited   A delay is that of the network only if the receiver was waiting: if more than 2.5 times
//          min(its shortest gap so far, 2 us) have passed since its last record [estimation A.3.3].
// Cost     One lookup per send and receive; memory proportional to the unmatched events.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/indexes.hpp"
#include "sync/collector.hpp"
#include "trace/channel.hpp"
#include "trace/hash.hpp"

namespace clc {
struct Event;
enum class CollectiveClass : std::uint8_t;
enum class Operation : std::uint8_t;
}  // namespace clc

namespace clc::sync {

class Matcher {
 public:
  /// definitions: of the events; they may grow.
  Matcher(const Definitions& definitions, Collector& collector) : definitions_(definitions), collector_(collector) {}

  /// The events of each process in order; a send and its receive in any order.
  void add(const Event& event);

  /// Forgets the events before a time that have no partner so far: it would come too late. Partners of others are
  /// found as before; a channel in which nothing is left starts anew. Cost: of all channels.
  void forget_before(Time time);

  /// First and last record of a clock, which is that of the first of its processes; nullopt without records.
  struct Span {
    Time first;
    Time last;
  };
  [[nodiscard]] std::optional<Span> span(ClockIndex clock) const;
  /// The tick of a clock: the greatest common divisor of all gaps between the records of a process.
  [[nodiscard]] Ticks coarsest_tick() const noexcept;

 private:
  struct Side {
    ProcessIndex process;
    Time time;
    bool waited;
  };
  struct State {
    std::optional<Time> last;  ///< record so far
    Ticks shortest_gap = ticks_max;
    Ticks tick = 0;  ///< greatest common divisor of its gaps; 0: it had none
    std::uint32_t gaps = 0;
    HashMap<std::int64_t, Time> begins;  ///< by call id; 0: the last one
  };
  struct Operation {
    clc::Operation what;
    CollectiveClass kind;
    Rank root;
    bool agreed;  ///< all members name the same operation and root; otherwise it has no edges
    std::map<Rank, Gathering::Member> members;
  };
  struct Group {
    HashMap<ProcessIndex, std::uint64_t> calls;  ///< of each member so far
    HashMap<ProcessIndex, Rank> ranks;
    std::optional<std::uint32_t> changes;  ///< of the communicator, when they were made from it; none: not yet
    std::map<std::uint64_t, Operation> open;
  };

  void message(const Event& event, bool waited);
  void collective_end(const Event& event, State& state);
  void finish(CommunicatorIndex communicator, const Operation& operation);
  void edge(const Side& send, const Side& receive);
  [[nodiscard]] ClockIndex clock_of(ProcessIndex process) const;

  const Definitions& definitions_;
  Collector& collector_;
  HashMap<ChannelKey, MessageChannel<Side>, ChannelKeyHash> channels_;
  HashMap<CommunicatorIndex, Group> groups_;
  std::vector<State> states_;               // of processes
  std::vector<std::optional<Span>> spans_;  // of clocks
};

}  // namespace clc::sync
