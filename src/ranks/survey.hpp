// A first pass over the clocks of a rank: the number of messages of each channel, the number of operations of each
// member, and the ends that are needed before their clock comes to them.
//
// Purpose  A clock is read only while it does not wait. But what a begin belongs to is in the record of its end, and
//          between the two its clock may wait for what needs this begin. Parts of such operations are kept. Members
//          that send nothing are no tails: nobody needs to wait for their begins. If any event may wait for its cut
//          (clock/epochs.hpp), each event between the two counts.
// Cost     Memory for each channel, each member, each operation during which its clock receives or ends another, or
//          has other events that may wait, and each member that sends nothing where its begin could count.
#pragma once

#include <cstdint>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "ranks/channels.hpp"
#include "ranks/exchange.hpp"
#include "ranks/operations.hpp"
#include "ranks/own_clocks.hpp"
#include "trace/counted.hpp"

namespace clc::ranks {

/// The events of the clocks of a rank, read twice.
class Input {
 public:
  virtual ~Input() = default;
  /// The next event of a clock, in the order of input; false at its end.
  virtual bool next(ClockIndex clock, Event& event) = 0;
  /// All messages of a clock, which has no other edges and on which nothing depends on their order. False: it is not
  /// known that it is such a clock, and has to be read.
  virtual bool messages(ClockIndex /*clock*/, std::vector<CountedEvent>& /*all*/) { return false; }
  /// All clocks begin again.
  virtual void rewind() = 0;
};

/// A message between two processes of which no end is known to be missing.
[[nodiscard]] inline bool is_message(const Event& event) noexcept {
  return (event.role == Role::send || event.role == Role::receive) && event.peer != event.process &&
         event.other_end != OtherEnd::missing;
}
/// What links the begin and the end of an operation.
[[nodiscard]] inline Channel call_of(const Event& event) noexcept {
  return {event.process, no_process, no_communicator, event.tag};
}
/// All of a part but what its begin says.
[[nodiscard]] Item part_of(const Definitions& definitions, const Event& end, Rank member, std::uint64_t number);

class Survey {
 public:
  /// Keeps references. lines: gets the numbers of sends and receives; cuts: any event may wait.
  Survey(const Definitions& definitions, const OwnClocks& clocks, Operations& operations, Lines& lines, bool cuts)
      : parts{std::vector<ShortQueue<Item>>(clocks.size()), {}},
        definitions_(definitions),
        clocks_(clocks),
        operations_(operations),
        lines_(lines),
        cuts_(cuts) {}

  /// Reads all clocks to their ends. Throws InputError for a message without the name of its other process.
  void read(Input& input);

  struct OfMember {
    std::uint64_t ends = 0;
    Signature signature;
  };
  HashMap<Channel, OfMember, HashOfChannel> ends;  ///< by member and communicator
  struct Parts {
    std::vector<ShortQueue<Item>> early;  ///< by own clock: to be posted with their begins, by the index of these
    std::vector<Item> without_begin;      ///< to be posted at the start, also those that are absent
    /// Bytes. O(clocks).
    [[nodiscard]] std::uint64_t memory() const noexcept;
  };
  Parts parts;

 private:
  struct Begin {
    std::uint64_t index = 0;
    std::uint64_t waits = 0;
  };
  void read(ClockIndex clock, Input& input, ShortQueue<Item>& early);
  void read_end(const Event& end, std::uint64_t waits, ShortQueue<Item>& early);
  void read_message(const Event& event, Lines::Trail& trail);
  [[nodiscard]] Line& line_of(const Event& event, Lines::Trail& trail);

  const Definitions& definitions_;
  const OwnClocks& clocks_;
  Operations& operations_;
  Lines& lines_;
  bool cuts_;
  HashMap<Channel, Begin, HashOfChannel> begins_;
};

}  // namespace clc::ranks
