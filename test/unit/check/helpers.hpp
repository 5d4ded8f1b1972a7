// Small traces by hand for the tests of the judge.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/io/record.hpp"
#include "clc/io/source.hpp"
#include "correction_check.hpp"
#include "matching/edges.hpp"

namespace clc::check {

inline Definitions world(std::size_t processes) {
  Definitions definitions;
  std::vector<ProcessIndex> all;
  for (std::size_t i = 0; i < processes; ++i)
    all.push_back(definitions.add_process(10 * i, "rank" + std::to_string(i)));
  definitions.add_communicator(4, all);
  return definitions;
}

inline Event send(Ticks time, ProcessIndex from, ProcessIndex to, std::int64_t tag = 0, std::uint64_t bytes = 8) {
  Event event;
  event.time = Time(time);
  event.process = from;
  event.peer = to;
  event.role = Role::send;
  event.communicator = 0;
  event.tag = tag;
  event.bytes = bytes;
  return event;
}

inline Event receive(Ticks time, ProcessIndex at, ProcessIndex from, std::int64_t tag = 0, std::uint64_t bytes = 8) {
  Event event = send(time, at, from, tag, bytes);
  event.role = Role::receive;
  return event;
}

inline Event internal(Ticks time, ProcessIndex at) {
  Event event;
  event.time = Time(time);
  event.process = at;
  return event;
}

inline Event begin(Ticks time, ProcessIndex at, std::int64_t call = 0) {
  Event event = internal(time, at);
  event.role = Role::collective_begin;
  event.tag = call;
  return event;
}

inline Event end(Ticks time, ProcessIndex at, Operation operation, std::uint64_t sent = 8, std::uint64_t received = 8,
                 Rank root = no_rank, std::int64_t call = 0) {
  Event event = begin(time, at, call);
  event.role = Role::collective_end;
  event.operation = operation;
  event.communicator = 0;
  event.root = root;
  event.bytes = sent;
  event.received = received;
  return event;
}

/// Takes bodies for the text of a record, and a kept time: "text @=1000".
class PlainDecoder final : public BodyDecoder {
 public:
  [[nodiscard]] Record decode(Body body) const override {
    Record record;
    record.text = body.substr(0, body.find(" @="));
    if (record.text.size() != body.size())
      record.recorded = Time(std::stoll(std::string(body.substr(record.text.size() + 3))));
    return record;
  }
};

/// Keeps what was matched.
struct Collector final : EdgeObserver {
  std::vector<Message> messages;
  std::vector<Collective> collectives;
  std::vector<Collective> unfinished;
  void message(const Message& matched) override { messages.push_back(matched); }
  void collective(const Collective& operation) override { collectives.push_back(operation); }
  void incomplete(const Collective& operation) override { unfinished.push_back(operation); }
};

inline Stamp stamp_of(const Event& event, std::uint64_t place = 0) {
  Stamp stamp;
  stamp.time = {event.time, event.time, event.time};
  stamp.place = {place, place};
  return stamp;
}

}  // namespace clc::check
