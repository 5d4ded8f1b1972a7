#include "sync/variances.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "sync/conjugate_gradients.hpp"
#include "sync/sampled_cholesky.hpp"

namespace clc::sync {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr std::size_t most_exact = 256;  // clocks
constexpr int draws = 24;

/// The Laplacian; the first clock of each group is tied to 0, which does not matter against the mean of the group.
struct Network {
  std::vector<Link> links;
  Vector weights;  ///< of the links
  Vector anchors;
  Vector sums;  ///< of the weights at each clock; 0: it has no pair

  Network(const std::vector<Pair>& pairs, const std::vector<double>& variances, const Groups& groups) {
    std::vector<double> all;
    sums = Vector::Zero(std::ssize(groups.of));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (pairs[i].observations.empty()) continue;
      const Link& link = links.emplace_back(Link{static_cast<int>(pairs[i].low), static_cast<int>(pairs[i].high)});
      all.push_back(1 / variances[i]);
      sums[link.low] += all.back();
      sums[link.high] += all.back();
    }
    weights = Eigen::Map<const Vector>(all.data(), std::ssize(all));
    anchors = (sums.array() > 0).select(0.0, Vector::Ones(sums.size()));
    for (const ClockIndex first : groups.first) anchors[first] = sums[first];
  }
  [[nodiscard]] Vector times(const Vector& x) const {
    Vector result = anchors.cwiseProduct(x);
    for (Eigen::Index i = 0; i < weights.size(); ++i) {
      const auto [low, high] = links[static_cast<std::size_t>(i)];
      const double value = weights[i] * (x[high] - x[low]);
      result[high] += value;
      result[low] -= value;
    }
    return result;
  }
};

/// Of the offsets against the mean of their group, from the covariance against any common value.
std::vector<double> against_means(const Matrix& covariance, const Groups& groups) {
  const auto clocks = static_cast<ClockIndex>(groups.of.size());
  std::vector<double> with_mean(clocks, 0.0);
  for (ClockIndex clock = 0; clock < clocks; ++clock)
    for (ClockIndex other = 0; other < groups.counting; ++other)
      if (groups.of[clock] != Groups::none && groups.of[other] == groups.of[clock])
        with_mean[clock] += covariance(clock, other) / groups.size[groups.of[clock]];
  std::vector<double> of_mean(groups.first.size(), 0.0);
  for (ClockIndex clock = 0; clock < groups.counting; ++clock)
    if (groups.of[clock] != Groups::none) of_mean[groups.of[clock]] += with_mean[clock] / groups.size[groups.of[clock]];
  std::vector<double> result(clocks, std::numeric_limits<double>::infinity());
  for (ClockIndex clock = 0; clock < clocks; ++clock)
    if (groups.of[clock] != Groups::none)
      result[clock] = std::max(0.0, covariance(clock, clock) - 2 * with_mean[clock] + of_mean[groups.of[clock]]);
  return result;
}

/// Against the first clock of the group.
Matrix covariance_of(const Network& network) {
  const Eigen::Index clocks = network.sums.size();
  Matrix laplacian = network.anchors.asDiagonal();
  for (Eigen::Index i = 0; i < network.weights.size(); ++i) {
    const auto [low, high] = network.links[static_cast<std::size_t>(i)];
    laplacian(low, low) += network.weights[i];
    laplacian(high, high) += network.weights[i];
    laplacian(low, high) -= network.weights[i];
    laplacian(high, low) -= network.weights[i];
  }
  return laplacian.ldlt().solve(Matrix::Identity(clocks, clocks));
}

/// Calls to(errors, offsets, right) for each draw: with errors of all links as large as their standard deviation, the
/// offsets that the fit makes of them, and for each clock the sum of its errors by their weights.
template <class To>
void draw(const Network& network, To to) {
  constexpr double precise = 1e-2;
  const EliminationOrder order(network.links, static_cast<int>(network.sums.size()));
  const SampledCholesky preconditioner(order, network.links, network.weights, network.anchors);
  const auto solve = [&](const Vector& of) {
    Vector result = of;
    preconditioner.solve(result);
    return result;
  };
  std::mt19937_64 random(1);
  Vector errors(network.weights.size());
  for (int each = 0; each < draws; ++each) {
    Vector right = Vector::Zero(network.sums.size());
    for (Eigen::Index i = 0; i < errors.size(); ++i) {
      const auto [low, high] = network.links[static_cast<std::size_t>(i)];
      const double weighted = (random() & 1U) != 0 ? std::sqrt(network.weights[i]) : -std::sqrt(network.weights[i]);
      errors[i] = weighted / network.weights[i];
      right[high] += weighted;
      right[low] -= weighted;
    }
    Vector offsets = solve(right);
    conjugate_gradients([&](const Vector& of) { return network.times(of); }, right, solve,
                        precise * offsets.cwiseAbs().maxCoeff(), offsets);
    to(errors, offsets, right);
  }
}

/// Of all pairs, from those of the links.
std::vector<double> of_pairs(const std::vector<Pair>& pairs, const Vector& of_links) {
  std::vector<double> result(pairs.size(), 0.0);
  Eigen::Index link = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (!pairs[i].observations.empty()) result[i] = std::clamp(of_links[link++], 0.0, 1.0);
  return result;
}

}  // namespace

std::vector<double> drawn_offset_variances(const std::vector<Pair>& pairs, const std::vector<double>& variances,
                                           const Groups& groups) {
  const Network network(pairs, variances, groups);
  const Vector known = (network.sums.array() > 0).select(network.sums.cwiseInverse(), 0.0);
  Vector more = Vector::Zero(known.size());
  draw(network, [&](const Vector& /*errors*/, const Vector& offsets, const Vector& right) {
    std::vector<double> centred(offsets.begin(), offsets.end());
    centre(centred, groups);
    for (Eigen::Index clock = 0; clock < more.size(); ++clock) {
      const double local = known[clock] * right[clock];
      more[clock] += (std::pow(centred[static_cast<std::size_t>(clock)], 2) - local * local) / draws;
    }
  });
  std::vector<double> result(groups.of.size(), std::numeric_limits<double>::infinity());
  for (std::size_t clock = 0; clock < result.size(); ++clock) {
    const auto index = static_cast<Eigen::Index>(clock);
    if (groups.of[clock] != Groups::none) result[clock] = known[index] + std::max(0.0, more[index]);
  }
  return result;
}

std::vector<double> offset_variances(const std::vector<Pair>& pairs, const std::vector<double>& variances,
                                     const Groups& groups) {
  if (groups.of.size() > most_exact) return drawn_offset_variances(pairs, variances, groups);
  return against_means(covariance_of(Network(pairs, variances, groups)), groups);
}

std::vector<double> drawn_shares_left(const std::vector<Pair>& pairs, const std::vector<double>& variances,
                                      const Groups& groups) {
  const Network network(pairs, variances, groups);
  Vector shares = Vector::Zero(network.weights.size());
  draw(network, [&](const Vector& errors, const Vector& offsets, const Vector& /*right*/) {
    for (Eigen::Index i = 0; i < shares.size(); ++i) {
      const auto [low, high] = network.links[static_cast<std::size_t>(i)];
      shares[i] += network.weights[i] * std::pow(errors[i] - (offsets[high] - offsets[low]), 2) / draws;
    }
  });
  return of_pairs(pairs, shares);
}

std::vector<double> shares_left(const std::vector<Pair>& pairs, const std::vector<double>& variances,
                                const Groups& groups) {
  if (groups.of.size() > most_exact) return drawn_shares_left(pairs, variances, groups);
  const Network network(pairs, variances, groups);
  const Matrix covariance = covariance_of(network);
  Vector shares(network.weights.size());
  for (Eigen::Index i = 0; i < shares.size(); ++i) {
    const auto [low, high] = network.links[static_cast<std::size_t>(i)];
    shares[i] = 1 - network.weights[i] * (covariance(low, low) + covariance(high, high) - 2 * covariance(low, high));
  }
  return of_pairs(pairs, shares);
}

}  // namespace clc::sync
