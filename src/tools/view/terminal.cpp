#include "view/terminal.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/printable.hpp"
#include "view/figures/frame.hpp"
#include "view/figures/scale.hpp"
#include "view/figures/svg.hpp"
#include "view/page/page.hpp"

namespace clc::view {

namespace {

/// In lines of at most width letters, each with a newline; those after the first are indented. A word longer than a
/// line stays whole.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0) {
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

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t used = letter_count(text);
  return used < width ? text + std::string(width - used, ' ') : text;
}

class Terminal {
 public:
  Terminal(const Scene& scene, std::size_t width, bool colour)
      : scene_(scene), model_(scene.model), colour_(colour), ranks_(region_ranks(model_)) {
    const TimeGrid<Activity>& grid = model_.activities().grid(recorded);
    for (const std::string& name : scene.names.rows(grid.rows(), grid.group(), 16)) {
      names_.push_back(printable(name));
      margin_ = std::max(margin_, letter_count(names_.back()));
    }
    margin_ += 1;
    columns_ = width > margin_ + 10 ? width - margin_ : 10;
    choose_letters();
  }

  std::string draw() {
    out_ = wrapped(headline(scene_), columns_ + margin_);
    if (model_.counts().events == 0) return out_;
    if (scene_.verdict != nullptr) {
      const Judged found = judged(scene_);
      out_ += "Verdict: " + found.judgement + '\n';
      for (const std::string& reason : found.reasons) out_ += wrapped("  " + clean(reason), columns_ + margin_, 4);
    }
    if (const std::string excerpt = excerpt_of(scene_); !excerpt.empty()) out_ += wrapped(excerpt, columns_ + margin_);
    if (const std::string note = far_apart(model_); !note.empty()) out_ += wrapped(note, columns_ + margin_);
    for (const Column side : shown_sides(scene_)) lines(side);
    legend();
    return out_;
  }

 private:
  /// A letter for each region that has a colour on the page: of its own name, if no other has it.
  void choose_letters() {
    const std::vector<Regions::Id> order = model_.activities().regions_by_time();
    std::string taken;
    for (std::size_t i = 0; i < order.size() && i + 1 < region_colours; ++i) {
      std::string_view name = model_.regions().names()[order[i]];
      if (name.starts_with("MPI_")) name.remove_prefix(4);
      char letter = 0;
      for (const char candidate : std::string(name) + "abcdefghijklmnop") {
        const char lower = static_cast<char>(candidate >= 'A' && candidate <= 'Z' ? candidate - 'A' + 'a' : candidate);
        if (lower < 'a' || lower > 'z' || taken.find(lower) != std::string::npos) continue;
        letter = lower;
        break;
      }
      taken += letter;
    }
    letters_ = taken;
  }

  void lines(Column side) {
    const TimeGrid<Activity>& grid = model_.activities().grid(side);
    const double length = std::max(1.0, static_cast<double>(model_.shown().last() - model_.shown().first()));
    out_ += '\n' + std::string(side_title(scene_, side)) + '\n';
    for (std::size_t row = 0; row < grid.rows(); ++row) {
      struct Cell {
        std::array<double, region_colours> regions{};
        double events = 0;
        double backward = 0;
      };
      std::vector<Cell> cells(columns_);
      for (std::size_t column = 0; column < grid.columns(); ++column) {
        const Activity& activity = grid.cell(row, column);
        const double begin =
            static_cast<double>(grid.start() - model_.shown().first()) + grid.width() * static_cast<double>(column);
        const auto place = [&](double at) {
          return static_cast<std::size_t>(
              std::clamp(at / length * static_cast<double>(columns_), 0.0, static_cast<double>(columns_) - 1));
        };
        const std::size_t first = place(begin);
        const std::size_t last = place(begin + grid.width() * 0.999);
        for (const Activity::Share& share : activity.shares)
          if (share.region != Regions::none)
            for (std::size_t i = first; i <= last; ++i)
              cells[i].regions[ranks_[share.region]] += static_cast<double>(share.ticks);
        cells[first].events += activity.events;
        cells[first].backward += activity.backward;
      }
      out_ += padded(names_[row], margin_);
      for (const Cell& cell : cells) {
        const auto* const most = std::max_element(cell.regions.begin(), cell.regions.end());
        const auto rank = static_cast<std::size_t>(most - cell.regions.begin());
        if (cell.backward > 0)
          put("<", "\x1b[1;38;5;208m");
        else if (*most > 0)
          put(std::string(1, rank < letters_.size() ? letters_[rank] : 'x'), colours[rank]);
        else
          put(cell.events > 0 ? "+" : "-", "\x1b[2m");
      }
      out_ += '\n';
    }
    axis(length);
  }

  void put(std::string_view letter, std::string_view style) {
    if (!colour_) {
      out_ += letter;
      return;
    }
    out_ += style;
    out_ += letter;
    out_ += "\x1b[0m";
  }

  void axis(double length) {
    const double start = seconds_of(model_, model_.shown().first() - model_.shown().origin());
    const double seconds = length / static_cast<double>(model_.definitions().resolution.per_second());
    std::string line(margin_, ' ');
    std::size_t used = margin_;
    for (const Tick& tick : duration_ticks(start, start + seconds, static_cast<int>(columns_ / 14) + 1)) {
      const auto at =
          margin_ + static_cast<std::size_t>((tick.value - start) / seconds * static_cast<double>(columns_ - 1));
      if (at < used || at + letter_count(tick.label) + 1 > margin_ + columns_) continue;
      line += std::string(at - used, ' ') + '|' + tick.label;
      used = at + 1 + letter_count(tick.label);
    }
    out_ += line + '\n';
  }

  void legend() {
    constexpr std::string_view first = "< messages sent here are received before";
    (out_ += '\n') += first;
    const std::vector<Regions::Id> order = model_.activities().regions_by_time();
    std::size_t used = letters_.empty() ? first.size() : 0;
    const auto next = [&](std::size_t length) {
      const bool fits = used > 0 && used + 2 + length <= columns_ + margin_;
      out_ += fits ? "  " : "\n";
      used = fits ? used + 2 + length : length;
    };
    for (std::size_t i = 0; i < letters_.size(); ++i) {
      const std::string name = shortened(printable(model_.regions().names()[order[i]]), 24);
      next(2 + letter_count(name));
      put(std::string(1, letters_[i]), colours[i]);
      out_ += ' ' + name;
    }
    const std::string_view others = order.size() >= region_colours ? "x others" : letters_.empty() ? "+ events" : "";
    if (!others.empty()) {
      next(others.size());
      out_ += others;
    }
    out_ += '\n';
  }

  static constexpr std::array<std::string_view, region_colours> colours{"\x1b[37m", "\x1b[34m", "\x1b[32m", "\x1b[33m",
                                                                        "\x1b[35m", "\x1b[36m", "\x1b[95m", "\x1b[90m"};
  const Scene& scene_;
  const Model& model_;
  bool colour_;
  std::vector<std::size_t> ranks_;
  std::vector<std::string> names_;
  std::size_t margin_ = 0;
  std::size_t columns_ = 0;
  std::string letters_;
  std::string out_;
};

// The tables of the page as text.

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
    line.insert(line.end(), {time(arrow.mu), time(arrow.sent[recorded] - model.shown().origin())});
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

/// The processes with the most messages that are too early, and the worst violations; columns that do not fit follow
/// below.
std::string draw_text_tables(const Scene& scene, std::size_t width) {
  if (scene.model.counts().events == 0) return {};
  return counters(scene, width) + processes(scene, width) + violations(scene, width) + clocks(scene, width);
}

}  // namespace

std::string draw_text(const Scene& scene, std::size_t width, bool colour) {
  return Terminal(scene, width, colour).draw() + draw_text_tables(scene, width);
}

}  // namespace clc::view
