#include "sync/joint_blocks.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace clc::sync {

namespace {

constexpr double strong = 10;               // times a link that leads out
constexpr std::size_t most_together = 8;    // clocks of a cluster
constexpr double least_of_diagonal = 1e-9;  // a pivot: less is rounding

/// Clocks that links have joined so far, and the clusters among them.
struct Joined {
  std::vector<int> clocks;
  double weakest = 0;  ///< of the links that joined them
  std::vector<std::vector<int>> clusters;
};

/// The clocks are a cluster if the next link is much weaker; then those within it are none.
void end(Joined& joined, double next) {
  if (joined.clocks.size() < 2 || joined.clocks.size() > most_together || !(joined.weakest > strong * next)) return;
  joined.clusters = {joined.clocks};
}

void append(std::vector<int>& to, const std::vector<int>& from) { to.insert(to.end(), from.begin(), from.end()); }

}  // namespace

std::vector<std::vector<int>> clusters_of(const std::vector<Link>& links, const Eigen::VectorXd& strengths,
                                          int clocks) {
  std::vector<Joined> parts(static_cast<std::size_t>(clocks));
  for (std::size_t clock = 0; clock < parts.size(); ++clock) parts[clock].clocks = {static_cast<int>(clock)};
  std::vector<std::size_t> part_of(parts.size());
  std::iota(part_of.begin(), part_of.end(), std::size_t{0});
  std::vector<Eigen::Index> order(links.size());
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::ranges::stable_sort(order, [&](Eigen::Index a, Eigen::Index b) { return strengths[a] > strengths[b]; });
  for (const Eigen::Index one : order) {
    const Link& link = links[static_cast<std::size_t>(one)];
    std::size_t to = part_of[static_cast<std::size_t>(link.low)];
    std::size_t from = part_of[static_cast<std::size_t>(link.high)];
    if (to == from) continue;
    if (parts[to].clocks.size() < parts[from].clocks.size()) std::swap(to, from);
    end(parts[to], strengths[one]);
    end(parts[from], strengths[one]);
    const Joined other = std::exchange(parts[from], {});
    for (const int clock : other.clocks) part_of[static_cast<std::size_t>(clock)] = to;
    append(parts[to].clocks, other.clocks);
    parts[to].clusters.insert(parts[to].clusters.end(), other.clusters.begin(), other.clusters.end());
    parts[to].weakest = strengths[one];
  }
  std::vector<std::vector<int>> result;
  for (Joined& part : parts)
    for (std::vector<int>& cluster : part.clusters) {
      std::ranges::sort(cluster);
      result.push_back(std::move(cluster));
    }
  return result;
}

JointBlock::JointBlock(std::vector<int> clocks, Eigen::MatrixXd band)
    : clocks_(std::move(clocks)), band_(std::move(band)) {
  const Eigen::VectorXd least = least_of_diagonal * band_.row(0);
  for (Eigen::Index at = 0; at < band_.cols(); ++at) {
    auto column = band_.col(at);
    if (!(column[0] > least[at])) {
      column.setZero();
      continue;
    }
    column[0] = 1 / column[0];
    const Eigen::Index below = std::min(band_.rows(), band_.cols() - at) - 1;
    for (Eigen::Index i = 1; i <= below; ++i)
      band_.col(at + i).head(below - i + 1) -= column[i] * column[0] * column.segment(i, below - i + 1);
    column.segment(1, below) *= column[0];
  }
}

void JointBlock::solve(const Eigen::Ref<const Eigen::MatrixXd>& right, Eigen::Ref<Eigen::MatrixXd> values) const {
  const auto count = std::ssize(clocks_);
  Eigen::VectorXd x(band_.cols());
  for (Eigen::Index at = 0; at < x.size(); ++at)
    x[at] = right(clocks_[static_cast<std::size_t>(at % count)], at / count);
  const auto below = [&](Eigen::Index at) { return std::min(band_.rows(), band_.cols() - at) - 1; };
  for (Eigen::Index at = 0; at < x.size(); ++at)
    x.segment(at + 1, below(at)) -= x[at] * band_.col(at).segment(1, below(at));
  x = x.cwiseProduct(band_.row(0).transpose()).eval();
  for (Eigen::Index at = x.size(); at-- > 0;)
    x[at] -= band_.col(at).segment(1, below(at)).dot(x.segment(at + 1, below(at)));
  for (Eigen::Index at = 0; at < x.size(); ++at)
    values(clocks_[static_cast<std::size_t>(at % count)], at / count) = x[at];
}

}  // namespace clc::sync
