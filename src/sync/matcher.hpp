// Events to edges: which receive belongs to which send, which begins and ends to one collective operation, and whether
// the receiver was waiting.
//
// Place    First pass, in front of the collector. Independent of the clock's matching: it has no wait limit and keeps
//          what is unmatched to the end.
// Rules    First-in-first-out for each (sender, receiver, communicator, tag); a receive that overtakes others leaves
// them
//          their sends. Ends that do not name their peer match by communicator and tag.
// Waited   A delay is the network's only if the receiver was waiting. It was if more than 2.5 times
//          min(its shortest gap so far, 2 us) have passed since its last record [estimation A.3.3].
// Cost     One lookup per send and receive; memory in proportion to what is unmatched.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/hash.hpp"
#include "sync/collector.hpp"

namespace clc::sync {

class Matcher {
 public:
  /// definitions: those of the events, which may grow.
  Matcher(const Definitions& definitions, Collector& collector) : definitions_(definitions), collector_(collector) {}

  /// In the order of each process; a send and its receive in any order.
  void add(const Event& event);

  /// First and last record of a process; nothing: it has none.
  struct Span {
    Time first;
    Time last;
  };
  [[nodiscard]] std::optional<Span> span(ProcessIndex process) const;
  /// The largest step in which a clock advances: what all gaps between the records of a process are multiples of.
  [[nodiscard]] Ticks coarsest_tick() const noexcept;

 private:
  struct Side {
    ProcessIndex process;
    Time time;
    bool waited;
  };
  /// The n-th receive, in the order of posting, belongs to the n-th send.
  struct Channel {
    std::uint64_t sends = 0;             ///< so far
    std::uint64_t receives = 0;          ///< numbers given out so far
    std::vector<std::uint64_t> skipped;  ///< of them, those of receives that were overtaken
    std::map<std::uint64_t, Side> unmatched_sends;
    std::map<std::uint64_t, Side> unmatched_receives;
  };
  struct Key {
    std::uint64_t ends;
    CommunicatorIndex communicator;
    std::int64_t tag;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  struct State {
    std::optional<Span> span;
    Ticks shortest_gap = ticks_max;
    Ticks tick = 0;  ///< greatest common divisor of its gaps; 0: it had none
    std::uint32_t gaps = 0;
    HashMap<std::int64_t, Time> begins;  ///< by call id; 0: the last one
  };
  struct Operation {
    clc::Operation what;
    CollectiveClass kind;
    Rank root;
    bool agreed;  ///< all members name the same operation and root; else it orders nothing
    std::map<Rank, Gathering::Member> members;
  };
  struct Group {
    HashMap<ProcessIndex, std::uint64_t> calls;  ///< of each member so far
    std::map<std::uint64_t, Operation> open;
  };

  void message(const Event& event, bool waited);
  void collective_end(const Event& event, State& state);
  void finish(CommunicatorIndex communicator, const Operation& operation);
  void edge(const Side& send, const Side& receive);

  const Definitions& definitions_;
  Collector& collector_;
  HashMap<Key, Channel, KeyHash> channels_;
  HashMap<CommunicatorIndex, Group> groups_;
  std::vector<State> states_;
};

}  // namespace clc::sync
