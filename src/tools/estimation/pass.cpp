// With Eigen.
#include "clc/error.hpp"
#include "clc/io/batch.hpp"
#include "common/min_delay.hpp"
#include "estimation/estimation.hpp"
#include "estimation/measurements.hpp"
#include "sync/measured.hpp"

namespace clc::tool {

FirstPass first_pass(Source& source, const std::string& name, const sync::Options& options, bool keep_going,
                     bool choose) {
  sync::Collector collector;
  sync::Matcher matcher(source.definitions(), collector);
  MeasurementLines lines(name);
  Batch batch;
  for (bool more = true; more;) {
    try {
      more = source.read(batch);
    } catch (const InputError&) {
      if (!keep_going) throw;
      break;
    }
    for (const Event& event : batch.events) matcher.add(event);
    for (const Batch::Note& note : batch.notes) lines.note(note.line);
  }
  sync::Options in_effect = options;
  if (in_effect.min_delay_us <= 0) in_effect.min_delay_us = smallest_min_delay_us(source.definitions());
  in_effect.nodes = nodes_of(source.definitions());
  const Definitions& definitions = source.definitions();
  const bool only_measured = options.method == sync::Method::measured;
  const sync::Measurements measurements =
      only_measured || !lines.corrected() ? lines.measurements(definitions) : sync::Measurements{};
  const auto of_clocks = [&] {
    if (only_measured)
      return sync::map_measured(measurements, collector, matcher, definitions.processes().size(),
                                definitions.resolution, in_effect);
    return sync::estimate(collector, matcher, definitions.processes().size(), definitions.resolution, in_effect,
                          measurements.samples);
  };
  // The processes of one clock have one map.
  const auto estimate = [&] {
    sync::Estimate found = of_clocks();
    for (std::size_t i = 0; i < found.clocks.size(); ++i)
      found.clocks[i] = found.clocks[definitions.processes()[i].clock];
    return found;
  };
  FirstPass result{estimate(), {}};
  if (!choose || in_effect.min_delay_us > 0) return result;
  result.chosen = choose_min_delay(result.estimate, definitions.resolution.microseconds(1));
  if (!result.chosen.min_delay_us) return result;
  // As with the same minimum delay on the command line.
  in_effect.min_delay_us = result.chosen.smallest_us();
  result.estimate = estimate();
  return result;
}

bool can_estimate() noexcept { return true; }

}  // namespace clc::tool
