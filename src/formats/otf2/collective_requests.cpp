#include "otf2/collective_requests.hpp"

#include <algorithm>
#include <string>

namespace clc::otf2 {

void CollectiveRequests::add(std::int64_t call, Run& run) {
  // A number may be used again, also when its operation was never completed.
  if (const auto same = find(call); same != requests_.end()) requests_.erase(same);
  requests_.push_back({call});
  constexpr std::size_t most = 1024;  // so many are looked back
  if (requests_.size() <= most) return;
  requests_.pop_front();
  settle(run);
}

std::optional<CommunicatorIndex> CollectiveRequests::complete(std::int64_t call, OTF2_CommRef communicator, Run& run) {
  const auto found = find(call);
  if (found == requests_.end()) return next_operation(communicator);
  if (found == requests_.begin()) {
    requests_.pop_front();
    const CommunicatorIndex numbered = next_operation(communicator);
    settle(run);
    return numbered;
  }
  found->completed = true;
  found->communicator = communicator;
  found->place = run.events.size();
  ++unsettled_;
  return std::nullopt;
}

void CollectiveRequests::withdraw(std::int64_t call, Run& run) {
  const auto found = find(call);
  if (found == requests_.end()) return;
  requests_.erase(found);
  settle(run);
}

void CollectiveRequests::settle_all(Run& run) {
  while (unsettled_ > 0) {
    if (!requests_.front().completed) requests_.pop_front();
    settle(run);
  }
}

void CollectiveRequests::shift(std::size_t place, std::size_t count) noexcept {
  for (Request& request : requests_)
    if (request.completed && request.place >= place) request.place += count;
}

std::deque<CollectiveRequests::Request>::iterator CollectiveRequests::find(std::int64_t call) {
  return std::find_if(requests_.begin(), requests_.end(),
                      [&](const Request& request) { return request.call == call && !request.completed; });
}

CommunicatorIndex CollectiveRequests::next_operation(OTF2_CommRef communicator) {
  return numbered_(communicator, operations_[communicator]++);
}

void CollectiveRequests::settle(Run& run) {
  for (; !requests_.empty() && requests_.front().completed; requests_.pop_front(), --unsettled_) {
    const Request& request = requests_.front();
    Event& event = run.events[request.place];
    event.communicator = next_operation(request.communicator);
    if (run.ends.empty()) continue;
    std::string body;
    run.replace_body(request.place, encode_body({Kind::collective_end, event, {}, run.recorded(request.place)}, body));
  }
}

}  // namespace clc::otf2
