// The events of an archive's locations, packed, in a temporary file: where many locations cannot be open at once, or
// are read more than once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/spool.hpp"
#include "common/varint.hpp"
#include "otf2/run.hpp"

namespace clc::otf2 {

/// Events in a spool: role, time since the event before, fields of the role, body. A message that is like the one
/// before has no fields but its peer: for a group that synchronizes there is one for each member.
class EventSpool {
  /// What a message has beside its ends.
  struct Fields {
    CommunicatorIndex communicator = no_communicator;
    std::int64_t tag = 0;
    std::uint64_t bytes = 0;
    std::uint16_t overtakes = 0;
    /// Takes those of a message. True: they are the same.
    [[nodiscard]] bool take(const Event& event) noexcept {
      if (event.communicator == communicator && event.tag == tag && event.bytes == bytes &&
          event.overtakes == overtakes)
        return true;
      *this = {event.communicator, event.tag, event.bytes, event.overtakes};
      return false;
    }
    void give(Event& event) const noexcept {
      event.communicator = communicator;
      event.tag = tag;
      event.bytes = bytes;
      event.overtakes = overtakes;
    }
  };

 public:
  EventSpool(std::size_t streams, bool bodies, std::size_t memory_limit = formats::Spool::usual_limit)
      : spool_(streams, memory_limit), bodies_(bodies), times_(streams), messages_(streams) {}

  void append(std::size_t stream, const Run& run) {
    for (std::size_t i = 0; i < run.events.size(); ++i) {
      const Event& event = run.events[i];
      const auto put = [&](std::uint64_t value) { spool_.append_varint(stream, value); };
      const std::int64_t time = event.time.ticks();
      const bool alike = is_message(event.role) && messages_[stream].take(event);
      put(static_cast<std::uint64_t>(event.role) << 2U | (alike ? 2U : 0U) | (run.is_added(i) ? 1U : 0U));
      put(static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(times_[stream]));
      times_[stream] = time;
      switch (event.role) {
        case Role::internal:
          break;
        case Role::send:
        case Role::receive:
          put(event.peer);
          if (alike) break;
          put(event.communicator);
          put(formats::zigzag(event.tag));
          put(event.bytes);
          if (event.role == Role::receive) put(event.overtakes);
          break;
        case Role::collective_begin:
          put(formats::zigzag(event.tag));
          break;
        case Role::collective_end:
          put(static_cast<std::uint64_t>(event.operation));
          put(event.communicator);
          put(event.root);
          put(formats::zigzag(event.tag));
          put(event.bytes);
          put(event.received);
          break;
      }
      if (!bodies_) continue;
      const Body body = run.body(i);
      put(body.size());
      spool_.append(stream, body.data(), body.size());
    }
  }

  /// All events of a stream were appended.
  void complete(std::size_t stream) { spool_.complete(stream); }

  class Reader {
   public:
    Reader(EventSpool& spool, std::size_t stream)
        : reader_(spool.spool_, stream), process_(static_cast<ProcessIndex>(stream)), bodies_(spool.bodies_) {}

    bool read(std::size_t count, Run& run) {
      run.clear();
      std::uint64_t role = 0;
      while (run.events.size() < count && reader_.varint(role)) {
        Event& event = run.events.emplace_back();
        event.process = process_;
        event.role = static_cast<Role>(role >> 2U);
        time_ += get();
        event.time = Time(static_cast<std::int64_t>(time_));
        switch (event.role) {
          case Role::internal:
            break;
          case Role::send:
          case Role::receive:
            event.peer = static_cast<ProcessIndex>(get());
            if ((role & 2U) != 0) {
              message_.give(event);
              break;
            }
            event.communicator = static_cast<CommunicatorIndex>(get());
            event.tag = formats::unzigzag(get());
            event.bytes = get();
            if (event.role == Role::receive) event.overtakes = static_cast<std::uint16_t>(get());
            static_cast<void>(message_.take(event));
            break;
          case Role::collective_begin:
            event.tag = formats::unzigzag(get());
            break;
          case Role::collective_end:
            event.operation = static_cast<Operation>(get());
            event.communicator = static_cast<CommunicatorIndex>(get());
            event.root = static_cast<Rank>(get());
            event.tag = formats::unzigzag(get());
            event.bytes = get();
            event.received = get();
            break;
        }
        if ((role & 1U) != 0) {
          run.added.resize(run.events.size());
          run.added.back() = 1;
        }
        if (!bodies_) continue;
        reader_.bytes(static_cast<std::size_t>(get()), run.bytes);
        run.ends.push_back(run.bytes.size());
      }
      return !run.events.empty();
    }

   private:
    std::uint64_t get() {
      std::uint64_t value = 0;
      reader_.varint(value);
      return value;
    }
    formats::Spool::Reader reader_;
    ProcessIndex process_;
    bool bodies_;
    std::uint64_t time_ = 0;
    Fields message_;
  };

 private:
  [[nodiscard]] static bool is_message(Role role) noexcept { return role == Role::send || role == Role::receive; }

  formats::Spool spool_;
  bool bodies_;
  // Of each stream:
  std::vector<std::int64_t> times_;
  std::vector<Fields> messages_;
};

}  // namespace clc::otf2
