// Lost sends and receives as reports name them, that of the filter and that of the parallel filter.
#pragma once

#include <span>
#include <string>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"
#include "report/json.hpp"

namespace clc {

/// So many are shown in text; JSON has all.
inline constexpr std::size_t most_losses_shown = 10;

/// Number and name of a process.
[[nodiscard]] std::string process_words(ProcessIndex process, const Definitions& definitions);
/// "lost send: process 1 to 2, communicator 0, tag 5, the receive is at tick 7"; "missing send" if reading ended early,
/// because it may be in the part that was not read.
[[nodiscard]] std::string words_of(const Loss& loss, const Definitions& definitions, bool ended_early);
/// An array.
void write_losses(JsonWriter& json, std::span<const Loss> losses, const Definitions& definitions);

}  // namespace clc
