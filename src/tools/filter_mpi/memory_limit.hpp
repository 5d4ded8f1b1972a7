// The limit --max-memory of a rank: its division among purposes, and a check that the replay keeps to it.
//
// Method   The replay cannot give anything back early: its result does not depend on memory. So a run that needs more
//          ends. Memory is looked at seldom while there is much room, and more often as room shrinks.
#pragma once

#include <cstdint>
#include <string>

#include "clc/definitions.hpp"
#include "ranks/replay.hpp"

namespace clc::filter_mpi {

class MemoryLimit {
 public:
  explicit MemoryLimit(std::uint64_t limit) noexcept : limit_(limit) {}

  /// For packed events and corrections; more of them are in temporary files.
  [[nodiscard]] std::uint64_t for_packed() const noexcept { return limit_ / 512; }
  /// For what the replay has under way; at least Parameters::least_memory. tables: its own.
  [[nodiscard]] std::uint64_t for_replay(const Definitions& definitions, std::uint64_t tables) const noexcept;
  /// A warning where definitions and the tables of the replay alone take more; empty: they do not.
  [[nodiscard]] std::string warning(const Definitions& definitions) const;

  /// Looks at a replay, if it is time to. events: that it has read so far. Throws InputError: it takes more.
  void look(const ranks::Replay& replay, std::uint64_t events, const Definitions& definitions);

 private:
  std::uint64_t limit_;
  std::uint64_t next_look_ = 0;  ///< after so many events
  std::uint64_t tables_ = 0;     ///< of the replay, at the last look
};

}  // namespace clc::filter_mpi
