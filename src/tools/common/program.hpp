// Turns exceptions and signals into messages and an exit status.
//
// Exit status  0 success; 1 input or output failed; 2 usage; others as documented by a program.
// Signals      A closed output pipe ends the program silently by SIGPIPE (status 141 in a shell), as with
//              other filters, but after cleanup. Signals that end a program remove unfinished files,
//              then end the program by that signal.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clc/io/format.hpp"
#include "clc/verdict.hpp"
#include "formats/bytes/files.hpp"  // input_name()

namespace clc {
class KeptInput;
}

namespace clc::tool {

inline constexpr int status_ok = 0;
inline constexpr int status_failed = 1;
inline constexpr int status_usage = 2;
inline constexpr int status_unresolved = 3;

/// Runs body and returns its status; an exception becomes one line on standard error and a status.
/// remedy: what to try if memory is too short.
[[nodiscard]] int run_program(std::string_view program, const std::function<int()>& body, std::string_view remedy = {});

/// Flushes standard output, for programs that print to it without a sink. Throws OutputError.
void flush_output();

/// Throws UsageError if standard output is one of these files, or one of a folder or archive. Empty names are none.
void refuse_to_append_to(std::initializer_list<std::string> inputs);

/// Can it be opened again? Not standard input, a pipe, a device.
[[nodiscard]] bool same_input_twice(const std::string& path);
/// For SourceOptions::kept: what can be opened only once, in a temporary file; null for other inputs. format: see
/// keep_input().
[[nodiscard]] std::shared_ptr<const KeptInput> kept_if_read_once(const std::string& path, std::optional<Format> format);

/// A message of the library in the words of the command line: it names options of its interface, such as
/// SourceOptions::keep_going, which become "--keep-going", or Parameters::gamma_min = 0, which becomes "--gamma-min 0".
/// program: the one that runs; what only clc-filter and clc-filter-mpi have is named with the program elsewhere.
[[nodiscard]] std::string with_flags(std::string message, std::string_view program = "clc-filter");
/// The same for the remedies of a verdict.
[[nodiscard]] Verdict with_flags(Verdict verdict);

/// One line on standard error, with flags: "clc-filter: text".
void say(std::string_view program, std::string_view text);
/// The same for a warning: "clc-filter: warning: text".
void warn(std::string_view program, std::string_view text);
/// The same for each reason of a verdict.
void warn(std::string_view program, const Verdict& verdict);
/// The same for each warning of a source or sink.
void warn(std::string_view program, const std::vector<std::string>& lines);

/// "0.1.0"
[[nodiscard]] std::string_view version() noexcept;
/// The output of --version: program, compiled-in formats, libraries.
[[nodiscard]] std::string version_text(std::string_view program);

}  // namespace clc::tool
