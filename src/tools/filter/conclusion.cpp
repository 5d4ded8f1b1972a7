#include "filter/conclusion.hpp"

#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "clc/report.hpp"
#include "clock/replayed.hpp"
#include "common/cases.hpp"
#include "common/min_delay.hpp"
#include "common/program.hpp"
#include "filter/again.hpp"

namespace clc::filter {

namespace {

void warn_of_files(const Ended& run) {
  tool::warn(program, run.input.source().warnings());
  if (run.file != nullptr) tool::warn(program, run.file->warnings());
}

void warn_of_offsets(const Ended& run) {
  tool::warn(program, tool::warnings_of_offsets(run.options, run.input.map(), run.input.definitions()));
  if (run.options.write_offsets && run.input.map().empty())
    tool::warn(program, "no clock is mapped" +
                            std::string(run.input.estimated_in_vain()
                                            ? ", because the estimate is no better than the recorded times"
                                            : "") +
                            ": no clock offsets are added");
}

/// Which change of an interval exceeds --max-local-error; empty: none.
std::string beyond_local_error(const Options& options, const Analysis& analysis) {
  const double largest = 100 * std::max(analysis.small_errors().largest, analysis.large_errors().largest);
  if (!options.reporting.max_local_error_percent || largest <= *options.reporting.max_local_error_percent) return {};
  std::ostringstream text;
  text << "an interval changed by " << largest << " %, more than --max-local-error";
  return text.str();
}

RunFacts facts_of(const Ended& run, const Analysis& analysis, const ShiftWatch* watch, const Live* live) {
  RunFacts facts;
  facts.program = program;
  facts.version = tool::version();
  facts.options = effective(run.options, run.min_delay_us);
  run.input.tell(facts, analysis, run.min_delay_us);
  if (!facts.alignment.empty())
    facts.alignment += "; corrected " + std::to_string(analysis.violations_left()) + " violations left";
  facts.error = run.outcome.error;
  facts.seconds = run.seconds;
  facts.max_shift_us = run.options.reporting.max_shift_us;
  facts.wording = [](std::string text) { return tool::with_flags(std::move(text)); };
  if (watch != nullptr) facts.beyond_max_shift = watch->beyond();
  if (live != nullptr) {
    const Resolution resolution = run.input.definitions().resolution;
    const auto us = [&](Ticks ticks) { return resolution.microseconds(static_cast<double>(ticks)); };
    facts.live = LiveFacts{run.options.transfer_in_effect(), {}, us(live->largest_stay()), us(live->late_by())};
    if (live->lag()) facts.live->lag_us = us(*live->lag());
  }
  return facts;
}

void write(const Ended& run, const Report& report) {
  if (run.report != nullptr) {
    run.options.reporting.report_format == ReportFormat::json ? report.write_json(run.report->stream())
                                                              : report.write_text(run.report->stream());
    run.report->close();
  }
  if (!run.options.verbose) return;
  std::ostringstream text;
  report.write_text(text);
  std::cerr << text.str();
}

/// The option that finds lost records; empty: they were looked for.
std::string_view search_option(const Options& options) {
  if (options.match.value_or(options.match_without_search()) != Match::fifo) return {};
  if (options.online || options.look_ahead_s) return "--match resync";
  return options.match ? "--match whole" : "";
}

void warn(const Ended& run, const Analysis& analysis, const RunFacts& facts, const Verdict& verdict) {
  const Definitions& definitions = run.input.definitions();
  warn_of_files(run);
  tool::warn(program, tool::unused_delays(run.options.parameters, definitions));
  warn_of_offsets(run);
  const auto counted = [&](Case which) { return analysis.counted(which); };
  tool::warn(program, tool::warnings_of_cases(counted, definitions, !facts.error.empty(), search_option(run.options)));
  if (facts.beyond_max_shift != 0)
    tool::warn(program, std::to_string(facts.beyond_max_shift) +
                            (facts.beyond_max_shift == 1 ? " event was" : " events were") +
                            " moved by more than --max-shift");
  if (!run.can_start_again && would_search(run.options, analysis, run.outcome))
    tool::warn(program,
               "records are missing; to find more of them, read from a file and write to one, or use --match whole");
  if (run.could_not_search && analysis.unresolved() > 0)
    tool::warn(program, "records are missing; to find more of them, use a larger --max-memory");
  if (const std::string changed = beyond_local_error(run.options, analysis); !changed.empty())
    tool::warn(program, changed);
  tool::warn(program, verdict);
}

/// The exit status with --strict.
int strict_status(const Ended& run, const Analysis& analysis, const RunFacts& facts, const Verdict& verdict) {
  tool::StrictFailures failures;
  failures.add_unresolved(analysis.unresolved());
  failures.add(analysis.violations_left(), " violation is", " violations are", " left");
  failures.add(facts.beyond_max_shift, " event was", " events were", " moved by more than --max-shift");
  failures.add(beyond_local_error(run.options, analysis));
  failures.add(verdict);
  if (!failures.any()) return tool::status_ok;
  failures.say(program);
  return tool::status_unresolved;
}

int conclude_all(const Ended& run, const Analysis& analysis, const ShiftWatch* watch, const Live* live) {
  const RunFacts facts = facts_of(run, analysis, watch, live);
  const Report report(analysis, run.input.definitions(), run.options.parameters, facts);
  write(run, report);
  // First what is wrong, then what follows from it.
  if (!run.outcome.error.empty()) tool::say(program, run.outcome.error);
  if (!run.options.quiet) warn(run, analysis, facts, report.verdict());
  if (!run.outcome.error.empty()) return tool::status_failed;
  return run.options.reporting.strict ? strict_status(run, analysis, facts, report.verdict()) : tool::status_ok;
}

}  // namespace

int conclude_copy(const Ended& run) {
  if (!run.outcome.error.empty()) tool::say(program, run.outcome.error);
  if (!run.options.quiet) {
    warn_of_files(run);
    warn_of_offsets(run);
  }
  return run.outcome.error.empty() ? tool::status_ok : tool::status_failed;
}

/// The clock does not see which of the times that it reads were cut off when they were mapped.
int conclude(const Ended& run, const Analysis& of_clock, const ShiftWatch* watch, const Live* live) {
  const std::uint64_t cut_off = run.input.recorded().count_cut_off();
  if (cut_off == 0) return conclude_all(run, of_clock, watch, live);
  Recorder all;
  static_cast<Analysis&>(all) = of_clock;
  all.count(Case::time_saturated, cut_off);
  return conclude_all(run, all, watch, live);
}

}  // namespace clc::filter
