#include "matching/lost/message_ends.hpp"

#include <algorithm>

#include "clc/event.hpp"
#include "trace/channel_of.hpp"

namespace clc::matching {

void MessageEnds::add(const Event& event, Time time) {
  if (processes.size() <= event.process) processes.resize(event.process + std::size_t{1});
  OfProcess& own = processes[event.process];
  own.highest = std::max(own.highest, time);
  if (!own.first) {
    own.first = own.highest;
    own.first_recorded = event.time;
  }
  own.latest = std::max(own.latest, event.time);
  const std::uint64_t order = records++;
  if (event.role != Role::send && event.role != Role::receive) return;
  const std::uint32_t nth = own.ends++;
  if (event.peer == no_process || event.peer == event.process) return;
  const bool is_send = event.role == Role::send;
  const clc::Channel key = clc::channel_of(event);
  const auto [entry, is_new] = channel_of.try_emplace(key, static_cast<std::uint32_t>(channels.size()));
  if (is_new) channels.push_back({key});
  const auto overtakes = is_send ? std::uint32_t{0} : std::uint32_t{event.overtakes};
  all.push_back({own.highest, order, entry->second, nth, overtakes, is_send, false, own.latest, event.bytes});
}

bool MessageEnds::were_cut() const {
  std::array<std::vector<Time>, 2> times;
  for (const OfProcess& own : processes)
    if (own.first) {
      times[0].push_back(own.first_recorded);
      times[1].push_back(own.latest);
    }
  if (times[0].empty()) return false;
  std::array<std::vector<Ticks>, 2> apart;  // from the upper median
  for (const std::size_t which : {0U, 1U}) {
    std::ranges::sort(times[which]);
    const Time middle = times[which][times[which].size() / 2];
    for (const Time time : times[which]) apart[which].push_back(size_of(time - middle));
    std::ranges::sort(apart[which]);
  }
  const std::size_t count = apart[0].size();
  return apart[1][count / 2] < apart[0][(count - 1) / 2] / 4;
}

void MessageEnds::sort_by_time() {
  const auto is_earlier = [](const End& a, const End& b) { return a.time < b.time; };
  if (std::is_sorted(all.begin(), all.end(), is_earlier)) return;
  std::vector<std::uint64_t> orders;
  orders.reserve(all.size());
  for (const End& end : all) orders.push_back(end.order);
  std::stable_sort(all.begin(), all.end(), is_earlier);
  for (std::size_t e = 0; e < all.size(); ++e) all[e].order = orders[e];
}

std::array<ClockSteps::Ends, 2> MessageEnds::sides_of(const std::vector<std::uint32_t>& some) const {
  std::array<ClockSteps::Ends, 2> sides;
  for (const std::uint32_t e : some) {
    const End& end = all[e];
    sides[end.send ? 0 : 1].push_back({{end.recorded, end.bytes}, end.nth});
  }
  return sides;
}

std::vector<std::int64_t> MessageEnds::more_sends() const {
  std::vector<std::int64_t> more(channels.size());
  for (const End& end : all) more[end.channel] += end.send ? 1 : -1;
  return more;
}

bool MessageEnds::lack_some() const {
  const std::vector<std::int64_t> more = more_sends();
  return std::any_of(more.begin(), more.end(), [](std::int64_t sends) { return sends != 0; });
}

}  // namespace clc::matching
