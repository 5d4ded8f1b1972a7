// Which records of a trace can only have happened before which, as far as --match whole of clc-filter needs to know,
// found anew.
//
// Rule     clc-algorithm(7), "Lost records". Written from there, not from the filter.
// Cost     Proportional to records and processes; of operations in which each rank waits for the lower ones, to the
//          square of their members; of each circle, to the processes on the way to it. 40 bytes for each record, 8 for
//          each wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clc/indexes.hpp"

namespace clc::matching {

class Precedence {
 public:
  using Record = std::uint32_t;
  static constexpr Record none = 0xffff'ffff;
  /// A collective operation: the records of begins, by rank, and of ends, each behind so many of the begins.
  struct Joint {
    struct End {
      Record record;
      std::size_t begins;
    };
    std::vector<Record> begins;
    std::vector<End> ends;
    std::vector<std::uint32_t> some = {};  // ends that are not behind all begins
  };

  /// The next record of the process.
  Record add(ProcessIndex process);
  void put_behind(Record receive, Record send) { sends_[receive] = send; }
  void add(Joint joint);
  [[nodiscard]] std::size_t size() const noexcept { return process_of_.size(); }

  /// Records each of which waits for one of the next one's process, and the last one for the first's; none: all happen.
  [[nodiscard]] std::vector<Record> circle();
  /// It waits no longer.
  void free(Record record);

  /// All happen. How many of these records of one process, in order, happened before each record.
  [[nodiscard]] std::vector<std::size_t> so_many_before(const std::vector<Record>& records) const;
  /// From which of these on they all happen after it. none: counts as one that does.
  [[nodiscard]] std::vector<std::size_t> from_behind(const std::vector<Record>& records) const;

 private:
  struct InJoint {
    std::uint32_t joint = none;
    std::uint32_t place = 0;
    bool is_end = false;
  };
  [[nodiscard]] bool is_behind(Record record, std::size_t begins) const;
  /// What it waits for; none: it can happen.
  [[nodiscard]] Record waits_for(Record record) const;
  void go_on();
  void wait(ProcessIndex process, Record record, Record other);
  void wake(ProcessIndex process) {
    waits_[process] = false;
    may_go_on_.push_back(process);
  }
  void happen(Record record);

  std::vector<ProcessIndex> process_of_;  // of records
  std::vector<Record> sends_;             // of receives
  std::vector<InJoint> joints_of_;
  std::vector<bool> happened_;
  std::vector<std::vector<Record>> records_of_;  // by process
  std::vector<std::size_t> next_;                // by process
  std::vector<ProcessIndex> may_go_on_;
  std::vector<bool> waits_;  // by process
  /// Processes that wait for the same record, the last one first; some go on already.
  struct Waiting {
    ProcessIndex process;
    std::uint32_t next;
  };
  std::vector<Waiting> waiting_;
  std::vector<std::uint32_t> last_waiting_;                 // for a record; none: nobody
  std::vector<std::vector<ProcessIndex>> waiting_for_all_;  // begins of a joint
  std::vector<Joint> joints_;
  std::vector<std::size_t> begun_;  // of joints: so many begins, the first ones, happened
  std::vector<Record> sequence_;    // as they happened
  std::size_t first_ = 0;           // all records of the processes before it happened
  std::vector<Record> on_path_;     // by process: its place on the path to a circle
};

}  // namespace clc::matching
