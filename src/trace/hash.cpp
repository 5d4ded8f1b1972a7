#include "trace/hash.hpp"

#include <random>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace clc {

namespace {

hash_detail::Secret draw() {
  std::random_device random;
  const auto word = [&random] { return std::uint64_t{random()} << 32U | random(); };
  const std::uint64_t first = word();
  const std::uint64_t second = word();
  return {first, second, word() | 1U};
}

}  // namespace

const hash_detail::Secret hash_detail::secret = draw();

std::uint64_t hash(std::string_view bytes) noexcept {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), hash_detail::secret.first);
}

}  // namespace clc
