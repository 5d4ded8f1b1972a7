#include "common/aligned.hpp"

#include <algorithm>
#include <utility>

#include "clc/io/batch.hpp"
#include "common/decorator.hpp"
#include "common/order.hpp"

namespace clc {

namespace {

class MappingSource final : public formats::Decorator {
 public:
  MappingSource(std::unique_ptr<Source> inner, Offsets offsets, RecordedTimes& recorded)
      : Decorator(std::move(inner)), offsets_(std::move(offsets)), recorded_(recorded) {}

  bool read(Batch& batch) override {
    const bool more = inner().read(batch);
    for (Event& event : batch.events) {
      while (event.process >= maps_.size()) add_process();
      recorded_.push(event.process, event.time);
      event.time = maps_[event.process].next(event.time);
    }
    return more;
  }

 private:
  void add_process() {
    const auto found = offsets_.find(definitions().processes()[maps_.size()].number);
    maps_.emplace_back(found == offsets_.end() ? nullptr : &found->second);
  }

  Offsets offsets_;
  RecordedTimes& recorded_;
  std::vector<OffsetMap> maps_;
};

/// Of offsets, with those of processes that have none.
Ticks spread_of(const Offsets& offsets) {
  Ticks least = 0;
  Ticks most = 0;
  for (const auto& [process, line] : offsets)
    for (const OffsetPoint& point : line.points()) {
      least = std::min(least, point.offset);
      most = std::max(most, add_saturating(point.offset, 1));
    }
  return subtract_saturating(most, least);
}

}  // namespace

std::unique_ptr<Source> aligned(std::unique_ptr<Source> inner, Offsets offsets, Ticks window, RecordedTimes& recorded,
                                std::uint64_t most_memory) {
  const Ticks spread = add_saturating(spread_of(offsets), window);
  return formats::sorted_within(std::make_unique<MappingSource>(std::move(inner), std::move(offsets), recorded), spread,
                                most_memory);
}

void WithRecorded::events(std::span<const Corrected> run) {
  run_.assign(run.begin(), run.end());
  for (Corrected& event : run_) event.recorded = recorded_.pop(event.process);
  next_.events(run_);
}

}  // namespace clc
