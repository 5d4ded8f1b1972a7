// The linear solvers of the estimator, against dense decompositions.
#include <Eigen/Cholesky>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "sync/conjugate_gradients.hpp"
#include "sync/sampled_cholesky.hpp"
#include "sync/smooth_equations.hpp"
#include "sync/two_level.hpp"

namespace {

using namespace clc::sync;  // NOLINT
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

struct Graph {
  int nodes = 0;
  std::vector<Link> links;
  Vector weights;
  Vector anchors;

  [[nodiscard]] Matrix laplacian() const {
    Matrix result = anchors.asDiagonal();
    for (std::size_t i = 0; i < links.size(); ++i) {
      const auto [low, high] = links[i];
      const double weight = weights[static_cast<Eigen::Index>(i)];
      result(low, low) += weight;
      result(high, high) += weight;
      result(low, high) -= weight;
      result(high, low) -= weight;
    }
    return result;
  }
};

enum class Shape { tree, ring, grid, star, random, parts };
constexpr Shape shapes[] = {Shape::tree, Shape::ring, Shape::grid, Shape::star, Shape::random, Shape::parts};

int below(std::mt19937_64& random, int count) { return static_cast<int>(random() % static_cast<std::uint64_t>(count)); }
double between(std::mt19937_64& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random() >> 11U) * 0x1p-53;
}
Vector random_vector(std::mt19937_64& random, Eigen::Index size) {
  return Vector::NullaryExpr(size, [&] { return between(random, -1, 1); });
}

/// Weights over `decades`; the first node is held.
Graph random_graph(std::mt19937_64& random, Shape shape, double decades) {
  Graph graph;
  const int side = 3 + below(random, 8);
  graph.nodes = side * side;
  const auto join = [&](int a, int b) {
    if (a != b) graph.links.push_back({std::min(a, b), std::max(a, b)});
  };
  for (int node = 0; node < graph.nodes; ++node) {
    if (shape == Shape::tree && node > 0) join(node, below(random, node));
    if (shape == Shape::ring) join(node, (node + 1) % graph.nodes);
    if (shape == Shape::star) join(node, 4);
    if (shape == Shape::grid) {
      join(node, (node + side) % graph.nodes);
      join(node, node % side + 1 < side ? node + 1 : node + 1 - side);
    }
    for (int i = 0; i < 4 && shape == Shape::random; ++i) join(node, below(random, graph.nodes));
    if (shape == Shape::parts) join(node, (node + 3) % graph.nodes);  // three rings, or one
  }
  graph.weights = random_vector(random, std::ssize(graph.links)).unaryExpr([&](double one) {
    return std::pow(10.0, one * decades / 2);
  });
  graph.anchors = Vector::Zero(graph.nodes);
  for (int node = 0; node < 3; ++node) graph.anchors[node] = 1;
  return graph;
}

Vector solution(const SampledCholesky& cholesky, Vector right) {
  cholesky.solve(right);
  return right;
}

TEST_CASE("law: conjugate gradients with a sampled decomposition solve what a dense one solves") {
  std::mt19937_64 random(41);
  for (int round = 0; round < 20; ++round)
    for (const Shape shape : shapes) {
      const Graph graph = random_graph(random, shape, round % 2 == 0 ? 0 : 4);
      const EliminationOrder order(graph.links, graph.nodes);
      const SampledCholesky cholesky(order, graph.links, graph.weights, graph.anchors);
      const Matrix laplacian = graph.laplacian();
      const Vector expected = random_vector(random, graph.nodes);
      Vector x = Vector::Zero(graph.nodes);
      const int steps =
          conjugate_gradients([&](const Vector& of) -> Vector { return laplacian * of; }, laplacian* expected,
                              [&](const Vector& of) { return solution(cholesky, of); }, 1e-12, x);
      CHECK((x - expected).norm() < 1e-7);
      CHECK(steps <= graph.nodes);
    }
}

TEST_CASE("conjugate gradients end after the most steps, with less energy of the error in each") {
  std::mt19937_64 random(47);
  const Graph graph = random_graph(random, Shape::ring, 4);
  const Matrix laplacian = graph.laplacian();
  const Vector expected = random_vector(random, graph.nodes);
  double before = expected.dot(laplacian * expected);
  for (int most_steps = 1; most_steps < 5; ++most_steps) {
    Vector x = Vector::Zero(graph.nodes);
    const int steps =
        conjugate_gradients([&](const Vector& of) -> Vector { return laplacian * of; }, laplacian* expected,
                            [](const Vector& of) { return of; }, 1e-12, x, most_steps);
    const double energy = (x - expected).dot(laplacian * (x - expected));
    CHECK(steps == most_steps);
    CHECK(energy < before);
    before = energy;
  }
}

TEST_CASE("law: a sampled decomposition of a star or a ring is exact") {
  std::mt19937_64 random(43);
  for (int round = 0; round < 50; ++round)
    for (const Shape shape : {Shape::ring, Shape::star, Shape::parts}) {
      Graph graph = random_graph(random, shape, 2);
      // What holds a node counts as a neighbour.
      const bool held = shape == Shape::star && round % 2 == 0;
      graph.anchors = held ? Vector(Vector::Unit(graph.nodes, 4)) : Vector(Vector::Zero(graph.nodes));
      const EliminationOrder order(graph.links, graph.nodes);
      const SampledCholesky cholesky(order, graph.links, graph.weights, graph.anchors);
      const Vector expected = random_vector(random, graph.nodes);
      const Matrix laplacian = graph.laplacian();
      const Vector right = laplacian * expected;
      const Vector found = solution(cholesky, right);
      // But for the rounding of the entries, to float.
      CHECK((laplacian * found - right).norm() < 1e-5 * right.norm());
      if (held) CHECK((found - expected).norm() < 1e-5);
    }
}

TEST_CASE("law: a sampled decomposition is symmetric and positive, and its size grows with the edges only") {
  std::mt19937_64 random(47);
  for (int round = 0; round < 20; ++round)
    for (const Shape shape : shapes) {
      const Graph graph = random_graph(random, shape, 4);
      const EliminationOrder order(graph.links, graph.nodes);
      const SampledCholesky cholesky(order, graph.links, graph.weights, graph.anchors);
      const Vector a = random_vector(random, graph.nodes);
      const Vector b = random_vector(random, graph.nodes);
      CHECK(a.dot(solution(cholesky, b)) == Approx(b.dot(solution(cholesky, a))).epsilon(1e-9));
      CHECK(a.dot(solution(cholesky, a)) > 0);
      CHECK(solution(cholesky, a) == solution({order, graph.links, graph.weights, graph.anchors}, a));
    }
  // Exact decompositions of random graphs are dense.
  std::vector<Link> links;
  constexpr int nodes = 3000;
  for (int i = 0; i < 4 * nodes; ++i) {
    const int low = below(random, nodes - 1);
    links.push_back({low, low + 1 + below(random, nodes - 1 - low)});
  }
  const Vector ones = Vector::Ones(std::ssize(links));
  const EliminationOrder order(links, nodes);
  CHECK(SampledCholesky(order, links, ones, Vector::Zero(nodes)).entries() < 10 * links.size());
}

TEST_CASE("sampled decomposition: a node that nothing holds stays 0") {
  const EliminationOrder order({}, 3);
  const SampledCholesky cholesky(order, {}, Vector(), Vector::Unit(3, 1) * 4);
  CHECK(solution(cholesky, Vector::Ones(3)) == Vector::Unit(3, 1) / 4);
}

/// Rows of random links, known values, and biases of some links.
SmoothProblem random_problem(std::mt19937_64& random) {
  SmoothProblem problem;
  problem.clocks = 3 + below(random, 5);
  problem.knots = 3 + below(random, 6);
  problem.bend_weight = between(random, 0.1, 10);
  for (int high = 1; high < problem.clocks; ++high) problem.links.push_back({below(random, high), high});
  for (int i = 0; i < 3; ++i) problem.links.push_back({0, 1 + below(random, problem.clocks - 1)});
  problem.bias_weights =
      Vector::NullaryExpr(std::ssize(problem.links), [&] { return random() % 3 == 0 ? 0 : between(random, 0.1, 10); });
  const auto row = [&](int of) {
    return Row{of, below(random, problem.knots - 1), between(random, 0, 1), between(random, -1, 1),
               between(random, 0.1, 10)};
  };
  for (int link = 0; link < static_cast<int>(problem.links.size()); ++link)
    for (int i = link >= problem.clocks && random() % 2 == 0 ? 1 : 2 * problem.knots; i > 0; --i)
      problem.rows.push_back(row(link));
  for (int i = 0; i < 4; ++i) problem.known.push_back(row(below(random, problem.clocks)));
  return problem;
}

/// All rows of a problem, with columns for the biases, and their right side, times the roots of their weights.
struct DenseRows {
  Matrix left;
  Vector right;
};
DenseRows dense_rows(const SmoothProblem& problem, const Weights& weights) {
  const Eigen::Index unknowns = Eigen::Index{problem.clocks} * problem.knots;
  const auto links = std::ssize(problem.links);
  const Eigen::Index inner = problem.knots - 2;
  const Eigen::Index count = std::ssize(problem.rows) + std::ssize(problem.known) + links + problem.clocks * inner;
  DenseRows result{Matrix::Zero(count, unknowns + links), Vector::Zero(count)};
  Eigen::Index at = 0;
  const auto column = [&](int clock, Eigen::Index knot) { return knot * problem.clocks + clock; };
  const auto add = [&](int clock, const Row& row, double sign) {
    result.left(at, column(clock, row.knot)) += sign * (1 - row.part);
    result.left(at, column(clock, row.knot + 1)) += sign * row.part;
    result.right[at] = row.value;
  };
  const auto end = [&](double weight) {
    result.left.row(at) *= std::sqrt(weight);
    result.right[at++] *= std::sqrt(weight);
  };
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const Row& row = problem.rows[i];
    add(problem.links[static_cast<std::size_t>(row.of)].high, row, 1);
    add(problem.links[static_cast<std::size_t>(row.of)].low, row, -1);
    if (problem.bias_weights[row.of] > 0) result.left(at, unknowns + row.of) = 1;
    end(weights.rows[static_cast<Eigen::Index>(i)]);
  }
  for (std::size_t i = 0; i < problem.known.size(); ++i) {
    add(problem.known[i].of, problem.known[i], 1);
    end(weights.known[static_cast<Eigen::Index>(i)]);
  }
  for (int clock = 0; clock < problem.clocks; ++clock)
    for (Eigen::Index knot = 0; knot < inner; ++knot) {
      for (const auto& [beside, factor] : {std::pair(0, 1.0), {1, -2.0}, {2, 1.0}})
        result.left(at, column(clock, knot + beside)) = factor;
      end(weights.bends(clock, knot));
    }
  for (Eigen::Index link = 0; link < links; ++link) {
    result.left(at, unknowns + link) = 1;
    end(problem.bias_weights[link] > 0 ? problem.bias_weights[link] : 1);
  }
  return result;
}

TEST_CASE("law: the equations of the smooth solver are those of its rows, without the biases") {
  std::mt19937_64 random(53);
  for (int round = 0; round < 50; ++round) {
    const SmoothProblem problem = random_problem(random);
    const Eigen::Index unknowns = Eigen::Index{problem.clocks} * problem.knots;
    const auto links = std::ssize(problem.links);
    Weights weights = first_weights(problem);
    if (round % 2 == 1) weights = reweighted(problem, random_vector(random, unknowns), random_vector(random, links));
    const SmoothEquations equations(problem, weights);
    const DenseRows rows = dense_rows(problem, weights);
    const Matrix normal = rows.left.transpose() * rows.left;
    const Vector all = normal.ldlt().solve(rows.left.transpose() * rows.right);
    const Vector y = all.head(unknowns);
    CHECK((equations.times(y) - equations.right()).norm() < 1e-9 * equations.right().norm());
    CHECK((equations.biases(y) - all.tail(links)).norm() < 1e-9);
    const Matrix biases = normal.bottomRightCorner(links, links);
    const Matrix coupling = normal.topRightCorner(unknowns, links);
    const Matrix left = normal.topLeftCorner(unknowns, unknowns) -
                        coupling * biases.diagonal().cwiseInverse().asDiagonal() * coupling.transpose();
    const Vector any = random_vector(random, unknowns);
    CHECK((equations.times(any) - left * any).norm() < 1e-9 * any.norm() * left.norm());
    // All clocks deviate by multiples of one shape: a graph, and what bends.
    const Vector shape = random_vector(random, problem.knots);
    const Vector multiples = random_vector(random, problem.clocks);
    const Vector alike = (multiples * shape.transpose()).reshaped();
    Graph graph{problem.clocks, problem.links, equations.link_weights(shape), equations.anchors(shape)};
    Weights straight = weights;
    straight.bends.setZero();
    const SmoothEquations without_bends(problem, straight);
    CHECK(multiples.dot(graph.laplacian() * multiples) == Approx(alike.dot(without_bends.times(alike))));
  }
}

/// Clocks that all see each other a few times; `exact`: and some of which see each other all the time, without errors.
SmoothProblem seen_problem(std::mt19937_64& random, bool exact) {
  SmoothProblem problem;
  problem.clocks = 20;
  problem.knots = 200;
  problem.bend_weight = 1e19;
  const auto join = [&](int low, int high, int rows, double weight) {
    for (int i = 0; i < rows; ++i) {
      const int knot = i * (problem.knots - 1) / rows;
      problem.rows.push_back({static_cast<int>(problem.links.size()), knot, between(random, 0, 1),
                              between(random, -1e-5, 1e-5), weight * std::pow(10.0, between(random, -1, 1))});
    }
    problem.links.push_back({low, high});
  };
  for (int high = 1; high < problem.clocks; ++high)
    for (int low = 0; low < high; ++low) join(low, high, 1 + below(random, problem.knots / 2), 1e10);
  if (exact)
    for (const auto& [low, high] : {std::pair(0, 1), {1, 2}, {2, 3}, {7, 12}, {12, 19}, {8, 15}})
      join(low, high, 160, 1e17);
  problem.bias_weights = Vector::Constant(std::ssize(problem.links), 1e11);
  return problem;
}

/// Of conjugate gradients, until the curves are known to 1e-5 of the error of an observation.
int steps_of(const SmoothProblem& problem) {
  const Weights weights = first_weights(problem);
  const SmoothEquations equations(problem, weights);
  const EliminationOrder order(problem.links, problem.clocks);
  const Matrix mass = Matrix::Identity(problem.knots, problem.knots) / problem.knots;
  const Modes modes = modes_of(mass, 1 / problem.bend_weight, 0);
  const TwoLevel preconditioner(equations, problem, modes, order);
  Vector y = Vector::Zero(Eigen::Index{problem.clocks} * problem.knots);
  return conjugate_gradients([&](const Vector& of) { return equations.times(of); }, equations.right(),
                             [&](const Vector& of) { return preconditioner.solve(of); }, 1e-10, y);
}

TEST_CASE("law: pairs that seem exact take conjugate gradients no more than twice the steps") {
  std::mt19937_64 random(67);
  for (int round = 0; round < 5; ++round) {
    const std::mt19937_64 same = random;
    const int without = steps_of(seen_problem(random, false));
    random = same;
    const int with = steps_of(seen_problem(random, true));
    CAPTURE(round, without, with);
    CHECK(without < 60);
    CHECK(with <= 2 * without);
  }
}

TEST_CASE("clusters: clocks that links join which are ten times as strong as those that lead out, eight at most") {
  const auto of = [](const std::vector<Link>& links, const std::vector<double>& strengths) {
    return clusters_of(links, Eigen::Map<const Vector>(strengths.data(), std::ssize(strengths)), 20);
  };
  using Clusters = std::vector<std::vector<int>>;
  CHECK(of({{0, 1}, {1, 2}, {2, 3}, {3, 4}}, {100, 100, 1, 100}) == Clusters{{0, 1, 2}, {3, 4}});
  CHECK(of({{0, 1}, {1, 2}, {2, 3}, {3, 4}}, {9, 9, 1, 9}).empty());
  // The largest ones, and nothing that is not held by others.
  CHECK(of({{0, 1}, {1, 2}, {2, 3}}, {10000, 100, 1}) == Clusters{{0, 1, 2}});
  CHECK(of({{0, 1}, {1, 2}}, {100, 100}).empty());
  std::vector<Link> chain;
  for (int low = 0; low < 9; ++low) chain.push_back({low, low + 1});
  CHECK(of(chain, {5000, 100, 100, 100, 100, 100, 100, 100, 1}) == Clusters{{0, 1}});
  CHECK(of(chain, {5000, 100, 100, 100, 100, 100, 100, 1, 1}) == Clusters{{0, 1, 2, 3, 4, 5, 6, 7}});
}

TEST_CASE("law: clocks that are solved together are solved exactly") {
  std::mt19937_64 random(61);
  for (int round = 0; round < 20; ++round) {
    SmoothProblem problem = random_problem(random);
    problem.bias_weights.setZero();
    const Weights weights = first_weights(problem);
    const SmoothEquations equations(problem, weights);
    // The others are fixed: 0.
    const std::vector<int> clocks{0, problem.clocks - 1};
    Matrix expected = Matrix::Zero(problem.clocks, problem.knots);
    for (const int clock : clocks) expected.row(clock) = random_vector(random, problem.knots).transpose();
    const Matrix right = equations.times(expected.reshaped()).reshaped(problem.clocks, problem.knots);
    Matrix found = Matrix::Zero(problem.clocks, problem.knots);
    JointBlock(clocks, equations.band(clocks)).solve(right, found);
    CHECK((found - expected).norm() < 1e-7 * expected.norm());
  }
}

TEST_CASE("law: pentadiagonal blocks are solved exactly") {
  std::mt19937_64 random(59);
  for (int round = 0; round < 20; ++round) {
    const SmoothProblem problem = random_problem(random);
    const Weights weights = first_weights(problem);
    const auto blocks = SmoothEquations(problem, weights).blocks();
    const Matrix expected =
        random_vector(random, problem.clocks * problem.knots).reshaped(problem.clocks, problem.knots);
    Matrix values = Matrix::Zero(problem.clocks, problem.knots);
    for (Eigen::Index knot = 0; knot < problem.knots; ++knot)
      for (Eigen::Index other = 0; other < problem.knots; ++other) {
        const Eigen::Index first = std::min(knot, other);
        const Eigen::Index apart = std::max(knot, other) - first;
        if (apart > 2) continue;
        const Matrix& of = apart == 0 ? blocks.diagonal : apart == 1 ? blocks.beside : blocks.next;
        values.col(knot) += of.col(first).cwiseProduct(expected.col(other));
      }
    PentadiagonalBlocks(blocks).solve(values);
    CHECK((values - expected).norm() < 1e-8 * expected.norm());
  }
}

}  // namespace
