#include "sync/data.hpp"

#include <algorithm>

#include "sync/bursts.hpp"
#include "sync/points.hpp"
#include "sync/records.hpp"
#include "sync/zeros.hpp"

namespace clc::sync {

Data::Data(const Collector& collector, const Records& records_of, std::size_t clocks, Resolution resolution_of,
           const Options& options_of, const Stretch* stretch_of, const std::vector<Sample>& samples)
    : records(records_of),
      resolution(resolution_of),
      options(options_of),
      stretch(stretch_of),
      zeros(stretch != nullptr ? std::vector<Time>(clocks, stretch->zero)
                               : zeros_of(collector, records, clocks, resolution, samples),
            resolution) {
  seen.clocks = seen.in_trace = clocks;
  seen.tick = resolution.seconds(static_cast<double>(records.coarsest_tick()));
  seen.min_delay = options.least_delay_us() * 1e-6;
  seen.node = options.nodes;
  seen.edges = stretch != nullptr ? stretch->edges : collector.edges();
  const auto is_new = [&](ClockIndex clock) {
    const auto span = records.span(clock);
    return stretch != nullptr && span && span->first > stretch->begun_by;
  };
  collector.for_each_track([&](ClockIndex from, ClockIndex to, const std::vector<Sighting>& points) {
    if (is_new(from) || is_new(to)) return;
    Series& series = seen.series.emplace_back(Series{from, to, {}});
    series.points.reserve(points.size());
    for (const Sighting& point : points) series.points.push_back(zeros.point(from, to, point));
  });
  for (const Gathering& gathering : collector.gatherings())
    if (std::ranges::none_of(gathering.members, [&](const Gathering::Member& member) { return is_new(member.clock); }))
      seen.meetings.push_back(zeros.meeting(gathering));
  if (!is_published(options.method)) seen.bursts = bursts_of(samples, zeros);
}

void Data::add(const std::vector<GivenPoint>& points, double bias_scale) {
  seen.bias_scale = bias_scale;
  const auto common = static_cast<ClockIndex>(seen.clocks);
  const auto& [clock, first] = points.front();
  const Ticks near = near_ticks(records, seen.in_trace, resolution);
  zeros.add(first.offset < near && first.offset > -near ? zeros.zero(clock) : zeros.zero(clock) + first.offset);
  ++seen.clocks;
  seen.offsets = offsets_of(points, zeros, resolution, common);
}

}  // namespace clc::sync
