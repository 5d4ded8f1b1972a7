// A sample of messages, from which round trips are found when all ranks are done.
//
// Purpose  The two messages of a round trip are received on two ranks, which do not tell each other of them.
// Choice   Of all pairs of processes those with the smallest hashes, and of each pair the first messages in either
//          direction: the same ones for any number of ranks.
// Place    Beside the replay. A rank keeps what its processes receive; `join` keeps of two samples what the sample of
//          both would be.
// Cost     A hash per message; O(log pairs) for messages of the sample. At most most_pairs * most_messages * 48 bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "clc/indexes.hpp"
#include "clc/time.hpp"
#include "clc/verdict.hpp"

namespace clc::ranks {

class TripSample {
 public:
  static constexpr std::size_t most_pairs = 256;
  static constexpr std::size_t most_messages = 32;  ///< of each pair, in each direction

  /// A matched message; times are C. The messages of each receiver come in the order in which it received them.
  void add(ProcessIndex sender, ProcessIndex receiver, Time sent, Time received, Ticks min_delay) {
    const std::uint64_t hash = hash_of(std::min(sender, receiver), std::max(sender, receiver));
    if (hash <= largest_) add_to(hash, sender, receiver, {sent, received, min_delay});
  }
  void join(const TripSample& other);
  /// Each message with the newest one in the other direction that was sent before it was received.
  [[nodiscard]] RoundTripStatistics trips() const;
  /// The messages of one process to another one.
  struct Direction {
    ProcessIndex sender = no_process;
    ProcessIndex receiver = no_process;
    Ticks smallest_delay = ticks_max;
    Ticks smallest_recorded = ticks_max;  ///< before times were mapped
  };
  /// recorded(sender, receiver, received, delay): the delay of a message before its times were mapped.
  using Recorded = std::function<Ticks(ProcessIndex, ProcessIndex, Time, Ticks)>;
  [[nodiscard]] std::vector<Direction> directions(const Recorded& recorded) const;

  /// For transport.
  [[nodiscard]] std::vector<std::int64_t> numbers() const;
  [[nodiscard]] static TripSample of(std::span<const std::int64_t> numbers);

 private:
  struct Message {
    Time sent;
    Time received;
    Ticks min_delay = 0;
  };
  struct Pair {
    ProcessIndex smaller = no_process;
    ProcessIndex larger = no_process;
    std::array<std::vector<Message>, 2> messages;  ///< those that the smaller one sent, and the others
  };
  /// No two pairs share it.
  [[nodiscard]] static std::uint64_t hash_of(ProcessIndex smaller, ProcessIndex larger) noexcept {
    std::uint64_t hash = (std::uint64_t{smaller} << 32U | larger) + 0x9e37'79b9'7f4a'7c15;
    hash = (hash ^ hash >> 30U) * 0xbf58'476d'1ce4'e5b9;
    hash = (hash ^ hash >> 27U) * 0x94d0'49bb'1331'11eb;
    return hash ^ hash >> 31U;
  }
  [[gnu::noinline]] void add_to(std::uint64_t hash, ProcessIndex sender, ProcessIndex receiver, const Message& message);
  template <class Take>
  void for_each(Take take) const;

  std::map<std::uint64_t, Pair> pairs_;        // by hash
  std::uint64_t largest_ = ~std::uint64_t{0};  // pairs with a larger hash are not in the sample
};

}  // namespace clc::ranks
