// What a program that writes traces needs beside sources and sinks.
#pragma once

#include <memory>
#include <ostream>
#include <string>

namespace clc {

/// A file that is no trace, such as a report; it is written as traces are. A regular file has a temporary name in the
/// same folder until close, which keeps its permissions and follows symbolic links; without close it is discarded.
/// Devices, pipes and what is open already (/dev/stderr, /dev/fd/3) are written directly.
class OutputFile {
 public:
  /// "-" is standard output. sync: close waits until a regular file is on the disk. Throws OutputError.
  explicit OutputFile(const std::string& path, bool sync = true);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Writing to it throws OutputError, or BrokenPipe when the reader of a pipe is gone.
  [[nodiscard]] std::ostream& stream() noexcept;
  /// Writes the rest and gives the file its name. No call after that.
  void close();

 private:
  class Stream;
  std::unique_ptr<Stream> stream_;
};

/// True when both name the same regular file, whatever the spelling ("-": standard input for `input`,
/// standard output for `output`). Pipes, terminals and devices are never the same file.
[[nodiscard]] bool same_file(const std::string& input, const std::string& output);
/// True when writing output would write over input: the same file, or a file of an OTF2 archive. Throws InputError
/// where it cannot be told which archive input is.
[[nodiscard]] bool writes_over(const std::string& input, const std::string& output);
/// True when two outputs would be in the same file, whatever the spelling ("-" and /dev/stdout: standard output).
[[nodiscard]] bool same_output(const std::string& one, const std::string& other);

/// Removes the file, or the folder of an archive, when a signal ends the program. The sinks register what is temporary;
/// at most 16 at a time, further ones are not remembered. Takes effect after install_signal_handlers.
void remove_on_signal(const std::string& path) noexcept;
void keep_on_signal(const std::string& path) noexcept;

/// For main: SIGINT, SIGTERM and SIGHUP remove the registered files and then end the program as they
/// would have; a signal that the parent ignored stays ignored. SIGPIPE and SIGXFSZ are ignored, so that a write
/// to a pipe without reader throws BrokenPipe, and one beyond the largest file allowed OutputError.
void install_signal_handlers();

}  // namespace clc
