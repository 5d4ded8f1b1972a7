#include "sync/observed.hpp"

#include <algorithm>
#include <utility>

#include "sync/bursts.hpp"
#include "sync/errors.hpp"
#include "sync/points.hpp"

namespace clc::sync {

std::size_t most_offsets(const Seen& seen) {
  std::size_t most = 0;
  for (const MeasuredOffsets& of : seen.offsets) most = std::max(most, of.points.size());
  return most;
}

std::size_t Observed::window_count() const noexcept {
  const auto usual = static_cast<double>(windows_for(*seen_, series().size()));
  // A window over much of the trace would mix times between which measured offsets know the clocks to wander. A pair
  // still has two edges per window.
  constexpr double enough = 8;
  constexpr double finest = 2.5;
  const double wanted = std::min({static_cast<double>(most_offsets(*seen_)), finest * usual, enough});
  return static_cast<std::size_t>(std::max({1.0, fineness_ * usual, wanted}));
}

void Observed::take(const std::vector<Curve>& curves, const Windows& grid, bool first) {
  if (!seen_->meetings.empty()) with_meetings_ = all_series(*seen_, curves, grid, first);
  std::size_t windows = window_count();
  if (data_.stretch != nullptr) windows = std::min(windows, data_.stretch->windows);
  windows_ = windows_over(series(), *seen_, curves, windows);
  directions_ = minima_of(series(), curves, windows_, grid);
  pairs_ = observe(directions_, minima_of(seen_->bursts, curves, windows_, grid), *seen_);
  for (Pair& pair : observe(seen_->offsets, curves, grid, *seen_)) pairs_.push_back(std::move(pair));
  groups_ = groups_of(pairs_, seen_->clocks, seen_->in_trace);
}

std::vector<Direction> Observed::minima(const std::vector<Curve>& curves, const Windows& grid) const {
  std::vector<Direction> all = minima_of(series(), curves, windows_, grid);
  for (MeasuredPair& pair : minima_of(seen_->bursts, curves, windows_, grid)) {
    all.push_back(std::move(pair.up));
    all.push_back(std::move(pair.down));
  }
  return all;
}

void Observed::scale_biases() { scale_biases_by(seen_->bias_scale, pairs_); }

Seen& Observed::copy() {
  with_meetings_.clear();
  cut_ = std::make_unique<Seen>(*seen_);
  seen_ = cut_.get();
  return *cut_;
}

void Observed::cut(double time, const std::vector<Curve>& curves, const Windows& grid) {
  uncut_ = series();
  Seen& left = copy();
  const auto mapped = [&](ClockIndex clock, double at) { return curves[clock].mapped(at, grid); };
  for (Series& one : left.series)
    std::erase_if(one.points, [&](const Point& point) {
      return mapped(one.from, point.sent()) > time || mapped(one.to, point.received()) > time;
    });
  std::erase_if(left.series, [](const Series& one) { return one.points.empty(); });
  std::erase_if(left.meetings, [&](const Meeting& meeting) {
    return std::any_of(meeting.members.begin(), meeting.members.end(),
                       [&](const Meeting::Member& member) { return mapped(member.clock, member.end) > time; });
  });
  std::erase_if(left.bursts, [&](const Burst& burst) {
    return mapped(burst.low, burst.up.back().sent()) > time || mapped(burst.high, burst.down.back().sent()) > time;
  });
  for (MeasuredOffsets& of : left.offsets)
    std::erase_if(of.points, [&](const auto& at) { return mapped(of.clock, at.to_common.sent()) > time; });
  std::erase_if(left.offsets, [](const MeasuredOffsets& of) { return of.points.empty(); });
  const double share = (time - windows_.begin) / windows_.span();
  left.edges = static_cast<std::uint64_t>(static_cast<double>(left.edges) * std::clamp(share, 0.0, 1.0));
}

void Observed::leave_out(const WrongPairs& wrong) {
  std::erase_if(copy().series, [&](const Series& one) {
    const ClockPair pair = std::minmax(one.from, one.to);
    return wrong.contradicting.contains(pair) || wrong.longer.contains(pair);
  });
}

}  // namespace clc::sync
