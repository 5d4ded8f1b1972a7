// Output files that are not traces, comparison of paths, and cleanup when a signal arrives.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

namespace clc {

/// A file that is not a trace, such as a report. A regular file has a temporary name in the same folder until close,
/// which replaces the file of that name, keeps its permissions and follows symbolic links. Without close the new file
/// is discarded. Devices, pipes and open descriptors (/dev/stderr, /dev/fd/3) are written directly.
class OutputFile {
 public:
  /// "-" is standard output. sync: close waits until a regular file is on the disk. Throws OutputError.
  explicit OutputFile(const std::string& path, bool sync = true);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Writing to it throws OutputError, or BrokenPipe when the reader of a pipe is gone.
  [[nodiscard]] std::ostream& stream() noexcept;
  /// Writes the rest and gives the file its name. The last call.
  void close();

 private:
  class Stream;
  std::unique_ptr<Stream> stream_;
};

/// The name of an input in messages: "standard input" for "-".
[[nodiscard]] std::string input_name(const std::string& path);
/// The name of an output in messages: "standard output" for "-".
[[nodiscard]] std::string output_name(const std::string& path);
/// True if both paths name the same regular file ("-": standard input for `input`, standard output for
/// `output`). Pipes, terminals and devices are never the same file.
[[nodiscard]] bool same_file(const std::string& input, const std::string& output);
/// True if output is standard output, or another open descriptor, and a regular file.
[[nodiscard]] bool is_open_file(const std::string& output);
/// True if writing output would overwrite input: the same file, a file of an OTF2 archive, or, where output is open, a
/// trace in a folder. Throws InputError if the archive to which input belongs is ambiguous, or a trace is in a folder
/// twice.
[[nodiscard]] bool writes_over(const std::string& input, const std::string& output);
/// True if both paths would write the same file ("-" and /dev/stdout: standard output).
[[nodiscard]] bool same_output(const std::string& one, const std::string& other);

/// True if nobody sees the output before it is complete: a file or archive, but no pipe, device or open descriptor.
[[nodiscard]] bool appears_when_complete(const std::string& output);

/// The end of the regular file that is standard output, to which nobody else appends: what is written from here on can
/// be taken back. None: standard output is no such file.
[[nodiscard]] std::optional<std::int64_t> end_of_standard_output();
/// Cuts that file at that place again. False: it cannot be cut.
[[nodiscard]] bool cut_standard_output(std::int64_t end);

/// Registers a file, or the folder of an archive, to be removed when a signal ends the program. The sinks register
/// temporary files. At most 16 at a time are remembered. Takes effect after install_signal_handlers.
void remove_on_signal(const std::string& path) noexcept;
void keep_on_signal(const std::string& path) noexcept;

/// For main: on SIGINT, SIGTERM, SIGHUP, and other signals that end a program, removes the registered files, then ends
/// the program by that signal. A signal that the parent ignored stays ignored. Also ignores SIGPIPE and SIGXFSZ: a
/// write to a pipe without a reader throws BrokenPipe, a write beyond the file size limit OutputError.
void install_signal_handlers();

}  // namespace clc
