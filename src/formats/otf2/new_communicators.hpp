// The communicators of a new archive. A trace may change the members of a communicator, an archive cannot: each list of
// members becomes a communicator of its own.
//
// Place    Filled by the sink while it takes records; settled when all have come; then asked for the routes of
//          messages.
// Shapes   A reference (OTF2_CommRef) is the index of a list of members, or of a communicator of all processes behind
//          them.
// Cost     A list of members takes a search table when a message first needs the rank of a process in it.
#pragma once

#include <otf2/otf2.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/indexes.hpp"
#include "trace/hash.hpp"

namespace clc::otf2 {

class NewCommunicators {
 public:
  /// The communicator has these members and delay from now on.
  void change(CommunicatorIndex communicator, const Communicator& given);
  /// The reference of its present members; those of `given` if there are none yet.
  OTF2_CommRef present(CommunicatorIndex communicator, const Communicator& given);

  /// All lists of members are known: gives them numbers. The first of a communicator keeps its number.
  void settle();
  /// Communicator and rank of the peer of a message between two processes that has the reference `which`.
  std::pair<OTF2_CommRef, std::uint32_t> route(ProcessIndex process, ProcessIndex peer, std::size_t which);

  /// The number of references, and of those with members of their own, which come first.
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] std::size_t lists() const noexcept { return lists_.size(); }
  [[nodiscard]] const Members& members(std::size_t which) const noexcept { return lists_[which].members; }
  [[nodiscard]] std::uint64_t number(std::size_t which) const noexcept { return entries_[which].number; }
  [[nodiscard]] Ticks min_delay(std::size_t which) const noexcept { return entries_[which].min_delay; }

  /// Lists of members that could not keep the number of their communicator.
  [[nodiscard]] std::uint64_t renumbered() const noexcept { return renumbered_; }
  /// Messages that were moved to a communicator of all processes, and those of them that lost their minimum delay.
  [[nodiscard]] std::uint64_t on_all() const noexcept { return on_all_; }
  [[nodiscard]] std::uint64_t lost_delays() const noexcept { return lost_delays_; }

 private:
  /// The members of a communicator for a while.
  struct List {
    std::uint64_t number = 0;
    CommunicatorIndex communicator = 0;
    Members members;
    Ticks min_delay = 0;
    std::optional<HashMap<ProcessIndex, Rank>> ranks;  ///< made when it is needed

    [[nodiscard]] std::optional<Rank> rank(ProcessIndex process);
  };
  struct Entry {
    std::uint64_t number;
    Ticks min_delay;
  };
  struct OfCommunicator {
    static constexpr std::uint32_t none = 0xffff'ffff;
    std::uint32_t present = none;                  ///< index in lists_
    bool changed = false;                          ///< it has had several lists
    Ticks shared_delay = 0;                        ///< of all its lists, 0 if they differ
    OTF2_CommRef everybody = OTF2_UNDEFINED_COMM;  ///< the one of all processes in its place
  };

  OfCommunicator& of(CommunicatorIndex communicator);
  void add(CommunicatorIndex communicator, const Communicator& given);
  std::uint64_t free_number();

  std::vector<List> lists_;
  std::vector<OfCommunicator> communicators_;
  std::vector<Entry> entries_;  ///< by reference
  std::set<std::uint64_t> used_;
  std::uint64_t lowest_free_ = 0;
  std::uint64_t renumbered_ = 0;
  std::uint64_t on_all_ = 0;
  std::uint64_t lost_delays_ = 0;
};

}  // namespace clc::otf2
