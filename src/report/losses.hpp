// Lost sends and receives as reports name them, that of the filter and that of the parallel filter.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"
#include "clc/time.hpp"
#include "report/json.hpp"

namespace clc {

/// So many are shown in text; JSON has all.
inline constexpr std::size_t most_losses_shown = 10;

/// Number and name of a process.
[[nodiscard]] std::string process_words(ProcessIndex process, const Definitions& definitions);
/// "lost send: process 1 to 2, communicator 0, tag 5, the receive is at tick 7"; "missing send" if reading ended early,
/// because it may be in the part that was not read.
[[nodiscard]] std::string words_of(const Loss& loss, const Definitions& definitions, bool ended_early);
/// Number of channels that lack a record of a process that went on: if messages match first in, first out, one is left
/// over at their end that belongs to another. last: recorded time of the last event of each process; apart: how far
/// clocks differ at most.
[[nodiscard]] std::uint64_t shifted_channels(std::span<const Loss> losses, std::span<const Time> last, Ticks apart);
/// An array.
void write_losses(JsonWriter& json, std::span<const Loss> losses, const Definitions& definitions);

}  // namespace clc
