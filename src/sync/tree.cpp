#include "sync/tree.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "sync/closure.hpp"
#include "trace/connected.hpp"

namespace clc::sync {

namespace {

/// The tree from one clock on: parents before their children.
class Tree {
 public:
  Tree(const std::vector<Branch>& branches, std::size_t clocks) : branches_(branches), at_(clocks) {
    for (std::size_t i = 0; i < branches.size(); ++i) {
      at_[branches[i].low].push_back(i);
      at_[branches[i].high].push_back(i);
    }
  }
  struct Step {
    ClockIndex parent;
    ClockIndex child;
    const Branch* branch;
  };
  [[nodiscard]] std::vector<Step> from(ClockIndex root) const {
    std::vector<Step> steps;
    const auto add = [&](ClockIndex clock, const Branch* came_by) {
      for (const std::size_t i : at_[clock])
        if (&branches_[i] != came_by)
          steps.push_back({clock, branches_[i].low == clock ? branches_[i].high : branches_[i].low, &branches_[i]});
    };
    add(root, nullptr);
    // It grows meanwhile.
    for (std::size_t done = 0; done < steps.size();) {
      const Step step = steps[done++];
      add(step.child, step.branch);
    }
    return steps;
  }

 private:
  const std::vector<Branch>& branches_;
  std::vector<std::vector<std::size_t>> at_;
};

/// The clock from which the half widths along all paths sum up to the least.
ClockIndex centre_of(const std::vector<Tree::Step>& steps, ClockIndex root) {
  std::vector<double> below(steps.size(), 1.0);  // number of clocks in the subtree of a step
  // A clock is the child of one step.
  std::vector<std::pair<ClockIndex, std::size_t>> step_of;
  for (std::size_t i = 0; i < steps.size(); ++i) step_of.emplace_back(steps[i].child, i);
  std::sort(step_of.begin(), step_of.end());
  const auto step_to = [&](ClockIndex clock) {
    return std::lower_bound(step_of.begin(), step_of.end(), std::pair(clock, std::size_t{0}))->second;
  };
  for (std::size_t i = steps.size(); i-- > 0;)
    if (steps[i].parent != root) below[step_to(steps[i].parent)] += below[i];
  // Nearer by a branch to all below it, farther by it from all others.
  const auto all = static_cast<double>(steps.size() + 1);
  std::vector<double> sum(steps.size());
  ClockIndex best = root;
  double least = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double before = steps[i].parent == root ? 0 : sum[step_to(steps[i].parent)];
    sum[i] = before + steps[i].branch->half_width * (all - 2 * below[i]);
    if (sum[i] < least) {
      least = sum[i];
      best = steps[i].child;
    }
  }
  return best;
}

std::vector<Branch> spanning(std::vector<Branch> branches, Connected& connected) {
  std::sort(branches.begin(), branches.end(), [](const Branch& a, const Branch& b) {
    return std::tuple(a.weight, a.low, a.high) < std::tuple(b.weight, b.low, b.high);
  });
  std::erase_if(branches, [&](const Branch& branch) { return !connected.join(branch.low, branch.high); });
  return branches;
}

}  // namespace

Curve curve_of(const Line& line) noexcept {
  // c = t + offset + rate t, and the curve is c - t.
  return {line.offset / (1 + line.rate), line.rate / (1 + line.rate), {}};
}

Solution solve_tree(std::vector<Branch> branches, const Groups& groups, const std::vector<NoSolution>& refused) {
  const std::size_t clocks = groups.of.size();
  Solution solution(clocks);
  Connected connected(clocks);
  const std::vector<Branch> tree = spanning(std::move(branches), connected);
  for (const NoSolution& one : refused)
    if (connected.first_of(one.first) != connected.first_of(one.second)) {
      solution.failure = one;
      return solution;
    }
  const Tree paths(tree, clocks);
  std::vector<Line> lines(clocks);
  for (const std::vector<ClockIndex>& members : members_of(groups)) {
    const ClockIndex reference = centre_of(paths.from(members.front()), members.front());
    solution.references.push_back(reference);
    for (const Tree::Step& step : paths.from(reference)) {
      const double sign = step.branch->high == step.child ? 1 : -1;
      lines[step.child] = {lines[step.parent].offset + sign * step.branch->line.offset,
                           lines[step.parent].rate + sign * step.branch->line.rate};
      solution.curves[step.child] = curve_of(lines[step.child]);
      solution.errors[step.child] = solution.errors[step.parent] + step.branch->half_width;
    }
  }
  return solution;
}

}  // namespace clc::sync
