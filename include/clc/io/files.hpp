// What a program that writes traces needs beside sources and sinks.
#pragma once

#include <string>

namespace clc {

/// True when both name the same regular file, whatever the spelling ("-": standard input for `input`,
/// standard output for `output`). Pipes, terminals and devices are never the same file.
[[nodiscard]] bool same_file(const std::string& input, const std::string& output);

/// Removes the file, or the folder of an archive, when a signal ends the program. The sinks register what is temporary;
/// at most 16 at a time, further ones are not remembered. Takes effect after install_signal_handlers.
void remove_on_signal(const std::string& path) noexcept;
void keep_on_signal(const std::string& path) noexcept;

/// For main: SIGINT, SIGTERM and SIGHUP remove the registered files and then end the program as they
/// would have; a signal that the parent ignored stays ignored. SIGPIPE and SIGXFSZ are ignored, so that a write
/// to a pipe without reader throws BrokenPipe, and one beyond the largest file allowed OutputError.
void install_signal_handlers();

}  // namespace clc
