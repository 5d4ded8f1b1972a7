// By how much each event of each location is corrected, in order, packed: most corrections equal the one
// before or differ from it by little.
#pragma once

#include <cstdint>
#include <vector>

#include "clc/event.hpp"
#include "otf2/spool.hpp"

namespace clc::otf2 {

class Corrections {
  struct State {
    std::int64_t last = 0;
    std::uint64_t repeated = 0;  ///< events with the last correction that are not yet in the spool
    std::int64_t time = 0;
    bool times = false;
  };

 public:
  /// times[p]: recorded times are kept as well, for others that are to follow process p.
  explicit Corrections(const std::vector<bool>& times) : spool_(2 * times.size()), states_(times.size()) {
    for (std::size_t i = 0; i < times.size(); ++i) states_[i].times = times[i];
  }

  /// The next events of a process: add for each of them.
  class Writer {
   public:
    Writer(Corrections& corrections, ProcessIndex process)
        : corrections_(corrections), process_(process), state_(corrections.states_[process]) {}
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    ~Writer() { corrections_.states_[process_] = state_; }

    void add(std::int64_t recorded, std::int64_t corrected) {
      const std::int64_t correction = corrected - recorded;
      if (correction == state_.last) {
        ++state_.repeated;
      } else {
        corrections_.end_run(process_, state_);
        corrections_.spool_.append_varint(2 * std::size_t{process_}, formats::zigzag(correction - state_.last));
        state_.last = correction;
      }
      if (!state_.times) [[likely]]
        return;
      corrections_.spool_.append_varint(2 * std::size_t{process_} + 1,
                                        static_cast<std::uint64_t>(recorded - state_.time));
      state_.time = recorded;
    }

   private:
    Corrections& corrections_;
    ProcessIndex process_;
    State state_;
  };
  void finish() {
    for (std::size_t i = 0; i < states_.size(); ++i) end_run(static_cast<ProcessIndex>(i), states_[i]);
  }
  [[nodiscard]] bool keeps_times(ProcessIndex process) const noexcept { return states_[process].times; }

  class Reader {
   public:
    Reader(Corrections& corrections, ProcessIndex process) : reader_(corrections.spool_, 2 * std::size_t{process}) {}
    /// False when there are no more.
    [[gnu::always_inline]] bool next(std::int64_t& correction) {
      if (repeated_ == 0 && !read()) return false;
      --repeated_;
      correction = last_;
      return true;
    }

   private:
    [[gnu::noinline]] bool read() {
      while (repeated_ == 0) {
        std::uint64_t value = 0;
        if (!reader_.varint(value)) return false;
        if (value == 0) {
          if (!reader_.varint(repeated_)) return false;
          continue;
        }
        last_ += formats::unzigzag(value);
        repeated_ = 1;
      }
      return true;
    }
    Spool::Reader reader_;
    std::int64_t last_ = 0;
    std::uint64_t repeated_ = 0;
  };

  /// Recorded times of a process that keeps them.
  class TimeReader {
   public:
    TimeReader(Corrections& corrections, ProcessIndex process)
        : reader_(corrections.spool_, 2 * std::size_t{process} + 1) {}
    bool next(std::int64_t& time) {
      std::uint64_t value = 0;
      if (!reader_.varint(value)) return false;
      time_ += static_cast<std::int64_t>(value);
      time = time_;
      return true;
    }

   private:
    Spool::Reader reader_;
    std::int64_t time_ = 0;
  };

 private:
  void end_run(ProcessIndex process, State& state) {
    if (state.repeated == 0) return;
    spool_.append_varint(2 * std::size_t{process}, 0);
    spool_.append_varint(2 * std::size_t{process}, state.repeated);
    state.repeated = 0;
  }

  Spool spool_;
  std::vector<State> states_;
};

}  // namespace clc::otf2
