#include "estimation/estimation.hpp"

#include <array>
#include <set>

#include "clc/error.hpp"
#include "common/provenance.hpp"
#include "common/values.hpp"

namespace clc::tool {

namespace {

constexpr std::array<std::string_view, 8> methods{"smooth",          "line",     "duda",    "jezequel", "hofmann",
                                                  "hofmann-hilgers", "variable", "measured"};

std::string digits(double value) { return significant(value, 4); }

/// To a number of significant digits; way: floor or ceil.
double rounded(double value, int figures, double (*way)(double)) {
  const int places = figures - 1 - static_cast<int>(std::floor(std::log10(value)));
  const double scale = std::pow(10, std::abs(places));
  return places < 0 ? way(value / scale) * scale : way(value * scale) / scale;
}

std::string percent(const sync::Violations& violations) {
  const double edges = violations.edges == 0 ? 1 : static_cast<double>(violations.edges);
  return digits(100 * static_cast<double>(violations.violated) / edges) + " %";
}
std::string share(const sync::Violations& violations) {
  return percent(violations) + ", worst " + digits(violations.worst_us) + " us";
}

/// "12 measured offsets"
std::string counted(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + " measured " + what + (count == 1 ? "" : "s");
}

/// "; 3 measured offsets", and those that are not used.
std::string used_and_not(std::uint64_t used, std::uint64_t not_used, const std::string& what) {
  return (used == 0 ? "" : "; " + counted(used, what)) +
         (not_used == 0 ? "" : "; " + counted(not_used, what) + " not used, because they contradict the messages");
}

/// "processes 1, 2 and 3 more", by clock.
std::string processes_of(const std::set<sync::ClockIndex>& clocks, const Definitions& definitions) {
  constexpr std::size_t most = 8;
  std::string text = clocks.size() == 1 ? "process" : "processes";
  std::size_t named = 0;
  for (const sync::ClockIndex clock : clocks) {
    if (named == most) break;
    const bool is_last = named > 0 && named + 1 == clocks.size();
    text += (named == 0 ? " " : is_last ? " and " : ", ") + std::to_string(definitions.processes()[clock].number);
    ++named;
  }
  return clocks.size() > most ? text + " and " + std::to_string(clocks.size() - most) + " more" : text;
}

/// What there is to say of a clock.
std::string note_of(const sync::Estimate& estimate, std::size_t index) {
  const sync::ClockEstimate& clock = estimate.clocks[index];
  std::string note(sync::name_of(clock.flag));
  if (clock.flag == sync::Flag::step) note += " at about tick " + std::to_string(clock.step->ticks());
  if (clock.beside_step) note += "; others were set";
  if (!sync::is_known(clock.flag)) return note;
  if (clock.measured) note += "; measured";
  if (estimate.groups > 1) note += "; group " + std::to_string(clock.group + 1);
  const auto& references = estimate.references;
  if (std::find(references.begin(), references.end(), index) != references.end()) note += "; reference";
  return note;
}

/// Clocks are not mapped, although that would be better but for steps.
bool is_outweighed_by_steps(const sync::Estimate& estimate, const Definitions& definitions) {
  return !estimate.impossible && !steps_of(estimate, definitions).empty() &&
         estimate.mapped.sum_us < estimate.recorded.sum_us;
}

}  // namespace

void add_definitions(sync::Options& options, const Definitions& definitions) {
  options.nodes.clear();
  for (const Process& process : definitions.processes())
    options.nodes.push_back(process.node != no_node ? process.node : ~static_cast<std::uint32_t>(options.nodes.size()));
  for (const Communicator& communicator : definitions.communicators()) {
    if (communicator.min_delay <= 0) continue;
    const std::span<const ProcessIndex> members = communicator.members.list();
    const bool one_clock = std::ranges::all_of(
        members, [&](ProcessIndex member) { return definitions.share_a_clock(member, members[0]); });
    if (!one_clock)
      options.special_delay_us = std::min(
          options.special_delay_us, definitions.resolution.microseconds(static_cast<double>(communicator.min_delay)));
  }
}

std::vector<EstimatedClock> estimated_clocks(const sync::Estimate& estimate, const Definitions& definitions) {
  std::vector<EstimatedClock> clocks;
  for (std::size_t i = 0; i < estimate.clocks.size(); ++i) {
    const sync::ClockEstimate& clock = estimate.clocks[i];
    EstimatedClock& to = clocks.emplace_back();
    to.process = definitions.processes()[i].number;
    to.note = note_of(estimate, i);
    if (!sync::is_known(clock.flag)) {
      for (double* figure : {&to.first_us, &to.last_us, &to.rate_ppm, &to.deviation_us, &to.error_us, &to.bound_us})
        *figure = std::nan("");
      continue;
    }
    to.first_us = clock.first_us;
    to.last_us = clock.last_us;
    to.rate_ppm = clock.rate_ppm;
    to.deviation_us = clock.deviation_us;
    to.error_us = std::isinf(clock.error_us) ? std::nan("") : clock.error_us;
    to.bound_us = std::isinf(clock.bound_us) ? std::nan("") : clock.bound_us;
    to.partners = clock.partners;
  }
  return clocks;
}

Chosen choose_min_delay(const sync::Estimate& estimate, double tick_us) {
  constexpr double part = 0.9;
  const auto choose = [&](double smallest, double half_trip) -> std::optional<double> {
    if (std::isinf(smallest)) return std::nullopt;
    const double delay = std::min(part * smallest, half_trip);
    return delay > tick_us ? std::max(rounded(delay, 4, std::floor), tick_us) : tick_us;
  };
  const sync::SmallestDelays& recorded = estimate.recorded_delays;
  const bool are_right = !estimate.applied && recorded.between_us >= 0 && recorded.within_us >= 0;
  const sync::SmallestDelays& smallest = are_right ? recorded : estimate.mapped_delays;
  const auto between = choose(smallest.between_us, estimate.half_trips.between_us);
  const auto within = choose(smallest.within_us, estimate.half_trips.within_us);
  if (!between) return {within, std::nullopt};
  return {between, within == between ? std::nullopt : within};
}

double choose_clock_difference(const sync::Estimate& estimate, bool mapped, double min_delay_us, double node_delay_us) {
  // A larger one only costs memory: events wait for clock difference / error, 2 ms with the default error.
  constexpr double least = 10;
  const sync::SmallestDelays& smallest = mapped ? estimate.mapped_delays : estimate.recorded_delays;
  const double missing = std::max(min_delay_us - smallest.between_us, node_delay_us - smallest.within_us);
  return missing > least ? rounded(missing, 2, std::ceil) : least;
}

std::span<const std::string_view> estimation_methods() noexcept { return methods; }

sync::Method estimation_method(std::string_view option, const std::string& word) {
  return static_cast<sync::Method>(choice(option, word, {methods.begin(), methods.end()}));
}

std::string_view name_of(sync::Method method) noexcept { return methods[static_cast<std::size_t>(method)]; }

std::string failure_text(const sync::Estimate& estimate, const Definitions& definitions) {
  const sync::NoSolution& failure = *estimate.failure;
  const auto number = [&](sync::ClockIndex clock) { return std::to_string(definitions.processes()[clock].number); };
  const std::string pair = "processes " + number(failure.first) + " and " + number(failure.second);
  const std::string intervals =
      failure.intervals > 1 ? " in an interval (" + std::to_string(failure.intervals) + " intervals)" : "";
  switch (failure.cause) {
    case sync::NoSolution::Cause::no_line:
      return "no straight line lies between the messages of " + pair + ", as the rate of a clock varies";
    case sync::NoSolution::Cause::contradicts:
      return "the messages of " + pair + " contradict each other, directly or through others" + intervals;
    case sync::NoSolution::Cause::one_way:
      return "too few messages in one direction between " + pair + ", directly or through others" + intervals;
    case sync::NoSolution::Cause::too_many:
      break;
    case sync::NoSolution::Cause::not_measured:
      return "the trace has no usable measured offsets, lines %sync or %offset";
    case sync::NoSolution::Cause::circle:
      return "the references of " + pair + " form a circle";
  }
  return "the trace has too many processes for it" +
         (failure.intervals > 1 ? " with " + std::to_string(failure.intervals) + " intervals" : std::string());
}

void require_solution(const sync::Estimate& estimate, const Definitions& definitions, const std::string& option) {
  if (!estimate.failure) return;
  throw InputError(option + " has no solution: " + failure_text(estimate, definitions) + "; use method smooth");
}

OffsetsFile read_measured(const std::string& name, sync::Method method, const std::string& option) {
  OffsetsFile file{name, read_offsets(name)};
  if (method == sync::Method::measured) return file;
  if (method != sync::Method::smooth && method != sync::Method::line)
    throw UsageError("--offsets makes no sense with " + option + ", which uses messages only");
  for (const auto& [process, line] : file.offsets)
    for (const OffsetPoint& point : line.points())
      if (point.has_error()) return file;
  throw UsageError("--offsets " + file.name + ": no line has an error, by which " + option +
                   " weighs it; expected %offset PROCESS TIME OFFSET ERROR");
}

Steps steps_of(const sync::Estimate& estimate, const Definitions& definitions) {
  Steps steps;
  for (sync::ClockIndex clock = 0; clock < estimate.clocks.size(); ++clock)
    if (const auto& step = estimate.clocks[clock].step; step && definitions.processes()[clock].clock == clock)
      steps.emplace_back(clock, *step);
  return steps;
}

std::string words_of(const Steps& steps, const Definitions& definitions) {
  constexpr std::size_t most = 8;
  const auto of = [&](const auto& step) {
    return "process " + std::to_string(definitions.processes()[step.first].number);
  };
  const auto at = [](const auto& step) { return " at about tick " + std::to_string(step.second.ticks()); };
  if (steps.empty()) return {};
  if (steps.size() == 1) return "the clock of " + of(steps.front()) + " was set" + at(steps.front());
  std::string text = "clocks were set: that of ";
  for (std::size_t i = 0; i < std::min(most, steps.size()); ++i)
    text += (i == 0 ? "" : ", of ") + of(steps[i]) + at(steps[i]);
  if (steps.size() > most) text += " and of " + std::to_string(steps.size() - most) + " more";
  return text;
}

std::vector<std::string> warnings_of_steps(const sync::Estimate& estimate, const Definitions& definitions) {
  const std::string words = words_of(steps_of(estimate, definitions), definitions);
  if (words.empty()) return {};
  return {words + (estimate.applied ? "; the map is wrong around each step, and less certain after it"
                                    : "; nothing is mapped")};
}

std::string why_not_mapped(const sync::Estimate& estimate, const Definitions& definitions) {
  const std::string nothing = ": nothing is mapped";
  if (estimate.impossible) {
    const sync::ClockEstimate& clock = estimate.clocks[*estimate.impossible];
    return "the clock of process " + std::to_string(definitions.processes()[*estimate.impossible].number) +
           " would be mapped at a rate of " + digits(clock.rate_ppm) + " ppm with deviations of up to " +
           digits(clock.deviation_us) + " us; no clock runs like that" + nothing;
  }
  if (is_outweighed_by_steps(estimate, definitions))
    return "the map reduces the largest violation by less than a factor of 100, which does not outweigh the steps" +
           nothing;
  if (estimate.groups == 0) return "nothing to estimate" + nothing;
  if (estimate.recorded.violated != 0) return "recorded times are at least as good" + nothing;
  double most = 0;
  for (const sync::ClockEstimate& clock : estimate.clocks)
    most = std::max({most, std::abs(clock.first_us), std::abs(clock.last_us)});
  return "no message contradicts the recorded times; offsets of up to " + digits(most) +
         " us, as estimated, are not applied" + nothing;
}

std::string contradicting_messages(bool by_length) {
  return std::string("messages contradict each other: clocks were set, ") +
         (by_length ? "-mmd is too large, or --bandwidth is too small" : "or -mmd is too large");
}

std::vector<std::string> doubts_of(const FirstPass& pass, const Definitions& definitions, bool by_length) {
  const sync::Estimate& estimate = pass.estimate;
  // So do messages that are matched wrongly.
  const bool contradict = estimate.contradiction && pass.complete;
  // Steps that outweigh a better map are told as a warning.
  if (estimate.applied || is_outweighed_by_steps(estimate, definitions)) return {};
  if (!estimate.impossible && !contradict) return {};
  const std::string contradiction = contradict ? contradicting_messages(by_length) + "; " : "";
  return {contradiction + why_not_mapped(estimate, definitions)};
}

std::vector<std::string> warnings_of_measurements(const sync::Estimate& estimate, const Definitions& definitions) {
  constexpr std::uint64_t single = 100;
  std::vector<std::string> warnings;
  const auto add = [&](std::uint64_t used, std::uint64_t not_used, const std::string& what,
                       const std::set<sync::ClockIndex>& clocks, const char* remedy) {
    if (not_used == 0 || single * not_used < used + not_used) return;
    warnings.push_back(std::to_string(not_used) + " of " + counted(used + not_used, what) +
                       (not_used == 1 ? " is" : " are") + " not used, because the messages contradict " +
                       (not_used == 1 ? "it" : "them") + " (" + processes_of(clocks, definitions) + "); " + remedy);
  };
  add(estimate.measured.offsets, estimate.measured.offsets_contradicting, "offset",
      estimate.measured.contradicting_offsets_of,
      "check whether they have the wrong sign, are those of another run, or are less exact than they state");
  add(estimate.measured.round_trips, estimate.measured.round_trips_contradicting, "round trip",
      estimate.measured.contradicting_trips_of,
      "check whether they are those of another run, and whether clocks were set");
  std::set<sync::ClockIndex> once;
  for (sync::ClockIndex clock = 0; clock < estimate.clocks.size(); ++clock)
    if (estimate.clocks[clock].flag == sync::Flag::measured_once) once.insert(clock);
  if (!once.empty())
    warnings.push_back(
        "round trips were measured at one time only, so rates are not known (" + processes_of(once, definitions) +
        "); the map is less certain at other times; use method smooth, or measure also after the program");
  return warnings;
}

MeasuredCounts measured_counts(const sync::Estimate& estimate) noexcept {
  return {estimate.measured.offsets, estimate.measured.offsets_contradicting, estimate.measured.round_trips,
          estimate.measured.round_trips_contradicting};
}

std::string contradiction_text(const sync::Estimate& estimate) {
  if (!does_harm(estimate.mapped, estimate.recorded)) return {};
  return "messages contradict the measured offsets: " + percent(estimate.mapped) +
         " of the binding edges are mapped below the minimum delay, by up to " + digits(estimate.mapped.worst_us) +
         " us, against " + percent(estimate.recorded) +
         " in recorded times; check whether the offsets are those of this run, or use method smooth";
}

std::string violations_line(const sync::Estimate& estimate) {
  return "binding edges below the minimum delay: recorded " + share(estimate.recorded) + "; mapped " +
         share(estimate.mapped) +
         used_and_not(estimate.measured.round_trips, estimate.measured.round_trips_contradicting, "round trip") +
         used_and_not(estimate.measured.offsets, estimate.measured.offsets_contradicting, "offset");
}

}  // namespace clc::tool
