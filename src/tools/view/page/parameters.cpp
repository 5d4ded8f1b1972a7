// The parameters of the correction that are in effect, from the report or from what the filter noted in the trace.

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <string_view>

#include "common/min_delay.hpp"
#include "view/figures/scale.hpp"
#include "view/page/page.hpp"

namespace clc::view {

namespace {

struct Known {
  std::string_view option;
  std::string_view key;  ///< of the report; empty: the option says it
  std::string_view words;
  std::string_view unit;
};

constexpr std::array<Known, 22> all_known{{
    {"-mmd", "", "Minimum message delay", "\xC2\xB5s"},
    {"-maxerr", "", "Largest error of local intervals", "%"},
    {"-cldiff", "", "Expected clock difference", "\xC2\xB5s"},
    {"--bandwidth", "", "Bandwidth, for the length of messages", "MB/s"},
    {"--regulators", "regulators", "Regulators", ""},
    {"--regulators-as", "", "Rule of the regulators", ""},
    {"--gamma-max", "gamma_max", "Largest control variable \xCE\xB3", ""},
    {"--gamma-min", "gamma_min", "Smallest control variable \xCE\xB3", ""},
    {"--delta", "", "Smallest distance of events", "\xC2\xB5s"},
    {"--norm", "", "Norm of regulator B", ""},
    {"--order", "", "What regulators see", ""},
    {"--match", "", "Matching of receives", ""},
    {"--wait-limit", "", "Longest wait for a message", "s"},
    {"--max-memory", "", "Memory for waiting events", "bytes"},
    {"--estimate", "", "Clocks estimated before, method", ""},
    {"--offsets", "", "Clocks mapped before, by", ""},
    {"--sort-window", "", "Records sorted within", "\xC2\xB5s"},
    {"--clock-of", "", "One clock for each", ""},
    {"--no-amortization", "", "No backward amortization", ""},
    {"--keep-original", "", "Recorded times kept", ""},
    {"--keep-going", "", "Damage passed over", ""},
    {"--ignore-clock-offsets", "", "Clock offsets of the archive ignored", ""},
}};

std::string with_unit(const std::string& value, std::string_view unit) {
  return unit.empty() ? value : value + "\xC2\xA0" + std::string(unit);
}

Parameter parameter(std::string option, std::string value) {
  if (const std::size_t at = option.find('='); at != std::string::npos) {  // --estimate=smooth
    value = option.substr(at + 1);
    option.resize(at);
  }
  const auto* const known = std::ranges::find(all_known, option, &Known::option);
  if (value.empty()) value = "yes";
  if (known == all_known.end()) return {option, option, value};
  std::string words(known->words);
  const bool of_a_place = option == "-mmd" || option == "--delta";
  if (const std::size_t at = value.find('='); of_a_place && at != std::string::npos) {  // 0:1=5, node=2, 3=5
    const std::string place = value.substr(0, at);
    words += place == "node" ? " inside nodes" : (option == "-mmd" ? ", processes " : ", process ") + place;
    value.erase(0, at + 1);
  }
  if (known->unit == "bytes" && value.find_first_not_of("0123456789") == std::string::npos && value.size() < 19)
    value = grouped(std::stoull(value));
  return {words, option, with_unit(value, known->unit)};
}

}  // namespace

std::vector<Parameter> parameters_of(const Scene& scene, const PageFacts& facts) {
  std::string options;
  if (scene.report != nullptr && facts.doubt.empty()) options = scene.report->options;
  if (options.empty())
    for (const std::string& line : facts.provenance)  // of two corrections the last, which stands first
      if (options.empty() && tool::is_correction(line)) options = line;
  std::vector<Parameter> out;
  std::istringstream words(options);
  std::string option;
  for (std::string word; words >> word;) {
    const bool is_option =
        word.starts_with('-') && word.size() > 1 && (word[1] < '0' || word[1] > '9') && word[1] != '.';
    if (is_option || option.empty()) {
      if (!option.empty()) out.push_back(parameter(option, ""));
      option = is_option ? word : "";
      continue;
    }
    out.push_back(parameter(option, word));
    option.clear();
  }
  if (!option.empty()) out.push_back(parameter(option, ""));
  if (out.empty() || scene.report == nullptr || !facts.doubt.empty()) return out;
  for (const Known& known : all_known) {  // what is in effect although nobody asked for it
    const auto told = [&](const Parameter& entry) { return entry.option == known.option; };
    for (const auto& [key, value] : scene.report->parameters)
      if (key == known.key && std::ranges::none_of(out, told))
        out.push_back({std::string(known.words), std::string(known.option), with_unit(value, known.unit)});
  }
  return out;
}

}  // namespace clc::view
