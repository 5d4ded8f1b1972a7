#include "sync/sampled_cholesky.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>
#include <utility>

namespace clc::sync {

namespace {

/// Numbers between 0 and 1, always the same ones: splitmix64.
class Draws {
 public:
  double next() noexcept {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
  }

 private:
  std::uint64_t state_ = 0;
};

/// The edges that are left, each at the end that is eliminated first. Nodes are named by their places; the last place
/// is that of the ground, to which the anchors lead.
class Elimination {
 public:
  struct Neighbour {
    std::uint32_t place;
    double weight;
  };

  Elimination(std::size_t nodes, std::size_t links)
      : ground_(static_cast<std::uint32_t>(nodes)), last_(nodes, none), anchors_(nodes, 0.0) {
    edges_.reserve(3 * links);
  }
  void join(std::uint32_t a, std::uint32_t b, double weight) {
    if (a > b) std::swap(a, b);
    if (b == ground_) {
      anchors_[a] += weight;
      return;
    }
    edges_.push_back({b, last_[a], weight});
    last_[a] = static_cast<std::uint32_t>(edges_.size() - 1);
  }
  /// By place, each once, the ground last.
  const std::vector<Neighbour>& neighbours(std::uint32_t place) {
    found_.clear();
    for (std::uint32_t at = last_[place]; at != none; at = edges_[at].before)
      found_.push_back({edges_[at].to, edges_[at].weight});
    std::ranges::sort(found_, {}, &Neighbour::place);
    std::size_t count = 0;
    for (const Neighbour& one : found_)
      if (count > 0 && found_[count - 1].place == one.place)
        found_[count - 1].weight += one.weight;
      else
        found_[count++] = one;
    found_.resize(count);
    if (anchors_[place] > 0) found_.push_back({ground_, anchors_[place]});
    return found_;
  }
  /// Joins the neighbours that were found last, whose weights have this sum.
  void join_neighbours(double sum) {
    std::ranges::sort(found_, [](const Neighbour& a, const Neighbour& b) {
      return std::pair(a.weight, a.place) < std::pair(b.weight, b.place);
    });
    rest_.resize(found_.size());
    double rest = 0;
    for (std::size_t i = found_.size(); i-- > 0;) rest_[i] = rest += found_[i].weight;
    for (std::size_t i = 0; i + 1 < found_.size(); ++i) {
      const double drawn = draws_.next() * rest_[i + 1];
      // The last one whose rest is more than what was drawn.
      const auto first = rest_.begin() + static_cast<std::ptrdiff_t>(i) + 2;
      const auto other = std::partition_point(first, rest_.end(), [&](double of) { return of > drawn; }) - 1;
      join(found_[i].place, found_[static_cast<std::size_t>(other - rest_.begin())].place,
           found_[i].weight * rest_[i + 1] / sum);
    }
  }
  [[nodiscard]] std::uint32_t ground() const noexcept { return ground_; }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Edge {
    std::uint32_t to;
    std::uint32_t before;  ///< of the same node; none: it is the first
    double weight;
  };

  std::uint32_t ground_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> last_;  ///< edge of each node
  std::vector<double> anchors_;
  std::vector<Neighbour> found_;
  std::vector<double> rest_;  ///< the sum of the weights from here on
  Draws draws_;
};

}  // namespace

EliminationOrder::EliminationOrder(const std::vector<Link>& links, int nodes)
    : node_(static_cast<std::size_t>(nodes)), place_(node_.size()) {
  std::vector<std::uint32_t> degree(node_.size(), 0);
  for (const Link& link : links) {
    ++degree[static_cast<std::size_t>(link.low)];
    ++degree[static_cast<std::size_t>(link.high)];
  }
  std::iota(node_.begin(), node_.end(), std::uint32_t{0});
  std::ranges::stable_sort(
      node_, [&](std::uint32_t a, std::uint32_t b) { return std::bit_width(degree[a]) < std::bit_width(degree[b]); });
  for (std::uint32_t place = 0; place < node_.size(); ++place) place_[node_[place]] = place;
}

SampledCholesky::SampledCholesky(const EliminationOrder& order, const std::vector<Link>& links,
                                 const Eigen::VectorXd& weights, const Eigen::VectorXd& anchors)
    : order_(&order) {
  const auto nodes = static_cast<std::size_t>(order.nodes());
  Elimination left(nodes, links.size());
  for (std::size_t link = 0; link < links.size(); ++link)
    if (const double weight = weights[static_cast<Eigen::Index>(link)]; weight > 0)
      left.join(order.place(links[link].low), order.place(links[link].high), weight);
  for (int node = 0; node < order.nodes(); ++node) left.join(order.place(node), left.ground(), anchors[node]);
  entries_.reserve(3 * links.size());
  ends_.reserve(nodes);
  inverse_.reserve(nodes);
  for (std::uint32_t place = 0; place < nodes; ++place) {
    const auto& neighbours = left.neighbours(place);
    double sum = 0;
    for (const auto& one : neighbours) sum += one.weight;
    for (const auto& one : neighbours)
      if (one.place != left.ground()) entries_.push_back({one.place, static_cast<float>(one.weight / sum)});
    ends_.push_back(entries_.size());
    inverse_.push_back(sum > 0 ? 1 / sum : 0);
    left.join_neighbours(sum);
  }
}

void SampledCholesky::solve(Eigen::Ref<Eigen::VectorXd> values) const {
  const auto nodes = static_cast<std::uint32_t>(ends_.size());
  std::vector<double> x(nodes);
  for (std::uint32_t place = 0; place < nodes; ++place) x[place] = values[order_->node(place)];
  for (std::size_t place = 0, entry = 0; place < nodes; ++place) {
    const double value = x[place];
    for (; entry < ends_[place]; ++entry) x[entries_[entry].place] += entries_[entry].share * value;
    x[place] = value * inverse_[place];
  }
  std::size_t entry = entries_.size();
  for (std::size_t place = nodes; place-- > 0;) {
    double value = x[place];
    for (const std::size_t begin = place > 0 ? ends_[place - 1] : 0; entry > begin; --entry)
      value += entries_[entry - 1].share * x[entries_[entry - 1].place];
    x[place] = value;
  }
  for (std::uint32_t place = 0; place < nodes; ++place) values[order_->node(place)] = x[place];
}

}  // namespace clc::sync
