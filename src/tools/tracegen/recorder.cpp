#include "recorder.hpp"

#include <algorithm>
#include <utility>

namespace clc::tracegen {

namespace {
constexpr std::size_t run_length = 4096;
constexpr std::uint64_t defect_stream = 0xdefec7;
}  // namespace

Recorder::Recorder(const Settings& settings, std::vector<Clock> clocks, Output& recorded, Output* truth)
    : clocks_(std::move(clocks)),
      start_(settings.start),
      recorded_{Merger(static_cast<std::uint32_t>(clocks_.size())), &recorded, {}},
      truth_{Merger(static_cast<std::uint32_t>(clocks_.size())), truth, {}},
      defects_(settings.lose_sends > 0 || settings.lose_receives > 0 || !settings.early_ends.empty()),
      lose_sends_(settings.lose_sends),
      lose_receives_(settings.lose_receives),
      early_ends_(settings.early_ends),
      ended_(clocks_.size()),
      random_(settings.seed, defect_stream) {
  recorded_.run.reserve(run_length);
  truth_.run.reserve(run_length);
}

bool Recorder::lost(ProcessIndex process, const Point& point) {
  if (ended_[process]) return true;
  if (point.kind == Kind::send) return random_.chance(lose_sends_);
  if (point.kind == Kind::receive) return random_.chance(lose_receives_);
  return false;
}

void Recorder::progress(double fraction) {
  for (const EarlyEnd& end : early_ends_)
    if (fraction >= end.at) ended_[end.process] = true;
}

void Recorder::Side::drain(Ticks horizon) {
  merger.drain(horizon, [this](ProcessIndex process, const Point& point) {
    run.push_back({process, point});
    if (run.size() == run_length) {
      output->points(run);
      run.clear();
    }
  });
}

void Recorder::advance(Ticks time) {
  if (added_ - added_before_ < 8 * clocks_.size()) return;  // not worth it yet
  added_before_ = added_;
  Ticks horizon = ticks_max;
  for (Clock& clock : clocks_) horizon = std::min(horizon, clock.read_no_earlier(time));
  recorded_.drain(start_ + horizon);
  if (truth_.output != nullptr) truth_.drain(start_ + time);
}

void Recorder::communicator(CommunicatorIndex number, std::span<const ProcessIndex> members) {
  for (Side* side : {&recorded_, &truth_})
    if (side->output != nullptr) side->output->communicator(number, members);
}

void Recorder::finish() {
  for (Side* side : {&recorded_, &truth_}) {
    if (side->output == nullptr) continue;
    side->drain(ticks_max);
    side->output->points(side->run);
    side->run.clear();
  }
}

}  // namespace clc::tracegen
