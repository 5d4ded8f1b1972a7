#include "filter/sweep.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ostream>

#include "clc/report.hpp"

namespace clc::filter {

std::vector<double> SweptDelays::values() const {
  constexpr double each = 4;  // of a power of ten
  const double steps = from == to ? 0 : std::max(1.0, std::round(each * std::log10(to / from)));
  std::vector<double> delays;
  for (double step = 0; step < steps; ++step) delays.push_back(from * std::pow(to / from, step / steps));
  delays.push_back(to);
  return delays;
}

Sweep::Sweep(Parameters parameters, const Definitions& definitions, const SweptDelays& delays, EventSink& sink)
    : definitions_(definitions) {
  const std::vector<double> values = delays.values();
  parameters.max_memory = std::max(Parameters::least_memory, parameters.max_memory / values.size());
  for (const double delay : values) {
    parameters.min_delay_us = delay;
    runs_.emplace_back(parameters, definitions, runs_.empty() ? sink : nowhere_);
  }
}

void Sweep::write(std::ostream& out) const {
  out << "       mmd    violated  %      contra-  %      largest        intervals  largest     verdict\n"
         "       us     in input         dicted          correction us  changed %  change us\n";
  for (const Run& run : runs_) {
    const Analysis& a = run.filter.analysis();
    const Report report(a, definitions_, run.parameters, {});
    const auto us = [this](double ticks) { return definitions_.resolution.microseconds(ticks); };
    const auto share = [](std::uint64_t part, std::uint64_t whole) {
      return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
    };
    std::uint64_t largest = 0;
    for (const ProcessStatistics& process : a.processes())
      largest = std::max(largest, magnitude(process.largest_shift));
    const std::uint64_t violated = a.messages().violated + a.collectives().violated;
    const RoundTripStatistics& trips = a.short_trips();
    std::array<char, 200> line{};
    std::snprintf(line.data(), line.size(), "%10.4g  %10llu  %-5.3g  %7llu  %-5.3g  %14.6g  %9.3g  %10.4g   %s\n",
                  *run.parameters.min_delay_us, static_cast<unsigned long long>(violated),
                  share(violated, a.messages().edges + a.collectives().edges),
                  static_cast<unsigned long long>(trips.near()), share(trips.near(), trips.trips()),
                  us(static_cast<double>(largest)), 100 * a.changed_share(), us(a.all_intervals().largest),
                  std::string(name_of(report.verdict().judgement)).c_str());
    out << line.data();
  }
  const Report report(runs_.front().filter.analysis(), definitions_, runs_.front().parameters, {});
  if (const std::optional<double> advice = report.advised_min_delay_us())
    out << "ADVICE -- by the fastest round trips: -mmd " << *advice << '\n';
}

}  // namespace clc::filter
