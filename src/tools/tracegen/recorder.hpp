// Turns records with true times into traces: reads the clocks, drops records to be lost, sorts.
//
// Protocol   add in order of true time for each process; advance(t) promises that no record before true
//            time t will follow; finish once.
// Memory     Records within the spread of the clocks plus the length of a round.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "clock.hpp"
#include "merger.hpp"
#include "point.hpp"
#include "random.hpp"
#include "settings.hpp"

namespace clc::tracegen {

/// Takes a trace, sorted by time.
class Output {
 public:
  virtual ~Output() = default;
  virtual void points(std::span<const Placed> run) = 0;
  /// A communicator that was not defined at the start; comes before its first use.
  virtual void communicator(CommunicatorIndex number, std::span<const ProcessIndex> members) = 0;
  /// A line that is not a record, in place.
  virtual void line(const std::string& /*text*/) {}
};

class Recorder {
 public:
  /// truth: null, or what takes the same records with true times.
  Recorder(const Settings& settings, std::vector<Clock> clocks, Output& recorded, Output* truth);

  /// A record of process at true time (0: the start of the program); point.time is ignored.
  void add(ProcessIndex process, Ticks time, Point point) {
    if (defects_ && lost(process, point)) [[unlikely]]
      return;
    point.time = start_ + clocks_[process].read(time);
    recorded_.merger.push(process, point);
    if (truth_.output != nullptr) [[unlikely]] {
      point.time = start_ + time;
      truth_.merger.push(process, point);
    }
    ++added_;
  }
  /// From now on, for --end-early and --record-late: fraction of the run that has passed.
  void progress(double fraction);
  void advance(Ticks time);
  void communicator(CommunicatorIndex number, std::span<const ProcessIndex> members);
  void finish();

  [[nodiscard]] std::uint64_t added() const noexcept { return added_; }
  /// Most records that ever waited for others.
  [[nodiscard]] std::size_t peak() const noexcept { return recorded_.merger.peak(); }

 private:
  struct Side {
    Merger merger;
    Output* output;
    std::vector<Placed> run;

    void drain(Ticks horizon);
  };
  /// A process that loses so many of its next records from that fraction of the run on.
  struct Gap {
    double at = 0;
    ProcessIndex process = 0;
    std::uint32_t left = 0;
  };
  /// A call whose begin was lost.
  struct LostCall {
    ProcessIndex process = 0;
    std::int32_t call = 0;
  };
  [[nodiscard]] bool lost(ProcessIndex process, const Point& point);
  [[nodiscard]] bool lost_call(ProcessIndex process, const Point& point);
  [[nodiscard]] Gap random_gap(std::uint32_t records);

  std::vector<Clock> clocks_;
  Ticks start_;
  Side recorded_;
  Side truth_;
  bool defects_;
  double lose_sends_;
  double lose_receives_;
  std::vector<PartOfRun> unrecorded_;
  std::vector<bool> is_off_;  // by process: now
  Random random_;
  Gap burst_;
  std::vector<Gap> calls_;
  std::vector<LostCall> begun_;  // of these
  double passed_ = 0;            // fraction of the run
  std::uint64_t added_ = 0;
  std::uint64_t added_before_ = 0;
};

}  // namespace clc::tracegen
