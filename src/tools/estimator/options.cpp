#include "estimator/options.hpp"

#include <array>
#include <utility>

#include "clc/error.hpp"
#include "common/formats.hpp"
#include "common/min_delay.hpp"
#include "common/values.hpp"
#include "estimation/estimation.hpp"

namespace clc::estimator {

namespace {

void declare_estimation(tool::CommandLine& line, Options& options) {
  line.group("Estimation");
  line.option("method", "METHOD",
              "smooth: rates may change; line: a constant rate for each clock. A rate is applied only if it is "
              "significant. Published methods: duda, jezequel, hofmann, hofmann-hilgers, variable. measured: offsets "
              "measured when "
              "the trace was recorded. Default: smooth.",
              [&options](const std::string& v) {
                options.estimation.method = tool::estimation_method("--method", v);
                options.method_given = true;
              });
  line.option("intervals", "N",
              "hofmann, hofmann-hilgers, variable: divide the trace into N intervals. Default: chosen from the trace.",
              [&options](const std::string& v) {
                options.estimation.intervals = static_cast<std::size_t>(tool::whole("--intervals", v, 1, 10'000));
              });
  line.option("burst", "RULE",
              "measured: of a burst of round trips take the shortest, the mean of those up to 150 ns longer (near), or "
              "the mean of those up to twice as long (mean). Default: shortest.",
              [&options](const std::string& v) {
                options.burst_given = true;
                options.estimation.burst =
                    static_cast<sync::BurstRule>(tool::choice("--burst", v, {"shortest", "near", "mean"}));
              });
  line.text("offsets", "FILE",
            "Use the %offset lines in FILE as if they were lines of the trace: smooth and line those with an error, "
            "measured all.",
            options.offsets);
  line.option("-mmd", "US", "Minimum message delay, microseconds. Default: the trace's own min-delay, else unknown.",
              [&options](const std::string& v) {
                options.min_delay_given = true;
                options.estimation.min_delay_us = tool::at_least_zero("-mmd", v, "microseconds");
              });
  tool::declare_bandwidth(line, options.estimation.bandwidth_mb_s, "nothing is added");
}

/// What only the comparison has, and what it does not have.
void validate_comparison(const Options& o) {
  const std::array simulated{std::pair(o.first_seed.has_value(), "--seed"), std::pair(o.seeds.has_value(), "--runs")};
  for (const auto& [given, name] : simulated) {
    if (given && !o.compare) throw UsageError(std::string(name) + " makes no sense without --compare");
    if (given && o.named)
      throw UsageError(std::string(name) + " makes no sense with INPUT: only simulated programs have runs");
  }
  if (o.json && !o.compare) throw UsageError("--report-format json makes no sense without --compare");
  if (!o.compare) return;
  if (!o.offsets.empty()) throw UsageError("--offsets makes no sense with --compare");
  if (o.method_given) throw UsageError("--method makes no sense with --compare, which runs all methods");
  if (o.named) return;
  for (const auto& [given, name] :
       {std::pair(o.estimation.intervals > 0, "--intervals"), std::pair(o.burst_given, "--burst"),
        std::pair(o.min_delay_given, "-mmd"), std::pair(o.estimation.bandwidth_mb_s.has_value(), "--bandwidth")})
    if (given) throw UsageError(std::string(name) + " makes no sense with --compare unless INPUT is named");
}

/// What only some methods have.
void validate_method(const Options& o) {
  using sync::Method;
  const Method method = o.estimation.method;
  const std::string name = "--method " + std::string(tool::name_of(method));
  const bool divides = method == Method::hofmann || method == Method::hofmann_hilgers || method == Method::variable;
  if (o.estimation.intervals > 0 && !divides)
    throw UsageError("--intervals makes no sense with " + name +
                     "; give --method hofmann, hofmann-hilgers or variable");
  if (o.burst_given && method != Method::measured)
    throw UsageError("--burst makes no sense with " + name + "; give --method measured");
}

}  // namespace

void validate(const Options& options) {
  validate_comparison(options);
  if (!options.compare) validate_method(options);
}

tool::CommandLine command_line(Options& options) {
  tool::CommandLine line(
      "clc-sync", "[OPTION...] [INPUT] [-o FILE]",
      "Estimates from the messages of a trace how far the clock of each process is ahead of a common time. Prints a "
      "report as comments, and a map as %offset lines for clc-filter --offsets. By default reads standard input.");
  declare_estimation(line, options);
  line.group("Input and output");
  line.text("output,o", "FILE", "Write to FILE. Default: standard output.", options.output);
  line.option("input-format,f", "FMT", tool::readable_formats() + ". Default: detected from the content.",
              [&options](const std::string& v) { options.source.format = tool::input_format("-f", v); });
  tool::declare_paje_unit(line, options.source.units_per_second);
  tool::declare_clock_offsets(line, options.source.clock_offsets);
  tool::declare_thread_delay(line, "OTF2", options.source);
  line.flag("quiet,q", "Print errors only, no warnings.", options.quiet);
  line.group("Comparison of the methods");
  line.flag("compare",
            "Compare all methods: on INPUT, by what they leave to the clock, or else on simulated programs, by their "
            "errors.",
            options.compare);
  line.option("seed", "N", "Seed of the first run of simulated programs. Default: 1.",
              [&options](const std::string& v) {
                options.first_seed = static_cast<std::uint64_t>(tool::whole("--seed", v, 0, 1'000'000'000'000));
              });
  line.option("runs", "N", "Runs of each simulated program, with successive seeds. Default: 3.",
              [&options](const std::string& v) {
                options.seeds = static_cast<std::uint64_t>(tool::whole("--runs", v, 1, 10'000));
              });
  tool::declare_report_format(line, "FMT", "the comparison", options.json);
  line.operand("INPUT", [&options](const std::string& v) {
    options.input = v;
    options.named = true;
  });
  line.closing("Exit status: 0 done; 1 input or output failed; 2 usage.\n");
  return line;
}

}  // namespace clc::estimator
