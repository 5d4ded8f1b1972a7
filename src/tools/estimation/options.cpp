#include "estimation/options.hpp"

#include <string_view>

#include "clc/error.hpp"
#include "common/min_delay.hpp"
#include "common/values.hpp"
#include "trace/one_or_many.hpp"
#include "trace/printable.hpp"

namespace clc::tool {

namespace {

void take_auto_min_delay(AlignmentOptions& options, Parameters& parameters) {
  options.min_delay_auto = true;
  parameters.min_delay_us.reset();
}

std::string option_of(sync::Method method) { return "--estimate=" + std::string(name_of(method)); }

/// What --estimate takes.
std::vector<std::string_view> methods_or_off() {
  const auto methods = estimation_methods();
  std::vector<std::string_view> words(methods.begin(), methods.end());
  words.emplace_back("off");
  return words;
}

}  // namespace

void declare_min_delay(CommandLine& line, AlignmentOptions& options, Parameters& parameters) {
  line.option("-mmd", "US",
              "Minimum message delay, microseconds; -mmd FROM:TO=US for one pair of processes, -mmd node=US "
              "inside a node; repeatable. auto: see --auto. Default: the trace's own min-delay, else " +
                  shortest(Parameters::default_min_delay_us) + " us.",
              [&options, &parameters](const std::string& v) {
                if (v == "auto") return take_auto_min_delay(options, parameters);
                if (v.find('=') == std::string::npos) options.min_delay_auto = false;
                take_min_delay(parameters, v);
              });
}

void declare_clock_difference(CommandLine& line, const std::string& meaning, AlignmentOptions& options,
                              Parameters& parameters) {
  line.option(
      "-cldiff", "US",
      meaning + ", microseconds. auto: see --auto. Default: " + shortest(parameters.clock_difference_us) + " us.",
      [&options, &parameters](const std::string& v) {
        options.clock_difference_auto = v == "auto";
        if (!options.clock_difference_auto)
          parameters.clock_difference_us = at_least_zero("-cldiff", v, "microseconds");
      });
}

void declare_maps(CommandLine& line, AlignmentOptions& options) {
  line.text("offsets", "FILE",
            "Map the clocks according to the %offset lines in FILE, as written by clc-sync, before the correction. "
            "With --estimate: use them as if they were lines of the trace.",
            options.offsets);
  const std::vector<std::string_view> words = methods_or_off();
  line.option_or("estimate", "METHOD", "smooth",
                 "Read the trace twice: estimate the clocks from its messages, then map them and correct the trace. "
                 "METHOD is smooth (if omitted), line, measured, a published method (duda, jezequel, hofmann, "
                 "hofmann-hilgers, variable) or off. Default: off.",
                 [&options](const std::string& v) {
                   const std::size_t chosen = choice("--estimate", v, methods_or_off());
                   options.estimate.reset();
                   options.estimate_off = chosen == estimation_methods().size();
                   if (!options.estimate_off) options.estimate = static_cast<sync::Method>(chosen);
                 },
                 {words.begin(), words.end()});
}

void declare_auto(CommandLine& line, AlignmentOptions& options, Parameters& parameters) {
  line.action("auto",
              "Short for --estimate -mmd auto -cldiff auto. auto: chosen from the estimated clocks, and printed; -mmd "
              "auto keeps the trace's own min-delay. Later options win.",
              [&options, &parameters] {
                options.estimate = sync::Method::smooth;
                options.estimate_off = false;
                take_auto_min_delay(options, parameters);
                options.clock_difference_auto = true;
              });
}

void check_maps(const AlignmentOptions& options) {
  if (options.estimates() && !can_estimate())
    throw UsageError(options.reason() +
                     ": this build is without Eigen (Debian: libeigen3-dev) and cannot estimate clocks");
}

std::string effective_maps(const AlignmentOptions& options) {
  std::string text;
  if (options.offsets) text += " --offsets " + printable_word(*options.offsets);
  if (options.estimate) text += ' ' + option_of(*options.estimate);
  return text;
}

std::optional<OffsetsFile> measured_offsets(const AlignmentOptions& options) {
  if (!options.offsets || !options.estimate) return std::nullopt;
  return read_measured(*options.offsets, *options.estimate, option_of(*options.estimate));
}

sync::Options estimation_options(const AlignmentOptions& options, const Parameters& parameters) {
  sync::Options estimation;
  estimation.method = options.estimate.value_or(sync::Method::smooth);
  estimation.min_delay_us = parameters.min_delay_us.value_or(0);
  if (parameters.node_delay_us) estimation.special_delay_us = *parameters.node_delay_us;
  for (const PairDelay& pair : parameters.pair_delays)
    estimation.special_delay_us = std::min(estimation.special_delay_us, pair.microseconds);
  estimation.bandwidth_mb_s = parameters.bandwidth_mb_s;
  return estimation;
}

FirstPass first_pass(Source& source, const TraceInput& trace, const AlignmentOptions& options,
                     const Parameters& parameters, bool keep_going, const Again& again, const OffsetsFile* file) {
  const sync::Options estimation = estimation_options(options, parameters);
  FirstPass pass = first_pass(source, trace, estimation, keep_going, options.min_delay_auto, again, file);
  require_solution(pass.estimate, source.definitions(), trace.name + ": " + option_of(estimation.method));
  return pass;
}

std::optional<FirstPass> divided_first_pass(const DividedTrace& divided, const TraceInput& trace,
                                            const AlignmentOptions& options, const Parameters& parameters,
                                            const OffsetsFile* file) {
  const sync::Options estimation = estimation_options(options, parameters);
  std::optional<FirstPass> pass = divided_first_pass(divided, trace, estimation, options.min_delay_auto, file);
  if (pass) require_solution(pass->estimate, divided.definitions, trace.name + ": " + option_of(estimation.method));
  return pass;
}

std::string alignment_line(const sync::Estimate& estimate, const Definitions& definitions) {
  const std::string set = words_of(steps_of(estimate, definitions), definitions);
  return violations_line(estimate) + (set.empty() ? "" : "; " + set) + (estimate.applied ? "" : "; nothing is mapped");
}

double chosen_difference(const FirstPass& pass, bool mapped, const Definitions& definitions,
                         const Parameters& parameters) {
  const double min_delay_us = min_delay_in_effect(parameters, definitions);
  return choose_clock_difference(pass.estimate, mapped, min_delay_us, parameters.node_delay_us.value_or(min_delay_us));
}

std::string take_chosen(const AlignmentOptions& options, const FirstPass& pass, const Definitions& definitions,
                        Parameters& parameters) {
  std::string text;
  if (options.min_delay_auto) {
    parameters.min_delay_us = pass.chosen.min_delay_us;
    if (!parameters.node_delay_us) parameters.node_delay_us = pass.chosen.node_delay_us;
    text += " -mmd " + shortest(min_delay_in_effect(parameters, definitions));
    if (parameters.node_delay_us) text += " -mmd node=" + shortest(*parameters.node_delay_us);
  }
  if (options.clock_difference_auto) {
    const bool mapped = options.estimate && pass.estimate.applied;
    parameters.clock_difference_us = chosen_difference(pass, mapped, definitions, parameters);
    text += " -cldiff " + shortest(parameters.clock_difference_us);
  }
  return text;
}

std::vector<std::string> warnings_of_offsets(const AlignmentOptions& options, const Offsets& maps,
                                             const Definitions& definitions) {
  if (!options.offsets || options.estimate) return {};
  if (maps.empty()) return {*options.offsets + ": has no %offset line; no clock is mapped"};
  std::size_t unknown = 0;
  for (const auto& [process, line] : maps) unknown += !definitions.find_process(process);
  if (unknown == 0) return {};
  return {*options.offsets + ": " + std::to_string(unknown) +
          one_or_many(unknown, " process is not in the trace", " processes are not in the trace") +
          "; check whether the file belongs to this trace"};
}

Offsets maps_of(const sync::Estimate& estimate, const Definitions& definitions) {
  Offsets offsets;
  for (std::size_t i = 0; i < estimate.clocks.size(); ++i)
    if (!estimate.clocks[i].map.points().empty())
      offsets.emplace(definitions.processes()[i].number, estimate.clocks[i].map);
  return offsets;
}

}  // namespace clc::tool
