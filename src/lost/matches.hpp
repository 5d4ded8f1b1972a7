// Lost records: the sends and receives of a trace by their channels, and which of them belong together.
//
//     matches.add(event, time);               // all records, each process in order
//     View view = matches.view(c, steps, turns);
//     view.matched = match(view.fewer, view.more, ...);
//     matches.settle(view);                   // of each channel, once; then again where others contradict it
//     losses = matches.tell();
//
// Place     Filled by Ends; channels that contradict each other are matched again by ByOrder.
// Memory    64 bytes for each end, until it is told; then 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "lost/order.hpp"
#include "lost/rule.hpp"
#include "lost/steps.hpp"
#include "lost/together.hpp"
#include "lost/turns.hpp"
#include "trace/channel.hpp"
#include "trace/hash.hpp"

namespace clc::lost {

class Matches {
 public:
  struct Channel {
    ProcessIndex sender;
    ProcessIndex receiver;
    CommunicatorIndex communicator;
    std::int64_t tag;
    std::vector<Placed> sends;
    std::vector<Placed> receives;
    bool in_order = true;  ///< no receive overtakes another one, and it is not left out
    bool is_known = false;
    bool in_first_out = true;  ///< its messages that are matched are those of first in, first out
    bool by_order = false;     ///< it was matched by what happened before what
    std::int64_t gain = 0;     ///< Matched::gain
    std::int64_t cost = 0;     ///< Matched::cost

    [[nodiscard]] auto key() const noexcept { return std::tuple(sender, receiver, communicator, tag); }
    [[nodiscard]] bool lacks_sends() const noexcept { return sends.size() < receives.size(); }
    [[nodiscard]] bool lacks_ends() const noexcept { return sends.size() != receives.size(); }
    [[nodiscard]] bool has_ends_of_both() const noexcept { return !sends.empty() && !receives.empty(); }
    /// May another matching be right?
    [[nodiscard]] bool is_open() const noexcept { return is_known && !by_order && (!in_first_out || lacks_ends()); }
  };

  void set_processes(std::size_t processes) { processes_.resize(processes); }
  [[nodiscard]] std::size_t processes() const noexcept { return processes_.size(); }
  /// The next send or receive of its process. time: not before that of any earlier record of it.
  void add(const Event& event, Time time);
  /// Was the trace cut at one recorded time?
  void set_cut(bool was_cut) noexcept { was_cut_ = was_cut; }
  /// Nothing is told of channels within one clock.
  void leave_out_within_clocks(const Definitions& definitions);
  /// Forgets all.
  void clear();

  [[nodiscard]] const std::vector<Channel>& channels() const noexcept { return channels_; }
  /// Of the sends and receives of a process, in order: what is known of their other ends.
  [[nodiscard]] const std::vector<OtherEnd>& other_ends(ProcessIndex process) const {
    return processes_[process].other_ends;
  }
  /// Of a receive that is matched.
  [[nodiscard]] std::uint32_t channel_of(ProcessIndex receiver, std::uint32_t receive) const {
    return processes_[receiver].links[receive].channel;
  }
  /// Sends and receives of all processes.
  [[nodiscard]] std::size_t ends() const noexcept;
  /// Of each send of a channel: the number of its receive, or no_partner. Of a channel that is not known, as of first
  /// in, first out.
  [[nodiscard]] std::vector<std::uint32_t> receives_of_sends(std::size_t channel) const;
  /// The same for each end of the side with fewer: its partner.
  [[nodiscard]] std::vector<std::uint32_t> partners(std::size_t channel) const;
  /// Is it on a channel of which it is told?
  [[nodiscard]] bool knows(const Loss& loss) const;

  /// Both ends of each channel, or of those in which no receive overtakes another one.
  [[nodiscard]] std::vector<Sides> sides(bool in_order_only) const;
  /// The ends of a channel without steps of clocks and with turns, to be matched.
  [[nodiscard]] View view(std::size_t channel, const Steps& steps, const Turns& turns) const;

  /// The channel is matched so; nothing is told of it if that is not known.
  void settle(View& view);
  /// All channels on which no receive overtakes another one.
  void settle_first_in_first_out();
  /// How all were matched.
  void forget();
  /// In place of what was.
  void settle_again(View& view);
  /// By what happened before what, in place of what was.
  void settle_by_order(View& view);
  void settle_by_order(std::size_t channel, const Matched& matched);
  /// It has to stay as it is.
  void keep(std::size_t channel) { channels_[channel].by_order = true; }
  /// The receive and its send are left unmatched.
  void unpair(ProcessIndex receiver, std::uint32_t receive);

  /// The messages of all channels but that one.
  void put_into(Order& order, std::uint32_t without = Order::none) const;
  /// The ends without other end on the channels that are known. Their ends are present or missing then, those of others
  /// unknown. Forgets all else but which channels are known.
  [[nodiscard]] std::vector<Loss> tell();

 private:
  static constexpr std::uint32_t none = Order::none;
  /// Of an end: its channel, and of a receive: which end of the sender comes before it.
  struct Link {
    std::uint32_t channel = none;
    std::uint32_t send = none;
  };
  struct OfProcess {
    std::vector<OtherEnd> other_ends;
    std::vector<Link> links;
  };

  void settle(Channel& channel, const Matched& matched);
  void leave(Channel& channel);
  void forget(Channel& channel);
  void pair(const Channel& channel, const Placed& send, const Placed& receive);
  void tell(ProcessIndex process, const Channel& channel, const std::vector<Placed>& ends, bool lost_send,
            std::vector<Loss>& losses);

  HashMap<ChannelKey, std::uint32_t, ChannelKeyHash> index_;
  std::vector<Channel> channels_;
  std::vector<OfProcess> processes_;
  bool was_cut_ = false;
};

}  // namespace clc::lost
