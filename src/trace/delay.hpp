// Minimum message delays mu(k, i) in ticks: default, per node, per pair, per length. Communicators with a delay of
// their own (threads of one process) are exempt.
//
// Source   mu >= 1 tick [R eq. 4.5]; length-dependent part bytes/bandwidth [R 5.1].
// Cost     O(1); O(log(pairs)) with pairs; no lookup without nodes and pairs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/indexes.hpp"
#include "clc/parameters.hpp"
#include "clc/time.hpp"
#include "trace/flat_map.hpp"

namespace clc {

/// The part of a message's mu that depends on its length.
class Transfer {
 public:
  Transfer() = default;  ///< none
  Transfer(std::optional<double> bandwidth_mb_s, Resolution resolution)
      : ticks_per_byte_(bandwidth_mb_s ? static_cast<double>(resolution.per_second()) / (*bandwidth_mb_s * 1e6) : 0) {}

  [[nodiscard]] bool is_none() const noexcept { return ticks_per_byte_ == 0; }
  /// Ticks, rounded up.
  [[nodiscard]] Ticks of(std::uint64_t bytes) const noexcept;

 private:
  double ticks_per_byte_ = 0;
};

class DelayModel {
 public:
  /// Reads resolution and minimum delays of the definitions at once, nodes and processes at each query. Pairs may name
  /// processes that are defined later.
  DelayModel(const Parameters& parameters, const Definitions& definitions);

  /// The same mu for all edges.
  explicit DelayModel(Ticks uniform) noexcept : default_(uniform), node_(uniform), largest_(uniform) {}

  /// mu of all edges of a communicator with a delay of its own, else 0.
  [[nodiscard]] Ticks own(CommunicatorIndex communicator) const noexcept {
    const auto& all = definitions_->communicators();
    return communicator < all.size() ? all[communicator].min_delay : 0;
  }
  /// True for the delays of a single communicator with a delay of its own, which do not apply to messages.
  [[nodiscard]] bool of_communicator() const noexcept { return definitions_ == nullptr; }
  [[nodiscard]] bool knows(ProcessIndex process) const { return process < definitions_->processes().size(); }
  [[nodiscard]] bool knows_communicator(CommunicatorIndex communicator) const {
    return communicator < definitions_->communicators().size();
  }
  /// True if the processes share a clock: an edge between them orders nothing.
  [[nodiscard]] bool share_a_clock(ProcessIndex a, ProcessIndex b) const { return definitions_->share_a_clock(a, b); }
  /// A process and its node, now or at the time that counts.
  struct Place {
    ProcessIndex process;
    NodeIndex node;
  };
  /// mu of a collective edge.
  [[nodiscard]] Ticks between(Place from, Place to) const {
    if (uniform_) [[likely]]
      return default_;
    return special(from, to);
  }
  /// mu of a message without length, for the current nodes of the processes.
  [[nodiscard]] Ticks between(ProcessIndex from, ProcessIndex to) const {
    return between(Place{from, node_of(from)}, Place{to, node_of(to)});
  }
  /// mu of a message of the given length, for the current nodes of the processes.
  [[nodiscard]] Ticks message(ProcessIndex from, ProcessIndex to, std::uint64_t bytes) const {
    return message(Place{from, node_of(from)}, Place{to, node_of(to)}, bytes);
  }
  /// The same for given places.
  [[nodiscard]] Ticks message(Place from, Place to, std::uint64_t bytes) const {
    const Ticks base = between(from, to);
    if (transfer_.is_none()) [[likely]]
      return base;
    return add_saturating(base, transfer(bytes));
  }
  /// The part of a message's mu that depends on its length.
  [[nodiscard]] Ticks transfer(std::uint64_t bytes) const noexcept { return transfer_.of(bytes); }

  /// True if every pair has the default delay (apart from the length of messages).
  [[nodiscard]] bool uniform() const noexcept { return uniform_; }
  /// True if mu depends on the length of messages.
  [[nodiscard]] bool by_length() const noexcept { return !transfer_.is_none(); }
  /// mu between processes of different nodes that have no entry of their own.
  [[nodiscard]] Ticks default_delay() const noexcept { return default_; }
  /// mu within a node; default_delay() if unset.
  [[nodiscard]] Ticks node_delay() const noexcept { return node_; }
  [[nodiscard]] bool has_pairs() const noexcept { return !pairs_.empty(); }
  /// An entry for one ordered pair, by process numbers.
  struct Pair {
    std::uint64_t from;
    std::uint64_t to;
    Ticks delay;
  };
  /// All entries, sorted by (to, from), each pair once.
  [[nodiscard]] const std::vector<Pair>& pairs() const noexcept { return pairs_; }
  /// True if mu(from, to) has an entry of its own.
  [[nodiscard]] bool is_pair(ProcessIndex from, ProcessIndex to) const;
  /// True if some mu(i, to) has.
  [[nodiscard]] bool is_pair_to(ProcessIndex to) const;
  /// True if some mu(from, i) has.
  [[nodiscard]] bool is_pair_from(ProcessIndex from) const;
  /// The largest of all delays, including those of pairs and nodes, without the part of the length.
  [[nodiscard]] Ticks largest() const noexcept { return largest_; }
  /// Number of a process in the trace, as pairs() names it.
  [[nodiscard]] std::uint64_t number_of(ProcessIndex process) const {
    return definitions_->processes()[process].number;
  }
  /// Current node of a process; no_node if it is unknown or nodes make no difference. Processes that share a clock are
  /// on one node.
  [[nodiscard]] NodeIndex node_of(ProcessIndex process) const {
    return node_matters_ ? definitions_->processes()[definitions_->processes()[process].clock].node : no_node;
  }
  /// The same at the time when Definitions::node_changes() was `changes`.
  [[nodiscard]] NodeIndex node_of(ProcessIndex process, std::uint64_t changes) const {
    return node_matters_ ? definitions_->node_of(definitions_->processes()[process].clock, changes) : no_node;
  }

 private:
  [[nodiscard]] Ticks special(Place from, Place to) const;
  [[nodiscard]] const Ticks* pair_entry(ProcessIndex from, ProcessIndex to) const;

  const Definitions* definitions_ = nullptr;
  bool uniform_ = true;
  bool node_matters_ = false;
  Ticks default_ = 1;
  Ticks node_ = 1;
  Ticks largest_ = 1;
  Transfer transfer_;
  std::vector<Pair> pairs_;             // sorted by receiver, then sender: process numbers
  std::vector<std::uint64_t> senders_;  // of the pairs, sorted
};

}  // namespace clc
