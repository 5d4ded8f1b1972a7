// What page.js reads; the counterpart of its unpack().

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "view/figures/scale.hpp"
#include "view/figures/svg.hpp"
#include "view/page/page.hpp"

namespace clc::view {

namespace {

/// Numbers in base 32, the lowest digit first, 32 added to all but the last; the lowest bit is the sign.
class Packed {
 public:
  void add(Ticks value) {
    const bool negative = value < 0;
    std::uint64_t size = negative ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
    // Beyond 2^62 nothing is drawn to the tick anyway.
    size = std::min(size, std::uint64_t{1} << 62U) << 1U | static_cast<std::uint64_t>(negative);
    do {
      const std::uint64_t digit = size & 31U;
      size >>= 5U;
      text_ += alphabet[digit | (size != 0 ? 32U : 0U)];
    } while (size != 0);
  }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  static constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text_;
};

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char letter : clean(text)) {
    if (letter == '"' || letter == '\\') out += '\\';
    if (letter == '<')
      out += "\\u003c";  // no end of the script
    else
      out += letter;
  }
  return out + '"';
}

/// aaabb. as a3b2.
class Runs {
 public:
  void add(char letter) {
    if (letter == last_) {
      ++count_;
      return;
    }
    flush();
    last_ = letter;
    count_ = 1;
  }
  std::string finish() {
    flush();
    return text_;
  }

 private:
  void flush() {
    if (count_ == 0) return;
    text_ += last_;
    if (count_ > 1) text_ += std::to_string(count_);
    count_ = 0;
  }
  std::string text_;
  char last_ = 0;
  std::size_t count_ = 0;
};

class Data {
 public:
  explicit Data(const Scene& scene)
      : model_(scene.model), shown_(shown_sides(scene)), both_(scene.two_sides), ranks_(region_ranks(model_)) {
    const Resolution resolution = model_.definitions().resolution;
    field("second", std::to_string(resolution.per_second()));
    field("length", std::to_string(std::max<Ticks>(1, model_.last() - model_.first())));
    std::string titles;
    for (const Column side : shown_) append(titles, quoted(side_title(scene, side)));
    field("sides", '[' + titles + ']');
    rows();
    regions();
    std::string cells;
    for (const Column side : shown_) append(cells, cells_of(side));
    field("cells", '[' + cells + ']');
    field("segments", model_.all_segments() ? '"' + segments() + '"' : "null");
    field("points", model_.all_points() ? '"' + points() + '"' : "null");
    field("arrows", '"' + arrows() + '"');
    field("sample", model_.all_arrows() ? "null"
                                        : quoted("Lines are a sample: " + grouped(model_.arrows().size()) + " of " +
                                                 grouped(model_.messages()[recorded].edges) +
                                                 " messages, those that go back furthest "
                                                 "among them."));
  }

  std::string finish() { return '{' + text_ + "\n}"; }

 private:
  static void append(std::string& list, const std::string& entry) {
    if (!list.empty()) list += ',';
    list += entry;
  }
  void field(std::string_view name, const std::string& value) {
    append(text_, "\n\"" + std::string(name) + "\":" + value);
  }
  [[nodiscard]] Ticks from_start(Time time) const { return time - model_.first(); }

  void rows() {
    const TimeGrid<Activity>& grid = model_.activity(recorded);
    field("group", std::to_string(grid.group()));
    // In words, in the margin, in the margin of a small screen.
    for (const auto& [name, longest] :
         {std::pair<std::string_view, std::size_t>{"rows", 60}, {"margin", 15}, {"narrow", 9}}) {
      std::string names;
      for (std::size_t row = 0; row < std::max<std::size_t>(1, grid.rows()); ++row)
        append(names, quoted(row_name(model_.definitions(), row, grid.group(), longest)));
      field(name, '[' + names + ']');
    }
    if (grid.group() > 1) ends_of_arrows();
  }

  /// Where rows stand for several processes: names of those that messages have as ends.
  void ends_of_arrows() {
    const std::vector<std::string> names = process_names(model_.definitions());
    std::set<ProcessIndex> ends;
    for (const Arrow& arrow : model_.arrows()) ends.insert({arrow.from, arrow.to});
    std::string list;
    for (const ProcessIndex process : ends)
      append(list, '"' + std::to_string(process) + "\":" + quoted(shortened(names[process], 30)));
    field("names", '{' + list + '}');
  }

  void regions() {
    std::string names;
    std::string ranks;
    for (std::size_t id = 0; id < model_.regions().names().size(); ++id) {
      append(names, quoted(model_.regions().names()[id]));
      append(ranks, std::to_string(ranks_[id]));
    }
    field("regions", '[' + names + ']');
    field("ranks", '[' + ranks + ']');
  }

  std::string cells_of(Column side) const {
    const TimeGrid<Activity>& grid = model_.activity(side);
    std::string rows;
    for (std::size_t row = 0; row < grid.rows(); ++row) {
      Runs regions;
      Runs backward;
      Runs events;
      for (std::size_t column = 0; column < grid.columns(); ++column) {
        const Activity& cell = grid.cell(row, column);
        const Regions::Id region = cell.region();
        regions.add(region == Regions::none ? '.' : static_cast<char>('a' + static_cast<int>(ranks_[region])));
        const double share = cell.backward == 0 ? 0 : static_cast<double>(cell.backward) / std::max(1U, cell.sends);
        backward.add(cell.backward == 0 ? '.' : share > 0.5 ? 'd' : share > 0.1 ? 'c' : 'b');
        events.add(cell.events == 0 ? '.' : 'a');
      }
      append(rows, "\n{\"r\":\"" + regions.finish() + "\",\"b\":\"" + backward.finish() + "\",\"e\":\"" +
                       events.finish() + "\"}");
    }
    return "{\"start\":" + std::to_string(grid.empty() ? 0 : from_start(grid.start())) +
           ",\"width\":" + std::to_string(static_cast<std::uint64_t>(grid.width())) + ",\"rows\":[" + rows + "]}";
  }

  std::string segments() const {
    Packed packed;
    ProcessIndex process = 0;
    Ticks end = 0;
    Ticks shift = 0;
    for (const Segment& segment : model_.segments()) {
      if (segment.process != process) end = shift = 0;
      packed.add(Ticks{segment.process} - Ticks{process});
      process = segment.process;
      packed.add(segment.region);
      packed.add(subtract_saturating(from_start(segment.from[recorded]), end));
      packed.add(segment.to[recorded] - segment.from[recorded]);
      end = from_start(segment.to[recorded]);
      if (!both_) continue;
      const Ticks from_shift = segment.from[corrected] - segment.from[recorded];
      const Ticks to_shift = segment.to[corrected] - segment.to[recorded];
      packed.add(subtract_saturating(from_shift, shift));
      packed.add(subtract_saturating(to_shift, from_shift));
      shift = to_shift;
    }
    return packed.text();
  }

  std::string arrows() const {
    Packed packed;
    Ticks sent = 0;
    Ticks shift = 0;
    for (const Arrow& arrow : model_.arrows()) {
      packed.add(arrow.from);
      packed.add(arrow.to);
      packed.add(static_cast<Ticks>(std::min<std::uint64_t>(arrow.bytes, std::uint64_t{1} << 53U)));
      packed.add(subtract_saturating(from_start(arrow.sent[recorded]), sent));
      sent = from_start(arrow.sent[recorded]);
      packed.add(arrow.delay(recorded));
      if (!both_) continue;
      const Ticks own = arrow.sent[corrected] - arrow.sent[recorded];
      packed.add(subtract_saturating(own, shift));
      shift = own;
      packed.add(arrow.delay(corrected));
    }
    return packed.text();
  }

  std::string points() const {
    Packed packed;
    Ticks time = 0;
    Ticks shift = 0;
    for (const Point& point : model_.points()) {
      packed.add(point.process);
      packed.add(subtract_saturating(from_start(point.time[recorded]), time));
      time = from_start(point.time[recorded]);
      if (!both_) continue;
      const Ticks own = point.time[corrected] - point.time[recorded];
      packed.add(subtract_saturating(own, shift));
      shift = own;
    }
    return packed.text();
  }

  const Model& model_;
  std::vector<Column> shown_;
  bool both_;
  std::vector<std::size_t> ranks_;
  std::string text_;
};

}  // namespace

std::string page_data(const Scene& scene) {
  if (scene.model.events() == 0) return "{}";
  return Data(scene).finish();
}

}  // namespace clc::view
