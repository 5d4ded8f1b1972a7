// Writes one binary trace, see clc-trace(5). It runs inside other programs: no exceptions, no output but the file, no
// allocation but for lines longer than a block. A failed write ends the trace; error() then tells why.
//
// Cost     A block of 64 KiB at a time; a checksum (XXH3) and a write(2) for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace clc::record {

class Writer {
 public:
  /// False: it cannot be created, or exists already; errno tells.
  [[nodiscard]] bool open(const char* path) noexcept;
  /// Removes what open() has created.
  void discard(const char* path) noexcept;
  /// Of the first write that failed, or of close(), as errno; 0: none.
  [[nodiscard]] int error() const noexcept { return error_; }

  void note(std::string_view line) noexcept;
  /// Begins a record; the fields of its body follow, in the order of the format.
  void record(std::uint32_t process, std::int64_t time) noexcept;
  void byte(unsigned value) noexcept { block_[used_++] = static_cast<char>(value); }
  void number(std::uint64_t value) noexcept;
  void signed_number(std::int64_t value) noexcept {
    number((static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void text(std::string_view text) noexcept;

  /// Ends the block.
  void flush() noexcept;
  /// Writes the end mark.
  void close() noexcept;
  [[nodiscard]] std::uint64_t records() const noexcept { return records_ + block_records_; }

 private:
  static constexpr std::size_t head = 32;
  static constexpr std::size_t payload = 65536;
  static constexpr std::size_t longest_entry = 512;
  static constexpr std::size_t check = 8;
  void long_note(std::string_view line) noexcept;
  void put_block(const char* type, char* block, std::size_t size) noexcept;
  void put(const char* bytes, std::size_t count) noexcept;
  void end_block(const char* type) noexcept;

  int file_ = -1;
  int error_ = 0;
  std::uint64_t records_ = 0;
  std::uint32_t block_records_ = 0;
  std::uint64_t notes_ = 0;
  std::int64_t base_ = 0;
  std::int64_t last_ = 0;
  std::size_t used_ = 0;  ///< bytes of the payload, then also of the head
  char block_[head + payload + longest_entry + check];
};

}  // namespace clc::record
