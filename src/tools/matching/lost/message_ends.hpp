// The sends and receives of a trace, and the channels they belong to, for rules that look at all of them.
//
// Place    Filled while a trace is read the first time. WholeMatches decides which ends of whole channels are alone,
//          StreamRule which of the others are.
// Memory   72 bytes for each send and receive.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "clc/indexes.hpp"
#include "clc/time.hpp"
#include "matching/lost/clock_steps.hpp"
#include "trace/channel.hpp"
#include "trace/hash.hpp"

namespace clc {
struct Event;
}

namespace clc::matching {

struct MessageEnds {
  static constexpr std::uint32_t none = 0xffff'ffff;

  struct End {
    Time time;                    ///< as the filter knows it
    std::uint64_t order = 0;      ///< among all records
    std::uint32_t channel = 0;    ///< number in channels
    std::uint32_t nth = 0;        ///< send or receive of its process
    std::uint32_t overtakes = 0;  ///< receives
    bool send = false;
    bool alone = false;  ///< its other end is not in the trace
    Time recorded;       ///< the latest of its process so far
    std::uint64_t bytes = 0;
  };
  struct Channel : clc::Channel {
    bool within_clock = false;  ///< nothing is told of it
    bool is_known = false;      ///< which of its ends are alone
  };
  struct OfProcess {
    std::optional<Time> first;  ///< record, as the filter knows it
    Time first_recorded;
    Time latest = Time::earliest();   ///< as recorded
    Time highest = Time::earliest();  ///< of all times that the filter knows: C^ of the last record
    std::uint32_t ends = 0;           ///< sends and receives
  };

  /// The next record of the trace. time: as the filter knows it.
  void add(const Event& event, Time time);
  /// Mapped times may be in another order than the recorded ones; the n-th end in the new order counts as being where
  /// the n-th one was.
  void sort_by_time();

  /// Sends, receives of these ends.
  [[nodiscard]] std::array<ClockSteps::Ends, 2> sides_of(const std::vector<std::uint32_t>& some) const;
  /// Of channels: how many more sends than receives.
  [[nodiscard]] std::vector<std::int64_t> more_sends() const;
  /// At one recorded time: most processes end closer together, by their clocks, than they begin.
  [[nodiscard]] bool were_cut() const;
  /// Has a channel more ends on one side?
  [[nodiscard]] bool lack_some() const;
  [[nodiscard]] ProcessIndex process_of(const End& end) const {
    return end.send ? channels[end.channel].sender : channels[end.channel].receiver;
  }

  std::vector<End> all;
  std::vector<Channel> channels;
  std::vector<OfProcess> processes;
  std::uint64_t records = 0;  ///< of any kind
  HashMap<clc::Channel, std::uint32_t, HashOfChannel> channel_of;
};

}  // namespace clc::matching
