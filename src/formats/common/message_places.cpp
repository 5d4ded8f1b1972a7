#include "common/message_places.hpp"

#include "clc/event.hpp"

namespace clc::formats {

MessagePlace MessagePlaces::of(const Event& event, ProcessIndex process) {
  const bool send = event.role == Role::send;
  const ProcessIndex self = event.peer == no_process ? no_process : process;
  const Channel channel{send ? self : event.peer, send ? event.peer : self, event.communicator, event.tag};
  const auto [entry, fresh] = channels_.try_emplace(channel);
  Counts& counts = entry->second;
  if (fresh) counts.age = age_;
  MessagePlace place{channel, counts.age, 0};
  if (send)
    place.before = counts.sends++;
  else if (event.overtakes == 0 && overtaken_.empty())
    place.before = counts.receives++;
  else
    place.before = receive_out_of_order(channel, counts, event.overtakes);
  if (channels_.size() > most_) forget();
  return place;
}

std::uint64_t MessagePlaces::receive_out_of_order(const Channel& channel, Counts& counts, std::size_t overtakes) {
  const auto entry = overtaken_.find(channel);
  if (entry == overtaken_.end() && overtakes == 0) return counts.receives++;
  std::vector<std::uint64_t>& open = entry == overtaken_.end() ? overtaken_[channel] : entry->second;
  std::uint64_t before = 0;
  if (overtakes < open.size()) {
    const auto own = open.begin() + static_cast<std::ptrdiff_t>(overtakes);
    before = *own;
    open.erase(own);
    --all_overtaken_;
  } else {
    for (std::size_t more = overtakes - open.size(); more > 0 && all_overtaken_ < most_overtaken; --more) {
      open.push_back(counts.receives++);
      ++all_overtaken_;
    }
    before = counts.receives++;
  }
  if (open.empty()) overtaken_.erase(channel);
  return before;
}

void MessagePlaces::forget() {
  ++age_;
  std::erase_if(channels_, [&](const auto& entry) {
    return entry.second.sends == entry.second.receives && !overtaken_.contains(entry.first);
  });
  if (channels_.size() <= most_ / 2) return;
  channels_.clear();
  overtaken_.clear();
  all_overtaken_ = 0;
}

}  // namespace clc::formats
