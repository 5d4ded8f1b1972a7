// What the readers of formats made of lines share: whole lines in the buffer, zero bytes, lines without end.
//
// Assumes  A reader consumes whole lines and keeps line_ in step.
// Cost     As Reader; each byte is looked at once for the last newline of a fill.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "common/line_length.hpp"
#include "common/reader.hpp"

namespace clc::formats {

/// The newline that ends the line. Short lines are the rule: eight bytes at a time beat a call.
/// Assumes that 8 bytes behind it may be read.
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

  /// Reads more. False at the end of the input, when all complete lines have been parsed.
  bool more() override;
  /// All lines up to `at` are parsed.
  void consume_lines(const char* at) {
    buffer_.consume(at);
    if (at == end_ && zero_ != nullptr && fault_.empty()) zero_fault();
  }
  /// True for the end of the last line when no newline stood there.
  [[nodiscard]] bool unterminated(const char* line_end) const noexcept {
    return unterminated_ && line_end + 1 == buffer_.end();
  }
  /// Has everything been parsed, the last line without its newline?
  [[nodiscard]] bool ended_unterminated() const noexcept {
    return unterminated_ && fault_.empty() && buffer_.size() == 0;
  }
  /// The last line without newline may be what a program had written when it was interrupted.
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
