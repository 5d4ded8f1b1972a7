// The hash function of every table. Its key is drawn at random when the program starts, so that nobody can construct a
// trace whose keys collide.
//
// Assumes  No result and no output depends on the order of a hash table, which differs from run to run.
// Cost     Two wide multiplications for up to three numbers; XXH3 for bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace clc {

namespace hash_detail {

struct Secret {
  std::uint64_t first;
  std::uint64_t second;
  std::uint64_t odd;
};
/// Drawn before main begins.
extern const Secret secret;

/// Combines both halves of the product: each bit of the result depends on all bits of both factors.
[[nodiscard]] constexpr std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}
[[nodiscard]] constexpr std::uint64_t mix(const Secret& key, std::uint64_t a, std::uint64_t b,
                                          std::uint64_t c) noexcept {
  return fold(fold(a ^ key.first ^ c * key.odd, b ^ key.second), key.odd);
}

}  // namespace hash_detail

/// Hash of up to three numbers. All bits of the result are equally good.
[[nodiscard]] inline std::uint64_t hash(std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) noexcept {
  return hash_detail::mix(hash_detail::secret, a, b, c);
}
[[nodiscard]] std::uint64_t hash(std::string_view bytes) noexcept;

struct Hash {
  using is_transparent = void;
  [[nodiscard]] std::size_t operator()(std::uint64_t number) const noexcept {
    return static_cast<std::size_t>(hash(number));
  }
  [[nodiscard]] std::size_t operator()(std::string_view bytes) const noexcept {
    return static_cast<std::size_t>(hash(bytes));
  }
};

template <class Key, class Value, class HashOf = Hash>
using HashMap = std::unordered_map<Key, Value, HashOf, std::equal_to<>>;
template <class Key, class HashOf = Hash>
using HashSet = std::unordered_set<Key, HashOf, std::equal_to<>>;

}  // namespace clc
