// Lost records: which collective calls are missing from a trace that is read first.
//
// Place     Beside the ends of messages (ends.hpp).
// Rule      clc-algorithm(7), "Lost records", --match whole. The calls of a communicator of which all members finished
//           equally many, of the same operations with the same roots, are left alone: the k-th ones belong together.
//           Otherwise the calls of each member are matched with those of the member that has most, by the rule of a
//           channel (rule.hpp). What is left over is an operation of its own.
// Cost      Of each member that of a channel; n members of a communicator of m operations take n m more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "lost/rule.hpp"
#include "lost/steps.hpp"
#include "trace/hash.hpp"

namespace clc::lost {

class Calls {
 public:
  /// The next finished call of its process. time: not before that of any earlier record of it; ends: of messages,
  /// before it.
  void add(const Event& end, Time time, std::uint32_t ends);
  /// All were added.
  void find(const Definitions& definitions, Steps& steps);
  /// Forgets all.
  void clear() {
    members_ = {};
    index_ = {};
    lost_ = 0;
  }
  /// How many are missing.
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

  /// The trace is read again.
  void rewind() noexcept {
    for (Member& member : members_) member.read = 0;
  }
  /// The next finished call of its process then: sets Event::missed and Event::absent.
  void mark(Event& end) noexcept;

 private:
  struct Told {
    std::uint16_t missed = 0;
    std::uint8_t absent = 0;
  };
  /// A process on a communicator.
  struct Member {
    CommunicatorIndex communicator;
    ProcessIndex process;
    std::vector<Placed> ends;  // in place of the bytes: what call it is
    std::vector<Told> calls;   // none: nothing is told
    std::size_t read = 0;
  };

  void align(std::span<Member*> members, Steps& steps);
  void tell(std::span<Member*> members, const std::vector<std::vector<std::uint32_t>>& numbers, std::size_t operations);

  std::vector<Member> members_;
  HashMap<std::uint64_t, std::uint32_t> index_;  // by communicator and process
  std::uint64_t lost_ = 0;
};

}  // namespace clc::lost
