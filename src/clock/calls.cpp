#include "clock/calls.hpp"

#include <algorithm>

namespace clc {

CallId Calls::take() {
  if (free_.empty()) {
    calls_.add();
    if (free_.capacity() < calls_.size()) free_.reserve(2 * calls_.size());  // free must not throw
    return static_cast<CallId>(calls_.size() - 1);
  }
  const CallId id = free_.back();
  free_.pop_back();
  calls_[id] = Call{};
  return id;
}

CallId Calls::read_begin(const Event& event, EventIndex index, Time recorded) {
  if (open_begins_.size() <= event.process) open_begins_.resize(event.process + std::size_t{1});
  auto& open = open_begins_[event.process];
  const auto same = std::find_if(open.begin(), open.end(), [&](CallId id) { return calls_[id].call_id == event.tag; });
  if (same != open.end())
    drop_begin(open, same);
  else if (open.size() == most_open)
    drop_begin(open, open.begin());
  const CallId id = take();
  Call& call = calls_[id];
  call.begin = event.time;
  call.begin_recorded = recorded;
  call.begin_index = index;
  call.call_id = event.tag;
  call.process = event.process;
  open.push_back(id);
  return id;
}

void Calls::drop_begin(std::vector<CallId>& open, std::vector<CallId>::const_iterator begin) {
  analysis_.count(Case::begin_without_end);
  drop(*begin);
  open.erase(begin);
}

CallId Calls::close_begin(const Event& end) {
  if (end.process < open_begins_.size()) {
    auto& open = open_begins_[end.process];
    const auto same = std::find_if(open.begin(), open.end(), [&](CallId id) { return calls_[id].call_id == end.tag; });
    if (same != open.end()) {
      const CallId id = *same;
      open.erase(same);
      return id;
    }
  }
  analysis_.count(Case::end_without_begin);
  const CallId id = take();
  calls_[id].process = end.process;
  calls_[id].begin_processed = true;
  return id;
}

void Calls::close() {
  for (auto& open : open_begins_) {
    analysis_.count(Case::begin_without_end, open.size());
    open.clear();
  }
}

}  // namespace clc
