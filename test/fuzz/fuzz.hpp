// What the fuzzers share. A fuzzer is one function that must come back from any bytes:
//
//     extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
//
// libFuzzer calls it (preset `fuzz`), or driver.cpp does. What must hold for all bytes and does not is `broken`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bytes/bytes.hpp"
#include "clc/event.hpp"
#include "clc/io/format.hpp"
#include "common/reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace clc::fuzz {

/// Says what does not hold and aborts: the fuzzer keeps the input.
[[noreturn]] void broken(const std::string& what);
inline void require(bool holds, const char* what) {
  if (!holds) broken(what);
}
/// Messages are one line of printable text.
void require_message(std::string_view message);

/// Takes numbers from the input; zeros behind its end.
class Numbers {
 public:
  Numbers(const std::uint8_t* data, std::size_t size) : left_(data, size) {}

  [[nodiscard]] bool empty() const noexcept { return left_.empty(); }
  std::uint8_t byte() noexcept {
    if (left_.empty()) return 0;
    const std::uint8_t value = left_.front();
    left_ = left_.subspan(1);
    return value;
  }
  bool flag() noexcept { return (byte() & 1U) != 0; }
  /// 0 to end - 1, end at most 256.
  std::size_t below(std::size_t end) noexcept { return byte() % end; }
  std::uint64_t bytes(unsigned count) noexcept {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < count; ++i) value |= std::uint64_t{byte()} << (8 * i);
    return value;
  }
  /// Any number of 64 bits, small ones in few bytes.
  std::uint64_t number() noexcept { return bytes(1U << below(4)); }
  template <class T>
  T pick(std::initializer_list<T> values) noexcept {
    return values.begin()[below(values.size())];
  }

 private:
  std::span<const std::uint8_t> left_;
};

/// The input as a file or as a pipe that gives `most` bytes at a time. bytes must outlive it.
class MemorySource final : public formats::ByteSource {
 public:
  explicit MemorySource(std::string_view bytes, std::size_t most = std::size_t{1} << 30) : bytes_(bytes), most_(most) {}
  std::size_t read(char* to, std::size_t capacity) override {
    const std::size_t count = std::min({capacity, most_, bytes_.size() - at_});
    bytes_.copy(to, count, at_);
    at_ += count;
    return count;
  }
  [[nodiscard]] std::size_t largest_read() const noexcept override { return most_; }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return at_; }
  [[nodiscard]] std::uint64_t total() const noexcept override { return bytes_.size(); }

 private:
  std::string_view bytes_;
  std::size_t most_;
  std::size_t at_ = 0;
};

/// to must outlive it.
class MemorySink final : public formats::ByteSink {
 public:
  explicit MemorySink(std::string& to) : to_(to) {}
  void write(std::string_view bytes) override { to_ += bytes; }
  void flush() override {}
  void close() override {}

 private:
  std::string& to_;
};

/// A trace read to its end or to its first error.
struct Trace {
  Definitions definitions;
  std::vector<Event> events;
  std::vector<std::string> bodies;
  std::vector<std::pair<std::size_t, std::string>> notes;  ///< index of the event behind it, line
  std::string error;                                       ///< empty: read to the end

  /// Not the bodies: they differ between formats.
  [[nodiscard]] bool same_records(const Trace& other) const {
    return events == other.events && notes == other.notes && error == other.error;
  }
};

/// How a format opens bytes; throws InputError like a source.
using Open = std::unique_ptr<formats::Reader> (*)(std::string name, std::unique_ptr<formats::ByteSource> bytes,
                                                  ClockOf clock_of);

/// Reads all, with the order of times checked, or sorted within a window of so many ticks.
[[nodiscard]] Trace read(Open open, std::string_view bytes, std::size_t most, Ticks window);

/// What must hold for any bytes that claim to be a trace: they give the same whether they come at once or in pieces;
/// what was read can be written in both formats and read again; the clock takes it and the result is sorted and
/// readable.
void require_reader(Open open, Format format, std::string_view bytes);

}  // namespace clc::fuzz
