#include "matching/lost/whole_matches.hpp"

#include <tuple>

#include "matching/lost/whole_process.hpp"

namespace clc::matching {

bool are_shifted(const std::vector<WholePair>& pairs, std::size_t fewer) {
  return pairs.size() < fewer ||
         std::any_of(pairs.begin(), pairs.end(), [](const WholePair& pair) { return pair.first != pair.second; });
}

WholeMatches::WholeMatches(MessageEnds& ends, std::uint64_t processes)
    : ends_(ends),
      processes_(processes),
      of_(ends.channels.size()),
      more_sends_(ends.more_sends()),
      matched_(ends.channels.size()),
      partners_(ends.all.size(), none),
      was_cut_(ends.were_cut()),
      lack_some_(ends.lack_some()) {
  for (std::uint32_t e = 0; e < ends_.all.size(); ++e) {
    const MessageEnds::End& end = ends_.all[e];
    of_[end.channel].push_back(e);
    if (end.overtakes != 0) matched_[end.channel].in_order = false;
  }
  for (std::uint32_t channel = 0; channel < of_.size(); ++channel) {
    matched_[channel].in_order &= !ends_.channels[channel].within_clock;
    if (!matched_[channel].in_order) continue;
    const auto sides = ends_.sides_of(of_[channel]);
    steps_.add(ends_.channels[channel].sender, sides[0], ends_.channels[channel].receiver, sides[1]);
  }
  if (lack_some_) find_steps_and_turns();
}

void WholeMatches::find_steps_and_turns() {
  steps_.find();
  for (const MessageEnds::End& end : ends_.all)
    turns_.add(ends_.process_of(end), end.nth, 2 * end.channel + (end.send ? 0 : 1));
}

void WholeMatches::match_as_lacking() {
  lack_some_ = true;
  find_steps_and_turns();
  match_each();
}

void WholeMatches::match_each() {
  std::map<std::uint32_t, Whole> wholes;  // by channel
  for (std::uint32_t channel = 0; channel < of_.size(); ++channel)
    if (matched_[channel].in_order) {
      match_in_order(channel);
      if (lack_some_) wholes.emplace(channel, whole(channel));
    }
  match_processes(wholes);
  for (const auto& [channel, each] : wholes) settle(channel, each);
}

WholeMatches::Whole WholeMatches::whole(std::uint32_t channel, const Bounds& bounds) const {
  const MessageEnds::Channel& own = ends_.channels[channel];
  Whole whole;
  for (const std::uint32_t e : of_[channel]) whole.nths[ends_.all[e].send ? 0 : 1].push_back(ends_.all[e].nth);
  const auto sides = ends_.sides_of(of_[channel]);
  whole.ends = {steps_.without(own.sender, sides[0]), steps_.without(own.receiver, sides[1])};
  for (const std::uint32_t side : {0U, 1U}) {
    const std::vector<std::uint32_t> counted = turns_.of(2 * channel + side);
    for (std::size_t k = 0; k < counted.size(); ++k) whole.ends[side][k].turn = counted[k];
  }
  whole.rules = {.clocks_go_on = steps_.never_set(own.sender) && steps_.never_set(own.receiver),
                 .steps_known = steps_.follows(own.sender) && steps_.follows(own.receiver),
                 .was_cut = was_cut_,
                 .bounds = bounds};
  whole.match = match_whole(whole.ends[0], whole.ends[1], whole.rules);
  return whole;
}

/// What processes lost in a row shows on all their channels.
void WholeMatches::match_processes(std::map<std::uint32_t, Whole>& wholes) const {
  std::map<ProcessIndex, std::vector<WholeView>> views;
  std::vector<std::uint32_t> order;
  order.reserve(wholes.size());
  for (const auto& [channel, each] : wholes) order.push_back(channel);
  sort_by_name(order);
  const auto swapped = [](std::vector<WholePair> pairs) {
    for (WholePair& pair : pairs) std::swap(pair.first, pair.second);
    return pairs;
  };
  for (const std::uint32_t channel : order) {
    const Whole& each = wholes.at(channel);
    const std::size_t lacking = each.ends[0].size() < each.ends[1].size() ? 0 : 1;
    const std::vector<WholeEnd>& own = each.ends[lacking];
    if (!each.match || own.size() == each.ends[1 - lacking].size()) continue;
    if (own.empty() || own.front().turn == 0) continue;
    WholeView view{channel, each.nths[lacking], own, each.ends[1 - lacking], each.rules, *each.match};
    if (lacking == 1) view.match.pairs = swapped(view.match.pairs);
    const MessageEnds::Channel& its = ends_.channels[channel];
    views[lacking == 0 ? its.sender : its.receiver].push_back(std::move(view));
  }
  for (auto& [process, its] : views) {
    match_whole_process(its);
    for (WholeView& view : its) {
      Whole& each = wholes.at(view.channel);
      if (each.ends[1].size() < each.ends[0].size()) view.match.pairs = swapped(view.match.pairs);
      each.match = std::move(view.match);
    }
  }
}

void WholeMatches::settle(std::uint32_t channel, const Whole& whole) {
  if (!whole.match) return leave(channel);
  std::vector<WholePair> pairs = whole.match->pairs;
  forget_early(pairs, whole.ends[0], whole.ends[1]);
  settle_pairs(channel, pairs);
  Matched& own = matched_[channel];
  own.gain = whole.match->gain;
  own.cost = whole.match->cost;
  own.has_shifts = are_shifted(whole.match->pairs, std::min(whole.ends[0].size(), whole.ends[1].size()));
}

void WholeMatches::settle_pairs(std::uint32_t channel, const std::vector<WholePair>& pairs) {
  ends_.channels[channel].is_known = true;
  const auto& [sends, receives] = sends_and_receives(channel);
  for (const std::uint32_t e : of_[channel]) {
    ends_.all[e].alone = true;
    partners_[e] = none;
  }
  for (const auto& [send, receive] : pairs) {
    ends_.all[sends[send]].alone = ends_.all[receives[receive]].alone = false;
    partners_[receives[receive]] = sends[send];
  }
}

void WholeMatches::leave(std::uint32_t channel) {
  settle_pairs(channel, {});
  match_in_order(channel);
  ends_.channels[channel].is_known = matched_[channel].has_shifts = false;
}

void WholeMatches::part(std::uint32_t receive) {
  ends_.all[receive].alone = ends_.all[std::exchange(partners_[receive], none)].alone = true;
}

/// The n-th receive comes after the n-th send, unless sends are missing.
void WholeMatches::match_in_order(std::uint32_t channel) {
  ends_.channels[channel].is_known = true;
  const auto& [sends, receives] = sends_and_receives(channel);
  if (sends.size() < receives.size()) return;
  for (std::size_t n = 0; n < receives.size(); ++n) partners_[receives[n]] = sends[n];
}

std::vector<WholePair> WholeMatches::pairs(std::uint32_t channel) const {
  const auto& [sends, receives] = sends_and_receives(channel);
  std::vector<WholePair> pairs;
  auto send = sends.begin();
  for (std::size_t r = 0; r < receives.size(); ++r) {
    if (!is_known(channel)) {
      if (r < sends.size()) pairs.emplace_back(r, r);
    } else if (const std::uint32_t partner = partners_[receives[r]]; partner != none) {
      send = std::find(send, sends.end(), partner);
      pairs.emplace_back(send - sends.begin(), r);
    }
  }
  return pairs;
}

std::array<std::vector<std::uint32_t>, 2> WholeMatches::sends_and_receives(std::uint32_t channel) const {
  std::array<std::vector<std::uint32_t>, 2> which;
  for (const std::uint32_t e : of_[channel]) which[ends_.all[e].send ? 0 : 1].push_back(e);
  return which;
}

void WholeMatches::sort_by_name(std::vector<std::uint32_t>& channels) const {
  const auto name = [&](std::uint32_t channel) {
    const MessageEnds::Channel& its = ends_.channels[channel];
    return std::tuple(its.sender, its.receiver, its.communicator, its.tag);
  };
  std::sort(channels.begin(), channels.end(), [&](std::uint32_t a, std::uint32_t b) { return name(a) < name(b); });
}

}  // namespace clc::matching
