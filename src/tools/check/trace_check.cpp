#include "trace_check.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace clc::check {

namespace {

std::uint64_t pair_key(ProcessIndex from, ProcessIndex to) { return std::uint64_t{from} << 32 | to; }

}  // namespace

TraceCheck::TraceCheck(const Parameters& parameters, const Definitions& definitions, std::optional<LostRecords> lost,
                       std::size_t most_pairs)
    : definitions_(definitions),
      delays_(parameters, definitions),
      judge_(parameters, definitions, delays_),
      matcher_(definitions, *this),
      lost_(std::move(lost)),
      most_pairs_(most_pairs) {}

void TraceCheck::add(const Event& event, std::uint64_t place) {
  const ClockIndex clock = definitions_.processes()[event.process].clock;
  if (clocks_.size() <= clock) clocks_.resize(clock + std::size_t{1});
  OfClock& state = clocks_[clock];
  set_back_.add(std::exchange(state.last, event.time), event.time, event.time, event.process, place);
  state.largest = std::max(state.largest, event.time);
  if (events_++ == 0) {
    first_ = earliest_ = latest_ = event.time;
  } else {
    sortedness_.add(last_, event.time, state.largest, event.process, place);
  }
  last_ = state.largest;
  earliest_ = std::min(earliest_, event.time);
  latest_ = std::max(latest_, event.time);
  if (seen_.size() <= event.process) seen_.resize(event.process + std::size_t{1});
  seen_[event.process] = true;
  if (event.role == Role::internal) return;
  Stamp stamp;
  stamp.time[recorded] = event.time;
  stamp.place[recorded] = place;
  if (lost_ && lost_->takes(event))
    matcher_.add_lone(event);
  else
    matcher_.add(marked(event, lost_), stamp);
}

void TraceCheck::message(const Message& message) {
  if (message.within_clock) return;
  const Edge edge{message.sender, message.receiver, message.sent, message.received, min_delay_of(message, delays_)};
  messages_.add(edge, recorded);
  trips_.message(message, edge.mu);
  // Messages with a delay of their own tell nothing of the way between two processes.
  if (message.own_delay > 0) return;
  const std::uint64_t key = pair_key(message.sender, message.receiver);
  auto entry = pair_index_.find(key);
  if (entry == pair_index_.end()) {
    if (pairs_.size() >= most_pairs_) {
      other_pairs_.add(edge, recorded);
      return;
    }
    entry = pair_index_.emplace(key, static_cast<std::uint32_t>(pairs_.size())).first;
    pairs_.emplace_back();
  }
  PairFigures& pair = pairs_[entry->second];
  pair.edges.add(edge, recorded);
  const Ticks delay = edge.delay(recorded);
  pair.sum += static_cast<double>(delay);
  pair.largest_delay = std::max(pair.largest_delay, delay);
}

void TraceCheck::collective(const Collective& operation) {
  operations_ += operation.members.size() == operation.size;
  trips_.collective(operation, delays_);
  collectives_.add(judge_.judge(operation, recorded));
}

void TraceCheck::incomplete(const Collective& operation) { incomplete_.add(judge_.judge(operation, recorded)); }

std::vector<PairFigures> TraceCheck::pairs() const {
  std::vector<PairFigures> sorted = pairs_;
  std::sort(sorted.begin(), sorted.end(), [](const PairFigures& a, const PairFigures& b) {
    return std::tuple(a.edges.worst_margin, a.edges.worst.from, a.edges.worst.to) <
           std::tuple(b.edges.worst_margin, b.edges.worst.from, b.edges.worst.to);
  });
  return sorted;
}

std::vector<BothWays> TraceCheck::both_ways() const {
  std::vector<BothWays> result;
  for (const PairFigures& pair : pairs_) {
    const Edge& edge = pair.edges.worst;
    if (edge.from > edge.to) continue;
    const auto entry = pair_index_.find(pair_key(edge.to, edge.from));
    if (entry == pair_index_.end()) continue;
    result.push_back({edge.from, edge.to, pair.edges.smallest_delay, pairs_[entry->second].edges.smallest_delay});
  }
  std::sort(result.begin(), result.end(), [](const BothWays& a, const BothWays& b) {
    return std::tuple(-std::fabs(a.clock_difference()), a.first, a.second) <
           std::tuple(-std::fabs(b.clock_difference()), b.first, b.second);
  });
  return result;
}

VerdictFigures TraceCheck::verdict_figures(const Definitions& definitions) const {
  VerdictFigures figures = matching_figures(leftovers(), {messages_, collectives_, incomplete_}, operations_, delays_,
                                            trips_, definitions.resolution);
  figures.corrected = false;
  figures.processes = static_cast<std::uint64_t>(std::count(seen_.begin(), seen_.end(), true));
  figures.clocks = definitions.clocks_of([&](ProcessIndex p) { return p < seen_.size() && seen_[p]; });
  figures.violations = messages_.violated + collectives_.violated;
  return figures;
}

}  // namespace clc::check
