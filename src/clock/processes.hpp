// The processes as the input shows them: on which clock each runs, and what was read from it last.
//
// Place    Beside the queues, which belong to clocks. A clock has the index of the first of its processes, so what
//          belongs to clocks is as long as what belongs to processes.
// Ended    A process that did not write a record for which others waited, within the wait limit, counts as ended until
//          its next record: nothing else waits for it.
// Cost     O(1) each; 48 bytes per process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/indexes.hpp"
#include "clc/time.hpp"
#include "clock/rosters.hpp"

namespace clc {

class Processes {
 public:
  struct State {
    std::uint64_t last_read = 0;  ///< position of the newest record read, plus one
    Time first;                   ///< its first record
    bool runs = false;            ///< something was read from it, and it is not presumed ended
    bool presumed_ended = false;  ///< a wait for it ran out, and nothing was read from it since
    bool has_sent = false;        ///< and nothing was received since
    Time sent;                    ///< its last send, or begin of a collective operation

    void sends(Time time) noexcept {
      sent = time;
      has_sent = true;
    }
  };

  [[nodiscard]] State& operator[](ProcessIndex process) noexcept { return states_[process]; }
  [[nodiscard]] const State& operator[](ProcessIndex process) const noexcept { return states_[process]; }

  void grow(std::size_t processes, const Definitions& definitions) {
    while (clocks_.size() < processes) clocks_.push_back(definitions.processes()[clocks_.size()].clock);
    share_clocks_ = definitions.shares_clocks();
    states_.resize(processes);
  }
  [[nodiscard]] ClockIndex clock_of(ProcessIndex process) const noexcept {
    if (!share_clocks_) [[likely]]
      return process;
    return clocks_[process];
  }

  /// Its record was missed by what began to wait at that position of the input.
  void presume_ended(ProcessIndex process, std::uint64_t since) noexcept {
    State& state = states_[process];
    if (state.presumed_ended || state.last_read > since) return;
    state.runs = false;
    state.presumed_ended = true;
    ++ended_;
  }
  /// A record is read from a process that does not run: the first one, or behind the presumed end.
  [[gnu::noinline]] void run(ProcessIndex process, Time time) {
    State& state = states_[process];
    state.runs = true;
    if (state.last_read == 0) state.first = time;
    if (state.presumed_ended) revive(process);
  }
  /// How many are presumed ended.
  [[nodiscard]] std::size_t count_ended() const noexcept { return ended_; }
  [[nodiscard]] const Revived& revived() const noexcept { return revived_; }
  /// As functions, for Collectives.
  [[nodiscard]] auto ended() const noexcept {
    return [this](ProcessIndex process) { return states_[process].presumed_ended; };
  }
  [[nodiscard]] auto last_read() const noexcept {
    return [this](ProcessIndex process) { return states_[process].last_read; };
  }

 private:
  void revive(ProcessIndex process) {
    constexpr std::size_t spare = 1024;
    states_[process].presumed_ended = false;
    --ended_;
    if (revived_.processes.size() > states_.size() + spare) {
      revived_.processes.clear();
      ++revived_.round;
    }
    revived_.processes.push_back(process);
  }

  bool share_clocks_ = false;
  std::vector<ClockIndex> clocks_;  // by process
  std::vector<State> states_;
  std::size_t ended_ = 0;
  Revived revived_;
};

}  // namespace clc
