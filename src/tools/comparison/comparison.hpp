// Table 7.1 of the thesis, measured: methods of synchronising clocks on simulated runs, by demand.
//
// Place    clc-sync --compare.
// Results  The same on every machine for the same seeds, except CPU times.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string_view>
#include <vector>

#include "comparison/trial.hpp"

namespace clc::comparison {

/// A demand on a method, as clocks and a program that show whether it is met.
struct Demand {
  std::string_view name;   ///< for JSON
  std::string_view title;  ///< for people
  tracegen::Settings settings;
};
[[nodiscard]] std::vector<Demand> demands();

/// A method, or none: the controlled logical clock alone.
struct Result {
  std::optional<sync::Method> method;
  std::uint64_t runs = 0;
  std::uint64_t solved = 0;
  Figures alone;      ///< of the runs with a solution; mapped times, or recorded ones
  Figures behind;     ///< with the controlled logical clock behind
  double cpu_ns = 0;  ///< sum over runs: of the estimate; without a method, of the clock
  std::uint64_t records = 0;
};

/// All methods on runs of one demand, with seeds from `first` on.
[[nodiscard]] std::vector<Result> compare(const Demand& demand, std::uint64_t first, std::uint64_t seeds);

struct Row {
  Demand demand;
  std::vector<Result> results;
};
void write_text(std::ostream& out, const std::vector<Row>& rows, std::uint64_t first, std::uint64_t seeds);
void write_json(std::ostream& out, const std::vector<Row>& rows, std::uint64_t first, std::uint64_t seeds);

}  // namespace clc::comparison
