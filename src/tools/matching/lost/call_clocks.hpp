// Which matches of calls two clocks contradict: the rule of clc-filter --match whole, found anew.
//
// Place    Below LostCalls. Rule: clc-algorithm(7), "Lost records". Written from there, not from the filter.
// Cost     Proportional to the calls of a member, and for each doubted one to the operations.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "clc/time.hpp"
#include "matching/lost/whole_channel.hpp"

namespace clc::matching {

/// Recorded times of a call, and how it is ordered with the call of one other process in the same operation.
struct CallClock {
  Time begin;
  Time end;
  bool goes_before = false;  ///< it begins before an end that comes after others
  bool comes_after = false;  ///< it ends after a begin that goes before others
};

class CallClocks {
 public:
  using Bounds = std::vector<std::pair<std::size_t, std::size_t>>;  ///< as WholeRules::bounds

  /// operations: their calls of the other process, if it has one.
  CallClocks(std::vector<CallClock> calls, std::vector<std::optional<CallClock>> operations);

  /// Matches again, as long as clocks contradict some of the pairs, and others are more likely.
  void match_again(WholeMatch& match, const std::vector<WholeEnd>& ends, const std::vector<WholeEnd>& known,
                   WholeRules& rules);

 private:
  struct Doubt {
    std::size_t nth;  // pair
    WholePair pair;
    WholePair against;
    bool is_unlikely;  // even if its call has no other operation
  };
  /// What a pair leaves for the difference of the clocks.
  struct Leaves {
    std::optional<Ticks> from;
    std::optional<Ticks> to;
  };
  [[nodiscard]] Leaves leaves(WholePair pair) const;
  /// Of an operation that the other process has not missed, as of all pairs below.
  [[nodiscard]] Ticks delay(WholePair pair) const;
  [[nodiscard]] Ticks excess(WholePair higher, WholePair lower) const;
  [[nodiscard]] Ticks drift(WholePair a, WholePair b, std::uint64_t part) const;
  [[nodiscard]] bool disagree(WholePair a, WholePair b, std::uint64_t part) const;
  /// Do most pairs around disagree with it?
  [[nodiscard]] bool is_outvoted(const std::vector<WholePair>& pairs, std::size_t nth) const;
  [[nodiscard]] std::vector<bool> vote(const std::vector<WholePair>& pairs) const;
  /// Sets how much the clocks drift, and whether one was set.
  [[nodiscard]] std::vector<bool> outvoted(const std::vector<WholePair>& pairs);
  [[nodiscard]] std::vector<Doubt> doubts(const std::vector<WholePair>& pairs);
  /// Its neighbours have alike delays, it has another one.
  [[nodiscard]] bool is_odd(const std::vector<WholePair>& pairs, std::size_t k) const;
  void put_bounds(const Doubt& doubt, Bounds& bounds) const;
  [[nodiscard]] bool is_better(const std::vector<Doubt>& run, const std::vector<std::optional<std::size_t>>& now) const;

  std::vector<CallClock> calls_;
  std::vector<std::optional<CallClock>> operations_;
  Ticks ticks_;             // of both clocks
  std::uint64_t part_ = 0;  // of a time, which the clocks drift in it
  bool was_set_ = false;    // one of the clocks
};

}  // namespace clc::matching
