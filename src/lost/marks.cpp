#include "lost/marks.hpp"

#include "clc/event.hpp"

namespace clc::lost {

Marks::Marks(std::span<const std::int64_t> numbers, const Definitions& definitions) {
  HashMap<std::uint64_t, CommunicatorIndex> communicators;
  for (CommunicatorIndex c = 0; c < definitions.communicators().size(); ++c)
    communicators.try_emplace(definitions.communicators()[c].number, c);
  std::size_t at = 0;
  const auto next = [&]<class Number>(Number& number) { number = static_cast<Number>(numbers[at++]); };
  std::uint32_t lists = 0;
  for (next(lists); lists > 0; --lists) {
    ProcessIndex process = 0;
    std::size_t count = 0;
    next(process);
    next(count);
    std::vector<std::uint32_t>& told = ends_[process].told;
    told.resize(count);
    for (std::uint32_t& nth : told) next(nth);
  }
  for (next(lists); lists > 0; --lists) {
    std::uint64_t number = 0;
    ProcessIndex process = 0;
    std::size_t count = 0;
    next(number);
    next(process);
    next(count);
    std::vector<Call> told(count);
    for (Call& call : told) {
      next(call.nth);
      next(call.missed);
      next(call.absent);
    }
    if (const auto known = communicators.find(number); known != communicators.end())
      calls_[key_of(known->second, process)].told = std::move(told);
  }
}

void Marks::rewind() noexcept {
  for (auto& [process, ends] : ends_) ends.next = ends.read = 0;
  for (auto& [member, calls] : calls_) calls.next = calls.read = 0;
}

void Marks::mark(Event& event) noexcept {
  if (event.role == Role::send || event.role == Role::receive) {
    const auto found = ends_.find(event.process);
    if (found == ends_.end()) return;
    auto& [told, next, read] = found->second;
    const std::uint32_t nth = read++;
    if (next == told.size() || told[next] != nth) return;
    ++next;
    event.other_end = OtherEnd::missing;
  } else if (event.role == Role::collective_end) {
    const auto found = calls_.find(key_of(event.communicator, event.process));
    if (found == calls_.end()) return;
    auto& [told, next, read] = found->second;
    const std::uint32_t nth = read++;
    if (next == told.size() || told[next].nth != nth) return;
    event.missed = told[next].missed;
    event.absent = told[next].absent;
    ++next;
  }
}

}  // namespace clc::lost
