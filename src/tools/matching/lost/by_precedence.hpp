// Matches channels once more, where their matches contradict the order of what happened.
//
// Place    The last of the rules for whole channels; its result is what lost calls are found by.
// Rule     clc-algorithm(7), "Lost records": a message cannot be received before it was sent, round no circle of
//          messages and operations. Written from there, not from the filter.
// Cost     Looks at WholeMatches::most_looks records at most.
#pragma once

#include <cstdint>
#include <vector>

#include "matching/lost/lost_calls.hpp"
#include "matching/lost/precedence.hpp"
#include "matching/lost/whole_matches.hpp"

namespace clc::matching {

class ByPrecedence {
 public:
  ByPrecedence(WholeMatches& matches, LostCalls& calls);

  /// Would records have to happen before themselves?
  [[nodiscard]] bool has_circle() { return !follow(matches_.partners()).precedence.circle().empty(); }
  /// Of all records, as they happened.
  [[nodiscard]] Precedence match();
  /// Sends, receives, begins and ends of calls.
  [[nodiscard]] std::uint64_t records_followed() const noexcept { return records_; }

 private:
  using Record = Precedence::Record;
  using Bounds = WholeMatches::Bounds;
  /// Of each record, which end of a message it is.
  struct Followed {
    Precedence precedence;
    std::vector<std::uint32_t> end_of;
  };

  [[nodiscard]] Followed without_circles();
  [[nodiscard]] Followed follow(const std::vector<std::uint32_t>& partners);
  [[nodiscard]] std::vector<std::uint32_t> forget_circles(Followed& all);
  void match_one_again(const std::vector<std::uint32_t>& channels);
  [[nodiscard]] Bounds bounds_of(std::uint32_t channel);
  [[nodiscard]] bool match_irregular(const Followed& all);
  [[nodiscard]] std::vector<WholePair> first_left(const std::vector<std::uint32_t>& ends,
                                                  const std::vector<Record>& record_of,
                                                  const std::vector<Record>& receives,
                                                  const std::vector<std::size_t>& before) const;
  [[nodiscard]] std::uint64_t looks_at_all() const { return records_ + 16 * matches_.processes(); }
  [[nodiscard]] bool may_follow_again() const { return looks_ + looks_at_all() <= WholeMatches::most_looks(records_); }
  [[nodiscard]] bool follows_again();

  WholeMatches& matches_;
  LostCalls& calls_;
  const MessageEnds& ends_;
  std::uint64_t records_;
  std::uint64_t looks_ = 0;  // at records, to match channels once more
};

}  // namespace clc::matching
