// Messages whose records are those of earlier messages of their location, byte for byte: most are. They need not be
// decoded again.
//
// Place    Beside a reader that reads one location after the other; it takes too much memory for each of many readers.
// Method   The last kinds of records are kept with their events. A location mostly repeats the same sequence, so that
//          the next record is usually like the one that came next the last time.
// Memory   1.3 KiB.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "clc/event.hpp"
#include "otf2/chunks.hpp"

namespace clc::otf2 {

class AlikeMessages {
 public:
  /// What a record says behind its length, and its kind.
  struct Fields {
    std::uint64_t first = 0;
    std::uint64_t others = 0;
    std::uint16_t kind_and_size = 0;

    Fields() = default;
    /// 16 bytes from begin on can be read.
    Fields(std::uint8_t kind, const char* begin, const char* end) noexcept {
      const auto size = static_cast<std::size_t>(end - begin);
      kind_and_size = static_cast<std::uint16_t>(std::size_t{kind} << 8U | std::min(size, longest + 1));
      if (is_long()) return;
      const std::size_t half = std::min(size, sizeof first);
      first = chunks::load_some(begin, half);
      others = chunks::load_some(begin + sizeof first, size - half);
    }
    [[nodiscard]] bool is_long() const noexcept { return (kind_and_size & 0xffU) > longest; }
    friend bool operator==(const Fields&, const Fields&) = default;
  };

  /// A location begins.
  void begin() noexcept { *this = {}; }
  /// The event of a message with such fields, but for its time; null: not known.
  [[nodiscard, gnu::always_inline]] const Event* find(const Fields& fields) noexcept {
    const std::uint8_t next = next_[last_];
    if (all_[next].fields != fields) [[unlikely]]
      return search(fields);
    last_ = next;
    return &all_[next].event;
  }
  /// That is it; takes the place of the oldest one.
  void add(const Fields& fields, const Event& event) noexcept {
    if (fields.is_long()) return;
    last_ = next_[last_] = static_cast<std::uint8_t>(added_++ % all_.size());
    all_[last_] = {fields, event};
  }

 private:
  static constexpr std::size_t longest = 2 * sizeof(std::uint64_t);
  struct Known {
    Fields fields;
    Event event;
  };
  [[nodiscard]] const Event* search(const Fields& fields) noexcept {
    const auto known = std::find_if(all_.begin(), all_.end(), [&](const Known& one) { return one.fields == fields; });
    if (known == all_.end()) return nullptr;
    last_ = next_[last_] = static_cast<std::uint8_t>(known - all_.begin());
    return &known->event;
  }

  std::array<Known, 16> all_{};
  std::array<std::uint8_t, 16> next_{};  // after each of them
  std::uint8_t last_ = 0;
  unsigned added_ = 0;
};

}  // namespace clc::otf2
