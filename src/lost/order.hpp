// Lost records: what happened before what, by the messages and collective operations that are known.
//
//     Order order(processes);
//     // order.put_behind, add_operation, put_mark ...
//     while (!(circle = order.follow()).empty()) order.release(...);
//     const auto counts = order.so_many_before(process, marks);
//
// Place     Ends tells of messages, Calls of operations.
// Words     An end is a send or a receive, a mark the begin or the end of a collective call. Each process has its ends
//           and its marks, counted by themselves.
// Rule      A receive comes after its send, the end of a call after the begins that the clock puts before it.
// Cost      To follow: proportional to ends and marks, and for each that waits to the logarithm of those that wait for
//           the same. Of each of the others, to ends and marks. Memory: 16 bytes for each end and 32 for each mark.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "clc/indexes.hpp"

namespace clc::lost {

/// At ends and marks, as long as channels or communicators are matched by what happened before what.
inline constexpr std::size_t most_looks = std::size_t{1} << 28;
/// Of channels, in a trace of so many ends and marks.
[[nodiscard]] constexpr std::size_t most_looks_in(std::size_t size) noexcept {
  return std::min(most_looks, (std::size_t{1} << 18) + 64 * size);
}

class Order {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// Of each mark of each process.
  using Numbers = std::vector<std::vector<std::uint32_t>>;

  explicit Order(std::size_t processes) : processes_(processes) {}

  void set_ends(ProcessIndex process, std::size_t ends) { processes_[process].ends.resize(ends); }
  void set_marks(ProcessIndex process, std::size_t marks) { processes_[process].marks.resize(marks); }
  void put_behind(ProcessIndex receiver, std::uint32_t receive, ProcessIndex sender, std::uint32_t send) {
    processes_[receiver].ends[receive] = {sender, send};
  }
  /// before: ends of the process before the mark. Those that are not put come right after others.
  void put_mark(ProcessIndex process, std::uint32_t mark, std::uint32_t before) {
    processes_[process].marks[mark].before = before;
  }
  void add_operation() { operations_.push_back({static_cast<std::uint32_t>(begins_.size())}); }
  /// Of the operation that was added last: a begin, in the order of ranks.
  void add_begin(ProcessIndex process, std::uint32_t mark);
  /// An end, behind so many of the begins.
  void add_end(ProcessIndex process, std::uint32_t mark, std::uint32_t begins);

  /// Follows all processes as far as none waits. The result: processes each of which waits for the next one, and the
  /// last one for the first; empty: nothing waits any more.
  [[nodiscard]] std::vector<ProcessIndex> follow();
  /// The end at which a process waits; none: it is a mark.
  [[nodiscard]] std::optional<std::uint32_t> waiting_end(ProcessIndex process) const;
  /// What a process waits at waits no longer.
  void release(ProcessIndex process) { release(std::vector<ProcessIndex>{process}); }
  void release(const std::vector<ProcessIndex>& processes);

  /// All were followed. How many of these marks of a process, in order, happened before each mark.
  [[nodiscard]] Numbers so_many_before(ProcessIndex process, const std::vector<std::uint32_t>& marks) const;
  /// The first of these marks of a process from which on all of them happen after each mark, by its number among them;
  /// `none` among them: counts as one that does.
  [[nodiscard]] Numbers all_behind_from(ProcessIndex process, const std::vector<std::uint32_t>& marks) const;
  /// How many ends of a process, the first ones, happened before each end, or are that end.
  [[nodiscard]] Numbers ends_before(ProcessIndex process) const;
  /// Ends and marks.
  [[nodiscard]] std::size_t size() const noexcept;

 private:
  struct End {
    ProcessIndex sender = no_process;  // no_process: does not wait
    std::uint32_t send = none;
  };
  struct Mark {
    std::uint32_t before = 0;
    std::uint32_t operation = none;
    std::uint32_t begins = 0;  // of an end: so many come before it; of a begin: its number
    bool is_end = false;
  };
  /// Until so many begins of an operation, or ends of another process, are passed.
  struct Waiting {
    std::uint32_t passed;
    ProcessIndex process;
    [[nodiscard]] static bool later(const Waiting& a, const Waiting& b) noexcept { return a.passed > b.passed; }
  };
  struct Operation {
    std::uint32_t first;                // of begins_
    std::uint32_t begins = 0;           // of it
    std::uint32_t passed = 0;           // the first ones
    std::vector<Waiting> waiting = {};  // a heap, those for the fewest begins first
  };
  struct OfProcess {
    std::vector<End> ends;
    std::vector<Mark> marks;
    std::size_t ends_passed = 0;
    std::size_t marks_passed = 0;
    std::optional<std::size_t> waits_behind;  // ends and marks: it is among those that wait
    std::vector<Waiting> waiting;             // for its ends, as of an operation

    [[nodiscard]] bool is_at_mark() const noexcept {
      return marks_passed < marks.size() && marks[marks_passed].before <= ends_passed;
    }
    [[nodiscard]] bool is_done() const noexcept { return ends_passed == ends.size() && marks_passed == marks.size(); }
  };
  class Walk;

  void begin();
  [[nodiscard]] ProcessIndex waits_for(ProcessIndex process) const;
  void advance(ProcessIndex process);
  void pass_mark(ProcessIndex process, std::vector<ProcessIndex>& woken);
  void wait(ProcessIndex process, ProcessIndex other);
  static void wake(std::vector<Waiting>& waiting, std::size_t passed, std::vector<ProcessIndex>& woken);

  std::vector<OfProcess> processes_;
  std::vector<Operation> operations_;
  std::vector<std::pair<ProcessIndex, std::uint32_t>> begins_;  // of operations
  std::vector<ProcessIndex> sequence_;                          // whose next end or mark was passed
  ProcessIndex first_ = 0;                                      // all before are done
  bool is_begun_ = false;
};

}  // namespace clc::lost
