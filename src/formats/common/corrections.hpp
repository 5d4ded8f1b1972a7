// The correction of each event of each process, in order, packed: most corrections equal the previous
// one or differ little from it. Modulo 2^64, so that it is exact for all times.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "clc/indexes.hpp"
#include "common/spool.hpp"

namespace clc::formats {

class Corrections {
  struct State {
    std::int64_t last = 0;
    std::uint64_t repeated = 0;  ///< events with the last correction that are not yet in the spool
  };

 public:
  explicit Corrections(std::size_t processes, std::size_t memory_limit = Spool::usual_limit)
      : spool_(processes, memory_limit), states_(processes) {}
  /// Only of some processes, so many; stream_of: their numbers among these, by process.
  Corrections(std::size_t some, std::size_t memory_limit, std::vector<std::uint32_t> stream_of)
      : spool_(some, memory_limit), states_(some), stream_(std::move(stream_of)) {}
  /// Makes room for further processes.
  void grow(std::size_t processes) {
    spool_.grow(processes);
    if (processes > states_.size()) states_.resize(processes);
  }

  /// The next events of a process: add for each of them.
  class Writer {
   public:
    Writer(Corrections& corrections, ProcessIndex process)
        : corrections_(corrections), stream_(corrections.stream_of(process)), state_(corrections.states_[stream_]) {}
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    ~Writer() { corrections_.states_[stream_] = state_; }

    void add(std::int64_t recorded, std::int64_t corrected) {
      const std::int64_t correction = difference(corrected, recorded);
      if (correction == state_.last) {
        ++state_.repeated;
      } else {
        corrections_.end_run(stream_, state_);
        corrections_.spool_.append_varint(stream_, zigzag(difference(correction, state_.last)));
        state_.last = correction;
      }
    }

   private:
    Corrections& corrections_;
    std::size_t stream_;
    State state_;
  };
  void finish() {
    for (std::size_t i = 0; i < states_.size(); ++i) end_run(i, states_[i]);
  }

  class Reader {
   public:
    Reader(Corrections& corrections, ProcessIndex process)
        : reader_(corrections.spool_, corrections.stream_of(process)) {}
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
        last_ = difference(last_, difference(0, unzigzag(value)));
        repeated_ = 1;
      }
      return true;
    }
    Spool::Reader reader_;
    std::int64_t last_ = 0;
    std::uint64_t repeated_ = 0;
  };

 private:
  [[nodiscard]] static std::int64_t difference(std::int64_t a, std::int64_t b) noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  }
  [[nodiscard]] std::size_t stream_of(ProcessIndex process) const noexcept {
    return stream_.empty() ? process : stream_[process];
  }
  void end_run(std::size_t stream, State& state) {
    if (state.repeated == 0) return;
    spool_.append_varint(stream, 0);
    spool_.append_varint(stream, state.repeated);
    state.repeated = 0;
  }

  Spool spool_;
  std::vector<State> states_;          ///< by stream
  std::vector<std::uint32_t> stream_;  ///< by process; empty: it is the process
};

}  // namespace clc::formats
