// Turns events into edges: matches messages and collective operations.
//
// Place    First pass, before the collector. Independent of the clock's matching: it has no wait limit and keeps
//          unmatched events to the end.
// Rules    Those of trace/channel.hpp. Ends that do not name their peer match by communicator and tag.
// Lengths  What the length of a message adds to its minimum delay counts as before the send [R 5.1].
// Lost     A trace that lacks records is read again. The first reading has counted the ends of each channel that lack
//          their other end. As many are left unmatched: those recorded before the first record of the process at the
//          other end; receives whose match contradicts earlier edges; and sends if the next one was sent as well and
//          its delay is usual. Channels of which Event::other_end tells what is missing need none of that. Edges that
//          contradict earlier ones do not count.
// Cost     One lookup per send and receive; memory proportional to the unmatched events and to the channels. Where
//          there are many, those in which all is matched are forgotten.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/indexes.hpp"
#include "sync/calls.hpp"
#include "sync/collector.hpp"
#include "sync/consistency.hpp"
#include "sync/records.hpp"
#include "trace/channel.hpp"
#include "trace/delay.hpp"
#include "trace/flat_map.hpp"
#include "trace/pending.hpp"

namespace clc {
struct Event;
}

namespace clc::sync {

class Matcher {
 public:
  /// definitions: of the events; they may grow.
  Matcher(const Definitions& definitions, Collector& collector, Transfer transfer = {})
      : definitions_(definitions),
        collector_(collector),
        transfer_(transfer),
        records_(definitions),
        calls_(definitions),
        operations_(definitions) {}
  /// Reads a trace again. earlier: has read it; must outlive this.
  Matcher(const Definitions& definitions, Collector& collector, const Matcher& earlier)
      : Matcher(definitions, collector, earlier.transfer_) {
    earlier_ = &earlier;
    consistency_.emplace(earlier.records_.coarsest_tick());
  }

  /// The events of each process in order; a send and its receive in any order.
  void add(const Event& event);

  /// Forgets the events before a time that have no partner so far: it would come too late. Partners of others are
  /// found as before; a channel in which nothing is left starts anew. Cost: of all channels.
  void forget_before(Time time);

  [[nodiscard]] const Records& records() const noexcept { return records_; }
  /// Does a send or receive lack its other end so far?
  [[nodiscard]] bool lacks_ends() const noexcept { return lacking_ends() != 0; }
  /// Sends and receives that lack their other end so far.
  [[nodiscard]] std::size_t lacking_ends() const noexcept;
  /// Are there collective operations that some members have not finished, or of which they disagree?
  [[nodiscard]] bool lacks_calls() const noexcept { return operations_.lack_calls(); }
  /// Channels of a trace that is read again that contradict others although they lack no further end.
  [[nodiscard]] std::size_t contradicting() const noexcept { return contradicting_; }

 private:
  struct Side {
    Time time;
    ClockIndex clock;
    bool waited;
  };
  /// A MessageChannel whose numbers shift where an end was lost.
  struct alignas(64) Channel {  // of the cache
    ChannelKey key;
    ChannelNumbers numbers;
    std::size_t lone_sends = 0;     ///< still to be left unmatched
    std::size_t lone_receives = 0;  ///< the same
    Pending<Side> unmatched_sends;
    Pending<Side> unmatched_receives;
    std::optional<Side> last;  ///< receive that was matched; kept while there are lone sends
    bool contradicts = false;  ///< others

    [[nodiscard]] bool has_ends() const noexcept { return !unmatched_sends.empty() || !unmatched_receives.empty(); }
    [[nodiscard]] bool lacks_ends() const noexcept { return lone_sends > 0 || lone_receives > 0; }
  };
  static constexpr std::size_t recent_channels = 4096;
  static constexpr std::size_t least_forgotten = std::size_t{1} << 16U;  ///< channels: fewer are kept

  template <class IsKept>
  void retain(IsKept is_kept);
  void forget_matched();
  void message(const Event& event, const Side& side);
  [[nodiscard]] Channel& channel_of(const ChannelKey& key);
  [[nodiscard]] Channel& new_channel(const ChannelKey& key);
  [[nodiscard]] const Channel* known_channel(const ChannelKey& key) const noexcept;
  /// Was its other end lost before the first record of that process?
  [[nodiscard]] bool comes_early(Channel& channel, const Event& event) const;
  void match(Channel& channel, std::uint64_t number, const Side& side, bool sends);
  void collective_end(const Event& event, Records::OfProcess& process);
  /// Leaves out sends that were lost on the other side, if the receive can be that of a later one. Returns its number.
  std::uint64_t skip_sends(Channel& channel, std::uint64_t number, const Side& receive);
  /// The same where the later send is read after the receive has got an earlier one.
  bool takes_last(Channel& channel, const Side& send);
  [[nodiscard]] Edge edge_of(const Side& send, const Side& receive) const;
  /// False: the edge contradicts others.
  bool edge(const Side& send, const Side& receive);
  [[nodiscard]] ClockIndex clock_of(ProcessIndex process) const;

  const Definitions& definitions_;
  Collector& collector_;
  Transfer transfer_;
  Records records_;
  MemberCalls calls_;
  OpenOperations operations_;
  const Matcher* earlier_ = nullptr;
  std::optional<Consistency> consistency_;
  std::size_t contradicting_ = 0;
  std::vector<Channel> channels_;
  std::size_t most_channels_ = least_forgotten;                ///< with more, some are forgotten
  std::array<std::uint32_t, recent_channels> recent_{};        ///< places of channels that may come again
  FlatMap<ChannelKey, std::uint32_t, ChannelKeyHash> places_;  // of channels
};

}  // namespace clc::sync
