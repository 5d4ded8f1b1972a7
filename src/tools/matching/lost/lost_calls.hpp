// Which members have missed which collective operations: the rule of clc-filter --match whole, found anew.
//
// Place    Beside LostRecords. Rule: clc-algorithm(7), "Lost records". Written from there, not from the filter.
// Cost     Of each member as whole_channel.hpp; 128 bytes for each finished call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "clc/time.hpp"
#include "matching/lost/call_clocks.hpp"
#include "matching/lost/clock_steps.hpp"
#include "matching/lost/precedence.hpp"

namespace clc::matching {

/// The record of a member of an operation is not in the trace.
struct LostCall {
  ProcessIndex process = no_process;
  CommunicatorIndex communicator = no_communicator;
  Operation operation = Operation::barrier;
  Time others;  ///< recorded time of the first end of the other members
};

class LostCalls {
 public:
  /// The next begin of its process. order: among all records.
  void add_begin(const Event& begin, std::uint64_t order, Time latest);
  /// The next finished call. time: of its record, as the filter knows it; latest: of all its records so far, as
  /// recorded; ends: its sends and receives so far.
  void add(const Event& end, std::uint64_t order, Time time, Time latest, std::uint32_t ends);
  /// All were added. Are some missing?
  [[nodiscard]] bool lack_some(const Definitions& definitions);
  /// Begins and ends, to be put into the order of records.
  struct Mark {
    std::uint64_t order;
    ProcessIndex process;
    Precedence::Record* record;
  };
  [[nodiscard]] std::vector<Mark> marks();
  /// All of them, with begins of which no end was read.
  [[nodiscard]] std::uint64_t marks_read() const noexcept { return marks_read_; }
  /// The operations of which none is missing.
  void put_into(Precedence& precedence) const;
  /// After that. steps: made of the trace's channels; looked for if they are needed. records: sends, receives and
  /// marks.
  void find(ClockSteps& steps, const Precedence& precedence, std::uint64_t records);
  /// The next finished call of its process when the trace is read again: sets Event::missed and Event::absent.
  void mark(Event& end);
  [[nodiscard]] const std::vector<LostCall>& found() const noexcept { return found_; }

 private:
  struct Begin {
    std::int64_t id = 0;
    std::uint64_t order = 0;
    Time latest;  ///< of its process so far, as recorded
  };
  struct Call {
    ClockSteps::End end;  // what it is, in place of the bytes
    Time time;
    Operation operation;
    Rank root;
    std::uint64_t length;  // that all members have; 0: not known
    bool sends;
    bool receives;
    std::optional<Begin> begin;
    std::uint64_t order;
    Precedence::Record first = Precedence::none;  // its begin
    Precedence::Record last = Precedence::none;
  };
  struct Told {
    std::uint16_t missed;
    std::uint8_t absent;
  };
  struct OfMember {
    Rank rank = no_rank;
    std::vector<Call> calls;
    std::deque<Told> told;  // none: nothing is told
  };
  enum class State : std::uint8_t { left_alone, complete, lacks_calls };
  struct Group {
    State state = State::left_alone;
    std::map<ProcessIndex, OfMember> members;
  };
  /// Of each member, in order: the numbers of its operations.
  using Places = std::map<ProcessIndex, std::vector<std::size_t>>;
  /// Of a call, by the calls of the member that has most: those before `first` are over when it begins, those from
  /// `last` on begin when it is over.
  struct Bounds {
    std::size_t first;
    std::size_t last;
  };

  [[nodiscard]] static bool is_tail(const Call& call, Rank from, Rank to);
  [[nodiscard]] static bool is_head(const Call& call, Rank from, Rank to);
  [[nodiscard]] static std::map<ProcessIndex, std::vector<Bounds>> bounds_of(const Group& group, const OfMember& most,
                                                                             const Precedence& precedence);
  /// Of its calls, as another member sees them.
  [[nodiscard]] static std::vector<CallClock> clocks_as_seen(const OfMember& member, Rank by);
  [[nodiscard]] static std::optional<Places> places_of(const Group& group, ClockSteps& steps,
                                                       const Precedence* precedence, std::size_t& operations);
  void tell(CommunicatorIndex communicator, Group& group, const Places& places, std::size_t operations);

  std::map<CommunicatorIndex, Group> groups_;
  std::map<ProcessIndex, std::deque<Begin>> open_;
  std::uint64_t marks_read_ = 0;
  std::vector<LostCall> found_;
};

}  // namespace clc::matching
