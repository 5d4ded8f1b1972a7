// The figures, each a picture by itself; --svg names them, the page shows them all.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "trace/offsets.hpp"
#include "view/figures/names.hpp"
#include "view/filter_report.hpp"
#include "view/model/model.hpp"

namespace clc::view {

/// What is drawn.
struct Scene {
  const Model& model;
  bool two_sides;                    ///< recorded and corrected times are known
  const FilterReport* report;        ///< nullptr: none
  const Verdict* verdict = nullptr;  ///< nullptr: not judged
  const Offsets* map = nullptr;      ///< of the clocks, before the correction; nullptr: none
  bool narrow = false;               ///< for a small screen
  Names names = Names(model.definitions());
};

/// The numbers of a figure, for those who do not see it: a table, which may leave out what would make it endless.
struct Numbers {
  static constexpr std::size_t most_rows = 64;

  std::string title;              ///< where a figure has several; else empty
  std::vector<std::string> head;  ///< the first column names the row
  std::vector<std::vector<std::string>> rows;
  std::string note;  ///< what is left out; empty: nothing
};

struct FigureInfo {
  std::string_view name;   ///< for --svg
  std::string_view title;  ///< for people
  /// The panels; none when the trace holds nothing to draw.
  std::vector<std::string> (*draw)(const Scene& scene);
  /// The same as tables.
  std::vector<Numbers> (*numbers)(const Scene& scene);
};

[[nodiscard]] std::vector<std::string> draw_timeline(const Scene& scene);
[[nodiscard]] std::vector<std::string> draw_delays(const Scene& scene);
[[nodiscard]] std::vector<std::string> draw_rates(const Scene& scene);
[[nodiscard]] std::vector<std::string> draw_delay_histogram(const Scene& scene);
[[nodiscard]] std::vector<std::string> draw_corrections(const Scene& scene);
[[nodiscard]] std::vector<std::string> draw_clocks(const Scene& scene);
[[nodiscard]] std::vector<std::string> draw_offsets(const Scene& scene);
[[nodiscard]] std::vector<std::string> draw_intervals(const Scene& scene);
[[nodiscard]] std::vector<std::string> draw_gamma(const Scene& scene);

[[nodiscard]] std::vector<Numbers> timeline_numbers(const Scene& scene);
[[nodiscard]] std::vector<Numbers> delay_numbers(const Scene& scene);
[[nodiscard]] std::vector<Numbers> rate_numbers(const Scene& scene);
[[nodiscard]] std::vector<Numbers> delay_histogram_numbers(const Scene& scene);
[[nodiscard]] std::vector<Numbers> correction_numbers(const Scene& scene);
[[nodiscard]] std::vector<Numbers> clock_numbers(const Scene& scene);
[[nodiscard]] std::vector<Numbers> offset_numbers(const Scene& scene);
[[nodiscard]] std::vector<Numbers> interval_numbers(const Scene& scene);
[[nodiscard]] std::vector<Numbers> gamma_numbers(const Scene& scene);

inline constexpr std::array<FigureInfo, 9> figures{{
    {"timeline", "Time lines", draw_timeline, timeline_numbers},
    {"delay-histogram", "Message delays", draw_delay_histogram, delay_histogram_numbers},
    {"delays", "Mean message delay by sender and receiver", draw_delays, delay_numbers},
    {"rates", "Transfer rate by sender and receiver", draw_rates, rate_numbers},
    {"corrections", "Correction over time", draw_corrections, correction_numbers},
    {"clocks", "Clock differences over time", draw_clocks, clock_numbers},
    {"offsets", "Clocks as mapped before the correction", draw_offsets, offset_numbers},
    {"gamma", "Control variable \xCE\xB3 over time", draw_gamma, gamma_numbers},
    {"intervals", "Changes of local intervals", draw_intervals, interval_numbers},
}};

[[nodiscard]] std::string_view side_title(const Scene& scene, Column side);
/// The sides there are to show.
[[nodiscard]] std::vector<Column> shown_sides(const Scene& scene);

/// Rank of a region among the colours: 0 to region_colours - 1, the last for all others.
inline constexpr std::size_t region_colours = 8;
[[nodiscard]] std::vector<std::size_t> region_ranks(const Model& model);

/// A picture that stands alone: the panels one below the other, with their style.
[[nodiscard]] std::string standalone(const std::vector<std::string>& panels);
[[nodiscard]] std::string_view figure_style();

}  // namespace clc::view
