// A run of clc::Filter over a trace in memory, with everything that a caller may rely on checked on the way:
// each event leaves once, in the order of its process, with its recorded time and body; the output is sorted,
// ties in input order; notes leave in place. The last two unless the sink asks for less.
//
//     CLC_ORDER=epochs clc-test-paper      which figures of the thesis the order-free rules reach
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "clc/event.hpp"
#include "clc/filter.hpp"

namespace clc::test {

struct RunOptions {
  /// Not 0: events are pushed in runs of random length, notes stand between them, flush is called at random moments.
  std::uint64_t disturb = 0;
  /// What the sink asks for.
  EventSink::Order order = EventSink::Order::all;
  /// How much of what leaves the sink holds.
  std::size_t held = 0;
  /// So many bytes more in each body.
  std::size_t body_bytes = 0;
  /// What happens to the definitions ahead of events, by their index.
  std::multimap<std::size_t, std::function<void()>> changes = {};
  /// Ahead of the event with that index: the time that Filter::advance is called with; none: it is not called.
  std::function<std::optional<Time>(std::size_t)> proof = {};
  /// The recorded times with which events should leave; empty: those of the trace.
  std::span<const Event> taken = {};
};

struct Run {
  std::vector<Time> written;        ///< by input order
  std::vector<std::size_t> output;  ///< input order, by output order
  Analysis analysis;
  std::string fault;  ///< empty: none
};

[[nodiscard]] Run run_filter(const Parameters& parameters, const Definitions& definitions,
                             std::span<const Event> events, const RunOptions& options = {});

}  // namespace clc::test
