// Lost records: what a trace that is read first tells of the other end of each send and receive, and of the members of
// each collective operation.
//
//     Ends ends(most_memory);
//     // read all records: ends.add(event)
//     if (ends.find(definitions)) source = marked(std::move(source), ends);   // the trace, read again
//
// Place     Ahead of the filter, which leaves the other channels to its own rule.
// Rule      rule.hpp, for each channel on its own, after the steps of clocks were taken out (steps.hpp) and turns were
//           counted (turns.hpp); those of a process that lost records in a row together (together.hpp). Where each
//           channel has as many sends as receives nothing is missing.
// Circles   A message that would have to be received before it was sent, round some circle of messages and collective
//           operations of which nothing is missing (order.hpp), is not one. One channel of the circle is matched again,
//           by what happened before what as the others tell (bounds.hpp): that which costs least more then. If none is
//           left, the ends of the message are left unmatched, of the channel which gains least by not being first in,
//           first out. Channels with few or irregular messages that lack sends are matched by that order alone.
// Calls     Those of collective operations: calls.hpp.
// Memory    64 bytes for each send and receive and 128 for each finished call; 1 for an end and 4 for a call of
//           which something is told afterwards.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "clc/io/source.hpp"
#include "lost/bounds.hpp"
#include "lost/calls.hpp"
#include "lost/order.hpp"
#include "lost/rule.hpp"
#include "lost/steps.hpp"
#include "lost/together.hpp"
#include "lost/turns.hpp"
#include "trace/channel.hpp"
#include "trace/hash.hpp"

namespace clc::lost {

class Ends {
 public:
  explicit Ends(std::uint64_t most_memory) : most_ends_(most_memory / bytes_each) {}

  /// The next record of its process.
  void add(const Event& event);
  /// All were added. False: nothing is told.
  [[nodiscard]] bool find(const Definitions& definitions);
  /// Of some channel or communicator.
  [[nodiscard]] bool tells() const noexcept {
    return calls_.lost() > 0 ||
           std::any_of(channels_.begin(), channels_.end(), [](const Channel& channel) { return channel.is_known; });
  }
  /// There were more ends and calls than memory.
  [[nodiscard]] bool too_many() const noexcept { return count_ > most_ends_; }
  /// The ends without other end on the channels of which it is told, in the order of channels and times.
  [[nodiscard]] const std::vector<Loss>& losses() const noexcept { return losses_; }
  /// Collective calls that are missing.
  [[nodiscard]] std::uint64_t lost_calls() const noexcept { return calls_.lost(); }
  /// Of a filter: did it find the same losses on these channels?
  [[nodiscard]] bool are_all_in(std::span<const Loss> losses) const;

  /// For Marks: the number of lists; of each its process and how many ends follow of which the other end is missing;
  /// then those of calls.
  [[nodiscard]] std::vector<std::int64_t> numbers(const Definitions& definitions) const;

  /// The trace is read again.
  void rewind() noexcept {
    for (OfProcess& process : processes_) process.read = 0;
    calls_.rewind();
  }
  /// The next record of its process then: sets what is known of its other end, or of its operation.
  void mark(Event& event) noexcept {
    if (event.role == Role::collective_end) return calls_.mark(event);
    if ((event.role != Role::send && event.role != Role::receive) || event.process >= processes_.size()) return;
    OfProcess& own = processes_[event.process];
    if (own.read < own.ends.size()) event.other_end = own.ends[own.read++];
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::uint64_t bytes_each = 64;
  struct Channel {
    ProcessIndex sender;
    ProcessIndex receiver;
    CommunicatorIndex communicator;
    std::int64_t tag;
    std::vector<Placed> sends;
    std::vector<Placed> receives;
    bool in_order = true;  // no receive overtakes another one
    bool is_known = false;
    bool in_first_out = true;  // its messages that are matched are those of first in, first out
    std::int64_t gain = 0;     // Matched::gain
    std::int64_t cost = 0;     // Matched::cost
    bool by_order = false;     // it was matched by what happened before what

    /// May another matching be right?
    [[nodiscard]] bool is_open() const noexcept {
      return is_known && !by_order && (!in_first_out || sends.size() != receives.size());
    }
  };
  /// Of an end: its channel, and of a receive: which end of the sender comes before it.
  struct Link {
    std::uint32_t channel = none;
    std::uint32_t send = none;
  };
  struct OfProcess {
    Time latest = Time::earliest();
    std::vector<OtherEnd> ends;
    std::vector<Link> links;
    std::size_t read = 0;
  };

  [[nodiscard]] Steps steps() const;
  [[nodiscard]] Turns turns() const;
  void prepare(View& view, const Steps& steps, const Turns& turns) const;
  void match_all(bool lacks_ends, const Steps& steps, const Turns& turns);
  void settle(View& view);
  void settle(Channel& channel, const Matched& matched);
  void leave(Channel& channel);
  void pair(const Channel& channel, const Placed& send, const Placed& receive);
  [[nodiscard]] Order order(std::uint32_t without = none) const;
  [[nodiscard]] Order match_by_order(const Steps& steps, const Turns& turns);
  [[nodiscard]] Order without_circles(const Steps& steps, const Turns& turns);
  [[nodiscard]] std::vector<std::uint32_t> break_circles(Order& order);
  [[nodiscard]] std::size_t looks_at(const Order& order) const noexcept { return order.size() + 16 * all_processes_; }
  [[nodiscard]] bool may_look(const Order& order) const noexcept {
    return looks_ + looks_at(order) <= most_looks_in(order.size());
  }
  [[nodiscard]] bool looks(const Order& order) noexcept;
  void match_one_again(const std::vector<std::uint32_t>& channels, const Steps& steps, const Turns& turns);
  [[nodiscard]] bool match_others(const Order& order);
  void forget(Channel& channel);
  void unpair(ProcessIndex process, std::uint32_t receive);
  void tell(const Channel& channel);
  [[nodiscard]] static auto key_of(const Loss& loss) {
    return std::tuple(loss.sender, loss.receiver, loss.communicator, loss.tag, loss.recorded, loss.send);
  }

  std::uint64_t most_ends_;
  std::uint64_t count_ = 0;
  HashMap<ChannelKey, std::uint32_t, ChannelKeyHash> index_;
  std::vector<Channel> channels_;
  std::vector<OfProcess> processes_;
  std::vector<Loss> losses_;
  Calls calls_;
  std::size_t all_processes_ = 0;  // that are defined
  std::size_t looks_ = 0;          // to match channels by what happened before what
};

/// Adds all records. What cannot be read is left out: that is told when it is read again.
void add_all(Source& source, Ends& ends);

/// Marks the events. ends: must outlive the result; serves one source at a time.
[[nodiscard]] std::unique_ptr<Source> marked(std::unique_ptr<Source> inner, Ends& ends);

}  // namespace clc::lost
