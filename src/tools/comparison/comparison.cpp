#include "comparison/comparison.hpp"

#include <functional>

#include "common/program.hpp"
#include "comparison/figures_text.hpp"
#include "estimation/estimation.hpp"
#include "report/json.hpp"
#include "trace/one_or_many.hpp"

namespace clc::comparison {

namespace {

using tracegen::Scenario;
using tracegen::Settings;

Settings program(Scenario scenario, std::uint32_t processes, std::uint64_t events, double seconds) {
  Settings settings;
  settings.scenario = scenario;
  settings.processes = processes;
  settings.events = events;
  settings.duration_s = seconds;
  settings.offset_us = 5000;
  settings.drift_ppm = 20;
  return settings;
}

}  // namespace

std::vector<Demand> demands() {
  constexpr std::uint64_t few = 10'000;
  constexpr std::uint64_t many = 100'000;
  constexpr double seconds = 20;
  std::vector<Demand> all;
  const auto add = [&](std::string_view name, std::string_view title, Settings settings) -> Settings& {
    return all.emplace_back(Demand{name, title, std::move(settings)}).settings;
  };
  add("two_constant", "2 processes, constant rates", program(Scenario::pairs, 2, few, seconds));
  add("two_variable", "2 processes, variable rates", program(Scenario::pairs, 2, few, seconds)).clock.wander_ppm = 0.2;
  add("equal_rates", "16 processes, equal rates", program(Scenario::halo, 16, many, seconds)).drift_ppm = 0;
  add("constant_rates", "16 processes, constant rates", program(Scenario::halo, 16, many, seconds));
  add("variable_rates", "16 processes, variable rates", program(Scenario::halo, 16, many, seconds)).clock.wander_ppm =
      0.2;
  Settings& slewed = add("slewed", "16 processes, slewed by NTP", program(Scenario::halo, 16, many, seconds));
  slewed.clock.ntp_period_s = 5;
  slewed.clock.ntp_us = 500;
  Settings& jumps = add("jumps", "16 processes, sudden jumps", program(Scenario::halo, 16, many, seconds));
  jumps.clock.steps = 4;
  jumps.clock.step_us = 1000;
  add("coarse", "16 processes, ticks of 10 us", program(Scenario::halo, 16, many, seconds)).tick_us = 10;
  add("one_way", "8 processes, ring one way", program(Scenario::ring, 8, many, seconds));
  for (Demand& demand : all) demand.settings.complete();
  return all;
}

std::vector<Result> compare(const Demand& demand, std::uint64_t first, std::uint64_t seeds) {
  std::vector<Result> results(1);
  for (std::size_t i = 0; i < tool::estimation_methods().size(); ++i)
    if (const auto method = static_cast<sync::Method>(i); method != sync::Method::measured)
      results.emplace_back().method = method;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    Settings settings = demand.settings;
    settings.seed = seed;
    const Trial trial(settings);
    for (Result& result : results) {
      ++result.runs;
      result.records += trial.records();
      Times times = trial.recorded();
      if (result.method) {
        sync::Options options;
        options.method = *result.method;
        options.min_delay_us = *settings.messages.delay_us;
        options.always = true;
        const double start = cpu_ns();
        const sync::Estimate estimate = trial.estimate(options);
        result.cpu_ns += cpu_ns() - start;
        if (estimate.failure) continue;
        times = trial.mapped(estimate);
      }
      ++result.solved;
      result.alone.add(trial.judge(times));
      const double start = cpu_ns();
      times = trial.corrected(times);
      if (!result.method) result.cpu_ns += cpu_ns() - start;
      result.behind.add(trial.judge(times));
    }
  }
  return results;
}

namespace {

double mean_error(const Figures& figures) { return figures.delay_error_us / static_cast<double>(figures.messages); }
double violated_percent(const Figures& figures) {
  return 100 * static_cast<double>(figures.violated) / static_cast<double>(figures.messages);
}
double local_percent(const Figures& figures) { return 100 * figures.local_error_us / figures.local_time_us; }

/// As a heading of a column.
std::string heading(const Result& result) {
  if (result.method == sync::Method::hofmann_hilgers) return "hof-hil";
  return std::string(name_of(result.method));
}

constexpr std::size_t title_width = 28;
constexpr std::size_t width = 8;

void write_table(std::ostream& out, const std::string& title, const std::vector<Row>& rows,
                 const std::function<double(const Result&)>& figure) {
  out << '\n' << title << '\n' << std::string(title_width, ' ');
  for (const Result& result : rows.front().results) out << ' ' << cell(heading(result), width);
  out << '\n';
  for (const Row& row : rows) {
    std::string name(row.demand.title);
    name.resize(title_width, ' ');
    out << name;
    for (const Result& result : row.results) {
      std::string text = result.solved == 0 ? "-" : digits(figure(result));
      if (result.solved != 0 && result.solved < result.runs) text += '*';
      out << ' ' << cell(text, width);
    }
    out << '\n';
  }
}

}  // namespace

void write_text(std::ostream& out, const std::vector<Row>& rows, std::uint64_t first, std::uint64_t seeds) {
  out << "clc-sync " << tool::version() << " --compare: " << seeds << one_or_many(seeds, " run", " runs")
      << " per row, seeds from " << first << '\n';
  out << "-: no solution; *: no solution for some of the runs, the others count; none: no estimate\n";
  write_table(out, "Messages below the minimum delay after the estimate alone, %", rows,
              [](const Result& result) { return violated_percent(result.alone); });
  write_table(out, "... followed by the controlled logical clock, %", rows,
              [](const Result& result) { return violated_percent(result.behind); });
  write_table(out, "Error of message delays after the estimate alone, mean, us", rows,
              [](const Result& result) { return mean_error(result.alone); });
  write_table(out, "... followed by the controlled logical clock, mean, us", rows,
              [](const Result& result) { return mean_error(result.behind); });
  write_table(out, "... followed by the controlled logical clock, largest, us", rows,
              [](const Result& result) { return result.behind.largest_error_us; });
  write_table(out, "Error of local intervals after the estimate alone, % of their length", rows,
              [](const Result& result) { return local_percent(result.alone); });
  write_table(out, "... followed by the controlled logical clock, % of their length", rows,
              [](const Result& result) { return local_percent(result.behind); });
  write_table(out, "CPU time of the estimate, ns per record (none: of the controlled logical clock)", rows,
              [](const Result& result) { return result.cpu_ns / static_cast<double>(result.records); });
}

void write_json(std::ostream& out, const std::vector<Row>& rows, std::uint64_t first, std::uint64_t seeds) {
  JsonWriter json(out);
  const auto figures = [&](std::string_view key, const Result& result, const Figures& of) {
    json.key(key);
    if (result.solved == 0) {
      json.null();
      return;
    }
    json.begin_object().field("messages", of.messages).field("violated", of.violated);
    json.field("mean_delay_error_us", mean_error(of)).field("largest_delay_error_us", of.largest_error_us);
    json.field("local_error_percent", local_percent(of)).end_object();
  };
  json.begin_object().field("program", "clc-sync").field("program_version", tool::version());
  json.field("first_seed", first).field("seeds", seeds).key("demands").objects(rows, [&](const Row& row) {
    json.field("demand", row.demand.name).field("title", row.demand.title);
    json.key("methods").objects(row.results, [&](const Result& result) {
      json.field("method", name_of(result.method)).field("runs", result.runs).field("solved", result.solved);
      figures("alone", result, result.alone);
      figures("with_clock", result, result.behind);
      json.field("cpu_ns_per_record", result.cpu_ns / static_cast<double>(result.records));
    });
  });
  json.end_object();
  out << '\n';
}

}  // namespace clc::comparison
