#include "report/regulators.hpp"

namespace clc {

std::string_view words_of(const NotQuartz& proof) noexcept {
  return proof.all_ahead ? "all processes were ahead of their clocks"
                         : "a circle of messages ran ahead of its own clocks";
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
  json.begin_object().field("time", figures.not_quartz->time.ticks());
  json.field("proof", figures.not_quartz->all_ahead ? "all processes ahead" : "a circle of messages gained");
  json.end_object();
}

}  // namespace clc
