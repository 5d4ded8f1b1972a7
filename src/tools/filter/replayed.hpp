// Corrections that need the trace in a temporary file: from its end, of a window, or both ways.
//
//     Replayed replayed(options, definitions, sink, observe);
//     replayed.record(batch, times);               // until it returns false
//     replayed.correct(whole, parameters, added);  // runs the clock once or twice, and writes
//
// Place    In place of the filter: between source and sink.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "clc/event_sink.hpp"
#include "clc/filter.hpp"
#include "clc/io/source.hpp"
#include "clock/replayed.hpp"
#include "filter/options.hpp"
#include "replay/recording.hpp"

namespace clc::filter {

class Replayed {
 public:
  /// observe: gets each event that is written, with the time that the clock read as recorded.
  Replayed(const Options& options, const Definitions& definitions, EventSink& sink,
           std::function<void(const Corrected&)> observe);

  /// The next records, and the time of each in the trace. False: nothing behind them is needed.
  bool record(const Batch& batch, std::span<const Time> times) { return recording_.add(batch, times); }
  /// whole: the trace was read to its end. source_added: Source::added_body(). granularity: of recorded times, if the
  /// clock reads others, else 0. observer: of the messages of the run whose figures are reported, or null.
  void correct(bool whole, const Parameters& parameters, Body source_added, std::uint64_t granularity,
               FilterObserver* observer = nullptr);
  /// Writes the window as it was recorded.
  void copy(bool whole, Body source_added);
  [[nodiscard]] const Analysis& analysis() const noexcept { return analysis_; }
  [[nodiscard]] const replay::Recording& recording() const noexcept { return recording_; }

 private:
  void run(bool backwards, bool bodies, EventSink& sink, bool is_result);

  const Options& options_;
  replay::Recording recording_;
  EventSink& sink_;
  std::function<void(const Corrected&)> observe_;
  Parameters parameters_;
  std::string source_added_;
  std::uint64_t granularity_ = 0;
  FilterObserver* observer_ = nullptr;
  ReplayedAnalysis analysis_;
};

}  // namespace clc::filter
