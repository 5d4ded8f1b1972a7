// Lost records: which collective calls are missing from a trace that is read first.
//
// Place     Beside the ends of messages (ends.hpp), which tell what happened before what (order.hpp).
// Rule      clc-algorithm(7), "Lost records", Match::whole. The calls of a communicator of which all members finished
//           equally many, of the same operations with the same roots, are left alone: the k-th ones belong together.
//           Otherwise the calls of each member are matched with those of the member that has most, by the rule of a
//           channel (rule.hpp), none with an operation that was over before it, or began after it. What is left over is
//           an operation of its own.
// Cost      Of each member that of a channel; n members of a communicator of m operations take n m more. What happened
//           before what takes, of each such communicator, time proportional to all ends and calls; no more than 2^28.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "lost/call_bounds.hpp"
#include "lost/order.hpp"
#include "lost/rule.hpp"
#include "lost/steps.hpp"
#include "trace/hash.hpp"

namespace clc::lost {

class Calls {
 public:
  /// The next begin of its process, or the next finished call. time: not before that of any earlier record of it; ends:
  /// of messages, before it.
  void add_begin(const Event& begin, Time time, std::uint32_t ends);
  void add(const Event& end, Time time, std::uint32_t ends);
  /// All were added. False: the calls of all communicators belong together as they are.
  [[nodiscard]] bool lack_some(const Definitions& definitions);
  /// The operations of which nothing is missing, and where all calls are.
  void put_into(Order& order) const;
  /// After that; order: followed.
  void find(Steps& steps, const Order& order);
  /// Forgets all but what is told.
  void close();
  /// Forgets all.
  void clear() {
    members_ = {};
    processes_ = {};
    groups_ = {};
    index_ = {};
    lost_ = 0;
  }
  /// How many are missing.
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

  /// For Marks: the number of lists; of each the number of its communicator, its process, and how many calls of which
  /// something is told follow: which one, Event::missed and Event::absent.
  void put_numbers(const Definitions& definitions, std::vector<std::int64_t>& to) const;

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
  static constexpr std::size_t most_open = 1024;  // begins of a process
  struct Begin {
    std::int64_t id;
    Time time;
    std::uint32_t ends;
    std::uint32_t mark;
  };
  struct OfProcess {
    std::uint32_t marks = 0;
    std::vector<Begin> open;
  };
  struct Call {
    Placed end;                       // in place of the bytes: what call it is
    std::uint64_t length = 0;         // 0: not known
    Time begin;                       // if there is one
    std::uint32_t begin_ends = 0;     // of messages, before it
    std::uint32_t begin_mark = none;  // none: there is no begin
    std::uint32_t end_mark = none;
    bool sends = false;
    bool receives = false;

    [[nodiscard]] Operation operation() const noexcept { return static_cast<Operation>((end.end.bytes >> 32U) - 1); }
    [[nodiscard]] Rank root() const noexcept { return static_cast<Rank>(end.end.bytes); }
    [[nodiscard]] bool is_tail() const noexcept { return sends && begin_mark != none; }
  };
  static constexpr std::uint32_t none = Order::none;
  /// A process on a communicator.
  struct Member {
    CommunicatorIndex communicator;
    ProcessIndex process;
    Rank rank = no_rank;
    std::vector<Call> calls;
    std::vector<Told> told;  // none: nothing is told
    std::size_t read = 0;
  };
  /// The members of a communicator that finished any call, in the order of processes.
  struct Group {
    std::vector<Member*> members;
    bool are_alike = false;
  };
  /// What happened before each mark of each process, and after it, of one member.
  struct Around {
    const Member* member = nullptr;
    Order::Numbers before;
    Order::Numbers behind;
  };

  [[nodiscard]] static bool are_alike(const Member& a, const Member& b);
  void put_operation(const std::vector<const Member*>& by_rank, std::size_t nth, Order& order) const;
  [[nodiscard]] static std::vector<CallTimes> times_of(const Member& member, const Member& other);
  [[nodiscard]] static std::vector<Range> ranges_of(const Member& member, const Around& around);
  void align(const Group& group, Steps& steps, const Order* order);
  void tell(const Group& group, const std::vector<std::vector<std::uint32_t>>& numbers, std::size_t operations);

  std::vector<Member> members_;
  std::vector<OfProcess> processes_;
  std::vector<Group> groups_;
  HashMap<std::uint64_t, std::uint32_t> index_;  // by communicator and process
  std::uint64_t lost_ = 0;
};

}  // namespace clc::lost
