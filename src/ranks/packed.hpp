// Items as they travel from rank to rank: of those that come with every message, values and limits, only what their
// kind tells.
//
// Cost     48 bytes for a value, 24 for a limit. All ranks run on machines with the same representation of numbers.
#pragma once

#include <cstddef>
#include <vector>

#include "ranks/exchange.hpp"

namespace clc::ranks {

inline constexpr std::size_t longest_packed = 8 + sizeof(Item);
/// Items travel in batches: one leaves when it has so many bytes, or when its sender has nothing else to do.
inline constexpr std::size_t batch_bytes = 3840;

/// Appends an item.
void pack(const Item& item, std::vector<char>& bytes);
/// Takes the item that begins there, which is moved behind it.
[[nodiscard]] Item unpack(const char*& from);

}  // namespace clc::ranks
