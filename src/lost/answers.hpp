// Lost records: channels whose messages are answered, by messages the other way that tell how many are missing.
//
//     match_answered(matches, steps, turns);   // all channels are matched
//
// Rule      clc-algorithm(7), "Lost records", Match::whole: of a process that misses nothing of a channel, none is
//           missing of another one that takes turns with it, between the same processes, but where turns tell so.
// Cost      Proportional to the ends of the channels that lack some; those that are contradicted are matched once more.
#pragma once

#include "lost/matches.hpp"
#include "lost/steps.hpp"
#include "lost/turns.hpp"

namespace clc::lost {

/// Matches the channels once more that are contradicted.
void match_answered(Matches& matches, const Steps& steps, const Turns& turns);

}  // namespace clc::lost
