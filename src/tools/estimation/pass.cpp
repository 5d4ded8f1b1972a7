// With Eigen.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clc/error.hpp"
#include "clc/io/batch.hpp"
#include "common/min_delay.hpp"
#include "estimation/estimation.hpp"
#include "estimation/measurements.hpp"
#include "sync/divided_matcher.hpp"
#include "sync/matcher.hpp"
#include "sync/measured.hpp"

namespace clc::tool {

namespace {

/// What one reading of a trace found.
struct Reading {
  Reading(const Definitions& definitions, Transfer transfer) : matcher(definitions, collector, transfer) {}
  Reading(const Definitions& definitions, const Reading& earlier) : matcher(definitions, collector, earlier.matcher) {}

  /// lines: take those with measured offsets; or null.
  void read(Source& source, bool keep_going, MeasurementLines* lines);

  sync::Collector collector;
  sync::Matcher matcher;
};

void Reading::read(Source& source, bool keep_going, MeasurementLines* lines) {
  Batch batch;
  for (bool more = true; more;) {
    try {
      more = source.read(batch);
    } catch (const InputError&) {
      if (!keep_going) throw;
      break;
    }
    for (const Event& event : batch.events) matcher.add(event);
    if (lines != nullptr)
      for (const Batch::Note& note : batch.notes) lines->note(note);
  }
}

Transfer transfer_of(const sync::Options& options, const Definitions& definitions) {
  return {options.bandwidth_mb_s, definitions.resolution};
}

/// choose: the minimum delay, if there is none.
FirstPass estimated(const sync::Collector& collector, const sync::Records& records, const Definitions& definitions,
                    sync::Options options, bool choose, const sync::Measurements& measurements) {
  if (options.min_delay_us <= 0) options.min_delay_us = smallest_min_delay_us(definitions);
  add_definitions(options, definitions);
  const std::size_t processes = definitions.processes().size();
  const auto of_clocks = [&] {
    if (options.method == sync::Method::measured)
      return sync::map_measured(measurements, collector, records, processes, definitions.resolution, options);
    return sync::estimate(collector, records, processes, definitions.resolution, options, measurements);
  };
  // The processes of one clock have one map.
  const auto estimate = [&] {
    sync::Estimate found = of_clocks();
    for (std::size_t i = 0; i < found.clocks.size(); ++i)
      found.clocks[i] = found.clocks[definitions.processes()[i].clock];
    return found;
  };
  FirstPass result;
  result.estimate = estimate();
  if (!choose || options.min_delay_us > 0) return result;
  // Estimated again as with the same minimum delay on the command line. Whether clocks are mapped may depend on it.
  for (int round = 0; round < 2; ++round) {
    const bool was_applied = result.estimate.applied;
    result.chosen = choose_min_delay(result.estimate, definitions.resolution.microseconds(1));
    if (!result.chosen.min_delay_us) break;
    options.min_delay_us = result.chosen.smallest_us();
    result.estimate = estimate();
    if (result.estimate.applied == was_applied) break;
  }
  return result;
}

FirstPass estimated(const Reading& reading, const Definitions& definitions, const sync::Options& options, bool choose,
                    const sync::Measurements& measurements) {
  return estimated(reading.collector, reading.matcher.records(), definitions, options, choose, measurements);
}

/// Of the trace itself and of a file, or null.
sync::Measurements all_measurements(const MeasurementLines& lines, const OffsetsFile* file, sync::Method method,
                                    const Definitions& definitions, std::vector<std::string>& warnings) {
  sync::Measurements measurements;
  PointsOfClocks points(definitions, measurements.points);
  if (method == sync::Method::measured || !lines.corrected())
    lines.add_to(measurements.samples, points, definitions, warnings);
  if (file != nullptr) points.add(file->offsets, file->name);
  return measurements;
}

/// The messages that fall short of the minimum delay with that estimate.
const sync::Violations& violations_of(const sync::Estimate& estimate) {
  return estimate.applied ? estimate.mapped : estimate.recorded;
}

/// How much of half the shortest round trip the smallest delay is: 1 where both directions are alike.
double evenness_of(const sync::Estimate& estimate) {
  const auto least_of = [](const sync::SmallestDelays& delays) {
    return std::min(delays.between_us, delays.within_us);
  };
  const double least = least_of(estimate.applied ? estimate.mapped_delays : estimate.recorded_delays);
  return std::max(0.0, least) / least_of(estimate.half_trips);
}

/// Of two estimates with messages matched differently, neither of which contradicts them clearly. Wrong matches make
/// one direction of a pair faster and the other one slower.
bool is_likelier(const sync::Estimate& one, const sync::Estimate& other) {
  constexpr double clearly = 2;
  constexpr double usual = 0.5;
  return evenness_of(one) > std::max(usual, clearly * evenness_of(other));
}

bool does_harm(const sync::Estimate& one, const sync::Estimate& other) {
  return sync::does_harm(violations_of(one), violations_of(other));
}

/// Does nothing speak against matching without the ends that lack their other end?
bool is_acceptable(const sync::Estimate& without, const sync::Estimate& all) {
  return !does_harm(without, all) && !is_likelier(all, without);
}

}  // namespace

FirstPass first_pass(Source& source, const TraceInput& trace, const sync::Options& options, bool keep_going,
                     bool choose, const Again& again, const OffsetsFile* file) {
  const bool only_measured = options.method == sync::Method::measured;
  Reading reading(source.definitions(), transfer_of(options, source.definitions()));
  MeasurementLines lines(trace, source);
  reading.read(source, keep_going, &lines);
  std::vector<std::string> warnings;
  const sync::Measurements measurements = all_measurements(lines, file, options.method, source.definitions(), warnings);
  FirstPass all = estimated(reading, source.definitions(), options, choose, measurements);
  all.warnings = warnings;
  all.complete = !reading.matcher.lacks_ends() && !reading.matcher.lacks_calls();
  all.match = all.complete ? Match::fifo : Match::whole;
  if (!again || only_measured || all.complete) return all;
  const std::unique_ptr<Source> same = again();
  Reading consistent(same->definitions(), reading);
  consistent.read(*same, keep_going, nullptr);
  // A lost record contradicts only where an end is left over; a clock that was set, on all channels of its process.
  if (consistent.matcher.contradicting() > 0) return all;
  FirstPass marked = estimated(consistent, same->definitions(), options, choose, measurements);
  marked.lacks_records = true;
  marked.match = Match::whole;
  marked.warnings = warnings;
  if (is_acceptable(marked.estimate, all.estimate)) return marked;
  all.match = Match::fifo;
  // Messages that are matched wrongly look as if clocks were set.
  for (std::size_t i = 0; i < all.estimate.clocks.size(); ++i)
    if (!marked.estimate.clocks[i].step) all.estimate.clocks[i].step.reset();
  return all;
}

std::optional<FirstPass> divided_first_pass(const DividedTrace& divided, const TraceInput& trace,
                                            const sync::Options& options, bool choose, const OffsetsFile* file) {
  sync::DividedMatcher matcher(divided.definitions, divided.owners, divided.partners, divided.next,
                               transfer_of(options, divided.definitions));
  matcher.read();
  if (matcher.lacks_records() && options.method != sync::Method::measured) return std::nullopt;
  const sync::Collector collector = matcher.joined();
  if (divided.partners.rank() != 0) return FirstPass{};
  const std::unique_ptr<Source> source = divided.open();
  MeasurementLines lines(trace, *source);
  Batch begin;
  static_cast<void>(source->read(begin));
  for (const Batch::Note& note : begin.notes) lines.note(note);
  std::vector<std::string> warnings;
  FirstPass pass = estimated(collector, matcher.records(), divided.definitions, options, choose,
                             all_measurements(lines, file, options.method, divided.definitions, warnings));
  pass.warnings = std::move(warnings);
  pass.complete = !matcher.lacks_records();
  return pass;
}

bool can_estimate() noexcept { return true; }

}  // namespace clc::tool
