// The published methods, slow and plain: written from the formulas over all messages, without hulls.
#pragma once

#include <optional>
#include <vector>

#include "sync/curve.hpp"

namespace clc::test {

/// A difference of clocks, linear over time.
struct PlainLine {
  double offset = 0;
  double rate = 0;
};

/// nullopt: no line lies between the messages of both directions. By bisection for the slope at which the gap between
/// the bounds closes.
[[nodiscard]] std::optional<PlainLine> plain_duda(const std::vector<sync::Point>& up,
                                                  const std::vector<sync::Point>& down);

/// Least squares through the middles of the smallest and largest differences in intervals [R eq. 7.2-7.5].
[[nodiscard]] PlainLine plain_hofmann(const std::vector<sync::Point>& up, const std::vector<sync::Point>& down,
                                      double begin, double end, std::size_t intervals);

/// Differences C_i - C_0 at each time: the middle of the bounds, which triangles are repeated on until nothing changes
/// [R 7.5, 7.6]. upper[i][k]: bound of C_i - C_k. nullopt: a bound contradicts another.
[[nodiscard]] std::optional<std::vector<std::vector<double>>> plain_closure(std::vector<std::vector<double>> upper);

}  // namespace clc::test
