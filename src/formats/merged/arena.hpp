// Memory for the bodies of a batch, which stay where they are until the next batch.
//
// Cost     A comparison for each body; blocks are used again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace clc::formats {

class Arena {
 public:
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
      blocks_.push_back({std::make_unique_for_overwrite<char[]>(size), size});
    }
    return blocks_[block_].bytes.get() + used_;
  }
  void take(const char* end) noexcept { used_ = static_cast<std::size_t>(end - blocks_[block_].bytes.get()); }

 private:
  static constexpr std::size_t usual_size = std::size_t{1} << 16;
  struct Block {
    std::unique_ptr<char[]> bytes;
    std::size_t size;
  };
  std::vector<Block> blocks_;
  std::size_t block_ = 0;
  std::size_t used_ = 0;  ///< of that block
};

}  // namespace clc::formats
