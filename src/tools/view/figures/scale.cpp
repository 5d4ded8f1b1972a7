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

/// At most so many figures, but all of those before the point.
std::string digits(double value, int figures) {
  const int before = value == 0 ? 1 : static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9)) + 1;
  return fixed(value, std::clamp(figures - before, 0, 9));
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

/// The same for people: with the minus of print.
std::string with_minus(const std::string& number) {
  return number[0] == '-' ? "\xE2\x88\x92" + with_commas(number).substr(1) : with_commas(number);
}

}  // namespace

std::string grouped(std::uint64_t number) { return with_commas(std::to_string(number)); }

std::string ppm(double rate) { return with_minus(fixed(rate, 4)) + "\xC2\xA0ppm"; }

std::string duration(double seconds) {
  if (seconds == 0) return "0";
  const Unit& unit = unit_for(seconds);
  return with_minus(digits(seconds / unit.size, 3)) + "\xC2\xA0" + unit.name;
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
  // Steps are round in the unit of the labels.
  const Unit& unit = unit_for(std::max(std::abs(from), std::abs(to)));
  const double rough = (to - from) / unit.size / most;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough * 0.999) {
      step = factor * power;
      break;
    }
  const int behind = std::clamp(-static_cast<int>(std::floor(std::log10(step) + 1e-9)), 0, 15);
  // Both ends have their marks although numbers are rounded.
  const double last = to / unit.size + step * 1e-3;
  for (double k = std::ceil(from / unit.size / step - 1e-3); k * step <= last && ticks.size() < 100; ++k)
    ticks.push_back({k * step * unit.size, k == 0 ? "0" : with_minus(fixed(k * step, behind)) + ' ' + unit.name});
  return ticks;
}

}  // namespace clc::view
