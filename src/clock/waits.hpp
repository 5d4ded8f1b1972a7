// Waits: receives that were read before their send, and collective operations of which ends are missing.
//
// Place     Asked by the loop of the filter, once for each event read whether a wait is over.
// Rule      clc-algorithm(7), "Giving up". What misses a record is given up after the wait limit. What waits for a
//           record that was read does so because that record's process waits; that ends within another wait limit, or
//           never: in a circle.
// Units     Ticks of recorded time.
// Cost      O(1) per wait; 40 bytes until it is over.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "clc/time.hpp"

namespace clc {

struct Wait {
  Time since;
  std::uint64_t order = 0;  ///< position in the input of the receive, or of the first end of the instance
  std::uint64_t which = 0;  ///< index of the receive in its clock, or serial of the instance
  std::uint32_t where = 0;  ///< clock, or instance
  bool collective = false;
};

/// Knows what waits, and gives it up.
class WaitObserver {
 public:
  virtual ~WaitObserver() = default;
  [[nodiscard]] virtual bool waits_still(const Wait& wait) const = 0;
  /// A record that it waits for was not read. Pre: waits_still(wait).
  [[nodiscard]] virtual bool misses_a_record(const Wait& wait) const = 0;
  /// Gives it up. An operation whose members wait themselves may wait still; the second time it does not.
  virtual void end_wait(const Wait& wait) = 0;
};

class Waits {
 public:
  /// From that time on, the sum of a time and an offset below 2^52 ticks may not fit into 64 bits. It counts as the end
  /// of a wait, so that events need no comparison of their own to find it.
  static constexpr Time late{ticks_max - (Ticks{1} << 52)};

  /// limit: Parameters::wait_limit_s.
  Waits(Ticks limit, WaitObserver& observer) : limit_(limit), observer_(observer) {}

  /// Waits begin in the order of the input.
  void begin(Time since, std::uint64_t order, std::uint64_t which, std::uint32_t where, bool collective) {
    Wait& wait = waits_.emplace_back();  // filled in place: what was just written in parts is slow to copy whole
    wait.since = since;
    wait.order = order;
    wait.which = which;
    wait.where = where;
    wait.collective = collective;
    patience_ = std::min(patience_, since + limit_);
  }
  [[nodiscard]] bool is_one_over(Time now) const noexcept { return now > patience_; }
  /// Ends those that are over.
  void end_overdue(Time now);
  /// At the end of the input: what misses a record first, then circles.
  void end_all();
  /// Takes the oldest one that still waits.
  [[nodiscard]] std::optional<Wait> take_oldest();
  [[nodiscard]] bool empty() const noexcept { return waits_.empty() && blocked_.empty(); }
  void forget_finished();

 private:
  Ticks limit_;
  WaitObserver& observer_;
  std::deque<Wait> waits_;    // in input order
  std::deque<Wait> blocked_;  // beyond the limit, for records that were read; in input order
  Time longest_ = late - 1;   // patience while nothing waits
  Time patience_ = longest_;  // no wait ends before that has passed
  std::size_t kept_ = 0;      // entries of waits_ when it was last cleaned
};

}  // namespace clc
