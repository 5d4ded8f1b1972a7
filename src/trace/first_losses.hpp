// The lost sends and receives that the report names: the first of them by the time of the end that is there, whatever
// the order in which they were found, so that they depend neither on the number of ranks nor on the order of a table.
//
// Cost     O(1) on average; memory for twice as many as are named.
#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "clc/analysis.hpp"

namespace clc {

class FirstLosses {
 public:
  void add(const Loss& loss) {
    losses_.push_back(loss);
    if (losses_.size() == 2 * most) keep_first();
  }
  /// Sorted, at most Analysis::most_losses.
  [[nodiscard]] std::vector<Loss> sorted() const {
    FirstLosses all = *this;
    all.keep_first();
    std::sort(all.losses_.begin(), all.losses_.end(), is_before);
    return std::move(all.losses_);
  }

 private:
  static constexpr std::size_t most = Analysis::most_losses;
  static bool is_before(const Loss& a, const Loss& b) noexcept {
    const auto key = [](const Loss& of) {
      return std::tuple(of.recorded, of.sender, of.receiver, of.communicator, of.tag, of.send);
    };
    return key(a) < key(b);
  }
  void keep_first() {
    if (losses_.size() <= most) return;
    std::nth_element(losses_.begin(), losses_.begin() + most, losses_.end(), is_before);
    losses_.resize(most);
  }

  std::vector<Loss> losses_;
};

}  // namespace clc
