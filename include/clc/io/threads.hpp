// Reading and writing in threads of their own, beside the clock.
//
//     const auto threads = std::make_shared<Threads>();
//     from.threads = to.threads = threads;   // SourceOptions, SinkOptions: of one source and one sink
//
// Results    The same for any number of threads, errors and what is written ahead of them included.
// Protocol   Source and sink keep theirs and are used from one thread, which opens, reads, pushes and closes.
//            definitions() of the source change inside of its read only, as they do without threads.
// Signals    Those that end the program are left to the caller's thread.
// Cost       What is read passes from one thread to another as a copy: records where reading takes long (text, Paje,
//            OTF2), bytes elsewhere. So do bytes to be compressed; what leaves the filter to be written as it is, is
//            put in order and formatted in the other thread, without a copy. Some hundred KiB each wait between the
//            threads. Destruction of a sink, or of a filter that has not finished, waits for a write that blocks.
#pragma once

#include <memory>
#include <optional>

namespace clc {

class Threads {
 public:
  /// How many threads in all: 1, none beside the caller's; 2, a writer; 3, a reader and a writer; unset: those that
  /// pay by the format, where more than one processor may be used.
  explicit Threads(std::optional<unsigned> count = {});
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads();

  /// What source and sink know of each other; for the formats only.
  class Crew;
  [[nodiscard]] Crew& crew() noexcept { return *crew_; }

 private:
  std::unique_ptr<Crew> crew_;
};

}  // namespace clc
