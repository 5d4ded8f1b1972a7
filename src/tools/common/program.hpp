// From exceptions and signals to what a user of a program sees.
//
// Exit status  0 done; 1 input or output failed; 2 usage; others as a program documents.
// Signals      A closed output pipe ends the program silently by SIGPIPE (status 141 in a shell), as it
//              ends other filters, but after the output was tidied up. SIGINT, SIGTERM and SIGHUP remove
//              files under construction, then end the program by that signal.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace clc::tool {

inline constexpr int status_ok = 0;
inline constexpr int status_failed = 1;
inline constexpr int status_usage = 2;
inline constexpr int status_unresolved = 3;

/// Runs body and returns its status; an exception becomes one line on standard error and a status.
[[nodiscard]] int run_program(std::string_view program, const std::function<int()>& body);

/// Flushes standard output, where a program prints to it without a sink. Throws OutputError.
void flush_output();

/// What messages call an input: "standard input" for "-".
[[nodiscard]] std::string input_name(const std::string& path);

/// One line on standard error: "clc-filter: warning: text".
void warn(std::string_view program, std::string_view text);
/// The same for each of them: what sources and sinks say of their files.
void warn(std::string_view program, const std::vector<std::string>& lines);

/// "0.1.0"
[[nodiscard]] std::string_view version() noexcept;
/// What --version prints: program, formats compiled in, libraries.
[[nodiscard]] std::string version_text(std::string_view program);

}  // namespace clc::tool
