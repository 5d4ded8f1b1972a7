// Runs reading and writing in threads of their own, beside the clock.
//
//     const auto threads = std::make_shared<Threads>();
//     from.threads = to.threads = threads;   // SourceOptions and SinkOptions of one source and one sink
//
// Results    The same for any number of threads, including errors and the output that precedes them.
// Protocol   One thread uses both source and sink: it opens, reads, pushes and closes. definitions() of the source
//            change only during its read, as without threads.
// Signals    The caller's thread handles all signals that end the program.
// Cost       The reading thread passes on copies: of records if parsing is slow (text, Paje, OTF2), of bytes
//            otherwise. The writing thread gets copies of bytes to be compressed; otherwise it sorts and formats
//            emitted events itself, without a copy. A few hundred KiB are buffered between two threads. The
//            destructor of a sink, or of an unfinished filter, waits for a blocked write.
#pragma once

#include <memory>
#include <optional>

namespace clc {

class Threads {
 public:
  /// Total number of threads. 1: only the caller's; 2: also a writer; 3: also a reader. Unset: those that pay off for
  /// the format, if more than one processor is available.
  explicit Threads(std::optional<unsigned> count = {});
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads();

  /// State shared by source and sink; for the formats only.
  class Crew;
  [[nodiscard]] Crew& crew() noexcept { return *crew_; }

 private:
  std::unique_ptr<Crew> crew_;
};

}  // namespace clc
