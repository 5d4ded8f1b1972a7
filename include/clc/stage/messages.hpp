// Messages: which receive belongs to which send.
//
// Place     Part of the input buffer. Matches at reading, first-in-first-out per (sender, receiver,
//           communicator, tag), and keeps what the receive needs of its send until both are processed. Ends that do
//           not name their peer match by communicator and tag alone. A receive that overtakes others leaves them the
//           sends that are theirs.
// Bounded   A send without receive is kept as a record for the wait limit beyond the time at which it can
//           no longer bind (less when there are very many), then only as a count in its channel; channels with nothing
//           but counts are forgotten when there are more than `dormant_limit`. A receive without send waits for the
//           wait limit. Channels that are empty are swept when the table would grow. At most `overtaken_limit`
//           messages are kept for receives that were overtaken; beyond that the order of the receives counts.
// Cost      One hash lookup per send and per receive.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/stage/delay.hpp"
#include "clc/stage/flat_map.hpp"
#include "clc/stage/process_queue.hpp"

namespace clc {

using MessageId = std::uint32_t;
inline constexpr MessageId no_message = no_edge;

struct Message {
  Time sent;                   ///< C(s)
  double offset = 0;           ///< D(s), once the send is processed
  double simple_offset = 0;    ///< E(s)
  Ticks delay = 1;             ///< mu of this message
  EventIndex send = no_event;  ///< index in the sender's queue; no_event: not read
  ProcessIndex sender = no_process;
  ProcessIndex receiver = no_process;
  CommunicatorIndex communicator = 0;
  std::uint32_t pair = Analysis::no_pair;  ///< for the analysis
  std::int64_t tag = 0;
  MessageId next = no_message;  ///< in its channel, or in the free list
  bool send_processed = false;
  bool abandoned = false;       ///< the receive was released before its send is processed
  bool receiver_waits = false;  ///< the receive is head of its queue and not ready
};

class Messages {
 public:
  // Limits for small runs, and for each process of large ones.
  static constexpr std::size_t dormant_limit = std::size_t{1} << 16;
  static constexpr std::size_t dormant_each = 32;
  static constexpr std::size_t live_limit = std::size_t{1} << 14;
  static constexpr std::size_t live_each = 8;
  static constexpr std::size_t overtaken_limit = std::size_t{1} << 14;

  Messages(const DelayModel& delays, Ticks wait_limit, Analysis& analysis)
      : delays_(delays), wait_limit_(wait_limit), analysis_(analysis) {}

  void grow(std::size_t processes) noexcept {
    most_dormant_ = std::max(dormant_limit, dormant_each * processes);
    most_live_ = std::max(live_limit, live_each * processes);
  }

  /// A send is read. Returns its message, or no_message when it can bind nothing.
  MessageId read_send(const Event& event, EventIndex index);
  /// A receive is read. no_message: it waits for nothing and is bound by nothing. Otherwise `Message::send`
  /// tells whether its send has been read.
  MessageId read_receive(const Event& event);
  /// The receive's wait is over before its send is processed; it becomes an internal event.
  void give_up(MessageId id);
  /// The receive is processed: the message is done.
  void finish(MessageId id) noexcept {
    (*this)[id].next = free_;
    free_ = id;
    --live_;
  }
  [[nodiscard]] Message& operator[](MessageId id) noexcept { return slabs_[id / slab_messages][id % slab_messages]; }
  [[nodiscard]] const Message& operator[](MessageId id) const noexcept {
    return slabs_[id / slab_messages][id % slab_messages];
  }

  /// Largest delay of a message so far.
  [[nodiscard]] Ticks largest_delay() const noexcept { return largest_delay_; }

  /// Turns sends that can no longer bind into counts: those that could not bind `wait_limit` before now; with hurry,
  /// or when more than `live_limit` are kept, those that cannot bind now. Amortized O(1) per message: does nothing
  /// until there are twice as many as were left the last time.
  void tidy(Time now, bool hurry);
  /// End of input: counts sends that were never received.
  void close();

  [[nodiscard]] std::uint64_t memory() const noexcept {
    return slabs_.size() * slab_messages * sizeof(Message) + channels_.memory();
  }

 private:
  struct Key {
    std::int64_t tag = 0;
    ProcessIndex sender = 0;
    ProcessIndex receiver = 0;
    CommunicatorIndex communicator = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    [[nodiscard]] std::uint64_t operator()(const Key& key) const noexcept {
      return mix((std::uint64_t{key.sender} << 32 | key.receiver) +
                 0xd6e8feb86659fd93ULL *
                     (static_cast<std::uint64_t>(key.tag) + (std::uint64_t{key.communicator} << 40)));
    }
  };
  /// Unmatched messages of one key, oldest first: all are sends or all are receives.
  struct Channel {
    MessageId oldest = no_message;
    MessageId newest = no_message;
    std::uint32_t old_sends = 0;          // older than `oldest`, kept as a count
    std::uint32_t released_receives = 0;  // given up; the next sends on this channel are theirs
    std::uint32_t pair = Analysis::no_pair;
    bool receives = false;   // what the list holds
    bool own_delay = false;  // of the communicator
    [[nodiscard]] bool empty() const noexcept {
      return oldest == no_message && old_sends == 0 && released_receives == 0;
    }
  };
  using Channels = FlatMap<Key, Channel, KeyHash>;

  [[nodiscard]] static Key key_of(ProcessIndex sender, ProcessIndex receiver, const Event& event) noexcept {
    if (event.peer == no_process) [[unlikely]]
      sender = receiver = no_process;
    return {event.tag, sender, receiver, event.communicator};
  }
  /// What a send of that channel is when nobody receives it.
  [[nodiscard]] static Case unmatched_send(const Key& key) noexcept {
    return key.sender == no_process ? Case::unclaimed_send : Case::send_without_receive;
  }
  [[nodiscard]] Channel& channel(const Key& key);
  [[nodiscard]] Channel& new_channel(const Key& key);
  [[nodiscard]] MessageId take();
  /// The message of the next receive of a channel, in the order of posting. no_message: its send is only a count.
  [[nodiscard]] MessageId next_receive(Channel& line, const Event& event);
  /// The same where a receive overtakes others, or may have been overtaken.
  [[nodiscard]] MessageId receive_out_of_order(Channel& line, const Key& key, const Event& event);
  void append(Channel& channel, MessageId id) noexcept;
  MessageId pop(Channel& channel) noexcept;
  /// Receives at the head of the line that were given up become a count.
  void drop_abandoned(Channel& line) noexcept;
  [[nodiscard]] bool cannot_bind(const Message& message, Time now) const noexcept;

  const DelayModel& delays_;
  Ticks wait_limit_;
  Analysis& analysis_;
  Channels channels_;
  static constexpr MessageId slab_messages = 512;
  std::vector<std::unique_ptr<Message[]>> slabs_;
  /// Messages of receives that were overtaken and are not read yet, in the order of posting.
  std::unordered_map<Key, std::vector<MessageId>, KeyHash> overtaken_;
  std::size_t kept_ = 0;  ///< messages in it
  MessageId free_ = no_message;
  std::size_t live_ = 0;
  std::size_t tidied_live_ = 0;
  std::size_t most_dormant_ = dormant_limit;
  std::size_t most_live_ = live_limit;
  Ticks largest_delay_ = 1;
};

}  // namespace clc
