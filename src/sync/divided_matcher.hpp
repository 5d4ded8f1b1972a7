// Turns the events of a trace that several processes read into edges: those that a single matcher finds, which has not
// read the trace before (matcher.hpp).
//
// Place    First pass of clc-filter-mpi. Each process has the events of its own clocks; a pair of clocks belongs to the
//          process of the clock that receives, an operation to the process of its communicator's first member.
// Method   Rounds: the processes agree how far in time each of them has read; sends and the ends of operations up to
//          there go to those to whom they belong, who match them; then the edges of operations to their pairs. Events
//          carry their places (divided_collector.hpp), which say in which order a single process would see the edges.
// Memory   About `round` events that communicate in each process, whatever the length of the trace, besides those that
//          still lack their partners.
// Cost     Four exchanges a round; 40 bytes for a send to another process, 80 for an end of an operation.
// Assumes  Definitions do not change; sends and receives name both processes; nothing is known of lost records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "sync/calls.hpp"
#include "sync/collector.hpp"
#include "sync/divided_collector.hpp"
#include "sync/place.hpp"
#include "sync/records.hpp"
#include "trace/channel.hpp"
#include "trace/delay.hpp"
#include "trace/flat_map.hpp"
#include "trace/partners.hpp"
#include "trace/short_queue.hpp"

namespace clc::sync {

class DividedMatcher {
 public:
  /// Events that communicate, in a round.
  static constexpr std::size_t usual_round = std::size_t{1} << 14;
  /// The next event of a clock, in the order in which a single process would read them; false at its end.
  using Next = std::function<bool(ClockIndex clock, Event& event)>;

  /// Keeps references. owners: the rank of each process; those of a clock have the same.
  DividedMatcher(const Definitions& definitions, const std::vector<unsigned>& owners, Partners& partners, Next next,
                 Transfer transfer = {}, std::size_t round = usual_round, const CollectorLimits& limits = {});

  /// Reads all events and matches them.
  void read();

  // Then:
  /// In the first process: all edges.
  [[nodiscard]] Collector joined() { return collector_.joined(); }
  /// In all processes: of all clocks.
  [[nodiscard]] const Records& records() const noexcept { return records_; }
  /// In all processes: does a message or an operation lack an end?
  [[nodiscard]] bool lacks_records() const noexcept { return lacks_records_; }

 private:
  /// An event that communicates and does not go to its owner yet.
  struct Item {
    EventPlace place;
    Time time;
    bool is_send = false;
    bool waited = false;
    std::uint16_t overtakes = 0;
    ProcessIndex peer = no_process;  ///< no_process: the end of an operation, which is among the calls
    CommunicatorIndex communicator = no_communicator;
    std::int64_t tag = 0;
  };
  /// How far a clock was read.
  struct OfClock {
    bool has_begun = false;
    Time reached = Time::earliest();
    std::uint32_t turn = 0;
    ShortQueue<Item> items;
    ShortQueue<Call> calls;  ///< of the ends among the items
  };
  struct Side {
    EventPlace place;
    Time time;
    bool waited;
  };
  using Channel = MessageChannel<Side>;
  struct Known {
    ChannelKey key;
    Channel channel;
  };
  using Reached = std::pair<Time, ClockIndex>;

  static constexpr std::size_t recent_channels = 4096;

  void read_round();
  [[nodiscard]] bool read_run(ClockIndex clock);
  void take(OfClock& state, const Event& event);
  /// Returns the time up to which all processes have read, and whether all have come to their ends.
  [[nodiscard]] std::pair<Time, bool> agree();
  void hand_out(Time end, bool all);
  void hand_out(OfClock& state);
  void take_given();
  void message(const Item& item, ProcessIndex process);
  void call(const Call& call);
  void edge(const EventPlace& place, const Edge& edge);
  void take_edges();
  void join_records();
  [[nodiscard]] Channel& channel_of(const ChannelKey& key);

  const Definitions& definitions_;
  const std::vector<unsigned>& owners_;
  Partners& partners_;
  Next next_;
  Transfer transfer_;
  std::size_t round_;
  std::size_t run_length_;
  DividedCollector collector_;
  Records records_;
  MemberCalls calls_;
  OpenOperations operations_;
  std::vector<OfClock> clocks_;
  std::vector<ClockIndex> own_;
  Partners::Numbers begun_;  ///< clocks that have since the last round, each with its first time
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> reached_;  ///< the earliest first
  std::size_t waiting_ = 0;                                                     ///< items
  Time end_ = Time::earliest();                                                 ///< of the round before
  FlatMap<ChannelKey, std::uint32_t, ChannelKeyHash> places_;                   ///< of channels
  std::vector<Known> channels_;
  std::vector<std::uint32_t> recent_ =
      std::vector<std::uint32_t>(recent_channels);  ///< places of channels that may come again
  std::vector<Partners::Numbers> given_;            ///< to each process
  std::vector<Partners::Numbers> edges_;            ///< the same
  bool lacks_records_ = false;
};

}  // namespace clc::sync
