#include "trace/delay.hpp"

#include <algorithm>
#include <cmath>

namespace clc {

namespace {

Ticks at_least_one(Ticks ticks) { return std::max<Ticks>(ticks, 1); }

}  // namespace

Ticks Transfer::of(std::uint64_t bytes) const noexcept {
  const double ticks = std::ceil(static_cast<double>(bytes) * ticks_per_byte_);
  return ticks < 9.2e18 ? static_cast<Ticks>(ticks) : ticks_max;
}

DelayModel::DelayModel(const Parameters& parameters, const Definitions& definitions)
    : definitions_(&definitions), transfer_(parameters.bandwidth_mb_s, definitions.resolution) {
  const Resolution resolution = definitions.resolution;
  if (parameters.min_delay_us)
    default_ = at_least_one(resolution.ticks_of_microseconds(*parameters.min_delay_us));
  else if (definitions.min_delay)
    default_ = at_least_one(*definitions.min_delay);
  else
    default_ = at_least_one(resolution.ticks_of_microseconds(Parameters::default_min_delay_us));
  node_ = default_;
  if (parameters.node_delay_us)
    node_ = at_least_one(resolution.ticks_of_microseconds(*parameters.node_delay_us));
  else if (!parameters.min_delay_us && definitions.node_min_delay)
    node_ = at_least_one(*definitions.node_min_delay);
  node_matters_ = parameters.node_delay_us || node_ != default_;
  largest_ = std::max(default_, node_);
  // Of several for one pair the last counts.
  for (const PairDelay& pair : parameters.pair_delays)
    pairs_.push_back({pair.from, pair.to, at_least_one(resolution.ticks_of_microseconds(pair.microseconds))});
  std::reverse(pairs_.begin(), pairs_.end());
  std::stable_sort(pairs_.begin(), pairs_.end(),
                   [](const Pair& a, const Pair& b) { return a.to != b.to ? a.to < b.to : a.from < b.from; });
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end(),
                           [](const Pair& a, const Pair& b) { return a.to == b.to && a.from == b.from; }),
               pairs_.end());
  for (const Pair& pair : pairs_) {
    largest_ = std::max(largest_, pair.delay);
    senders_.push_back(pair.from);
  }
  std::sort(senders_.begin(), senders_.end());
  uniform_ = pairs_.empty() && !node_matters_;
}

Ticks DelayModel::special(Place from, Place to) const {
  if (const Ticks* delay = pair_entry(from.process, to.process)) return *delay;
  return from.node != no_node && from.node == to.node ? node_ : default_;
}

const Ticks* DelayModel::pair_entry(ProcessIndex from, ProcessIndex to) const {
  if (pairs_.empty()) return nullptr;
  const std::uint64_t from_number = definitions_->processes()[from].number;
  const std::uint64_t to_number = definitions_->processes()[to].number;
  const auto entry = std::lower_bound(pairs_.begin(), pairs_.end(), std::pair(to_number, from_number),
                                      [](const Pair& pair, const std::pair<std::uint64_t, std::uint64_t>& key) {
                                        return pair.to != key.first ? pair.to < key.first : pair.from < key.second;
                                      });
  if (entry == pairs_.end() || entry->to != to_number || entry->from != from_number) return nullptr;
  return &entry->delay;
}

bool DelayModel::is_pair(ProcessIndex from, ProcessIndex to) const { return pair_entry(from, to) != nullptr; }

bool DelayModel::is_pair_to(ProcessIndex to) const {
  const std::uint64_t number = definitions_->processes()[to].number;
  const auto first = std::lower_bound(pairs_.begin(), pairs_.end(), number,
                                      [](const Pair& pair, std::uint64_t sought) { return pair.to < sought; });
  return first != pairs_.end() && first->to == number;
}

bool DelayModel::is_pair_from(ProcessIndex from) const {
  return std::binary_search(senders_.begin(), senders_.end(), definitions_->processes()[from].number);
}

}  // namespace clc
