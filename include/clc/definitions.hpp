// The definitions of a trace: clock resolution, processes, nodes, communicators.
//
// Place    Filled by a source while it reads; used by the clock, the report and the sinks. A process
//          or communicator keeps its index for the whole run. Names, nodes, members and delays may
//          be replaced.
// Cost     Lookup by number is O(1), lookup of an earlier node O(log(changes)). A communicator takes about 80 bytes
//          and 4 for each member; a process takes 80 and its name; a change of its node takes 16.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clc/indexes.hpp"
#include "clc/time.hpp"

namespace clc {

/// Index of a node (a host). Processes on the same node may have a smaller minimum message delay.
using NodeIndex = std::uint32_t;
inline constexpr NodeIndex no_node = 0xffff'ffff;

struct Process {
  std::uint64_t number = 0;  ///< as in the trace
  std::string name;
  NodeIndex node = no_node;
  ClockIndex clock = 0;  ///< the first process that uses the same clock; never changes
};

/// Which processes share a clock.
enum class ClockOf : std::uint8_t {
  process,   ///< the locations of a process, as the trace defines them
  location,  ///< none: each location has its own clock
  node,      ///< also all processes of a node
};

/// The members of a communicator, by rank. Copies share storage: many communicators may have the same large group, even
/// communicators of Definitions in other threads.
class Members {
 public:
  Members() = default;
  Members(const std::vector<ProcessIndex>& list);  // NOLINT(google-explicit-constructor): a list of members is meant
  Members(std::initializer_list<ProcessIndex> list) : Members(std::vector<ProcessIndex>(list)) {}
  Members(const Members& other) noexcept : shared_(other.shared_) {
    if (shared_ != nullptr) shared_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  Members(Members&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
  Members& operator=(Members other) noexcept {
    std::swap(shared_, other.shared_);
    return *this;
  }
  ~Members() {
    if (shared_ != nullptr && shared_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) free(shared_);
  }

  [[nodiscard]] std::span<const ProcessIndex> list() const noexcept {
    if (shared_ == nullptr) return {};
    return {shared_->list(), shared_->size};
  }
  [[nodiscard]] std::size_t size() const noexcept { return list().size(); }
  [[nodiscard]] bool empty() const noexcept { return shared_ == nullptr; }
  [[nodiscard]] auto begin() const noexcept { return list().begin(); }
  [[nodiscard]] auto end() const noexcept { return list().end(); }
  [[nodiscard]] ProcessIndex operator[](std::size_t rank) const noexcept { return list()[rank]; }
  [[nodiscard]] ProcessIndex front() const noexcept { return list().front(); }
  /// True if all members have indexes less than `processes`, and none occurs twice.
  [[nodiscard]] bool below(std::size_t processes) const noexcept {
    return shared_ == nullptr || shared_->largest < processes;
  }

  friend bool operator==(const Members& a, const Members& b) noexcept {
    return a.shared_ == b.shared_ || std::ranges::equal(a.list(), b.list());
  }

 private:
  friend class Definitions;
  /// Followed by the list.
  struct Shared {
    std::atomic<std::uint32_t> owners{1};
    std::uint32_t size = 0;
    ProcessIndex largest = 0;  ///< no_process: a member occurs twice
    /// That have this list: while there are any, it counts in memory() of the Definitions that had it first.
    std::atomic<std::uint32_t> communicators{0};
    [[nodiscard]] const ProcessIndex* list() const noexcept { return reinterpret_cast<const ProcessIndex*>(this + 1); }
    [[nodiscard]] ProcessIndex* list() noexcept { return reinterpret_cast<ProcessIndex*>(this + 1); }
  };
  static void free(Shared* shared) noexcept;
  Shared* shared_ = nullptr;  ///< null: empty
};

struct Communicator {
  std::uint64_t number = 0;   ///< as in the trace
  Members members;            ///< by rank
  Ticks min_delay = 0;        ///< mu of all its edges; 0: that of the processes
  std::uint32_t changes = 0;  ///< how many times members or delay were replaced
};

class Definitions {
 public:
  Resolution resolution;
  /// Minimum message delay measured when the trace was taken [R 7.2], in ticks.
  std::optional<Ticks> min_delay;
  /// The same within a node; unset: no separate value.
  std::optional<Ticks> node_min_delay;
  /// Applies to processes that are added later.
  ClockOf clock_of = ClockOf::process;
  /// The largest minimum delay of communicators whose redefinition was read but may not be in effect yet, because
  /// records before it are still to come. Set by the source.
  Ticks largest_delay_to_come = 0;

  /// Adds a process or, if the number is known, renames it. Returns its index. clock: an existing process whose clock
  /// the new one shares; none: it has its own clock. Throws UsageError if that process was not added.
  ProcessIndex add_process(std::uint64_t number, std::string_view name, std::string_view node = {},
                           std::optional<ProcessIndex> clock = {});
  /// Adds a communicator or, if the number is known, replaces its members and delay. own_delay: the minimum delay of
  /// its messages, ticks; 0: that of their processes. Returns its index. Throws UsageError for an unknown member or a
  /// negative delay.
  CommunicatorIndex add_communicator(std::uint64_t number, Members members, Ticks own_delay = 0);
  /// Adds the processes, nodes and communicators that `other` has in addition. This object must be empty or consist of
  /// what `other` had before; replacements made in `other` are not copied. Members count in other.memory() only.
  void grow(const Definitions& other);
  /// Replaces the members and the delay of a communicator by those of other Definitions, whose memory() includes them.
  void replace(CommunicatorIndex communicator, const Members& members, Ticks own_delay);

  [[nodiscard]] std::optional<ProcessIndex> find_process(std::uint64_t number) const;
  [[nodiscard]] std::optional<CommunicatorIndex> find_communicator(std::uint64_t number) const;
  /// Bytes that the definitions take, those of the source included.
  [[nodiscard]] std::uint64_t memory() const noexcept;
  /// Additional bytes that the source needs for definitions, such as tables of numbers and the names of regions. Set by
  /// the source.
  std::uint64_t source_memory = 0;
  /// How many times the node of a process, or the members or delay of a communicator, were replaced.
  [[nodiscard]] std::uint64_t changes() const noexcept { return changes_; }
  /// How many times the node of a process was replaced.
  [[nodiscard]] std::uint64_t node_changes() const noexcept { return node_changes_; }
  /// The node of a process when node_changes() was `changes`.
  [[nodiscard]] NodeIndex node_of(ProcessIndex process, std::uint64_t changes) const noexcept {
    return changes == node_changes_ ? processes_[process].node : earlier_node(process, changes);
  }
  /// True if some processes share a clock.
  [[nodiscard]] bool shares_clocks() const noexcept { return clocks_ < processes_.size(); }
  [[nodiscard]] std::size_t clocks() const noexcept { return clocks_; }
  /// Number of clocks of the processes for which takes_part(process) is true.
  template <class TakesPart>
  [[nodiscard]] std::uint64_t clocks_of(TakesPart takes_part) const {
    std::vector<bool> seen(processes_.size());
    std::uint64_t count = 0;
    for (ProcessIndex process = 0; process < processes_.size(); ++process) {
      const ClockIndex clock = processes_[process].clock;
      if (seen[clock] || !takes_part(process)) continue;
      seen[clock] = true;
      ++count;
    }
    return count;
  }
  [[nodiscard]] bool share_a_clock(ProcessIndex a, ProcessIndex b) const {
    return a == b || (shares_clocks() && processes_[a].clock == processes_[b].clock);
  }

  [[nodiscard]] const std::deque<Process>& processes() const noexcept { return processes_; }
  [[nodiscard]] const std::deque<Communicator>& communicators() const noexcept { return communicators_; }
  [[nodiscard]] const std::vector<std::string>& nodes() const noexcept { return nodes_; }

 private:
  /// Finds indexes by numbers and names.
  class Lookup {
   public:
    struct Tables;
    Lookup();
    Lookup(const Lookup& other);
    Lookup(Lookup&& other) noexcept;
    Lookup& operator=(Lookup other) noexcept;
    ~Lookup();
    [[nodiscard]] Tables* operator->() const noexcept { return tables_.get(); }

   private:
    std::unique_ptr<Tables> tables_;
  };
  void count(const Members& added, const Members& replaced) noexcept;
  void change_node(ProcessIndex process, NodeIndex node);
  [[nodiscard]] NodeIndex earlier_node(ProcessIndex process, std::uint64_t changes) const noexcept;

  std::deque<Process> processes_;
  std::deque<Communicator> communicators_;
  std::vector<std::string> nodes_;
  std::vector<ClockIndex> node_clocks_;  ///< clock of the first process of each node; no_process: no process yet
  std::size_t clocks_ = 0;
  Lookup lookup_;
  std::uint64_t changes_ = 0;
  std::uint64_t node_changes_ = 0;
  std::uint64_t content_memory_ = 0;  ///< bytes of names and members
};

}  // namespace clc
