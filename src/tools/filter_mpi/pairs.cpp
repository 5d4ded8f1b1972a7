#include "filter_mpi/pairs.hpp"

#include <map>
#include <utility>

#include "filter_mpi/partners.hpp"
#include "report/losses.hpp"
#include "trace/connected.hpp"

namespace clc::filter_mpi {

void LastEvents::add(ProcessIndex process, Time recorded, Time corrected) {
  if (process >= recorded_.size()) {
    recorded_.resize(process + std::size_t{1}, Time::earliest());
    corrected_.resize(recorded_.size());
  }
  recorded_[process] = recorded;
  corrected_[process] = corrected;
}

void LastEvents::written(ProcessIndex process, std::span<const CorrectedTime> events) {
  if (!events.empty()) add(process, events.back().recorded, events.back().corrected);
}

void LastEvents::join(MpiPartners& partners) {
  std::vector<std::int64_t> own;
  for (ProcessIndex process = 0; process < recorded_.size(); ++process)
    if (any(process)) own.insert(own.end(), {process, recorded_[process].ticks(), corrected_[process].ticks()});
  for (const auto& given : partners.all(own))
    for (std::size_t i = 0; i < given.size(); i += 3)
      add(static_cast<ProcessIndex>(given[i]), Time(given[i + 1]), Time(given[i + 2]));
}

namespace {

using Directions = std::vector<ranks::Replay::Direction>;

/// Of the pairs with messages in both directions of which one is received here.
ClockDifference own_difference(const Directions& received, const std::vector<unsigned>& owners, MpiPartners& partners) {
  std::vector<std::vector<std::int64_t>> to(partners.size());
  std::map<std::pair<ProcessIndex, ProcessIndex>, Ticks> own;
  ClockDifference difference;
  for (const auto& [sender, receiver, delay] : received) {
    own.emplace(std::pair(sender, receiver), delay);
    if (sender < receiver) to[owners[sender]].insert(to[owners[sender]].end(), {sender, receiver, delay});
  }
  for (const auto& given : partners.exchange(to))
    for (std::size_t i = 0; i < given.size(); i += 3) {
      const auto back = own.find({static_cast<ProcessIndex>(given[i + 1]), static_cast<ProcessIndex>(given[i])});
      if (back != own.end()) difference.both_ways(given[i + 2], back->second);
    }
  return difference;
}

Ticks clocks_apart(const Directions& received, std::span<const Loss> losses, MpiPartners& partners) {
  ClocksApart clocks(losses);
  for (const auto& [sender, receiver, delay] : received) clocks.add(sender, receiver, delay);
  for (const auto& given : partners.all(clocks.numbers())) clocks.join(given);
  return clocks.at_most();
}

/// Pairs that connect the same processes as all of them; few.
std::vector<std::int64_t> forest(const Directions& received, std::size_t processes) {
  std::vector<std::int64_t> pairs;
  Connected connected(processes);
  for (const auto& [sender, receiver, delay] : received)
    if (connected.join(sender, receiver)) pairs.insert(pairs.end(), {sender, receiver});
  return pairs;
}

}  // namespace

PairFigures PairFigures::of(const Directions& received, const Definitions& definitions,
                            const std::vector<unsigned>& owners, bool all_connected, std::span<const Loss> losses,
                            const LastEvents& last, MpiPartners& partners) {
  PairFigures figures;
  figures.apart = clocks_apart(received, losses, partners);
  const ClockDifference own = own_difference(received, owners, partners);
  for (const auto& given : partners.all({own.largest(), own.change()})) figures.difference.join({given[0], given[1]});
  RunAhead groups(definitions, all_connected);
  for (const auto& given : partners.all(forest(received, owners.size())))
    for (std::size_t i = 0; i < given.size(); i += 2)
      groups.connect(static_cast<ProcessIndex>(given[i]), static_cast<ProcessIndex>(given[i + 1]));
  for (ProcessIndex process = 0; process < last.recorded().size(); ++process)
    if (last.any(process)) groups.moved(process, last.shift(process));
  figures.ahead = groups.most();
  return figures;
}

}  // namespace clc::filter_mpi
