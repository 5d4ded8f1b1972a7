#include "report/regulators.hpp"

#include <ostream>

#include "report/format.hpp"

namespace clc {

std::string_view words_of(const NotQuartz& proof) noexcept {
  return proof.all_ahead ? "all processes were ahead of their clocks"
                         : "a circle of messages ran ahead of its own clocks";
}

RegulatorFigures regulator_figures(const Analysis& analysis, const Parameters& parameters) {
  RegulatorFigures figures{analysis.regulation.regulator_b,
                           analysis.regulation.regulator_c,
                           analysis.regulation.events_below_gamma_max,
                           {},
                           analysis.regulation.quartz_at_first,
                           analysis.regulation.not_quartz,
                           parameters.order == Parameters::Order::epochs};
  if (analysis.regulation.gamma_course.any())
    figures.gamma = {analysis.regulation.gamma_course.mean(), analysis.regulation.gamma_course.lowest()};
  return figures;
}

void write_regulators(JsonWriter& json, const RegulatorFigures& figures) {
  const auto regulator = [&](std::string_view name, std::optional<double> lowest, std::uint64_t below) {
    json.key(name).begin_object();
    json.field("lowest_gamma", lowest).field("below_gamma_max", below);
    json.end_object();
  };
  const auto lowest = [](const RegulatorStatistics& of) {
    return of.below > 0 ? std::optional(of.lowest) : std::nullopt;
  };
  const auto& gamma = figures.gamma;
  regulator("B", lowest(figures.b), figures.b.below);
  regulator("C", lowest(figures.c), figures.c.below);
  regulator("together", gamma ? std::optional(gamma->lowest) : std::nullopt, figures.below_gamma_max);
  json.field("mean_gamma", gamma ? std::optional(gamma->mean) : std::nullopt);
  json.field("quartz", figures.quartz_at_first && !figures.not_quartz).key("not_quartz");
  if (!figures.not_quartz) {
    json.null();
    return;
  }
  json.begin_object().field("time_ticks", figures.not_quartz->time.ticks());
  json.field("proof", figures.not_quartz->all_ahead ? "all processes ahead" : "a circle of messages gained");
  json.end_object();
}

void write_regulators(std::ostream& out, const RegulatorFigures& figures, const Parameters& parameters,
                      std::uint64_t events) {
  const auto regulator = [&](char name, bool is_on, const RegulatorStatistics& found) {
    if (!is_on) return;
    out << "  " << name << ": ";
    if (found.below == 0)
      out << "never needed\n";
    else
      out << format("lowest gamma %.6g, below gamma_max for ", found.lowest) << percent(found.below, events)
          << " of the events\n";
  };
  if (figures.quartz_at_first && !figures.not_quartz) {
    out << "  clocks count as quartz: nothing in the trace disproves it\n";
  } else if (figures.quartz_at_first) {
    out << "  clocks no longer count as quartz " << (figures.by_epochs ? "two epochs after" : "from") << " tick "
        << figures.not_quartz->time.ticks() << (figures.by_epochs ? ": " : " on: ") << words_of(*figures.not_quartz)
        << '\n';
  }
  const Parameters::Bounds bounds = parameters.bounds(figures.quartz_at_first && !figures.not_quartz);
  if (parameters.regulator_a) out << format("  A: gamma_max %.9g\n", bounds.gamma_max);
  regulator('B', parameters.regulator_b, figures.b);
  regulator('C', parameters.regulator_c, figures.c);
  if (parameters.regulator_d) out << format("  D: gamma_min %.9g\n", bounds.gamma_min);
  if (figures.gamma)
    out << format("  together: mean gamma %.9g, lowest %.9g, below gamma_max for ", figures.gamma->mean,
                  figures.gamma->lowest)
        << percent(figures.below_gamma_max, events) << " of the events\n";
  else
    out << "  together: no process was ever ahead, gamma was not needed\n";
}

}  // namespace clc
