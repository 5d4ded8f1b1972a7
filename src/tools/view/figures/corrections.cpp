// Corrected minus recorded time: a line for each process; where they are too many, a band for each group of them.

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "view/figures/figures.hpp"
#include "view/figures/frame.hpp"
#include "view/figures/scale.hpp"
#include "view/figures/svg.hpp"

namespace clc::view {

namespace {

constexpr std::size_t most_lines = 64;  ///< processes
constexpr std::size_t most_bands = 8;   ///< colours, too

/// Of a group of processes in a column of time.
struct Band {
  Ticks lowest = ticks_max;
  Ticks median = 0;
  Ticks highest = ticks_min;
};

/// What a process has in a column: its own extent, or the last value that it had before.
class Held {
 public:
  explicit Held(std::size_t processes) : last_(processes) {}

  Extent of(std::size_t process, const Extent& cell) {
    Extent& last = last_[process];
    if (!cell.any()) return last;
    last = {cell.last, cell.last, cell.last};
    return cell;
  }

 private:
  std::vector<Extent> last_;
};

/// By column; a column in which no process of the group has begun has no band: lowest > highest.
std::vector<Band> band_of(const TimeGrid<Extent>& grid, std::size_t first, std::size_t end) {
  std::vector<Band> bands(grid.columns());
  Held held(end - first);
  std::vector<Ticks> values;
  for (std::size_t column = 0; column < grid.columns(); ++column) {
    values.clear();
    Band& band = bands[column];
    for (std::size_t process = first; process < end; ++process) {
      const Extent extent = held.of(process - first, grid.cell(process, column));
      if (!extent.any()) continue;
      band.lowest = std::min(band.lowest, extent.lowest);
      band.highest = std::max(band.highest, extent.highest);
      values.push_back(extent.last);
    }
    if (values.empty()) continue;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    band.median = *middle;
  }
  return bands;
}

std::string digits(double value) {
  std::array<char, 40> text{};
  return {text.data(), static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.12g", value))};
}

class CorrectionPanel {
 public:
  explicit CorrectionPanel(const Scene& scene)
      : scene_(scene),
        model_(scene.model),
        grid_(model_.corrections().grid()),
        width_(scene.narrow ? narrow_width : 1100),
        named_(grid_.rows() <= most_bands || grid_.rows() > most_lines),
        group_(grid_.rows() > most_lines ? (grid_.rows() + most_bands - 1) / most_bands : 1),
        names_(scene.names.rows((grid_.rows() + group_ - 1) / group_, group_, scene.narrow && group_ == 1 ? 9 : 14)),
        frame_(frame_of()),
        svg_("corrections", width_, frame_.height, label()) {}

  std::string draw() {
    svg_.text(scene_.narrow ? 10 : Frame::left, 18, title(), Anchor::start, "title");
    frame_.time_axis(svg_);
    frame_.duration_axis(svg_);
    if (grid_.rows() <= most_lines)
      lines();
    else
      bands();
    // The line of the process that is picked; for following.js, which seconds are where.
    const auto scale = [](const Scale& s) {
      return digits(s.from) + ' ' + digits(s.to) + ' ' + coordinate(s.begin) + ' ' + coordinate(s.end);
    };
    svg_.raw("<g class=\"picked\" data-x=\"" + scale(frame_.x) + "\" data-y=\"" + scale(frame_.y) + "\"></g>\n");
    return svg_.finish();
  }

 private:
  [[nodiscard]] Frame frame_of() const {
    Extent all;
    for (std::size_t row = 0; row < grid_.rows(); ++row)
      for (std::size_t column = 0; column < grid_.columns(); ++column) all.merge(grid_.cell(row, column));
    const double below_names = scene_.narrow ? 66 : 54;
    return frame(model_, width_, 320, std::min(0.0, seconds_of(model_, all.lowest)), seconds_of(model_, all.highest),
                 named_ ? below_names : Frame::head);
  }
  [[nodiscard]] std::string title() const {
    return "Corrected \xE2\x88\x92 recorded time, by " +
           std::string(grid_.rows() <= most_lines ? "process" : "group of processes");
  }
  [[nodiscard]] std::string label() const {
    return "Corrected minus recorded time of each process over time, up to " +
           duration(seconds_of(model_, model_.corrections().largest()));
  }
  [[nodiscard]] double y(Ticks ticks) const { return frame_.y(seconds_of(model_, ticks)); }
  [[nodiscard]] double x(std::size_t column) const { return frame_.x(middle(model_, grid_, column)); }

  void lines() {
    for (std::size_t row = 0; row < grid_.rows(); ++row) {
      Path path;
      for (std::size_t column = 0; column < grid_.columns(); ++column) {
        const Extent& cell = grid_.cell(row, column);
        if (!cell.any()) continue;
        const double low = y(cell.lowest);
        const double high = y(cell.highest);
        path.to(x(column), low);
        if (low - high <= 0.3) continue;
        path.line(x(column), high);
        if (y(cell.last) - high > 0.3) path.line(x(column), y(cell.last));
      }
      svg_.path(named_ ? numbered("curve c", row) : "thin", path.text());
      if (named_) name(row, names_[row]);
    }
  }

  void bands() {
    for (std::size_t group = 0; group * group_ < grid_.rows(); ++group) {
      const std::vector<Band> found = band_of(grid_, group * group_, std::min((group + 1) * group_, grid_.rows()));
      Path band;
      Path median;
      for (std::size_t column = 0; column < found.size(); ++column) {
        if (found[column].lowest > found[column].highest) continue;
        band.to(x(column), y(found[column].highest));
        median.to(x(column), y(found[column].median));
      }
      for (std::size_t column = found.size(); column-- > 0;)
        if (found[column].lowest <= found[column].highest) band.line(x(column), y(found[column].lowest));
      svg_.path(numbered("spread f", group), band.text());
      svg_.path(numbered("curve c", group), median.text());
      name(group, names_[group]);
    }
  }

  void name(std::size_t colour, const std::string& text) {
    const double left = scene_.narrow ? 10 : Frame::left;
    const std::size_t in_line = scene_.narrow ? 4 : most_bands;
    const double at = left + static_cast<double>(colour % in_line) * (scene_.narrow ? 136 : 126);
    const std::size_t line = colour / in_line;
    const double below = 38 + 16 * static_cast<double>(line);
    svg_.line(numbered("curve c", colour), at, below - 4, at + 14, below - 4);
    svg_.text(at + 18, below, text, Anchor::start, "small");
  }

  const Scene& scene_;
  const Model& model_;
  const TimeGrid<Extent>& grid_;
  double width_;
  bool named_;
  std::size_t group_;  ///< processes of a curve
  std::vector<std::string> names_;
  Frame frame_;
  Svg svg_;
};

}  // namespace

std::vector<Numbers> correction_numbers(const Scene& scene) {
  const Model& model = scene.model;
  const TimeGrid<Extent>& grid = model.corrections().grid();
  if (grid.empty()) return {};
  const std::size_t group = grid.rows() > most_lines ? (grid.rows() + most_bands - 1) / most_bands : 1;
  Numbers table{{}, {group == 1 ? "process" : "processes"}, {}, {}};
  std::vector<std::size_t> columns;
  for (std::size_t part = 0; part <= 4; ++part) columns.push_back((grid.columns() - 1) * part / 4);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  for (const std::size_t column : columns) table.head.push_back("at " + duration(middle(model, grid, column)));
  const auto time = [&](Ticks ticks) { return duration(seconds_of(model, ticks)); };
  for (std::size_t row = 0; row * group < grid.rows(); ++row) {
    table.rows.push_back({scene.names.full_row(row, group)});
    const std::vector<Band> found = band_of(grid, row * group, std::min((row + 1) * group, grid.rows()));
    for (const std::size_t column : columns) {
      const Band& band = found[column];
      table.rows.back().push_back(band.lowest > band.highest ? "not begun"
                                  : group == 1               ? time(band.median)
                                               : time(band.lowest) + " to " + time(band.highest) + ", median " +
                                                     time(band.median));
    }
  }
  return {table};
}

std::vector<std::string> draw_corrections(const Scene& scene) {
  if (!scene.two_sides || scene.model.corrections().grid().empty()) return {};
  return {CorrectionPanel(scene).draw()};
}

}  // namespace clc::view
