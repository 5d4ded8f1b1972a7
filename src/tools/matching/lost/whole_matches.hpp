// The matches of all channels of which all ends are known, while the rules of --match whole work on them.
//
// Place    Each channel is matched by itself first, and the channels of a process together; then ByTrips and
//          ByPrecedence match some of them once more.
// Rule     clc-algorithm(7), "Lost records". Written from there, not from the filter.
// Memory   10 bytes for each send and receive, and 100 for each channel; more for a while for those that are matched.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "matching/lost/clock_steps.hpp"
#include "matching/lost/message_ends.hpp"
#include "matching/lost/turns.hpp"
#include "matching/lost/whole_channel.hpp"

namespace clc::matching {

class WholeMatches {
 public:
  static constexpr std::uint32_t none = MessageEnds::none;
  using Bounds = std::vector<std::pair<std::size_t, std::size_t>>;  ///< WholeRules::bounds
  /// A channel, ready to be matched, or matched.
  struct Whole {
    std::array<std::vector<std::uint32_t>, 2> nths;  ///< of sends, receives
    std::array<std::vector<WholeEnd>, 2> ends;
    WholeRules rules;
    std::optional<WholeMatch> match;
  };
  /// What is known of the matches of a channel.
  struct Matched {
    bool in_order = true;     ///< no receive overtakes another one
    bool has_shifts = false;  ///< they are not first in, first out
    bool again = false;       ///< matched once more, by the order of what happened
    std::int64_t gain = 0;    ///< WholeMatch::gain
    std::int64_t cost = 0;    ///< WholeMatch::cost
  };

  /// processes: that are defined.
  WholeMatches(MessageEnds& ends, std::uint64_t processes);

  /// Those of which no receive overtakes another.
  void match_each();
  /// Once more, though each channel has as many sends as receives.
  void match_as_lacking();

  [[nodiscard]] Whole whole(std::uint32_t channel, const Bounds& bounds = {}) const;
  /// Without a match it is left to the other rule.
  void settle(std::uint32_t channel, const Whole& whole);
  void settle_pairs(std::uint32_t channel, const std::vector<WholePair>& pairs);
  /// A receive and its send do not belong together.
  void part(std::uint32_t receive);

  [[nodiscard]] const MessageEnds& ends() const noexcept { return ends_; }
  [[nodiscard]] const std::vector<std::uint32_t>& ends_of(std::uint32_t channel) const { return of_[channel]; }
  [[nodiscard]] std::array<std::vector<std::uint32_t>, 2> sends_and_receives(std::uint32_t channel) const;
  /// Those that are matched, in order. Of a channel that is not known, as first in, first out.
  [[nodiscard]] std::vector<WholePair> pairs(std::uint32_t channel) const;
  [[nodiscard]] bool lack_some() const noexcept { return lack_some_; }
  /// Sends of the channel, less its receives.
  [[nodiscard]] std::int64_t more_sends(std::uint32_t channel) const { return more_sends_[channel]; }
  [[nodiscard]] std::size_t sends_of(std::uint32_t channel) const {
    return static_cast<std::size_t>(static_cast<std::int64_t>(of_[channel].size()) + more_sends_[channel]) / 2;
  }
  /// It has sends and receives, but not as many.
  [[nodiscard]] bool is_incomplete(std::uint32_t channel) const {
    const std::size_t sends = sends_of(channel);
    return more_sends(channel) != 0 && sends != 0 && sends != of_[channel].size();
  }
  [[nodiscard]] Matched& operator[](std::uint32_t channel) { return matched_[channel]; }
  [[nodiscard]] const Matched& operator[](std::uint32_t channel) const { return matched_[channel]; }
  [[nodiscard]] bool is_known(std::uint32_t channel) const { return ends_.channels[channel].is_known; }
  /// Is it known which of its ends are alone? Without an end of the other side, all are.
  [[nodiscard]] bool is_told(std::uint32_t channel) const {
    return is_known(channel) || (more_sends(channel) != 0 && !is_incomplete(channel));
  }
  /// The sends of receives, by end.
  [[nodiscard]] const std::vector<std::uint32_t>& partners() const noexcept { return partners_; }
  [[nodiscard]] const ClockSteps& steps() const noexcept { return steps_; }
  [[nodiscard]] ClockSteps& steps() noexcept { return steps_; }
  [[nodiscard]] const Turns& turns() const noexcept { return turns_; }
  [[nodiscard]] std::uint64_t processes() const noexcept { return processes_; }
  void sort_by_name(std::vector<std::uint32_t>& channels) const;
  /// At so many records, to match channels once more.
  [[nodiscard]] static std::uint64_t most_looks(std::uint64_t records) {
    return std::min(std::uint64_t{1} << 28, (std::uint64_t{1} << 18) + 64 * records);
  }

 private:
  void find_steps_and_turns();
  void match_in_order(std::uint32_t channel);
  void leave(std::uint32_t channel);
  void match_processes(std::map<std::uint32_t, Whole>& wholes) const;

  MessageEnds& ends_;
  std::uint64_t processes_;
  std::vector<std::vector<std::uint32_t>> of_;  // channels
  std::vector<std::int64_t> more_sends_;
  std::vector<Matched> matched_;
  std::vector<std::uint32_t> partners_;
  ClockSteps steps_;
  Turns turns_;
  bool was_cut_;
  bool lack_some_;
};

/// Are they not first in, first out, for the side that has so many ends, the fewer ones?
[[nodiscard]] bool are_shifted(const std::vector<WholePair>& pairs, std::size_t fewer);

}  // namespace clc::matching
