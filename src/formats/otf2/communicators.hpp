// The communicators of an archive: those that it defines, and those that its events imply, which become definitions
// when they occur first.
//
// Place    Part of Archive.
// Memory   Communicators of the same groups share the lists of their members.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "clc/definitions.hpp"
#include "trace/hash.hpp"

namespace clc {

class Archive;

namespace otf2 {

/// Collects communicators that are defined during reading, as lines of the text format.
using NewLines = std::vector<std::string>;

/// "%group NUMBER MEMBERS..."
[[nodiscard]] std::string group_line(const Definitions& definitions, const Communicator& communicator);

/// The locations of the ranks of a communicator.
struct Ranks {
  enum class Kind : std::uint8_t { plain, self, inter };
  Kind kind = Kind::plain;
  CommunicatorIndex index = no_communicator;
  Members group;                                      ///< plain: members by rank; inter: group A
  Members remote;                                     ///< inter: group B
  std::shared_ptr<const std::vector<bool>> in_group;  ///< inter: by process
  bool threads = false;                               ///< of one process
  /// The processes of the ranks in messages of a process.
  [[nodiscard]] std::span<const ProcessIndex> peers_of(ProcessIndex process) const {
    if (kind != Kind::inter) [[likely]]
      return group.list();
    // On an inter-communicator, ranks are those of the other group.
    return (in_group->at(process) ? remote : group).list();
  }
};

class Communicators {
 public:
  explicit Communicators(Archive& archive) : archive_(archive) {}

  void define(OTF2_CommRef communicator, Ranks ranks) { ranks_[communicator] = std::move(ranks); }
  void define_window(OTF2_RmaWinRef window, OTF2_CommRef communicator) { windows_[window] = communicator; }
  void define_group(OTF2_GroupRef group, const Members& members) { window_groups_[group] = members; }
  [[nodiscard]] bool has_windows() const noexcept { return !windows_.empty(); }
  /// The members of the first group, and behind them those of the second that are not among them. Communicators of the
  /// same groups share the list.
  [[nodiscard]] const Members& joined(const Members& first, const Members& second);
  /// Bytes of the definitions.
  [[nodiscard]] std::uint64_t memory() const noexcept;

  [[nodiscard]] const Ranks* ranks(OTF2_CommRef communicator) const noexcept {
    // One and the same, mostly.
    return last_ranks_ != nullptr && communicator == last_communicator_ ? last_ranks_ : find_ranks(communicator);
  }
  /// The members of a group, in archives with windows; null: unknown.
  [[nodiscard]] const Members* window_group(OTF2_GroupRef group) const noexcept {
    const auto found = window_groups_.find(group);
    return found == window_groups_.end() ? nullptr : &found->second;
  }
  /// The process of a rank of a window; no_process: none.
  [[nodiscard]] ProcessIndex window_rank(OTF2_RmaWinRef window, std::uint32_t rank) const noexcept;

  /// Whether a process is in the communicator of a window.
  [[nodiscard]] bool is_in_window(OTF2_RmaWinRef window, ProcessIndex process);

  // Those that the archive implies; a new one is added to lines.

  /// A single location, for MPI_COMM_SELF.
  CommunicatorIndex self(OTF2_CommRef communicator, ProcessIndex process, NewLines& lines);
  /// The first members of a team of threads.
  CommunicatorIndex team(OTF2_CommRef team, std::uint32_t size, NewLines& lines);
  /// All threads of a process, for their locks.
  CommunicatorIndex lock(OTF2_LocationGroupRef group, OTF2_Paradigm paradigm, NewLines& lines);
  /// For non-blocking operations on a communicator, in the order of their requests.
  CommunicatorIndex request(OTF2_CommRef communicator, std::uint64_t number, NewLines& lines);
  /// The members of the communicator of a window; no_communicator: unknown.
  CommunicatorIndex window(OTF2_RmaWinRef window, NewLines& lines);
  /// A group that synchronizes on a window; no_communicator: unknown, or without the process.
  CommunicatorIndex group(OTF2_RmaWinRef window, OTF2_GroupRef group, ProcessIndex process, NewLines& lines);
  /// All members of an inter-communicator, for data from the first group to the second, or the other way round. The
  /// senders have the lower ranks.
  CommunicatorIndex direction(OTF2_CommRef communicator, bool first_sends, NewLines& lines);

  /// Sets a function to be called before reading adds a communicator. If it throws, rethrow throws that again.
  void on_definitions(std::function<void()> call) { before_change_ = std::move(call); }
  /// To be called after a call of libotf2, because no exception may pass through libotf2.
  void rethrow() const {
    if (stopped_) [[unlikely]]
      std::rethrow_exception(stopped_);
  }

 private:
  /// A communicator that the archive does not define; members() returns its members at first use.
  template <class Members>
  CommunicatorIndex derived(std::uint64_t number, Members members, Ticks min_delay, NewLines& lines);
  /// group: of window_groups_.
  [[nodiscard]] bool is_member(const Members& group, ProcessIndex process);
  [[nodiscard]] const Ranks* find_ranks(OTF2_CommRef communicator) const noexcept;

  Archive& archive_;
  HashMap<OTF2_CommRef, Ranks> ranks_;
  mutable OTF2_CommRef last_communicator_ = OTF2_UNDEFINED_COMM;
  mutable const Ranks* last_ranks_ = nullptr;
  HashMap<std::uint64_t, CommunicatorIndex> derived_;  ///< by number
  HashMap<OTF2_RmaWinRef, OTF2_CommRef> windows_;
  HashMap<OTF2_GroupRef, Members> window_groups_;                                  ///< when there are windows
  std::map<std::pair<const ProcessIndex*, const ProcessIndex*>, Members> joined_;  ///< by the lists of the groups
  std::map<const ProcessIndex*, std::vector<ProcessIndex>> sorted_;  ///< by list of a group; empty: that is sorted
  std::function<void()> before_change_;                              ///< called before definitions change
  std::exception_ptr stopped_;                                       ///< thrown by that function
};

}  // namespace otf2

}  // namespace clc
