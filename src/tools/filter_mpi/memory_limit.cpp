#include "filter_mpi/memory_limit.hpp"

#include <algorithm>
#include <bit>

#include "clc/error.hpp"
#include "clc/parameters.hpp"

namespace clc::filter_mpi {

namespace {

std::string tenths_of_mebibytes(std::uint64_t tenths) {
  return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) + " MiB";
}

std::string mebibytes(std::uint64_t bytes) { return tenths_of_mebibytes((10 * bytes) >> 20U); }
/// Rounded up: more than `mebibytes` of any limit that is exceeded.
std::string at_most_mebibytes(std::uint64_t bytes) { return tenths_of_mebibytes(((10 * bytes) >> 20U) + 1); }

/// What takes most.
std::string largest(const ranks::Replay::Memory& memory) {
  if (memory.events >= std::max(memory.messages, memory.operations))
    return "events within the interval of amortization, -cldiff / -maxerr, or waiting for other processes";
  if (memory.messages >= memory.operations) return "messages ahead of their receives";
  return "collective operations that are not complete";
}

}  // namespace

std::uint64_t MemoryLimit::for_replay(const Definitions& definitions, std::uint64_t tables) const noexcept {
  const std::uint64_t others = for_packed() + definitions.memory() + tables;
  return std::max(Parameters::least_memory, limit_ - std::min(limit_, others));
}

std::string MemoryLimit::warning(const Definitions& definitions) const {
  const std::uint64_t bytes = definitions.memory() + tables_;
  if (bytes <= limit_) return {};
  return "definitions and the tables of clocks and channels take " + mebibytes(bytes) + ", more than --max-memory (" +
         mebibytes(limit_) + "); they are kept, and only " + mebibytes(Parameters::least_memory) +
         " is left for events; use more processes, --max-memory " + std::to_string(std::bit_ceil(2 * bytes) >> 20U) +
         "M or more, or remove definitions that no record uses";
}

void MemoryLimit::look(const ranks::Replay& replay, std::uint64_t events, const Definitions& definitions) {
  if (events < next_look_) return;
  constexpr std::uint64_t least_events = 1024;
  constexpr std::uint64_t bytes_each = 256;  // more than an event takes
  const ranks::Replay::Memory memory = replay.memory();
  tables_ = memory.tables;
  const std::uint64_t most = for_replay(definitions, memory.tables);
  if (memory.under_way() > most)
    throw InputError("events, messages and collective operations under way take " +
                     at_most_mebibytes(memory.under_way()) + ", more than --max-memory leaves (" + mebibytes(most) +
                     "), most of it " + largest(memory) + "; use more processes, or a larger --max-memory");
  next_look_ = events + std::max(least_events, (most - memory.under_way()) / bytes_each);
}

}  // namespace clc::filter_mpi
