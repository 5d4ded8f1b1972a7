// Lost records: channels that are shifted as a whole, where the offsets of other clocks tell so.
//
//     ByOffsets(matches, steps, turns).shift();   // all channels are matched
//
// Rule      clc-algorithm(7), "Lost records", Match::whole: if the first or the last record of a channel is lost, its
//           delays are as alike in either case, but by the offsets of the clocks round a circle, messages may arrive
//           before they were sent.
// Cost      Of each channel that can be shifted: proportional to the pairs of processes that are looked at for its
//           circle, at most most_looks_in(ends) / 4 in all, and to sort the messages of its pair; for each circle,
//           those of its pairs, once. Memory: 32 bytes for each of these messages.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "clc/indexes.hpp"
#include "clc/time.hpp"
#include "lost/matches.hpp"
#include "lost/order.hpp"
#include "lost/steps.hpp"
#include "lost/turns.hpp"

namespace clc::lost {

class ByOffsets {
 public:
  /// Keeps references.
  ByOffsets(Matches& matches, const Steps& steps, const Turns& turns)
      : matches_(matches), steps_(steps), turns_(turns), most_looks_(most_looks_in(matches.ends()) / 4) {}

  /// Each channel once at most; none depends on what becomes of others.
  void shift();

 private:
  struct Message {
    Time sent;
    Time received;
    friend auto operator<=>(const Message&, const Message&) = default;
  };
  /// From one process to another, whose clocks were never set.
  struct Direction {
    std::vector<std::uint32_t> channels;
    std::size_t matched = 0;
    std::size_t loose = 0;         ///< of its channels, and those that lack ends of which nothing is known
    std::vector<Message> by_sent;  ///< empty until they are asked for
    std::vector<Message> by_received;
  };
  using Ends = std::pair<ProcessIndex, ProcessIndex>;  ///< sender, receiver
  using Circle = std::vector<ProcessIndex>;            ///< all of them but the first
  /// A channel that can be shifted: so many ends of the side with more come ahead of all that are matched, and behind.
  struct Loose {
    std::uint32_t channel;
    std::ptrdiff_t ahead;
    std::ptrdiff_t behind;
  };
  /// At moments that are spread over the sends of a channel, by what the clocks show round its circle.
  struct Compared {
    std::vector<Ticks> offsets;  ///< by how much the offset of its clocks is larger
    std::vector<Ticks> delays;   ///< the smallest ones of its messages
  };
  struct Reached {
    std::uint32_t search = 0;  // the last one that reached the process
    std::size_t pairs = 0;
    ProcessIndex from = no_process;
  };

  void find_directions();
  [[nodiscard]] std::vector<Loose> find_loose();
  [[nodiscard]] std::optional<Loose> loose(std::uint32_t channel) const;
  void find_neighbours();
  void try_to_shift(const Loose& loose);
  [[nodiscard]] Circle find_circle(Ends ends);
  [[nodiscard]] Compared compare(const Loose& loose, std::ptrdiff_t by, const Circle& circle);
  void put_messages(std::uint32_t channel, std::ptrdiff_t by, std::vector<Message>& all) const;
  [[nodiscard]] const Direction& sorted(Ends ends);
  [[nodiscard]] std::optional<Time> at_the_end_of(const Circle& circle, ProcessIndex first, Time time);
  void settle(const Loose& loose, std::ptrdiff_t by, View& view);

  Matches& matches_;
  const Steps& steps_;
  const Turns& turns_;
  std::map<Ends, Direction> directions_;
  std::map<ProcessIndex, std::vector<ProcessIndex>> neighbours_;  // whose offsets are known, in order
  std::vector<Reached> reached_;                                  // of processes
  std::uint32_t searches_ = 0;
  std::size_t most_looks_;
  std::size_t looks_ = 0;  // at neighbours
};

}  // namespace clc::lost
