#include "compare.hpp"

#include <algorithm>
#include <cmath>

namespace clc::test {

std::vector<double> rounding_errors(std::span<const Event> events, std::span<const Time> written) {
  struct OfProcess {
    bool any = false;
    Time recorded;
    double offset = 0;
    double steepest = 0;
  };
  std::vector<OfProcess> processes;
  const auto offset = [&](std::size_t e) { return static_cast<double>(written[e] - events[e].time); };
  for (std::size_t e = 0; e < events.size(); ++e) {
    const Event& event = events[e];
    if (event.process >= processes.size()) processes.resize(event.process + std::size_t{1});
    OfProcess& process = processes[event.process];
    if (process.any && event.time != process.recorded) {
      const auto length = static_cast<double>(ticks_between(process.recorded, event.time));
      process.steepest = std::max(process.steepest, (offset(e) - process.offset) / length);
    }
    process = {true, event.time, offset(e), process.steepest};
  }
  std::vector<double> errors;
  for (std::size_t e = 0; e < events.size(); ++e)
    errors.push_back(offset(e) * 0x1p-53 * processes[events[e].process].steepest);
  return errors;
}

namespace {

std::string differ(const std::string& what, std::uint64_t found, std::uint64_t expected) {
  return found == expected ? std::string()
                           : what + ' ' + std::to_string(found) + ", expected " + std::to_string(expected);
}

/// Violations of all edges that are known, in force or given up.
std::string compare_violations(const Reference& expected, const Run& run, std::span<const Event> events) {
  std::uint64_t recorded = 0;
  std::uint64_t left = 0;
  for (const std::vector<Edge>* edges : {&expected.edges, &expected.given_up}) {
    for (const Edge& edge : *edges) {
      recorded += events[edge.head].time - events[edge.tail].time < edge.mu;
      left += run.written[edge.head] - run.written[edge.tail] < edge.mu;
    }
  }
  const std::string before =
      differ("violations recorded", run.analysis.messages().violated + run.analysis.collectives().violated, recorded);
  return before.empty() ? differ("violations left", run.analysis.violations_left(), left) : before;
}

}  // namespace

std::string compare(const Reference& expected, const Run& run, std::span<const Event> events) {
  const std::vector<double> errors = rounding_errors(events, expected.written);
  for (std::size_t e = 0; e < events.size(); ++e) {
    const Ticks difference = run.written[e] - expected.written[e];
    if (std::abs(static_cast<double>(difference)) > 1 + errors[e])
      return std::string("not as the reference at event ") + std::to_string(e) + " of process " +
             std::to_string(events[e].process) + ": moved by " + std::to_string(run.written[e] - events[e].time) +
             ", expected " + std::to_string(expected.amortized[e]) + ", forward " + std::to_string(expected.forward[e]);
  }
  if (std::abs(run.analysis.regulation.gamma_course.lowest() - expected.lowest_gamma) > 1e-6)
    return "lowest gamma " + std::to_string(run.analysis.regulation.gamma_course.lowest()) + ", expected " +
           std::to_string(expected.lowest_gamma);
  for (const CaseInfo& info : cases) {
    if (run.analysis.counted(info.which) != expected.counted(info.which))
      return std::string(info.name) + " counted " + std::to_string(run.analysis.counted(info.which)) + ", expected " +
             std::to_string(expected.counted(info.which));
  }
  return compare_violations(expected, run, events);
}

}  // namespace clc::test
