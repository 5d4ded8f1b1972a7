// Lost records: calls that are matched wrongly, to judge by the clocks of their processes.
//
//     CallBounds bounds(own, others, tick);
//     auto wrong = bounds.wrong(partners);
//     bounds.narrow(wrong, ranges);                   // match again with these ranges
//     bounds.forget_unlikely(wrong, new_partners);    // true: some were, so match again without theirs
//
// Rule      clc-algorithm(7), "Lost records", Match::whole: a tail of an operation begins before its heads end, so
//           calls that belong together bound by how much one clock is ahead of the other. A clock that is set stays so:
//           a match is wrong if it contradicts some before it and some behind it, and these do not contradict each
//           other. The matches also tell how much the clocks drift, and whether one was set.
// Units     Ticks.
// Cost      Time proportional to the calls, and to the operations to which wrong ones do not belong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "clc/time.hpp"
#include "lost/rule.hpp"

namespace clc::lost {

/// A call as one other process sees it, by the recorded times.
struct CallTimes {
  Time begin;
  Time end;
  bool is_tail = false;   ///< it begins before the other one ends, if that is a head
  bool is_head = false;   ///< it ends after the other one begins, if that is a tail
  bool is_there = false;  ///< else the other process has missed the operation
};

/// The common divisor of the times of a clock.
[[nodiscard]] Ticks tick_of(std::span<const CallTimes> calls);

class CallBounds {
 public:
  using Partners = std::span<const std::uint32_t>;  ///< of each own call: its operation, or no_partner
  /// A call and its operation.
  struct Match {
    std::size_t call;
    std::size_t operation;
  };
  struct Wrong {
    Match match;
    Match other;               ///< one that contradicts it
    std::size_t nth;           ///< of all matches
    bool is_unlikely = false;  ///< even if its call has no other operation
  };

  /// own: calls of a member; others: operations, as calls of another one; both are kept as references. tick: of both
  /// clocks together.
  CallBounds(std::span<const CallTimes> own, std::span<const CallTimes> others, Ticks tick)
      : own_(own), others_(others), tick_(tick) {}

  /// In order.
  [[nodiscard]] std::vector<Wrong> wrong(Partners partners);
  /// Their calls keep only operations that do not contradict the other match.
  void narrow(std::span<const Wrong> wrong, std::vector<Range>& ranges) const;
  /// Forgets those that are matched no better now, as where a clock was set. False: there are none.
  [[nodiscard]] bool forget_unlikely(std::vector<Wrong>& wrong, Partners now) const;

 private:
  /// By how much the other clock is ahead, as a match tells.
  struct Ahead {
    Ticks least = ticks_min;
    Ticks most = ticks_max;
  };
  using Matches = std::vector<Match>;
  [[nodiscard]] bool is_there(std::uint32_t operation) const {
    return operation != no_partner && others_[operation].is_there;
  }
  [[nodiscard]] Ahead ahead(Match match) const;
  [[nodiscard]] Ticks delay(Match match) const { return others_[match.operation].end - own_[match.call].end; }
  [[nodiscard]] Ticks above(Match a, Match b) const;
  [[nodiscard]] Ticks between(Match a, Match b) const;
  [[nodiscard]] Ticks allowed(Match a, Match b, unsigned drift) const;
  [[nodiscard]] bool contradict(Match a, Match b, unsigned drift) const;
  [[nodiscard]] bool is_outvoted(const Matches& matches, std::size_t k) const;
  [[nodiscard]] std::vector<bool> outvoted(const Matches& matches) const;
  [[nodiscard]] bool others_contradict(const Matches& matches, const std::vector<bool>& outvoted) const;
  [[nodiscard]] std::vector<bool> find_outvoted(const Matches& matches);
  [[nodiscard]] std::optional<Match> witness(const Matches& matches, const std::vector<bool>& outvoted,
                                             std::size_t k) const;
  [[nodiscard]] bool stands_out(const Matches& matches, std::size_t k) const;
  [[nodiscard]] bool is_likely(std::span<const Wrong> run, Partners now) const;
  [[nodiscard]] Range range(const Wrong& wrong) const;

  std::span<const CallTimes> own_;
  std::span<const CallTimes> others_;
  Ticks tick_;
  unsigned drift_ = 0;    // the clocks drift by 2^-drift_ at most
  bool was_set_ = false;  // one of the clocks
};

}  // namespace clc::lost
