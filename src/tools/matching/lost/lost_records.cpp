#include "matching/lost/lost_records.hpp"

#include <algorithm>

#include "matching/lost/by_answers.hpp"
#include "matching/lost/by_precedence.hpp"
#include "matching/lost/by_trips.hpp"
#include "matching/lost/loose_channels.hpp"
#include "matching/lost/stream_rule.hpp"
#include "matching/lost/whole_matches.hpp"

namespace clc::matching {

void LostRecords::add(const Event& event, Time time) {
  const std::uint64_t order = ends_.records;
  ends_.add(event, time);
  if (!whole_) return;
  const MessageEnds::OfProcess& own = ends_.processes[event.process];
  if (event.role == Role::collective_begin) calls_.add_begin(event, order, own.latest);
  if (event.role == Role::collective_end) calls_.add(event, order, own.highest, own.latest, own.ends);
}

void LostRecords::find(const Definitions& definitions, Ticks min_delay, Ticks wait_limit, bool always) {
  ends_.channel_of = {};
  for (MessageEnds::Channel& channel : ends_.channels)
    channel.within_clock = definitions.share_a_clock(channel.sender, channel.receiver);
  if (whole_) match_whole_channels(definitions);
  ends_.sort_by_time();
  const bool judges = wait_limit > 0 && (always || ends_.lack_some());
  alone_.resize(ends_.processes.size());
  for (const std::uint32_t e : StreamRule(ends_, min_delay, wait_limit, definitions.processes().size()).find(judges)) {
    const MessageEnds::End& end = ends_.all[e];
    const MessageEnds::Channel& channel = ends_.channels[end.channel];
    alone_[ends_.process_of(end)].ends.push_back(end.nth);
    found_.push_back({!end.send, channel.sender, channel.receiver, channel.communicator, channel.tag, end.time});
  }
  for (OfProcess& own : alone_) std::sort(own.ends.begin(), own.ends.end());
  ends_ = {};
}

/// Those of which no receive overtakes another.
void LostRecords::match_whole_channels(const Definitions& definitions) {
  WholeMatches matches(ends_, definitions.processes().size());
  const bool lacks_calls = calls_.lack_some(definitions);
  matches.match_each();
  // Where nothing seems to be missing, each receive would come after its send.
  if (!matches.lack_some() && ByPrecedence(matches, calls_).has_circle()) matches.match_as_lacking();
  if (matches.lack_some()) ByAnswers(matches).match();
  if (matches.lack_some()) ByTrips(matches).match();
  if (matches.lack_some()) LooseChannels(matches).shift();
  if (lacks_calls || matches.lack_some()) {
    ByPrecedence by_precedence(matches, calls_);
    const Precedence precedence = by_precedence.match();
    calls_.find(matches.steps(), precedence, by_precedence.records_followed());
  }
  for (MessageEnds::End& end : ends_.all) end.alone &= matches.is_told(end.channel);
}

}  // namespace clc::matching
