// Who sends to whom: mean delay, and transfer rate [R fig. 6.3]. Rows are senders, columns receivers.

#include <algorithm>
#include <cmath>
#include <limits>

#include "view/figures/figures.hpp"
#include "view/figures/scale.hpp"
#include "view/figures/svg.hpp"

namespace clc::view {

namespace {

constexpr double matrix_width = 560;
constexpr double name_room = 112;  // beside the rows
constexpr double top = 74;
constexpr std::size_t most_numbers = 8;  ///< larger matrices have no numbers in their cells

/// What a matrix shows of a cell; negative: the delay is below zero; infinite: it is zero and has no rate.
using Value = double (*)(const Traffic& traffic, Column side, double per_second);

double mean_delay(const Traffic& traffic, Column side, double per_second) {
  return traffic.side[side].delays / static_cast<double>(traffic.messages) / per_second;
}

double transfer_rate(const Traffic& traffic, Column side, double per_second) {
  const double seconds = traffic.side[side].delays / per_second;
  return seconds > 0 ? traffic.bytes / seconds : seconds < 0 ? -1 : std::numeric_limits<double>::infinity();
}

std::string number(double value, bool rates) {
  if (rates) return value < 0 || std::isinf(value) ? "\xE2\x80\x94" : rounded_count(value);
  const std::string text = duration(value);
  return text.substr(0, text.find("\xC2\xA0"));
}

std::string words(double value, bool rates) {
  if (!rates) return duration(value);
  if (std::isinf(value)) return "no rate: the mean delay is zero";
  return value < 0 ? "no rate: the mean delay is below zero" : rate(value);
}

/// Where cells are.
struct Grid {
  std::size_t size;
  double cell;  ///< width
  double row;   ///< height

  explicit Grid(std::size_t processes) : size(processes) {
    const double room = std::floor((matrix_width - name_room - 12) / static_cast<double>(size) * 100) / 100;
    cell = numbers() ? std::min(room, 96.0) : room;
    row = numbers() ? std::min(cell, 40.0) : cell;
  }
  [[nodiscard]] bool numbers() const noexcept { return size <= most_numbers; }
  [[nodiscard]] double x(std::size_t column) const noexcept { return name_room + static_cast<double>(column) * cell; }
  [[nodiscard]] double y(std::size_t line) const noexcept { return top + static_cast<double>(line) * row; }
};

/// The matrix of a side.
class MatrixPanel {
 public:
  MatrixPanel(const Scene& scene, Column side, Value value, bool rates)
      : scene_(scene),
        matrix_(scene.model.traffic()),
        side_(side),
        value_(value),
        rates_(rates),
        second_(static_cast<double>(scene.model.definitions().resolution.per_second())),
        grid_(matrix_.size()),
        svg_(rates ? "rates" : "delays", matrix_width, grid_.y(grid_.size) + 54,
             std::string(side_title(scene, side)) + ": " + (rates ? "transfer rate" : "mean delay") +
                 " of messages by sender and receiver") {}

  std::string draw() {
    svg_.text(name_room, 18, side_title(scene_, side_), Anchor::start, "title");
    svg_.text(name_room, 40, "receiver \xE2\x86\x92");
    svg_.text(name_room - 8, top - 12, "sender \xE2\x86\x93", Anchor::end);
    find_range();
    draw_names();
    svg_.rect("none", name_room, top, grid_.cell * static_cast<double>(grid_.size),
              grid_.row * static_cast<double>(grid_.size));
    for (std::size_t i = 0; i < grid_.size; ++i)
      for (std::size_t k = 0; k < grid_.size; ++k)
        if (matrix_.cell(i, k).messages != 0) draw_cell(i, k);
    draw_legend();
    return svg_.finish();
  }

 private:
  void find_range();
  void draw_names();
  void draw_cell(std::size_t sender, std::size_t receiver);
  void draw_legend();
  /// What is said of a cell.
  [[nodiscard]] std::string title(std::size_t sender, std::size_t receiver, double v) const;
  [[nodiscard]] std::string name(std::size_t process) const { return scene_.names.full_row(process, matrix_.group()); }
  /// Number of the colour.
  [[nodiscard]] int level(double v) const {
    if (v == 0) return 0;
    if (std::isinf(v)) return 4;
    if (!(highest_ > lowest_)) return 2;
    return static_cast<int>(std::clamp(std::log(v / lowest_) / std::log(highest_ / lowest_) * 5, 0.0, 4.0));
  }

  const Scene& scene_;
  const TrafficMatrix& matrix_;
  Column side_;
  Value value_;
  bool rates_;
  double second_;  ///< ticks
  Grid grid_;
  Svg svg_;
  double lowest_ = 1e300;  ///< values above zero
  double highest_ = 0;
  bool any_zero_ = false;
  bool any_back_ = false;
};

/// Both sides share their colours, so that they can be compared.
void MatrixPanel::find_range() {
  for (const Column side : shown_sides(scene_))
    for (std::size_t i = 0; i < grid_.size; ++i)
      for (std::size_t k = 0; k < grid_.size; ++k) {
        const Traffic& traffic = matrix_.cell(i, k);
        if (traffic.messages == 0) continue;
        const double v = value_(traffic, side, second_);
        any_zero_ = any_zero_ || v == 0;
        if (v <= 0 || std::isinf(v)) continue;
        lowest_ = std::min(lowest_, v);
        highest_ = std::max(highest_, v);
      }
}

void MatrixPanel::draw_names() {
  const auto every = static_cast<std::size_t>(std::ceil(14 / grid_.cell));
  const auto fits = static_cast<std::size_t>(grid_.cell * static_cast<double>(every) / 9);
  const std::vector<std::string> rows = scene_.names.rows(grid_.size, matrix_.group(), 15);
  const std::vector<std::string> columns =
      scene_.names.rows(grid_.size, matrix_.group(), std::max<std::size_t>(fits, 5));
  for (std::size_t i = 0; i < grid_.size; i += every) {
    const double at = (static_cast<double>(i) + 0.5) * grid_.cell;
    const double down = (static_cast<double>(i) + 0.5) * grid_.row;
    svg_.text(name_room - 8, top + down + 4, rows[i], Anchor::end, "small", name(i));
    if (letter_count(columns[i]) <= fits)
      svg_.text(name_room + at, top - 6, columns[i], Anchor::middle, "small", name(i));
  }
}

void MatrixPanel::draw_cell(std::size_t sender, std::size_t receiver) {
  const double x = grid_.x(receiver);
  const double y = grid_.y(sender);
  const double gap = grid_.cell > 6 ? 1 : 0;
  const double v = value_(matrix_.cell(sender, receiver), side_, second_);
  const bool back = v < 0;
  any_back_ = any_back_ || back;
  const std::string style = back ? "back" : numbered("m", static_cast<std::size_t>(level(v)));
  svg_.rect(style, x, y, grid_.cell - gap, grid_.row - gap, grid_.size <= 32 ? title(sender, receiver, v) : "");
  if (!grid_.numbers()) return;
  const bool dark = back || level(v) >= 4;
  const bool short_words = grid_.cell < 70 || (rates_ && (v < 0 || std::isinf(v)));
  svg_.text(x + grid_.cell / 2, y + grid_.row / 2 + 5, short_words ? number(v, rates_) : words(v, rates_),
            Anchor::middle, dark ? "on-dark" : "strong");
}

std::string MatrixPanel::title(std::size_t sender, std::size_t receiver, double v) const {
  const Traffic& traffic = matrix_.cell(sender, receiver);
  const auto& of_side = traffic.side[side_];
  return name(sender) + " \xE2\x86\x92 " + name(receiver) + ": " + words(v, rates_) + ", " + grouped(traffic.messages) +
         " messages, " + grouped(of_side.backward) + " received before sent, smallest delay " +
         duration(static_cast<double>(of_side.smallest) / second_);
}

/// What the colours mean.
void MatrixPanel::draw_legend() {
  double x = name_room;
  const double y = grid_.y(grid_.size) + 22;
  if (highest_ > 0) {
    const std::string from = words(any_zero_ ? 0 : lowest_, rates_);
    svg_.text(x, y + 11, from, Anchor::start, "small");
    x += 7.6 * static_cast<double>(from.size()) + 6;
    for (std::size_t i = 0; i < 5; ++i, x += 22) svg_.rect(numbered("m", i), x, y, 21, 14);
    svg_.text(x + 6, y + 11, words(highest_, rates_), Anchor::start, "small");
    x += 90;
  }
  if (any_back_) {
    svg_.rect("back", x, y, 21, 14);
    svg_.text(x + 27, y + 11, "below zero", Anchor::start, "small");
  }
}

std::vector<std::string> draw_matrices(const Scene& scene, Value value, bool rates) {
  std::vector<std::string> panels;
  if (scene.model.traffic().size() == 0) return panels;
  for (const Column side : shown_sides(scene)) panels.push_back(MatrixPanel(scene, side, value, rates).draw());
  return panels;
}

}  // namespace

std::vector<std::string> draw_delays(const Scene& scene) { return draw_matrices(scene, mean_delay, false); }
std::vector<std::string> draw_rates(const Scene& scene) { return draw_matrices(scene, transfer_rate, true); }

}  // namespace clc::view
