// Shared by the format tests: files, pipes, whole traces in memory, random traces.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clc/event.hpp"
#include "clc/io/format.hpp"

namespace format_test {

/// A folder of its own for a test, removed at the end; also the current folder, so that messages hold
/// plain names.
class Folder {
 public:
  Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();
  [[nodiscard]] std::vector<std::string> files() const;

 private:
  std::string path_;
  std::string before_;
};

void write_file(const std::string& path, std::string_view content);
[[nodiscard]] std::string read_file(const std::string& path);
/// Whether searches may take longer: unless CLC_TRACES asks for fewer than 100 random traces.
[[nodiscard]] bool in_depth();

/// Both ends of a pipe; names usable as paths.
class Pipe {
 public:
  Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe();
  void write(std::string_view bytes) const;
  void close_write();
  void close_read();
  [[nodiscard]] std::string read_path() const;
  [[nodiscard]] std::string write_path() const;
  /// All that comes until the other end is closed.
  [[nodiscard]] std::string drain() const;

 private:
  int fds_[2];
};

/// A trace read to its end or to its first error.
struct Trace {
  std::vector<clc::Event> events;
  std::vector<std::string> bodies;
  std::vector<std::uint64_t> places;
  std::vector<std::pair<std::size_t, std::string>> notes;  ///< index of the event behind it, line
  std::string error;                                       ///< empty: read to the end
  std::vector<std::string> remarks;
};

[[nodiscard]] Trace read_trace(const std::string& path, const clc::SourceOptions& options = {});

/// Copies records as a filter without clock does. Returns the input's error.
std::string copy_trace(const std::string& from, const std::string& to, clc::SinkOptions sink,
                       const clc::SourceOptions& source = {});
[[nodiscard]] inline clc::SinkOptions as(clc::Format format) {
  clc::SinkOptions options;
  options.format = format;
  return options;
}

/// A trace in text as the text sink writes it, with all kinds of records, notes in between, extreme and
/// ordinary numbers.
[[nodiscard]] std::string random_text(std::uint64_t seed, int records);

/// A dozen records of every kind and a few notes.
[[nodiscard]] std::string small_text();

}  // namespace format_test
