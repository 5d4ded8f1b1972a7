// Lost records: what was found of a trace, as numbers that one process can tell others.
//
//     Marks marks(ends.numbers(definitions), own_definitions);
//     // the events of some processes, each in order: marks.mark(event)
//
// Place     Where several processes read parts of a trace of which one has found what is missing (ends.hpp). They agree
//           on the indexes of processes and the numbers of communicators.
// Memory    4 bytes for each missing other end, 12 for each call beside which records are missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/indexes.hpp"
#include "trace/hash.hpp"

namespace clc {
struct Event;
}

namespace clc::lost {

class Marks {
 public:
  Marks() = default;
  Marks(std::span<const std::int64_t> numbers, const Definitions& definitions);

  [[nodiscard]] bool empty() const noexcept { return ends_.empty() && calls_.empty(); }
  /// The events are read again.
  void rewind() noexcept;
  /// The next event of its process: sets Event::other_end if the other end is missing, Event::missed, Event::absent.
  void mark(Event& event) noexcept;

 private:
  struct Call {
    std::uint32_t nth;
    std::uint16_t missed;
    std::uint8_t absent;
  };
  /// What is told of some of the events of a kind.
  template <class Told>
  struct Some {
    std::vector<Told> told;
    std::size_t next = 0;    // of these
    std::uint32_t read = 0;  // events
  };
  [[nodiscard]] static std::uint64_t key_of(CommunicatorIndex communicator, ProcessIndex process) noexcept {
    return std::uint64_t{communicator} << 32U | process;
  }

  HashMap<ProcessIndex, Some<std::uint32_t>> ends_;
  HashMap<std::uint64_t, Some<Call>> calls_;  // by communicator and process
};

}  // namespace clc::lost
