#include "common/checksum.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace clc::formats {

std::uint64_t checksum(std::string_view bytes) noexcept { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace clc::formats
