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
    end_ = ready.end;
    bias_ = ready.place - address(ready.at);
    count_ = 0;
    Next next{ready.at, ready.time, 0, 0};
    used_up_ = ready.at == ready.end || !look_ahead(next, end_, indexes_.limits(), true) || next.time <= ready.after;
    set(next);
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

  /// Where records go.
  struct Columns {
    Event* events;
    std::uint64_t* places;
    std::size_t room;  ///< at least 1
  };
  /// Takes the next record and those behind it that are earlier than `until`, as far as there is room. Their events get
  /// the indexes of all. keep(i, body, renumbered) is called for each in turn; renumbered tells whether the body has
  /// other ones. Returns how many there are: none if the first is out of the ordinary. Pre: not used_up().
  template <class Keep>
  [[gnu::always_inline]] std::size_t take(Time until, const Columns& to, Keep keep) {
    return entries_ ? take_entries(until, to, keep) : take_rows(until, to, keep);
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

  template <class Keep>
  [[gnu::always_inline]] std::size_t take_entries(Time until, const Columns& to, Keep keep) {
    // In registers, as what is written in between might be what these are read from.
    Next next{at_, time_, process_, before_};
    const binary::Limits limits = indexes_.limits();
    const char* const end = end_;
    std::size_t count = 0;
    bool used_up = false;
    do {
      Event& event = to.events[count];
      event = Event{};
      event.time = next.time;
      event.process = next.process;
      const char* const begin = next.at + next.before;
      const char* const behind = decode_body(begin, end, limits, event);
      if (behind == nullptr) [[unlikely]] {
        go_back(next);
        used_up = true;
        break;
      }
      to.places[count] = address(next.at) + bias_;
      const bool renumbered = indexes_.renumber(event);
      size_ = static_cast<std::uint32_t>(behind - next.at);
      last_process_ = next.process;
      next.at = behind;
      keep(count, Body(begin, static_cast<std::size_t>(behind - begin)), renumbered);
      ++count;
      used_up = behind == end || !look_ahead(next, end, limits, false);
    } while (!used_up && next.time < until && count < to.room);
    set(next);
    used_up_ = used_up;
    count_ += static_cast<std::uint32_t>(count);
    return count;
  }
  template <class Keep>
  std::size_t take_rows(Time until, const Columns& to, Keep keep) {
    std::size_t count = 0;
    do {
      Event& event = to.events[count];
      event = row_->event;
      to.places[count] = row_->place;
      const bool renumbered = indexes_.renumber(event);
      keep(count, row_->body, renumbered);
      ++count;
      ++row_;
    } while (row_ != row_end_ && row_->event.time < until && count < to.room);
    used_up_ = row_ == row_end_;
    if (!used_up_) time_ = row_->event.time;
    return count;
  }

  /// The next entry, of which everything ahead of its body is known. Or none is left: the time and process of the last.
  struct Next {
    const char* at;
    Time time;
    ProcessIndex process;
    std::uint8_t before;
  };
  void set(const Next& next) noexcept {
    at_ = next.at;
    time_ = next.time;
    process_ = next.process;
    before_ = next.before;
  }

  /// The end of the body that begins there; null: it is out of the ordinary.
  [[nodiscard, gnu::always_inline]] static const char* decode_body(const char* begin, const char* end,
                                                                   const binary::Limits& limits,
                                                                   Event& event) noexcept {
    binary::Cursor cursor(begin);
    std::uint64_t text_size = 0;
    binary::Problem problem = binary::Problem::none;
    const unsigned kind = binary::read_fields(cursor, limits, event, text_size, problem);
    if (text_size > 0) {
      if (cursor.at() > end || text_size > static_cast<std::uint64_t>(end - cursor.at())) [[unlikely]]
        return nullptr;
      cursor.skip(static_cast<std::size_t>(text_size));
    }
    if ((kind & binary::has_recorded) != 0) cursor.skip(sizeof(std::int64_t));
    const bool sound = problem == binary::Problem::none && cursor.good() && cursor.at() <= end;
    return sound ? cursor.at() : nullptr;
  }
  /// Of the entry at next.at, what stands ahead of its body. False: it is out of the ordinary, and nothing changes.
  [[nodiscard, gnu::always_inline]] static bool look_ahead(Next& next, const char* end, const binary::Limits& limits,
                                                           bool first) noexcept {
    binary::Cursor cursor(next.at);
    const std::uint64_t process = cursor.varint();
    const Time time = moved(next.time, static_cast<std::uint64_t>(unzigzag(cursor.uneven_varint())));
    if (process - 1 >= limits.processes || !cursor.good() || cursor.at() >= end) [[unlikely]]
      return false;
    // Of equal times, all processes count for the order, see Entries::Taken.
    if (time <= next.time && !first) [[unlikely]]
      if (time < next.time || process - 1 != next.process) return false;
    next.process = static_cast<ProcessIndex>(process - 1);
    next.time = time;
    next.before = static_cast<std::uint8_t>(cursor.at() - next.at);
    return true;
  }
  /// To the one before, as the next one cannot be decoded.
  [[gnu::cold, gnu::noinline]] void go_back(Next& next) const noexcept {
    binary::Cursor cursor(next.at);
    static_cast<void>(cursor.varint());
    next.time = moved(next.time, 0 - static_cast<std::uint64_t>(cursor.signed_varint()));
    next.process = last_process_;
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
