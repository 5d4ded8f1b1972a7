// With Eigen.
#include "clc/error.hpp"
#include "estimation/estimation.hpp"

namespace clc::tool {

sync::Estimate estimate_clocks(Source& source, const sync::Options& options, bool keep_going) {
  sync::Collector collector;
  sync::Matcher matcher(source.definitions(), collector);
  Batch batch;
  for (bool more = true; more;) {
    try {
      more = source.read(batch);
    } catch (const InputError&) {
      if (!keep_going) throw;
      break;
    }
    for (const Event& event : batch.events) matcher.add(event);
  }
  sync::Options in_effect = options;
  if (in_effect.min_delay_us <= 0 && source.definitions().min_delay)
    in_effect.min_delay_us =
        source.definitions().resolution.microseconds(static_cast<double>(*source.definitions().min_delay));
  return sync::estimate(collector, matcher, source.definitions().processes().size(), source.definitions().resolution,
                        in_effect);
}

bool can_estimate() noexcept { return true; }

}  // namespace clc::tool
