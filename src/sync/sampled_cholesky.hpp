// An approximate Cholesky decomposition of the Laplacian of a graph with weights: a preconditioner whose cost is linear
// in the edges of any graph. An exact decomposition fills up, in a grid as n log n and in a random graph as n^2.
//
// Method   Eliminating a node joins all its neighbours with each other, by weights that are as good as known. Of these
//          edges a tree is kept, drawn so that its weights are right in the mean: each neighbour, from the lightest to
//          the heaviest, is joined with one of the heavier ones, which is chosen in proportion to its weight. Nodes
//          that have one or two neighbours left are eliminated exactly. [Kyng, Sachdeva: Approximate Gaussian
//          elimination for Laplacians. FOCS 2016; Gao, Kyng, Spielman: Robust and practical solution of Laplacian
//          equations by approximate elimination. 2023]
// Order    Nodes with few neighbours first, those with about as many in the order of their numbers.
// Cost     Decomposition: edges * log(degree). Solution: 2 operations for each entry, of which there are about as many
//          as 3 to 5 times the edges.
// Memory   8 bytes for each entry, as a solution takes the time of reading them: the decomposition is that of a graph
//          with weights that differ in the eighth digit.
// Results  The draws are the same in each run.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace clc::sync {

/// An edge of a graph of clocks; no edge joins a clock with itself.
struct Link {
  int low = 0;
  int high = 0;
};

/// The order in which the nodes of a graph are eliminated. It depends on the edges only, not on their weights.
class EliminationOrder {
 public:
  EliminationOrder() = default;
  EliminationOrder(const std::vector<Link>& links, int nodes);

  [[nodiscard]] int nodes() const noexcept { return static_cast<int>(node_.size()); }
  [[nodiscard]] std::uint32_t node(std::uint32_t place) const noexcept { return node_[place]; }
  [[nodiscard]] std::uint32_t place(int node) const noexcept { return place_[static_cast<std::size_t>(node)]; }

 private:
  std::vector<std::uint32_t> node_;
  std::vector<std::uint32_t> place_;
};

class SampledCholesky {
 public:
  /// weights: of the links, not negative. anchors: what is added to the diagonal at each node, not negative. Where
  /// nothing holds the nodes of a component, the last of them stays 0. order: must outlive this.
  SampledCholesky(const EliminationOrder& order, const std::vector<Link>& links, const Eigen::VectorXd& weights,
                  const Eigen::VectorXd& anchors);
  /// Values at the nodes: right sides become the solution.
  void solve(Eigen::Ref<Eigen::VectorXd> values) const;
  /// Below the diagonal.
  [[nodiscard]] std::size_t entries() const noexcept { return entries_.size(); }

 private:
  struct Entry {
    std::uint32_t place;
    float share;  ///< of the weights at the node that is eliminated
  };

  const EliminationOrder* order_;
  std::vector<Entry> entries_;     ///< by the place of the node that is eliminated
  std::vector<std::size_t> ends_;  ///< of the entries of each place
  std::vector<double> inverse_;    ///< of the sum of weights at each place; 0: nothing held it
};

}  // namespace clc::sync
