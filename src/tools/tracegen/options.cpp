#include "options.hpp"

#include <algorithm>
#include <boost/algorithm/string/split.hpp>
#include <functional>
#include <limits>
#include <random>
#include <string_view>
#include <utility>

#include "clc/error.hpp"
#include "common/command_line.hpp"
#include "common/formats.hpp"
#include "common/program.hpp"
#include "common/values.hpp"
#include "formats/bytes/files.hpp"
#include "trace/printable.hpp"

namespace clc::tracegen {

namespace {

using tool::CommandLine;

/// Times and rates up to here keep all sums within 64 bits.
constexpr double largest = 1e12;
constexpr std::int64_t latest_start = std::int64_t{1} << 62;

double at_least_zero(std::string_view option, std::string_view word, std::string_view unit) {
  const double value = tool::at_least_zero(option, word, unit);
  if (value > largest) tool::refuse(option, word, "at most 1e12 " + std::string(unit));
  return value;
}
double within_limits(std::string_view option, std::string_view word, std::string_view unit) {
  return tool::number_that(
      option, word, unit, [](double value) { return value >= -largest && value <= largest; },
      "-1e12 to 1e12 " + std::string(unit));
}
double above_zero(std::string_view option, std::string_view word, std::string_view unit) {
  return tool::number_that(
      option, word, unit, [](double value) { return value > 0; }, "more than 0 " + std::string(unit));
}
double share(std::string_view option, std::string_view word, std::string_view percent) {
  const auto holds = [](double value) { return value >= 0 && value <= 100; };
  return tool::number_that(option, word, percent, holds, "0 to 100 " + std::string(percent)) / 100;
}
double fraction(std::string_view option, std::string_view word) {
  const auto holds = [](double value) { return value >= 0 && value <= 1; };
  return tool::number_that(option, word, "1 (a fraction of the run)", holds, "a fraction of the run from 0 to 1");
}
std::uint32_t process(std::string_view option, std::string_view word) {
  return static_cast<std::uint32_t>(tool::whole(option, word, 0, std::numeric_limits<std::uint32_t>::max() - 1));
}

/// Declares options and notes those that determine the trace.
class Declarer {
 public:
  Declarer(CommandLine& line, std::vector<std::string>& words) : line_(line), words_(words) {}

  using Take = std::function<void(const std::string& option, const std::string& value)>;

  void option(const std::string& names, const std::string& argument, const std::string& help, Take take) {
    const std::string dashed = "--" + names.substr(0, names.find(','));
    line_.option(names, argument, help, [this, dashed, take = std::move(take)](const std::string& value) {
      take(dashed, value);
      words_.push_back(dashed);
      words_.push_back(value);
    });
  }
  /// A number in a unit, as `parse` accepts it.
  template <class Target>
  void number(const std::string& name, const std::string& argument, const std::string& help,
              double (*parse)(std::string_view option, std::string_view word, std::string_view unit),
              std::string_view unit, Target& target) {
    option(name, argument, help, [parse, unit, &target](const std::string& dashed, const std::string& word) {
      target = parse(dashed, word, unit);
    });
  }
  /// A whole number from lowest to highest.
  template <class Target>
  void whole(const std::string& names, const std::string& argument, const std::string& help, std::int64_t lowest,
             std::int64_t highest, Target& target) {
    option(names, argument, help, [lowest, highest, &target](const std::string& dashed, const std::string& word) {
      target = static_cast<std::uint32_t>(tool::whole(dashed, word, lowest, highest));
    });
  }
  /// Words between colons, as many as there are in `expected`.
  template <class TakeParts>
  void parts(const std::string& name, const std::string& argument, const std::string& help, const std::string& expected,
             TakeParts take) {
    option(name, argument, help, [expected, take](const std::string& dashed, const std::string& word) {
      const auto is_colon = [](char letter) { return letter == ':'; };
      std::vector<std::string> found;
      boost::split(found, word, is_colon);
      const auto colons = static_cast<std::size_t>(std::count_if(expected.begin(), expected.end(), is_colon));
      if (found.size() != colons + 1) tool::refuse(dashed, word, expected);
      take(dashed, found);
    });
  }
  void flag(const std::string& name, const std::string& help, bool& target, bool value) {
    line_.action(name, help, [this, name, &target, value] {
      target = value;
      words_.push_back("--" + name);
    });
  }

 private:
  CommandLine& line_;
  std::vector<std::string>& words_;
};

std::string list_of_scenarios() {
  std::string text = "Scenarios, with their default number of processes:\n";
  for (const ScenarioInfo& scenario : scenarios) {
    std::string row = "  " + std::string(scenario.name);
    row.resize(18, ' ');
    row += std::to_string(scenario.processes);
    row.resize(22, ' ');
    text += row + std::string(scenario.purpose) + '\n';
  }
  return text;
}

void declare_size(Declarer& add, Settings& s) {
  add.whole("processes,n", "N", "Number of processes; the default depends on the scenario.", 1, 1 << 20, s.processes);
  add.option("grid", "NxM", "Rows and columns of the grid (halo, finite-elements); 1xM is a ring.",
             [&s](const std::string& option, const std::string& word) {
               const std::size_t x = word.find('x');
               if (x == std::string::npos) tool::refuse(option, word, "NxM, such as 8x8");
               const auto size = [&](const std::string& part) {
                 return static_cast<std::uint32_t>(tool::whole(option, part, 1, 1 << 20));
               };
               s.grid.emplace(size(word.substr(0, x)), size(word.substr(x + 1)));
             });
  add.option("events", "N", "Approximate number of records, such as 5e6 or 5M, up to 1e12. Default: 100000.",
             [&s](const std::string& option, const std::string& word) {
               const std::uint64_t count = tool::count(option, word);
               if (count < 1 || count > 1'000'000'000'000) tool::refuse(option, word, "1 to 1e12 records");
               s.events = count;
             });
  add.number("duration", "S", "Length of the run in seconds of trace time, instead of --events or --rate.", above_zero,
             "seconds", s.duration_s);
  add.option("rate", "N", "Records per second of trace time, for all processes together. Default: 100000.",
             [&s](const std::string& option, const std::string& word) {
               const bool suffix = !word.empty() && (word.back() < '0' || word.back() > '9');
               s.rate = suffix ? static_cast<double>(tool::count(option, word))
                               : above_zero(option, word, "records per second");
               if (*s.rate <= 0) tool::refuse(option, word, "more than 0 records per second");
             });
  add.option("resolution", "N", "Ticks per second of the trace. Default: 1000000000.",
             [&s](const std::string& option, const std::string& word) {
               const std::uint64_t value = tool::count(option, word);
               if (value < static_cast<std::uint64_t>(Resolution::lowest) ||
                   value > static_cast<std::uint64_t>(Resolution::highest))
                 tool::refuse(option, word, "1 to 1e12 ticks per second");
               s.resolution = Resolution(static_cast<std::int64_t>(value));
             });
  add.option("start", "TICKS|epoch", "Start time of the program; epoch: 2024-01-01, counted from 1970. Default: 0.",
             [&s](const std::string& option, const std::string& word) {
               s.start = word == "epoch" ? ticks_min : tool::whole(option, word, -latest_start, latest_start);
             });
  add.flag("regions", "Write enter and leave records around calls and computation.", s.regions, true);
  add.whole("nodes", "N", "Place every N processes on a named node.", 1, 1 << 20, s.processes_per_node);
  add.whole("allreduce", "N", "An allreduce after every N iterations (halo, finite-elements).", 1, 1 << 30,
            s.allreduce_every);
  add.number("nonblocking", "PCT", "Share of operations that are non-blocking, two at a time (collectives).", share,
             "percent", s.nonblocking);
}

void declare_clocks(Declarer& add, Settings& s) {
  ClockErrors& clock = s.clock;
  add.number("offset", "US", "Offsets at the start, within +-US microseconds. Default: 100 (finite-elements: 1000).",
             at_least_zero, "microseconds", s.offset_us);
  add.option("drift", "PPM", "Constant errors of the rate, within +-PPM. Default: 10.",
             [&s](const std::string& option, const std::string& word) {
               s.drift_ppm = at_least_zero(option, word, "ppm");
               if (*s.drift_ppm >= 1e6) tool::refuse(option, word, "less than 1000000 ppm");
             });
  add.number("wander", "PPM", "Random walk of the rate: standard deviation after one second, in ppm.", at_least_zero,
             "ppm", clock.wander_ppm);
  add.parts("temperature", "PPM:S", "Slow sinusoidal change of the rate: amplitude in ppm, period in seconds.",
            "PPM:SECONDS", [&clock](const std::string& option, const std::vector<std::string>& part) {
              clock.temperature_ppm = at_least_zero(option, part[0], "ppm");
              clock.temperature_period_s = above_zero(option, part[1], "seconds");
            });
  add.parts("steps", "COUNT:US", "Sudden steps at COUNT random times of the run, within +-US microseconds each.",
            "COUNT:MICROSECONDS", [&clock](const std::string& option, const std::vector<std::string>& part) {
              clock.steps = static_cast<std::uint64_t>(tool::whole(option, part[0], 0, 1'000'000));
              clock.step_us = at_least_zero(option, part[1], "microseconds");
            });
  add.parts("resync", "S:US", "Clocks are set every S seconds to within +-US microseconds of true time.",
            "SECONDS:MICROSECONDS", [&clock](const std::string& option, const std::vector<std::string>& part) {
              clock.resync_period_s = above_zero(option, part[0], "seconds");
              clock.resync_us = at_least_zero(option, part[1], "microseconds");
            });
  add.flag(
      "set-back",
      "Clocks that --steps or --resync set back show earlier times than before. Default: they stop until true time "
      "has caught up.",
      clock.set_back, true);
  add.parts("ntp", "S:US",
            "Clocks are compared with true time every S seconds, to within +-US microseconds, and slewed.",
            "SECONDS:MICROSECONDS", [&clock](const std::string& option, const std::vector<std::string>& part) {
              clock.ntp_period_s = above_zero(option, part[0], "seconds");
              clock.ntp_us = at_least_zero(option, part[1], "microseconds");
            });
  add.number("tick", "US", "Clocks advance in steps of US microseconds, each process at different moments.", above_zero,
             "microseconds", s.tick_us);
}

void declare_messages(Declarer& add, Settings& s) {
  add.number("delay", "US", "Minimum message delay in microseconds. Default: 5.", at_least_zero, "microseconds",
             s.messages.delay_us);
  add.number("node-delay", "US", "Minimum message delay inside a node.", at_least_zero, "microseconds",
             s.messages.node_delay_us);
  add.number("jitter", "US", "Mean of the exponential part of message delays in microseconds. Default: 2.",
             at_least_zero, "microseconds", s.messages.jitter_us);
  add.number("bandwidth", "MB/s", "Adds length/bandwidth to message delays. Default: nothing is added.", above_zero,
             "MB/s", s.messages.bandwidth_mb_s);
  add.option("size", "BYTES", "Length of messages; 64K and 1M are powers of 1024. Default: 1024.",
             [&s](const std::string& option, const std::string& word) {
               s.messages.bytes = tool::size(option, word);
               if (s.messages.bytes > std::uint64_t{1} << 40U) tool::refuse(option, word, "at most 1T");
             });
  add.flag("no-min-delay", "Leave the minimum message delays out of the trace's header.", s.messages.tell_min_delay,
           false);
  add.whole("bursts", "N",
            "Measure the offsets of clocks: N round trips between process 0 and each other process before and after "
            "the program, written as %sync lines.",
            0, 1'000'000, s.messages.bursts);
  add.option("rho", "PPM", "scenario2: how much faster the second clock is. Default: 100.",
             [&s](const std::string& option, const std::string& word) {
               s.rho_ppm = tool::number(option, word, "ppm");
               if (*s.rho_ppm <= -1e6 || *s.rho_ppm > 1e6) tool::refuse(option, word, "-1000000 to 1000000 ppm");
             });
  add.number("lag", "US", "scenario2: how far the second clock is behind at the start. Default: 10000.", within_limits,
             "microseconds", s.lag_us);
  add.number("period", "US", "scenario2: time from one exchange to the next. Default: 560000.", above_zero,
             "microseconds", s.period_us);
}

void declare_defects(Declarer& add, Options& options) {
  Settings& s = options.settings;
  add.number("lose-receives", "PCT", "Leave out this share of the receive records.", share, "percent",
             s.defects.lose_receives);
  add.number("lose-sends", "PCT", "Leave out this share of the send records.", share, "percent", s.defects.lose_sends);
  add.number("lose-members", "PCT", "Leave out one member's records in this share of the collective operations.", share,
             "percent", s.defects.lose_members);
  add.whole("lose-burst", "N", "Leave out N successive sends and receives of one process, somewhere in the run.", 0,
            1'000'000'000, s.defects.lose_burst);
  add.whole("lose-calls", "N", "Leave out the begin and end of one member in N of the collective operations.", 0,
            1'000'000, s.defects.lose_calls);
  const auto fraction_of = [&add](const std::string& name, const std::string& help, auto take) {
    add.parts(name, "P:F", help, "PROCESS:FRACTION",
              [take](const std::string& option, const std::vector<std::string>& part) {
                take(process(option, part[0]), fraction(option, part[1]));
              });
  };
  fraction_of("end-early", "The records of process P stop after fraction F of the run.",
              [&s](std::uint32_t who, double when) {
                s.defects.unrecorded.push_back({who, when, 2});
              });
  fraction_of("record-late", "The records of process P begin after fraction F of the run.",
              [&s](std::uint32_t who, double when) {
                s.defects.unrecorded.push_back({who, 0, when});
              });
  fraction_of("finish-early", "Process P leaves the program after fraction F of the run.",
              [&s](std::uint32_t who, double when) {
                s.defects.absences.push_back({who, when, 2});
              });
  fraction_of("start-late", "Process P joins the program after fraction F of the run.",
              [&s](std::uint32_t who, double when) {
                s.defects.absences.push_back({who, 0, when});
              });
  add.parts("silent", "P:F:G", "Process P takes no part from fraction F to fraction G of the run.", "PROCESS:FROM:TO",
            [&s](const std::string& option, const std::vector<std::string>& part) {
              const double from = fraction(option, part[1]);
              const double to = fraction(option, part[2]);
              if (from >= to) tool::refuse(option, part[0] + ':' + part[1] + ':' + part[2], "FROM before TO");
              s.defects.absences.push_back({process(option, part[0]), from, to});
            });
  add.option(
      "truncate", "BYTES", "Truncate the written file to this size.",
      [&options](const std::string& option, const std::string& word) { options.truncate = tool::size(option, word); });
}

void declare_output(CommandLine& line, Options& options) {
  line.text("output,o", "FILE",
            "Write to FILE; - (default) is standard output. For an OTF2 archive: a folder that does not exist yet.",
            options.output);
  line.option("output-format,F", "FORMAT", tool::writable_formats() + ". Default: text.",
              [&options](const std::string& word) { options.format = tool::output_format("-F", word); });
  line.flag("overwrite", "Replace the OTF2 archive in the output folder.", options.overwrite);
  line.option_or("zstd,z", "LEVEL", "3",
                 "Compress with zstd, level 1 to 22 (3 if omitted); 0 (default): do not compress.",
                 [&options](const std::string& word) {
                   const auto level = static_cast<int>(tool::whole("-z", word, 0, 22));
                   options.zstd_level = level == 0 ? std::nullopt : std::optional(level);
                 });
  line.text("truth", "FILE", "Also write the trace with true times, for clc-check --truth.", options.truth);
  tool::declare_sync(line, options.sync);
  line.flag("no-provenance", "Do not record in the trace how it was made.", options.provenance, false);
}

void declare_seed(CommandLine& line, Options& options) {
  line.option("seed", "N",
              "Seed of all random numbers. Default: random, recorded in the trace or, with --no-provenance, printed on "
              "standard error.",
              [&options](const std::string& word) {
                options.settings.seed = static_cast<std::uint64_t>(
                    tool::whole("--seed", word, 0, std::numeric_limits<std::int64_t>::max()));
                options.seed_given = true;
              });
}

void refuse_contradictions(const Options& options) {
  if (options.truth == "-" && options.output == "-")
    throw UsageError("--truth: only one of the two traces can go to standard output");
  if (!options.truth.empty() && same_output(options.truth, options.output))
    throw UsageError("--truth and --output name the same file");
  if (options.truncate && is_folder(options.format)) throw UsageError("--truncate: an archive is a folder");
  if (options.truncate && options.output == "-") throw UsageError("--truncate needs --output; in a pipe use head -c");
}

}  // namespace

bool parse(int argc, const char* const* argv, Options& options) {
  Settings& settings = options.settings;
  CommandLine line("clc-tracegen", "SCENARIO [OPTION...]",
                   "Writes a trace of a simulated parallel program with simulated clocks and known true times.");
  Declarer add(line, options.words);
  bool chosen = false;
  line.operand("SCENARIO", [&](const std::string& word) {
    std::vector<std::string_view> names;
    names.reserve(scenarios.size());
    for (const ScenarioInfo& scenario : scenarios) names.push_back(scenario.name);
    settings.scenario = scenarios[tool::choice("SCENARIO", word, names)].scenario;
    chosen = true;
    options.words.insert(options.words.begin(), word);
  });

  line.group("Output");
  declare_output(line, options);
  line.group("Program");
  declare_seed(line, options);
  declare_size(add, settings);
  line.group("Clocks");
  declare_clocks(add, settings);
  line.group("Messages");
  declare_messages(add, settings);
  line.group("Defects");
  declare_defects(add, options);
  line.group("Other");
  line.closing(list_of_scenarios() + "\nExit status: 0 done; 1 the output cannot be opened or written; 2 usage.\n");

  if (!line.parse(argc, argv)) return false;
  if (!chosen) throw UsageError("which scenario?");
  refuse_contradictions(options);
  if (settings.start == ticks_min) settings.start = settings.resolution.ticks_of_seconds(1'704'067'200.0);
  if (settings.start > latest_start)
    throw UsageError("--start epoch does not fit into 64 bits with " +
                     std::to_string(settings.resolution.per_second()) +
                     " ticks per second; use a lower --resolution, or a start in ticks");
  if (!options.seed_given) {
    std::random_device device;
    settings.seed = device();
  }
  settings.complete();
  return true;
}

std::string provenance(const Options& options) {
  std::string text = "clc-tracegen " + std::string(tool::version());
  for (const std::string& word : options.words) text += ' ' + printable_word(word);
  return text + " --seed " + std::to_string(options.settings.seed);
}

}  // namespace clc::tracegen
