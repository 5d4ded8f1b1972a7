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
      defects_(settings.defects.lose_sends > 0 || settings.defects.lose_receives > 0 ||
               settings.defects.lose_burst > 0 || settings.defects.lose_calls > 0 ||
               !settings.defects.unrecorded.empty()),
      lose_sends_(settings.defects.lose_sends),
      lose_receives_(settings.defects.lose_receives),
      unrecorded_(settings.defects.unrecorded),
      is_off_(clocks_.size()),
      random_(settings.seed, defect_stream) {
  recorded_.run.reserve(run_length);
  truth_.run.reserve(run_length);
  if (settings.defects.lose_burst > 0) burst_ = random_gap(settings.defects.lose_burst);
  progress(0);
  for (std::uint32_t k = 0; k < settings.defects.lose_calls; ++k) calls_.push_back(random_gap(1));
}

bool Recorder::lost(ProcessIndex process, const Point& point) {
  if (is_off_[process]) return true;
  if (point.kind == Kind::collective_begin || point.kind == Kind::collective_end) return lost_call(process, point);
  if (point.kind != Kind::send && point.kind != Kind::receive) return false;
  if (burst_.left > 0 && process == burst_.process && passed_ >= burst_.at) {
    --burst_.left;
    return true;
  }
  if (point.kind == Kind::send) return random_.chance(lose_sends_);
  return random_.chance(lose_receives_);
}

bool Recorder::lost_call(ProcessIndex process, const Point& point) {
  if (point.kind == Kind::collective_end)
    return std::erase_if(begun_,
                         [&](const LostCall& lost) { return lost.process == process && lost.call == point.tag; }) != 0;
  const auto gap = std::find_if(calls_.begin(), calls_.end(),
                                [&](const Gap& one) { return one.process == process && passed_ >= one.at; });
  if (gap == calls_.end()) return false;
  calls_.erase(gap);
  begun_.push_back({process, point.tag});
  return true;
}

/// In the middle of the run: 1/10 to 9/10.
Recorder::Gap Recorder::random_gap(std::uint32_t records) {
  const auto process = static_cast<ProcessIndex>(random_.below(static_cast<std::uint32_t>(clocks_.size())));
  return {0.1 + 0.8 * random_.uniform(), process, records};
}

void Recorder::progress(double fraction) {
  passed_ = fraction;
  for (const PartOfRun& part : unrecorded_) is_off_[part.process] = false;
  for (const PartOfRun& part : unrecorded_)
    if (fraction >= part.from && fraction < part.to) is_off_[part.process] = true;
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
  recorded_.drain(add_saturating(start_, horizon));
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
