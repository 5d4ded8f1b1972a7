// Direct access to the bytes of an archive's files, where libotf2 is slow or lacks a function.
//
// Place    Under retime, inspect and the events that are read without libotf2.
// Layout   A file of OTF2 (trace format 2) is a sequence of chunks of one size, the last may be shorter. A chunk has a
//          head: 3, byte order, and in event files the numbers of its first and last event, 8 bytes each. Then records:
//          a byte for the kind, a byte with the number of bytes that follow (255: eight bytes more with the number).
//          But 5 is a time, 8 bytes, which holds for all records up to the next; 0, 1 and 2 end the chunk; events that
//          have a single number, from the first version on, have only that, packed: how many bytes, and these, or 255
//          for the largest. 6 are the attributes of the record behind it.
// Memory   A chunk.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

namespace clc::otf2::chunks {

enum Kind : std::uint8_t {
  end_of_chunk = 0,
  end_of_buffer = 1,
  end_of_file = 2,
  chunk_head = 3,
  time_stamp = 5,
  attributes = 6,
  first_record = 10,
  // Of events:
  buffer_flush = 10,
  enter = 12,
  leave = 13,
  isend_complete = 16,
  irecv_request = 17,
  request_test = 20,
  request_cancelled = 21,
  omp_fork = 24,
  omp_task_create = 28,
  omp_task_switch = 29,
  omp_task_complete = 30,
};
inline constexpr std::size_t head_size = 18;

class File {
 public:
  File(const std::string& path, int flags);
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();
  [[nodiscard]] bool open() const noexcept { return file_ >= 0; }
  /// How many bytes there were, at most size; nullopt: cannot be read.
  [[nodiscard]] std::optional<std::size_t> read(char* to, std::size_t size) const;
  [[nodiscard]] bool write(const char* from, std::size_t size) const;
  [[nodiscard]] std::optional<std::uint64_t> size() const;
  [[nodiscard]] bool seek(std::uint64_t place) const;
  /// Some file systems say only now that there is no room.
  [[nodiscard]] bool close();

 private:
  int file_;
};

/// The chunks of a file, one at a time, of either byte order.
class Chunks {
 public:
  /// So many bytes behind the end of a chunk can be read, too.
  static constexpr std::size_t margin = 64;

  Chunks(const std::string& file, std::uint64_t chunk_size);
  [[nodiscard]] std::uint64_t count() const noexcept {
    return bytes_ / chunk_size_ + (bytes_ % chunk_size_ == 0 ? 0 : 1);
  }
  /// Makes a chunk the current one, reading it if it is not. False: it does not begin with a head and a record behind
  /// it.
  [[nodiscard]] bool read(std::uint64_t number);

  // Of the current one:
  /// False also when it cannot be read.
  [[nodiscard]] bool cut_in_head() const noexcept { return readable_ && size_ <= head_size; }
  [[nodiscard]] bool swapped() const noexcept { return swapped_; }
  [[nodiscard]] const char* records() const noexcept { return chunk_.get() + head_size; }
  [[nodiscard]] const char* end() const noexcept { return chunk_.get() + size_; }
  /// Numbers of its first and last event.
  [[nodiscard]] std::uint64_t first() const noexcept { return number_at(2); }
  [[nodiscard]] std::uint64_t last() const noexcept { return number_at(10); }

 private:
  [[nodiscard]] std::uint64_t number_at(std::size_t at) const noexcept;

  File in_;
  std::uint64_t chunk_size_;
  std::uint64_t bytes_ = 0;
  std::unique_ptr<char[]> chunk_;
  std::size_t size_ = 0;
  std::optional<std::uint64_t> number_;
  bool readable_ = false;
  bool begins_with_head_ = false;
  bool swapped_ = false;
};

/// swapped: it is of the other byte order.
[[nodiscard]] inline std::uint64_t load(const char* at, bool swapped = false) noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return swapped ? __builtin_bswap64(value) : value;
}

/// A number of so many bytes, at most 8, of the own byte order; 8 bytes can be read.
[[nodiscard, gnu::always_inline]] inline std::uint64_t load_some(const char* at, std::size_t bytes) noexcept {
  static constexpr std::array<std::uint64_t, 9> masks{0,
                                                      0xff,
                                                      0xffff,
                                                      0xff'ffff,
                                                      0xffff'ffff,
                                                      0xff'ffff'ffff,
                                                      0xffff'ffff'ffff,
                                                      0xff'ffff'ffff'ffff,
                                                      ~std::uint64_t{0}};
  return load(at) & masks[bytes];
}

/// The event is a packed number.
[[nodiscard]] constexpr bool is_number(std::uint8_t kind) noexcept {
  constexpr std::uint64_t numbers = 1U << enter | 1U << leave | 1U << isend_complete | 1U << irecv_request |
                                    1U << request_test | 1U << request_cancelled | 1U << omp_fork |
                                    1U << omp_task_create | 1U << omp_task_switch | 1U << omp_task_complete;
  return kind < 64 && (numbers >> kind & 1U) != 0;
}

/// Of a record behind its kind: the bytes that tell its length, and as many as they say. left: how many there are, at
/// least 1. swapped: numbers are of the other byte order. nullopt: fewer than that.
[[nodiscard]] inline std::optional<std::uint64_t> length_of(const char* at, std::uint64_t left,
                                                            bool swapped = false) noexcept {
  std::uint64_t length = static_cast<std::uint8_t>(*at);
  std::uint64_t told_by = 1;
  if (length == 0xff) [[unlikely]] {
    if (left < 9) return std::nullopt;
    length = load(at + 1, swapped);
    told_by = 9;
  }
  if (length > left - told_by) return std::nullopt;
  return told_by + length;
}

/// The same of an event.
[[nodiscard]] inline std::optional<std::uint64_t> event_length(std::uint8_t kind, const char* at, std::uint64_t left,
                                                               bool swapped = false) noexcept {
  // A packed number may begin with 255, which then is all of it.
  if (static_cast<std::uint8_t>(*at) == 0xff && is_number(kind)) return 1;
  return length_of(at, left, swapped);
}

/// True for a chunk of the own byte order that has a head.
[[nodiscard]] bool begins_with_head(const char* chunk, std::size_t size) noexcept;

/// Hands the times and events of a chunk of events to visit. False: it is not laid out as expected, or visit has
/// refused.
template <class Visit>
[[gnu::noinline]] bool walk_events(char* const begin, std::size_t size, Visit& visit) {
  if (!begins_with_head(begin, size)) return false;
  const std::uint64_t events = load(begin + 10) - load(begin + 2) + 1;
  std::uint64_t found = 0;
  const char* const end = begin + size;
  char* at = begin + head_size;
  while (at < end) {
    auto kind = static_cast<std::uint8_t>(*at++);
    auto left = static_cast<std::uint64_t>(end - at);
    if (kind == time_stamp) {
      if (left < 9) return false;  // there is an event of that time
      visit.time(at);
      at += 8;
      kind = static_cast<std::uint8_t>(*at++);
      left -= 9;
    }
    if (kind <= end_of_file) return found == events;
    if (kind < attributes || left == 0) return false;
    const auto told = static_cast<std::uint8_t>(*at);
    std::uint64_t length = told + 1U;
    if (told == 0xff) [[unlikely]]
      length = event_length(kind, at, left).value_or(left + 1);
    if (length > left) return false;
    if (kind != attributes) {
      ++found;
      if (!visit.event(kind, at, length)) return false;
    }
    at += length;
  }
  return false;
}

}  // namespace clc::otf2::chunks
