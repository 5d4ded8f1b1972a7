// The map of the clocks that a correction applied before the clock, over time, with its uncertainty.

#include <algorithm>
#include <cmath>
#include <optional>

#include "view/figures/figures.hpp"
#include "view/figures/frame.hpp"
#include "view/figures/scale.hpp"
#include "view/figures/svg.hpp"

namespace clc::view {

namespace {

/// How far a clock was ahead: a line through its first and its last point, and deviations from it.
struct Course {
  struct Place {
    double at;         ///< mapped time, seconds from the origin
    double deviation;  ///< seconds
  };
  std::uint64_t number = 0;  ///< of the process
  std::vector<Place> places;
  double first = 0;      ///< ahead at the first point, seconds
  double last = 0;       ///< at the last one
  double deviation = 0;  ///< the largest, seconds

  [[nodiscard]] double length() const { return places.back().at - places.front().at; }
  [[nodiscard]] double rate_ppm() const { return length() > 0 ? (last - first) / length() * 1e6 : 0; }
};

/// Standard deviation, seconds.
std::optional<double> error_of(const Scene& scene, std::uint64_t number) {
  if (scene.report == nullptr) return {};
  for (const FilterReport::Clock& clock : scene.report->clocks)
    if (clock.number == number && clock.partners != 0) return clock.error_us * 1e-6;
  return {};
}

Course course_of(const Scene& scene, std::uint64_t number, const OffsetLine& line) {
  const Model& model = scene.model;
  Course course;
  course.number = number;
  for (const OffsetPoint& point : line.points()) {
    const double offset = model.definitions().resolution.seconds(static_cast<double>(point.offset) + point.fraction);
    course.places.push_back({seconds_of(model, point.time - model.shown().origin()) + offset, -offset});
  }
  course.first = course.places.front().deviation;
  course.last = course.places.back().deviation;
  const double begin = course.places.front().at;
  const double slope = course.rate_ppm() * 1e-6;
  for (Course::Place& place : course.places) {
    place.deviation -= course.first + slope * (place.at - begin);
    course.deviation = std::max(course.deviation, std::abs(place.deviation));
  }
  return course;
}

/// Those that deviate most first.
std::vector<Course> courses(const Scene& scene) {
  std::vector<Course> all;
  if (scene.map == nullptr) return all;
  for (const auto& [number, line] : *scene.map)
    if (!line.points().empty()) all.push_back(course_of(scene, number, line));
  std::stable_sort(all.begin(), all.end(), [](const Course& a, const Course& b) { return a.deviation > b.deviation; });
  return all;
}

/// The part between from and to. Before the first and after the last point the line through the nearest two continues,
/// as in OffsetLine.
std::vector<Course::Place> part(const Course& course, double from, double to) {
  const std::vector<Course::Place>& places = course.places;
  const auto deviation = [&](double at) {
    if (places.size() < 2) return 0.0;
    const auto next =
        std::find_if(places.begin() + 1, places.end() - 1, [&](const Course::Place& p) { return p.at >= at; });
    const Course::Place& before = *(next - 1);
    if (!(next->at > before.at)) return next->deviation;
    return before.deviation + (next->deviation - before.deviation) * (at - before.at) / (next->at - before.at);
  };
  std::vector<Course::Place> shown{{from, deviation(from)}};
  for (const Course::Place& place : places)
    if (place.at > from && place.at < to) shown.push_back(place);
  shown.push_back({to, deviation(to)});
  return shown;
}

std::string draw_course(const Scene& scene, const Course& course) {
  constexpr double height = 220;
  const Scale time = time_scale(scene.model, narrow_width);
  const std::vector<Course::Place> places = part(course, time.from, time.to);
  const std::optional<double> known = error_of(scene, course.number);
  const double error = known.value_or(0);
  double low = -error;
  double high = error;
  for (const Course::Place& place : places) {
    low = std::min(low, place.deviation - error);
    high = std::max(high, place.deviation + error);
  }
  const Frame f = frame(scene.model, narrow_width, height, low, high, 50);
  const std::string title = "Clock of " + shortened(scene.names.of_number(course.number), 40);
  Svg svg("offsets", f.width, f.height, title + ": offset beside a line, over time");
  svg.text(10, 18, title, Anchor::start, "title");
  svg.text(10, 36,
           duration(std::abs(course.first)) + (course.first < 0 ? " behind" : " ahead") + " at the start, " +
               ppm(course.rate_ppm()) + (known ? ", \xC2\xB1 " + duration(error) : ""),
           Anchor::start, "small");
  f.time_axis(svg);
  f.duration_axis(svg);
  Path line;
  Path band;
  for (const Course::Place& place : places) {
    line.to(f.x(place.at), f.y(place.deviation));
    const double y = f.y(place.deviation + error);
    band.to(f.x(place.at), y);
  }
  std::for_each(places.rbegin(), places.rend(),
                [&](const Course::Place& place) { band.line(f.x(place.at), f.y(place.deviation - error)); });
  if (known) svg.path("band", band.text());
  svg.path("after-line", line.text());
  return svg.finish();
}

}  // namespace

std::vector<Numbers> offset_numbers(const Scene& scene) {
  Numbers table{
      {}, {"clock of", "points", "ahead at the first", "at the last", "rate", "deviation from a line"}, {}, {}};
  std::vector<Course> all = courses(scene);
  if (all.size() > Numbers::most_rows)
    table.note = grouped(Numbers::most_rows) + " of " + grouped(all.size()) + " clocks, those that deviate most";
  all.resize(std::min(all.size(), Numbers::most_rows));
  for (const Course& course : all)
    table.rows.push_back({scene.names.of_number(course.number), grouped(course.places.size()), duration(course.first),
                          duration(course.last), ppm(course.rate_ppm()), duration(course.deviation)});
  return {table};
}

std::vector<std::string> draw_offsets(const Scene& scene) {
  constexpr std::size_t most = 6;
  std::vector<std::string> panels;
  for (const Course& course : courses(scene)) {
    if (panels.size() == most) break;
    panels.push_back(draw_course(scene, course));
  }
  return panels;
}

}  // namespace clc::view
