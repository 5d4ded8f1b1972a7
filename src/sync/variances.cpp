#include "sync/variances.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
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

/// A group of clocks, numbered by themselves.
struct Part {
  std::vector<ClockIndex> clocks;  ///< in order
  std::vector<std::size_t> pairs;
};

/// Groups of that many clocks at most.
std::vector<Part> parts_of(const std::vector<Pair>& pairs, const Groups& groups, std::size_t most) {
  std::vector<Part> parts(groups.first.size());
  for (ClockIndex clock = 0; clock < groups.of.size(); ++clock)
    if (groups.of[clock] != Groups::none) parts[groups.of[clock]].clocks.push_back(clock);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (!pairs[i].observations.empty()) parts[groups.of[pairs[i].low]].pairs.push_back(i);
  std::erase_if(parts, [&](const Part& part) { return part.clocks.size() > most; });
  return parts;
}

Eigen::Index number_of(const Part& part, ClockIndex clock) {
  return std::ranges::lower_bound(part.clocks, clock) - part.clocks.begin();
}

/// Against the first clock of the group.
Matrix covariance_of(const Part& part, const std::vector<Pair>& pairs, const std::vector<double>& variances) {
  Matrix laplacian = Matrix::Zero(std::ssize(part.clocks), std::ssize(part.clocks));
  for (const std::size_t i : part.pairs) {
    const Eigen::Index low = number_of(part, pairs[i].low);
    const Eigen::Index high = number_of(part, pairs[i].high);
    const double weight = 1 / variances[i];
    laplacian(low, low) += weight;
    laplacian(high, high) += weight;
    laplacian(low, high) -= weight;
    laplacian(high, low) -= weight;
  }
  laplacian(0, 0) *= 2;  // tied to 0, by as much as to its neighbours
  return laplacian.ldlt().solve(Matrix::Identity(laplacian.rows(), laplacian.cols()));
}

/// Of the offsets against the mean of the first `counting` ones, from the covariance against any common value.
Vector against_mean(const Matrix& covariance, Eigen::Index counting) {
  const Vector with_mean = covariance.leftCols(counting).rowwise().mean();
  const Vector variances = covariance.diagonal() - 2 * with_mean;
  return (variances.array() + with_mean.head(counting).mean()).max(0.0);
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
  const std::vector<Part> parts = parts_of(pairs, groups, most_exact);
  std::vector<double> result = parts.size() < groups.first.size()
                                   ? drawn_offset_variances(pairs, variances, groups)
                                   : std::vector<double>(groups.of.size(), std::numeric_limits<double>::infinity());
  for (const Part& part : parts) {
    const auto counting = number_of(part, static_cast<ClockIndex>(groups.counting));
    const Vector own = against_mean(covariance_of(part, pairs, variances), counting);
    for (std::size_t k = 0; k < part.clocks.size(); ++k) result[part.clocks[k]] = own[static_cast<Eigen::Index>(k)];
  }
  return result;
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
  const std::vector<Part> parts = parts_of(pairs, groups, most_exact);
  std::vector<double> result = parts.size() < groups.first.size() ? drawn_shares_left(pairs, variances, groups)
                                                                  : std::vector<double>(pairs.size(), 0.0);
  for (const Part& part : parts) {
    const Matrix covariance = covariance_of(part, pairs, variances);
    for (const std::size_t i : part.pairs) {
      const Eigen::Index low = number_of(part, pairs[i].low);
      const Eigen::Index high = number_of(part, pairs[i].high);
      const double between = covariance(low, low) + covariance(high, high) - 2 * covariance(low, high);
      result[i] = std::clamp(1 - between / variances[i], 0.0, 1.0);
    }
  }
  return result;
}

}  // namespace clc::sync
