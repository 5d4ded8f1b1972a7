#include "view/figures/figures.hpp"

#include <algorithm>

#include "view/figures/svg.hpp"
#include "view/page_parts.hpp"

namespace clc::view {

std::string_view side_title(const Scene& scene, Column side) {
  if (!scene.two_sides) return "As it is";
  return side == recorded ? "Before: as recorded" : "After: corrected";
}

std::vector<Column> shown_sides(const Scene& scene) {
  return scene.two_sides ? std::vector<Column>{recorded, corrected} : std::vector<Column>{recorded};
}

std::vector<std::size_t> region_ranks(const Model& model) {
  std::vector<std::size_t> ranks(model.regions().names().size(), region_colours - 1);
  const std::vector<Regions::Id> order = model.activities().regions_by_time();
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
