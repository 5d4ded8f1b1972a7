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
    if (!blocks_.empty()) begin_block();
  }
  /// Room for `most` bytes; take tells how far it was used.
  [[nodiscard]] char* room(std::size_t most) {
    if (static_cast<std::size_t>(end_ - at_) < most) [[unlikely]]
      next_block(most);
    return at_;
  }
  void take(char* end) noexcept { at_ = end; }

 private:
  static constexpr std::size_t usual_size = std::size_t{1} << 12;
  struct Block {
    char* bytes;
    std::size_t size;
  };

  void begin_block() noexcept {
    at_ = blocks_[block_].bytes;
    end_ = at_ + blocks_[block_].size;
  }
  /// The next one with that much room.
  [[gnu::noinline]] void next_block(std::size_t most) {
    while (block_ < blocks_.size() && static_cast<std::size_t>(end_ - at_) < most)
      if (++block_ < blocks_.size()) begin_block();
    if (block_ < blocks_.size()) return;
    const std::size_t size = std::max(most, usual_size);
    blocks_.push_back({static_cast<char*>(memory_->allocate(size, 1)), size});
    begin_block();
  }

  std::pmr::memory_resource* memory_;
  std::pmr::vector<Block> blocks_;
  std::size_t block_ = 0;
  // The rest of that block.
  char* at_ = nullptr;
  char* end_ = nullptr;
};

}  // namespace clc::formats
