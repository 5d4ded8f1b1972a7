// Where clocks were set in a trace that lacks records, as far as --match whole of clc-filter needs to know, found anew.
//
// Rule     clc-algorithm(7), "Lost records". Written from there, not from the filter.
// Memory   24 bytes for each send and receive.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "clc/indexes.hpp"
#include "clc/time.hpp"
#include "matching/lost/whole_channel.hpp"

namespace clc::matching {

[[nodiscard]] inline Ticks size_of(Ticks ticks) { return ticks < 0 ? subtract_saturating(0, ticks) : ticks; }

class ClockSteps {
 public:
  struct End {
    WholeEnd end;
    std::uint32_t nth = 0;  ///< send or receive of its process; of another record: the one behind
  };
  using Ends = std::vector<End>;

  /// A channel in which no receive overtakes another one.
  void add(ProcessIndex sender, const Ends& sends, ProcessIndex receiver, const Ends& receives);
  /// All were added. Does nothing the second time.
  void find();
  /// Would steps of its clock have been found?
  [[nodiscard]] bool follows(ProcessIndex process) const { return steps_.contains(process); }
  /// And there were none?
  [[nodiscard]] bool never_set(ProcessIndex process) const { return follows(process) && steps_.at(process).empty(); }
  /// As if the clock had not been set. between: no sends and receives.
  [[nodiscard]] std::vector<WholeEnd> without(ProcessIndex process, const Ends& ends, bool between = false) const;

 private:
  struct Channel {
    std::array<ProcessIndex, 2> process;  // sender, receiver
    std::array<Ends, 2> ends;
  };
  /// From the end `from` of the process to the next one of the channel.
  struct Gap {
    std::uint32_t from;
    std::uint32_t to;
    Ticks own;
    Ticks more;  // than on the other side
  };
  struct Line {
    std::vector<Gap> gaps;
    Ticks usual = 0;
    bool regular = false;
    std::int64_t fewer = 0;  // ends than on the other side

    [[nodiscard]] Gap* around(std::uint32_t end);
    [[nodiscard]] bool jumps(const Gap& gap) const;
    [[nodiscard]] bool by_own_clock(const Gap& gap) const;
    [[nodiscard]] bool may_lack(Ticks jump) const;
  };
  struct Step {
    Time time;  // in the middle of the ends around it
    Ticks size = 0;
  };

  [[nodiscard]] Line line_of(const Channel& channel, std::size_t side) const;
  void follow(ProcessIndex process, const std::vector<std::pair<std::size_t, std::size_t>>& sides);
  /// What most lines show behind that end; 0: nothing.
  [[nodiscard]] static Ticks agreed(std::vector<Line>& lines, std::uint32_t end, const Line& line, Ticks jump);

  std::vector<Channel> channels_;
  std::map<ProcessIndex, std::multimap<std::uint32_t, Step>> steps_;  // by the end behind; only of those followed
  bool found_ = false;
};

}  // namespace clc::matching
