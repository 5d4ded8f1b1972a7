#include "view/figures/figures.hpp"

#include <algorithm>
#include <unordered_map>

#include "view/figures/svg.hpp"
#include "view/page_parts.hpp"

namespace clc::view {

namespace {

/// Without the kind of location that OTF2 archives bring: "CPU_THREAD:rank 3".
std::string_view without_kind(std::string_view name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == name.size()) return name;
  const bool kind = std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(colon),
                                [](char letter) { return (letter >= 'A' && letter <= 'Z') || letter == '_'; });
  return kind ? name.substr(colon + 1) : name;
}

/// same: how many processes have this name; earlier: how many of them are defined before this one.
std::string name_among(const Process& process, std::size_t same, std::size_t earlier) {
  std::string number = std::to_string(process.number);
  if (process.name.empty() || process.name == number) return number;
  // Where several have the same name, they are counted.
  const std::string_view name = without_kind(process.name);
  return same > 1 ? std::to_string(earlier) + ' ' + std::string(name) : std::string(name);
}

std::string process_name(const Definitions& definitions, std::size_t index) {
  const auto& processes = definitions.processes();
  if (index >= processes.size()) return std::to_string(index);
  const std::string_view name = without_kind(processes[index].name);
  std::size_t same = 0;
  std::size_t earlier = 0;
  for (std::size_t other = 0; other < processes.size(); ++other) {
    if (without_kind(processes[other].name) != name) continue;
    ++same;
    earlier += other < index;
  }
  return name_among(processes[index], same, earlier);
}

}  // namespace

std::string row_name(const Definitions& definitions, std::size_t row, std::size_t group, std::size_t longest) {
  if (group == 1) return shortened(process_name(definitions, row), longest);
  const std::size_t end = std::min((row + 1) * group, std::max<std::size_t>(definitions.processes().size(), 1));
  const std::string first = process_name(definitions, row * group);
  const std::string last = process_name(definitions, std::max(end - 1, row * group));
  constexpr std::string_view dash = " \xE2\x80\x93 ";
  if (letter_count(first) + letter_count(dash) + letter_count(last) <= longest) return first + std::string(dash) + last;
  const std::size_t each = (longest - letter_count(dash)) / 2;
  return shortened(first, each) + std::string(dash) + shortened(last, each);
}

std::vector<std::string> process_names(const Definitions& definitions) {
  const auto& processes = definitions.processes();
  std::unordered_map<std::string_view, std::size_t> same;
  for (const Process& process : processes) ++same[without_kind(process.name)];
  std::unordered_map<std::string_view, std::size_t> earlier;
  std::vector<std::string> names;
  names.reserve(processes.size());
  for (const Process& process : processes) {
    const std::string_view name = without_kind(process.name);
    names.push_back(name_among(process, same[name], earlier[name]++));
  }
  return names;
}

std::string_view side_title(const Scene& scene, Column side) {
  if (!scene.two_sides) return "As it is";
  return side == recorded ? "Before: as recorded" : "After: corrected";
}

std::vector<Column> shown_sides(const Scene& scene) {
  return scene.two_sides ? std::vector<Column>{recorded, corrected} : std::vector<Column>{recorded};
}

std::vector<std::size_t> region_ranks(const Model& model) {
  std::vector<std::size_t> ranks(model.regions().names().size(), region_colours - 1);
  const std::vector<Regions::Id> order = model.regions_by_time();
  for (std::size_t i = 0; i < order.size() && i + 1 < region_colours; ++i) ranks[order[i]] = i;
  return ranks;
}

std::string standalone(const std::vector<std::string>& panels) {
  if (panels.empty()) return {};
  // Each panel begins with its size: viewBox="0 0 W H".
  const auto size_of = [](const std::string& panel) {
    const std::size_t at = panel.find("viewBox=\"0 0 ") + 13;
    char* end = nullptr;
    const double width = std::strtod(panel.c_str() + at, &end);
    const double height = std::strtod(end, nullptr);
    return std::pair(width, height);
  };
  double width = 0;
  double height = 0;
  for (const std::string& panel : panels) {
    const auto [w, h] = size_of(panel);
    width = std::max(width, w);
    height += h;
  }
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure\" width=\"" + coordinate(width) +
                    "\" height=\"" + coordinate(height) + "\" viewBox=\"0 0 " + coordinate(width) + ' ' +
                    coordinate(height) + "\">\n<style>\n" + std::string(figure_style()) +
                    "</style>\n<rect width=\"100%\" height=\"100%\" style=\"fill:var(--paper)\"/>\n";
  double y = 0;
  for (const std::string& panel : panels) {
    const auto [w, h] = size_of(panel);
    std::string inner = panel;
    inner.insert(inner.find("<svg ") + 5, "x=\"0\" y=\"" + coordinate(y) + "\" width=\"" + coordinate(w) +
                                              "\" height=\"" + coordinate(h) + "\" ");
    out += inner;
    y += h;
  }
  return out + "</svg>\n";
}

std::string_view figure_style() { return page_parts::figure_css; }

}  // namespace clc::view
