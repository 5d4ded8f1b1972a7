#include <algorithm>
#include <cmath>
#include <functional>
#include <ostream>
#include <vector>

#include "clc/event.hpp"
#include "clc/report.hpp"
#include "report/format.hpp"
#include "report/judge.hpp"
#include "report/losses.hpp"
#include "report/order.hpp"
#include "report/regulators.hpp"
#include "trace/one_or_many.hpp"
#include "trace/printable.hpp"

namespace clc {

namespace {

/// 1234567 as 1,234,567.
std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string counted(std::uint64_t number, const char* one, const char* many) {
  return grouped(number) + one_or_many(number, one, many);
}

/// A relative error in percent.
std::string error_percent(double error) {
  return format(error != 0 && error < 1e-5 ? "%.2g %%" : "%.3f %%", 100 * error);
}

}  // namespace

class Report::Text {
 public:
  Text(const Report& report, std::ostream& out) : r_(report), a_(report.analysis_), out_(out) {}

  void write() {
    head();
    violations();
    differences();
    delays();
    intervals();
    corrections();
    regulators();
    found_cases();
    run();
  }

 private:
  [[nodiscard]] std::string us(double ticks) const {
    const double value = r_.definitions_.resolution.microseconds(ticks);
    return format(value == 0 || std::abs(value) >= 0.1 ? "%.3f us" : "%.3g us", value);
  }
  [[nodiscard]] std::string us(Ticks ticks) const { return us(static_cast<double>(ticks)); }
  [[nodiscard]] std::string process(ProcessIndex index) const { return process_words(index, r_.definitions_); }
  [[nodiscard]] std::string pair(ProcessIndex from, ProcessIndex to) const {
    return process(from) + " -> " + process(to);
  }
  void line(const std::string& text = {}) { out_ << printable_lines(text) << '\n'; }
  /// A line that names members of Parameters or RunFacts.
  void worded(const std::string& text) { line(r_.facts_.wording ? r_.facts_.wording(text) : text); }
  /// "  left        right" with left filled up to width.
  void row(std::string left, std::size_t width, const std::string& right) {
    if (left.size() < width) left.resize(width, ' ');
    line("  " + left + "  " + right);
  }

  void head() {
    line(r_.facts_.program + ' ' + r_.facts_.version + ' ' + r_.facts_.options);
    if (!r_.facts_.alignment.empty()) line("Clocks estimated first: " + r_.facts_.alignment);
    line(printable(r_.facts_.input == "-" ? "standard input" : r_.facts_.input, 200) + " (" + r_.facts_.format +
         "): " + counted(a_.events(), " event of ", " events of ") +
         counted(r_.definitions_.processes().size(), " process, ", " processes, ") +
         counted(a_.messages().edges, " message, ", " messages, ") +
         counted(a_.collective_operations(), " collective operation", " collective operations"));
    line(format("resolution %lld ticks/s, minimum message delay ",
                static_cast<long long>(r_.definitions_.resolution.per_second())) +
         us(r_.min_delay_));
    if (!r_.facts_.error.empty()) line("ENDED EARLY: " + r_.facts_.error);
    line("Verdict: " + std::string(name_of(r_.verdict_.judgement)));
    for (const Reason& reason : r_.verdict_.reasons)
      line("  " + std::string(name_of(reason.judgement)) + ": " + printable(reason.text, 1000));
    summary();
  }

  /// The three figures that matter most.
  void summary() {
    const ProcessStatistics* const most = most_moved(a_.processes());
    const std::uint64_t largest = most == nullptr ? 0 : magnitude(most->largest_shift);
    line("  violations: " + grouped(a_.messages().violated + a_.collectives().violated) + " in the input, " +
         grouped(a_.violations_left()) + " left");
    line("  corrections: " + percent(a_.moved(), a_.events()) + " of the events moved, by at most " +
         us(static_cast<double>(largest)));
    line("  local intervals: changed by " + error_percent(a_.changed_share()) +
         " of their total length, single ones by at most " +
         error_percent(std::max(a_.small_errors().largest, a_.large_errors().largest)));
  }

  void violations() {
    line();
    line("Violations of the clock condition in the input");
    edges("messages", a_.messages(), "");
    edges("collectives", a_.collectives(), " ordered pairs");
    const Analysis::Unpaired unpaired = a_.unpaired();
    if (a_.messages().violated != unpaired.violated) {
      const std::vector<const PairStatistics*> pairs = worst_first(a_.pairs());
      const auto bad = static_cast<std::size_t>(
          std::ranges::count_if(pairs, [](const PairStatistics* p) { return p->violated != 0; }));
      line("  messages violated, by pair of processes:");
      std::size_t width = 0;
      for (std::size_t i = 0; i < std::min(bad, shown); ++i)
        width = std::max(width, pair(pairs[i]->sender, pairs[i]->receiver).size() + 2);
      for (std::size_t i = 0; i < std::min(bad, shown); ++i)
        row("  " + pair(pairs[i]->sender, pairs[i]->receiver), width,
            grouped(pairs[i]->violated) + " of " + grouped(pairs[i]->messages) + ", smallest delay " +
                us(pairs[i]->smallest_delay));
      if (bad > shown) line("    and " + grouped(bad - shown) + " more pairs");
      if (a_.other_pairs().violated != 0)
        line("    and " + grouped(a_.other_pairs().violated) + " messages of pairs that were not counted separately");
    }
    if (unpaired.messages != 0)
      line("  " + grouped(unpaired.messages) + " messages, " + grouped(unpaired.violated) +
           " of them violated, are counted in no pair: their communicator has a minimum\n"
           "  delay of its own, or their send came late");
    if (a_.old_messages() != 0)
      line("  " + grouped(a_.old_messages()) + " messages were sent so long before that their delay is unknown");
    if (a_.messages_within_clocks() != 0)
      line("  " + grouped(a_.messages_within_clocks()) +
           " messages between processes on one clock are ignored; there are " + grouped(r_.definitions_.clocks()) +
           " clocks");
    line("Violations left in the output: " + grouped(a_.violations_left()));
  }

  void edges(const std::string& what, const Violations& found, const std::string& of_what) {
    row(what, 11,
        grouped(found.violated) + " of " + grouped(found.edges) + of_what + " violated (" +
            percent(found.violated, found.edges) + "), " + grouped(found.backwards) + " received before sent");
    if (found.violated == 0) return;
    row("", 11, "worst: " + pair(found.worst_sender, found.worst_receiver));
    row("", 11,
        "delay " + us(found.worst_delay) + ", " + us(-static_cast<double>(found.worst)) +
            " too short, received at tick " + std::to_string(found.worst_time.ticks()));
  }

  void differences() {
    line();
    line("Differences new timestamps - old timestamps at the last event in [us]");
    std::vector<ProcessIndex> order;
    for (ProcessIndex i = 0; i < a_.processes().size(); ++i)
      if (a_.processes()[i].events != 0) order.push_back(i);
    const auto difference = [this](ProcessIndex i) {
      return a_.processes()[i].last_corrected - a_.processes()[i].last_recorded;
    };
    const std::size_t all = order.size();
    if (all > shown) {
      std::ranges::stable_sort(order, [&](ProcessIndex a, ProcessIndex b) { return difference(a) > difference(b); });
      order.resize(shown);
    }
    std::size_t width = 0;
    for (const ProcessIndex i : order) width = std::max(width, process(i).size());
    for (const ProcessIndex i : order)
      row(process(i), width,
          format("%14.4f", r_.definitions_.resolution.microseconds(static_cast<double>(difference(i)))));
    if (all > shown) line("  and " + grouped(all - shown) + " more processes, none with a larger difference");
    line("Maximal clock difference = " + us(a_.largest_jump()) +
         ", initial estimate used = " + us(a_.clock_difference_start));
    if (const auto advice = r_.advised_clock_difference_us()) {
      worded(format("ADVICE -- for correcting similar traces: use Parameters::clock_difference_us = %.0f", *advice));
      const auto stretch = [&](double difference_us) {
        return duration_text(difference_us * 100 / r_.parameters_.max_error_percent);
      };
      line("  it spreads the first jumps over " + stretch(*advice) + " of trace time instead of " +
           stretch(r_.parameters_.clock_difference_us) + ",\n  nothing else changes");
    }
  }

  void delays() {
    line();
    if (a_.smallest_distance() != ticks_max)
      line("Minimal difference between the original timestamps of two events\nin the same process = " +
           us(a_.smallest_distance()));
    const Analysis::RoundTrips trips = a_.round_trips();
    if (trips.pairs == 0) {
      line("Minimal message delay between 2 processes: no pair has " +
           std::string(a_.unpaired().messages == 0 ? "" : "counted ") + "messages in both directions");
    } else {
      line("Minimal message delay between 2 processes =\n  (min = " + us(trips.smallest) +
           ", avg = " + us(trips.average) + ", max = " + us(trips.largest) + ")");
      line("  with min/avg/max over all " + grouped(trips.pairs) +
           " pairs of processes with messages in both directions,\n  half of the smallest round trip of each. " +
           drift_error());
    }
    const RoundTripStatistics& brief = a_.short_trips();
    if (brief.trips() != 0)
      line("Short round trips: " + grouped(brief.trips()) + ", the fastest takes " +
           duration_text(r_.definitions_.resolution.microseconds(brief.smallest())) + " a message");
    if (const auto advice = r_.advised_min_delay_us()) min_delay_advice(*advice);
    if (r_.may_match_wrongly()) line("  No advice: records are missing, so messages may be matched wrongly");
    if (const auto rules = thesis_min_delays(brief, r_.definitions_.resolution.microseconds(1)))
      line("  90 % of a quarter of the most frequent round trip are " + duration_text(rules->frequent_us) +
           ",\n  20 % above the smallest delay " + duration_text(rules->balanced_us));
  }

  /// The thesis advises only where the delay in use is above the smallest one.
  void min_delay_advice(double advice) {
    const double used = r_.definitions_.resolution.microseconds(static_cast<double>(r_.min_delay_));
    const double slewed = a_.short_trips().smallest_at_most() / a_.short_trips().smallest();
    const std::string in_use = "the " + duration_text(used) + " of this run ";
    if (used > advice / 0.8 * slewed) {
      worded("ADVICE -- for correcting similar traces: use Parameters::min_delay_us = " + four_digits(advice));
      line("  " + in_use + "are too large: messages were faster");
    } else if (used < advice) {
      worded("  " + in_use + "could be larger: Parameters::min_delay_us = " + four_digits(advice) +
             " is below all delays that the trace shows");
    }
  }

  /// How much drift may falsify half a round trip.
  [[nodiscard]] std::string drift_error() const {
    const Parameters::Bounds bounds = r_.parameters_.bounds(a_.regulation.quartz_at_first && !a_.regulation.not_quartz);
    const double drift = r_.parameters_.regulator_d ? 1 - bounds.gamma_min : 1;
    if (drift >= 1) return "They include the drift of\n  the clocks";
    return "They include an\n  error <= " + format("%.3g %%", 100 * drift) +
           " of the time between its two messages (drift, 1 - gamma_min)";
  }

  void intervals() {
    const IntervalClass& small = a_.small_errors();
    const IntervalClass& large = a_.large_errors();
    const std::uint64_t count = a_.exact_intervals() + small.count + large.count;
    const auto average = [](double sum, std::uint64_t of) {
      return error_percent(of == 0 ? 0 : sum / static_cast<double>(of));
    };
    line();
    line(
        "The correction of the timestamps causes additional errors on the length\n"
        "of time intervals between two successive events in the same process:");
    const auto group = [&](std::uint64_t number, const std::string& text) {
      line(format("%14s", grouped(number).c_str()) + " intervals with " + text);
    };
    group(a_.exact_intervals(), "error = 0 %");
    group(small.count, "0 % < error <= 0.1 % : avg. = " + average(small.sum, small.count) +
                           ", max. = " + error_percent(small.largest));
    group(large.count, "0.1 % < error        : avg. = " + average(large.sum, large.count) +
                           ", max. = " + error_percent(large.largest));
    line("Error summary:");
    group(count, "0 % <= error <= " + error_percent(std::max(small.largest, large.largest)) +
                     " : avg. = " + average(small.sum + large.sum, count));
    if (a_.stretched_ties() != 0)
      line(format("%14s", grouped(a_.stretched_ties()).c_str()) + " intervals of length 0 got a length");
    interval_kinds();
  }

  /// At receives clocks are raised, and first of all at the start [R 5.1].
  void interval_kinds() {
    if (!a_.knows_kinds()) return;
    line("By kind:");
    const auto kind = [&](const std::string& text, Analysis::IntervalKind which) {
      const IntervalErrors errors = a_.interval_errors(which);
      const auto share = [&](double error) {
        return errors.count != 0 && errors.all_were_ties() ? std::string() : ", " + error_percent(error);
      };
      line(format("%14s", grouped(errors.count).c_str()) + " " + text + ": avg. = " + us(errors.average()) +
           share(errors.relative_average()) + "; max. = " + us(errors.largest) + share(errors.relative_largest) +
           (errors.stretched_ties != 0 ? "; " + grouped(errors.stretched_ties) + " had length 0" : std::string()));
    };
    kind("end at a receive", Analysis::IntervalKind::at_receive);
    kind("end at another event", Analysis::IntervalKind::at_other);
    kind("until the first raise of their clock", Analysis::IntervalKind::until_raised);
    kind("later", Analysis::IntervalKind::later);
  }

  /// How steep corrections are, and how far the clocks are apart.
  void gradients() {
    const SteepestPiece& steepest = a_.steepest();
    if (steepest.gradient > 0) {
      line("  steepest piece: the correction grows by " + error_percent(steepest.gradient) + " of the time, process " +
           process(steepest.process) + " at tick " + std::to_string(steepest.time.ticks()));
      worded("  pieces steeper than " +
             format("Parameters::max_error_percent = %g %%: ", r_.parameters_.max_error_percent) +
             percent(a_.steep_share(), 1.0) + " of the recorded time");
    }
    const std::optional<double> bound = r_.interval_error_bound();
    if (bound && a_.moved() != 0) {
      line("  intervals err by at most " + error_percent(*bound) + " and two ticks (eq. 5.9, with the drift)");
      if (const std::optional<double> allowed = r_.theorem_17_bound())
        line("  theorem 17 allows " + error_percent(*allowed) + ", from the largest jump" +
             (a_.send_to_receive() == ticks_max
                  ? std::string()
                  : " and the " + us(a_.send_to_receive()) + " from a send or begin to the next receive or end"));
    }
    const CorrectionCourse& course = a_.correction_course();
    if (const Ticks widest = course.widest(); widest != 0) {
      const auto moments = std::ranges::count_if(course.ranges(), std::mem_fn(&CorrectionCourse::Range::any));
      line("  at " + (moments == 1 ? "the first moment" : std::to_string(moments) + " moments of equal distance") +
           ", corrections of two processes differ by up to " + us(widest));
    }
  }

  void corrections() {
    line();
    line("Corrections");
    line("  " + grouped(a_.moved()) + " of " + grouped(a_.events()) + " events moved (" +
         percent(a_.moved(), a_.events()) + ")");
    line("  " + grouped(a_.jumps()) + " jumps of the forward clock, largest " + us(a_.largest_jump()));
    gradients();
    if (const ProcessStatistics* const largest = most_moved(a_.processes())) {
      line("  largest correction " + us(largest->largest_shift) + ", process " +
           process(static_cast<ProcessIndex>(largest - a_.processes().data())) + " at tick " +
           std::to_string(largest->largest_shift_at.ticks()));
      line("  moved by                            events");
      for (std::size_t k = 0; k < Analysis::shift_classes; ++k) {
        if (a_.shifts()[k] == 0) continue;
        const auto bound = [&](std::size_t power) {
          return format("%.4g", r_.definitions_.resolution.microseconds(std::ldexp(1.0, static_cast<int>(power))));
        };
        line(format("    %10s to %10s us %12s  %s", bound(k).c_str(), bound(k + 1).c_str(),
                    grouped(a_.shifts()[k]).c_str(), percent(a_.shifts()[k], a_.moved()).c_str()));
      }
    }
    if (r_.facts_.max_shift_us)
      worded("  " + grouped(r_.facts_.beyond_max_shift) +
             format(" events moved by more than RunFacts::max_shift_us = %g us", *r_.facts_.max_shift_us));
  }

  void regulators() {
    line();
    line("Regulators");
    write_regulators(out_, regulator_figures(a_, r_.parameters_), r_.parameters_, a_.events());
  }

  [[nodiscard]] std::string lost(const LostCall& call) const {
    return "  lost " + std::string(info(call.operation).name) + ": process " + process(call.process) +
           ", communicator " + std::to_string(number_of_communicator(call.communicator, r_.definitions_)) +
           ", the first of the others ends at tick " + std::to_string(call.recorded.ticks());
  }

  [[nodiscard]] std::string set_back(const StepBack& step) const {
    return "  process " + process(step.process) + " set back by " + us(step.size()) + ": tick " +
           std::to_string(step.after.ticks()) + " follows tick " + std::to_string(step.before.ticks());
  }

  void found_cases() {
    bool title = false;
    const auto found = [&](const std::string& text) {
      if (!title) {
        line();
        line("Unusual cases");
        title = true;
      }
      line("  " + text);
    };
    for (const CaseInfo& info : cases)
      if (a_.counted(info.which) != 0)
        found(grouped(a_.counted(info.which)) + ' ' + info.prose_of(a_.counted(info.which), !r_.facts_.error.empty()));
    constexpr std::size_t most_shown = most_losses_shown;
    for (std::size_t i = 0; i < std::min(most_shown, a_.losses().size()); ++i)
      found("  " + words_of(a_.losses()[i], r_.definitions_, !r_.facts_.error.empty()));
    for (std::size_t i = 0; i < std::min(most_shown, a_.lost_calls().size()); ++i) found(lost(a_.lost_calls()[i]));
    for (std::size_t i = 0; i < std::min(most_shown, a_.steps_back().size()); ++i) found(set_back(a_.steps_back()[i]));
    for (const std::string& remark : r_.facts_.remarks) found(printable(remark, 200));
  }

  void live(const LiveFacts& facts) {
    line(format("  live input: events stayed %.3f ms or less", facts.largest_stay_us / 1e3) +
         (facts.lag_us ? format(", records came up to %.3f ms later than the quickest", *facts.lag_us / 1e3) : ""));
    if (facts.late_by_us > 0)
      line(format("  records came up to %.3f ms after the time that had been reached", facts.late_by_us / 1e3));
  }

  void run() {
    line();
    line("Run");
    line("  at most " + grouped(a_.peak_events()) + " events buffered, " +
         format("%.1f MiB", static_cast<double>(a_.peak_bytes()) / (1 << 20)));
    if (r_.facts_.live) live(*r_.facts_.live);
    if (r_.facts_.seconds > 0)
      line(format("  %.3f s, ", r_.facts_.seconds) +
           grouped(static_cast<std::uint64_t>(static_cast<double>(a_.events()) / r_.facts_.seconds)) + " events/s, " +
           format("%.1f MB/s read", static_cast<double>(r_.facts_.bytes) / r_.facts_.seconds / 1e6));
  }

  const Report& r_;
  const Analysis& a_;
  std::ostream& out_;
};

void Report::write_text(std::ostream& out) const { Text(*this, out).write(); }

}  // namespace clc
