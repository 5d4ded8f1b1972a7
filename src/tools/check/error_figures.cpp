#include "error_figures.hpp"

#include <algorithm>
#include <bit>

namespace clc::check {

// A class is an exponent and the seven highest bits of the mantissa, as they stand in a double.
std::size_t ErrorFigures::class_of(double error) noexcept {
  constexpr std::uint64_t bias = 1023;
  constexpr std::uint64_t first = (bias - 64) * classes_per_octave;
  static_assert(lowest_exponent == -64);
  if (!(error >= 0x1p-64)) return 0;
  const std::uint64_t index = (std::bit_cast<std::uint64_t>(error) >> 45) - first + 1;
  return std::min<std::size_t>(index, classes - 1);
}

double ErrorFigures::upper_end(std::size_t index) noexcept {
  if (index == 0) return 0;
  const std::size_t octave = (index - 1) / classes_per_octave;
  const std::size_t part = (index - 1) % classes_per_octave + 1;
  return std::ldexp(1 + static_cast<double>(part) / classes_per_octave, static_cast<int>(octave) + lowest_exponent);
}

double ErrorFigures::quantile(double share) const noexcept {
  if (count_ == 0) return 0;
  const double wanted = std::ceil(share * static_cast<double>(count_));
  double seen = 0;
  for (std::size_t i = 0; i < classes; ++i) {
    seen += static_cast<double>((*classes_)[i]);
    if (seen >= wanted) return i + 1 == classes ? largest_ : std::min(upper_end(i), largest_);
  }
  return largest_;
}

}  // namespace clc::check
