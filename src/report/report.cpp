#include "clc/report.hpp"

#include <cmath>

#include "clc/stage/delay.hpp"

namespace clc {

Report::Report(const Analysis& analysis, const Definitions& definitions, const Parameters& parameters, RunFacts facts)
    : analysis_(analysis),
      definitions_(definitions),
      parameters_(parameters),
      facts_(std::move(facts)),
      min_delay_(DelayModel(parameters, definitions).default_delay()) {}

std::optional<double> Report::advised_clock_difference_us() const {
  if (analysis_.clock_difference <= analysis_.clock_difference_start) return std::nullopt;
  return std::ceil(definitions_.resolution.microseconds(analysis_.clock_difference));
}

std::optional<double> Report::advised_min_delay_us() const {
  const Analysis::RoundTrips trips = analysis_.round_trips();
  if (trips.pairs == 0 || trips.smallest <= 0) return std::nullopt;
  return definitions_.resolution.microseconds(trips.smallest) * advised_part;
}

}  // namespace clc
