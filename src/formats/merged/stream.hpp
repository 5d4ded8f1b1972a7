// The next records of a trace that is being merged: those that its source has read and checked, or those that stand in
// its buffer as in a binary file.
//
// Purpose  With very many traces, each record stands in another place in memory than the one before it, and whoever
//          decodes ahead fills the caches. So a record is decoded when it leaves. Until then it takes about ten bytes,
//          and the place of the next one a line of the cache for each trace.
// Assumes  In a binary file, records are in order of time and name known indexes. A stretch ends ahead of the first one
//          that does not; its source says what is wrong with it, or learns the index.
// Cost     Decoding; no allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "binary/body.hpp"
#include "clc/event.hpp"
#include "clc/io/record.hpp"
#include "common/entries.hpp"
#include "merged/indexes.hpp"

namespace clc::formats {

/// A record with its body in the encoding of the binary format.
struct Row {
  Event event;
  Body body;
  std::uint64_t place;
};

class alignas(64) Stream {
 public:
  /// Rows from `row` to `end`, at least one.
  void begin(const Row* row, const Row* end, Indexes indexes) noexcept {
    indexes_ = indexes;
    entries_ = false;
    used_up_ = false;
    row_ = row;
    row_end_ = end;
    time_ = row->event.time;
  }
  /// False: the first of the entries is out of the ordinary.
  bool begin(const Entries::Ready& ready, Indexes indexes) noexcept {
    indexes_ = indexes;
    entries_ = true;
    at_ = ready.at;
    end_ = ready.end;
    bias_ = ready.place - address(ready.at);
    time_ = ready.time;
    count_ = 0;
    used_up_ = ready.at == ready.end || !look_ahead(true) || time_ <= ready.after;
    return !used_up_;
  }

  /// No record is left that can be taken.
  [[nodiscard]] bool used_up() const noexcept { return used_up_; }
  /// Its records are entries.
  [[nodiscard]] bool entries() const noexcept { return entries_; }
  /// Of the next record.
  [[nodiscard]] Time time() const noexcept { return time_; }
  /// Where the next record is, or was.
  [[nodiscard]] const char* at() const noexcept { return entries_ ? at_ : reinterpret_cast<const char*>(row_); }

  /// Takes the next record. The event gets the indexes of all, and renumbered tells whether the body has others. False:
  /// the record is out of the ordinary, and no more are left.
  [[gnu::always_inline]] bool take(Event& event, Body& body, std::uint64_t& place, bool& renumbered) noexcept {
    if (entries_) {
      if (!decode(event, body, place)) [[unlikely]]
        return false;
    } else {
      take_row(event, body, place);
    }
    renumbered = indexes_.renumber(event);
    return true;
  }

  /// The entries that were taken, if any. Pre: used_up().
  [[nodiscard]] std::optional<Entries::Taken> taken() const noexcept {
    if (!entries_ || count_ == 0) return std::nullopt;
    return Entries::Taken{at_, count_, time_, process_, address(at_) - size_ + bias_};
  }

 private:
  [[nodiscard]] static std::uint64_t address(const char* at) noexcept { return reinterpret_cast<std::uintptr_t>(at); }
  [[nodiscard]] static Time moved(Time time, std::uint64_t by) noexcept {
    return Time(static_cast<std::int64_t>(static_cast<std::uint64_t>(time.ticks()) + by));
  }

  [[gnu::always_inline]] bool decode(Event& event, Body& body, std::uint64_t& place) noexcept {
    event = Event{};
    event.time = time_;
    event.process = process_;
    const char* const begin = at_ + before_;
    place = address(at_) + bias_;
    binary::Cursor cursor(begin);
    std::uint64_t text_size = 0;
    binary::Problem problem = binary::Problem::none;
    const unsigned kind = binary::read_fields(cursor, indexes_.limits(), event, text_size, problem);
    if (text_size > 0) {
      if (cursor.at() > end_ || text_size > static_cast<std::uint64_t>(end_ - cursor.at())) [[unlikely]]
        return stop();
      cursor.skip(static_cast<std::size_t>(text_size));
    }
    if ((kind & binary::has_recorded) != 0) cursor.skip(sizeof(std::int64_t));
    if (problem != binary::Problem::none || !cursor.good() || cursor.at() > end_) [[unlikely]]
      return stop();
    body = Body(begin, static_cast<std::size_t>(cursor.at() - begin));
    size_ = static_cast<std::uint32_t>(cursor.at() - at_);
    at_ = cursor.at();
    ++count_;
    last_process_ = process_;
    used_up_ = at_ == end_ || !look_ahead(false);
    return true;
  }
  /// Of the next entry, what stands ahead of its body. False: it is out of the ordinary.
  [[gnu::always_inline]] bool look_ahead(bool first) noexcept {
    binary::Cursor cursor(at_);
    const std::uint64_t process = cursor.varint();
    const Time time = moved(time_, static_cast<std::uint64_t>(cursor.signed_varint()));
    if (process - 1 >= indexes_.limits().processes || !cursor.good() || cursor.at() >= end_) [[unlikely]]
      return false;
    // Of equal times, all processes count for the order, see Entries::Taken.
    if (!first && (time < time_ || (time == time_ && process - 1 != process_))) [[unlikely]]
      return false;
    process_ = static_cast<ProcessIndex>(process - 1);
    time_ = time;
    before_ = static_cast<std::uint8_t>(cursor.at() - at_);
    return true;
  }
  [[gnu::cold, gnu::noinline]] bool stop() noexcept {
    binary::Cursor cursor(at_);
    static_cast<void>(cursor.varint());
    time_ = moved(time_, 0 - static_cast<std::uint64_t>(cursor.signed_varint()));
    process_ = last_process_;
    used_up_ = true;
    return false;
  }
  void take_row(Event& event, Body& body, std::uint64_t& place) noexcept {
    event = row_->event;
    body = row_->body;
    place = row_->place;
    ++row_;
    used_up_ = row_ == row_end_;
    if (!used_up_) time_ = row_->event.time;
  }

  union {
    const char* at_ = nullptr;  ///< the next entry
    const Row* row_;
  };
  union {
    const char* end_ = nullptr;
    const Row* row_end_;
  };
  Indexes indexes_;
  Time time_;               ///< of the next one, of the last one when none is left
  std::uint64_t bias_ = 0;  ///< from addresses to places
  std::uint32_t count_ = 0;
  std::uint32_t size_ = 0;  ///< of the last entry
  ProcessIndex process_ = 0;
  ProcessIndex last_process_ = 0;
  std::uint8_t before_ = 0;  ///< bytes of the next entry ahead of its body
  bool entries_ = false;
  bool used_up_ = true;
};
static_assert(sizeof(Stream) == 64);

}  // namespace clc::formats
