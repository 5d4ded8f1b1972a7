// The plain reference: the controlled logical clock over a whole trace in memory.
//
// Written from the equations [R alg. 2, 3, 4, 5] and the edge table of [L 3.4], slow and obvious: edges are
// explicit lists, every amortization touches every event of its interval, the hull is found by gift wrapping.
// It shares with the filter only the shape of the forward formulas, so that both agree to far below a tick.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "clc/parameters.hpp"
#include "clc/time.hpp"

namespace clc::test {

/// "tail happened at least mu ticks before head"; indexes of events in input order.
struct Edge {
  std::size_t tail = 0;
  std::size_t head = 0;
  Ticks mu = 1;

  friend bool operator==(const Edge&, const Edge&) = default;
};

/// What the clock makes of each event of a trace; vectors are indexed by input order.
struct Reference {
  // Where a clock was set back, with C^, its largest C so far, for C.
  std::vector<double> simple;      ///< E = LC - C
  std::vector<double> forward;     ///< D = LC' - C
  std::vector<double> jump;        ///< max(0, D_edge - D_local)
  std::vector<double> gamma;       ///< as used for the event; 2 where none was needed
  std::vector<double> amortized;   ///< LC^A - C
  std::vector<Time> written;       ///< C + floor(LC^A - C)
  std::vector<std::size_t> order;  ///< events in the order of their processing
  std::vector<Edge> edges;         ///< edges in force (not given up), in the order of their heads
  /// Edges of matched messages and of operations that all members finished that are not in force.
  std::vector<Edge> given_up;
  /// Edges in force that count nowhere: members of their operation disagreed on what it was, but only later.
  std::vector<Edge> disowned;
  double lowest_gamma = 1;
  double clock_difference = 0;  ///< cldiff at the end, ticks
  std::array<std::uint64_t, cases.size()> counters{};

  [[nodiscard]] std::uint64_t counted(Case which) const { return counters[static_cast<std::size_t>(which)]; }
};

/// Corrects a whole trace. Events are sorted by the running maxima of their clocks.
[[nodiscard]] Reference reference(const Parameters& parameters, const Definitions& definitions,
                                  std::span<const Event> events);

/// Where the amortization of a jump acts, beside its event R.
struct JumpWindow {
  double local = 0;    ///< D_local of R
  double length = 0;   ///< of the interval
  double barrier = 0;  ///< it begins no earlier, ticks after the trace's first event
};
/// Backward amortization [R alg. 5] of the forward times in result: LC^A - C of each event. events: with C^ as their
/// times; windows: of each event, used where it has a jump.
[[nodiscard]] std::vector<double> amortized(const Definitions& definitions, std::span<const Event> events,
                                            const Reference& result, std::span<const JumpWindow> windows);

/// The largest delta given for processes with that clock [R eq. 4.4], in ticks; none: that of the trace's records.
[[nodiscard]] std::optional<double> reference_delta(const Parameters& parameters, const Definitions& definitions,
                                                    ClockIndex clock);

/// mu of a message (or, with no bytes, of a collective edge) on a communicator, in ticks.
[[nodiscard]] Ticks reference_delay(const Parameters& parameters, const Definitions& definitions, ProcessIndex from,
                                    ProcessIndex to, std::uint64_t bytes, CommunicatorIndex communicator);

/// A point of the amortization diagram [R fig. 4.12]: x is LC^b, y what is added to it.
struct Point {
  long double x = 0;
  long double y = 0;
};
/// Value at x of the lower convex hull of points, of which the first has the smallest x and the last the largest.
[[nodiscard]] long double hull_at(std::span<const Point> points, long double x);

}  // namespace clc::test
