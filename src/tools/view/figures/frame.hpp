// The frame, grid and labels of curves over time.
#pragma once

#include <algorithm>
#include <cmath>

#include "view/figures/figures.hpp"
#include "view/figures/scale.hpp"
#include "view/figures/svg.hpp"

namespace clc::view {

inline constexpr double narrow_width = 560;

struct Frame {
  static constexpr double left = 84;
  static constexpr double right = 16;
  static constexpr double head = 34;
  static constexpr double foot = 34;

  double width;
  double height;
  Scale x;
  Scale y;

  void time_axis(Svg& svg) const {
    const double bottom = std::max(y.begin, y.end);
    const double top = std::min(y.begin, y.end);
    LabelRow labels(width > narrow_width ? 7.5 : 9.5, width);  // larger on a small screen
    for (const Tick& tick : duration_ticks(x.from, x.to, static_cast<int>((width - left) / 110))) {
      const double at = x(tick.value);
      svg.line("rule", at, top, at, bottom + 4);
      const LabelRow::Place place = labels.place(at, tick.label);
      if (place.shown) svg.text(at, bottom + 18, tick.label, place.at_end ? Anchor::end : Anchor::middle, "small");
    }
  }
  void duration_axis(Svg& svg) const {
    for (const Tick& tick : duration_ticks(y.from, y.to, 5)) {
      svg.line(tick.value == 0 ? "axis" : "rule", left, y(tick.value), width - right, y(tick.value));
      svg.text(left - 6, y(tick.value) + 4, tick.label, Anchor::end, "small");
    }
  }
};

[[nodiscard]] inline double seconds_of(const Model& model, Ticks ticks) {
  return model.definitions().resolution.seconds(static_cast<double>(ticks));
}

/// The time that is shown, seconds from the origin.
[[nodiscard]] inline Scale time_scale(const Model& model, double width) {
  const double from = seconds_of(model, model.shown().first() - model.shown().origin());
  const double to = seconds_of(model, model.shown().last() - model.shown().origin());
  return {from, std::max(to, from + 1e-12), Frame::left, width - Frame::right};
}

/// Over the time that is shown, and from low to high seconds.
inline Frame frame(const Model& model, double width, double height, double low, double high, double top = Frame::head) {
  if (!(high > low)) {
    high = low + std::max(std::abs(low) * 0.1, 1e-9);
    low -= std::max(std::abs(low) * 0.1, 1e-9);
  }
  const double room = (high - low) * 0.06;
  return {width, height, time_scale(model, width), {low - room, high + room, height - Frame::foot, top}};
}

/// Middle of a column, seconds from the origin.
template <class Cell>
[[nodiscard]] double middle(const Model& model, const TimeGrid<Cell>& grid, std::size_t column) {
  const double ticks =
      static_cast<double>(grid.start() - model.shown().origin()) + (static_cast<double>(column) + 0.5) * grid.width();
  return std::clamp(model.definitions().resolution.seconds(ticks),
                    seconds_of(model, model.shown().first() - model.shown().origin()),
                    seconds_of(model, model.shown().last() - model.shown().origin()));
}

}  // namespace clc::view
