#include "view/text_tables.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "trace/printable.hpp"
#include "view/figures/frame.hpp"
#include "view/figures/scale.hpp"
#include "view/figures/svg.hpp"
#include "view/page/page.hpp"

namespace clc::view {

namespace {

constexpr std::size_t most_processes = 16;
constexpr std::size_t most_violations = 10;

using Line = std::vector<std::string>;

/// The first `most` letters, at most, up to a blank if there is one; removes them and the blank.
std::string_view take_piece(std::string_view& text, std::size_t most) {
  std::size_t end = 0;
  std::size_t blank = 0;
  for (std::size_t letters = 0; end < text.size() && letters < most; ++letters) {
    if (text[end] == ' ') blank = end;
    end += first_letter(text.substr(end)).length;
  }
  if (blank > 0 && end < text.size() && text[end] != ' ') end = blank;
  const std::string_view piece = text.substr(0, end);
  text.remove_prefix(end < text.size() && text[end] == ' ' ? end + 1 : end);
  return piece;
}

/// The lines with first cells of at most `most` letters, which continue in lines of their own.
std::vector<Line> with_narrow_names(const std::vector<Line>& lines, std::size_t most) {
  std::vector<Line> out;
  for (const Line& line : lines) {
    std::string_view rest = line[0];
    out.push_back(line);
    out.back()[0] = take_piece(rest, most);
    while (!rest.empty()) {
      constexpr std::string_view indent = "  ";
      Line& more = out.emplace_back(line.size());
      more[0] = std::string(indent) += take_piece(rest, most - indent.size());
    }
  }
  return out;
}

std::vector<std::size_t> widths_of(const std::vector<Line>& lines) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const Line& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], letter_count(line[i]));
  return widths;
}

/// The first line is the head; the first column is aligned to the left. Columns that do not fit follow below, beside
/// the first one again, which is narrowed if not even one of them fits beside it.
std::string aligned(std::vector<Line> lines, std::size_t width) {
  std::vector<std::size_t> widths = widths_of(lines);
  constexpr std::size_t least = 10;
  const std::size_t widest = widths.size() > 1 ? 2 + *std::max_element(widths.begin() + 1, widths.end()) : 0;
  if (widths[0] > least && widths[0] + widest > width) {
    lines = with_narrow_names(lines, width > widest + least ? width - widest : least);
    widths = widths_of(lines);
  }
  std::string out;
  for (std::size_t first = 1; first < widths.size();) {
    std::size_t end = first;
    std::size_t used = widths[0];
    do used += 2 + widths[end++];
    while (end < widths.size() && used + 2 + widths[end] <= width);
    if (first > 1) out += '\n';
    for (const Line& line : lines) {
      out.append(line[0]).append(widths[0] - letter_count(line[0]), ' ');
      for (std::size_t i = first; i < end; ++i) out.append(2 + widths[i] - letter_count(line[i]), ' ').append(line[i]);
      out.erase(out.find_last_not_of(' ') + 1);
      out += '\n';
    }
    first = end;
  }
  return out;
}

std::string processes(const Scene& scene, std::size_t width) {
  const Model& model = scene.model;
  const std::vector<ProcessFigures>& all = model.processes();
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return all[a].violated[recorded] > all[b].violated[recorded]; });
  if (order.size() > most_processes) order.resize(most_processes);
  const auto time = [&](Ticks ticks) { return duration(seconds_of(model, ticks)); };
  std::vector<Line> lines{{"process", "events", "received", "too early"}};
  if (scene.two_sides)
    lines[0].insert(lines[0].end(), {"corrected", "largest correction", "at the end", "at the start"});
  lines[0].emplace_back("clock behind by at least");
  for (const std::size_t process : order) {
    const ProcessFigures& figures = all[process];
    Line line{clean(shortened(scene.names.full(process), 24)), grouped(figures.events), grouped(figures.received),
              grouped(figures.violated[recorded])};
    if (scene.two_sides)
      line.insert(line.end(), {grouped(figures.violated[corrected]), time(figures.largest), time(figures.last),
                               time(figures.first)});
    line.push_back(time(figures.behind));
    lines.push_back(std::move(line));
  }
  std::string out = "Processes";
  if (order.size() < all.size())
    out += ", " + grouped(order.size()) + " of " + grouped(all.size()) + ": those with the most messages too early";
  return '\n' + wrapped(out, width) + aligned(lines, width);
}

std::string violations(const Scene& scene, std::size_t width) {
  const Model& model = scene.model;
  std::vector<Arrow> worst = model.violations();
  if (worst.empty()) return {};
  const std::size_t found = worst.size();
  std::stable_sort(worst.begin(), worst.end(),
                   [](const Arrow& a, const Arrow& b) { return a.margin(recorded) < b.margin(recorded); });
  if (worst.size() > most_violations) worst.resize(most_violations);
  const auto time = [&](Ticks ticks) { return duration(seconds_of(model, ticks)); };
  std::vector<Line> lines{{"from", "to", "what", "delay"}};
  if (scene.two_sides) lines[0].emplace_back("corrected");
  lines[0].insert(lines[0].end(), {"minimum", "sent at"});
  for (const Arrow& arrow : worst) {
    Line line{clean(shortened(scene.names.full(arrow.from), 16)), clean(shortened(scene.names.full(arrow.to), 16)),
              arrow.operation < 0 ? "message" : std::string(operations[static_cast<std::size_t>(arrow.operation)].name),
              time(arrow.delay(recorded))};
    if (scene.two_sides) line.push_back(time(arrow.delay(corrected)));
    line.insert(line.end(), {time(arrow.mu), time(arrow.sent[recorded] - model.origin())});
    lines.push_back(std::move(line));
  }
  const std::string title = "Worst violations, " + grouped(worst.size()) + " of " +
                            (found < Violations::most ? grouped(found) : "more than " + grouped(found));
  return '\n' + wrapped(title, width) + aligned(lines, width);
}

std::string counters(const Scene& scene, std::size_t width) {
  std::vector<Line> lines{{"", scene.two_sides ? "recorded" : "as it is"}};
  if (scene.two_sides) lines[0].emplace_back("corrected");
  for (const Fact& fact : facts_of(scene)) {
    Line line{fact.name, fact.before};
    if (scene.two_sides) line.push_back(fact.after);
    lines.push_back(std::move(line));
  }
  return "\nIn figures\n" + aligned(lines, width);
}

std::string clocks(const Scene& scene, std::size_t width) {
  Numbers table = estimated_clocks(scene);
  if (table.rows.empty()) return {};
  table.rows.insert(table.rows.begin(), table.head);
  const std::string title = "Clocks as estimated before the correction" + (table.note.empty() ? "" : ", " + table.note);
  return '\n' + wrapped(title, width) + aligned(table.rows, width);
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  std::string line;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(' ', text.find_first_not_of(' ')));
    text.remove_prefix(word.size());
    if (letter_count(line) + letter_count(word) > width && letter_count(line) > indent) {
      out += std::exchange(line, std::string(indent, ' ')) + '\n';
      word.remove_prefix(std::min(word.size(), word.find_first_not_of(' ')));
    }
    line += word;
  }
  return out + line + '\n';
}

std::string draw_text_tables(const Scene& scene, std::size_t width) {
  if (scene.model.events() == 0) return {};
  return counters(scene, width) + processes(scene, width) + violations(scene, width) + clocks(scene, width);
}

}  // namespace clc::view
