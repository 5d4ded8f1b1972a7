// How ranks sum up a cut together, while none of them can go on.
//
// Method   Ranks tell each other the smallest cut that is needed, beside what they know of the one that is likely to be
//          it. If it is another one, they sum that up next; then the powers, if the norm needs them.
// Place    Between `Replay`, which finds out that all clocks wait, and the regulators.
#pragma once

#include <cstdint>

#include "clock/epochs.hpp"
#include "ranks/exchange.hpp"

namespace clc::ranks {

class Cuts {
 public:
  /// Keeps a reference.
  explicit Cuts(PerEpoch& epochs) noexcept : epochs_(epochs) {}

  /// A cut is being summed up.
  [[nodiscard]] bool are_under_way() const noexcept { return stage_ != Stage::ask; }
  /// What this rank tells the others. `needed` is up to the caller, while no cut is being summed up.
  void tell(Standstill& own) const;
  /// The next step. True: the cut has advanced.
  [[nodiscard]] bool go_on(const Standstill& all);
  /// So many were summed up.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

 private:
  enum class Stage : std::uint8_t { ask, sum_up, powers };
  [[nodiscard]] Epoch likely() const noexcept { return epochs_.reached() + 1; }

  PerEpoch& epochs_;
  Stage stage_ = Stage::ask;
  Epoch cut_ = 0;
  EpochSummary summary_;
  std::uint64_t count_ = 0;
};

}  // namespace clc::ranks
