// Bytes that containers take, as the heap rounds them up: for limits of memory.
//
// Cost     O(1).
// Assumes  glibc and libstdc++; others differ by a few bytes per entry.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace clc {

/// Of one allocation.
[[nodiscard]] constexpr std::uint64_t on_heap(std::uint64_t bytes) noexcept {
  return std::max<std::uint64_t>(32, (bytes + 8 + 15) / 16 * 16);
}
/// Of the letters of a text; 0 where they fit into the string itself.
[[nodiscard]] inline std::uint64_t on_heap(const std::string& text) noexcept {
  constexpr std::size_t inside = 15;
  return text.capacity() <= inside ? 0 : on_heap(text.capacity() + 1);
}

// Of the entries of a container, without what these allocate themselves.
template <class T, class Allocator>
[[nodiscard]] std::uint64_t on_heap(const std::vector<T, Allocator>& all) noexcept {
  return all.capacity() == 0 ? 0 : on_heap(all.capacity() * sizeof(T));
}
template <class T>
[[nodiscard]] std::uint64_t on_heap(const std::deque<T>& all) noexcept {
  constexpr std::size_t block = 512;
  return (all.size() / std::max<std::size_t>(1, block / sizeof(T)) + 1) *
         (on_heap(std::max(block, sizeof(T))) + sizeof(void*));
}
/// A HashMap.
template <class Map>
requires requires(const Map& map) { map.bucket_count(); }
[[nodiscard]] std::uint64_t on_heap(const Map& all) noexcept {
  return all.size() * on_heap(sizeof(typename Map::value_type) + sizeof(void*)) + all.bucket_count() * sizeof(void*);
}

}  // namespace clc
