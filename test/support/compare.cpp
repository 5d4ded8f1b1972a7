#include "compare.hpp"

#include <cmath>

namespace clc::test {

std::string compare(const Reference& expected, const Run& run, std::span<const Event> events) {
  for (std::size_t e = 0; e < events.size(); ++e) {
    const Ticks difference = run.written[e] - expected.written[e];
    if (difference < -1 || difference > 1)
      return std::string("not as the reference at event ") + std::to_string(e) + " of process " +
             std::to_string(events[e].process) + ": moved by " + std::to_string(run.written[e] - events[e].time) +
             ", expected " + std::to_string(expected.amortized[e]) + ", forward " + std::to_string(expected.forward[e]);
  }
  if (std::abs(run.analysis.gamma_course.lowest() - expected.lowest_gamma) > 1e-6)
    return "lowest gamma " + std::to_string(run.analysis.gamma_course.lowest()) + ", expected " +
           std::to_string(expected.lowest_gamma);
  for (const CaseInfo& info : cases) {
    if (run.analysis.counted(info.which) != expected.counted(info.which))
      return std::string(info.name) + " counted " + std::to_string(run.analysis.counted(info.which)) + ", expected " +
             std::to_string(expected.counted(info.which));
  }
  return {};
}

}  // namespace clc::test
