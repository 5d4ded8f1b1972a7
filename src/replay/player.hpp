// Plays a recording to the clock: forwards, or from its end [R 7.2].
//
// Backwards  Times are negated (t becomes -1 - t, which exists for every 64-bit time and keeps all differences), the
//            order of records is reversed, sends become receives and begins of collective operations ends. An edge (s,
//            r) becomes the edge (r, s) with the same mu: the clock condition of the result, negated again, is that of
//            the trace. The clock is the same.
// Operations In reverse an operation from a root goes to it: bcast becomes reduce, scatter gather, and the other way
//            round. Bytes sent and received change places. scan and exscan order from higher ranks to lower ones, so
//            their members are numbered from the last. barrier becomes allreduce, which does the same.
// Numbers    Partners were found when the trace was recorded. They are told to the clock by unique tags and call ids,
//            and by communicators of its own: at any time no two operations in progress share one, so each clock
//            matches the same records, whichever direction it runs in.
// Set back   A clock that was set back steps back in reverse, too. Backwards, records are sorted by the smallest time
//            of their clock from them on, which is C^ in negated times; records of a clock are never exchanged.
// Memory     A block of 256 KiB; where clocks were set back, backwards, also the records of the largest step.
// Added      The end of a call without begin is played backwards as a begin, followed by an end that the trace does not
//            have; its body is added_body.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "clc/io/batch.hpp"
#include "clc/io/source.hpp"
#include "replay/recording.hpp"
#include "trace/time_order.hpp"

namespace clc::replay {

enum class Direction : std::uint8_t { forwards, backwards };

/// For Parameters::uncounted_body.
inline constexpr Body added_body = "+";

/// The bodies that the clock gets: what has to be known of a record besides its payload.
struct Label {
  Sequence sequence = 0;
  Time recorded;  ///< the time in the trace
  Body body;
};
/// Not for added_body.
[[nodiscard]] Label label_of(Body body) noexcept;

class Player {
 public:
  /// bodies: with the payloads of the trace. source_added: bodies of records that the reader added; empty: there are
  /// none. The recording must be finished and outlive the player.
  Player(const Recording& recording, Direction direction, bool bodies = true, Body source_added = {});

  /// For the clock; grows while reading.
  [[nodiscard]] const Definitions& definitions() const noexcept { return definitions_; }
  /// As Source::read, without places and notes.
  bool read(Batch& batch);

 private:
  /// The end of a call that was read before its begin, backwards.
  struct Call {
    Event end;
    std::uint64_t operation;
  };
  /// The communicator of an operation in progress.
  struct Lent {
    CommunicatorIndex communicator;
    std::size_t ends;   ///< still to come
    bool is_used_once;  ///< members that are absent have seen fewer operations on it
  };
  /// Original, its members and delay, reversed.
  using Kind = std::tuple<CommunicatorIndex, const ProcessIndex*, Ticks, bool>;

  /// A record to be sorted.
  struct Held {
    Time maximum;         ///< of negated times of its clock so far
    std::uint64_t order;  ///< as played
    Event event;
    std::string body;
    /// Heaps have the largest in front.
    friend bool operator<(const Held& a, const Held& b) noexcept {
      return a.maximum != b.maximum ? a.maximum > b.maximum : a.order > b.order;
    }
  };

  /// Plays the next block. False: there are no more.
  bool play_block(Batch& batch);
  /// The same where clocks were set back, sorted.
  bool read_sorted(Batch& batch);
  void play(const Taken& taken, Batch& batch);
  [[nodiscard]] Event message(const Taken& taken);
  void begin(const Taken& taken, Event& event);
  void end(const Taken& taken, Event& event);
  [[nodiscard]] Event mirrored_end(const Call& call);
  /// Of the next end of an operation; the last one returns it.
  [[nodiscard]] CommunicatorIndex lend(const Event& end, std::uint64_t operation, bool reversed);
  [[nodiscard]] CommunicatorIndex take(const Event& end, const Members& members, Ticks own_delay, bool reversed);
  void add(Batch& batch, const Event& event, const Taken& taken);

  const Recording& recording_;
  bool backwards_;
  bool bodies_;
  std::string source_added_;
  Definitions definitions_;
  std::size_t next_block_ = 0;
  std::string storage_;
  std::vector<Taken> records_;
  std::string labels_;
  Batch played_;                              ///< to be sorted
  std::vector<Held> held_;                    ///< a heap
  std::deque<std::string> given_;             ///< bodies of the last batch
  RunningMaxima maxima_;                      ///< of the negated times of each clock
  std::uint64_t sorted_ = 0;                  ///< records so far
  HashMap<Sequence, std::uint64_t> lengths_;  ///< of messages, by their receive, where both ends name another one
  HashMap<Sequence, Call> calls_;             ///< by their begin
  HashMap<std::uint64_t, Lent> lent_;         ///< by operation
  std::map<Kind, std::vector<CommunicatorIndex>> free_;
  HashMap<std::uint64_t, Members> reversed_;  ///< by address of the list
  std::map<CommunicatorIndex, Kind> kinds_;
  HashSet<std::uint64_t> numbers_;  ///< of the communicators of the trace
  std::uint64_t unused_ = none;     ///< a number that may be free
};

}  // namespace clc::replay
