// Maps the numbers of a trace to indexes, for the hot path: small numbers by a table, others by a flat
// hash table (OTF2 numbers locations in steps of 2^32).
#pragma once

#include <cstdint>
#include <vector>

#include "clc/hash.hpp"

namespace clc::formats {

class NumberIndex {
 public:
  static constexpr std::uint32_t none = 0xffff'ffff;

  [[nodiscard]] std::uint32_t find(std::uint64_t number) const noexcept {
    if (number < small_.size()) return small_[static_cast<std::size_t>(number)];
    if (slots_.empty()) return none;
    for (std::size_t i = home(number);; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].index == none || slots_[i].number == number) return slots_[i].index;
    }
  }

  /// index must not be none. A known number keeps its index.
  void add(std::uint64_t number, std::uint32_t index) {
    if (find(number) != none) return;
    if (number < small_numbers) {
      if (number >= small_.size()) small_.resize(static_cast<std::size_t>(number) + 1, none);
      small_[static_cast<std::size_t>(number)] = index;
      return;
    }
    if ((used_ + 1) * 2 > slots_.size()) grow();
    place({number, index});
    ++used_;
  }

 private:
  static constexpr std::uint64_t small_numbers = 1 << 16;
  struct Slot {
    std::uint64_t number = 0;
    std::uint32_t index = none;
  };

  [[nodiscard]] std::size_t home(std::uint64_t number) const noexcept {
    return static_cast<std::size_t>(hash(number)) & (slots_.size() - 1);
  }
  void place(Slot slot) noexcept {
    std::size_t i = home(slot.number);
    while (slots_[i].index != none) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = slot;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.index != none) place(slot);
  }

  std::vector<std::uint32_t> small_;
  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace clc::formats
