// Patience: gives up what has waited too long, as the receive of a message that never comes.
//
// Place     Beside the heads. Knows what the numbers in `Waits` mean.
// Rule      clc-algorithm(7), "Giving up".
// Cost      O(1) per receive; per collective operation, O(its missing members).
#pragma once

#include <cstdint>

#include "clc/time.hpp"
#include "clock/heads.hpp"
#include "clock/waits.hpp"

namespace clc {

class Patience final : private WaitObserver {
 public:
  /// limit: Parameters::wait_limit_s. Keeps a reference to heads.
  Patience(Ticks limit, Heads& heads) : waits(limit, *this), heads_(heads) {}

  Waits waits;

  /// The receive with that index waits no longer. order: its position in the input.
  void give_up_receive(ClockIndex clock, EventIndex index, std::uint64_t order);
  /// To save memory.
  void give_up_oldest();

 private:
  [[nodiscard]] bool waits_still(const Wait& wait) const override;
  [[nodiscard]] bool misses_a_record(const Wait& wait) const override;
  void end_wait(const Wait& wait) override;
  void give_up_collective(const Wait& wait);

  Heads& heads_;
};

}  // namespace clc
