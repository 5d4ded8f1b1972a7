// What the script of the page reads.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "view/figures/scale.hpp"
#include "view/figures/svg.hpp"
#include "view/model/packed.hpp"
#include "view/page/page.hpp"

namespace clc::view {

namespace {

constexpr std::size_t most_communicators = 65536;

std::string json_quoted(std::string_view text) {
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

/// A text from 2^53 on, where numbers of the script are rounded.
std::string exact_number(std::uint64_t number) {
  std::string digits = std::to_string(number);
  return number < std::uint64_t{1} << 53U ? digits : '"' + digits + '"';
}

std::string text_of(std::initializer_list<const Packed*> columns) {
  std::string bytes;
  for (const Packed* column : columns) column->pack(bytes);
  return '"' + base64(bytes) + '"';
}

class Data {
 public:
  Data(const Scene& scene, const std::string& command)
      : model_(scene.model),
        names_(scene.names),
        shown_(shown_sides(scene)),
        both_(scene.two_sides),
        ranks_(region_ranks(model_)) {
    const Resolution resolution = model_.definitions().resolution;
    parts_ = model_.detail().packed(both_);
    field("command", json_quoted(command));
    field("second", std::to_string(resolution.per_second()));
    field("excerpt", model_.shown().excerpt() ? "true" : "false");
    field("offset", std::to_string(model_.shown().first() - model_.shown().origin()));
    field("length", std::to_string(std::max<Ticks>(1, model_.shown().last() - model_.shown().first())));
    list("sides", shown_, [&](Column side) { return json_quoted(side_title(scene, side)); });
    rows();
    regions();
    field("mostViolations", std::to_string(Violations::most));
    communicators();
    cells();
    detail();
    field("sample", !parts_.empty() && parts_.size() == model_.detail().chunks() ? text_of_arrows({})
                                                                                 : text_of_arrows(model_.arrows()));
    process_figures();
    courses();
    field("violations", text_of_arrows(model_.violations()));
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
  template <class Items, class Words>
  void list(std::string_view name, const Items& items, Words words) {
    std::string text;
    for (const auto& item : items) append(text, words(item));
    field(name, '[' + text + ']');
  }
  [[nodiscard]] Ticks from_start(Time time) const { return time - model_.shown().first(); }

  void rows() {
    const TimeGrid<Activity>& grid = model_.activities().grid(recorded);
    field("group", std::to_string(grid.group()));
    // In words, in the margin, in the margin of a small screen.
    const std::size_t count = std::max<std::size_t>(1, grid.rows());
    std::string words;
    for (std::size_t row = 0; row < count; ++row)
      append(words, json_quoted(shortened(names_.full_row(row, grid.group()), 160)));
    field("rows", '[' + words + ']');
    for (const auto& [name, longest] : {std::pair<std::string_view, std::size_t>{"margin", 15}, {"narrow", 9}})
      list(name, names_.rows(count, grid.group(), longest), json_quoted);
    const std::size_t processes = model_.definitions().processes().size();
    field("processes", std::to_string(processes));
    std::string full;
    for (std::size_t process = 0; process < processes; ++process)
      append(full, json_quoted(shortened(names_.full(process), 160)));
    field("names", '[' + full + ']');
  }

  void regions() {
    std::string colours;
    const std::vector<Regions::Id> order = model_.activities().regions_by_time();
    for (std::size_t i = 0; i + 1 < region_colours; ++i)
      append(colours, json_quoted(i < order.size() ? model_.regions().names()[order[i]] : ""));
    append(colours, json_quoted("other regions"));
    field("colours", '[' + colours + ']');
    list("regions", model_.regions().names(), json_quoted);
    list("ranks", ranks_, [](std::size_t rank) { return std::to_string(rank); });
  }

  void communicators() {
    std::string numbers;
    std::string threads;  // edges with a delay of their own: between threads of a process
    const auto& all = model_.definitions().communicators();
    for (std::size_t i = 0; i < all.size() && i < most_communicators; ++i) {
      append(numbers, exact_number(all[i].number));
      if (all[i].min_delay > 0) append(threads, std::to_string(i));
    }
    field("communicators", '[' + numbers + ']');
    field("threads", '[' + threads + ']');
    list("operations", operations, [](const OperationInfo& operation) { return json_quoted(operation.name); });
  }

  /// Of a cell by colour, in sixteenths of its width times its processes.
  using Mixture = std::array<std::uint8_t, region_colours>;
  Mixture mixture_of(const Activity& activity, double whole) const {
    std::array<double, region_colours> shares{};
    for (const Activity::Share& share : activity.shares)
      if (share.region != Regions::none) shares[ranks_[share.region]] += static_cast<double>(share.ticks);
    shares.back() += static_cast<double>(activity.other);
    Mixture mixture{};
    double done = 0;
    double before = 0;
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {  // rounded so that the sum is right
      done += shares[rank] / whole * 16;
      mixture[rank] = static_cast<std::uint8_t>(std::clamp(std::round(done) - before, 0.0, 16.0));
      before += mixture[rank];
    }
    return mixture;
  }

  void cells() {
    std::map<Mixture, std::uint64_t> counts;
    for (const bool counting : {true, false}) {
      if (!counting) number_mixtures(counts);
      std::string list;
      for (const Column side : shown_) append(list, cells_of(side, counting, counts));
      if (!counting) field("cells", '[' + list + ']');
    }
  }

  /// The most frequent first: small numbers.
  void number_mixtures(std::map<Mixture, std::uint64_t>& counts) {
    std::vector<std::pair<std::uint64_t, Mixture>> order;
    order.reserve(counts.size());
    for (const auto& [mixture, count] : counts) order.emplace_back(count, mixture);
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    Packed packed;
    for (std::size_t number = 0; number < order.size(); ++number) {
      const Mixture& mixture = order[number].second;
      counts[mixture] = number;
      packed.add(std::count_if(mixture.begin(), mixture.end(), [](std::uint8_t share) { return share != 0; }));
      for (std::size_t rank = 0; rank < mixture.size(); ++rank)
        if (mixture[rank] != 0) {
          packed.add_size(rank);
          packed.add_size(mixture[rank]);
        }
    }
    field("mixtures", text_of({&packed}));
  }

  std::string cells_of(Column side, bool counting, std::map<Mixture, std::uint64_t>& mixtures) const {
    const TimeGrid<Activity>& grid = model_.activities().grid(side);
    const std::size_t processes = std::max<std::size_t>(1, model_.definitions().processes().size());
    Packed mix;
    Packed marks;
    for (std::size_t row = 0; row < grid.rows(); ++row) {
      const double members =
          static_cast<double>(std::min(grid.group(), std::max(processes, row * grid.group() + 1) - row * grid.group()));
      for (std::size_t column = 0; column < grid.columns(); ++column) {
        const Activity& cell = grid.cell(row, column);
        const Mixture mixture = mixture_of(cell, grid.width() * members);
        if (counting) {
          ++mixtures[mixture];
          continue;
        }
        mix.add_size(mixtures[mixture]);
        const double share = cell.backward == 0 ? 0 : static_cast<double>(cell.backward) / std::max(1U, cell.sends);
        const unsigned level = cell.backward == 0 ? 0 : share > 0.5 ? 3 : share > 0.1 ? 2 : 1;
        marks.add_size(2 * level + (cell.events == 0 ? 0 : 1));
      }
    }
    if (counting) return {};
    return "{\"start\":" + std::to_string(grid.empty() ? 0 : from_start(grid.start())) +
           ",\"width\":" + std::to_string(static_cast<std::uint64_t>(grid.width())) +
           ",\"columns\":" + std::to_string(grid.columns()) + ",\"mix\":" + text_of({&mix}) +
           ",\"marks\":" + text_of({&marks}) + '}';
  }

  void process_figures() {
    Packed events, first, last, largest, received, before, after, behind;
    for (const ProcessFigures& figures : model_.processes()) {
      events.add_size(figures.events);
      first.add(figures.first);
      last.add(figures.last);
      largest.add(figures.largest);
      received.add_size(figures.received);
      before.add_size(figures.violated[recorded]);
      after.add_size(figures.violated[corrected]);
      behind.add(figures.behind);
    }
    field("figures", text_of({&events, &first, &last, &largest, &received, &before, &after, &behind}));
  }

  /// How the correction of each process goes, for the one that is picked: fewer columns where processes are many, and
  /// values in 4096 steps.
  void courses() {
    constexpr std::size_t most = std::size_t{1} << 19U;  // numbers
    const TimeGrid<Extent>& grid = model_.corrections().grid();
    if (!both_ || grid.empty()) return;
    const std::size_t stride = (grid.columns() * grid.rows() + most - 1) / most;
    const std::size_t columns = (grid.columns() + stride - 1) / stride;
    const Ticks step = std::max<Ticks>(1, std::abs(model_.corrections().largest() / 4096));
    Packed values;  // the last in each column, less that of the column before; first whether there is any yet
    Packed begins;
    for (std::size_t row = 0; row < grid.rows(); ++row) {
      std::size_t begin = columns;
      Ticks last = 0;
      Ticks told = 0;
      for (std::size_t column = 0; column < columns; ++column) {
        for (std::size_t k = column * stride; k < std::min((column + 1) * stride, grid.columns()); ++k) {
          const Extent& cell = grid.cell(row, k);
          if (!cell.any()) continue;
          last = cell.last;
          begin = std::min(begin, column);
        }
        if (begin == columns) continue;
        values.add(last / step - told);
        told = last / step;
      }
      begins.add_size(begin);
    }
    field("courses", "{\"start\":" + std::to_string(from_start(grid.start())) +
                         ",\"width\":" + std::to_string(static_cast<std::uint64_t>(grid.width()) * stride) +
                         ",\"columns\":" + std::to_string(columns) + ",\"step\":" + std::to_string(step) +
                         ",\"text\":" + text_of({&begins, &values}) + '}');
  }

  std::string span(Time from, Time to) const {
    return '[' + std::to_string(from_start(from)) + ',' + std::to_string(from_start(to)) + ']';
  }

  void detail() {
    std::string list;
    for (const Detail::Part& part : parts_)
      append(list,
             "\n{\"number\":" + std::to_string(part.number) + ",\"begin\":" + std::to_string(from_start(part.begin)) +
                 ",\"from\":[" + std::to_string(from_start(part.from[recorded])) + ',' +
                 std::to_string(from_start(part.from[corrected])) + "],\"to\":[" +
                 std::to_string(from_start(part.to[recorded])) + ',' + std::to_string(from_start(part.to[corrected])) +
                 "],\"recorded\":" + span(part.all_from[recorded], part.all_to[recorded]) + ",\"corrected\":" +
                 span(part.all_from[corrected], part.all_to[corrected]) + ",\"text\":\"" + part.text + "\"}");
    field("detail", "{\"chunks\":" + std::to_string(model_.detail().chunks()) + ",\"parts\":[" + list + "]}");
  }

  std::string text_of_arrows(const std::vector<Arrow>& list) const {
    Packed from, to, communicators, delays, operations, sent, own, took, later;
    PackedExact lengths, tags;
    Ticks last = 0;
    for (const Arrow& arrow : list) {
      from.add_size(arrow.from);
      to.add(Ticks{arrow.to} - Ticks{arrow.from});
      lengths.add_size(arrow.bytes);
      tags.add(arrow.tag);
      communicators.add_size(arrow.communicator + 1U);
      delays.add(arrow.mu);
      operations.add(arrow.operation + 1);
      sent.add(subtract_saturating(from_start(arrow.sent[recorded]), last));
      last = from_start(arrow.sent[recorded]);
      took.add(arrow.delay(recorded));
      if (!both_) continue;
      own.add(arrow.sent[corrected] - arrow.sent[recorded]);
      later.add(arrow.delay(corrected));
    }
    return text_of({&from, &to, lengths.high(), lengths.low(), tags.high(), tags.low(), &communicators, &delays,
                    &operations, &sent, &own, &took, &later});
  }

  const Model& model_;
  const Names& names_;
  std::vector<Column> shown_;
  bool both_;
  std::vector<std::size_t> ranks_;
  std::vector<Detail::Part> parts_;
  std::string text_;
};

}  // namespace

std::string page_data(const Scene& scene, const std::string& command) {
  if (scene.model.counts().events == 0) return "{}";
  return Data(scene, command).finish();
}

}  // namespace clc::view
