// Evaluates round trips between two clocks; the same for the recorder and for clc-record --measure.
//
// Units    Nanoseconds. Offsets are what must be added to the times of the one that answers to get those of the one
//          that asks.
// Source   The frequency of a counter by two readings of both clocks [T eq. 1-4]. Samples beyond twice the shortest are
//          left out of means [T 2.2]; offset = ((T1 - T2) + (T4 - T3)) / 2 [R 3.4]; minimum delays [R 7.2].
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace clc::record {

/// A counter and the system's clock, read at the same time.
struct Reading {
  std::uint64_t count = 0;
  std::uint64_t time = 0;   ///< the middle of the readings of the system's clock before and after the counter's
  std::uint64_t doubt = 0;  ///< between these two
};
struct Frequency {
  double megahertz = 0;
  double error = 0;  ///< q: its relative error is at most that
};
/// [T eq. 1], and q = t_get / (t2 - t1). Both clocks may advance in steps of one count: on aarch64 the system's clock
/// is made from the counter, which may take 50 ns for a step, so that two readings are often equal.
[[nodiscard]] Frequency frequency(const Reading& first, const Reading& last) noexcept;

/// Times of a round trip, by the clocks of those who took them.
struct RoundTrip {
  std::int64_t asked = 0;     ///< T1
  std::int64_t received = 0;  ///< T2, at the other end
  std::int64_t answered = 0;  ///< T3, at the other end
  std::int64_t returned = 0;  ///< T4

  [[nodiscard]] double length() const noexcept {
    return static_cast<double>((returned - asked) - (answered - received));
  }
};

/// Half round trips.
struct HalfTrips {
  double shortest = 0;
  double mean = 0;        ///< of those that are kept
  double longest = 0;     ///< of those that are kept
  double usual = 0;       ///< the most frequent one
  std::size_t kept = 0;   ///< at most twice the shortest
  std::size_t count = 0;  ///< all
};
[[nodiscard]] HalfTrips half_trips(std::vector<double> lengths) noexcept;

/// The share of half round trips from 1 to 1.1 times the shortest, to 1.2 times, ..., to 2 times; the last: beyond.
using Distribution = std::array<double, 11>;
[[nodiscard]] Distribution distribution(const std::vector<double>& lengths) noexcept;

/// The most frequent length: the middle of the narrowest stretch with a fifth of all samples. lengths: sorted, not
/// empty.
[[nodiscard]] double most_frequent(const std::vector<double>& lengths) noexcept;

/// mu: half the shortest round trip, less 10 %, if a twentieth of all are at most a tenth longer; else at most 90 % of
/// a quarter of the most frequent one [R 7.2]. 0: there are no samples.
[[nodiscard]] double min_delay(std::vector<double> lengths) noexcept;

/// The line %min-delay, for delays between processes of different nodes and within a node; 0: none is known. Empty:
/// neither is. With one of them it is that of all.
[[nodiscard]] std::string min_delay_line(double other, double node) noexcept;

struct Offset {
  double value = 0;
  double bound = 0;  ///< its error is at most that
};
/// By the shortest round trip. samples: not empty.
[[nodiscard]] Offset offset(const std::vector<RoundTrip>& samples) noexcept;

}  // namespace clc::record
