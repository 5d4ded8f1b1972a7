#include "replay/blocks.hpp"

#include <unistd.h>

#include <array>

#include "formats/bytes/temporary.hpp"
#include "formats/common/varint.hpp"

namespace clc::replay {

Blocks::~Blocks() {
  if (file_ >= 0) ::close(file_);
}

void Blocks::append(std::string_view block) {
  blocks_.push_back({size_, block.size()});
  if (file_ < 0 && memory_.size() + block.size() <= most_in_memory_) {
    memory_.append(block);
  } else {
    if (file_ < 0) file_ = formats::open_temporary();
    formats::write_temporary(file_, block.data(), block.size(), size_ - memory_.size());
  }
  size_ += block.size();
}

void Blocks::read(std::size_t index, std::string& to) const {
  const Block& block = blocks_[index];
  if (block.size == 0) return to.clear();
  if (block.place < memory_.size()) {
    to.assign(memory_, block.place, block.size);
    return;
  }
  to.resize(block.size);
  static_cast<void>(formats::read_temporary(file_, to.data(), block.size, block.place - memory_.size()));
}

void Packer::number(std::uint64_t value) {
  std::array<char, formats::longest_varint> bytes{};
  bytes_.append(bytes.data(), formats::put_varint(bytes.data(), value));
}

void Packer::number_of_any_sign(std::int64_t value) { number(formats::zigzag(value)); }

void Packer::end(Blocks& blocks) {
  if (!bytes_.empty()) blocks.append(bytes_);
  bytes_.clear();
  last_ = Time();
}

std::uint64_t Unpacker::number() noexcept { return formats::take_varint(at_); }

std::int64_t Unpacker::number_of_any_sign() noexcept { return formats::unzigzag(number()); }

}  // namespace clc::replay
