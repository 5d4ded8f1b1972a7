// The machine that simulated programs run on: the true time of each process, the duration of messages, and
// the active processes.
//
// Units    Ticks of true time, 0 at the start of the program.
// Laws     Times of a process strictly increase from call to call, by at least one tick if the overhead of a
//          call is not below the clock resolution. A message takes at least its minimum delay plus
//          length/bandwidth; so does the data that members of a collective operation exchange.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "point.hpp"
#include "random.hpp"
#include "recorder.hpp"
#include "settings.hpp"

namespace clc::tracegen {

class World {
 public:
  World(const Settings& settings, std::uint32_t processes, Recorder& recorder);

  // ---- rounds, for the driver -------------------------------------------------------------------
  /// Sets who takes part; `fraction` of the run has passed.
  void begin_round(double fraction);
  /// All records before true time are made.
  void end_round(Ticks frontier);
  void finish();

  // ---- for programs -----------------------------------------------------------------------------
  [[nodiscard]] std::uint32_t processes() const noexcept { return static_cast<std::uint32_t>(now_.size()); }
  [[nodiscard]] bool takes_part(ProcessIndex process) const noexcept { return present_[process] != 0; }
  /// All processes take part in the whole run.
  [[nodiscard]] bool complete() const noexcept { return absences_.empty(); }
  /// First fraction of the run, not before `fraction`, at which process takes part; above 1: never again.
  [[nodiscard]] double next_presence(ProcessIndex process, double fraction) const noexcept;
  [[nodiscard]] Ticks now(ProcessIndex process) const noexcept { return now_[process]; }
  /// Earliest now() of those who take part; `otherwise` if there are none.
  [[nodiscard]] Ticks earliest(Ticks otherwise) const noexcept;
  [[nodiscard]] Ticks frontier() const noexcept { return frontier_; }
  [[nodiscard]] Random& random() noexcept { return random_; }
  [[nodiscard]] Recorder& recorder() noexcept { return *recorder_; }
  [[nodiscard]] Ticks overhead() const noexcept { return overhead_; }
  [[nodiscard]] bool regions() const noexcept { return regions_; }

  /// The process does nothing until then.
  void idle_until(ProcessIndex process, Ticks time) noexcept { now_[process] = std::max(now_[process], time); }
  /// Writes the enter record of the program, if it is to be written and has not been.
  void enter_program(ProcessIndex process) {
    if (!regions_ || inside_[process] != 0) return;
    now_[process] = add_region(process, now_[process], Kind::enter, region_of(Region::program)) + overhead_;
    inside_[process] = 1;
  }
  /// The process computes until then, but at least for `shortest`.
  void compute_until(ProcessIndex process, Ticks time, Ticks shortest) {
    const Ticks begin = now_[process];
    const Ticks end = std::max({time, begin + shortest, begin + 1});
    if (regions_) {
      add_region(process, begin, Kind::enter, region_of(Region::compute));
      add_region(process, end, Kind::leave, region_of(Region::compute));
    }
    now_[process] = end + overhead_;
  }
  /// How long a message of this length takes; not less than minimum + length/bandwidth.
  [[nodiscard]] Ticks flight(ProcessIndex from, ProcessIndex to, std::uint64_t bytes) {
    Ticks ticks = delay_;
    if (per_node_ != 0 && from / per_node_ == to / per_node_) ticks = node_delay_;
    if (jitter_ > 0) ticks += static_cast<Ticks>(jitter_ * random_.exponential());
    if (ticks_per_byte_ > 0) ticks += transfer(bytes);
    return ticks;
  }
  /// Sends now; returns the time of arrival.
  Ticks send(ProcessIndex from, ProcessIndex to, CommunicatorIndex communicator, std::int32_t tag,
             std::uint64_t bytes) {
    Ticks& now = now_[from];
    if (regions_) now = add_region(from, now, Kind::enter, region_of(Region::send)) + overhead_;
    const Ticks sent = now;
    message(from, sent, Kind::send, to, communicator, tag, bytes);
    now += overhead_;
    if (regions_) now = add_region(from, now, Kind::leave, region_of(Region::send)) + overhead_;
    return sent + flight(from, to, bytes);
  }
  /// Receives what arrives at that time, waiting from now on.
  void receive(ProcessIndex to, ProcessIndex from, CommunicatorIndex communicator, std::int32_t tag,
               std::uint64_t bytes, Ticks arrival) {
    Ticks& now = now_[to];
    if (regions_) now = add_region(to, now, Kind::enter, region_of(Region::receive)) + overhead_;
    now = std::max(now, arrival);
    message(to, now, Kind::receive, from, communicator, tag, bytes);
    now += overhead_;
    if (regions_) now = add_region(to, now, Kind::leave, region_of(Region::receive)) + overhead_;
  }
  /// A send or receive record alone, at any time.
  void message(ProcessIndex process, Ticks time, Kind kind, ProcessIndex peer, CommunicatorIndex communicator,
               std::int32_t tag, std::uint64_t bytes) {
    Point point;
    point.kind = kind;
    point.peer = peer;
    point.communicator = communicator;
    point.tag = tag;
    point.bytes = bytes;
    recorder_->add(process, time, point);
  }
  Ticks add_region(ProcessIndex process, Ticks time, Kind kind, std::uint8_t region) {
    Point point;
    point.kind = kind;
    point.region = region;
    recorder_->add(process, time, point);
    return time;
  }

  /// A collective operation on its way.
  struct Member {
    ProcessIndex process = 0;
    std::uint64_t sent = 0;      ///< bytes
    std::uint64_t received = 0;  ///< bytes
    Ticks begin = 0;             ///< set by begin()
  };
  struct Collective {
    Operation operation = Operation::barrier;
    CommunicatorIndex communicator = 0;
    Rank root = no_rank;
    std::vector<Member> members;  ///< by rank
    std::int32_t call = 0;        ///< 0: blocking; else the call id of a non-blocking one
    Rank lost = no_rank;          ///< whose end record is missing
    bool begin_lost = false;      ///< and its begin record
  };
  /// All members begin the operation now.
  void begin(Collective& collective);
  /// All members wait for its end.
  void end(const Collective& collective);

 private:
  [[nodiscard]] Ticks transfer(std::uint64_t bytes) const noexcept;
  void wait_for_tails(const Collective& collective);
  [[nodiscard]] bool absent(ProcessIndex process, double fraction) const noexcept;

  Recorder* recorder_;
  Random random_;
  std::vector<Ticks> now_;
  std::vector<std::uint8_t> present_;
  std::vector<std::uint8_t> inside_;  // between enter main and leave main
  std::vector<PartOfRun> absences_;
  std::vector<Ticks> ends_;  // of the members of a collective operation
  bool regions_;
  Ticks frontier_ = 0;
  Ticks overhead_;
  Ticks delay_;
  Ticks node_delay_;
  std::uint32_t per_node_;
  double jitter_;
  double ticks_per_byte_;
};

}  // namespace clc::tracegen
