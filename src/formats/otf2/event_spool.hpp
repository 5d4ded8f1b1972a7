// The events of an archive's locations, packed, in a temporary file: where many locations cannot be open at once, or
// are read more than once.
//
// Form     Of each event a head (role, whether it is added, length of the time), the time since the event before,
//          process if it is added, fields of the role, body. A location has few kinds of messages and calls, over and
//          over: of a message that is like one of the last kinds of its location there is only their place among these,
//          and of the end of an operation that is like the one before nothing.
// Cost     About 5 bytes per event in memory. Writing and reading checks for the end of a block once per event.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "common/spool.hpp"
#include "common/varint.hpp"
#include "otf2/run.hpp"

namespace clc::otf2 {

class EventSpool {
  // The head of an event: role, and these.
  static constexpr std::uint8_t added_bit = 8;
  static constexpr unsigned length_shift = 4;  // of the time, in bytes less one
  static constexpr std::uint8_t alike_bit = 128;
  // With the place of a message: its length follows, or all of it, or its peer, in which alone it differs.
  static constexpr std::uint8_t length_bit = 16;
  static constexpr std::uint8_t new_bit = 32;
  static constexpr std::uint8_t peer_bit = 64;

  /// What the end of an operation has beside time and call.
  struct End {
    Operation operation = Operation::barrier;
    CommunicatorIndex communicator = no_communicator;
    Rank root = no_rank;
    std::uint64_t bytes = 0;
    std::uint64_t received = 0;
    End() = default;
    explicit End(const Event& event) noexcept
        : operation(event.operation),
          communicator(event.communicator),
          root(event.root),
          bytes(event.bytes),
          received(event.received) {}
    void give(Event& event) const noexcept {
      event.operation = operation;
      event.communicator = communicator;
      event.root = root;
      event.bytes = bytes;
      event.received = received;
    }
    friend bool operator==(const End&, const End&) = default;
  };
  static constexpr unsigned most_kinds = 16;  ///< of a location; a new one takes the place of the oldest

 public:
  /// What a message has beside its time and process.
  struct Kind {
    std::int64_t tag = 0;
    std::uint64_t bytes = 0;
    ProcessIndex peer = no_process;
    CommunicatorIndex communicator = no_communicator;
    std::uint16_t overtakes = 0;
    Role role = Role::internal;
    Kind() = default;
    explicit Kind(const Event& event) noexcept
        : tag(event.tag),
          bytes(event.bytes),
          peer(event.peer),
          communicator(event.communicator),
          overtakes(event.overtakes),
          role(event.role) {}
    [[gnu::always_inline]] void give(Event& event) const noexcept {
      event.tag = tag;
      event.bytes = bytes;
      event.peer = peer;
      event.communicator = communicator;
      event.overtakes = overtakes;
      event.role = role;
    }
    /// The same but for its length, and its peer.
    [[nodiscard]] bool is_like(const Event& event) const noexcept {
      return role == event.role && communicator == event.communicator && tag == event.tag &&
             overtakes == event.overtakes;
    }
  };
  struct CountedKind {
    Kind kind;
    std::uint64_t count = 0;
  };

  EventSpool(std::size_t streams, bool bodies, std::size_t memory_limit = formats::Spool::usual_limit)
      : spool_(streams, memory_limit), bodies_(bodies) {}

  /// Writes the events of a stream, all of them.
  class Writer {
   public:
    Writer(EventSpool& spool, std::size_t stream) noexcept : spool_(spool), stream_(stream) {}
    void append(const Run& run) {
      for (std::size_t i = 0; const Event& event : run.events) {
        const bool added = run.is_added(i);
        spool_.spool_.append_entry(stream_, [&](char* to) { return encode(to, event, added); });
        if (spool_.bodies_) append(run.body(i));
        ++i;
      }
    }
    void complete() { spool_.spool_.complete(stream_); }
    /// All messages, if nothing depends on their order: there are no calls, no receive overtakes another one, and few
    /// messages are of a kind of their own. To be called at the end.
    [[nodiscard]] std::optional<std::vector<CountedKind>> messages() {
      for (std::size_t place = 0; place < kinds_.size(); ++place) put_down(place);
      if (!in_any_order_) return std::nullopt;
      return std::move(counted_);
    }

   private:
    void append(Body body) {
      spool_.spool_.append_varint(stream_, body.size());
      spool_.spool_.append(stream_, body.data(), body.size());
    }
    [[gnu::always_inline]] char* encode(char* to, const Event& event, bool added) {
      char* const head = to++;
      const auto time = static_cast<std::uint64_t>(event.time.ticks());
      const std::uint64_t passed = time - time_;
      time_ = time;
      const unsigned length = formats::bytes_of(passed);
      to = formats::put_number(to, passed, length);
      unsigned flags = (added ? added_bit : 0U) | (length - 1) << length_shift;
      if (added) [[unlikely]]
        to = formats::put_varint(to, event.process);
      switch (event.role) {
        case Role::internal:
          break;
        case Role::send:
        case Role::receive:
          to = encode_message(to, event);
          break;
        case Role::collective_begin:
          in_any_order_ = false;
          to = formats::put_varint(to, formats::zigzag(event.tag));
          break;
        case Role::collective_end:
          in_any_order_ = false;
          to = formats::put_varint(to, formats::zigzag(event.tag));
          if (const End end(event); end == end_)
            flags |= alike_bit;
          else
            to = encode_end(to, end_ = end);
          break;
      }
      *head = static_cast<char>(flags | static_cast<unsigned>(event.role));
      return to;
    }
    [[gnu::always_inline]] char* encode_message(char* to, const Event& event) {
      const std::uint8_t next = next_[last_];
      if (const Kind& kind = kinds_[next]; kind.peer == event.peer && kind.bytes == event.bytes && kind.is_like(event))
          [[likely]] {
        last_ = next;
        ++counts_[next];
        *to++ = static_cast<char>(next);
        return to;
      }
      return encode_another_message(to, event);
    }
    /// Of which it is not known that it comes next.
    char* encode_another_message(char* to, const Event& event) {
      if (differs_from_newest_in_peer(event)) {
        *to++ = static_cast<char>((newest_ - 1) % most_kinds | peer_bit);
        return formats::put_varint(to, event.peer);
      }
      const auto mixed = static_cast<std::uint64_t>(event.tag) * 0x1'0001 + event.communicator;
      const auto ends = (mixed * 0x101 + event.peer) * 2 + (event.role == Role::send ? 1U : 0U);
      std::uint8_t& place = places_[ends * 0x9e37'79b9'7f4a'7c15 >> (64 - place_bits)];
      if (kinds_[place].peer != event.peer || !kinds_[place].is_like(event)) {
        place = static_cast<std::uint8_t>(newest_++ % most_kinds);
        put_down(place);
        last_ = next_[last_] = place;
        if (event.overtakes > 0) in_any_order_ = false;
        kinds_[place] = Kind(event);
        counts_[place] = 1;
        *to++ = static_cast<char>(place | new_bit);
        to = formats::put_varint(to, event.peer);
        to = formats::put_varint(to, event.communicator);
        to = formats::put_varint(to, formats::zigzag(event.tag));
        to = formats::put_varint(to, event.overtakes);
        return formats::put_varint(to, event.bytes);
      }
      last_ = next_[last_] = place;
      ++counts_[place];
      if (kinds_[place].bytes == event.bytes) {
        *to++ = static_cast<char>(place);
        return to;
      }
      kinds_[place].bytes = event.bytes;
      *to++ = static_cast<char>(place | length_bit);
      return formats::put_varint(to, event.bytes);
    }
    /// Of very many kinds: a group that synchronizes sends a message to each member, and these are not kept.
    [[nodiscard]] bool differs_from_newest_in_peer(const Event& event) const noexcept {
      if (in_any_order_ || newest_ < most_counted) return false;
      const Kind& newest = kinds_[(newest_ - 1) % most_kinds];
      return newest.is_like(event) && newest.bytes == event.bytes;
    }
    static char* encode_end(char* to, const End& end) noexcept {
      to = formats::put_varint(to, static_cast<std::uint64_t>(end.operation));
      to = formats::put_varint(to, end.communicator);
      to = formats::put_varint(to, end.root);
      to = formats::put_varint(to, end.bytes);
      return formats::put_varint(to, end.received);
    }

    /// A kind makes room for another one.
    void put_down(std::size_t place) {
      if (counts_[place] == 0 || !in_any_order_) return;
      if (counted_.size() == most_counted) in_any_order_ = false;
      counted_.push_back({kinds_[place], std::exchange(counts_[place], 0)});
    }

    static constexpr unsigned place_bits = 8;
    static constexpr std::size_t most_counted = 256;
    EventSpool& spool_;
    std::size_t stream_;
    std::uint64_t time_ = 0;
    std::array<std::uint8_t, 1U << place_bits> places_{};  // where among the kinds one was put
    std::array<Kind, most_kinds> kinds_;
    std::array<std::uint8_t, most_kinds> next_{};  // that came after each of them the last time
    std::uint8_t last_ = 0;
    unsigned newest_ = 0;
    End end_;
    std::array<std::uint64_t, most_kinds> counts_{};  // of kinds
    std::vector<CountedKind> counted_;                // kinds that made room for others
    bool in_any_order_ = true;
  };

  /// Reads the events of a stream that is complete.
  class Reader {
   public:
    /// process: that of the events.
    Reader(EventSpool& spool, std::size_t stream, ProcessIndex process)
        : reader_(spool.spool_, stream), process_(process), bodies_(spool.bodies_) {}

    /// The next event. False at the end. added: it is not in the archive.
    [[gnu::always_inline]] bool read(Event& event, bool& added) {
      const char* at = reader_.entry();
      if (at == nullptr) return false;
      const auto head = static_cast<std::uint8_t>(*at++);
      added = (head & added_bit) != 0;
      time_ += formats::take_number(at, (head >> length_shift & 7U) + 1);
      const auto process = added ? static_cast<ProcessIndex>(formats::take_varint(at)) : process_;
      const auto role = static_cast<Role>(head & 7U);
      if (role == Role::send || role == Role::receive) {
        const auto place = static_cast<std::uint8_t>(*at++);
        if ((place & (new_bit | length_bit)) != 0) [[unlikely]]
          at = decode_message(at, role, place);
        event = Event();
        kinds_[place % most_kinds].give(event);
        if ((place & peer_bit) != 0) event.peer = static_cast<ProcessIndex>(formats::take_varint(at));
      } else {
        event = Event();
        event.role = role;
        if (role != Role::internal) at = decode_call(at, (head & alike_bit) != 0, event);
      }
      event.process = process;
      event.time = Time(static_cast<std::int64_t>(time_));
      reader_.go_on(at);
      return true;
    }
    /// As many as there are, up to that number. False at the end.
    bool read(std::size_t count, Run& run) {
      run.clear();
      bool added = false;
      for (Event event; run.events.size() < count && read(event, added);) {
        run.events.push_back(event);
        if (added) {
          run.added.resize(run.events.size());
          run.added.back() = 1;
        }
        if (!bodies_) continue;
        std::uint64_t size = 0;
        reader_.varint(size);
        reader_.bytes(static_cast<std::size_t>(size), run.bytes);
        run.ends.push_back(run.bytes.size());
      }
      return !run.events.empty();
    }

   private:
    [[nodiscard]] const char* decode_message(const char* at, Role role, std::uint8_t place) {
      if (place % most_kinds == kinds_.size()) kinds_.emplace_back();
      Kind& kind = kinds_[place % most_kinds];
      if ((place & new_bit) != 0) {
        kind.role = role;
        kind.peer = static_cast<ProcessIndex>(formats::take_varint(at));
        kind.communicator = static_cast<CommunicatorIndex>(formats::take_varint(at));
        kind.tag = formats::unzigzag(formats::take_varint(at));
        kind.overtakes = static_cast<std::uint16_t>(formats::take_varint(at));
      }
      kind.bytes = formats::take_varint(at);
      return at;
    }
    [[nodiscard]] const char* decode_call(const char* at, bool is_alike, Event& event) noexcept {
      event.tag = formats::unzigzag(formats::take_varint(at));
      if (event.role == Role::collective_begin) return at;
      if (!is_alike) {
        end_.operation = static_cast<Operation>(formats::take_varint(at));
        end_.communicator = static_cast<CommunicatorIndex>(formats::take_varint(at));
        end_.root = static_cast<Rank>(formats::take_varint(at));
        end_.bytes = formats::take_varint(at);
        end_.received = formats::take_varint(at);
      }
      end_.give(event);
      return at;
    }

    formats::Spool::Reader reader_;
    ProcessIndex process_;
    bool bodies_;
    std::uint64_t time_ = 0;
    std::vector<Kind> kinds_;  // at most most_kinds
    End end_;
  };

 private:
  formats::Spool spool_;
  bool bodies_;
};

}  // namespace clc::otf2
