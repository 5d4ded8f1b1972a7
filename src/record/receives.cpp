#include "record/receives.hpp"

#include <algorithm>
#include <utility>

namespace clc::record {

namespace {

constexpr auto is_before = [](const Receive* receive, std::uint64_t sequence) { return receive->sequence < sequence; };

}  // namespace

std::size_t ReceiveLine::up_to(std::uint64_t first) const noexcept {
  const auto begin = all_.begin() + static_cast<std::ptrdiff_t>(begin_);
  return static_cast<std::size_t>(std::lower_bound(begin, all_.end(), first + 1, is_before) - begin);
}

void ReceiveLine::insert(Receive& receive) {
  const std::size_t place = begin_ + up_to(receive.sequence);
  all_.insert(all_.begin() + static_cast<std::ptrdiff_t>(place), &receive);
  receive.line = this;
}

void ReceiveLine::erase(const Receive& receive) noexcept {
  const std::size_t end = begin_ + up_to(receive.sequence);
  erase(end - 1, end);
}

void ReceiveLine::erase_moved(std::size_t count) noexcept {
  const auto begin = all_.begin() + static_cast<std::ptrdiff_t>(begin_);
  const auto end = begin + static_cast<std::ptrdiff_t>(count);
  // Those that stay go to the end, so that the first ones are erased.
  const auto kept = std::stable_partition(begin, end, [&](const Receive* one) { return one->line != this; });
  erase(begin_, static_cast<std::size_t>(kept - all_.begin()));
}

void ReceiveLine::erase(std::size_t from, std::size_t to) noexcept {
  if (from == begin_)
    begin_ = to;
  else
    all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(from), all_.begin() + static_cast<std::ptrdiff_t>(to));
  if (begin_ <= all_.size() / 2) return;
  all_.erase(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(begin_));
  begin_ = 0;
}

void ActiveReceives::insert(Receive& receive, const Channel& channel) {
  const bool of_pattern = channel.is_pattern();
  lines_.try_emplace(channel, of_pattern).first->second.insert(receive);
  ++count_;
  patterns_ += of_pattern ? 1U : 0U;
}

void ActiveReceives::erase(Receive& receive) noexcept {
  constexpr std::size_t few = 64;
  if (receive.line == nullptr) return;
  receive.line->erase(receive);
  leave_line(receive);
  if (lines_.size() > few + 2 * count_) std::erase_if(lines_, [](const auto& line) { return line.second.empty(); });
}

void ActiveReceives::leave_line(Receive& receive) noexcept {
  --count_;
  patterns_ -= receive.line->of_pattern() ? 1U : 0U;
  receive.line = nullptr;
}

std::uint64_t ActiveReceives::overtaken(const Channel& channel, std::uint64_t first, Look look) {
  if (empty()) return 0;
  std::uint64_t count = 0;
  if (patterns_ > 0)
    for (const auto& [source, tag] : {std::pair(channel.source, Channel::any_value),
                                      {Channel::any_value, channel.tag},
                                      {Channel::any_value, Channel::any_value}})
      count += look_at({channel.communicator, source, tag}, channel, first, look);
  if (const auto line = lines_.find(channel); line != lines_.end()) count += line->second.up_to(first);
  return std::min(count, most);
}

std::uint64_t ActiveReceives::look_at(const Channel& pattern, const Channel& channel, std::uint64_t first, Look look) {
  const auto found = lines_.find(pattern);
  if (found == lines_.end()) return 0;
  ReceiveLine& line = found->second;
  const std::size_t last = line.up_to(first);
  std::uint64_t count = 0;
  std::size_t looked_at = 0;
  bool moved = false;
  for (; looked_at < last && count < most; ++looked_at) {
    Receive& receive = line[looked_at];
    const Found now = look(receive);
    const Channel its{channel.communicator, now.source, now.tag};
    if (now.settled) {
      leave_line(receive);
      insert(receive, its);
      moved = true;
    } else if (its == channel) {
      ++count;
    }
  }
  if (moved) line.erase_moved(looked_at);
  return count;
}

}  // namespace clc::record
