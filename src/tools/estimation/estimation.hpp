// The first pass: reads a trace and estimates its clocks.
//
// Place    All that clc-sync does; in clc-filter, the pass before the correction.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/io/format.hpp"
#include "clc/parameters.hpp"
#include "clc/report.hpp"
#include "sync/estimate.hpp"
#include "trace/partners.hpp"

namespace clc {
struct Event;
}

namespace clc::tool {

/// Minimum delays that suit the messages of a trace; what is not set was not found.
struct Chosen {
  std::optional<double> min_delay_us;
  std::optional<double> node_delay_us;  ///< within a node, where it differs
  [[nodiscard]] double smallest_us() const {
    return std::min(min_delay_us.value_or(0), node_delay_us.value_or(HUGE_VAL));
  }
};

struct FirstPass {
  sync::Estimate estimate;
  Chosen chosen;
  bool complete = false;       ///< each end of a message has its other end, each collective operation its members
  bool lacks_records = false;  ///< the estimate allows for that
  Match match = Match::fifo;   ///< the rule of the correction that agrees with the estimate
  std::vector<std::string> warnings;  ///< of lines with measured offsets
};

/// Measured offsets of a trace in a file of their own; they count as if they were lines of the trace.
struct OffsetsFile {
  std::string name;
  Offsets offsets;
};

/// A trace that is read.
struct TraceInput {
  TraceInput(std::string name_of, bool ignores = false) : name(std::move(name_of)), ignores_clock_offsets(ignores) {}
  std::string name;                    ///< for messages
  bool ignores_clock_offsets = false;  ///< of an archive
};

/// Opens the trace again.
using Again = std::function<std::unique_ptr<Source>()>;

/// Reads all records of source. keep_going: what is readable of a damaged trace
/// counts; else throws InputError.
/// choose: where neither options nor trace name a minimum delay, it is chosen, and the clocks are estimated with it.
/// again: if the trace lacks ends of messages, it is read again, to match without the other ends of these.
/// file: or null.
[[nodiscard]] FirstPass first_pass(Source& source, const TraceInput& trace, const sync::Options& options,
                                   bool keep_going, bool choose = false, const Again& again = {},
                                   const OffsetsFile* file = nullptr);

/// A trace of which several processes read parts. Of clocks, processes and partners: as of sync::DividedMatcher.
struct DividedTrace {
  const Definitions& definitions;
  const std::vector<unsigned>& owners;
  Partners& partners;
  std::function<bool(std::uint32_t clock, Event& event)> next;  ///< of the own clocks
  Again open;  ///< in the first process: the trace, for the lines at its begin
};

/// The same pass of several processes, with the same result, which the first of them gets. nullopt in all of them: the
/// trace lacks records, so that a single process has to read it whole and again. To be called by all.
[[nodiscard]] std::optional<FirstPass> divided_first_pass(const DividedTrace& divided, const TraceInput& trace,
                                                          const sync::Options& options, bool choose,
                                                          const OffsetsFile* file);

/// Reads such a file. Throws InputError, and UsageError if the method cannot use it: no offset has an error.
/// option: that of the method, as given.
[[nodiscard]] OffsetsFile read_measured(const std::string& name, sync::Method method, const std::string& option);

/// False in a build without Eigen: first_pass throws UsageError.
[[nodiscard]] bool can_estimate() noexcept;

/// The names of the methods, in their order, without "off".
[[nodiscard]] std::span<const std::string_view> estimation_methods() noexcept;
/// For --method and --estimate.
[[nodiscard]] sync::Method estimation_method(std::string_view option, const std::string& word);
[[nodiscard]] std::string_view name_of(sync::Method method) noexcept;

/// One of each process, in their order.
[[nodiscard]] std::vector<EstimatedClock> estimated_clocks(const sync::Estimate& estimate,
                                                           const Definitions& definitions);

/// Nine tenths of the smallest delay after the estimate, at most half a round trip and at least a tick; of the smallest
/// recorded one where no clock is mapped and no message contradicts the recorded times. tick_us: of the trace.
[[nodiscard]] Chosen choose_min_delay(const sync::Estimate& estimate, double tick_us);
/// By how much the worst message falls short of these minimum delays, with two digits, rounded up; at least 10 us.
/// mapped: in the times that the estimate maps to.
[[nodiscard]] double choose_clock_difference(const sync::Estimate& estimate, bool mapped, double min_delay_us,
                                             double node_delay_us);

/// Why a method found no solution, in words. Only if estimate.failure is set.
[[nodiscard]] std::string failure_text(const sync::Estimate& estimate, const Definitions& definitions);
/// Throws InputError if the method found no solution. option: "--method duda", as given.
void require_solution(const sync::Estimate& estimate, const Definitions& definitions, const std::string& option);

/// Takes from the definitions the nodes, and the delays of communicators between clocks. A process of which no node is
/// known is on a node of its own.
void add_definitions(sync::Options& options, const Definitions& definitions);

/// Clocks and when they were first set.
using Steps = std::vector<std::pair<sync::ClockIndex, Time>>;
[[nodiscard]] Steps steps_of(const sync::Estimate& estimate, const Definitions& definitions);
/// "the clock of process 3 was set at about 1234"; empty: none was.
[[nodiscard]] std::string words_of(const Steps& steps, const Definitions& definitions);
/// The same with what follows from it, as a warning; none: no clock was set.
[[nodiscard]] std::vector<std::string> warnings_of_steps(const sync::Estimate& estimate,
                                                         const Definitions& definitions);

/// Clocks are not mapped: the reason, and that.
[[nodiscard]] std::string why_not_mapped(const sync::Estimate& estimate, const Definitions& definitions);
/// Where estimate.contradiction is set: what that may come from. by_length: lengths of messages add to minimum delays.
[[nodiscard]] std::string contradicting_messages(bool by_length);
/// The same as reasons of a doubtful verdict, where clocks were to be mapped and are not.
[[nodiscard]] std::vector<std::string> doubts_of(const FirstPass& pass, const Definitions& definitions, bool by_length);

/// Measured offsets and round trips that are not used, because the messages contradict them, as warnings. Single ones,
/// less than one in 100, may be so by chance.
[[nodiscard]] std::vector<std::string> warnings_of_measurements(const sync::Estimate& estimate,
                                                                const Definitions& definitions);
/// How many were used, for reports.
[[nodiscard]] MeasuredCounts measured_counts(const sync::Estimate& estimate) noexcept;
/// Of method measured: that messages contradict the offsets, in words; empty: they do not, or not clearly. For
/// clc-filter the verdict says so.
[[nodiscard]] std::string contradiction_text(const sync::Estimate& estimate);

/// One line: how many of the binding messages were below the minimum delay, as recorded and as mapped.
[[nodiscard]] std::string violations_line(const sync::Estimate& estimate);

}  // namespace clc::tool
