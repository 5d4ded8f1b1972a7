// The text reader.
#include "text/text.hpp"

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  clc::fuzz::require_reader(clc::formats::text_source, clc::Format::text, {reinterpret_cast<const char*>(data), size});
  return 0;
}
