// Mean, root mean square, 99 % quantile and maximum of many errors in constant memory.
//
// Method   The quantile comes from a histogram with 128 classes per power of two. The result is the upper
//          end of a class: never below the true quantile, and at most 0.8 % above it.
// Range    Errors from 2^-64 to 2^64, not negative; smaller ones count as 0, larger ones as 2^64.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>

namespace clc::check {

class ErrorFigures {
 public:
  /// How far above the true value a quantile can be, as a share of it.
  static constexpr double quantile_accuracy = 1.0 / 128;

  void add(double error) noexcept {
    ++count_;
    sum_ += error;
    squares_ += error * error;
    if (error > largest_) largest_ = error;
    ++(*classes_)[class_of(error)];
  }

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] double mean() const noexcept { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }
  [[nodiscard]] double rms() const noexcept {
    return count_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(count_));
  }
  [[nodiscard]] double largest() const noexcept { return largest_; }
  /// The smallest error that at least the given share of all do not exceed; share in (0, 1].
  [[nodiscard]] double quantile(double share) const noexcept;

 private:
  static constexpr int lowest_exponent = -64;
  static constexpr int highest_exponent = 64;
  static constexpr std::size_t classes_per_octave = 128;
  static constexpr std::size_t classes = (highest_exponent - lowest_exponent) * classes_per_octave + 1;

  [[nodiscard]] static std::size_t class_of(double error) noexcept;
  [[nodiscard]] static double upper_end(std::size_t index) noexcept;

  std::uint64_t count_ = 0;
  double sum_ = 0;
  double squares_ = 0;
  double largest_ = 0;
  std::unique_ptr<std::array<std::uint64_t, classes>> classes_ = std::make_unique<std::array<std::uint64_t, classes>>();
};

}  // namespace clc::check
