// Tables of time lines, histograms, matrices and the control variable.

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <set>

#include "view/figures/figures.hpp"
#include "view/figures/frame.hpp"
#include "view/figures/scale.hpp"
#include "view/figures/svg.hpp"

namespace clc::view {

namespace {

/// A column for each side.
void add_sides(std::vector<std::string>& head, const Scene& scene, std::string_view what) {
  if (!scene.two_sides)
    head.emplace_back(what);
  else
    for (const std::string_view side : {"recorded", "corrected"})
      head.push_back(std::string(what) + ", " + std::string(side));
}

/// How many of each class, of each side; halves: the histogram of a side, nullptr: none.
void add_classes(Numbers& table, const Scene& scene, const std::function<const Histogram&(Column)>& half, bool below,
                 const std::function<std::string(double)>& words) {
  std::set<int> classes;
  for (const Column side : shown_sides(scene))
    for (int k = half(side).first(); k < half(side).end(); ++k)
      if (half(side).count(k) != 0) classes.insert(k);
  std::vector<int> order(classes.begin(), classes.end());
  if (below) std::reverse(order.begin(), order.end());
  for (const int k : order) {
    const double from = below ? -Histogram::lower(k + 1) : Histogram::lower(k);
    const double to = below ? -Histogram::lower(k) : Histogram::lower(k + 1);
    std::vector<std::string> row{words(from), words(to)};
    for (const Column side : shown_sides(scene)) row.push_back(grouped(half(side).count(k)));
    table.rows.push_back(std::move(row));
  }
}

std::function<std::string(double)> ticks_in_words(const Scene& scene) {
  return [tick = 1 / static_cast<double>(scene.model.definitions().resolution.per_second())](double ticks) {
    return duration(ticks * tick);
  };
}

/// Of each pair that sends, those with the most messages first.
std::vector<Numbers> pairs(const Scene& scene, std::string_view what,
                           const std::function<std::string(const Traffic&, Column)>& value) {
  const TrafficMatrix& matrix = scene.model.traffic();
  std::vector<std::pair<std::size_t, std::size_t>> order;
  for (std::size_t from = 0; from < matrix.size(); ++from)
    for (std::size_t to = 0; to < matrix.size(); ++to)
      if (matrix.cell(from, to).messages != 0) order.emplace_back(from, to);
  std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    return matrix.cell(a.first, a.second).messages > matrix.cell(b.first, b.second).messages;
  });
  if (order.empty()) return {};
  Numbers table;
  table.head = {"sender", "receiver", "messages"};
  add_sides(table.head, scene, what);
  if (order.size() > Numbers::most_rows) {
    table.note = grouped(Numbers::most_rows) + " of " + grouped(order.size()) + " pairs, those with the most messages";
    order.resize(Numbers::most_rows);
  }
  for (const auto& [from, to] : order) {
    const Traffic& traffic = matrix.cell(from, to);
    std::vector<std::string> row{scene.names.full_row(from, matrix.group()), scene.names.full_row(to, matrix.group()),
                                 grouped(traffic.messages)};
    for (const Column side : shown_sides(scene)) row.push_back(value(traffic, side));
    table.rows.push_back(std::move(row));
  }
  return {table};
}

}  // namespace

std::vector<Numbers> timeline_numbers(const Scene& scene) {
  const Model& model = scene.model;
  std::vector<Regions::Id> order = model.activities().regions_by_time();
  double all = 0;
  for (const Regions::Id id : order) all += model.activities().region_time(id);
  if (order.empty()) return {};
  Numbers table{{}, {"region", "time, all processes", "share"}, {}, {}};
  if (order.size() > Numbers::most_rows) {
    table.note = grouped(Numbers::most_rows) + " of " + grouped(order.size()) + " regions, those with the most time";
    order.resize(Numbers::most_rows);
  }
  const auto words = ticks_in_words(scene);
  for (const Regions::Id id : order)
    table.rows.push_back({model.regions().names()[id], words(model.activities().region_time(id)),
                          percent(model.activities().region_time(id) / all)});
  return {table};
}

std::vector<Numbers> delay_histogram_numbers(const Scene& scene) {
  const Both<SignedHistogram>& all = scene.model.counts().delays;
  Numbers table{{}, {"delay from", "to"}, {}, {}};
  add_sides(table.head, scene, "messages");
  const auto words = ticks_in_words(scene);
  add_classes(
      table, scene, [&](Column side) -> const Histogram& { return all[side].negative; }, true, words);
  if (all[recorded].zero + all[corrected].zero != 0) {
    table.rows.push_back({"0", "0"});
    for (const Column side : shown_sides(scene)) table.rows.back().push_back(grouped(all[side].zero));
  }
  add_classes(
      table, scene, [&](Column side) -> const Histogram& { return all[side].positive; }, false, words);
  return {table};
}

std::vector<Numbers> delay_numbers(const Scene& scene) {
  const auto words = ticks_in_words(scene);
  return pairs(scene, "mean delay", [&](const Traffic& traffic, Column side) {
    return words(traffic.side[side].delays / static_cast<double>(traffic.messages));
  });
}

std::vector<Numbers> rate_numbers(const Scene& scene) {
  const auto per_second = static_cast<double>(scene.model.definitions().resolution.per_second());
  return pairs(scene, "rate", [&](const Traffic& traffic, Column side) {
    const double seconds = traffic.side[side].delays / per_second;
    return seconds > 0 ? rate(traffic.bytes / seconds) : std::string("none");
  });
}

std::vector<Numbers> interval_numbers(const Scene& scene) {
  const Intervals& intervals = scene.model.intervals();
  std::vector<Numbers> tables;
  if (scene.two_sides) {
    Numbers changes{"Changes", {"relative change from", "to", "intervals"}, {}, {}};
    changes.rows.push_back({"0", "0", grouped(intervals.exact)});
    for (int k = intervals.errors.first(); k < intervals.errors.end(); ++k)
      if (const std::uint64_t count = intervals.errors.count(k); count != 0)
        changes.rows.push_back({percent(Histogram::lower(k)), percent(Histogram::lower(k + 1)), grouped(count)});
    if (intervals.widened != 0) changes.note = grouped(intervals.widened) + " intervals had the length 0";
    tables.push_back(std::move(changes));
  }
  Numbers lengths{"Lengths", {"length from", "to"}, {}, {}};
  add_sides(lengths.head, scene, "intervals");
  add_classes(
      lengths, scene, [&](Column side) -> const Histogram& { return intervals.lengths[side]; }, false,
      ticks_in_words(scene));
  tables.push_back(std::move(lengths));
  return tables;
}

std::vector<Numbers> gamma_numbers(const Scene& scene) {
  if (scene.report == nullptr) return {};
  Numbers table{{}, {"from", "to", "mean \xCE\xB3", "lowest \xCE\xB3"}, {}, {}};
  const auto digits = [](double gamma) {
    std::array<char, 32> text{};
    return std::string(text.data(), static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.7f", gamma)));
  };
  for (const FilterReport::GammaSpan& span : scene.report->gamma)
    table.rows.push_back({duration(span.from_s), duration(span.to_s), digits(span.mean), digits(span.lowest)});
  return {table};
}

}  // namespace clc::view
