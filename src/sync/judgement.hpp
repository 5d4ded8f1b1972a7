// What speaks for a fit and against it: the messages that its curves violate, the uncertainty of its offsets and rates,
// and whether clocks are better mapped by it than left as recorded.
//
// Place    While curves are sought and after; changes nothing.
// Units    Seconds, microseconds where a name says so.
// Cost     O(points), but for errors.hpp.
#pragma once

#include <optional>
#include <vector>

#include "sync/fit.hpp"

namespace clc::sync {

/// Of messages, as recorded or as mapped. errors: of each clock, which explain as much; seconds. Empty: none.
[[nodiscard]] Violations violations(const Fit& fit, bool mapped, const std::vector<double>& errors = {});

/// The sum of the violations of messages, which are given, and of measured round trips and offsets.
[[nodiscard]] double broken_us(const Fit& fit, Violations of_messages, bool mapped);

[[nodiscard]] SmallestDelays smallest_delays(const Fit& fit, bool mapped);
[[nodiscard]] SmallestDelays half_trips(const Fit& fit);

/// By how much the rate of a clock may differ from what is estimated.
[[nodiscard]] double rate_error(const Fit& fit);

/// Standard deviations of the offsets of all clocks. Infinity: not known.
[[nodiscard]] std::vector<double> offset_errors(const Fit& fit);

/// Are clocks to be mapped, because that breaks less, and those that only messages tell of are known better than
/// recorded ones are proved wrong? recorded: violations. errors: of the offsets.
[[nodiscard]] bool is_worth_it(const Fit& fit, const Violations& recorded, const std::vector<double>& errors);

/// Where neither recorded nor mapped times are contradicted: are the offsets known? estimate: of this fit, with the
/// violations and all clocks.
[[nodiscard]] bool tells_more(const Fit& fit, const Estimate& estimate);

/// The clock that would be mapped furthest beyond what rates explain, and what is not known better: a message's way.
/// None: all rates are those of clocks. clocks: as described.
[[nodiscard]] std::optional<ClockIndex> impossible_clock(const Fit& fit, const std::vector<ClockEstimate>& clocks);

}  // namespace clc::sync
