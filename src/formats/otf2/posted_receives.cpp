#include "otf2/posted_receives.hpp"

#include <algorithm>
#include <iterator>

namespace clc::otf2 {

void PostedReceives::post(std::uint64_t request) {
  withdraw(request);  // a number may be used again, also when its receive has never ended
  posted_.push_back({request, count_++});
  drop();
}

void PostedReceives::withdraw(std::uint64_t request) {
  const auto found = find(request);
  if (found == posted_.end()) return;
  posted_.erase(found);
  drop();
}

std::uint64_t PostedReceives::end(std::optional<std::uint64_t> request, Run& run, std::uint64_t since) {
  const Event& event = run.events.back();
  const auto is_of_channel = [&](const Posted& one) {
    return one.ended && one.sender == event.peer && one.communicator == event.communicator && one.tag == event.tag;
  };
  auto own = request ? find(*request) : posted_.end();
  // Others are posted behind all that were posted before they began, and have ended or are of other channels.
  if (own == posted_.end()) {
    while (own != posted_.begin() && std::prev(own)->number >= since && !is_of_channel(*std::prev(own))) --own;
    own = posted_.insert(own, Posted{.number = std::min(since, count_)});
  }
  *own = {own->request, own->number, true, run.events.size() - 1, event.peer, event.communicator, event.tag};
  std::uint64_t late = 0;
  for (auto later = std::next(own); later != posted_.end(); ++later) {
    if (!is_of_channel(*later)) continue;
    if (later->place) {
      std::uint16_t& overtakes = run.events[*later->place].overtakes;
      if (overtakes < most_overtaken) ++overtakes;
      overtaken_ = true;
    } else {
      ++late;
    }
  }
  drop();
  return late;
}

void PostedReceives::begin_run() noexcept {
  for (Posted& posted : posted_) posted.place.reset();
  overtaken_ = false;
}

void PostedReceives::shift(std::size_t place, std::size_t count) noexcept {
  for (Posted& posted : posted_)
    if (posted.place && *posted.place >= place) *posted.place += count;
}

bool PostedReceives::open() const noexcept {
  return std::any_of(posted_.begin(), posted_.end(), [](const Posted& posted) { return posted.place.has_value(); });
}

std::deque<PostedReceives::Posted>::iterator PostedReceives::find(std::uint64_t request) {
  return std::find_if(posted_.begin(), posted_.end(),
                      [&](const Posted& posted) { return posted.request == request && !posted.ended; });
}

void PostedReceives::drop() noexcept {
  constexpr std::size_t most = 1024;  // so far is looked back
  if (posted_.size() > most) posted_.pop_front();
  while (!posted_.empty() && posted_.front().ended) posted_.pop_front();
}

}  // namespace clc::otf2
