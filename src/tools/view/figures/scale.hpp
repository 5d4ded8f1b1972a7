// Formats numbers and places them on an axis. A no-break space separates a number from its unit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "view/figures/svg.hpp"

namespace clc::view {

/// "1,234,567"
[[nodiscard]] std::string grouped(std::uint64_t number);
/// Three digits with the unit that fits: "12.3 µs", "-40.9 ms", "1.5 s", "300 ps", "0".
[[nodiscard]] std::string duration(double seconds);
/// Of a clock.
[[nodiscard]] std::string ppm(double rate);
/// Three digits: "1.2k", "34M".
[[nodiscard]] std::string rounded_count(double number);
/// Bytes per second with the unit that fits: "120 kB/s".
[[nodiscard]] std::string rate(double bytes_per_second);
/// "12.5 %", "0.003 %"
[[nodiscard]] std::string percent(double share);

struct Tick {
  double value;
  std::string label;
};

/// Values in seconds, at most most steps of them, labelled as durations with a unit that all share; a step is 1, 2 or 5
/// times a power of ten of that unit. page.js has the same for what it draws.
[[nodiscard]] std::vector<Tick> duration_ticks(double from, double to, int most);

/// From values to coordinates, a straight line.
struct Scale {
  double from = 0;
  double to = 1;
  double begin = 0;
  double end = 1;
  [[nodiscard]] double operator()(double value) const noexcept {
    return begin + (value - from) / (to - from) * (end - begin);
  }
};

/// Labels below an axis, from left to right, none over another or beyond the right end. page.js has the same.
class LabelRow {
 public:
  /// letter: width of one, pixels.
  LabelRow(double letter, double end) noexcept : letter_(letter), end_(end) {}

  struct Place {
    bool shown;
    bool at_end;  ///< it ends at its mark, and is else centred there
  };
  Place place(double at, const std::string& label) noexcept {
    const double width = letter_ * static_cast<double>(letter_count(label));
    const bool at_end = at + width / 2 > end_;
    const double begin = at_end ? at - width : at - width / 2;
    if (begin < used_) return {false, at_end};
    used_ = begin + width + letter_;
    return {true, at_end};
  }

 private:
  double letter_;
  double end_;
  double used_ = -1e300;
};

}  // namespace clc::view
