#include "bytes/bytes.hpp"

#include <algorithm>
#include <cstring>

namespace clc::formats {

std::string_view PeekSource::peek(std::size_t count) {
  while (head_.size() < count) {
    const std::size_t have = head_.size();
    head_.resize(count);
    const std::size_t got = inner_->read(head_.data() + have, count - have);
    head_.resize(have + got);
    if (got == 0) break;
  }
  return head_;
}

std::size_t PeekSource::read(char* to, std::size_t capacity) {
  if (head_.empty()) return inner_->read(to, capacity);
  const std::size_t count = std::min(capacity, head_.size());
  std::memcpy(to, head_.data(), count);
  head_.erase(0, count);
  return count;
}

}  // namespace clc::formats
