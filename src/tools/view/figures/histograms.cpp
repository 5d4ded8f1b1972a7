// How often which delay, and which change of a local interval.

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "view/figures/figures.hpp"
#include "view/figures/scale.hpp"
#include "view/figures/svg.hpp"

namespace clc::view {

namespace {

constexpr double width = 560;
constexpr double height = 250;
constexpr double left = 56;
constexpr double right = 16;
constexpr double head = 34;
constexpr double foot = 46;

/// Where a size is on a logarithmic axis. An octave is 4 long, and has 4 classes, the first of them the widest.
double place_of(double size) { return 4 * std::log2(size); }
double begin_of(int k) { return place_of(Histogram::lower(k)); }

/// An axis of sizes, logarithmic; negative ones mirrored to the left of zero.
class SizeAxis {
 public:
  /// Classes: the first one, and the ends of those on both sides.
  SizeAxis(int lowest, int negative_end, int positive_end)
      : lowest_(begin_of(lowest)), has_negative_(negative_end > lowest), gap_(has_negative_ ? 2 : 0) {
    const double negative = has_negative_ ? begin_of(negative_end) - lowest_ + gap_ : 0;
    const double positive = begin_of(std::max(positive_end, lowest + 1)) - lowest_ + gap_;
    step_ = (width - left - right) / (negative + positive);
    zero_ = left + step_ * negative;
  }
  /// Width of a class on average.
  [[nodiscard]] double step() const { return step_; }
  [[nodiscard]] double zero() const { return zero_; }
  [[nodiscard]] bool has_negative() const { return has_negative_; }
  /// Is there room for a label beside that of zero?
  [[nodiscard]] bool clear_of_zero(double x) const { return !has_negative() || std::abs(x - zero_) >= 34; }
  [[nodiscard]] double positive(double place) const { return zero_ + step_ * (place - lowest_ + gap_); }
  [[nodiscard]] double negative(double place) const { return zero_ - step_ * (place - lowest_ + gap_); }
  /// The bar of class k.
  void bar(Path& path, int k, double h, bool below = false) const {
    const double x = below ? negative(begin_of(k + 1)) : positive(begin_of(k));
    path.rect(x, height - foot - h, std::max(step_ * (begin_of(k + 1) - begin_of(k)) - 0.6, 0.8), h);
  }

 private:
  double lowest_;
  bool has_negative_;
  double gap_;
  double step_ = 1;
  double zero_ = left;
};

/// Labels at powers of ten, as many as fit; on a side without any, at both ends of its sizes.
/// zero: where the label 0 is.
void label(Svg& svg, const SizeAxis& axis, const Histogram& all, double unit, std::optional<double> zero,
           const std::function<std::string(double)>& name) {
  constexpr double letter = 9;  // of a small screen
  if (all.empty()) return;
  const double low = std::log10(Histogram::lower(all.first()) * unit);
  const double high = std::log10(Histogram::lower(all.end()) * unit);
  const double span = std::max(high - low, 0.1);
  const double room = (width - left - right) * (axis.has_negative() ? 0.5 : 1.0);
  const int every = std::max(1, static_cast<int>(std::ceil(span / std::max(1.0, room / 64))));
  const double bottom = height - foot;
  std::vector<std::pair<double, double>> taken;  // by labels
  if (zero) taken.emplace_back(*zero - letter, *zero + letter);
  const auto mark = [&](double x, double size, Anchor anchor) {
    svg.line("axis", x, bottom, x, bottom + 4);
    const std::string text = name(size);
    const double wide = letter * static_cast<double>(letter_count(text));
    const double begin = anchor == Anchor::start ? x : anchor == Anchor::middle ? x - wide / 2 : x - wide;
    for (const auto& [from, to] : taken)
      if (begin < to && from < begin + wide) return;
    taken.emplace_back(begin, begin + wide);
    svg.text(x, bottom + 18, text, anchor, "small");
  };
  bool above = false;  // has labels
  bool below = false;
  for (int power = static_cast<int>(std::ceil(low / every)) * every; power <= high; power += every) {
    const double size = std::pow(10, power);
    for (const int sign : {1, -1}) {
      if (sign < 0 && !axis.has_negative()) continue;
      const double place = place_of(size / unit);
      const double x = sign > 0 ? axis.positive(place) : axis.negative(place);
      if (x < left - 1 || x > width - right + 1 || !axis.clear_of_zero(x)) continue;
      mark(x, sign * size, Anchor::middle);
      (sign > 0 ? above : below) = true;
    }
  }
  for (const int sign : {1, -1}) {
    if (sign > 0 ? above : (below || !axis.has_negative())) continue;
    const auto place = [&](int k) { return sign > 0 ? axis.positive(begin_of(k)) : axis.negative(begin_of(k)); };
    const auto inside = [&](int k) { return place(k) >= left - 0.01 && place(k) <= width - right + 0.01; };
    int outer = all.end();
    while (outer > all.first() + 1 && !inside(outer)) --outer;  // this side may reach less far than the other
    mark(place(outer), sign * Histogram::lower(outer) * unit, sign > 0 ? Anchor::end : Anchor::start);
    if (const double x = place(all.first()); axis.clear_of_zero(x) && std::abs(place(outer) - x) >= 76)
      mark(x, sign * Histogram::lower(all.first()) * unit, Anchor::middle);
  }
}

/// Heights are logarithmic, too: one message that goes back is to be seen among a million.
double bar_height(double count, double most) {
  return count <= 0 ? 0 : std::log10(count * 2) / std::log10(std::max(most, 2.0) * 2) * (height - head - foot);
}

void count_axis(Svg& svg, double most, std::string_view what) {
  const double bottom = height - foot;
  const int powers = static_cast<int>(std::floor(std::log10(std::max(most, 1.0))));
  const int every = std::max(1, (powers + 3) / 4);
  for (int power = 0; power <= powers; power += every) {
    const double y = bottom - bar_height(std::pow(10, power), most);
    svg.line("rule", left, y, width - right, y);
    svg.text(left - 6, y + 4, rounded_count(std::pow(10, power)), Anchor::end, "small");
  }
  svg.line("axis", left, bottom, width - right, bottom);
  svg.text(left, height - 8, what, Anchor::start, "small");
}

/// The bars of all its classes.
std::string bars(const SizeAxis& axis, const Histogram& histogram, double most, bool below = false) {
  Path path;
  for (int k = histogram.first(); k < histogram.end(); ++k) {
    const double h = bar_height(static_cast<double>(histogram.count(k)), most);
    if (h > 0) axis.bar(path, k, h, below);
  }
  return path.text();
}

double largest_count(const Histogram& histogram) {
  double most = 0;
  for (int k = histogram.first(); k < histogram.end(); ++k)
    most = std::max(most, static_cast<double>(histogram.count(k)));
  return most;
}

void include_classes(Histogram& all, const Histogram& some) {
  if (some.empty()) return;
  all.add(Histogram::lower(some.first()));
  all.add(Histogram::lower(some.end() - 1));
}

std::string draw_delay_panel(const Scene& scene, Column side) {
  const Model& model = scene.model;
  const double tick = 1 / static_cast<double>(model.definitions().resolution.per_second());
  Histogram all;
  Histogram negative;
  Histogram positive;
  double most = 0;
  for (const Column s : shown_sides(scene)) {
    const SignedHistogram& h = model.counts().delays[s];
    for (const Histogram* half : {&h.negative, &h.positive}) {
      include_classes(all, *half);
      most = std::max(most, largest_count(*half));
    }
    include_classes(negative, h.negative);
    include_classes(positive, h.positive);
    most = std::max(most, static_cast<double>(h.zero));
  }
  const bool needs_zero = most > 0 && all.empty();
  if (needs_zero) all.add(1);
  const int lowest = all.first();
  const SizeAxis axis(lowest, negative.empty() ? lowest : negative.end(),
                      positive.empty() ? lowest + 1 : positive.end());
  Svg svg("delay-histogram", width, height,
          std::string(side_title(scene, side)) + ": how many messages have which delay, " +
              grouped(model.counts().messages[side].backward) + " below zero");
  svg.text(left, 18, side_title(scene, side), Anchor::start, "title");
  count_axis(svg, most, "messages by delay, logarithmic");
  const double bottom = height - foot;
  const SignedHistogram& own = model.counts().delays[side];
  if (own.zero != 0) {
    const double h = bar_height(static_cast<double>(own.zero), most);
    svg.rect("back", axis.zero() - axis.step(), bottom - h, 2 * axis.step(), h);
  }
  svg.path("back", bars(axis, own.negative, most, true));
  svg.path(side == recorded && scene.two_sides ? "before" : "after", bars(axis, own.positive, most));
  label(svg, axis, all, tick, axis.has_negative() ? std::optional(axis.zero()) : std::nullopt,
        [](double seconds) { return duration(seconds); });
  if (axis.has_negative()) {
    svg.line("axis", axis.zero(), head - 6, axis.zero(), bottom + 4);
    svg.text(axis.zero(), bottom + 18, "0", Anchor::middle, "small");
  }
  if (const std::uint64_t backward = model.counts().messages[side].backward; backward != 0)
    svg.text(width - right, 18, grouped(backward) + " below zero", Anchor::end, "warn");
  return svg.finish();
}

std::string draw_errors(const Scene& scene) {
  const Intervals& intervals = scene.model.intervals();
  const Histogram& errors = intervals.errors;
  Svg svg("intervals", width, height,
          "Relative changes of local intervals: " + grouped(intervals.exact) + " unchanged, " +
              grouped(intervals.changed) + " changed");
  svg.text(left, 18, "Change of intervals, corrected against recorded", Anchor::start, "title");
  const double most = std::max(largest_count(errors), static_cast<double>(intervals.exact));
  count_axis(svg, most, "intervals by relative change; left bar: unchanged");
  const double bottom = height - foot;
  const int first = errors.empty() ? -40 : errors.first();
  const SizeAxis axis(first - 8, first - 8, errors.empty() ? 4 : errors.end());
  const double exact = bar_height(static_cast<double>(intervals.exact), most);
  svg.rect("before", left, bottom - exact, axis.step() * 2.5, exact, grouped(intervals.exact) + " intervals unchanged");
  svg.text(left + 2, bottom + 18, "0", Anchor::start, "small");
  svg.path("after", bars(axis, errors, most));
  label(svg, axis, errors, 1, left + 6, [](double share) { return percent(share); });
  return svg.finish();
}

std::string draw_lengths(const Scene& scene) {
  const Model& model = scene.model;
  const double tick = 1 / static_cast<double>(model.definitions().resolution.per_second());
  Histogram all;
  double most = 0;
  for (const Column s : shown_sides(scene)) {
    include_classes(all, model.intervals().lengths[s]);
    most = std::max(most, largest_count(model.intervals().lengths[s]));
  }
  if (all.empty()) return {};
  Svg svg("intervals", width, height, "Lengths of local intervals");
  svg.text(left, 18, scene.two_sides ? "Length of intervals, before and after" : "Length of intervals", Anchor::start,
           "title");
  count_axis(svg, most, "intervals by length");
  const double bottom = height - foot;
  const SizeAxis axis(all.first(), all.first(), all.end());
  const auto outline = [&](const Histogram& histogram) {
    Path path;
    path.move(axis.positive(begin_of(histogram.first())), bottom);
    for (int k = histogram.first(); k < histogram.end(); ++k) {
      const double y = bottom - bar_height(static_cast<double>(histogram.count(k)), most);
      path.line(axis.positive(begin_of(k)), y);
      path.line(axis.positive(begin_of(k + 1)), y);
    }
    path.line(axis.positive(begin_of(histogram.end())), bottom);
    svg.path("after-line", path.text());
  };
  svg.path("before", bars(axis, model.intervals().lengths[recorded], most));
  if (scene.two_sides) {
    outline(model.intervals().lengths[corrected]);
    svg.rect("before", width - right - 150, 10, 12, 10);
    svg.text(width - right - 133, 19, "before", Anchor::start, "small");
    svg.line("after-line", width - right - 74, 15, width - right - 60, 15);
    svg.text(width - right - 54, 19, "after", Anchor::start, "small");
  }
  label(svg, axis, all, tick, std::nullopt, [](double seconds) { return duration(seconds); });
  return svg.finish();
}

}  // namespace

std::vector<std::string> draw_delay_histogram(const Scene& scene) {
  std::vector<std::string> panels;
  if (scene.model.counts().messages[recorded].edges == 0) return panels;
  for (const Column side : shown_sides(scene)) panels.push_back(draw_delay_panel(scene, side));
  return panels;
}

std::vector<std::string> draw_intervals(const Scene& scene) {
  std::vector<std::string> panels;
  const Intervals& intervals = scene.model.intervals();
  if (intervals.exact + intervals.changed + intervals.widened == 0) return panels;
  if (scene.two_sides) panels.push_back(draw_errors(scene));
  if (std::string lengths = draw_lengths(scene); !lengths.empty()) panels.push_back(std::move(lengths));
  return panels;
}

}  // namespace clc::view
