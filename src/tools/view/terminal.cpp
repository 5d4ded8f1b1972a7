#include "view/terminal.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "trace/printable.hpp"
#include "view/figures/frame.hpp"
#include "view/figures/scale.hpp"
#include "view/figures/svg.hpp"
#include "view/page/page.hpp"
#include "view/text_tables.hpp"

namespace clc::view {

namespace {

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t used = letter_count(text);
  return used < width ? text + std::string(width - used, ' ') : text;
}

class Terminal {
 public:
  Terminal(const Scene& scene, std::size_t width, bool colour)
      : scene_(scene), model_(scene.model), colour_(colour), ranks_(region_ranks(model_)) {
    const TimeGrid<Activity>& grid = model_.activity(recorded);
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
    if (model_.events() == 0) return out_;
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
    const std::vector<Regions::Id> order = model_.regions_by_time();
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
    const TimeGrid<Activity>& grid = model_.activity(side);
    const double length = std::max(1.0, static_cast<double>(model_.last() - model_.first()));
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
            static_cast<double>(grid.start() - model_.first()) + grid.width() * static_cast<double>(column);
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
    const double start = seconds_of(model_, model_.first() - model_.origin());
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
    const std::vector<Regions::Id> order = model_.regions_by_time();
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

}  // namespace

std::string draw_text(const Scene& scene, std::size_t width, bool colour) {
  return Terminal(scene, width, colour).draw() + draw_text_tables(scene, width);
}

}  // namespace clc::view
