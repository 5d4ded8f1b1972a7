// Checks or restores the order of records in time, for all formats.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "clc/error.hpp"
#include "clc/io/source.hpp"

namespace clc::formats {

/// A record had to leave before the end of its window, and a later one should have preceded it.
class SortMemoryExceeded final : public InputError {
 public:
  using InputError::InputError;
};

/// Checks that times do not decrease. The records before a violation are delivered, then read throws
/// InputError naming both times and the remedy.
[[nodiscard]] std::unique_ptr<Source> checked(std::unique_ptr<Source> inner);

/// Sorts records by time, ties in input order, if no record is more than `window` ticks earlier than the
/// latest one before it; otherwise throws as above. Notes stay before the records that they preceded, see
/// held_notes.hpp. definitions() are those of the records that were delivered: a redefinition takes effect when its
/// note is. on_definitions: called in read before definitions() change; empty: nobody else looks at them. Cost: O(log
/// n) per record; memory for the records within `window`. If these exceed `most_memory` bytes, the earliest are
/// delivered before the end of their window; a later record that should have preceded them is refused.
[[nodiscard]] std::unique_ptr<Source> sorted_within(std::unique_ptr<Source> inner, Ticks window,
                                                    std::uint64_t most_memory,
                                                    std::function<void()> on_definitions = {});

/// The same where the order becomes known while reading: no record that is still to come has a time before complete().
[[nodiscard]] std::unique_ptr<Source> sorted_until(std::unique_ptr<Source> inner, std::function<Time()> complete,
                                                   std::uint64_t most_memory,
                                                   std::function<void()> on_definitions = {});

}  // namespace clc::formats
