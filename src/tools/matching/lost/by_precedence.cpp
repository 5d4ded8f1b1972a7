#include "matching/lost/by_precedence.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace clc::matching {

ByPrecedence::ByPrecedence(WholeMatches& matches, LostCalls& calls)
    : matches_(matches), calls_(calls), ends_(matches.ends()), records_(calls.marks_read()) {
  for (const MessageEnds::OfProcess& own : ends_.processes) records_ += own.ends;
}

/// It counts then.
bool ByPrecedence::follows_again() {
  const bool may = may_follow_again();
  if (may) looks_ += looks_at_all();
  return may;
}

Precedence ByPrecedence::match() {
  Followed all = without_circles();
  return match_irregular(all) ? without_circles().precedence : std::move(all.precedence);
}

ByPrecedence::Followed ByPrecedence::without_circles() {
  for (;;) {
    Followed all = follow(matches_.partners());
    const std::vector<std::uint32_t> doubtful = forget_circles(all);
    if (doubtful.empty()) return all;
    match_one_again(doubtful);
  }
}

/// Sends, receives, and begins and ends of calls. partners: of receives.
ByPrecedence::Followed ByPrecedence::follow(const std::vector<std::uint32_t>& partners) {
  Followed all;
  std::vector<LostCalls::Mark> records = calls_.marks();
  std::vector<Record> of(ends_.all.size());
  for (std::uint32_t e = 0; e < ends_.all.size(); ++e) {
    const MessageEnds::End& end = ends_.all[e];
    records.push_back({end.order, ends_.process_of(end), &of[e]});
  }
  std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.order < b.order; });
  for (const LostCalls::Mark& record : records) *record.record = all.precedence.add(record.process);
  all.end_of.assign(records.size(), WholeMatches::none);
  for (std::uint32_t e = 0; e < ends_.all.size(); ++e) {
    all.end_of[of[e]] = e;
    if (partners[e] != WholeMatches::none) all.precedence.put_behind(of[e], of[partners[e]]);
  }
  calls_.put_into(all.precedence);
  return all;
}

/// A message cannot be received before it was sent, round no circle of messages and operations. The channels of a
/// circle one of which has to be matched once more; none: of the messages of each circle that are not matched first in,
/// first out, the one whose channel gains least by that was left unmatched.
std::vector<std::uint32_t> ByPrecedence::forget_circles(Followed& all) {
  auto& [precedence, end_of] = all;
  for (auto circle = precedence.circle(); !circle.empty(); circle = precedence.circle()) {
    std::vector<Record> receives;
    std::vector<std::uint32_t> doubtful;
    std::optional<Record> least;
    for (const Record record : circle) {
      if (end_of[record] == WholeMatches::none) continue;
      receives.push_back(record);
      const std::uint32_t c = ends_.all[end_of[record]].channel;
      const bool may_be_wrong = matches_[c].has_shifts || matches_.more_sends(c) != 0;
      if (matches_.is_known(c) && !matches_[c].again && may_be_wrong) doubtful.push_back(c);
      if (!matches_[c].has_shifts) continue;
      if (!least || matches_[c].gain < matches_[ends_.all[end_of[*least]].channel].gain) least = record;
    }
    if (!doubtful.empty() && may_follow_again()) return doubtful;
    if (least) {
      precedence.free(*least);
      matches_.part(end_of[*least]);
      continue;
    }
    for (const Record record : receives.empty() ? circle : receives) precedence.free(record);
  }
  return {};
}

/// The one that then costs least more.
void ByPrecedence::match_one_again(const std::vector<std::uint32_t>& channels) {
  std::optional<std::pair<std::uint32_t, WholeMatches::Whole>> best;
  std::int64_t least = 0;
  for (const std::uint32_t channel : channels) {
    if (!follows_again()) break;
    WholeMatches::Whole again = matches_.whole(channel, bounds_of(channel));
    if (!again.match) continue;
    const std::int64_t more = again.match->cost - matches_[channel].cost;
    if (best && more >= least) continue;
    least = more;
    best.emplace(channel, std::move(again));
  }
  if (best) matches_.settle(best->first, best->second);
  for (const std::uint32_t channel : channels)
    if (!best || best->first == channel) matches_[channel].again = true;
}

/// By all other channels: a receive that happened before a send does not belong to it.
ByPrecedence::Bounds ByPrecedence::bounds_of(std::uint32_t channel) {
  std::vector<std::uint32_t> partners = matches_.partners();
  for (const std::uint32_t e : matches_.ends_of(channel)) partners[e] = WholeMatches::none;
  Followed all = follow(partners);
  auto& [others, end_of] = all;
  for (auto circle = others.circle(); !circle.empty(); circle = others.circle()) {
    for (const Record record : circle) others.free(record);
    looks_ += matches_.processes();
  }
  std::vector<Record> sends;
  std::vector<Record> receives;
  for (Record record = 0; record < end_of.size(); ++record) {
    if (end_of[record] == WholeMatches::none || ends_.all[end_of[record]].channel != channel) continue;
    (ends_.all[end_of[record]].send ? sends : receives).push_back(record);
  }
  const std::vector<std::size_t> before = others.so_many_before(receives);
  Bounds bounds;
  if (sends.size() <= receives.size()) {
    for (const Record send : sends) bounds.emplace_back(before[send], receives.size());
  } else {
    for (std::size_t r = 0; r < receives.size(); ++r) {
      const auto last = std::find_if(sends.begin(), sends.end(), [&](auto send) { return before[send] > r; });
      bounds.emplace_back(0, last - sends.begin());
    }
  }
  return bounds;
}

/// Channels that lack sends and whose delays tell nothing: each send belongs to the first receive that did not happen
/// before it. True: somewhere that is not first in, first out.
bool ByPrecedence::match_irregular(const Followed& all) {
  const auto& [precedence, end_of] = all;
  std::map<ProcessIndex, std::vector<std::uint32_t>> of;  // channels, by receiver
  for (std::uint32_t c = 0; c < ends_.channels.size(); ++c) {
    const bool lacks_sends = matches_.more_sends(c) < 0;
    if (!matches_.is_known(c) && matches_[c].in_order && lacks_sends) of[ends_.channels[c].receiver].push_back(c);
  }
  std::vector<Record> record_of(ends_.all.size());
  for (Record record = 0; record < end_of.size(); ++record)
    if (end_of[record] != WholeMatches::none) record_of[end_of[record]] = record;
  bool some = false;
  for (const auto& [receiver, channels] : of) {
    if (!follows_again()) break;
    std::vector<Record> receives;
    for (const std::uint32_t c : channels)
      for (const std::uint32_t e : matches_.ends_of(c))
        if (!ends_.all[e].send) receives.push_back(record_of[e]);
    std::sort(receives.begin(), receives.end());
    const std::vector<std::size_t> before = precedence.so_many_before(receives);
    for (const std::uint32_t c : channels) {
      const std::vector<WholePair> pairs = first_left(matches_.ends_of(c), record_of, receives, before);
      if (!are_shifted(pairs, matches_.sends_of(c))) continue;
      matches_.settle_pairs(c, pairs);
      matches_[c].has_shifts = matches_[c].again = true;
      matches_[c].gain = 0;
      some = true;
    }
  }
  return some;
}

/// Of a channel. before: of each record, how many of these receives happened before it.
std::vector<WholePair> ByPrecedence::first_left(const std::vector<std::uint32_t>& ends,
                                                const std::vector<Record>& record_of,
                                                const std::vector<Record>& receives,
                                                const std::vector<std::size_t>& before) const {
  std::vector<Record> own;
  for (const std::uint32_t e : ends)
    if (!ends_.all[e].send) own.push_back(record_of[e]);
  std::vector<WholePair> pairs;
  std::size_t next = 0;
  std::size_t send = 0;
  for (const std::uint32_t e : ends) {
    if (!ends_.all[e].send) continue;
    const std::size_t count = before[record_of[e]];
    while (next < own.size() && count > 0 && own[next] <= receives[count - 1]) ++next;
    if (next < own.size()) pairs.emplace_back(send, next++);
    ++send;
  }
  return pairs;
}

}  // namespace clc::matching
