#include "common/clock_options.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "clc/error.hpp"
#include "common/values.hpp"

namespace clc::tool {

namespace {

double from_0_to_1(std::string_view option, const std::string& value) {
  return number_that(
      option, value, "no unit", [](double x) { return x >= 0 && x <= 1; }, "a number from 0 to 1");
}

/// Letters in any order and case, each at most once.
void regulators(Parameters& parameters, const std::string& value) {
  const std::array<bool*, 4> all{&parameters.regulator_a, &parameters.regulator_b, &parameters.regulator_c,
                                 &parameters.regulator_d};
  for (bool* const acts : all) *acts = false;
  if (value == "none") return;
  const auto refuse = [&] {
    throw UsageError("--regulators: expected letters of ABCD, each at most once, or none, found '" + value + "'");
  };
  for (const char letter : value) {
    const std::size_t which =
        std::string_view("ABCD").find(static_cast<char>(std::toupper(static_cast<unsigned char>(letter))));
    if (which >= all.size() || *all[which]) refuse();
    *all[which] = true;
  }
}

/// US or PROCESS=US.
void take_delta(Parameters& parameters, const std::string& value) {
  const std::size_t equals = value.find('=');
  const std::string_view us = std::string_view(value).substr(equals == std::string::npos ? 0 : equals + 1);
  const double delta = at_least_zero("--delta", us, "microseconds");
  if (equals == std::string::npos) {
    parameters.delta_us = delta;
    return;
  }
  const auto process = process_number(std::string_view(value).substr(0, equals));
  if (!process) throw UsageError("--delta: expected US or PROCESS=US, found '" + value + "'");
  parameters.process_deltas.push_back({*process, delta});
}

}  // namespace

void declare_max_error(CommandLine& line, Parameters& p) {
  line.option("-maxerr", "PCT",
              "Target for the error of local intervals caused by amortization, percent. Default: " +
                  shortest(p.max_error_percent) + " %.",
              [&p](const std::string& v) {
                p.max_error_percent = number_that(
                    "-maxerr", v, "percent", [](double x) { return x > 0 && x <= 100; },
                    "more than 0 and at most 100 percent");
              });
}

void declare_max_memory(CommandLine& line, const std::string& meaning, Parameters& p) {
  line.option(
      "max-memory", "SIZE",
      meaning + ", bytes; suffixes K, M, G (powers of 1024). Default: " + std::to_string(p.max_memory >> 30U) + "G.",
      [&p](const std::string& v) {
        p.max_memory = size("--max-memory", v);
        if (p.max_memory < Parameters::least_memory)
          throw UsageError("--max-memory: expected at least 1M, found '" + v + "'");
      });
}

void declare_delta(CommandLine& line, Parameters& p) {
  line.option("delta", "US",
              "Minimum distance between two events of a process, microseconds; --delta PROCESS=US for one process, "
              "repeatable. Default: 1 tick, but equal times stay equal.",
              [&p](const std::string& v) { take_delta(p, v); });
}

void declare_amortization(CommandLine& line, Parameters& p) {
  line.flag("no-amortization", "Skip backward amortization: corrections appear as jumps.", p.amortization, false);
}

void declare_regulators(CommandLine& line, Parameters& p) {
  const auto bound = [](const char* what, double Parameters::Bounds::*of) {
    return what + std::string(", 0 to 1, no unit. Default: ") + shortest(Parameters::quartz_clock.*of) +
           " for quartz clocks, else " + shortest(Parameters::any_clock.*of) + '.';
  };
  line.option("regulators", "SET", "Letters of ABCD, each at most once, or none. Default: ABCD.",
              [&p](const std::string& v) { regulators(p, v); });
  line.option("gamma-max", "X", bound("Bound of regulator A", &Parameters::Bounds::gamma_max),
              [&p](const std::string& v) { p.gamma_max = from_0_to_1("--gamma-max", v); });
  line.option("gamma-min", "X", bound("Bound of regulator D", &Parameters::Bounds::gamma_min),
              [&p](const std::string& v) { p.gamma_min = from_0_to_1("--gamma-min", v); });
  line.option("regulators-as", "RULE",
              "evidence: assume quartz clocks until the trace proves otherwise; thesis: never assume them. Default: "
              "evidence.",
              [&p](const std::string& v) {
                p.rule = choice("--regulators-as", v, {"evidence", "thesis"}) == 0 ? Parameters::Rule::evidence
                                                                                   : Parameters::Rule::thesis;
              });
  line.option("norm", "NORM", "Norm of regulator B: max or 16. Default: max.", [&p](const std::string& v) {
    p.norm = choice("--norm", v, {"max", "16"}) == 0 ? Norm::maximum : Norm::sixteenth;
  });
}

Match match_rule(const std::string& word) {
  constexpr std::array rules{Match::fifo, Match::resynchronise, Match::whole};
  return rules.at(choice("--match", word, {name_of(rules[0]), name_of(rules[1]), name_of(rules[2])}));
}

std::string effective_clock(const Parameters& p, double min_delay_us) {
  std::string text = "-mmd " + shortest(min_delay_us);
  if (p.node_delay_us) text += " -mmd node=" + shortest(*p.node_delay_us);
  constexpr std::size_t most = 1000;  // of a kind: it is one line of the trace
  for (std::size_t i = 0; i < std::min(most, p.pair_delays.size()); ++i) {
    const PairDelay& pair = p.pair_delays[i];
    text += " -mmd " + std::to_string(pair.from) + ':' + std::to_string(pair.to) + '=' + shortest(pair.microseconds);
  }
  if (p.pair_delays.size() > most) text += " -mmd further=" + std::to_string(p.pair_delays.size() - most);
  text += " -maxerr " + shortest(p.max_error_percent) + " -cldiff " + shortest(p.clock_difference_us);
  if (p.bandwidth_mb_s) text += " --bandwidth " + shortest(*p.bandwidth_mb_s);
  if (p.delta_us) text += " --delta " + shortest(*p.delta_us);
  for (std::size_t i = 0; i < std::min(most, p.process_deltas.size()); ++i)
    text +=
        " --delta " + std::to_string(p.process_deltas[i].process) + '=' + shortest(p.process_deltas[i].microseconds);
  if (p.process_deltas.size() > most) text += " --delta further=" + std::to_string(p.process_deltas.size() - most);
  text.append(" --match ").append(name_of(p.match));
  if (!p.amortization) text += " --no-amortization";
  const std::string set = p.regulators();
  if (set != "ABCD") text += " --regulators " + (set.empty() ? "none" : set);
  text += p.rule == Parameters::Rule::thesis ? " --regulators-as thesis" : " --regulators-as evidence";
  if (p.gamma_max) text += " --gamma-max " + shortest(*p.gamma_max);
  if (p.gamma_min) text += " --gamma-min " + shortest(*p.gamma_min);
  if (p.norm == Norm::sixteenth) text += " --norm 16";
  if (p.order == Parameters::Order::epochs) text += " --order epochs";
  return text;
}

}  // namespace clc::tool
