// Memory for the bodies of the records of an input, which stay where they are until it is read again.
//
// Cost     A comparison for each body; blocks are used again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <vector>

namespace clc::formats {

class Arena {
 public:
  /// The blocks are not given back: the memory is freed as a whole.
  explicit Arena(std::pmr::memory_resource& memory) : memory_(&memory), blocks_(&memory) {}

  /// Everything taken so far becomes invalid.
  void clear() noexcept {
    block_ = 0;
    used_ = 0;
  }
  /// Room for `most` bytes; take tells how far it was used.
  [[nodiscard]] char* room(std::size_t most) {
    while (block_ < blocks_.size() && blocks_[block_].size - used_ < most) {
      ++block_;
      used_ = 0;
    }
    if (block_ == blocks_.size()) {
      const std::size_t size = std::max(most, usual_size);
      blocks_.push_back({static_cast<char*>(memory_->allocate(size, 1)), size});
    }
    return blocks_[block_].bytes + used_;
  }
  void take(const char* end) noexcept { used_ = static_cast<std::size_t>(end - blocks_[block_].bytes); }

 private:
  static constexpr std::size_t usual_size = std::size_t{1} << 12;
  struct Block {
    char* bytes;
    std::size_t size;
  };
  std::pmr::memory_resource* memory_;
  std::pmr::vector<Block> blocks_;
  std::size_t block_ = 0;
  std::size_t used_ = 0;  ///< of that block
};

}  // namespace clc::formats
