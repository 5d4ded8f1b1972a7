// Ends of messages in the order in which they were announced, in whatever order they come.
//
// Place    In the Matcher, for ends that do not name their peer. All processes share such a channel, so their order
//          decides what matches. Two traces are paired in an order of neither; the recorded trace has the right one.
// Protocol expect announces each end. Those of a process come, or are left out, in the order of their announcement.
// Memory   Ends that were announced and are not yet passed on.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "clc/indexes.hpp"
#include "trace/hash.hpp"

namespace clc::matching {

/// Key: of a channel, with its Hash. End: what is kept of an end.
template <class Key, class Hash, class End>
class ExpectedOrder {
 public:
  void expect(ProcessIndex process, const Key& key) {
    if (processes_.size() <= process) processes_.resize(process + std::size_t{1});
    Channel& channel = channels_[key];
    processes_[process].push_back({key, channel.first + channel.turns.size()});
    channel.turns.emplace_back();
  }
  /// Whether an end of the process is announced and has not come.
  [[nodiscard]] bool expects(ProcessIndex process) const noexcept {
    return process < processes_.size() && !processes_[process].empty();
  }
  /// The next announced end of the process has come; none: it is left out. Passes on all whose turn it is.
  template <class PassOn>
  void come(ProcessIndex process, const std::optional<End>& end, const PassOn& pass_on) {
    const auto [key, number] = processes_[process].front();
    processes_[process].pop_front();
    Channel& channel = channels_.find(key)->second;
    channel.turns[number - channel.first] = {true, end};
    for (; !channel.turns.empty() && channel.turns.front().decided; ++channel.first) {
      if (channel.turns.front().end) pass_on(key, *channel.turns.front().end);
      channel.turns.pop_front();
    }
    if (channel.turns.empty()) channels_.erase(key);
  }
  /// Nothing more comes: passes on the rest.
  template <class PassOn>
  void finish(const PassOn& pass_on) {
    // The order of channels must not depend on the hash function.
    for (const auto& turns : std::exchange(processes_, {}))
      for (const auto& [key, number] : turns) {
        const auto found = channels_.find(key);
        if (found == channels_.end()) continue;
        for (const Turn& turn : found->second.turns)
          if (turn.end) pass_on(key, *turn.end);
        channels_.erase(found);
      }
  }

 private:
  struct Turn {
    bool decided = false;    ///< it has come or is left out
    std::optional<End> end;  ///< it has come
  };
  struct Channel {
    std::uint64_t first = 0;  ///< number of the first turn
    std::deque<Turn> turns;
  };
  HashMap<Key, Channel, Hash> channels_;                              ///< in which turns are open
  std::vector<std::deque<std::pair<Key, std::uint64_t>>> processes_;  ///< channel and number of each open turn
};

}  // namespace clc::matching
