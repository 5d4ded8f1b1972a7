#include "filter/replayed.hpp"

#include <optional>
#include <utility>

#include "formats/common/aligned.hpp"
#include "replay/player.hpp"
#include "replay/results.hpp"

namespace clc::filter {

namespace {

std::optional<replay::Window> window_of(const Options& options, Resolution resolution) {
  if (!options.window()) return std::nullopt;
  replay::Window window;
  window.from = resolution.ticks_of_seconds(options.from_s.value_or(0));
  if (options.to_s) window.to = resolution.ticks_of_seconds(*options.to_s);
  window.beyond = resolution.ticks_of_seconds(options.parameters.wait_limit_s);
  return window;
}

}  // namespace

Replayed::Replayed(const Options& options, const Definitions& definitions, EventSink& sink,
                   std::function<void(const Corrected&)> observe)
    : options_(options),
      recording_(definitions, window_of(options, definitions.resolution)),
      sink_(sink),
      observe_([this, observe = std::move(observe)](const Corrected& event) {
        analysis_.written(event);
        if (observe) observe(event);
      }) {}

/// is_result: the figures of this run are reported; else what it could not order counts, too.
void Replayed::run(bool backwards, bool bodies, EventSink& sink, bool is_result) {
  using replay::Direction;
  replay::Player player(recording_, backwards ? Direction::backwards : Direction::forwards, bodies, source_added_);
  Parameters parameters = parameters_;
  parameters.match = Match::fifo;  // partners are told
  if (backwards)
    for (PairDelay& pair : parameters.pair_delays) std::swap(pair.from, pair.to);
  Filter filter(parameters, player.definitions(), sink);
  filter.recorded_granularity(granularity_);
  if (is_result && observer_ != nullptr) filter.observe(*observer_);
  Batch batch;
  while (player.read(batch)) pass_on(batch, filter);
  filter.finish();
  if (!is_result) return analysis_.take_unresolved(filter.analysis());
  for (const CaseInfo& info : cases)  // forwards, the clock itself sees ends without begin
    if (backwards || info.which != Case::end_without_begin)
      analysis_.count(info.which, recording_.matching().counted(info.which));
  analysis_.take(filter.analysis(), backwards);
  for (const Loss& loss : recording_.matching().losses()) analysis_.lost(loss);
  for (const LostCall& call : recording_.matching().lost_calls()) analysis_.lost(call);
}

void Replayed::correct(bool whole, const Parameters& parameters, Body source_added, std::uint64_t granularity,
                       FilterObserver* observer) {
  recording_.finish(whole);
  parameters_ = parameters;
  parameters_.uncounted_body = std::string(replay::added_body);
  analysis_.wanted_gradient = parameters.max_error_percent / 100;
  source_added_ = source_added;
  granularity_ = granularity;
  observer_ = observer;
  replay::Restorer out(recording_, sink_, observe_);
  if (!options_.backwards && !options_.mean) {
    replay::Forwards forwards(out);
    run(false, true, forwards, true);
  } else {
    replay::Backwards back;
    run(true, !options_.mean, back, !options_.mean);
    back.finish();
    if (options_.mean) {
      replay::MeanOf both(back, out);
      run(false, true, both, true);
      both.finish();
    } else {
      back.pass_on(out);
    }
  }
  out.finish();
}

void Replayed::copy(bool whole, Body source_added) {
  recording_.finish(whole);
  replay::Restorer out(recording_, sink_, observe_);
  replay::Forwards forwards(out);
  Copier copier(forwards);
  replay::Player player(recording_, replay::Direction::forwards, true, source_added);
  Batch batch;
  while (player.read(batch)) pass_on(batch, copier);
  out.finish();
}

}  // namespace clc::filter
