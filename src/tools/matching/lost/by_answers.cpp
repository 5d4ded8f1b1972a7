#include "matching/lost/by_answers.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace clc::matching {

/// As far as is known, the process misses none of its ends of the channel.
bool ByAnswers::is_complete_at(ProcessIndex process, std::uint32_t channel) const {
  if (!matches_[channel].in_order || !matches_.is_known(channel) || matches_[channel].has_shifts) return false;
  const std::int64_t more_sends = matches_.more_sends(channel);
  return channels_[channel].sender == process ? more_sends >= 0 : more_sends <= 0;
}

/// Of the side with fewer ends: the turns that answers count; none: there are no answers.
std::vector<std::uint32_t> ByAnswers::answered(std::uint32_t channel) const {
  const MessageEnds::Channel& own = channels_[channel];
  const bool lacks_sends = matches_.more_sends(channel) < 0;
  const ProcessIndex process = lacks_sends ? own.sender : own.receiver;
  return matches_.turns().of(2 * channel + (lacks_sends ? 0 : 1), [&](Turns::Side side) {
    const MessageEnds::Channel& its = channels_[side / 2];
    return side / 2 != channel && std::minmax(its.sender, its.receiver) == std::minmax(own.sender, own.receiver) &&
           is_complete_at(process, side / 2);
  });
}

/// Is a match beyond what turns tell, but for one end that was lost ahead of the first match?
bool ByAnswers::contradict(std::uint32_t channel, const std::vector<std::uint32_t>& turns) const {
  const bool lacks_sends = matches_.more_sends(channel) < 0;
  std::vector<std::int64_t> beyond;
  for (const auto& [send, receive] : matches_.pairs(channel)) {
    const auto& [own, partner] = lacks_sends ? std::tie(send, receive) : std::tie(receive, send);
    beyond.push_back(static_cast<std::int64_t>(partner) - (static_cast<std::int64_t>(turns[own]) - 1));
  }
  if (beyond.empty()) return false;
  const std::int64_t alone = std::clamp<std::int64_t>(beyond.front(), 0, 1);
  return std::ranges::any_of(beyond, [&](std::int64_t each) { return each > alone; });
}

void ByAnswers::match() {
  std::vector<std::pair<std::uint32_t, WholeMatches::Whole>> again;
  for (std::uint32_t c = 0; c < channels_.size(); ++c) {
    if (!matches_[c].in_order || !matches_.is_known(c) || !matches_.is_incomplete(c)) continue;
    const std::vector<std::uint32_t> turns = answered(c);
    if (turns.empty() || !contradict(c, turns)) continue;
    WholeMatches::Bounds bounds;
    for (const std::uint32_t turn : turns) bounds.emplace_back(0, turn);
    again.emplace_back(c, matches_.whole(c, bounds));
  }
  for (const auto& [c, whole] : again) matches_.settle(c, whole);
}

}  // namespace clc::matching
