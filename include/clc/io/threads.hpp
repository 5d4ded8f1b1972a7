// Reading and writing in threads of their own, beside the clock.
//
//     const auto threads = std::make_shared<Threads>();
//     from.threads = to.threads = threads;   // SourceOptions, SinkOptions: of one source and one sink
//
// Results    The same for any number of threads, errors and what is written ahead of them included.
// Protocol   Source and sink keep theirs and are used from one thread, which reads, pushes and closes.
//            Definitions only change inside of Source::read, as without threads, once the sink has written all that
//            it was given.
// Cost       A copy of each body on either side; a few blocks of some thousand records between the threads.
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
