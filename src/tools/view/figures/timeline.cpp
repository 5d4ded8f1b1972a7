// The time lines as a still picture. page.js draws the same again for each part that is looked at closely.

#include <algorithm>
#include <array>
#include <cmath>

#include "view/figures/figures.hpp"
#include "view/figures/scale.hpp"
#include "view/figures/svg.hpp"

namespace clc::view {

namespace {

constexpr double full_width = 1100;
constexpr double widest_left = 142;
constexpr std::size_t longest_name = 15;  ///< letters
constexpr double right_margin = 14;
constexpr double margin = 4;  ///< room for the dots at both ends
constexpr double head_height = 28;
constexpr double foot_height = 30;
constexpr std::size_t most_messages = 2500;  ///< messages that are drawn one by one
constexpr std::size_t most_leaning = 100;    ///< messages drawn where there are too many
constexpr double least_lean = 4;             ///< pixels
constexpr std::size_t most_bars = 4000;      ///< segments that are drawn as they are
constexpr std::size_t pixels = 486;          ///< columns of a crowded picture: two pixels each

class Timeline {
 public:
  Timeline(const Scene& scene, Column side)
      : scene_(scene),
        model_(scene.model),
        side_(side),
        rows_(std::max<std::size_t>(1, model_.activities().grid(side).rows())),
        group_(model_.activities().grid(side).group()),
        row_height_(rows_ <= 8    ? 30
                    : rows_ <= 24 ? 20
                                  : 11),
        names_(scene.names.rows(rows_, group_, longest_name)),
        height_(head_height + row_height_ * static_cast<double>(rows_) + foot_height),
        svg_("timeline", full_width, height_, label()) {
    std::size_t longest = 0;
    for (const std::string& name : names_) longest = std::max(longest, letter_count(name));
    left_ = std::clamp(8.4 * static_cast<double>(longest) + 16, 48.0, widest_left);
    const double length = std::max(1.0, static_cast<double>(model_.shown().last() - model_.shown().first()));
    scale_ = {0, length, left_, full_width - right_margin};
  }

  std::string draw() {
    svg_.text(left_, 18, side_title(scene_, side_), Anchor::start, "title");
    axis();
    names();
    // What reaches beyond the time shown is cut.
    const double inner = full_width - right_margin - left_ + 2 * margin;
    svg_.raw("<svg x=\"" + coordinate(left_ - margin) + "\" width=\"" + coordinate(inner) + "\" height=\"" +
             coordinate(height_) + "\" viewBox=\"" + coordinate(left_ - margin) + " 0 " + coordinate(inner) + ' ' +
             coordinate(height_) + "\">\n");
    bars();
    points();
    messages();
    svg_.raw("</svg>\n");
    return svg_.finish();
  }

 private:
  [[nodiscard]] std::string label() const {
    return std::string(side_title(scene_, side_)) + ": time lines of " +
           grouped(model_.definitions().processes().size()) + " processes, " +
           grouped(model_.counts().messages[side_].backward) + " of " + grouped(model_.counts().messages[side_].edges) +
           " messages received before they were sent";
  }
  [[nodiscard]] double x(Time time) const { return scale_(static_cast<double>(time - model_.shown().first())); }
  [[nodiscard]] double y(std::size_t row) const { return head_height + row_height_ * (static_cast<double>(row) + 0.5); }
  [[nodiscard]] double row_of(ProcessIndex process) const { return y(process / group_); }
  [[nodiscard]] double bar() const { return std::round(row_height_ * 0.56); }

  void axis() {
    const auto second = static_cast<double>(model_.definitions().resolution.per_second());
    const double bottom = height_ - foot_height;
    LabelRow labels(8.5, full_width);
    const auto offset = static_cast<double>(model_.shown().first() - model_.shown().origin());
    for (const Tick& tick : duration_ticks(offset / second, (offset + scale_.to) / second, 8)) {
      const double at = scale_(tick.value * second - offset);
      svg_.line("rule", at, head_height, at, bottom + 5);
      const LabelRow::Place place = labels.place(at, tick.label);
      if (place.shown) svg_.text(at, bottom + 20, tick.label, place.at_end ? Anchor::end : Anchor::middle);
    }
  }

  void names() {
    const bool small = row_height_ < 14;
    for (std::size_t row = 0; row < rows_; ++row) {
      svg_.line("life", left_, y(row), full_width - right_margin, y(row));
      if (small && rows_ > 32 && row % 2 != 0) continue;
      svg_.text(left_ - 8, y(row) + (small ? 3.5 : 4.5), names_[row], Anchor::end, small ? "small" : "",
                scene_.names.full_row(row, group_));
    }
  }

  void bars() {
    std::array<Path, region_colours> paths;
    const std::vector<std::size_t> ranks = region_ranks(model_);
    if (model_.activities().segments().all() && model_.activities().segments().values().size() <= most_bars) {
      for (const Segment& segment : model_.activities().segments().values()) {
        const double from = x(segment.from[side_]);
        paths[ranks[segment.region]].rect(from, row_of(segment.process) - bar() / 2,
                                          std::max(0.3, x(segment.to[side_]) - from), bar());
      }
    } else {
      crowded_bars(paths, ranks);
    }
    for (std::size_t i = 0; i < paths.size(); ++i) svg_.path(numbered("r", i), paths[i].text());
  }

  /// Which region took most of each two pixels.
  void crowded_bars(std::array<Path, region_colours>& paths, const std::vector<std::size_t>& ranks) {
    const TimeGrid<Activity>& grid = model_.activities().grid(side_);
    const double step = (full_width - right_margin - left_) / static_cast<double>(pixels);
    std::vector<std::array<double, region_colours>> shares(pixels);
    for (std::size_t row = 0; row < grid.rows(); ++row) {
      std::fill(shares.begin(), shares.end(), std::array<double, region_colours>{});
      for (std::size_t column = 0; column < grid.columns(); ++column) {
        const auto [first, last] = pixels_of(grid, column);
        for (const Activity::Share& share : grid.cell(row, column).shares)
          if (share.region != Regions::none)
            for (std::size_t pixel = first; pixel <= last; ++pixel)
              shares[pixel][ranks[share.region]] +=
                  static_cast<double>(share.ticks) / static_cast<double>(last - first + 1);
      }
      const auto top = [&](std::size_t pixel) {
        auto* const most = std::max_element(shares[pixel].begin(), shares[pixel].end());
        return *most > 0 ? static_cast<int>(most - shares[pixel].begin()) + 1 : 0;
      };
      runs(
          top,
          [&](int rank, double from, double length) {
            paths[static_cast<std::size_t>(rank - 1)].rect(from, y(row) - bar() / 2, length, bar());
          },
          step);
    }
  }

  [[nodiscard]] std::pair<std::size_t, std::size_t> pixels_of(const TimeGrid<Activity>& grid,
                                                              std::size_t column) const {
    const double begin =
        static_cast<double>(grid.start() - model_.shown().first()) + grid.width() * static_cast<double>(column);
    const auto pixel = [&](double at) {
      return static_cast<std::size_t>(std::clamp(at / scale_.to * static_cast<double>(pixels), 0.0, pixels - 1.0));
    };
    return {pixel(begin), pixel(begin + grid.width() * 0.999)};
  }

  void points() {
    if (!model_.all_points() || model_.points().size() > most_messages) return;
    Path path;
    for (const Point& point : model_.points()) {
      const double at = x(point.time[side_]);
      path.move(at, row_of(point.process) - bar() / 2);
      path.line(at, row_of(point.process) + bar() / 2);
    }
    svg_.path("tick", path.text());
  }

  void messages() {
    if (!model_.all_arrows() || model_.arrows().size() > most_messages) return crowded_messages();
    Path forward;
    Path forward_heads;
    Path backward;
    Path backward_heads;
    for (const Arrow& arrow : model_.arrows()) {
      const bool back = arrow.delay(side_) < 0;
      Path& line = back ? backward : forward;
      Path& end = back ? backward_heads : forward_heads;
      line.move(x(arrow.sent[side_]), row_of(arrow.from));
      line.line(x(arrow.received[side_]), row_of(arrow.to));
      end.move(x(arrow.received[side_]), row_of(arrow.to));
      end.line(x(arrow.received[side_]), row_of(arrow.to));
    }
    svg_.path("message", forward.text());
    svg_.path("head", forward_heads.text());
    svg_.path("backward", backward.text());
    svg_.path("backward-head", backward_heads.text());
  }

  /// Too many to draw: a mark under the bar where messages that go back were sent, the stronger the more of them.
  void crowded_messages() {
    const TimeGrid<Activity>& grid = model_.activities().grid(side_);
    const double step = (full_width - right_margin - left_) / static_cast<double>(pixels);
    std::array<Path, 3> paths;
    Path busy;
    for (std::size_t row = 0; row < grid.rows(); ++row) {
      std::vector<double> sends(pixels);
      std::vector<double> backward(pixels);
      std::vector<double> events(pixels);
      for (std::size_t column = 0; column < grid.columns(); ++column) {
        const Activity& cell = grid.cell(row, column);
        const auto [first, last] = pixels_of(grid, column);
        for (std::size_t pixel = first; pixel <= last; ++pixel) {
          sends[pixel] += cell.sends;
          backward[pixel] += cell.backward;
          events[pixel] += cell.events;
        }
      }
      const auto level = [&](std::size_t pixel) {
        if (backward[pixel] <= 0) return 0;
        const double share = backward[pixel] / std::max(1.0, sends[pixel]);
        return share > 0.5 ? 3 : share > 0.1 ? 2 : 1;
      };
      runs(
          level,
          [&](int found, double from, double length) {
            paths[static_cast<std::size_t>(found - 1)].rect(from, y(row) + bar() / 2 - 1, length,
                                                            std::max(2.0, bar() / 3));
          },
          step);
      if (model_.regions().names().empty())
        runs([&](std::size_t pixel) { return events[pixel] > 0 ? 1 : 0; },
             [&](int, double from, double length) { busy.rect(from, y(row) - bar() / 2, length, bar() * 0.6); }, step);
    }
    svg_.path("busy", busy.text());
    for (std::size_t i = 0; i < paths.size(); ++i) svg_.path(numbered("back", i + 1), paths[i].text());
    leaning_messages();
  }

  /// Some of those that go back so far that it can be seen.
  void leaning_messages() {
    std::vector<const Arrow*> leaning;
    for (const Arrow& arrow : model_.arrows())
      if (x(arrow.sent[side_]) - x(arrow.received[side_]) >= least_lean) leaning.push_back(&arrow);
    const std::size_t step = leaning.size() / most_leaning + 1;
    Path path;
    for (std::size_t i = 0; i < leaning.size(); i += step) {
      path.move(x(leaning[i]->sent[side_]), row_of(leaning[i]->from));
      path.line(x(leaning[i]->received[side_]), row_of(leaning[i]->to));
    }
    svg_.path("lean", path.text());
  }

  template <class Level, class Draw>
  void runs(Level level, Draw draw, double step) {
    for (std::size_t pixel = 0; pixel < pixels;) {
      const int found = level(pixel);
      std::size_t end = pixel + 1;
      while (end < pixels && level(end) == found) ++end;
      if (found != 0) draw(found, left_ + step * static_cast<double>(pixel), step * static_cast<double>(end - pixel));
      pixel = end;
    }
  }

  const Scene& scene_;
  const Model& model_;
  Column side_;
  std::size_t rows_;
  std::size_t group_;
  double row_height_;
  std::vector<std::string> names_;
  double height_;
  double left_ = widest_left;
  Svg svg_;
  Scale scale_;
};

}  // namespace

std::vector<std::string> draw_timeline(const Scene& scene) {
  std::vector<std::string> panels;
  if (scene.model.counts().events == 0) return panels;
  for (const Column side : shown_sides(scene)) panels.push_back(Timeline(scene, side).draw());
  return panels;
}

}  // namespace clc::view
