#include "reference.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace clc::test {

namespace {

/// Rows of a least squares problem, with their standard deviations.
struct Rows {
  Eigen::MatrixXd a;
  Eigen::VectorXd b;
  Eigen::VectorXd sd;
  std::vector<bool> robust;
};

Rows rows_of(const std::vector<sync::Pair>& pairs, std::size_t clocks, const sync::Knots& knots) {
  const auto k = static_cast<Eigen::Index>(knots.grid.count);
  const auto n = static_cast<Eigen::Index>(clocks);
  const auto p = static_cast<Eigen::Index>(pairs.size());
  Eigen::Index count = n * (k - 2) + p;
  for (const sync::Pair& pair : pairs) count += std::ssize(pair.observations);
  Rows rows{Eigen::MatrixXd::Zero(count, n * k + p), Eigen::VectorXd::Zero(count), Eigen::VectorXd::Ones(count), {}};
  Eigen::Index row = 0;
  for (Eigen::Index at = 0; at < p; ++at) {
    const sync::Pair& pair = pairs[static_cast<std::size_t>(at)];
    for (const sync::Observation& one : pair.observations) {
      // A hat function stands on each knot; beyond the ends the last two go on straight.
      const double x = (one.time - knots.grid.centre(0)) / knots.grid.length;
      const auto left = static_cast<Eigen::Index>(std::clamp(std::floor(x), 0.0, static_cast<double>(k - 2)));
      const double part = x - static_cast<double>(left);
      rows.a(row, pair.high * k + left) += 1 - part;
      rows.a(row, pair.high * k + left + 1) += part;
      rows.a(row, pair.low * k + left) -= 1 - part;
      rows.a(row, pair.low * k + left + 1) -= part;
      rows.a(row, n * k + at) = 1;
      rows.b[row] = one.value;
      rows.sd[row++] = std::sqrt(one.variance);
      rows.robust.push_back(true);
    }
  }
  for (Eigen::Index clock = 0; clock < n; ++clock)
    for (Eigen::Index knot = 1; knot + 1 < k; ++knot) {
      rows.a(row, clock * k + knot - 1) = rows.a(row, clock * k + knot + 1) = 1;
      rows.a(row, clock * k + knot) = -2;
      rows.sd[row++] = std::sqrt(knots.bend);
      rows.robust.push_back(true);
    }
  for (Eigen::Index at = 0; at < p; ++at) {
    rows.a(row, n * k + at) = 1;
    rows.sd[row++] = pairs[static_cast<std::size_t>(at)].bias_sd;
    rows.robust.push_back(false);
  }
  return rows;
}

}  // namespace

std::vector<std::vector<double>> dense_smooth(const std::vector<sync::Pair>& pairs, std::size_t clocks,
                                              const sync::Knots& knots) {
  const Rows rows = rows_of(pairs, clocks, knots);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(rows.a.cols());
  for (int round = 0; round < 4; ++round) {
    Eigen::MatrixXd a = rows.a;
    Eigen::VectorXd b = rows.b;
    const Eigen::VectorXd left = rows.a * x - rows.b;
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
      const double r = left[i] / rows.sd[i];
      const bool weigh = round > 0 && rows.robust[static_cast<std::size_t>(i)];
      const double scale = std::sqrt(weigh ? 5 / (4 + r * r) : 1) / rows.sd[i];
      a.row(i) *= scale;
      b[i] *= scale;
    }
    x = a.completeOrthogonalDecomposition().solve(b);
  }
  const std::size_t k = knots.grid.count;
  std::vector<std::vector<double>> result(clocks, std::vector<double>(k));
  for (std::size_t knot = 0; knot < k; ++knot) {
    double mean = 0;
    for (std::size_t clock = 0; clock < clocks; ++clock)
      mean += x[static_cast<Eigen::Index>(clock * k + knot)] / static_cast<double>(clocks);
    for (std::size_t clock = 0; clock < clocks; ++clock)
      result[clock][knot] = x[static_cast<Eigen::Index>(clock * k + knot)] - mean;
  }
  return result;
}

namespace {

void search(const std::vector<sync::Arc>& arcs, std::uint32_t start, std::uint32_t at, double length, int hops,
            std::vector<bool>& visited, double& best) {
  for (const sync::Arc& arc : arcs) {
    if (arc.from != at) continue;
    if (arc.to == start) best = std::min(best, (length + arc.length) / (hops + 1));
    if (arc.to <= start || visited[arc.to]) continue;
    visited[arc.to] = true;
    search(arcs, start, arc.to, length + arc.length, hops + 1, visited, best);
    visited[arc.to] = false;
  }
}

}  // namespace

double shortest_cycle_by_search(const std::vector<sync::Arc>& arcs, std::size_t nodes) {
  double best = HUGE_VAL;
  for (std::uint32_t start = 0; start < nodes; ++start) {
    std::vector<bool> visited(nodes, false);
    search(arcs, start, start, 0, 0, visited, best);
  }
  return best;
}

}  // namespace clc::test
