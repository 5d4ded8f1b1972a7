#include "writer.hpp"

#include <algorithm>
#include <cstring>

namespace clc::tracegen {

namespace {

[[nodiscard]] std::string process_name(ProcessIndex process) { return "rank" + std::to_string(process); }
[[nodiscard]] std::string node_name(const Settings& settings, ProcessIndex process) {
  if (settings.processes_per_node == 0) return {};
  return "node" + std::to_string(process / settings.processes_per_node);
}

}  // namespace

Record PointDecoder::decode(Body body) const {
  Point point;
  std::memcpy(&point, body.data(), sizeof point);
  Record record;
  record.kind = point.kind;
  Event& event = record.event;
  switch (point.kind) {
    case Kind::enter:
    case Kind::leave:
      record.text = region_names[point.region];
      break;
    case Kind::send:
    case Kind::receive:
      event.role = point.kind == Kind::send ? Role::send : Role::receive;
      event.peer = point.peer;
      event.communicator = point.communicator;
      event.tag = point.tag;
      event.bytes = point.bytes;
      break;
    case Kind::collective_begin:
      event.role = Role::collective_begin;
      event.tag = point.tag;
      break;
    case Kind::collective_end:
      event.role = Role::collective_end;
      event.operation = point.operation;
      event.communicator = point.communicator;
      event.root = point.peer;
      event.tag = point.tag;
      event.bytes = point.bytes;
      event.received = point.received;
      break;
    case Kind::other:
      record.text = "I step";
      break;
  }
  return record;
}

TraceWriter::TraceWriter(const std::string& path, const SinkOptions& options, const Settings& settings,
                         const Plan& plan) {
  definitions_.resolution = settings.resolution;
  for (ProcessIndex process = 0; process < plan.processes; ++process)
    definitions_.add_process(process, process_name(process), node_name(settings, process));
  for (CommunicatorIndex number = 0; number < plan.communicators.size(); ++number)
    definitions_.add_communicator(number, plan.communicators[number]);

  SinkOptions own = options;
  // Bodies are of no format: name another one than that of the sink, so that it asks the decoder.
  own.body_format = options.format == Format::text ? Format::binary : Format::text;
  own.decoder = &decoder_;
  sink_ = open_sink(path, definitions_, own);

  sink_->note("%clc-trace 1");
  sink_->note("%resolution " + std::to_string(settings.resolution.per_second()));
  if (settings.messages.tell_min_delay) min_delay(settings);
  for (ProcessIndex process = 0; process < plan.processes; ++process) {
    std::string line = "%process " + std::to_string(process) + ' ' + process_name(process);
    if (const std::string node = node_name(settings, process); !node.empty()) line += " node=" + node;
    sink_->note(line);
  }
  for (CommunicatorIndex number = 0; number < plan.communicators.size(); ++number)
    communicator(number, plan.communicators[number]);
}

void TraceWriter::min_delay(const Settings& settings) {
  const auto as_taken = [&](double microseconds) {
    const Ticks ticks = settings.resolution.ticks_of_microseconds(microseconds);
    return settings.scenario == Scenario::scenario2 ? ticks : std::max<Ticks>(1, ticks);
  };
  const Ticks ticks = as_taken(settings.messages.delay_us.value());
  if (ticks < 1) return;
  definitions_.min_delay = ticks;
  std::string line = "%min-delay " + std::to_string(ticks);
  if (const Ticks in_node = as_taken(settings.messages.node_delay_us.value()); in_node != ticks) {
    definitions_.node_min_delay = in_node;
    line += " node=" + std::to_string(in_node);
  }
  sink_->note(line);
}

void TraceWriter::communicator(CommunicatorIndex number, std::span<const ProcessIndex> members) {
  definitions_.add_communicator(number, std::vector<ProcessIndex>(members.begin(), members.end()));
  std::string line = "%group " + std::to_string(number);
  for (const ProcessIndex member : members) line += ' ' + std::to_string(member);
  sink_->note(line);
}

void TraceWriter::points(std::span<const Placed> run) {
  run_.clear();
  for (const Placed& placed : run) {
    const Time time(placed.point.time);
    run_.push_back({time, time, placed.process, Body(reinterpret_cast<const char*>(&placed.point), sizeof(Point))});
  }
  sink_->events(run_);
}

}  // namespace clc::tracegen
