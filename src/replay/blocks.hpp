// Blocks of bytes, appended in order and read in any order. Kept in memory up to a limit, then in an unnamed temporary
// file.
//
// Cost     16 bytes of memory for each block.
// Errors   OutputError if the file cannot be written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "clc/time.hpp"

namespace clc::replay {

class Blocks {
 public:
  /// A good size of a block.
  static constexpr std::size_t usual_size = std::size_t{1} << 18;
  static constexpr std::size_t usual_limit = std::size_t{1} << 24;

  explicit Blocks(std::size_t most_in_memory = usual_limit) : most_in_memory_(most_in_memory) {}
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  ~Blocks();

  void append(std::string_view block);
  [[nodiscard]] std::size_t count() const noexcept { return blocks_.size(); }
  void read(std::size_t index, std::string& to) const;

 private:
  struct Block {
    std::uint64_t place;
    std::size_t size;
  };
  std::vector<Block> blocks_;
  std::string memory_;  ///< the first bytes; the others are in the file
  std::size_t most_in_memory_;
  std::uint64_t size_ = 0;
  int file_ = -1;
};

/// Appends numbers and texts to a block.
class Packer {
 public:
  void number(std::uint64_t value);
  void number_of_any_sign(std::int64_t value);
  /// An absolute time, as the difference from the last one.
  void time(Time value) {
    // Modulo 2^64, so that it is exact for all times.
    number_of_any_sign(static_cast<std::int64_t>(ticks_between(last_, value)));
    last_ = value;
  }
  void text(std::string_view value) {
    number(value.size());
    bytes_.append(value);
  }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  /// Ends the block: moves it to blocks, and begins another one. An empty block is dropped.
  void end(Blocks& blocks);

 private:
  std::string bytes_;
  Time last_;
};

/// Reads what a Packer wrote. The block must not change while its texts are used.
class Unpacker {
 public:
  explicit Unpacker(std::string_view block) : at_(block.data()), end_(block.data() + block.size()) {}
  [[nodiscard]] bool any() const noexcept { return at_ != end_; }
  [[nodiscard]] std::uint64_t number() noexcept;
  [[nodiscard]] std::int64_t number_of_any_sign() noexcept;
  [[nodiscard]] Time time() noexcept {
    const auto from = static_cast<std::uint64_t>(last_.ticks());
    last_ = Time(static_cast<std::int64_t>(from + static_cast<std::uint64_t>(number_of_any_sign())));
    return last_;
  }
  [[nodiscard]] std::string_view text() noexcept {
    const std::size_t size = number();
    const std::string_view value(at_, size);
    at_ += size;
    return value;
  }

 private:
  const char* at_;
  const char* end_;
  Time last_;
};

}  // namespace clc::replay
