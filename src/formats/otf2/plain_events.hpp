// Reads events directly from the file of a location, up to the first unexpected record; libotf2 reads the rest, with
// about three times as many instructions per event (of a halo exchange).
//
// Place    Used by EventReader.
// Layout   See chunks.hpp. A packed number is a byte with the number of its bytes, and these, or 255 for the largest.
// Errors   None: unexpected records are left to libotf2, which reports the fault.
// Memory   A chunk.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "otf2/chunks.hpp"

namespace clc::otf2 {

/// Reads the fields of a record, one after the other. They may be beyond its end: check before they are used, and after
/// every `most` of them.
class PackedFields {
 public:
  static constexpr std::size_t most = 6;
  static_assert(most * 9 + 8 <= chunks::Chunks::margin);

  PackedFields(const char* at, const char* end) noexcept : at_(at), end_(end) {}
  [[nodiscard]] std::uint8_t byte() noexcept { return static_cast<std::uint8_t>(*at_++); }
  [[nodiscard]] std::uint32_t next32() noexcept { return static_cast<std::uint32_t>(next(4)); }
  [[nodiscard]] std::uint64_t next64() noexcept { return next(8); }
  /// Not packed.
  void skip(std::uint64_t bytes) noexcept {
    valid_ = valid() && bytes <= static_cast<std::uint64_t>(end_ - at_);
    if (valid_) at_ += bytes;
  }
  /// True if the fields so far are valid numbers and within the record.
  [[nodiscard]] bool valid() const noexcept { return valid_ && at_ <= end_; }

 private:
  [[gnu::always_inline]] std::uint64_t next(std::uint64_t longest) noexcept {
    const std::uint64_t size = byte();
    if (size > longest) [[unlikely]] {
      valid_ = valid_ && size == 0xff;
      return ~std::uint64_t{0};
    }
    const std::uint64_t value = chunks::load_some(at_, size);
    at_ += size;
    return value;
  }

  const char* at_;
  const char* end_;
  bool valid_ = true;
};

class PlainEvents {
 public:
  static constexpr std::uint32_t most_attributes = 16;

  /// attributes: of an event, at most; not above `most_attributes`.
  PlainEvents(const std::string& file, std::uint64_t chunk_size, std::uint32_t attributes = most_attributes)
      : chunks_(file, chunk_size), attributes_(attributes) {}

  /// Begins in the middle of the file, at a chunk. To be called before `read`.
  void skip_to_middle() noexcept { chunk_ = (chunks_.count() - std::min<std::uint64_t>(1, chunks_.count())) / 2; }

  enum class Stop : std::uint8_t {
    count,  ///< there may be more
    end,    ///< of the file
    other   ///< something else comes next
  };
  /// Passes the next events to take, at most count: (kind, time, begin of its fields, end). If take returns false, the
  /// event counts as unexpected.
  template <class Take>
  Stop read(std::size_t count, Take take) {
    for (; count > 0; --count) {
      bool attributed = false;
      Record record = next();
      while (record.kind == chunks::end_of_chunk || record.kind == chunks::attributes) {
        if (record.kind == chunks::end_of_chunk) {
          if (!next_chunk()) return Stop::other;
        } else if (std::exchange(attributed, true) || !skip_attributes(record)) {
          return Stop::other;
        }
        record = next();
      }
      if (record.kind < chunks::first_record || !timed_)
        return record.kind == chunks::end_of_file && chunk_ == chunks_.count() ? Stop::end : Stop::other;
      if (!take(record.kind, time_, record.begin, record.end)) return Stop::other;
      at_ = record.end;
    }
    return Stop::count;
  }

 private:
  struct Record {
    std::uint8_t kind;
    const char* begin;  ///< of its fields
    const char* end;
  };

  /// The next one, behind the time ahead of it. What libotf2 has to look at: end_of_buffer.
  [[nodiscard, gnu::always_inline]] Record next() noexcept {
    constexpr Record other{chunks::end_of_buffer, nullptr, nullptr};
    if (at_ == end_) return at_ == nullptr ? Record{chunks::end_of_chunk, nullptr, nullptr} : other;
    auto kind = static_cast<std::uint8_t>(*at_++);
    if (kind == chunks::time_stamp) {
      if (end_ - at_ < 9) return other;
      time_ = chunks::load(at_);
      timed_ = true;
      at_ += 8;
      kind = static_cast<std::uint8_t>(*at_++);
    }
    if (kind <= chunks::end_of_file) return {kind, at_, at_};
    const auto left = static_cast<std::uint64_t>(end_ - at_);
    if (left == 0) return other;
    const std::uint64_t told = static_cast<std::uint8_t>(*at_);
    if (told == 0xff) [[unlikely]]
      return long_record(kind, left);
    // As for libotf2, something must follow.
    if (told + 1 >= left) return other;
    return {kind, chunks::is_number(kind) ? at_ : at_ + 1, at_ + told + 1};
  }
  /// The same where its length begins with 255.
  [[nodiscard]] Record long_record(std::uint8_t kind, std::uint64_t left) const noexcept;
  [[nodiscard]] bool next_chunk();
  /// False: they are not as libotf2 expects them, or too many.
  [[nodiscard]] bool skip_attributes(const Record& record) noexcept;

  chunks::Chunks chunks_;
  std::uint32_t attributes_;
  std::uint64_t chunk_ = 0;  ///< the next
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t time_ = 0;
  bool timed_ = false;
};

}  // namespace clc::otf2
