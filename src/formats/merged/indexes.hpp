// From the indexes of a trace to those of all traces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "binary/body.hpp"
#include "clc/event.hpp"

namespace clc::formats {

/// A view of an IndexTable.
class Indexes {
 public:
  Indexes() = default;
  /// numbers: as in IndexTable.
  explicit Indexes(const std::uint32_t* numbers) : numbers_(numbers) {}

  /// Which indexes are known.
  [[nodiscard]] binary::Limits limits() const noexcept { return {numbers_[0], numbers_[1]}; }
  /// Replaces the indexes of an event. Returns whether its body has other ones. Pre: they are known.
  [[gnu::always_inline]] bool renumber(Event& event) const noexcept {
    event.process = numbers_[2 + 2 * std::size_t{event.process}];
    if (event.role == Role::internal || event.role == Role::collective_begin) return false;
    bool other = false;
    if (event.peer != no_process) {
      const ProcessIndex peer = numbers_[2 + 2 * std::size_t{event.peer}];
      other = peer != event.peer;
      event.peer = peer;
    }
    if (event.communicator != no_communicator) {
      const CommunicatorIndex communicator = numbers_[3 + 2 * std::size_t{event.communicator}];
      other |= communicator != event.communicator;
      event.communicator = communicator;
    }
    return other;
  }

 private:
  const std::uint32_t* numbers_ = nullptr;
};

class IndexTable {
 public:
  [[nodiscard]] std::size_t processes() const noexcept { return numbers_[0]; }
  [[nodiscard]] std::size_t communicators() const noexcept { return numbers_[1]; }
  /// The index among all of the next process, or communicator, of the trace.
  void add_process(ProcessIndex index) { add(0, index); }
  void add_communicator(CommunicatorIndex index) { add(1, index); }
  /// How many processes and how many communicators there are, then an index of each in turn.
  [[nodiscard]] const std::vector<std::uint32_t>& numbers() const noexcept { return numbers_; }

 private:
  void add(std::size_t what, std::uint32_t index) {
    const std::size_t at = 2 + 2 * std::size_t{numbers_[what]} + what;
    numbers_.resize(std::max(numbers_.size(), at + 1));
    numbers_[at] = index;
    ++numbers_[what];
  }

  std::vector<std::uint32_t> numbers_ = {0, 0};
};

}  // namespace clc::formats
