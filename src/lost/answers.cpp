#include "lost/answers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lost/rule.hpp"

namespace clc::lost {

namespace {

/// Does it go between the same processes, and has the one all that there is of it, as far as is known?
bool has_all(const Matches::Channel& channel, const Matches::Channel& other, ProcessIndex process) {
  if (&channel == &other || !other.in_order || !other.is_known || !other.in_first_out) return false;
  if (std::minmax(channel.sender, channel.receiver) != std::minmax(other.sender, other.receiver)) return false;
  return other.sender == process ? !other.lacks_sends() : other.sends.size() <= other.receives.size();
}

/// One end may have been lost alone, ahead of all that take turns.
bool are_contradicted(const std::vector<std::uint32_t>& partners, const std::vector<Range>& ranges) {
  std::optional<std::uint32_t> alone;
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    if (partners[k] == no_partner) continue;
    if (!alone) alone = partners[k] >= ranges[k].last ? 1 : 0;
    if (partners[k] >= ranges[k].last + *alone) return true;
  }
  return false;
}

}  // namespace

void match_answered(Matches& matches, const Steps& steps, const Turns& turns) {
  const std::vector<Matches::Channel>& channels = matches.channels();
  std::vector<View> again;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const Matches::Channel& channel = channels[c];
    if (!channel.in_order || !channel.is_known || !channel.lacks_ends() || !channel.has_ends_of_both()) continue;
    const ProcessIndex process = channel.lacks_sends() ? channel.sender : channel.receiver;
    const std::vector<std::uint32_t> counted = turns.count(c, channel.lacks_sends() ? 0 : 1, [&](std::size_t other) {
      return has_all(channel, channels[other], process);
    });
    std::vector<Range> ranges(counted.size());
    for (std::size_t k = 0; k < counted.size(); ++k) ranges[k].last = counted[k];
    if (!are_contradicted(matches.partners(c), ranges)) continue;
    again.push_back(matches.view(c, steps, turns));
    again.back().matched = match(again.back(), ranges);
  }
  for (View& view : again) matches.settle_again(view);
}

}  // namespace clc::lost
