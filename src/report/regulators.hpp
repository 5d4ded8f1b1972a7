// What the regulators did, as reports tell it, that of the filter and that of the parallel filter.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>

#include "clc/analysis.hpp"
#include "clc/parameters.hpp"
#include "report/json.hpp"

namespace clc {

struct RegulatorFigures {
  RegulatorStatistics b;
  RegulatorStatistics c;
  std::uint64_t below_gamma_max = 0;  ///< events
  struct Gamma {
    double mean = 1;
    double lowest = 1;
  };
  std::optional<Gamma> gamma;    ///< of all together; nullopt: no event had one
  bool quartz_at_first = false;  ///< clocks counted as quartz clocks at first
  std::optional<NotQuartz> not_quartz;
  bool by_epochs = false;  ///< what disproves quartz clocks counts two epochs later
};

[[nodiscard]] RegulatorFigures regulator_figures(const Analysis& analysis, const Parameters& parameters);

/// "all processes were ahead of their clocks"
[[nodiscard]] std::string_view words_of(const NotQuartz& proof) noexcept;
/// Keys of an object that is open.
void write_regulators(JsonWriter& json, const RegulatorFigures& figures);
/// Lines. events: of the trace.
void write_regulators(std::ostream& out, const RegulatorFigures& figures, const Parameters& parameters,
                      std::uint64_t events);

}  // namespace clc
