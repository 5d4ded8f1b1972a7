// Maps the numbers of a trace to indexes, for the hot path: small numbers by a table, others by a flat
// hash table (OTF2 numbers locations in steps of 2^32).
#pragma once

#include <cstdint>
#include <vector>

#include "trace/flat_map.hpp"

namespace clc::formats {

class NumberIndex {
 public:
  static constexpr std::uint32_t none = 0xffff'ffff;

  [[nodiscard]] std::uint32_t find(std::uint64_t number) const noexcept {
    if (number < small_.size()) return small_[static_cast<std::size_t>(number)];
    const std::uint32_t* const known = large_.find(number);
    return known == nullptr ? none : *known;
  }

  /// A known number keeps its index.
  void add(std::uint64_t number, std::uint32_t index) {
    if (find(number) != none) return;
    if (number >= small_numbers) {
      large_.insert(number, index);
      return;
    }
    if (number >= small_.size()) small_.resize(static_cast<std::size_t>(number) + 1, none);
    small_[static_cast<std::size_t>(number)] = index;
  }

  /// Bytes.
  [[nodiscard]] std::uint64_t memory() const noexcept {
    return small_.capacity() * sizeof(std::uint32_t) + large_.memory();
  }

 private:
  static constexpr std::uint64_t small_numbers = 1 << 16;

  std::vector<std::uint32_t> small_;
  FlatMap<std::uint64_t, std::uint32_t> large_;
};

}  // namespace clc::formats
