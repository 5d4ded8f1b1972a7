// Channels of messages: which receive belongs to which send.
//
// Place    The replay, the parallel replay and the estimator, which have no wait limit. The clock matches on its
//          own, as does clc-check, which has the key of a channel from here.
// Rules    First in, first out per (sender, receiver, communicator, tag): in the order of posting, the n-th receive
//          belongs to the n-th send. A receive that overtakes others leaves them the earlier sends.
// Cost     O(1) per end, and, where receives overtake others, O(these) and O(ends without partner).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "clc/indexes.hpp"
#include "trace/hash.hpp"
#include "trace/pending.hpp"

namespace clc {

struct Event;

/// All messages with the same sender, receiver, communicator and tag.
struct Channel {
  ProcessIndex sender = no_process;
  ProcessIndex receiver = no_process;
  CommunicatorIndex communicator = no_communicator;
  std::int64_t tag = 0;

  friend bool operator==(const Channel&, const Channel&) = default;
};

struct HashOfChannel {
  [[nodiscard]] std::size_t operator()(const Channel& channel) const noexcept {
    return static_cast<std::size_t>(hash(std::uint64_t{channel.sender} << 32U | channel.receiver,
                                         static_cast<std::uint64_t>(channel.tag), channel.communicator));
  }
};

/// The same in one number less, for tables of many; of a message that does not name both ends, communicator and tag.
struct ChannelKey {
  ChannelKey() noexcept = default;
  /// That of a send or receive.
  explicit ChannelKey(const Event& event) noexcept;
  [[nodiscard]] bool names_both_ends() const noexcept { return ends != unknown; }
  friend bool operator==(const ChannelKey&, const ChannelKey&) = default;

  /// If it names both ends.
  [[nodiscard]] ProcessIndex sender() const noexcept { return static_cast<ProcessIndex>(ends >> 32U); }
  [[nodiscard]] ProcessIndex receiver() const noexcept { return static_cast<ProcessIndex>(ends); }

  static constexpr std::uint64_t unknown = ~std::uint64_t{0};
  std::uint64_t ends = unknown;  ///< sender and receiver
  CommunicatorIndex communicator = 0;
  std::int64_t tag = 0;
};

struct ChannelKeyHash {
  [[nodiscard]] std::size_t operator()(const ChannelKey& key) const noexcept {
    return static_cast<std::size_t>(hash(key.ends, static_cast<std::uint64_t>(key.tag), key.communicator));
  }
};

/// The numbers of sends and receives of a channel, in the order of posting.
struct ChannelNumbers {
  /// Of the next send, or of a receive that overtakes so many others.
  std::uint64_t take(bool is_send, std::size_t overtakes) {
    if (is_send) return sends++;
    if (overtakes == overtaken.size()) [[likely]]
      return receives++;
    return receive_out_of_order(overtakes);
  }

  std::uint64_t sends = 0;               ///< so far
  std::uint64_t receives = 0;            ///< assigned so far
  std::vector<std::uint64_t> overtaken;  ///< of receives that were overtaken and have not come yet

 private:
  std::uint64_t receive_out_of_order(std::size_t overtakes);
};

template <class End>
class MessageChannel {
 public:
  using Ends = Pending<End>;

  /// Adds a send, or a receive that overtakes so many others. Returns the other end where that was added before; both
  /// are forgotten then.
  std::optional<End> add(bool sends, std::size_t overtakes, const End& end) {
    const std::uint64_t number = numbers_.take(sends, overtakes);
    Ends& others = sends ? receives_without_send_ : sends_without_receive_;
    const std::optional<End> partner = others.take(number);
    if (!partner) (sends ? sends_without_receive_ : receives_without_send_).add(number, end);
    return partner;
  }
  [[nodiscard]] const Ends& sends_without_receive() const noexcept { return sends_without_receive_; }
  [[nodiscard]] const Ends& receives_without_send() const noexcept { return receives_without_send_; }
  [[nodiscard]] bool all_have_partners() const noexcept {
    return sends_without_receive_.empty() && receives_without_send_.empty();
  }
  /// Nothing depends on its past: a new channel would do the same.
  [[nodiscard]] bool is_like_new() const noexcept { return all_have_partners() && numbers_.overtaken.empty(); }
  /// Forgets ends without partner.
  template <class Predicate>
  void forget_if(Predicate forgets) {
    for (Ends* ends : {&sends_without_receive_, &receives_without_send_}) ends->remove_if(forgets);
  }

 private:
  ChannelNumbers numbers_;
  Ends sends_without_receive_;
  Ends receives_without_send_;
};

}  // namespace clc
