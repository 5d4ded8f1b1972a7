// zstd around other bytes: damaged input, and any bytes there and back.
#include "zstd/zstd.hpp"

#include "clc/error.hpp"
#include "fuzz.hpp"

namespace {

using namespace clc;

constexpr std::size_t most_output = std::size_t{1} << 20;

/// What comes out of the input before its end, an error, or the first MiB.
std::pair<std::string, std::string> decoded(std::string_view bytes, std::size_t most, std::size_t capacity) {
  std::pair<std::string, std::string> result;
  try {
    const auto source = formats::zstd_source("input", std::make_unique<fuzz::MemorySource>(bytes, most));
    std::string buffer(capacity, '\0');
    while (const std::size_t got = source->read(buffer.data(), buffer.size())) {
      fuzz::require(got <= capacity, "more bytes than asked for");
      result.first.append(buffer, 0, got);
      if (result.first.size() >= most_output) break;
    }
    fuzz::require(source->consumed() <= bytes.size(), "more bytes consumed than there are");
  } catch (const InputError& error) {
    result.second = error.what();
    fuzz::require_message(result.second);
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto whole = decoded(bytes, size + 1, std::size_t{1} << 16);
  const auto pieces = decoded(bytes, 1 + size % 7, 1000);
  if (whole.first.size() < most_output && pieces.first.size() < most_output) {
    // A stored block that is longer than its frame is delivered as far as that goes, or not at all when it comes whole.
    const bool too_long = whole.second.find("too small") != std::string::npos;
    const bool as_much = whole.first == pieces.first || (too_long && pieces.first.starts_with(whole.first));
    fuzz::require(as_much, "in pieces other bytes come out");
    fuzz::require(whole.second.empty() == pieces.second.empty(), "in pieces the end is another");
  }

  std::string packed;
  {
    const auto sink = formats::zstd_sink(std::make_unique<fuzz::MemorySink>(packed), 1 + static_cast<int>(size % 5));
    sink->write(bytes.substr(0, size / 2));
    if (size % 2 == 0) sink->flush();
    sink->write(bytes.substr(size / 2));
    sink->close();
  }
  const auto back = decoded(packed, packed.size(), std::size_t{1} << 16);
  fuzz::require(back.second.empty() && back.first == bytes, "packed bytes do not come back");
  return 0;
}
