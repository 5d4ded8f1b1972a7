// Several traces that are read as one, and their output: a folder with the same set of files.
//
//     source = merged(inputs, options with parts)             // tells which trace each record came from
//     sink = parts_sink(folder, definitions, options, open)   // before the first read
//
// Writing    The sink keeps the corrections only. When it is closed, it reads each trace again, by itself, and writes
//            it with the new times: records, notes and unknown fields stay in their trace.
// Maps       Points of a map that grows, "%provenance offset@N PROCESS ...", come up while the traces are read as one.
//            The sink keeps them; each trace has those of its processes before its first record.
// Order      Corrections change the order of processes that share a trace: its records are sorted again, within the
//            difference of their corrections.
// Damage     A trace ends where its corrections end, so damage is met, and told, by the first reading only.
// Cost       Reads all traces twice. A byte or two per event, in a temporary file beyond 32 MiB; one trace is open at
//            a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "clc/io/format.hpp"

namespace clc {

class Parts {
 public:
  /// Of a process in a trace; they number its corrections.
  using Channel = std::uint32_t;

  /// Opens a trace again, in its own format.
  using Open = std::function<OpenedSource(const std::string& path)>;
  /// sort_memory: as SourceOptions.
  Parts(Open open, std::uint64_t sort_memory) : open_(std::move(open)), sort_memory_(sort_memory) {}

  void add(std::string path) { paths_.push_back(std::move(path)); }
  [[nodiscard]] const std::vector<std::string>& paths() const noexcept { return paths_; }
  [[nodiscard]] OpenedSource open(std::size_t part) const { return open_(paths_[part]); }
  [[nodiscard]] std::uint64_t sort_memory() const noexcept { return sort_memory_; }

  // For the source. Nothing is followed before the first call of follow, by the sink.
  void follow() noexcept { followed_ = true; }
  [[nodiscard]] bool followed() const noexcept { return followed_; }
  /// The next record of the process is in another trace than the one before it.
  void begin(ProcessIndex process, std::size_t part);
  void read(ProcessIndex process) { ++processes_[process].read; }

  // For the sink, which gets the records of each process in order.
  [[nodiscard]] Channel next(ProcessIndex process);
  /// Of the processes with records in a trace.
  [[nodiscard]] std::map<ProcessIndex, Channel> channels_of(std::size_t part) const;
  [[nodiscard]] std::size_t channels() const noexcept { return channels_.size(); }

 private:
  struct Stretch {
    std::uint64_t first;  ///< number of a record of the process
    Channel channel;
  };
  struct OfProcess {
    std::uint64_t read = 0;
    std::uint64_t written = 0;
    std::deque<Stretch> stretches;  ///< from that of the next record to be written on
  };
  Open open_;
  std::uint64_t sort_memory_;
  std::vector<std::string> paths_;
  bool followed_ = false;
  std::vector<OfProcess> processes_;
  std::map<std::pair<std::size_t, ProcessIndex>, Channel> channels_;  ///< by trace and process
};

}  // namespace clc

namespace clc::formats {

/// Opens a file to write a trace.
using OpenSink =
    std::function<std::unique_ptr<Sink>(const std::string& path, const Definitions& definitions, const SinkOptions&)>;

/// definitions: of the merged source. options: with parts. Throws OutputError, UsageError.
[[nodiscard]] std::unique_ptr<Sink> parts_sink(const std::string& folder, const Definitions& definitions,
                                               const SinkOptions& options, OpenSink open);

}  // namespace clc::formats
