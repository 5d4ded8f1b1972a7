// What the variances of pairs make of the variances of clocks, against a dense pseudoinverse.
#include "sync/variances.hpp"

#include <Eigen/Eigenvalues>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "sync/errors.hpp"

namespace {

using namespace clc::sync;  // NOLINT
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

struct Network {
  std::vector<Pair> pairs;
  std::vector<double> variances;
  ClockIndex clocks = 0;

  void join(ClockIndex a, ClockIndex b, double variance) {
    if (a == b) return;
    Pair& pair = pairs.emplace_back();
    pair.low = std::min(a, b);
    pair.high = std::max(a, b);
    pair.observations.push_back({0, 0, 1, 0});
    variances.push_back(variance);
    clocks = std::max(clocks, pair.high + 1);
  }
  [[nodiscard]] Groups groups() const { return groups_of(pairs, clocks); }
};

Network ring(ClockIndex clocks) {
  Network network;
  for (ClockIndex clock = 0; clock < clocks; ++clock) network.join(clock, (clock + 1) % clocks, 1);
  return network;
}

/// A connected graph with variances over four decades.
Network random_network(std::mt19937_64& random, ClockIndex clocks) {
  Network network;
  const auto variance = [&] { return std::pow(10.0, 4 * static_cast<double>(random() >> 11U) * 0x1p-53); };
  for (ClockIndex clock = 1; clock < clocks; ++clock) {
    network.join(clock, static_cast<ClockIndex>(random() % clock), variance());
    network.join(clock, static_cast<ClockIndex>(random() % clocks), variance());
  }
  return network;
}

/// The diagonal of the pseudoinverse of a Laplacian whose graph is connected.
Vector reference(const Network& network) {
  Matrix laplacian = Matrix::Zero(network.clocks, network.clocks);
  for (std::size_t i = 0; i < network.pairs.size(); ++i) {
    Vector edge = Vector::Zero(network.clocks);
    edge[network.pairs[i].low] = -1;
    edge[network.pairs[i].high] = 1;
    laplacian += edge * edge.transpose() / network.variances[i];
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(laplacian);
  Vector result = Vector::Zero(network.clocks);
  for (Eigen::Index i = 1; i < network.clocks; ++i)
    result += solver.eigenvectors().col(i).cwiseAbs2() / solver.eigenvalues()[i];
  return result;
}

TEST_CASE("law: variances of clocks against the mean are those of a dense pseudoinverse") {
  std::mt19937_64 random(7);
  for (ClockIndex clocks = 2; clocks < 40; ++clocks) {
    const Network network = random_network(random, clocks);
    const std::vector<double> found = offset_variances(network.pairs, network.variances, network.groups());
    const Vector expected = reference(network);
    for (ClockIndex clock = 0; clock < clocks; ++clock) CHECK(found[clock] == Approx(expected[clock]).epsilon(1e-6));
  }
}

TEST_CASE("law: variances and shares of a group are exact, however many other clocks there are") {
  std::mt19937_64 random(11);
  for (const ClockIndex others : {3U, 100U, 300U}) {  // groups of three, and one of so many
    Network network;
    std::vector<Network> groups;
    for (int group = 0; group < 100; ++group) {
      const ClockIndex first = network.clocks;
      const Network& own = groups.emplace_back(random_network(random, group == 50 ? others : 3));
      for (std::size_t i = 0; i < own.pairs.size(); ++i)
        network.join(first + own.pairs[i].low, first + own.pairs[i].high, own.variances[i]);
    }
    ++network.clocks;  // one without messages
    const std::vector<double> found = offset_variances(network.pairs, network.variances, network.groups());
    const std::vector<double> shares = shares_left(network.pairs, network.variances, network.groups());
    std::size_t clock = 0;
    std::size_t pair = 0;
    for (const Network& own : groups) {
      const Vector expected = reference(own);
      const std::vector<double> left = shares_left(own.pairs, own.variances, own.groups());
      const bool is_drawn = own.clocks == 300;
      for (ClockIndex k = 0; k < own.clocks; ++k, ++clock)
        if (!is_drawn) CHECK(found[clock] == Approx(expected[k]).epsilon(1e-6));
      for (std::size_t k = 0; k < left.size(); ++k, ++pair)
        if (!is_drawn) CHECK(shares[pair] == Approx(left[k]).margin(1e-9));
    }
    CHECK(std::isinf(found[clock]));
  }
}

TEST_CASE("variances in a ring grow with its length") {
  for (const ClockIndex clocks : {3U, 8U, 100U}) {
    const Network network = ring(clocks);
    const double n = clocks;
    for (const double one : offset_variances(network.pairs, network.variances, network.groups()))
      CHECK(one == Approx((n * n - 1) / (12 * n)));
  }
}

TEST_CASE("law: drawn errors give the same variances, as far as a few draws can") {
  std::mt19937_64 random(8);
  constexpr double draws = 24;
  for (int round = 0; round < 5; ++round)
    for (const Network& network : {random_network(random, 150), ring(40)}) {
      const std::vector<double> found = drawn_offset_variances(network.pairs, network.variances, network.groups());
      const Vector expected = reference(network);
      double sum = 0;
      for (ClockIndex clock = 0; clock < network.clocks; ++clock) {
        const double ratio = found[clock] / expected[clock];
        CHECK(ratio > 0.2);
        CHECK(ratio < 1 + 6 * std::sqrt(2 / draws));
        sum += ratio / network.clocks;
      }
      CHECK(std::abs(sum - 1) < 3 * std::sqrt(2 / draws));  // in a ring all clocks go the same way
    }
}

TEST_CASE("law: what is left of the pairs are as many variances as there are loops") {
  std::mt19937_64 random(9);
  for (ClockIndex clocks = 2; clocks < 40; ++clocks) {
    const Network network = random_network(random, clocks);
    const std::vector<double> shares = shares_left(network.pairs, network.variances, network.groups());
    double sum = 0;
    for (const double share : shares) sum += share;
    const double loops = static_cast<double>(network.pairs.size()) - (clocks - 1);
    CHECK(sum == Approx(loops).margin(1e-6));
  }
  // In a ring each pair has the same share; a pair at its side alone tells of a clock; one beside it of nothing.
  Network network = ring(5);
  network.join(4, 5, 1);
  network.join(0, 1, 1e9);
  const std::vector<double> shares = shares_left(network.pairs, network.variances, network.groups());
  for (std::size_t i = 0; i < 5; ++i) CHECK(shares[i] == Approx(0.2).margin(1e-6));
  CHECK(shares[5] == Approx(0).margin(1e-6));
  CHECK(shares[6] == Approx(1).margin(1e-6));
}

TEST_CASE("law: drawn errors leave the same shares of the pairs, as far as a few draws can") {
  std::mt19937_64 random(10);
  constexpr double draws = 24;
  for (int round = 0; round < 5; ++round) {
    const Network network = random_network(random, 150);
    const std::vector<double> exact = shares_left(network.pairs, network.variances, network.groups());
    const std::vector<double> drawn = drawn_shares_left(network.pairs, network.variances, network.groups());
    double squares = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) squares += (drawn[i] - exact[i]) * (drawn[i] - exact[i]);
    CHECK(std::sqrt(squares / static_cast<double>(exact.size())) < std::sqrt(2 / draws));
  }
}

/// Offsets of the clocks against their mean, fitted by least squares to errors of the pairs.
Vector fitted(const Network& network, const Vector& errors) {
  Matrix laplacian = Matrix::Ones(network.clocks, network.clocks);
  Vector right = Vector::Zero(network.clocks);
  for (std::size_t i = 0; i < network.pairs.size(); ++i) {
    Vector edge = Vector::Zero(network.clocks);
    edge[network.pairs[i].low] = -1;
    edge[network.pairs[i].high] = 1;
    laplacian += edge * edge.transpose() / network.variances[i];
    right += edge * errors[static_cast<Eigen::Index>(i)] / network.variances[i];
  }
  return laplacian.ldlt().solve(right);
}

TEST_CASE("law: errors of clocks are stated as they are, however unlike those of the pairs") {
  constexpr ClockIndex side = 6;
  for (const double decades : {0.0, 2.0, 4.0, 6.0}) {
    std::mt19937_64 random(11);
    std::normal_distribution<double> normal;
    double squares = 0;
    int count = 0;
    for (int round = 0; round < 20; ++round) {
      Network network;
      for (ClockIndex row = 0; row < side; ++row)
        for (ClockIndex column = 0; column < side; ++column)
          for (const ClockIndex next : {row * side + (column + 1) % side, (row + 1) % side * side + column})
            network.join(row * side + column, next,
                         std::pow(10.0, decades * static_cast<double>(random() >> 11U) * 0x1p-53));
      Vector errors(std::ssize(network.pairs));
      for (std::size_t i = 0; i < network.pairs.size(); ++i)
        errors[static_cast<Eigen::Index>(i)] = std::sqrt(network.variances[i]) * normal(random);
      const Vector offsets = fitted(network, errors);
      for (std::size_t i = 0; i < network.pairs.size(); ++i) {
        Pair& pair = network.pairs[i];
        pair.bias_sd = std::sqrt(network.variances[i]);
        pair.round_trip = 30;
        const double left = errors[static_cast<Eigen::Index>(i)] - (offsets[pair.high] - offsets[pair.low]);
        pair.observations = {{0, left, 1e-12, 0}};
      }
      const std::vector<double> stated = offset_errors(network.pairs, network.groups(), {1, 0, 0});
      for (ClockIndex clock = 0; clock < network.clocks; ++clock, ++count)
        squares += std::pow(offsets[clock] / stated[clock], 2);
    }
    INFO(decades);
    CHECK(std::sqrt(squares / count) > 0.5);
    CHECK(std::sqrt(squares / count) < 2);
  }
}

TEST_CASE("variances: groups do not see each other, and a clock without observations has none") {
  Network network = ring(5);
  for (ClockIndex clock = 0; clock < 8; ++clock) network.join(6 + clock, 6 + (clock + 1) % 8, 4);
  network.join(5, 6, 1);
  network.pairs.back().observations.clear();
  for (const auto& variances : {offset_variances(network.pairs, network.variances, network.groups()),
                                drawn_offset_variances(network.pairs, network.variances, network.groups())}) {
    CHECK(std::isinf(variances[5]));
    for (const ClockIndex clock : {0U, 4U}) CHECK(variances[clock] < 1);
    for (const ClockIndex clock : {6U, 13U}) CHECK(variances[clock] > 1);
  }
}

TEST_CASE("variances: the mean is that of the clocks that count") {
  Network network;
  network.join(0, 1, 1);
  network.join(1, 2, 9);
  const std::vector<double> variances =
      offset_variances(network.pairs, network.variances, groups_of(network.pairs, 3, 2));
  CHECK(variances[0] == Approx(0.25));
  CHECK(variances[1] == Approx(0.25));
  CHECK(variances[2] == Approx(9.25));
}

}  // namespace
