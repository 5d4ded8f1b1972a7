#include "view/figures/scale.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace clc::view {

namespace {

struct Unit {
  double size;
  const char* name;
};

constexpr std::array<Unit, 6> units{
    {{86400, "d"}, {1, "s"}, {1e-3, "ms"}, {1e-6, "\xC2\xB5s"}, {1e-9, "ns"}, {1e-12, "ps"}}};

const Unit& unit_for(double seconds) {
  const double size = std::abs(seconds);
  for (const Unit& unit : units)
    if (size >= unit.size * 0.9995 && !(unit.size > 1 && size < 10 * unit.size)) return unit;
  return units.back();
}

std::string digits(double value, int figures) {
  std::array<char, 64> text{};
  const int before = value == 0 ? 1 : static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9)) + 1;
  std::snprintf(text.data(), text.size(), "%.*f", std::clamp(figures - before, 0, 9), value);
  std::string out = text.data();
  if (out.find('.') != std::string::npos) {
    while (out.back() == '0') out.pop_back();
    if (out.back() == '.') out.pop_back();
  }
  return out == "-0" ? "0" : out;
}

/// Thousands apart, sign kept.
std::string with_commas(const std::string& number) {
  const std::size_t begin = number[0] == '-' ? 1 : 0;
  const std::size_t end = std::min(number.find('.'), number.size());
  std::string out = number.substr(0, begin);
  for (std::size_t i = begin; i < end; ++i) {
    if (i != begin && (end - i) % 3 == 0) out += ',';
    out += number[i];
  }
  return out + number.substr(end);
}

}  // namespace

std::string grouped(std::uint64_t number) { return with_commas(std::to_string(number)); }

std::string duration(double seconds) {
  if (seconds == 0) return "0";
  const Unit& unit = unit_for(seconds);
  std::string number = with_commas(digits(seconds / unit.size, 3));
  if (number[0] == '-') number = "\xE2\x88\x92" + number.substr(1);
  return number + "\xC2\xA0" + unit.name;
}

std::string rounded_count(double number) {
  if (number < 1000) return digits(number, 3);
  if (number < 1e6) return digits(number / 1e3, 3) + "k";
  if (number < 1e9) return digits(number / 1e6, 3) + "M";
  return digits(number / 1e9, 3) + "G";
}

std::string rate(double bytes_per_second) {
  if (bytes_per_second < 1e3) return digits(bytes_per_second, 3) + " B/s";
  if (bytes_per_second < 1e6) return digits(bytes_per_second / 1e3, 3) + " kB/s";
  if (bytes_per_second < 1e9) return digits(bytes_per_second / 1e6, 3) + " MB/s";
  return digits(bytes_per_second / 1e9, 3) + " GB/s";
}

std::string percent(double share) {
  const double hundredths = 100 * share;
  const double size = std::abs(hundredths);
  if (size == 0 || size >= 1) return digits(hundredths, 3) + "\xC2\xA0%";
  std::array<char, 32> text{};
  if (size < 1e-6)
    std::snprintf(text.data(), text.size(), "%.0e", hundredths);
  else  // two digits
    std::snprintf(text.data(), text.size(), "%.*f", 1 - static_cast<int>(std::floor(std::log10(size) + 1e-9)),
                  hundredths);
  std::string out = text.data();
  while (size >= 1e-6 && out.back() == '0') out.pop_back();
  return out + "\xC2\xA0%";
}

std::vector<Tick> duration_ticks(double from, double to, int most) {
  std::vector<Tick> ticks;
  if (!(to > from)) return ticks;
  const double rough = (to - from) / most;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough * 0.999) {
      step = factor * power;
      break;
    }
  const Unit& unit = unit_for(std::max(std::abs(from), std::abs(to)));
  const double first = std::ceil(from / step - 1e-9);
  for (double k = first; k * step <= to * (1 + 1e-12) + step * 1e-9 && ticks.size() < 100; ++k) {
    const double value = k * step;
    const auto power_of = [](double size) { return std::floor(std::log10(size) + 1e-9); };
    const int figures = static_cast<int>(std::max(1.0, power_of(std::max(std::abs(value), step)) - power_of(step) + 1));
    std::string number = with_commas(digits(value / unit.size, figures));
    if (number[0] == '-') number = "\xE2\x88\x92" + number.substr(1);
    ticks.push_back({value, k == 0 ? "0" : number + ' ' + unit.name});
  }
  return ticks;
}

}  // namespace clc::view
