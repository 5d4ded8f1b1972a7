// Files that nobody else sees, in $TMPDIR or /tmp: without a name, so that they are gone however the program ends.
#pragma once

#include <cstddef>
#include <cstdint>

namespace clc::formats {

/// A descriptor. Throws OutputError.
[[nodiscard]] int open_temporary();
/// Errors are thrown as OutputError.
void write_temporary(int file, const char* bytes, std::size_t size, std::uint64_t place);
/// Returns less than size only at the end.
[[nodiscard]] std::size_t read_temporary(int file, char* to, std::size_t size, std::uint64_t place);

}  // namespace clc::formats
