// What changes over time: differences of clocks [R fig. 7.1], the control variable.

#include <algorithm>
#include <cmath>

#include "view/figures/figures.hpp"
#include "view/figures/frame.hpp"
#include "view/figures/scale.hpp"
#include "view/figures/svg.hpp"

namespace clc::view {

namespace {

/// "from -2 us to 3 us", of the whole trace.
std::string bounds_in_words(const Model& model, const Corridor::Bounds& all, Column side) {
  const bool upper = all.forth[side] != ticks_max;
  const bool lower = all.back[side] != ticks_max;
  const std::string most = duration(seconds_of(model, all.forth[side]));
  const std::string least = duration(seconds_of(model, subtract_saturating(0, all.back[side])));
  if (upper && lower && all.forth[side] < subtract_saturating(0, all.back[side]))
    return "at most " + most + ", yet at least " + least;
  if (upper && lower) return "from " + least + " to " + most;
  return upper ? "at most " + most : "at least " + least;
}

/// Upper and lower bound of a difference of clocks, with 0.
Extent range_of(const Scene& scene, const TimeGrid<Corridor::Bounds>& course) {
  Extent range;
  range.add(0);
  for (std::size_t column = 0; column < course.columns(); ++column)
    for (const Column side : shown_sides(scene)) {
      const Corridor::Bounds& cell = course.cell(0, column);
      if (cell.forth[side] != ticks_max) range.add(cell.forth[side]);
      if (cell.back[side] != ticks_max) range.add(subtract_saturating(0, cell.back[side]));
    }
  return range;
}

/// What messages allow on the whole, a line for each side.
void draw_bounds(Svg& svg, const Scene& scene, const Corridor::Bounds& all) {
  double y = 36;
  for (const Column side : shown_sides(scene)) {
    const std::string said = bounds_in_words(scene.model, all, side);
    const bool wrong = all.forth[side] < 0 || all.back[side] < 0;
    const std::string text = std::string(!scene.two_sides ? "" : side == recorded ? "recorded " : "corrected ") + said;
    svg.text(10, y, text, Anchor::start, wrong ? "warn small" : "small");
    y += 15;
  }
}

/// What messages allow over time, between two lines.
void draw_band(Svg& svg, const Frame& f, const Scene& scene, const TimeGrid<Corridor::Bounds>& course, Column side) {
  const Model& model = scene.model;
  Path upper;
  Path lower;
  Path band;
  std::vector<std::pair<double, double>> backwards;
  for (std::size_t column = 0; column < course.columns(); ++column) {
    const Corridor::Bounds& cell = course.cell(0, column);
    const double x = f.x(middle(model, course, column));
    const bool has_upper = cell.forth[side] != ticks_max;
    const bool has_lower = cell.back[side] != ticks_max;
    const double high = has_upper ? f.y(seconds_of(model, cell.forth[side])) : 0;
    const double low = has_lower ? f.y(seconds_of(model, subtract_saturating(0, cell.back[side]))) : 0;
    if (has_upper) upper.to(x, high);
    if (has_lower) lower.to(x, low);
    if (has_upper && has_lower) {
      band.to(x, high);
      backwards.emplace_back(x, low);
    }
  }
  std::reverse(backwards.begin(), backwards.end());
  for (const auto& [x, low] : backwards) band.line(x, low);
  const bool before = side == recorded && scene.two_sides;
  svg.path(before ? "before-band" : "band", band.text());
  svg.path(before ? "before-line" : "after-line", upper.text());
  svg.path(before ? "before-line" : "after-line", lower.text());
}

std::string draw_clock(const Scene& scene, const Corridor& pair) {
  const Model& model = scene.model;
  constexpr double height = 260;
  const Extent range = range_of(scene, pair.course);
  const Frame f =
      frame(model, narrow_width, height, seconds_of(model, range.lowest), seconds_of(model, range.highest), 62);
  const std::string title = "Clock of " + scene.names.row(pair.second, 1, 14) + " \xE2\x88\x92 clock of " +
                            scene.names.row(pair.first, 1, 14);
  Svg svg("clocks", f.width, f.height, title + ": bounds from messages, over time");
  svg.text(10, 18, title, Anchor::start, "title");
  draw_bounds(svg, scene, pair.all);
  f.time_axis(svg);
  f.duration_axis(svg);
  for (const Column side : shown_sides(scene)) draw_band(svg, f, scene, pair.course, side);
  return svg.finish();
}

}  // namespace

std::vector<Numbers> clock_numbers(const Scene& scene) {
  Numbers table{{}, {"clock of", "minus clock of", "messages", "backward"}, {}, {}};
  for (const Column side : shown_sides(scene))
    table.head.emplace_back(!scene.two_sides ? "bounds" : side == recorded ? "bounds, recorded" : "bounds, corrected");
  const std::vector<const Corridor*> pairs = scene.model.corridors();
  for (const Corridor* pair : pairs) {
    if (table.rows.size() == Numbers::most_rows) break;
    table.rows.push_back({scene.names.full(pair->second), scene.names.full(pair->first), grouped(pair->messages),
                          grouped(pair->backward)});
    for (const Column side : shown_sides(scene))
      table.rows.back().push_back(bounds_in_words(scene.model, pair->all, side));
  }
  if (pairs.size() > table.rows.size())
    table.note = grouped(table.rows.size()) + " of " + grouped(pairs.size()) +
                 " pairs, those with the most backward messages, then with the most messages";
  return {table};
}

std::vector<std::string> draw_clocks(const Scene& scene) {
  constexpr std::size_t most = 6;
  std::vector<std::string> panels;
  for (const Corridor* pair : scene.model.corridors()) {
    if (panels.size() == most) break;
    if (!pair->course.empty()) panels.push_back(draw_clock(scene, *pair));
  }
  return panels;
}

std::vector<std::string> draw_gamma(const Scene& scene) {
  if (scene.report == nullptr || scene.report->gamma.empty()) return {};
  const double width = scene.narrow ? narrow_width : 1100;
  constexpr double height = 280;
  const std::vector<FilterReport::GammaSpan>& spans = scene.report->gamma;
  // Shown is 1 - gamma, by which clocks that are ahead run slower, logarithmic.
  const auto loss = [](double gamma) { return std::log10(std::max(1 - gamma, 1e-7)); };
  double low = -4;
  double high = -6;
  for (const FilterReport::GammaSpan& span : spans) {
    low = std::min(low, loss(span.mean));
    high = std::max(high, loss(span.lowest));
  }
  low = std::floor(low + 1e-9);
  high = std::min(0.0, std::ceil(high - 1e-9));
  if (high <= low) high = low + 1;
  const Frame f{width, height, time_scale(scene.model, width), {low, high, Frame::head, height - Frame::foot}};
  Svg svg("gamma", width, height,
          "Control variable gamma over time, lowest " + std::to_string(scene.report->lowest_gamma));
  svg.text(Frame::left, 18, "\xCE\xB3 of processes that are ahead", Anchor::start, "title");
  f.time_axis(svg);
  for (double power = low; power <= high + 1e-9; ++power) {
    svg.line("rule", Frame::left, f.y(power), width - Frame::right, f.y(power));
    const double gamma = 1 - std::pow(10, power);
    std::string label = coordinate(gamma);
    if (power < -2)
      label = "1 \xE2\x88\x92 10" + std::string(power <= -7   ? "\xE2\x81\xBB\xE2\x81\xB7"
                                                : power <= -6 ? "\xE2\x81\xBB\xE2\x81\xB6"
                                                : power <= -5 ? "\xE2\x81\xBB\xE2\x81\xB5"
                                                : power <= -4 ? "\xE2\x81\xBB\xE2\x81\xB4"
                                                              : "\xE2\x81\xBB\xC2\xB3");
    svg.text(Frame::left - 6, f.y(power) + 4, label, Anchor::end, "small");
  }
  Path mean;
  Path lowest;
  for (const FilterReport::GammaSpan& span : spans) {
    if (span.to_s < f.x.from || span.from_s > f.x.to) continue;
    const double from = f.x(std::max(span.from_s, f.x.from));
    const double to = f.x(std::min(span.to_s, f.x.to));
    for (Path* path : {&mean, &lowest}) {
      const double y = f.y(std::clamp(loss(path == &mean ? span.mean : span.lowest), low, high));
      path->to(from, y);
      path->line(to, y);
    }
  }
  svg.path("before-line", lowest.text());
  svg.path("after-line curve", mean.text());
  svg.line("after-line", width - 160, 14, width - 146, 14);
  svg.text(width - 142, 18, "mean", Anchor::start, "small");
  svg.line("before-line", width - 90, 14, width - 76, 14);
  svg.text(width - 72, 18, "lowest", Anchor::start, "small");
  return {svg.finish()};
}

}  // namespace clc::view
