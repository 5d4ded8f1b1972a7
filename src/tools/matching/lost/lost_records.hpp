// Which sends and receives have lost their other end: the rules of clc-filter --match resync and whole, found anew.
//
// Place    Ahead of the Matcher: a trace is read once for LostRecords and once more to be judged.
// Rule     clc-algorithm(7), "Lost records". Written from there, not from the filter: all message ends of the trace are
//          at hand, so that nothing is held.
// Assumes  What the filter does with the input when it runs out of memory is not followed: -max-memory, and channels
//          that it forgets because there are too many.
// Memory   Up to 100 bytes for each send and receive, and 300 for each channel; more to match whole channels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "clc/time.hpp"
#include "matching/lost/lost_calls.hpp"
#include "matching/lost/message_ends.hpp"

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
    if ((event.role != Role::send && event.role != Role::receive) || event.process >= alone_.size()) return false;
    OfProcess& own = alone_[event.process];
    if (own.next == own.ends.size() || own.ends[own.next] != own.read++) return false;
    ++own.next;
    return true;
  }
  /// The same of a finished collective call: sets what is known of the members of its operation.
  void mark(Event& end) { calls_.mark(end); }
  [[nodiscard]] const std::vector<LostCall>& lost_calls() const noexcept { return calls_.found(); }
  [[nodiscard]] const std::vector<LostRecord>& found() const noexcept { return found_; }
  [[nodiscard]] bool by_whole_channels() const noexcept { return whole_; }

 private:
  struct OfProcess {
    std::vector<std::uint32_t> ends;  // of its sends and receives, which are alone
    std::size_t next = 0;             // of these, to be read again
    std::uint32_t read = 0;           // sends and receives
  };

  void match_whole_channels(const Definitions& definitions);

  bool whole_;
  MessageEnds ends_;
  LostCalls calls_;
  std::vector<OfProcess> alone_;
  std::vector<LostRecord> found_;
};

/// The event with what is known of its operation. lost: of a trace that is read again.
[[nodiscard]] inline Event marked(Event event, std::optional<LostRecords>& lost) {
  if (lost && event.role == Role::collective_end) lost->mark(event);
  return event;
}

}  // namespace clc::matching
