// What a trace says about its world: clock resolution, processes, nodes, communicators.
//
// Place    Filled by a source while it reads, read by the clock, the report and the sinks. Indexes
//          only grow: a process or communicator keeps its own for the whole run. Names, nodes, members and delays
//          may be replaced.
// Cost     Lookup by number is O(1).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "clc/event.hpp"
#include "clc/time.hpp"

namespace clc {

/// Index of a node (a host: processes on one node may have a smaller minimum message delay).
using NodeIndex = std::uint32_t;
inline constexpr NodeIndex no_node = 0xffff'ffff;

struct Process {
  std::uint64_t number = 0;  ///< as in the trace
  std::string name;
  NodeIndex node = no_node;
};

struct Communicator {
  std::uint64_t number = 0;           ///< as in the trace
  std::vector<ProcessIndex> members;  ///< by rank
  Ticks min_delay = 0;                ///< mu of all its edges; 0: that of the processes
  std::uint32_t changes = 0;          ///< how often members or delay were replaced by others
};

class Definitions {
 public:
  Resolution resolution;
  /// Minimum message delay measured when the trace was taken [R 7.2], in ticks.
  std::optional<Ticks> min_delay;

  /// Adds a process or, when the number is known, renames it. Returns its index.
  ProcessIndex add_process(std::uint64_t number, std::string_view name, std::string_view node = {});
  /// Adds a communicator or, when the number is known, replaces its members and delay. Returns its index. Throws
  /// UsageError for a member that was not added.
  CommunicatorIndex add_communicator(std::uint64_t number, std::vector<ProcessIndex> members, Ticks own_delay = 0);

  [[nodiscard]] std::optional<ProcessIndex> find_process(std::uint64_t number) const;
  /// How often the node of a process or something of a communicator was replaced by another.
  [[nodiscard]] std::uint64_t changes() const noexcept { return changes_; }

  [[nodiscard]] const std::deque<Process>& processes() const noexcept { return processes_; }
  [[nodiscard]] const std::deque<Communicator>& communicators() const noexcept { return communicators_; }
  [[nodiscard]] const std::vector<std::string>& nodes() const noexcept { return nodes_; }

 private:
  std::deque<Process> processes_;
  std::deque<Communicator> communicators_;
  std::vector<std::string> nodes_;
  std::unordered_map<std::uint64_t, ProcessIndex> process_by_number_;
  std::unordered_map<std::uint64_t, CommunicatorIndex> communicator_by_number_;
  std::unordered_map<std::string, NodeIndex> node_by_name_;
  std::uint64_t changes_ = 0;
};

}  // namespace clc
