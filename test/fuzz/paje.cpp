// The Paje reader.
#include "paje/paje.hpp"

#include "fuzz.hpp"

namespace {

std::unique_ptr<clc::formats::Reader> open(std::string name, std::unique_ptr<clc::formats::ByteSource> bytes,
                                           clc::ClockOf /*clock_of*/) {
  return clc::formats::paje_source(std::move(name), std::move(bytes), {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  clc::fuzz::require_reader(open, clc::Format::paje, {reinterpret_cast<const char*>(data), size});
  return 0;
}
