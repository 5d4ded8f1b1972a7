// Part of an archive: the locations of one of several processes that correct an archive together.
//
// Place    Between the files and a parallel replay, which it knows nothing of. Knows no MPI: the processes agree by the
//          interface `Partners`.
// Method   Every process reads the definitions, and the events of its own locations, once, into a temporary file that
//          is played as often as needed. Each writes the files of its own locations; the first all others. The archive
//          appears under its name when all are complete.
// Cuts     Locations that share a clock, and threads of a process, belong together. Otherwise each process gets about
//          as many events: a run of locations or, with a function that divides them so, locations that send messages to
//          each other, as far as a sample of their events tells.
// Indexes  Communicators that the archive only implies are found by reading events. They get the same index in all
//          processes, except those of a single location, of which no other process hears.
// Errors   InputError, OutputError, UsageError, in the process where they occur. With SourceOptions::keep_going, damage
//          is known to all processes after `read` and `write`, by location.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "clc/io/format.hpp"
#include "trace/corrected.hpp"
#include "trace/counted.hpp"
#include "trace/division.hpp"
#include "trace/offsets.hpp"
#include "trace/partners.hpp"

namespace clc::otf2 {

class ArchivePart {
 public:
  virtual ~ArchivePart() = default;
  /// Those of the archive, and after `read` the communicators that it implies. They do not change any more then.
  [[nodiscard]] virtual const Definitions& definitions() const noexcept = 0;
  /// The rank of each location.
  [[nodiscard]] virtual const std::vector<unsigned>& owners() const noexcept = 0;
  /// Reads the events of the own locations. Returns their number.
  virtual std::uint64_t read() = 0;
  /// Maps the clocks of locations, by their numbers: recorded times are mapped ones then. To be called after `read`;
  /// all clocks begin again. A location without points keeps its times.
  virtual void map(Offsets offsets) = 0;
  /// The next event of a clock, in the order in which a single process would deliver it; false at its end.
  virtual bool next(ClockIndex clock, Event& event) = 0;
  /// All messages of a clock, which has no other edges and on which nothing depends on their order. False: it is not
  /// known that it is such a clock, or no more after the last `rewind`.
  virtual bool messages(ClockIndex clock, std::vector<CountedEvent>& all) = 0;
  /// All clocks begin again. is_last: what is read after that is to be written.
  virtual void rewind(bool is_last) = 0;
  /// The times of the next events of a location. To be called after their `next`. Returns those that are in files,
  /// until the next call.
  virtual std::span<const CorrectedTime> written(ProcessIndex process, std::span<const CorrectedTime> events) = 0;
  /// How many mapped times of the own locations did not fit into 64 bits since clocks began again.
  [[nodiscard]] virtual std::uint64_t count_cut_off() const = 0;
  /// Writes the archive with the corrected times. path, options: as of open_sink; of the options overwrite, sync,
  /// keep_original and provenance.
  virtual void write(const std::string& path, const SinkOptions& options) = 0;
  /// The same in all processes.
  [[nodiscard]] virtual std::vector<std::string> warnings() const = 0;
  [[nodiscard]] virtual std::vector<std::string> remarks() const = 0;
  /// Why the archive cannot be read completely, with SourceOptions::keep_going; empty: it can. The same in all
  /// processes.
  [[nodiscard]] virtual std::string fault() const = 0;
};

/// path: the archive's anchor file or its folder. divide: is called by the first process; empty: runs of locations.
/// memory: bytes of packed events and corrections that are not in the temporary files. Keeps a reference to partners.
[[nodiscard]] std::unique_ptr<ArchivePart> open_part(const std::string& path, const SourceOptions& options,
                                                     Partners& partners, std::uint64_t memory,
                                                     const DivideByTraffic& divide);

}  // namespace clc::otf2
