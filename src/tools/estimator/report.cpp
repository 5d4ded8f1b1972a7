#include "estimator/report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "estimation/estimation.hpp"
#include "trace/printable.hpp"

namespace clc::estimator {

namespace {

std::string digits(const char* format, double value) {
  if (std::isnan(value)) return "-";
  std::array<char, 64> text{};
  const int length = std::snprintf(text.data(), text.size(), format, value);
  const std::string result(text.data(), static_cast<std::size_t>(length));
  return result.find_first_not_of("-0.") == std::string::npos && result.starts_with('-') ? result.substr(1) : result;
}

}  // namespace

void write_report(std::ostream& out, const sync::Estimate& estimate, const Definitions& definitions,
                  const std::string& name, const std::string& contradiction, bool by_length) {
  const std::size_t processes = definitions.processes().size();
  out << "# " << printable(name) << ": " << processes << (processes == 1 ? " process, " : " processes, ")
      << estimate.edges << (estimate.edges == 1 ? " edge, " : " edges, ") << estimate.windows
      << (estimate.windows == 1 ? " window\n" : " windows\n");
  out << "# " << tool::violations_line(estimate) << '\n';
  if (!contradiction.empty()) out << "# " << contradiction << '\n';
  if (estimate.raised != 0)
    out << "# all clocks are raised by " << estimate.raised << (estimate.raised == 1 ? " tick" : " ticks")
        << ", references too, because one would begin before the first recorded time\n";
  if (!estimate.rates && estimate.groups > 0)
    out << "# no rate differs significantly from the others: none is applied\n";
  const std::string set = tool::words_of(tool::steps_of(estimate, definitions), definitions);
  if (!set.empty()) out << "# " << set << '\n';
  if (!estimate.applied) out << "# " << tool::why_not_mapped(estimate, definitions) << '\n';
  if (estimate.intervals > 1) {
    out << "# divided into " << estimate.intervals << " intervals";
    if (estimate.unsolved != 0)
      out << "; " << estimate.unsolved << " of " << estimate.intervals + 1
          << " borders have no solution and are interpolated";
    out << '\n';
  }
  if (estimate.steps != 0)
    out << "# estimated from the part before the first large step, with straight lines after it\n";
  if (estimate.contradiction) out << "# " << tool::contradicting_messages(by_length) << "; bounds may be too narrow\n";
  if (estimate.groups > 1)
    out << "# " << estimate.groups << " groups without messages between them, each on a time of its own\n";
  std::vector<std::vector<std::string>> rows{
      {"process", "first/us", "last/us", "rate/ppm", "deviation/us", "error/us", "bound/us", "partners", "note"}};
  for (const EstimatedClock& clock : tool::estimated_clocks(estimate, definitions))
    rows.push_back({std::to_string(clock.process), digits("%.3f", clock.first_us), digits("%.3f", clock.last_us),
                    digits("%.4f", clock.rate_ppm), digits("%.3f", clock.deviation_us), digits("%.3f", clock.error_us),
                    digits("%.3f", clock.bound_us), std::to_string(clock.partners), clock.note});
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows)
    for (std::size_t i = 0; i + 1 < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const auto& row : rows) {
    out << "#";
    for (std::size_t i = 0; i + 1 < row.size(); ++i)
      out << ' ' << std::string(widths[i] - row[i].size(), ' ') << row[i];
    out << ' ' << row.back() << '\n';
  }
}

void write_offsets(std::ostream& out, const sync::Estimate& estimate, const Definitions& definitions) {
  for (std::size_t i = 0; i < estimate.clocks.size(); ++i) {
    const sync::ClockEstimate& clock = estimate.clocks[i];
    std::vector<OffsetPoint> points = clock.map.points();
    // A reference is the common time itself, but for what all clocks are raised by.
    if (!clock.reference_at.empty()) points.clear();
    for (const Time time : clock.reference_at) points.push_back({time, clock.map.at(time) - time, 0, 0});
    for (const OffsetPoint& point : points) out << offset_line(definitions.processes()[i].number, point) << '\n';
  }
}

}  // namespace clc::estimator
