// Which members have missed which collective operations: the rule of clc-filter --match whole, found anew.
//
// Place    Beside LostRecords. Rule: clc-algorithm(7), "Lost records". Written from there, not from the filter.
// Cost     Of each member as whole_channel.hpp; 40 bytes for each finished call.
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
#include "matching/clock_steps.hpp"

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
  /// The next finished call of its process. time: of its record, as the filter knows it; latest: of all its records so
  /// far, as recorded; ends: its sends and receives so far.
  void add(const Event& end, Time time, Time latest, std::uint32_t ends);
  /// steps: made of the trace's channels; looked for if they are needed.
  void find(const Definitions& definitions, ClockSteps& steps);
  /// The next finished call of its process when the trace is read again: sets Event::missed and Event::absent.
  void mark(Event& end);
  [[nodiscard]] const std::vector<LostCall>& found() const noexcept { return found_; }

 private:
  struct Call {
    ClockSteps::End end;  // what it is, in place of the bytes
    Time time;
    Operation operation;
  };
  struct Mark {
    std::uint16_t missed;
    std::uint8_t absent;
  };
  struct OfMember {
    std::vector<Call> calls;
    std::deque<Mark> marks;  // none: nothing is told
  };
  using Group = std::map<ProcessIndex, OfMember>;
  /// Of each member, in order: the numbers of its operations.
  using Places = std::map<ProcessIndex, std::vector<std::size_t>>;

  [[nodiscard]] static std::optional<Places> places_of(const Group& group, ClockSteps& steps, std::size_t& operations);
  void tell(CommunicatorIndex communicator, Group& group, const Places& places, std::size_t operations);

  std::map<CommunicatorIndex, Group> groups_;
  std::vector<LostCall> found_;
};

}  // namespace clc::matching
