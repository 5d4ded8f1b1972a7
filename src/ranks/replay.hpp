// The controlled logical clock over the clocks of one rank: forward step, and backward amortization as its part.
//
// Name     As in [L], messages are replayed between ranks. src/replay/ is another thing: it plays a recorded trace to
//          the clock again.
// Purpose  With gamma given, LC' is a data flow: each value depends on its own clock and on matched tails only. So each
//          rank processes its clocks by itself; values of tails and limits travel as items (exchange.hpp).
// Epochs   gamma and the growth of the largest clock difference come from the cut before the epoch of an event
//          (clock/epochs.hpp). When no rank can go on, and events wait for nothing but their cuts, all ranks sum up
//          the smallest cut that any clock needs, and go on.
// Rules    Receives match first in, first out; there is no wait limit, because counts tell what is missing. If all
//          ranks wait for each other, the oldest waiting event of all is released, by time and clock. Lost records are
//          as the events tell (Event::other_end, missed, absent).
// Result   The same to the last bit for any number of ranks, any cut of the clocks, and any order of delivery.
// Memory   Pull reading: a clock is read only while it does not wait, so that no bound on buffers can deadlock.
// Assumes  Definitions do not change. All processes of a clock belong to one rank.
// Errors   Those of input and output; the caller then ends the replays of all ranks by `end_early`, unless this one is
//          done. OtherRankFailed: one of these calls.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "clc/parameters.hpp"
#include "clock/controller.hpp"
#include "clock/distances.hpp"
#include "clock/epochs.hpp"
#include "clock/forward_step.hpp"
#include "clock/recorder.hpp"
#include "clock/set_back.hpp"
#include "ranks/backward.hpp"
#include "ranks/channels.hpp"
#include "ranks/cuts.hpp"
#include "ranks/exchange.hpp"
#include "ranks/operations.hpp"
#include "ranks/own_clocks.hpp"
#include "ranks/survey.hpp"
#include "ranks/trip_sample.hpp"
#include "trace/delay.hpp"
#include "trace/first_losses.hpp"
#include "trace/heap.hpp"

namespace clc::ranks {

class Replay {
 public:
  /// Keeps references to all but the parameters. owners: the rank of each process. Throws UsageError if a parameter is
  /// out of range.
  Replay(const Parameters& parameters, const Definitions& definitions, const std::vector<unsigned>& owners,
         Input& input, Output& output, Exchange& exchange);

  /// Does some work, without waiting. False: all ranks are done.
  bool advance();
  /// The events were read once and counted; no clock has begun.
  [[nodiscard]] bool is_counted() const noexcept { return phase_ == Phase::counted; }
  /// Then: of the records that this rank counts, do some lack others?
  [[nodiscard]] bool lacks_records() const;
  /// Nothing is under way any more; `advance` has returned false, or has thrown when it wrote the last events.
  [[nodiscard]] bool is_done() const noexcept { return phase_ == Phase::done; }

  /// On this rank; complete when all are done.
  [[nodiscard]] std::uint64_t counted(Case which) const noexcept { return recorder_.counted(which); }
  /// Sends and receives of this rank whose other end is missing, as `FirstLosses` has them.
  [[nodiscard]] std::vector<Loss> losses() const { return observed_.losses.sorted(); }
  /// What the regulators did, and the largest jump. `join` is exact in any order.
  struct Regulation {
    EpochSummary events;  ///< all of them, if something depends on epochs
    PerEpoch::Sum gamma;
    RegulatorStatistics b;
    RegulatorStatistics c;
    std::uint64_t events_below_gamma_max = 0;
    double largest_jump = 0;
    std::uint64_t cuts = 0;  ///< that were summed up, by all ranks together

    void join(const Regulation& other) noexcept;
  };
  [[nodiscard]] Regulation regulation() const;

  /// What the verdict judges, besides the regulators and what was counted; ticks. `join` is exact in any order.
  struct Evidence {
    Movement movement;
    std::uint64_t messages = 0;    ///< matched, between clocks
    std::uint64_t ends = 0;        ///< of collective operations, that begins of other clocks precede
    std::uint64_t operations = 0;  ///< collective ones
    std::uint64_t in_circles = 0;  ///< receives given up because waits were circular
    Ticks ahead = 0;               ///< by which a head is recorded before a tail at most

    void join(const Evidence& other) noexcept;
  };
  [[nodiscard]] Evidence evidence() const;
  /// Messages of one process to another one, between clocks; without those that have a delay of their own.
  struct Direction {
    ProcessIndex sender = no_process;
    ProcessIndex receiver = no_process;
    Ticks smallest_delay = ticks_max;
  };
  /// Of the messages that this rank received. O(channels).
  [[nodiscard]] std::vector<Direction> directions() const;
  /// The same, a sample of the messages themselves.
  [[nodiscard]] const TripSample& trips() const noexcept { return observed_.trips; }

  /// Bytes on this rank.
  struct Memory {
    // What is under way:
    std::uint64_t events = 0;      ///< without final times
    std::uint64_t messages = 0;    ///< ahead of their receives
    std::uint64_t operations = 0;  ///< collective ones
    // What is kept all the time:
    std::uint64_t tables =
        0;  ///< of clocks, their epochs, and channels; parts that are needed before their clock ends them
    [[nodiscard]] std::uint64_t under_way() const noexcept { return events + messages + operations; }
  };
  /// O(clocks + channels + open operations).
  [[nodiscard]] Memory memory() const noexcept;

 private:
  enum class Phase : std::uint8_t { begin, count, counted, origin, replay, done };
  enum class State : std::uint8_t { runnable, waiting, ended };
  struct OfClock {
    Event event;           // the head, with C^ as its time
    EventIndex index = 0;  // of the head
    State state = State::ended;
    bool started = false;
    Lines::Trail trail;        // of its messages
    bool orders = false;       // it is the head of edges
    bool given_up = false;     // it waits no longer
    std::uint64_t number = 0;  // receive: in its channel
    Line* line = nullptr;      // receive
    End end;                   // collective end
  };
  struct Head {
    Time time;
    ClockIndex clock;
    friend bool operator>(const Head& a, const Head& b) noexcept { return a.time > b.time; }
  };
  /// Beside what the recorder counts.
  struct Observed {
    double largest_jump = 0;
    FirstLosses losses;
    Evidence evidence;
    TripSample trips;
  };
  /// Recorded times of receives that are processed before their sends, by channel and number.
  struct AheadOfSends {
    using Times = std::map<std::pair<const Line*, std::uint64_t>, Time>;
    Times within_clocks;
    Times given_up;
    [[nodiscard]] std::uint64_t memory() const noexcept {
      return (within_clocks.size() + given_up.size()) * on_heap(sizeof(Times::value_type) + 4 * sizeof(void*));
    }
  };
  struct Begin {
    EventIndex index = no_event;
    Time time;      // C^
    Time recorded;  // C
    double offset = 0;
    double simple_offset = 0;
    bool is_posted = false;  // its part
  };

  void count(Case which, std::uint64_t times = 1) noexcept { recorder_.count(which, times); }
  [[nodiscard]] PerEpoch& epochs() noexcept { return controller_.regulation(); }
  [[nodiscard]] const PerEpoch& epochs() const noexcept { return controller_.regulation(); }
  [[nodiscard]] bool is_own(ProcessIndex process) const { return clocks_.of(process) != no_process; }
  void poll();
  void count_all();
  void post_counts(const Survey& survey);
  void post_counts(Lines::Entry& entry);
  void start();
  void begin_epochs(Time first);
  void finish();
  void conclude(const Standstill& all);
  void take(const Item& item);
  void wake(ClockIndex clock);
  void run(ClockIndex clock);
  [[nodiscard]] bool read_next(ClockIndex clock);
  void read_behind(ClockIndex clock, OfClock& state, Time maximum);
  void make_runnable(ClockIndex clock);
  void read_receive(ClockIndex clock, OfClock& state);
  void lack_other_end(ClockIndex clock, const OfClock& state);
  /// C of the head.
  [[nodiscard]] Time recorded(ClockIndex clock, const OfClock& state) const {
    return set_back_.recorded(clock, state.index, state.event.time);
  }
  void read_end(ClockIndex clock, OfClock& state);
  void close_begin(ClockIndex clock, const Begin& begin);
  void process_begin(ClockIndex clock, const OfClock& state, const ForwardStep& step);
  void post_part(ClockIndex clock, Item part, const Begin& begin);
  [[nodiscard]] bool tails_ready(OfClock& state);
  [[nodiscard]] bool ready(ClockIndex clock, OfClock& state);
  [[nodiscard]] bool ready_for_cut(ClockIndex clock, const OfClock& state);
  /// Of the message of which the head is the receive and waits for its send; null: of none, or it was given up.
  [[nodiscard]] static const Line::Value* sent_to(const OfClock& state) noexcept {
    return state.orders && state.event.role == Role::receive ? state.line->value(state.number) : nullptr;
  }
  [[nodiscard]] Bound bound_of(const OfClock& state, const Line::Value* sent);
  void process(ClockIndex clock, OfClock& state);
  void note_end(std::optional<Ticks> smallest_delay) noexcept;
  [[nodiscard]] Line* line_of_send(ClockIndex clock, OfClock& state);
  void compare_with_receive(ClockIndex clock, const OfClock& state, const Line& line);
  void processed_send(ClockIndex clock, const OfClock& state, Line& line, const ForwardStep& step);
  void processed_receive(ClockIndex clock, const OfClock& state, const Line::Value* sent, double offset);
  void arrive_late(Line& line, Time sent);
  void post(unsigned to, const Item& item);
  void answer(ProcessIndex sender, EventIndex index, double limit);
  void answer_all();
  [[nodiscard]] Standstill standstill();

  const Definitions& definitions_;
  const std::vector<unsigned>& owners_;
  Input& input_;
  Exchange& exchange_;
  OwnClocks clocks_;
  DelayModel delays_;
  Distances distances_;
  SetBack set_back_;
  Recorder recorder_;
  Observed observed_;
  ControllerOf<PerEpoch> controller_;
  Cuts cuts_;
  Backward backward_;
  Lines lines_;
  std::vector<Lines::Entry*> numbered_;  // those with a receiver on this rank and a sender on another one
  AheadOfSends ahead_of_sends_;
  Operations operations_;
  Phase phase_ = Phase::begin;
  std::vector<OfClock> of_;
  HashMap<Channel, Begin, HashOfChannel> begins_;                          // open ones: process and call
  std::priority_queue<Head, std::vector<Head>, std::greater<>> runnable_;  // the oldest first
  unsigned since_poll_ = 0;                                                // events
  Survey::Parts parts_;
  std::vector<Item> arrived_;
  std::optional<Standstill> standstill_;  // while nothing happens
};

}  // namespace clc::ranks
