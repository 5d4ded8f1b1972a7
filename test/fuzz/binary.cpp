// The binary reader: the bytes as they are, and with checksums and counts of records before a block set right, so that
// what lies behind the checksums is reached.
#include "binary/binary.hpp"

#include "binary/layout.hpp"
#include "common/checksum.hpp"
#include "fuzz.hpp"

namespace {

using namespace clc::formats::binary;

std::string repaired(std::string file) {
  if (file.size() < file_head_size) return file;
  file.replace(0, magic.size(), magic);
  store<std::uint32_t>(file.data() + 8, version);
  store(file.data() + 12, static_cast<std::uint32_t>(clc::formats::checksum({file.data(), 12})));
  std::uint64_t first = 0;
  for (std::size_t at = file_head_size; at + block_head_size + checksum_size <= file.size();) {
    char* const head = file.data() + at;
    const std::size_t room = file.size() - at - block_head_size - checksum_size;
    const std::size_t payload = std::min<std::size_t>(load<std::uint32_t>(head + 4), room);
    store(head + 4, static_cast<std::uint32_t>(payload));
    store(head + 8, first);
    first += load<std::uint32_t>(head + 24);
    store(head + 28, static_cast<std::uint32_t>(clc::formats::checksum({head, 28})));
    char* const body = head + block_head_size;
    store(body + payload, clc::formats::checksum({body, payload}));
    at += block_head_size + payload + checksum_size;
  }
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file(reinterpret_cast<const char*>(data), size);
  const std::string right = repaired(file);
  if (right != file) static_cast<void>(clc::fuzz::read(clc::formats::binary_source, file, size + 1, 0));
  clc::fuzz::require_reader(clc::formats::binary_source, clc::Format::binary, right);
  return 0;
}
