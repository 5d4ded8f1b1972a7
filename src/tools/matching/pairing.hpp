// Joins two or three traces with the same records: the k-th record of a process in one belongs to the
// k-th record of that process in the others. Their global order may differ.
//
// Protocol   add the records of each file in order; files may interleave in any way. Call end at the end of
//            each file. Records that can have no counterpart any more are reported at once.
// Memory     Records that wait for their counterparts; if files are read in step, proportional to the
//            distance between their positions.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "matching/edges.hpp"
#include "trace/hash.hpp"

namespace clc::matching {

/// A record of one file, with the indexes of that file.
struct Sighting {
  Event event;
  Body body;
  std::uint64_t place = 0;
};

class PairObserver {
 public:
  virtual ~PairObserver() = default;
  /// The same record in all files, by column; entries beyond the number of files are empty.
  virtual void matched(const std::array<Sighting, columns>& sightings) = 0;
  /// A record of one file that is missing in another one, missing_in.
  virtual void unmatched(Column file, Column missing_in, const Sighting& sighting) = 0;
};

class Pairing {
 public:
  /// files: 2 or 3. definitions, one for each file, may grow.
  Pairing(std::vector<const Definitions*> definitions, PairObserver& observer);

  void add(Column file, const Event& event, Body body, std::uint64_t place);
  void end(Column file);

  /// Current number of records of a file that wait.
  [[nodiscard]] std::size_t waiting(Column file) const noexcept { return waiting_[file]; }

 private:
  struct Kept {
    Event event;
    std::string body;
    std::uint64_t place;
    [[nodiscard]] Sighting sighting() const noexcept { return {event, body, place}; }
  };
  using Line = std::array<std::deque<Kept>, columns>;

  [[nodiscard]] std::size_t line_of(Column file, ProcessIndex process);
  /// The first other file that has ended and has no records waiting in this line.
  [[nodiscard]] std::optional<Column> missing_for(Column file, const Line& line) const noexcept;

  std::vector<const Definitions*> definitions_;
  PairObserver* observer_;
  HashMap<std::uint64_t, std::size_t> line_by_number_;
  std::array<std::vector<std::size_t>, columns> lines_of_file_;
  std::vector<Line> lines_;
  std::array<bool, columns> ended_{};
  std::array<std::size_t, columns> waiting_{};
};

}  // namespace clc::matching
