// The one place where the order of records in time is looked at, for every format.
#pragma once

#include <memory>

#include "clc/io/source.hpp"

namespace clc::formats {

/// Checks that times do not decrease. The records before a violation are delivered, then read throws
/// InputError naming both times and the remedy.
[[nodiscard]] std::unique_ptr<Source> checked(std::unique_ptr<Source> inner);

/// Sorts records by time, ties as they came, as long as no record is more than `window` ticks earlier than
/// the latest before it; else as above. Notes stay before the records that they stood before.
/// Cost: O(log n) per record, memory in proportion to the records within `window`. Where these take more than
/// `most_memory` bytes the earliest leave before the end of their window; a record that is earlier than one of them is
/// refused.
[[nodiscard]] std::unique_ptr<Source> sorted_within(std::unique_ptr<Source> inner, Ticks window,
                                                    std::uint64_t most_memory);

}  // namespace clc::formats
