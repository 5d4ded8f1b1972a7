// The controlled logical clock over the clocks of one rank: forward step, and backward amortization as its part.
//
// Purpose  With gamma fixed, LC' is a data flow: each value depends on its own clock and on matched tails only. So each
//          rank processes its clocks by itself; values of tails and limits travel as items (exchange.hpp).
// Rules    Receives match first in, first out; there is no wait limit, because counts tell what is missing. If all
//          ranks wait for each other, the oldest waiting event of all is released, by time and clock. gamma is that of
//          regulators A and D; the largest clock difference does not grow. Lost records are as the events tell
//          (Event::other_end, missed, absent).
// Result   The same to the last bit for any number of ranks, any cut of the clocks, and any order of delivery.
// Memory   Pull reading: a clock is read only while it does not wait, so that no bound on buffers can deadlock.
// Assumes  Definitions do not change. All processes of a clock belong to one rank. Errors: InputError.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
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
#include "clock/recorder.hpp"
#include "clock/set_back.hpp"
#include "ranks/backward.hpp"
#include "ranks/channels.hpp"
#include "ranks/exchange.hpp"
#include "ranks/operations.hpp"
#include "ranks/survey.hpp"
#include "trace/delay.hpp"

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

  /// On this rank; complete when all are done.
  [[nodiscard]] std::uint64_t counted(Case which) const noexcept { return cases_[static_cast<std::size_t>(which)]; }
  [[nodiscard]] std::uint64_t jumps_beyond() const noexcept { return backward_.beyond(); }

  /// Bytes of what is under way on this rank. O(clocks + channels + open operations).
  struct Memory {
    std::uint64_t events = 0;      ///< without final times
    std::uint64_t messages = 0;    ///< ahead of their receives
    std::uint64_t operations = 0;  ///< collective ones
    [[nodiscard]] std::uint64_t all() const noexcept { return events + messages + operations; }
  };
  [[nodiscard]] Memory memory() const noexcept {
    std::uint64_t messages = 0;
    for (const auto& [channel, line, next] : lines_) messages += line.memory();
    return {backward_.memory(), messages, operations_.memory()};
  }

 private:
  enum class Phase : std::uint8_t { begin, count, counted, replay, done };
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
  using Head = std::pair<Time, ClockIndex>;
  struct Begin {
    EventIndex index = no_event;
    Time time;
    double offset = 0;
    bool is_posted = false;  // its part
  };

  void count(Case which, std::uint64_t times = 1) noexcept { cases_[static_cast<std::size_t>(which)] += times; }
  [[nodiscard]] ClockIndex clock_of(ProcessIndex process) const { return clock_of_[process]; }
  [[nodiscard]] bool is_own(ProcessIndex process) const { return owners_[process] == rank_; }
  void poll();
  void count_all();
  void post_counts(const Survey& survey);
  void post_counts(Lines::Entry& entry);
  void start();
  void finish();
  void take(const Item& item);
  void wake(ClockIndex clock);
  void run(ClockIndex clock);
  [[nodiscard]] bool read_next(ClockIndex clock);
  void make_runnable(ClockIndex clock);
  void read_receive(ClockIndex clock, OfClock& state);
  void read_end(ClockIndex clock, OfClock& state);
  void close_begin(ClockIndex clock, const Begin& begin);
  void process_begin(ClockIndex clock, const OfClock& state, double offset);
  void post_part(ClockIndex clock, Item part, const Begin& begin);
  [[nodiscard]] bool ready(OfClock& state);
  void process(ClockIndex clock, OfClock& state);
  void processed_send(ClockIndex clock, const OfClock& state, Line& line, double offset);
  void processed_receive(const OfClock& state, const Line::Value* sent, double offset);
  void post(unsigned to, const Item& item);
  void answer(ProcessIndex sender, EventIndex index, double limit);
  void answer_all();
  [[nodiscard]] Waiting oldest_waiting();

  Parameters parameters_;
  const Definitions& definitions_;
  const std::vector<unsigned>& owners_;
  Input& input_;
  Exchange& exchange_;
  unsigned rank_;
  DelayModel delays_;
  Distances distances_;
  SetBack set_back_;
  Recorder recorder_;
  Controller controller_;
  Backward backward_;
  Lines lines_;
  std::vector<Lines::Entry*> numbered_;  // those with a receiver on this rank and a sender on another one
  Operations operations_;
  Phase phase_ = Phase::begin;
  std::vector<ClockIndex> clock_of_;  // by process
  std::vector<OfClock> of_;
  HashMap<Channel, Begin, HashOfChannel> begins_;                          // open ones: process and call
  std::priority_queue<Head, std::vector<Head>, std::greater<>> runnable_;  // the oldest first
  unsigned since_poll_ = 0;                                                // events
  std::vector<ShortQueue<Item>> early_;  // by clock: parts to be posted with their begins
  std::vector<Item> without_begin_;      // parts to be posted at the start
  std::vector<Item> arrived_;
  std::optional<Waiting> oldest_waiting_;  // while nothing happens
  std::array<std::uint64_t, cases.size()> cases_{};
};

}  // namespace clc::ranks
