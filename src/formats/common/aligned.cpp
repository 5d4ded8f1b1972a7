#include "common/aligned.hpp"

#include <utility>

#include "clc/io/batch.hpp"
#include "common/decorator.hpp"
#include "common/order.hpp"

namespace clc {

namespace {

/// The smallest offset that a map has at a time of a process, or a smaller one. Lines go on beyond their points.
class LeastOffset {
 public:
  explicit LeastOffset(const Offsets& offsets) {
    for (const auto& [process, line] : offsets) add(line.points());
  }
  [[nodiscard]] Ticks at(Time time) const noexcept {
    const double before = steepest_first_ * static_cast<double>(std::max<Ticks>(0, first_ - time));
    const double after = steepest_last_ * static_cast<double>(std::max<Ticks>(0, time - last_));
    const double further = (before + after) * (1 + 1e-9);
    if (!(further < 9e18)) return ticks_min;
    return subtract_saturating(least_, further > 0 ? static_cast<Ticks>(further) + 2 : 1);
  }

 private:
  void add(const std::vector<OffsetPoint>& points) {
    for (const OffsetPoint& point : points) least_ = std::min(least_, point.offset);
    if (points.size() < 2) return;
    first_ = std::max(first_, points.front().time);
    last_ = std::min(last_, points.back().time);
    steepest_first_ = std::max(steepest_first_, rise(points[0], points[1]));
    steepest_last_ = std::max(steepest_last_, -rise(points[points.size() - 2], points.back()));
  }
  /// A tick of time.
  static double rise(const OffsetPoint& from, const OffsetPoint& to) noexcept {
    return (static_cast<double>(subtract_saturating(to.offset, from.offset)) + (to.fraction - from.fraction)) /
           static_cast<double>(to.time - from.time);
  }

  Ticks least_ = 0;                // of points, and of processes without
  Time first_ = Time::earliest();  // before it, some lines are left of their points
  Time last_ = Time::latest();
  double steepest_first_ = 0;  // ticks by which offsets fall, a tick of time to the left
  double steepest_last_ = 0;   // to the right
};

class MappingSource final : public formats::Decorator {
 public:
  MappingSource(std::unique_ptr<Source> inner, Offsets offsets, RecordedTimes& recorded)
      : Decorator(std::move(inner)), offsets_(std::move(offsets)), least_(offsets_), recorded_(recorded) {}

  bool read(Batch& batch) override {
    const bool more = inner().read(batch);
    for (Event& event : batch.events) {
      while (event.process >= maps_.size()) add_process();
      recorded_.push(event.process, event.time);
      newest_ = std::max(newest_, event.time);
      OffsetMap& map = maps_[event.process];
      event.time = map.next(event.time);
      if (map.is_cut_off()) [[unlikely]]
        recorded_.cut_off();
    }
    return more;
  }
  /// No record that is still to come has an earlier time: maps do not fall.
  [[nodiscard]] Time complete() const noexcept {
    if (newest_ == Time::earliest()) return newest_;
    return newest_ + least_.at(newest_);
  }

 private:
  void add_process() {
    maps_.emplace_back(line_of_clock(offsets_, definitions(), static_cast<ProcessIndex>(maps_.size())));
  }

  Offsets offsets_;
  LeastOffset least_;
  RecordedTimes& recorded_;
  std::vector<OffsetMap> maps_;
  Time newest_ = Time::earliest();  // as recorded
};

}  // namespace

std::unique_ptr<Source> aligned(std::unique_ptr<Source> inner, Offsets offsets, RecordedTimes& recorded,
                                std::uint64_t most_memory, std::function<void()> on_definitions) {
  auto mapping = std::make_unique<MappingSource>(std::move(inner), std::move(offsets), recorded);
  const MappingSource& mapped = *mapping;
  return formats::sorted_until(
      std::move(mapping), [&mapped] { return mapped.complete(); }, most_memory, std::move(on_definitions));
}

void WithRecorded::events(std::span<const Corrected> run) {
  run_.assign(run.begin(), run.end());
  for (Corrected& event : run_) event.recorded = recorded_.pop(event.process);
  next_.events(run_);
}

void Copier::push(std::span<const Event> events, std::span<const Body> bodies) {
  run_.resize(events.size());
  for (std::size_t i = 0; i < events.size(); ++i)
    run_[i] = {events[i].time, events[i].time, events[i].process, bodies[i]};
  sink_.events(run_);
}

}  // namespace clc
