// Messages: which receive belongs to which send.
//
// Place     Part of the input buffer. Matches at reading, first-in-first-out per (sender, receiver,
//           communicator, tag), and keeps what the receive needs of its send until both are processed. Ends that do
//           not name their peer match by communicator and tag alone. A receive that overtakes others leaves them the
//           sends that are theirs. The delay of a message is that of its pair of processes: known when the send is read
//           where the ends name each other, else when both are read.
// Lost      Except with Match::fifo a channel also knows its floor (losses.hpp) and says where a match is in doubt;
//           an end can be taken out of the matching. Who is taken out, LookAhead decides.
// Bounded   A send without receive is kept as a record for the wait limit beyond the time at which it can
//           no longer bind (less when there are very many, but until it has left), then only as a count in its channel;
//           channels with nothing but counts are forgotten when there are more than `dormant_limit`. A receive without
//           send waits for the wait limit. Channels that are empty are swept when the
//           table would grow, where delays are remembered only from `idle_limit` channels on. At most
//           `overtaken_limit` messages are kept for receives that were overtaken; beyond that the order of the receives
//           counts.
// Cost      One hash lookup per send and per receive; another one per message whose ends do not name each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "clc/parameters.hpp"
#include "clock/given_up.hpp"
#include "clock/losses.hpp"
#include "clock/process_queue.hpp"
#include "clock/recorder.hpp"
#include "clock/set_back.hpp"
#include "trace/delay.hpp"
#include "trace/flat_map.hpp"
#include "trace/hash.hpp"
#include "trace/large_pages.hpp"

namespace clc {

using MessageId = std::uint32_t;
inline constexpr MessageId no_message = no_edge;

struct Message {
  Time sent;  ///< C(s); C(r) while the send is not read; C^ where a clock was set back
  union {
    double offset = 0;  ///< D(s), once the send is processed
    std::int64_t tag;   ///< until then
  };
  double simple_offset = 0;    ///< E(s)
  Ticks delay = 1;             ///< mu of this message; while its pair is not known, what its length adds to it
  EventIndex send = no_event;  ///< index in the sender's queue; no_event: not read
  ProcessIndex sender = no_process;
  ProcessIndex receiver = no_process;
  std::uint32_t pair = Recorder::no_pair;  ///< for the analysis
  MessageId next = no_message;             ///< in its channel, or in the free list
  CommunicatorIndex communicator = 0;
  bool send_processed = false;
  bool abandoned = false;       ///< the receive was released, `pair` is its number in GivenUp
  bool receiver_waits = false;  ///< the receive is head of its queue and not ready
  bool receive_read = false;    ///< ahead of its send
};
static_assert(sizeof(Message) == 64, "a cache line");
/// Message::pair of a send that was read and does not name its receiver, which is not known yet.
inline constexpr std::uint32_t pair_not_known = Recorder::unpaired - 1;

class Messages {
 public:
  // Limits for small runs, and for each process of large ones.
  static constexpr std::size_t dormant_limit = std::size_t{1} << 16;
  static constexpr std::size_t dormant_each = 32;
  static constexpr std::size_t live_limit = std::size_t{1} << 14;
  static constexpr std::size_t live_each = 8;
  static constexpr std::size_t idle_limit = std::size_t{1} << 12;
  static constexpr std::size_t idle_each = 32;
  static constexpr std::size_t overtaken_limit = std::size_t{1} << 14;

  /// clock_error: Parameters::clock_error_us; ticks_max: not known.
  Messages(const DelayModel& delays, Ticks wait_limit, Match match, Ticks clock_error, SetBack& set_back,
           Recorder& analysis)
      : delays_(delays),
        wait_limit_(wait_limit),
        set_back_(set_back),
        analysis_(analysis),
        given_up_(analysis),
        margin_(4 * std::min(delays.default_delay(), ticks_max / 64)),
        least_delay_(-clock_error),
        resynchronises_(match != Match::fifo) {}

  void grow(std::size_t processes) noexcept {
    most_dormant_ = std::max(dormant_limit, dormant_each * processes);
    most_live_ = std::max(live_limit, live_each * processes);
    least_swept_ = resynchronises_ ? std::max(idle_limit, idle_each * processes) : 0;
  }

  /// A message and its number; nullptr and no_message: none.
  struct Found {
    MessageId id = no_message;
    Message* message = nullptr;
  };
  /// A send is read. None: it can bind nothing; then `id` is its number in given_up(), if its receive was released.
  Found read_send(const Event& event, EventIndex index);
  /// A receive is read. None: it waits for nothing and is bound by nothing. Otherwise `Message::send` tells whether
  /// its send has been read.
  Found read_receive(const Event& event);
  // Of an event that is soon read, in three steps.
  [[gnu::always_inline]] void fetch(const Event& event) const noexcept { channels_.fetch(key_of(event)); }
  [[gnu::always_inline]] void fetch_channel(const Event& event) const noexcept { channels_.fetch_value(key_of(event)); }
  /// The message that it will find; nullptr when there is none.
  [[gnu::always_inline]] const Message* fetch_message(const Event& event) const noexcept {
    const Channel* line = channels_.peek(key_of(event));
    if (line == nullptr) return nullptr;
    if (event.role == Role::receive) analysis_.fetch(line->pair);
    if (line->oldest == no_message) return nullptr;
    const Message* message = &(*this)[line->oldest];
    clc::fetch(message);
    return message;
  }
  /// changes: of the definitions, so far. With each of them, delays may be others from then on.
  void follow(std::uint64_t changes) noexcept { changes_ = static_cast<std::uint32_t>(changes); }
  // ---- lost records ----
  /// The event that was to be read has its match in doubt; nothing has changed yet. Decided, it is read again.
  [[nodiscard]] Doubt doubt() const noexcept { return doubt_; }
  /// keep: the match is right.
  void decide(bool keep) noexcept {
    doubt_ = Doubt::none;
    trusted_ = keep;
  }
  /// Of the event's channel.
  [[nodiscard]] ChannelState channel_of(const Event& event) const;
  /// The oldest of the ends that the event's channel holds has lost its other end: the message is done.
  Message take_out_oldest(const Event& event);
  /// A send of that channel has lost its receive. again: the next match is in doubt, too.
  void send_taken_out(const Event& event, bool again) { channels_.find(key_of(event))->floor.taken_out(again); }
  /// Of delays that count as the same.
  [[nodiscard]] Ticks margin() const noexcept { return margin_; }

  /// The receive's wait is over before its send is processed; it becomes an internal event. received: its C. Its number
  /// in given_up(), and that of its send if that was read.
  GivenUp::Id give_up(MessageId id, Time received);
  /// Messages that were given up.
  [[nodiscard]] GivenUp& given_up() noexcept { return given_up_; }
  /// The receive is processed: the message is done.
  void finish(Found found) noexcept {
    found.message->next = free_;
    free_ = found.id;
    --live_;
  }
  /// None for no_message.
  [[nodiscard]] Found at(MessageId id) noexcept {
    if (id == no_message) return {};
    return {id, &(*this)[id]};
  }
  [[nodiscard]] Message& operator[](MessageId id) noexcept { return slabs_[id / slab_messages][id % slab_messages]; }
  [[nodiscard]] const Message& operator[](MessageId id) const noexcept {
    return slabs_[id / slab_messages][id % slab_messages];
  }

  /// Largest delay of a message so far.
  [[nodiscard]] Ticks largest_delay() const noexcept { return largest_delay_; }

  /// Turns sends that can no longer bind into counts: those that could not bind `wait_limit` before now; with hurry,
  /// or when more than `live_limit` are kept, those that cannot bind now. A send that is still at home stays: amortized
  /// later, it needs its receive as a limit. has_left(process, index): an event is no longer at home. Amortized O(1)
  /// per message: does nothing until there are twice as many as were left the last time.
  template <class HasLeft>
  void tidy(Time now, bool hurry, HasLeft has_left) {
    if (!hurry && live_ < std::max<std::size_t>(4096, 2 * tidied_live_)) return;
    const Time until = hurry || live_ > most_live_ ? now : now - wait_limit_;
    channels_.for_each([&](const Key&, Channel& line) {
      while (line.oldest != no_message && !line.receives) {
        const Message& oldest = (*this)[line.oldest];
        if (!cannot_bind(oldest, until) || !has_left(oldest.sender, oldest.send)) break;
        finish(pop(line));
        ++line.old_sends;
      }
    });
    tidied_live_ = live_;
  }
  /// End of input: counts sends that were never received.
  void close();

  [[nodiscard]] std::uint64_t memory() const noexcept { return live_ * sizeof(Message) + channels_.memory(); }

 private:
  struct Key {
    std::int64_t tag = 0;
    std::uint64_t ends = 0;  ///< sender, receiver; unnamed when the messages do not name them
    CommunicatorIndex communicator = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  static constexpr std::uint64_t unnamed = ~std::uint64_t{0};
  [[nodiscard]] static constexpr std::uint64_t ends_of(ProcessIndex sender, ProcessIndex receiver) noexcept {
    return std::uint64_t{sender} << 32 | receiver;
  }
  // Of a key that names them.
  [[nodiscard]] static constexpr ProcessIndex sender_of(const Key& key) noexcept {
    return static_cast<ProcessIndex>(key.ends >> 32U);
  }
  [[nodiscard]] static constexpr ProcessIndex receiver_of(const Key& key) noexcept {
    return static_cast<ProcessIndex>(key.ends);
  }
  struct KeyHash {
    [[nodiscard]] std::uint64_t operator()(const Key& key) const noexcept {
      return hash(key.ends, static_cast<std::uint64_t>(key.tag), key.communicator);
    }
  };
  /// Unmatched messages of one key, oldest first: all are sends or all are receives.
  struct Channel {
    MessageId oldest = no_message;
    MessageId newest = no_message;
    std::uint32_t old_sends = 0;          // older than `oldest`, kept as a count
    std::uint32_t released_receives = 0;  // given up; the next sends on this channel are theirs
    std::uint32_t pair = Recorder::no_pair;
    std::uint32_t delay = 0;    // mu of all its messages; 0: looked up for each
    std::uint32_t changes = 0;  // of the definitions, when pair and delay were looked up
    bool receives = false;      // what the list holds
    Floor floor;
    [[nodiscard]] bool empty() const noexcept {
      return oldest == no_message && old_sends == 0 && released_receives == 0;
    }
  };
  using Channels = FlatMap<Key, Channel, KeyHash>;

  /// What a send of that channel is when nobody receives it.
  [[nodiscard]] static Case unmatched_send(const Key& key) noexcept {
    return key.ends == unnamed ? Case::unclaimed_send : Case::send_without_receive;
  }
  [[nodiscard]] Channel& channel(const Key& key) {
    if (Channel* known = channels_.find(key)) [[likely]] {
      if (known->changes != changes_) [[unlikely]]
        look_up(*known, key);
      return *known;
    }
    return new_channel(key);
  }
  [[nodiscard]] Channel& new_channel(const Key& key);
  /// What is the same for all messages of a channel.
  void look_up(Channel& line, const Key& key);
  [[nodiscard]] static Key key_of(ProcessIndex sender, ProcessIndex receiver, const Event& event) noexcept {
    if (event.peer == no_process) [[unlikely]]
      return {event.tag, unnamed, event.communicator};
    return {event.tag, ends_of(sender, receiver), event.communicator};
  }
  [[nodiscard]] static Key key_of(const Event& event) noexcept {
    return event.role == Role::send ? key_of(event.process, event.peer, event)
                                    : key_of(event.peer, event.process, event);
  }
  /// Message::delay of a message of that length when its send is read.
  [[nodiscard]] Ticks delay_of(const Key& key, std::uint64_t bytes);
  [[nodiscard]] Found read_send(const Key& key, const Event& event, EventIndex index);
  [[nodiscard]] Found read_receive(const Key& key, const Event& event);
  /// An end that does not name the other one. When both are read, their processes are known, so pair and delay are.
  [[nodiscard]] Found read_unnamed(const Event& event, EventIndex index);
  /// mu of a message whose send is read, or the most that it can become.
  [[nodiscard]] Ticks most_delay(const Message& message) const noexcept {
    return message.pair == pair_not_known ? add_saturating(delays_.largest(), message.delay) : message.delay;
  }
  /// A message as made new.
  [[nodiscard]] Found take() {
    if (free_ == no_message) [[unlikely]]
      add_slab();
    ++live_;
    const Found found{free_, &(*this)[free_]};
    Message& message = *found.message;
    free_ = message.next;
    if (free_ != no_message) clc::fetch(&(*this)[free_]);  // the next new message
    message.next = no_message;
    message.send_processed = message.abandoned = message.receiver_waits = message.receive_read = false;
    return found;
  }
  void add_slab();
  void append(Channel& line, MessageId id) noexcept {
    if (line.oldest == no_message)
      line.oldest = id;
    else
      (*this)[line.newest].next = id;
    line.newest = id;
  }
  Found pop(Channel& line) noexcept {
    const Found found{line.oldest, &(*this)[line.oldest]};
    line.oldest = std::exchange(found.message->next, no_message);
    return found;
  }
  /// The message of the next receive of a channel, in the order of posting. None: its send is only a count.
  [[nodiscard, gnu::always_inline]] Found next_receive(Channel& line, const Event& event) {
    if (line.old_sends > 0) [[unlikely]] {
      --line.old_sends;
      return {};
    }
    if (line.oldest != no_message && !line.receives) return pop(line);
    const Found found = take();
    Message& message = *found.message;
    message.send = no_event;
    message.sender = event.peer;
    message.receiver = event.process;
    message.communicator = event.communicator;
    message.tag = event.tag;
    message.receive_read = true;
    message.sent = event.time;
    line.receives = true;
    append(line, found.id);
    return found;
  }
  /// Is a match of that delay in doubt? If not, it is learnt.
  [[gnu::always_inline]] bool doubts(Channel& line, const Key& key, const Event& event, Ticks delay) {
    if (event.overtakes != 0 || (!overtaken_.empty() && overtaken_.contains(key))) [[unlikely]]
      return false;
    if (delay >= least_delay_ && (line.floor.hit(delay, event.time, margin_) || line.floor.pass(delay))) return false;
    return doubts_still(line, key, event, delay);
  }
  [[nodiscard, gnu::noinline]] bool doubts_still(Channel& line, const Key& key, const Event& event, Ticks delay);
  [[nodiscard]] static Key key_of(const Message& message) noexcept {
    return {message.tag, ends_of(message.sender, message.receiver), message.communicator};
  }
  /// The same where a receive overtakes others, or may have been overtaken.
  [[nodiscard]] Found receive_out_of_order(Channel& line, const Key& key, const Event& event);
  void received_itself(Found found);
  /// A message between processes that share a clock.
  void within_a_clock(bool backwards);
  /// A send whose receive was released.
  [[nodiscard, gnu::noinline]] Found late_send(Channel& line, const Key& key, const Event& event, Ticks delay);
  /// Receives at the head of the line that were given up become a count.
  void drop_abandoned(Channel& line, const Key& key);
  /// The receives of a channel that were given up are forgotten.
  void forget_released(const Key& key);
  [[nodiscard]] bool cannot_bind(const Message& message, Time now) const noexcept;

  const DelayModel& delays_;
  Ticks wait_limit_;
  SetBack& set_back_;
  Recorder& analysis_;
  GivenUp given_up_;
  /// By channel, the oldest of those that `released_receives` counts, as far as they are known.
  HashMap<Key, std::deque<GivenUp::Id>, KeyHash> released_;
  Channels channels_;
  static constexpr MessageId slab_messages = 512;
  Arena arena_;
  std::vector<Message*> slabs_;
  /// Messages of receives that were overtaken and are not read yet, in the order of posting.
  HashMap<Key, std::vector<MessageId>, KeyHash> overtaken_;
  std::size_t kept_ = 0;  ///< messages in it
  MessageId free_ = no_message;
  std::size_t live_ = 0;
  std::size_t tidied_live_ = 0;
  std::size_t most_dormant_ = dormant_limit;
  std::size_t most_live_ = live_limit;
  std::size_t least_swept_ = 0;  ///< channels, before those are swept that hold nothing
  Ticks largest_delay_ = 1;
  std::uint32_t changes_ = 0;  ///< of the definitions
  Ticks margin_;
  Ticks least_delay_;  ///< less is no delay of a message that is matched rightly
  bool resynchronises_;
  Doubt doubt_ = Doubt::none;
  bool trusted_ = false;  ///< the match of the next event
};

[[gnu::always_inline]] inline Messages::Found Messages::read_send(const Event& event, EventIndex index) {
  if (event.peer == event.process) [[unlikely]] {
    analysis_.count(Case::self_message);
    return {};
  }
  if (event.peer == no_process) [[unlikely]]
    return read_unnamed(event, index);
  return read_send({event.tag, ends_of(event.process, event.peer), event.communicator}, event, index);
}

[[gnu::always_inline]] inline Messages::Found Messages::read_receive(const Event& event) {
  if (event.peer == event.process) [[unlikely]]
    return {};
  if (event.peer == no_process) [[unlikely]]
    return read_unnamed(event, no_event);
  return read_receive({event.tag, ends_of(event.peer, event.process), event.communicator}, event);
}

[[gnu::always_inline]] inline Messages::Found Messages::read_send(const Key& key, const Event& event,
                                                                  EventIndex index) {
  Channel& line = channel(key);
  const Ticks delay = line.delay > 0 ? line.delay : delay_of(key, event.bytes);
  if (line.released_receives > 0) [[unlikely]]
    return late_send(line, key, event, delay);
  Found found;
  if (line.oldest != no_message && line.receives) {
    if (resynchronises_ && doubts(line, key, event, (*this)[line.oldest].sent - event.time)) [[unlikely]]
      return {};
    found = pop(line);
    drop_abandoned(line, key);
    if (event.peer != no_process) found.message->receiver = event.peer;
  } else {
    found = take();
    found.message->receiver = event.peer;
    found.message->tag = event.tag;
    found.message->communicator = event.communicator;
    line.receives = false;
    append(line, found.id);
  }
  Message& message = *found.message;
  message.sent = event.time;
  message.delay = delay;
  message.send = index;
  message.sender = event.process;
  message.pair = line.pair;
  if (set_back_.any()) [[unlikely]]
    set_back_.send(found.id);
  return found;
}

[[gnu::always_inline]] inline Messages::Found Messages::read_receive(const Key& key, const Event& event) {
  Channel& line = channel(key);
  const bool in_order = event.overtakes == 0 && overtaken_.empty();
  Found found;
  if (line.oldest != no_message && !line.receives && line.old_sends == 0) {  // the send was read
    found = {line.oldest, &(*this)[line.oldest]};
    if (resynchronises_ && doubts(line, key, event, event.time - found.message->sent)) [[unlikely]]
      return {};
    if (in_order) [[likely]]
      line.oldest = std::exchange(found.message->next, no_message);
    else
      found = receive_out_of_order(line, key, event);
  } else {
    found = in_order ? next_receive(line, event) : receive_out_of_order(line, key, event);
  }
  if (found.id == no_message) [[unlikely]] {
    analysis_.old_message();
    return {};
  }
  found.message->receiver = event.process;
  if (found.message->sender == event.process) [[unlikely]] {
    received_itself(found);
    return {};
  }
  return found;
}

}  // namespace clc
