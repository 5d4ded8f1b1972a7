// Packed numbers, and which parts of a trace are held in detail.
#include "view/model/detail.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <random>

#include "view/model/packed.hpp"

namespace clc::view {
namespace {

/// What unpack.js does, plainly.
class Unpacker {
 public:
  explicit Unpacker(std::string bytes) : bytes_(std::move(bytes)) {}

  std::vector<Ticks> column() {
    const std::uint64_t count = size();
    std::vector<Ticks> numbers;
    if (count == 0) return numbers;
    std::vector<std::uint8_t> tokens;
    std::map<std::uint8_t, std::pair<std::uint32_t, std::uint32_t>> ranges;  // begin, length
    for (std::uint64_t kinds = size(); kinds > 0; --kinds) {
      const std::uint8_t token = byte();
      const auto length = static_cast<std::uint32_t>(size());
      ranges[token] = {static_cast<std::uint32_t>(tokens.size()), length};
      tokens.insert(tokens.end(), length, token);
    }
    REQUIRE(tokens.size() == 4096);
    const std::uint64_t coded = size();
    std::size_t next = at_;
    at_ += coded;
    const std::uint64_t raw = size();
    std::size_t bit = at_ * 8;
    at_ += raw;
    std::uint64_t state = 0;
    for (int i = 0; i < 4; ++i) state = state << 8U | at(next++);
    while (numbers.size() < count) {
      const std::uint8_t token = tokens[state % 4096];
      state = ranges[token].second * (state / 4096) + state % 4096 - ranges[token].first;
      while (state < 1U << 23U) state = state << 8U | at(next++);
      std::uint64_t v = token;
      if (token >= 16) {
        const unsigned bits = (token - 16U) / 4 + 2;
        v = 4 + (token & 3U);
        v <<= bits;
        for (unsigned i = 0; i < bits; ++i, ++bit) v |= (std::uint64_t{at(bit / 8)} >> bit % 8 & 1U) << i;
      }
      numbers.push_back(v % 2 != 0 ? -static_cast<Ticks>(v / 2) - 1 : static_cast<Ticks>(v / 2));
    }
    return numbers;
  }
  [[nodiscard]] bool done() const { return at_ == bytes_.size(); }

 private:
  [[nodiscard]] std::uint8_t at(std::size_t place) const { return static_cast<std::uint8_t>(bytes_.at(place)); }
  std::uint8_t byte() { return at(at_++); }
  std::uint64_t size() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t next = byte();
      value |= std::uint64_t{next & 127U} << shift;
      if (next < 128) return value;
    }
  }
  std::string bytes_;
  std::size_t at_ = 0;
};

std::string from_base64(std::string_view text) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t held = 0;
  unsigned bits = 0;
  for (const char letter : text.substr(0, text.find('='))) {
    held = held << 6U | static_cast<std::uint32_t>(alphabet.find(letter));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(static_cast<unsigned char>(held >> bits & 255U));
  }
  return bytes;
}

TEST_CASE("packed numbers come out again", "[view]") {
  std::mt19937_64 random(1);
  for (int run = 0; run < 300; ++run) {
    std::string bytes;
    std::vector<std::vector<Ticks>> expected(1 + random() % 3);
    for (std::vector<Ticks>& numbers : expected) {
      Packed column;
      const std::uint64_t bits = random() % 64;
      const std::uint64_t count = random() % 10 == 0 ? 20'000 : random() % 50;
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto value = static_cast<Ticks>(random() & ((std::uint64_t{1} << (random() % (bits + 1))) - 1));
        numbers.push_back(random() % 2 == 0 ? value : -value);
        column.add(numbers.back());
      }
      column.pack(bytes);
    }
    Unpacker unpacker(bytes);
    for (const std::vector<Ticks>& numbers : expected) REQUIRE(unpacker.column() == numbers);
    REQUIRE(unpacker.done());
  }
  Packed ends;
  ends.add(ticks_max);
  ends.add(ticks_min);
  std::string bytes;
  ends.pack(bytes);
  CHECK(Unpacker(bytes).column() == std::vector<Ticks>{ticks_max, ticks_min});
  CHECK(base64("") == "");
  CHECK(base64("M") == "TQ==");
  CHECK(base64("Man") == "TWFu");
}

TEST_CASE("exact numbers come out of their halves", "[view]") {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::uint64_t> values{0, 1, most, most - 1, most / 2, most / 2 + 1};
  for (unsigned bit = 30; bit < 64; ++bit)
    for (const std::uint64_t by : {most, std::uint64_t{0}, std::uint64_t{1}})
      values.push_back((std::uint64_t{1} << bit) + by);
  PackedExact sizes;
  PackedExact numbers;
  for (const std::uint64_t value : values) {
    sizes.add_size(value);
    numbers.add(static_cast<std::int64_t>(value));
  }
  for (const PackedExact* exact : {&sizes, &numbers}) {
    std::string bytes;
    exact->high()->pack(bytes);
    exact->low()->pack(bytes);
    Unpacker unpacker(bytes);
    const std::vector<Ticks> high = unpacker.column();
    const std::vector<Ticks> low = unpacker.column();
    for (std::size_t i = 0; i < values.size(); ++i) {
      CHECK((static_cast<std::uint64_t>(high[i]) << 32U) + static_cast<std::uint64_t>(low[i]) == values[i]);
      CHECK(std::abs(high[i]) <= Ticks{1} << 32U);
      CHECK(low[i] == static_cast<std::int32_t>(low[i]));
      if (exact == &numbers) CHECK((high[i] < 0) == (static_cast<std::int64_t>(values[i]) < -(Ticks{1} << 31U)));
    }
  }
}

/// Of two processes in regions; messages of the second go back in one stretch.
Detail detail_of(std::size_t bytes, std::size_t records, std::size_t bad_from, std::size_t bad_to) {
  Detail detail(bytes);
  for (std::size_t i = 0; i < records; ++i) {
    const auto time = static_cast<Ticks>(i * 100);
    const ProcessIndex process = i % 2;
    const Ticks shift = i >= bad_from && i < bad_to ? 50 : 0;
    detail.advance(process, {Time(time), Time(time + shift)}, false, false);
    detail.change(process, static_cast<Detail::Region>(i % 7));
    if (process == 0) continue;
    Arrow arrow;
    arrow.to = 1;
    arrow.mu = 1;
    arrow.sent = {Time(time), Time(time)};
    arrow.received = {Time(time + (shift != 0 ? -10 : 10)), Time(time + 10)};
    detail.message(arrow);
  }
  detail.finish();
  return detail;
}

TEST_CASE("all of a small trace is held in detail, without a gap", "[view]") {
  const Detail detail = detail_of(std::size_t{4} << 20U, 100'000, 0, 0);
  const std::vector<Detail::Part> parts = detail.packed(true);
  REQUIRE(parts.size() == detail.chunks());
  REQUIRE(parts.size() == 7);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    CHECK(parts[i].number == i);
    CHECK(parts[i].all_from[corrected] == parts[i - 1].all_to[corrected]);
    CHECK(parts[i].all_from[recorded] <= parts[i - 1].all_to[recorded]);
  }
}

TEST_CASE("what is held of a large trace fits the bytes, and is where violations are", "[view]") {
  for (const std::size_t bytes : {0U, 1000U, 100'000U, 400'000U}) {
    const Detail detail = detail_of(bytes, 600'000, 300'000, 330'000);
    std::size_t sum = 0;
    bool bad = false;
    for (const Detail::Part& part : detail.packed(true)) {
      sum += part.text.size();
      bad = bad || (part.from[corrected] <= Time(32'000'000) && part.to[corrected] >= Time(32'000'000));
    }
    CHECK(sum <= bytes);
    CHECK(bad == (bytes >= 100'000));
    if (bytes >= 100'000) CHECK(sum > bytes / 3);
  }
}

/// The numbers of its messages, or of its operations, in the order in which they are held.
std::vector<Ticks> numbers_in(const Detail::Part& part, bool operations) {
  constexpr std::size_t ahead = 7 + 3;  // columns of regions and of marks
  constexpr std::size_t messages = 13;  // the last column has the numbers, also of operations
  Unpacker unpacker(from_base64(part.text));
  for (std::size_t i = 1; i < ahead + messages + (operations ? 11 : 0); ++i) static_cast<void>(unpacker.column());
  std::vector<Ticks> numbers = unpacker.column();
  for (std::size_t i = 1; i < numbers.size(); ++i) numbers[i] += numbers[i - 1];
  return numbers;
}

TEST_CASE("messages and operations with the same ends and times are told apart by their numbers", "[view]") {
  Detail detail(std::size_t{4} << 20U);
  constexpr Ticks seven = 7;
  Ticks sent = 0;
  for (Ticks time = 0; time < 40'000; ++time) {
    detail.advance(0, {Time(time), Time(time)}, false, true);
    if (time % 100 != 0) continue;
    Arrow arrow;  // those of 16,300 and more cross a border
    arrow.sent = {Time(std::max(Ticks{0}, time - 100)), Time(std::max(Ticks{0}, time - 100))};
    arrow.received = {Time(time), Time(time)};
    Joint joint;
    joint.members.push_back({0, arrow.sent, arrow.received});
    for (Ticks i = 0; i < seven; ++i, ++sent) {
      detail.message(arrow);
      detail.operation(joint);
    }
  }
  detail.finish();
  const std::vector<Detail::Part> parts = detail.packed(true);
  REQUIRE(parts.size() > 2);
  for (const bool operations : {false, true}) {
    std::map<Ticks, std::size_t> times;  // by number
    for (const Detail::Part& part : parts)
      for (const Ticks number : numbers_in(part, operations)) ++times[number];
    CHECK(times.size() == static_cast<std::size_t>(sent));
    CHECK(std::count_if(times.begin(), times.end(), [](const auto& one) { return one.second == 2; }) >= seven);
  }
}

TEST_CASE("a record that is later than its chunk makes it be given up", "[view]") {
  Detail detail(std::size_t{4} << 20U);
  for (Ticks time = 0; time < 100'000; ++time) detail.advance(0, {Time(time), Time(time)}, false, true);
  detail.advance(1, {Time(5), Time(5)}, false, true);
  detail.finish();
  const std::vector<Detail::Part> parts = detail.packed(false);
  CHECK(parts.size() < detail.chunks());
  for (const Detail::Part& part : parts) CHECK(part.begin > Time(5));
}

}  // namespace
}  // namespace clc::view
