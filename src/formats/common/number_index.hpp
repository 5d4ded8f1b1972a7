// Maps the numbers of a trace to indexes, for the hot path: small numbers by a table, others by a flat
// hash table (OTF2 numbers locations in steps of 2^32).
#pragma once

#include <cstdint>
#include <vector>

#include "trace/hash.hpp"

namespace clc::formats {

class NumberIndex {
 public:
  static constexpr std::uint32_t none = 0xffff'ffff;

  [[nodiscard]] std::uint32_t find(std::uint64_t number) const noexcept {
    if (number < small_.size()) return small_[static_cast<std::size_t>(number)];
    if (slots_.empty()) return none;
    for (std::size_t i = home(number);; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i] == none || numbers_[slots_[i]] == number) return slots_[i];
    }
  }

  /// A known number keeps its index. Pre: indexes are given without gaps.
  void add(std::uint64_t number, std::uint32_t index) {
    if (find(number) != none) return;
    if (number < small_numbers) {
      if (number >= small_.size()) small_.resize(static_cast<std::size_t>(number) + 1, none);
      small_[static_cast<std::size_t>(number)] = index;
      return;
    }
    if (index >= numbers_.size()) numbers_.resize(index + std::size_t{1});
    numbers_[index] = number;
    if ((used_ + 1) * 2 > slots_.size()) grow();
    place(index);
    ++used_;
  }

  /// Bytes.
  [[nodiscard]] std::uint64_t memory() const noexcept {
    return (small_.capacity() + slots_.capacity()) * sizeof(std::uint32_t) +
           numbers_.capacity() * sizeof(std::uint64_t);
  }

 private:
  static constexpr std::uint64_t small_numbers = 1 << 16;
  [[nodiscard]] std::size_t home(std::uint64_t number) const noexcept {
    return static_cast<std::size_t>(hash(number)) & (slots_.size() - 1);
  }
  void place(std::uint32_t index) noexcept {
    std::size_t i = home(numbers_[index]);
    while (slots_[i] != none) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = index;
  }
  void grow() {
    std::vector<std::uint32_t> old(slots_.empty() ? 64 : slots_.size() * 2, none);
    old.swap(slots_);
    for (const std::uint32_t index : old)
      if (index != none) place(index);
  }

  std::vector<std::uint32_t> small_;
  std::vector<std::uint32_t> slots_;    ///< of the hash table: indexes
  std::vector<std::uint64_t> numbers_;  ///< by index, of those in the hash table
  std::size_t used_ = 0;
};

}  // namespace clc::formats
