// Lost records: how the ends of one channel are matched when all of them are known.
//
// Rule      clc-algorithm(7), "Lost records", Match::whole: of all matchings that keep the order, the one in which
//           successive delays are most alike, with few ends left out; what turns tell to be missing costs nothing.
//           Ends are shifted only if that fits better than it would by chance.
// Units     Ticks. Differences of delays cost twice as many as they have ticks, but no more than a jump, which is half
//           the usual time between two messages, or all of it where clocks go on.
// Cost      Of n and m >= n ends: time and memory proportional to n (m - n + 17), if that is at most whole_states; to n
//           where first in, first out has no jump. Of more, pieces of 512 ends are matched one after the other, in time
//           and memory proportional to 512 w: of the first, w is m - n + 17, of the others 2 d + 17 and more where
//           clocks were set, if 512 ends lack d on average; at most 2^15. So 2^24 at most for 384 ends. A state costs a
//           few nanoseconds where the next match leaves out none, ten times as much elsewhere. Pieces that are kept
//           (KnownPieces) take 4 bytes for each of their ends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "clc/time.hpp"

namespace clc::lost {

struct End {
  Time time;                ///< not before that of any earlier record of its process
  std::uint64_t bytes = 0;  ///< 0: not known
  std::uint32_t turn = 0;   ///< later than that of the end before, see turns.hpp; 0: not known of the whole side
};

[[nodiscard]] inline bool has_turns(std::span<const End> ends) noexcept { return !ends.empty() && ends[0].turn != 0; }

/// What ends of different bytes mean.
enum class Unlike : std::uint8_t {
  unusual,     ///< as much as half a usual time: a message may have been truncated
  impossible,  ///< they never belong together: calls, which are matched wrongly if nothing is known
};

/// Of the processes at both ends.
enum class Clocks : std::uint8_t {
  may_be_set,  ///< a jump may be a step of one of them
  were_set,    ///< their steps were found, to judge by other channels, and taken out
  go_on,       ///< they were not set, to judge by other channels
};

/// Ends of the side that has fewer which may be left out in a row, and by which the order may shift.
inline constexpr std::size_t most_extra = 8;
inline constexpr std::size_t whole_states = std::size_t{1} << 20;
inline constexpr std::int64_t cost_of_half = 64;
inline constexpr std::uint32_t no_partner = ~std::uint32_t{0};
inline constexpr std::int64_t no_most_cost = std::numeric_limits<std::int64_t>::max();

struct Matched {
  bool is_known = false;  ///< false: delays are too irregular
  /// Of each end of the side that has fewer: its number on the other side, or no_partner.
  std::vector<std::uint32_t> partners;
  std::int64_t gain = 0;  ///< what they cost less than first in, first out, in halves of a jump
  std::int64_t cost = 0;  ///< what they cost, in 1/cost_of_half of half a jump, rounded down
  std::int64_t luck = 0;  ///< as much less may another one cost by chance
};

/// Which ends of the other side can belong to one: from the first on, ahead of the last.
struct Range {
  std::uint32_t first = 0;
  std::uint32_t last = no_partner;
};

/// Pieces of a long channel that were matched, for when it is matched again and only turns of its fewer ends changed:
/// no more is done again then than the pieces with those turns, and what follows from them.
struct KnownPieces {
  struct Piece {
    std::int64_t cost = 0;
    std::int64_t behind = 0;              ///< of that, behind the last match
    std::vector<std::uint32_t> partners;  ///< up to the match with which the next piece begins
  };
  using Key = std::array<std::int64_t, 6>;
  std::vector<std::uint32_t> turns;  ///< at first; those of all these pieces
  std::map<Key, Piece> pieces;
};

/// Half the usual time between two ends: a difference of delays of that size is a jump.
[[nodiscard]] Ticks half_gap(std::span<const End> ends);
[[nodiscard]] Matched first_in_first_out(std::size_t ends);
/// The ends of both sides, in order. fewer: at most as many. ranges: of the fewer ones; none: all can belong together.
/// most_cost: may be taken as not known if it costs as much or more. was_cut: the trace, at one
/// recorded time; messages then lack their last ends. known: of these ends, matched without ranges; nullptr: none is
/// kept.
[[nodiscard]] Matched match(std::span<const End> fewer, std::span<const End> more, Unlike unlike = Unlike::unusual,
                            Clocks clocks = Clocks::may_be_set, std::span<const Range> ranges = {},
                            std::int64_t most_cost = no_most_cost, bool was_cut = false, KnownPieces* known = nullptr);

/// Leaves out matches whose receive is too early for its send, to judge by the matches around.
void leave_out_early(std::span<const End> fewer, std::span<const End> more, bool more_are_receives, Matched& matched);

}  // namespace clc::lost
