// Files, pipes and devices as bytes.
//
// Input    "-" is standard input. Pipes are widened to 1 MiB (a default pipe carries a third as much).
// Output   "-" is standard output. A regular file is written under a temporary name in the same folder
//          and renamed by close; it never has more permissions than a file that it replaces.
//          Symbolic links are followed. Devices, pipes and open descriptors (/dev/stdout,
//          /dev/fd/3) are written directly.
// Errors   InputError, OutputError; BrokenPipe if the reader of a pipe is gone (requires SIGPIPE to be
//          ignored, see bytes/files.hpp).
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bytes/bytes.hpp"
#include "bytes/interrupt.hpp"

namespace clc::formats {

/// Of a file or folder: what owner, group and others may do.
inline constexpr unsigned permission_bits = 0777;

/// Returns after how long to call it again if the input still pauses; none: not before more input has come.
using OnPause = std::function<std::optional<std::chrono::milliseconds>()>;

/// on_pause: if set, called before a read that has to wait. interrupt: if it is raised, reading throws
/// Interrupt::Raised.
[[nodiscard]] std::unique_ptr<ByteSource> open_file_source(const std::string& path, OnPause on_pause = {},
                                                           std::shared_ptr<const Interrupt> interrupt = nullptr);

/// For many files at the same time: a regular file is read in pieces of at most that many bytes. closed: it is open
/// only while a piece is read. Other inputs are opened as usual.
[[nodiscard]] std::unique_ptr<ByteSource> open_file_in_pieces(const std::string& path, std::size_t piece, bool closed);

/// sync: close waits until a regular file is on the disk. Throws UsageError if the output is a terminal and
/// `for_terminal` is false.
[[nodiscard]] std::unique_ptr<ByteSink> open_file_sink(const std::string& path, bool for_terminal, bool sync);

/// Waits until a name is on the disk, if its file system supports that.
void sync_folder_of(const std::string& path) noexcept;

}  // namespace clc::formats
