// The values that are seen, as long as there are at most so many; none if there are more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace clc::view {

template <class Value, std::size_t most>
class AllOrNone {
 public:
  void add(const Value& value) {
    if (++seen_ <= most)
      values_.push_back(value);
    else if (seen_ == most + 1)
      values_ = {};
  }
  [[nodiscard]] bool all() const noexcept { return seen_ <= most; }
  [[nodiscard]] const std::vector<Value>& values() const noexcept { return values_; }
  [[nodiscard]] std::vector<Value>& values() noexcept { return values_; }

 private:
  std::vector<Value> values_;
  std::uint64_t seen_ = 0;
};

}  // namespace clc::view
