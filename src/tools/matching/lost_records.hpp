// Which sends and receives have lost their other end: the rules of clc-filter --match resync and whole, found anew.
//
// Place    Ahead of the Matcher: a trace is read once for LostRecords and once more to be judged.
// Rule     clc-algorithm(7), "Lost records". Written from there, not from the filter: all message ends of the trace are
//          at hand, so that nothing is held.
// Assumes  What the filter does with the input when it runs out of memory is not followed: -max-memory, and channels
//          that it forgets because there are too many.
// Memory   Up to 100 bytes for each send and receive, and 300 for each channel; more to match whole channels.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "clc/time.hpp"
#include "matching/clock_steps.hpp"
#include "matching/lost_calls.hpp"
#include "matching/precedence.hpp"
#include "matching/turns.hpp"
#include "matching/whole_channel.hpp"
#include "trace/hash.hpp"
#include "trace/short_queue.hpp"

namespace clc::matching {

/// One end of a message is not in the trace.
struct LostRecord {
  bool send = false;  ///< what is missing; false: the receive
  ProcessIndex sender = no_process;
  ProcessIndex receiver = no_process;
  CommunicatorIndex communicator = no_communicator;
  std::int64_t tag = 0;
  Time other_end;  ///< recorded time of the end that is there
};

class LostRecords {
 public:
  /// whole: channels of which all ends are known are matched first, by recorded times.
  explicit LostRecords(bool whole = false) : whole_(whole) {}

  /// The next record of the trace. time: as the filter knows it.
  void add(const Event& event, Time time);
  /// All were added. min_delay: the usual one; both in ticks. always: also where each channel has as many sends as
  /// receives, so that nothing seems to be missing.
  void find(const Definitions& definitions, Ticks min_delay, Ticks wait_limit, bool always = true);

  /// The next record of its process when the trace is read again: has it lost its other end?
  [[nodiscard]] bool takes(const Event& event) {
    if ((event.role != Role::send && event.role != Role::receive) || event.process >= processes_.size()) return false;
    OfProcess& own = processes_[event.process];
    if (own.next == own.lone.size() || own.lone[own.next] != own.read++) return false;
    ++own.next;
    return true;
  }
  /// The same of a finished collective call: sets what is known of the members of its operation.
  void mark(Event& end) { calls_.mark(end); }
  [[nodiscard]] const std::vector<LostCall>& lost_calls() const noexcept { return calls_.found(); }
  [[nodiscard]] const std::vector<LostRecord>& found() const noexcept { return found_; }
  [[nodiscard]] bool by_whole_channels() const noexcept { return whole_; }

 private:
  enum class Doubt : std::uint8_t { none, first, early, below, above };
  struct Floor {
    bool known = false;
    Ticks delay = 0;
    Time hit;       // the last one
    Time since;     // hit within three gaps, again and again
    Ticks gap = 0;  // in 16 ticks
    int run = 0;    // matches in a row above; below: negative
    std::uint64_t hits = 0;

    void begin(Ticks at, Time now);
    [[nodiscard]] Ticks usual_gap() const noexcept { return 16 * gap; }
    /// When a match at the floor was complete, on the clock of the sender or receiver.
    [[nodiscard]] Time own(Time time, bool of_sender) const noexcept {
      return time - std::max<Ticks>(0, of_sender ? delay : -delay);
    }
  };
  static constexpr std::uint32_t none = 0xffff'ffff;
  /// The n-th send and receive, in the order of posting.
  struct Slot {
    std::uint32_t send = none;
    std::uint32_t receive = none;
  };
  struct Channel {
    ProcessIndex sender = no_process;
    ProcessIndex receiver = no_process;
    CommunicatorIndex communicator = no_communicator;
    std::int64_t tag = 0;
    Floor floor;
    ShortQueue<Slot> slots;      // from the first that is not complete
    std::uint32_t dropped = 0;   // slots ahead of these, modulo 2^32
    std::uint32_t sends = 0;     // slots with a send: the first ones
    std::uint32_t receives = 0;  // slots with a receive
    bool is_known = false;       // what is lost of it
    bool has_shifts = false;     // it is not matched first in, first out
    bool again = false;          // it was matched once more, by the order of what happened
    std::int64_t gain = 0;       // WholeMatch::gain
    std::int64_t cost = 0;       // WholeMatch::cost
    // Slots without receive ahead of others with one, counted as dropped is; at most as many as a receive can overtake.
    ShortQueue<std::uint32_t> gaps{};

    [[nodiscard]] bool in_order() const noexcept { return gaps.empty(); }
    void put(std::uint32_t end, bool is_send, std::size_t overtakes);
    [[nodiscard]] std::uint32_t place_receive(std::size_t overtakes);
    void drop_first();
  };
  struct Key {
    ProcessIndex sender;
    ProcessIndex receiver;
    CommunicatorIndex communicator;
    std::int64_t tag;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept {
      return static_cast<std::size_t>(
          hash(std::uint64_t{key.sender} << 32 | key.receiver, static_cast<std::uint64_t>(key.tag), key.communicator));
    }
  };
  struct End {
    Time time;
    std::uint64_t order = 0;  // among all records
    std::uint32_t channel = 0;
    std::uint32_t nth = 0;  // send or receive of its process
    std::uint32_t overtakes = 0;
    bool send = false;
    bool alone = false;  // of a channel that is known
    Time recorded;       // the latest of its process so far
    std::uint64_t bytes = 0;
  };
  struct OfProcess {
    std::optional<Time> first;        // record
    Time latest = Time::earliest();   // as recorded
    Time highest = Time::earliest();  // of all times that the filter knows: C^ of the last record
    std::uint32_t ends = 0;           // sends and receives
    std::vector<std::uint32_t> lone;  // which of them
    std::size_t next = 0;             // of lone, to be read again
    std::uint32_t read = 0;
  };
  /// Times of a channel from a match in doubt on.
  struct Times {
    std::vector<Time> sent;
    std::vector<Time> received;
  };
  /// Another channel of one of the processes while a match is in doubt.
  struct Watched {
    Floor floor;
    Time hit;            // last one
    bool known = false;  // what is matched, and where its floor was
    bool tells = false;
    bool receives = false;
    bool hits = false;             // since the doubt
    std::vector<Ticks> away = {};  // matches since the doubt, less the floor
    std::deque<Time> waiting;
  };
  /// Do the clocks of both processes go on after a match in doubt? Their other channels tell.
  struct Evidence {
    struct Clock {
      ProcessIndex process;
      Time from;  // half a gap after its end of that match
      bool goes_on = false;
    };
    std::array<Clock, 2> clocks;
    std::map<std::uint32_t, Watched> watched;  // by channel
    void add(const Channel& steady, Time sent, Time received);
    /// Does it lead from the receiver of the doubtful match to its sender?
    [[nodiscard]] bool is_reverse(const Channel& channel) const {
      return channel.sender == clocks[1].process && channel.receiver == clocks[0].process;
    }
    [[nodiscard]] bool clocks_go_on() const noexcept { return clocks[0].goes_on && clocks[1].goes_on; }
  };

  [[nodiscard]] std::array<ClockSteps::Ends, 2> sides_of(const std::vector<std::uint32_t>& ends) const;
  void sort_by_time();
  void match_whole_channels(const Definitions& definitions);
  /// A channel of which all ends are known.
  struct Whole {
    std::array<std::vector<std::uint32_t>, 2> nths;  // of sends, receives
    std::array<std::vector<WholeEnd>, 2> ends;
    WholeRules rules;
    std::optional<WholeMatch> match;
  };
  /// What whole channels are matched by.
  struct Known {
    std::vector<std::vector<std::uint32_t>> ends;  // of channels
    std::vector<bool> in_order;                    // no receive overtakes another one
    std::vector<std::int64_t> more_sends;          // than receives
    ClockSteps steps;
    Turns turns;
    std::vector<std::uint32_t> partners;  // of receives, by end
    std::uint64_t processes = 0;          // that are defined
    std::uint64_t looks = 0;              // at records, to match channels once more
  };
  using Bounds = std::vector<std::pair<std::size_t, std::size_t>>;
  [[nodiscard]] Known known(const Definitions& definitions) const;
  [[nodiscard]] Whole whole(std::uint32_t channel, const Known& known, const Bounds& bounds = {}) const;
  void match_whole_processes(std::map<std::uint32_t, Whole>& wholes) const;
  void settle(std::uint32_t channel, Whole& whole, Known& known);
  void settle_pairs(std::uint32_t channel, const std::vector<WholePair>& pairs, Known& known);
  [[nodiscard]] static Turns::Side side_of(const End& end) { return 2 * end.channel + (end.send ? 0 : 1); }
  void match_in_order(std::uint32_t channel, Known& known);
  void match_by_trips(Known& known);
  void match_pair_by_trips(const std::vector<std::uint32_t>& channels, const std::vector<Time>& times, Known& known,
                           std::uint64_t& looks);
  [[nodiscard]] std::map<ProcessIndex, std::vector<std::uint32_t>> matched_receives(
      const std::vector<std::uint32_t>& channels, const Known& known) const;
  [[nodiscard]] std::vector<Time> times_without_steps(const Known& known) const;
  [[nodiscard]] std::optional<Bounds> bounds_by_trips(std::uint32_t channel, const std::vector<std::uint32_t>& back,
                                                      const std::vector<Time>& times, const Known& known) const;
  [[nodiscard]] Time earliest_receive(std::uint32_t send, const std::vector<std::uint32_t>& back,
                                      const std::vector<Time>& times, const Known& known) const;
  [[nodiscard]] static Ticks half_of_usual(const std::vector<std::uint32_t>& ends, const std::vector<Time>& times);
  [[nodiscard]] static Ticks tick_of_ends(const std::vector<std::uint32_t>& ends, const std::vector<Time>& times);
  /// All records, as they happened; of each, which end of a message it is.
  struct Followed {
    Precedence precedence;
    std::vector<std::uint32_t> end_of;
  };
  [[nodiscard]] Precedence match_by_precedence(Known& known);
  [[nodiscard]] Followed without_circles(Known& known);
  [[nodiscard]] Followed follow(const std::vector<std::uint32_t>& partners);
  [[nodiscard]] std::vector<std::uint32_t> forget_circles(Followed& all, Known& known);
  void match_one_again(const std::vector<std::uint32_t>& channels, Known& known);
  [[nodiscard]] Bounds bounds_of(std::uint32_t channel, Known& known);
  [[nodiscard]] bool match_irregular(Known& known, const Followed& all);
  [[nodiscard]] std::vector<WholePair> first_left(const std::vector<std::uint32_t>& ends,
                                                  const std::vector<Precedence::Record>& record_of,
                                                  const std::vector<Precedence::Record>& receives,
                                                  const std::vector<std::size_t>& before) const;
  [[nodiscard]] static std::uint64_t most_looks(std::uint64_t records) {
    return std::min(std::uint64_t{1} << 28, (std::uint64_t{1} << 18) + 64 * records);
  }
  [[nodiscard]] std::uint64_t records_followed() const;
  [[nodiscard]] std::uint64_t looks_at_all(const Known& known) const;
  [[nodiscard]] bool may_follow_again(const Known& known) const;
  [[nodiscard]] bool follows_again(Known& known) const;
  [[nodiscard]] std::vector<std::int64_t> more_sends() const;
  [[nodiscard]] bool something_is_missing() const;
  void put(std::uint32_t e);
  void read(std::uint32_t e);
  void take_out(std::uint32_t e);
  [[nodiscard]] bool can_be_judged(const Channel& channel, const End& end) const;
  /// How many ends have lost their others; 0: the match holds.
  [[nodiscard]] std::size_t lone_ends(std::uint32_t e, Doubt doubt);
  [[nodiscard]] static bool was_steady(const Channel& channel, const Channel& doubtful);
  [[nodiscard]] Watched watch(const Channel& channel, const Channel& doubtful) const;
  void look_at_other(const End& next, const Channel& doubtful, const Times& times, Evidence& evidence) const;
  [[nodiscard]] bool round_trip_stays(const Times& times, const Floor& floor, Ticks around,
                                      const Evidence& evidence) const;

  [[nodiscard]] static bool is_soon(const Floor& floor, Ticks since_hit) { return since_hit <= 3 * floor.usual_gap(); }

  [[nodiscard]] Ticks tolerance(const Floor& floor) const;
  [[nodiscard]] Ticks around(const Floor& floor, Time now) const;
  [[nodiscard]] bool is_at(const Floor& floor, Ticks delay, Time now) const;
  [[nodiscard]] bool is_trusted(const Floor& floor) const;
  [[nodiscard]] Doubt doubt(const Floor& floor, Ticks delay, Time now) const;
  void learn(Floor& floor, Ticks delay, Time now) const;
  [[nodiscard]] std::optional<std::size_t> by_evidence(const Times& times, const Floor& floor, Ticks around,
                                                       bool backlog, const Evidence& evidence) const;
  [[nodiscard]] static std::optional<std::size_t> by_floor(const Times& times, const Floor& floor, Ticks around,
                                                           bool backlog);
  [[nodiscard]] static std::size_t by_spread(const Times& times, const Floor& floor, Ticks around, Doubt doubt,
                                             bool backlog);

  bool whole_;
  HashMap<Key, std::uint32_t, KeyHash> index_;
  std::vector<Channel> channels_;
  std::vector<End> ends_;
  std::vector<OfProcess> processes_;
  std::uint64_t records_ = 0;
  std::uint64_t looks_ = 0;
  std::size_t gaps_ = 0;  // of all channels
  std::uint64_t most_held_ = 0;
  Ticks margin_ = 0;
  Ticks wait_limit_ = 0;
  bool shared_clocks_ = false;
  std::vector<LostRecord> found_;
  LostCalls calls_;
};

/// The event with what is known of its operation. lost: of a trace that is read again.
[[nodiscard]] inline Event marked(Event event, std::optional<LostRecords>& lost) {
  if (lost && event.role == Role::collective_end) lost->mark(event);
  return event;
}

}  // namespace clc::matching
