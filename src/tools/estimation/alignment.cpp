#include "estimation/alignment.hpp"

#include "common/min_delay.hpp"
#include "common/program.hpp"
#include "common/provenance.hpp"
#include "estimation/mapped.hpp"

namespace clc::tool {

GivenOffsets read_given_offsets(const AlignmentOptions& options) {
  GivenOffsets given;
  given.measured = measured_offsets(options);
  if (options.offsets && !options.estimate) given.maps = read_offsets(*options.offsets);
  return given;
}

SourceOptions for_estimate(SourceOptions source) {
  source.any_order = true;
  source.as_input = true;
  return source;
}

Alignment take(const FirstPass& pass, std::string_view program, bool quiet, const AlignmentOptions& options,
               const Definitions& definitions, Parameters& parameters) {
  if (!quiet) warn(program, pass.warnings);
  const std::string chosen = take_chosen(options, pass, definitions, parameters);
  if (!quiet && !chosen.empty()) say(program, "chosen:" + chosen);
  if (!options.estimate) return {};
  const std::string line = alignment_line(pass.estimate, definitions);
  if (!quiet) warn(program, warnings_of_steps(pass.estimate, definitions));
  if (!quiet) warn(program, warnings_of_measurements(pass.estimate, definitions));
  MapFigures binding;
  if (*options.estimate == sync::Method::measured)
    add_binding(binding, pass.estimate, min_delay_in_effect(parameters, definitions));
  return {maps_of(pass.estimate, definitions),
          line,
          estimated_clocks(pass.estimate, definitions),
          measured_counts(pass.estimate),
          binding,
          doubts_of(pass, definitions, parameters.bandwidth_mb_s.has_value())};
}

}  // namespace clc::tool
