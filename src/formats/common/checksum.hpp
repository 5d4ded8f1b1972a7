// XXH3, 64 bits, in the header-only form.
#pragma once

#include <cstdint>
#include <string_view>

namespace clc::formats {

[[nodiscard]] std::uint64_t checksum(std::string_view bytes) noexcept;

}  // namespace clc::formats
