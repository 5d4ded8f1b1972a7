// Several traces as one, merged by time while they are read.
//
// Place        Above the sources of the single traces, which it knows as clc::Source only.
// Order        Each trace is sorted by itself. Records of equal time are in the order of the list of traces.
// Definitions  A number means the same process or communicator in all traces. A trace may repeat a definition, or
//              replace its own; one that contradicts another trace is refused. A process without name and
//              a communicator without members are defined elsewhere; a process with a name and without clock= has a
//              clock of its own. All traces need the same resolution. The minimum delay is the smallest.
// Bodies       In the encoding of the binary format, copied beside those of the records around it.
// Damage       As for a single trace. With keep_going, the other traces are read to their end first.
// Cost         O(log(traces)) per run of records of one trace. In memory: of binary traces what their sources have
//              read, which is decoded when it leaves; of others a batch each, in large pages.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "clc/io/source.hpp"
#include "merged/parts.hpp"

namespace clc::formats {

struct MergedInput {
  std::string name;  ///< for messages
  std::unique_ptr<Source> source;
  bool binary = false;  ///< its bodies are in the encoding of the binary format
};

struct MergedOptions {
  ClockOf clock_of = ClockOf::process;
  bool keep_going = false;
  /// Of traces that cannot be opened, one message each; only with keep_going.
  std::vector<std::string> failures = {};
  /// The inputs, in the same order; null: they are not written again.
  std::shared_ptr<Parts> parts = nullptr;
  /// Called before definitions change; empty: nobody else reads them.
  std::function<void()> on_definitions = {};
};

/// Throws InputError if the resolutions differ. Pre: at least one input.
[[nodiscard]] std::unique_ptr<Source> merged(std::vector<MergedInput> inputs, MergedOptions options);

struct TraceFiles {
  std::vector<std::string> files;
  /// Traces in folders that another program than zstd compressed; they cannot be read.
  std::vector<std::string> compressed;
};

/// The files of `paths`, and of the lines of the file `list` ("-": standard input; empty: none). A folder stands for
/// the traces in it: files named *.clct, *.clcb or *.trace, perhaps with .zst, in natural order (rank2 before rank10).
/// An archive stays. Throws InputError, also if a trace is there twice.
[[nodiscard]] TraceFiles trace_files(const std::vector<std::string>& paths, const std::string& list,
                                     const std::function<bool(const std::string& path)>& is_archive);

}  // namespace clc::formats
