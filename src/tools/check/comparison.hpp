// Are two traces the same apart from the times of their records?
//
// Rule     Process and communicator numbers are compared, not indexes. The order in which processes and communicators
//          are defined means nothing: the formats that name them in their records define them at their first use.
//          Other lines keep their order; if both sides are several traces, each trace keeps that of its own.
// Memory   The lines that only one trace has had so far; of a trace that became an archive, a definition per process.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "clc/definitions.hpp"
#include "clc/io/source.hpp"
#include "matching/edges.hpp"
#include "matching/pairing.hpp"
#include "matching/window.hpp"
#include "verdict.hpp"

namespace clc::check {

using namespace matching;  // edges and columns are the words of this room, too

/// One trace, as far as its records can be compared with those of another.
struct Side {
  const Definitions* definitions = nullptr;
  const BodyDecoder* decoder = nullptr;
  /// Words for a place: "run.clct:17".
  std::function<std::string(std::uint64_t place)> describe;
  bool archive = false;  ///< an OTF2 archive: times include its clock offsets, which only its notes show
  bool several = false;  ///< traces that are read as one
};

/// In what a record of b differs from that of a; empty: in nothing. A recorded time that was kept beside the corrected
/// one must be the recorded time.
[[nodiscard]] std::string difference(const Side& a, const Sighting& in_a, const Side& b, const Sighting& in_b);

/// The lines of the recorded and the corrected trace that are no records.
class LineComparison {
 public:
  /// into_archive: of the definitions of a process the corrected trace need have only the last.
  explicit LineComparison(bool into_archive) : into_archive_(into_archive) {}
  /// The next line. trace: the number of the one that has it, the same on both sides. may_lack: the corrected trace
  /// need not have it.
  void add(Column file, std::size_t trace, std::string_view line, bool may_lack, Verdict& verdict);
  /// Nothing more comes. complete: both were read to their ends; otherwise what only one has tells nothing. window:
  /// knows which lines the corrected trace may lack.
  void finish(bool complete, InWindow& window, Verdict& verdict);

 private:
  struct Note {
    std::string line;
    bool may_lack = false;
  };
  void replace_process(std::string_view line);
  void missing(Column file, const std::string& line, Verdict& verdict);

  /// Lines that only one side has had so far, by Column.
  using Notes = std::array<std::deque<Note>, 2>;
  std::map<std::size_t, Notes> notes_;               ///< by trace
  std::map<std::string, std::int64_t> definitions_;  ///< lines, and how often more in the recorded trace
  bool into_archive_;
  // Of the recorded trace; empty unless into_archive_.
  std::map<std::string, std::string> processes_;  ///< "%process 1" and its latest line
  std::map<std::string, std::int64_t> replaced_;  ///< lines, and how often a later one replaced them
};

}  // namespace clc::check
