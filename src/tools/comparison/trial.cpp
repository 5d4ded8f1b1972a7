#include "comparison/trial.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "clc/filter.hpp"
#include "generate.hpp"
#include "scenarios.hpp"
#include "sync/matcher.hpp"
#include "trace/offsets.hpp"
#include "writer.hpp"

namespace clc::comparison {

namespace {

/// Takes what the generator writes.
class Tape final : public tracegen::Output {
 public:
  /// definitions: null, or where new communicators go.
  explicit Tape(Definitions* definitions) : definitions_(definitions) {}
  void points(std::span<const tracegen::Placed> run) override { placed_.insert(placed_.end(), run.begin(), run.end()); }
  void communicator(CommunicatorIndex number, std::span<const ProcessIndex> members) override {
    if (definitions_ != nullptr)
      definitions_->add_communicator(number, std::vector<ProcessIndex>(members.begin(), members.end()));
  }
  [[nodiscard]] const std::vector<tracegen::Placed>& placed() const noexcept { return placed_; }

 private:
  Definitions* definitions_;
  std::vector<tracegen::Placed> placed_;
};

/// Takes what the filter emits.
class Collected final : public EventSink {
 public:
  explicit Collected(std::size_t processes) : times_(processes) {}
  [[nodiscard]] Order order() const noexcept override { return Order::each_process; }
  void events(std::span<const Corrected> run) override {
    for (const Corrected& event : run) times_[event.process].push_back(event.time);
  }
  void note(Body /*line*/) override {}
  [[nodiscard]] Times times() && { return std::move(times_); }

 private:
  Times times_;
};

}  // namespace

void Figures::add(const Figures& other) noexcept {
  messages += other.messages;
  violated += other.violated;
  delay_error_us += other.delay_error_us;
  largest_error_us = std::max(largest_error_us, other.largest_error_us);
  local_time_us += other.local_time_us;
  local_error_us += other.local_error_us;
}

Trial::Trial(const tracegen::Settings& settings) {
  tracegen::Plan plan;
  const auto program = tracegen::make_program(settings, plan);
  definitions_.resolution = settings.resolution;
  definitions_.min_delay = settings.resolution.ticks_of_microseconds(settings.messages.delay_us.value());
  for (ProcessIndex process = 0; process < plan.processes; ++process)
    definitions_.add_process(process, std::to_string(process));
  for (CommunicatorIndex number = 0; number < plan.communicators.size(); ++number)
    definitions_.add_communicator(number, plan.communicators[number]);
  Tape recorded(&definitions_);
  Tape truth(nullptr);
  tracegen::generate(settings, plan, *program, recorded, &truth);

  recorded_.resize(plan.processes);
  truth_.resize(plan.processes);
  const tracegen::PointDecoder decoder;
  for (const tracegen::Placed& placed : recorded.placed()) {
    Event& event = events_.emplace_back(
        decoder.decode(Body(reinterpret_cast<const char*>(&placed.point), sizeof placed.point)).event);
    event.process = placed.process;
    event.time = Time(placed.point.time);
    places_.push_back({placed.process, recorded_[placed.process].size()});
    recorded_[placed.process].push_back(event.time);
  }
  for (const tracegen::Placed& placed : truth.placed()) truth_[placed.process].emplace_back(placed.point.time);
  match();
}

/// First in, first out. Nothing is missing, and the n-th receive of a channel has the n-th send.
void Trial::match() {
  using Channel = std::tuple<ProcessIndex, ProcessIndex, CommunicatorIndex, std::int64_t>;
  std::map<Channel, std::pair<std::vector<Place>, std::vector<Place>>> channels;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const Event& event = events_[i];
    if (event.role == Role::send)
      channels[{event.process, event.peer, event.communicator, event.tag}].first.push_back(places_[i]);
    else if (event.role == Role::receive)
      channels[{event.peer, event.process, event.communicator, event.tag}].second.push_back(places_[i]);
  }
  for (const auto& [channel, ends] : channels)
    for (std::size_t i = 0; i < std::min(ends.first.size(), ends.second.size()); ++i)
      messages_.push_back({ends.first[i], ends.second[i]});
}

sync::Estimate Trial::estimate(const sync::Options& options) const {
  sync::Collector collector;
  sync::Matcher matcher(definitions_, collector);
  for (const Event& event : events_) matcher.add(event);
  return sync::estimate(collector, matcher.records(), recorded_.size(), definitions_.resolution, options);
}

Times Trial::mapped(const sync::Estimate& estimate) const {
  Times times = recorded_;
  for (std::size_t process = 0; process < times.size(); ++process) {
    const OffsetLine& line = estimate.clocks[process].map;
    OffsetMap map(line.points().empty() ? nullptr : &line);
    for (Time& time : times[process]) time = map.next(time);
  }
  return times;
}

Times Trial::corrected(const Times& times) const {
  std::vector<std::size_t> order(events_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return at(times, places_[a]) < at(times, places_[b]); });
  Collected collected(times.size());
  Filter filter(Parameters{}, definitions_, collected);
  for (const std::size_t i : order) {
    Event event = events_[i];
    event.time = at(times, places_[i]);
    filter.push(event, {});
  }
  filter.finish();
  return std::move(collected).times();
}

Figures Trial::judge(const Times& times) const {
  Figures figures;
  const Resolution resolution = definitions_.resolution;
  const auto us = [&](Ticks ticks) { return resolution.microseconds(static_cast<double>(ticks < 0 ? -ticks : ticks)); };
  for (const Message& message : messages_) {
    const Ticks delay = at(times, message.received) - at(times, message.sent);
    const Ticks truly = at(truth_, message.received) - at(truth_, message.sent);
    ++figures.messages;
    figures.violated += delay < *definitions_.min_delay;
    figures.delay_error_us += us(delay - truly);
    figures.largest_error_us = std::max(figures.largest_error_us, us(delay - truly));
  }
  for (std::size_t process = 0; process < times.size(); ++process)
    for (std::size_t i = 1; i < times[process].size(); ++i) {
      const Ticks length = times[process][i] - times[process][i - 1];
      const Ticks truly = truth_[process][i] - truth_[process][i - 1];
      figures.local_time_us += us(truly);
      figures.local_error_us += us(length - truly);
    }
  return figures;
}

}  // namespace clc::comparison
