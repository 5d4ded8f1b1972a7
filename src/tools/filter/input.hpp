// The trace as the clock reads it: its clocks mapped, and what is known of lost records in its events.
//
//     lost::Search lost = search_for(options);
//     Input input(options, lost, threads, on_pause);
//     input.source().read(batch);   // ...
//
// Order    The first pass, if there is one; the search for lost records, if messages are matched by whole channels.
//          Then the trace is opened once more, to be corrected.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "clc/io/format.hpp"
#include "clc/report.hpp"
#include "estimation/alignment.hpp"
#include "estimation/look_ahead.hpp"
#include "estimation/mapped.hpp"
#include "filter/options.hpp"
#include "formats/common/aligned.hpp"
#include "lost/search.hpp"

namespace clc::filter {

/// Of the inputs; null: each can be read again.
[[nodiscard]] const std::string* first_that_is_no_file(const Options& options);

/// The search for lost records in the input.
[[nodiscard]] lost::Search search_for(const Options& options);

class Input {
 public:
  /// options: its parameters take what the first pass chooses, and how messages are matched. on_pause: of live input.
  /// Keeps references to options and lost. Throws InputError, UsageError.
  Input(Options& options, lost::Search& lost, std::shared_ptr<Threads> threads, OnPause on_pause);

  [[nodiscard]] Source& source() const noexcept { return *opened_.source; }
  [[nodiscard]] const Definitions& definitions() const noexcept { return source().definitions(); }
  [[nodiscard]] const OpenedSource& opened() const noexcept { return opened_; }

  /// Clocks are mapped ahead of the clock, so that it does not see the recorded times.
  [[nodiscard]] bool is_mapped() const noexcept { return is_mapped_; }
  /// Those of the events in the clock.
  [[nodiscard]] RecordedTimes& recorded() noexcept { return recorded_; }
  [[nodiscard]] const RecordedTimes& recorded() const noexcept { return recorded_; }
  /// Of the clocks; empty with look-ahead.
  [[nodiscard]] const Offsets& map() const noexcept { return map_; }
  /// The estimate found that its map is no better than the recorded times.
  [[nodiscard]] bool estimated_in_vain() const noexcept { return map_.empty() && !alignment_.line.empty(); }
  /// The map of the clocks grows as the trace is read.
  [[nodiscard]] bool looks_ahead() const noexcept { return look_ahead_ != nullptr; }

  /// Of the messages that the clock matches, forwards or backwards as the options say; null: there is none.
  [[nodiscard]] FilterObserver* observer() const noexcept { return recorded_delays_.get(); }

  /// At the end: what is known of the trace and of its map. min_delay_us: in effect.
  void tell(RunFacts& facts, const Analysis& analysis, double min_delay_us) const;

 private:
  [[nodiscard]] SourceOptions source_options() const;
  void require_archive(const OpenedSource& opened) const;
  void keep_inputs();
  [[nodiscard]] std::function<void()> on_definitions() const;
  [[nodiscard]] OpenedSource open();
  [[nodiscard]] std::unique_ptr<Source> open_again(const SourceOptions& from);
  /// file: measured offsets, or null.
  [[nodiscard]] tool::Alignment estimate(const tool::OffsetsFile* file);
  void estimate_ahead(OpenedSource& opened);
  [[nodiscard]] MapFigures map_figures(const Analysis& analysis, double min_delay_us) const;

  Options& options_;
  lost::Search& lost_;
  std::shared_ptr<Threads> threads_;
  OnPause on_pause_;
  bool is_mapped_ = false;
  tool::Alignment alignment_;  ///< what the first pass found, without its maps
  Offsets map_;
  std::function<tool::GrownMap()> look_ahead_;  ///< the map that grows; empty: none does
  RecordedTimes recorded_;
  OpenedSource opened_;
  std::unique_ptr<tool::RecordedDelays> recorded_delays_;  ///< where offsets were measured
};

}  // namespace clc::filter
