// Whether a run begins again, because its messages can be matched better than they were: records seem to be missing,
// which --match whole finds, or none are missing after all.
//
// Place    After the clock has read the whole trace, and before the output gets its name.
// Cost     At most one more reading of the trace, by the search for lost records.
#pragma once

#include <optional>

#include "clc/analysis.hpp"
#include "filter/options.hpp"
#include "filter/reading.hpp"
#include "lost/search.hpp"

namespace clc::filter {

/// Nobody has seen what was written so far, or it can be taken back; and each input can be read again.
[[nodiscard]] bool can_start_again(const Options& options, bool can_be_taken_back);
/// Records seem to be missing, of which more are found if the trace is read first.
[[nodiscard]] bool would_search(const Options& options, const Analysis& analysis, const Outcome& outcome);
/// How messages would be matched otherwise, and rightly, if the input was read again; none: they would not.
[[nodiscard]] std::optional<Match> better_match(const Options& options, const Analysis& analysis,
                                                const Outcome& outcome, lost::Search& lost);

}  // namespace clc::filter
