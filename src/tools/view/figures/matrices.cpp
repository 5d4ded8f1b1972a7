// Who sends to whom: mean delay, and transfer rate [R fig. 6.3]. Rows are senders, columns receivers.

#include <algorithm>
#include <cmath>

#include "view/figures/figures.hpp"
#include "view/figures/scale.hpp"
#include "view/figures/svg.hpp"

namespace clc::view {

namespace {

constexpr double width = 560;
constexpr double left = 112;
constexpr double top = 74;
constexpr std::size_t most_numbers = 8;  ///< larger matrices have no numbers in their cells

/// What a matrix shows of a cell; negative or none: a delay below zero.
using Value = double (*)(const Traffic& traffic, Column side, double per_second);

double mean_delay(const Traffic& traffic, Column side, double per_second) {
  return traffic.side[side].delays / static_cast<double>(traffic.messages) / per_second;
}

double transfer_rate(const Traffic& traffic, Column side, double per_second) {
  const double seconds = traffic.side[side].delays / per_second;
  return seconds > 0 ? traffic.bytes / seconds : -1;
}

std::string number(double value, bool rates) {
  if (rates) return value < 0 ? "\xE2\x80\x94" : rounded_count(value);
  const std::string text = duration(value);
  return text.substr(0, text.find("\xC2\xA0"));
}

std::string words(double value, bool rates) {
  if (!rates) return duration(value);
  return value < 0 ? "no rate: the mean delay is below zero" : rate(value);
}

std::string draw_matrix(const Scene& scene, Column side, Value value, bool rates) {
  const Model& model = scene.model;
  const TrafficMatrix& matrix = model.traffic();
  const auto second = static_cast<double>(model.definitions().resolution.per_second());
  const std::size_t size = matrix.size();
  const bool numbers = size <= most_numbers;
  const double room = std::floor((width - left - 12) / static_cast<double>(size) * 100) / 100;
  const double cell = numbers ? std::min(room, 96.0) : room;  // width
  const double row = numbers ? std::min(cell, 40.0) : cell;   // height
  const double edge = row * static_cast<double>(size);
  const double height = top + edge + 54;
  const std::string what = rates ? "transfer rate" : "mean delay";
  Svg svg(rates ? "rates" : "delays", width, height,
          std::string(side_title(scene, side)) + ": " + what + " of messages by sender and receiver");
  svg.text(left, 18, side_title(scene, side), Anchor::start, "title");
  svg.text(left, 40, "receiver \xE2\x86\x92");
  svg.text(left - 8, top - 12, "sender \xE2\x86\x93", Anchor::end);

  // Both sides share their colours, so that they can be compared.
  double lowest = 1e300;
  double highest = 0;
  for (const Column s : shown_sides(scene))
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t k = 0; k < size; ++k)
        if (const Traffic& traffic = matrix.cell(i, k); traffic.messages != 0)
          if (const double v = value(traffic, s, second); v > 0) {
            lowest = std::min(lowest, v);
            highest = std::max(highest, v);
          }
  const auto level = [&](double v) {
    if (!(highest > lowest)) return 2;
    return static_cast<int>(std::clamp(std::log(v / lowest) / std::log(highest / lowest) * 5, 0.0, 4.0));
  };

  const auto every = static_cast<std::size_t>(std::ceil(14 / cell));
  for (std::size_t i = 0; i < size; i += every) {
    const double at = (static_cast<double>(i) + 0.5) * cell;
    const double down = (static_cast<double>(i) + 0.5) * row;
    const std::string name = row_name(model.definitions(), i, matrix.group());
    svg.text(left - 8, top + down + 4, shortened(name, 12), Anchor::end, "small");
    const auto fits = static_cast<std::size_t>(cell * static_cast<double>(every) / 9);
    if (fits >= 8 || name.size() <= fits)
      svg.text(left + at, top - 6, shortened(name, std::max<std::size_t>(fits, 2)), Anchor::middle, "small");
  }
  svg.rect("none", left, top, cell * static_cast<double>(size), edge);
  bool any_back = false;
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t k = 0; k < size; ++k) {
      const Traffic& traffic = matrix.cell(i, k);
      const double x = left + static_cast<double>(k) * cell;
      const double y = top + static_cast<double>(i) * row;
      const double gap = cell > 6 ? 1 : 0;
      if (traffic.messages == 0) continue;
      const double v = value(traffic, side, second);
      const bool back = v < 0 || (!rates && v <= 0);
      any_back = any_back || back;
      const std::string style = back ? "back" : numbered("m", static_cast<std::size_t>(level(v)));
      std::string title;
      if (size <= 32)
        title = row_name(model.definitions(), i, matrix.group()) + " \xE2\x86\x92 " +
                row_name(model.definitions(), k, matrix.group()) + ": " + words(v, rates) + ", " +
                grouped(traffic.messages) + " messages, " + grouped(traffic.side[side].backward) +
                " received before sent, smallest delay " +
                duration(static_cast<double>(traffic.side[side].smallest) / second);
      svg.rect(style, x, y, cell - gap, row - gap, title);
      if (numbers) {
        const bool dark = back || level(v) >= 4;
        svg.text(x + cell / 2, y + row / 2 + 5, cell < 70 || (rates && v < 0) ? number(v, rates) : words(v, rates),
                 Anchor::middle, dark ? "on-dark" : "strong");
      }
    }
  // What the colours mean.
  double x = left;
  const double y = top + edge + 22;
  if (highest > 0) {
    const std::string from = words(lowest, rates);
    svg.text(x, y + 11, from, Anchor::start, "small");
    x += 7.6 * static_cast<double>(from.size()) + 6;
    for (std::size_t i = 0; i < 5; ++i, x += 22) svg.rect(numbered("m", i), x, y, 21, 14);
    svg.text(x + 6, y + 11, words(highest, rates), Anchor::start, "small");
    x += 90;
  }
  if (any_back) {
    svg.rect("back", x, y, 21, 14);
    svg.text(x + 27, y + 11, "below zero", Anchor::start, "small");
  }
  return svg.finish();
}

std::vector<std::string> draw_matrices(const Scene& scene, Value value, bool rates) {
  std::vector<std::string> panels;
  if (scene.model.traffic().size() == 0) return panels;
  for (const Column side : shown_sides(scene)) panels.push_back(draw_matrix(scene, side, value, rates));
  return panels;
}

}  // namespace

std::vector<std::string> draw_delays(const Scene& scene) { return draw_matrices(scene, mean_delay, false); }
std::vector<std::string> draw_rates(const Scene& scene) { return draw_matrices(scene, transfer_rate, true); }

}  // namespace clc::view
