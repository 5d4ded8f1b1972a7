// Base class of the readers of line-based formats: whole lines in the buffer, zero bytes, lines without end.
//
// Assumes  A reader consumes whole lines and counts them in line_.
// Cost     As Reader; each byte is read once more to find the last newline of a fill.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "common/line_length.hpp"
#include "common/reader.hpp"

namespace clc::formats {

/// The newline that ends the line. Most lines are short, so searching eight bytes at a time is faster than a
/// function call. Assumes that 8 bytes after the newline may be read.
[[nodiscard]] inline const char* find_newline(const char* at) noexcept {
  if (*at == '\n') return at;
  if constexpr (std::endian::native == std::endian::little) {
    for (;; at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, sizeof word);
      const std::uint64_t other = word ^ 0x0a0a'0a0a'0a0a'0a0aU;
      const std::uint64_t hit = (other - 0x0101'0101'0101'0101U) & ~other & 0x8080'8080'8080'8080U;
      if (hit != 0) return at + (std::countr_zero(hit) >> 3);
    }
  } else {
    while (*at != '\n') ++at;
    return at;
  }
}

class LineReader : public Reader {
 public:
  [[nodiscard]] std::string describe(std::uint64_t place) const final { return name_ + ':' + std::to_string(place); }

 protected:
  LineReader(std::string name, std::unique_ptr<ByteSource> bytes)
      : Reader(std::move(name), std::move(bytes), longest_line) {}

  /// Reads more. False at the end of the input, once all complete lines have been parsed.
  bool more() override;
  /// All lines up to `at` have been parsed.
  void consume_lines(const char* at) {
    buffer_.consume(at);
    if (at == end_ && zero_ != nullptr && fault_.empty()) zero_fault();
  }
  /// True for the end of the last line if it has no newline.
  [[nodiscard]] bool unterminated(const char* line_end) const noexcept {
    return unterminated_ && line_end + 1 == buffer_.end();
  }
  /// True if everything has been parsed and the last line has no newline.
  [[nodiscard]] bool ended_unterminated() const noexcept {
    return unterminated_ && fault_.empty() && buffer_.size() == 0;
  }
  /// Handles a last line without newline, which may have been cut off when its writer was interrupted.
  [[nodiscard]] std::string truncated_hint(const char* line_end) const {
    return unterminated(line_end) ? " (the last line has no newline: the file may be truncated)" : "";
  }

  std::uint64_t line_ = 1;  ///< number of the line at buffer_.begin()

 private:
  void zero_fault();

  const char* zero_ = nullptr;  ///< the first zero byte in the buffer
  bool ended_ = false;
  bool unterminated_ = false;
};

}  // namespace clc::formats
