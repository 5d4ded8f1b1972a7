// Random numbers that are the same on every machine: integer arithmetic and IEEE operations only, nothing
// from the mathematics library, whose last bit differs between processors.
//
// Source   xoshiro256++ and splitmix64 by D. Blackman and S. Vigna (public domain algorithms).
#pragma once

#include <bit>
#include <cstdint>

namespace clc::tracegen {

class Random {
 public:
  /// Streams of one seed are independent of each other.
  Random(std::uint64_t seed, std::uint64_t stream) noexcept {
    std::uint64_t x = seed ^ (stream * 0xd1342543de82ef95ULL + 0x2545f4914f6cdd1dULL);
    for (std::uint64_t& word : state_) {
      x += 0x9e3779b97f4a7c15ULL;
      std::uint64_t z = x;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
      word = z ^ (z >> 31);
    }
  }

  [[nodiscard]] std::uint64_t next() noexcept {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// In [0, 1).
  [[nodiscard]] double uniform() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// In [-1, 1).
  [[nodiscard]] double symmetric() noexcept { return 2 * uniform() - 1; }
  /// In [0, bound), bound > 0; the bias is below bound / 2^32.
  [[nodiscard]] std::uint32_t below(std::uint32_t bound) noexcept {
    return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
  }
  [[nodiscard]] bool chance(double probability) noexcept { return probability > 0 && uniform() < probability; }

  /// Exponential distribution of mean 1.
  [[nodiscard]] double exponential() noexcept { return -logarithm(static_cast<double>((next() >> 11) + 1) * 0x1p-53); }
  /// Mean 0, variance 1, nearly normal (a sum of four), never beyond 3.47.
  [[nodiscard]] double normal() noexcept {
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += uniform();
    return (sum - 2) * 1.7320508075688772;
  }

  /// Natural logarithm of a positive normal number, to about 1e-12.
  [[nodiscard]] static double logarithm(double x) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    auto exponent = static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023);
    auto mantissa = std::bit_cast<double>((bits & 0x000f'ffff'ffff'ffffULL) | 0x3ff0'0000'0000'0000ULL);
    const bool large = mantissa > 1.4142135623730951;
    mantissa = large ? mantissa * 0.5 : mantissa;
    exponent = large ? exponent + 1 : exponent;
    const double f = (mantissa - 1) / (mantissa + 1);
    const double g = f * f;
    const double series =
        1 + g * (1.0 / 3 + g * (1.0 / 5 + g * (1.0 / 7 + g * (1.0 / 9 + g * (1.0 / 11 + g * (1.0 / 13))))));
    return exponent * 0.6931471805599453 + 2 * f * series;
  }

  /// sin(2 pi turns), to about 1e-9.
  [[nodiscard]] static double sine(double turns) noexcept {
    turns -= static_cast<double>(static_cast<std::int64_t>(turns));
    if (turns < 0) turns += 1;
    double sign = 1;
    if (turns >= 0.5) {
      turns -= 0.5;
      sign = -1;
    }
    if (turns > 0.25) turns = 0.5 - turns;
    const double x = turns * 6.283185307179586;
    const double g = x * x;
    const double series =
        1 - g / 6 * (1 - g / 20 * (1 - g / 42 * (1 - g / 72 * (1 - g / 110 * (1 - g / 156 * (1 - g / 210))))));
    return sign * x * series;
  }

 private:
  std::uint64_t state_[4];
};

}  // namespace clc::tracegen
