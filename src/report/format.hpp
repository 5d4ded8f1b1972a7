// Numbers in sentences, as printf writes them, with a decimal point whatever locale the program has chosen.
#pragma once

#include <locale.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

namespace clc {

/// The locale "C", for this thread, until the end of its scope.
class CLocale {
 public:
  CLocale() noexcept : before_(::uselocale(one())) {}
  CLocale(const CLocale&) = delete;
  CLocale& operator=(const CLocale&) = delete;
  ~CLocale() { ::uselocale(before_); }

 private:
  static locale_t one() noexcept {
    static const locale_t c = ::newlocale(LC_ALL_MASK, "C", nullptr);
    return c;
  }
  locale_t before_;
};

/// At most 511 characters.
template <class... Values>
[[nodiscard]] std::string format(const char* pattern, Values... values) {
  const CLocale c;
  std::array<char, 512> text{};
  const int length = std::snprintf(text.data(), text.size(), pattern, values...);
  return {text.data(), std::min(static_cast<std::size_t>(std::max(length, 0)), text.size() - 1)};
}

/// A share in percent, of nothing 0.
[[nodiscard]] inline std::string percent(double part, double whole) {
  if (whole <= 0) return "0 %";
  const double share = 100 * part / whole;
  return format(share == 0 || share >= 0.1 ? "%.1f %%" : "%.2g %%", share);
}
[[nodiscard]] inline std::string percent(std::uint64_t part, std::uint64_t whole) {
  return percent(static_cast<double>(part), static_cast<double>(whole));
}

}  // namespace clc
