#include "common/message_numbers.hpp"

#include "clc/event.hpp"

namespace clc::formats {

MessageNumbers::End MessageNumbers::end(const Event& event, ProcessIndex process, Time time) {
  const auto [entry, fresh] = waiting_.try_emplace(places_.of(event, process));
  if (!fresh) {
    const End end{entry->second.number, true, entry->second.time};
    waiting_.erase(entry);
    return end;
  }
  entry->second = {++last_, time};
  if (waiting_.size() > most_) waiting_.clear();
  return {last_, false, time};
}

}  // namespace clc::formats
