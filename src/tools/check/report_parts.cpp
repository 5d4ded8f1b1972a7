#include "report_parts.hpp"

#include <array>
#include <utility>

#include "common/program.hpp"
#include "table.hpp"

namespace clc::check {

namespace {

struct LeftoverInfo {
  std::uint64_t Leftovers::*count;
  std::string_view key;
  std::string_view prose;
};

constexpr std::array<LeftoverInfo, 12> leftover_kinds{{
    {&Leftovers::sends, "sends_never_received", "sends never received"},
    {&Leftovers::receives, "receives_never_sent", "receives never sent"},
    {&Leftovers::unclaimed, "unclaimed", "sends that name no receiver, never received"},
    {&Leftovers::self_messages, "self_messages", "messages of a process to itself (ignored)"},
    {&Leftovers::within_clocks, "messages_within_clocks", "messages between processes on one clock (ignored)"},
    {&Leftovers::clock_disagreements, "clock_disagreements",
     "of these end before they begin (if its cores are not synchronised, use --clock-of location)"},
    {&Leftovers::incomplete, "incomplete_collectives", "collective operations not finished by all members"},
    {&Leftovers::ends_without_begin, "ends_without_begin", "ends of collective operations without begin"},
    {&Leftovers::begins_without_end, "begins_without_end", "begins of collective operations without end"},
    {&Leftovers::outsiders, "not_a_member", "collective calls by processes outside the communicator"},
    {&Leftovers::foreign_roots, "root_not_a_member", "collective operations with a root outside the communicator"},
    {&Leftovers::disagreements, "operation_mismatch",
     "collective calls that record a different operation or root than other members; such operations order nothing"},
}};

std::uint64_t number_of(CommunicatorIndex communicator, const Side& side) {
  const auto& all = side.definitions->communicators();
  return communicator < all.size() ? all[communicator].number : communicator;
}

}  // namespace

std::string lost_text(const std::optional<LostRecords>& lost, const Side& side, const Names& names) {
  if (!lost) return {};
  constexpr std::size_t most_shown = 10;
  std::string lines;
  for (std::size_t i = 0; i < std::min(most_shown, lost->found().size()); ++i) {
    const LostRecord& record = lost->found()[i];
    lines += std::string("  lost ") + (record.send ? "send" : "receive") + ": process " + names.process(record.sender) +
             " to " + names.process(record.receiver) + ", communicator " +
             std::to_string(number_of(record.communicator, side)) + ", tag " + std::to_string(record.tag) + ", the " +
             (record.send ? "receive" : "send") + " is at " + names.time(record.other_end) + '\n';
  }
  for (std::size_t i = 0; i < std::min(most_shown, lost->lost_calls().size()); ++i) {
    const LostCall& call = lost->lost_calls()[i];
    lines += "  lost " + std::string(info(call.operation).name) + ": process " + names.process(call.process) +
             ", communicator " + std::to_string(number_of(call.communicator, side)) +
             ", the first of the others ends at " + names.time(call.others) + '\n';
  }
  const std::size_t left = lost->found().size() - std::min(most_shown, lost->found().size()) +
                           lost->lost_calls().size() - std::min(most_shown, lost->lost_calls().size());
  if (left > 0) lines += "  and " + grouped(left) + " more\n";
  return lines.empty() ? "\nLost records: none found\n" : "\nLost records\n" + lines;
}

void write_lost(JsonWriter& json, const std::optional<LostRecords>& lost, const Side& side, const Names& names) {
  const Match match = !lost ? Match::fifo : lost->by_whole_channels() ? Match::whole : Match::resynchronise;
  json.field("match", name_of(match));
  json.key("losses").objects(lost ? lost->found() : std::vector<LostRecord>(), [&](const LostRecord& record) {
    json.field("sender", names.number(record.sender)).field("receiver", names.number(record.receiver));
    json.field("communicator", number_of(record.communicator, side)).field("tag", record.tag);
    json.field("missing", record.send ? "send" : "receive").field("other_end_ticks", record.other_end.ticks());
  });
  json.key("lost_calls").objects(lost ? lost->lost_calls() : std::vector<LostCall>(), [&](const LostCall& call) {
    json.field("process", names.number(call.process)).field("communicator", number_of(call.communicator, side));
    json.field("operation", info(call.operation).name).field("others_end_ticks", call.others.ticks());
  });
}

std::string not_matched_text(const Leftovers& leftovers, const Subject& subject) {
  Table table;
  for (const LeftoverInfo& kind : leftover_kinds)
    if (leftovers.*kind.count != 0) table.row({std::string(kind.prose), grouped(leftovers.*kind.count)});
  std::string lines = table.text();
  for (const std::string& remark : subject.remarks) lines += "  " + remark + '\n';
  return lines.empty() ? "\nNot matched: nothing\n" : "\nNot matched\n" + lines;
}

void write_not_matched(JsonWriter& json, const Leftovers& leftovers, const Subject& subject) {
  json.key("not_matched").begin_object();
  for (const LeftoverInfo& kind : leftover_kinds) json.field(kind.key, leftovers.*kind.count);
  json.end_object();
  json.field("remarks", subject.remarks);
}

std::string minimum_delay(const DelayModel& delays, const Names& names) {
  std::string out = names.both(delays.default_delay());
  if (delays.node_delay() != delays.default_delay()) out += ", inside a node " + names.both(delays.node_delay());
  if (delays.has_pairs()) out += ", with exceptions for single pairs";
  return out;
}

std::vector<std::string> row_of(std::string title, const EdgeFigures& figures, const Names& names) {
  return {std::move(title), grouped(figures.edges), grouped(figures.backward), grouped(figures.violated),
          figures.edges == 0 ? "-" : names.us(figures.smallest_delay)};
}

std::string worst_of(std::string_view title, const EdgeFigures& figures, Column column, const Names& names) {
  if (figures.violated == 0) return {};
  const Edge& edge = figures.worst;
  const auto end = [&](ProcessIndex process, const Stamp& stamp) {
    return "process " + names.process(process) + " at " + names.time(stamp.time[column]) + ", " + names.place(stamp);
  };
  return "Worst " + std::string(title) + ": delay " + names.both(edge.delay(column)) + ", minimum " +
         names.both(edge.mu) + (edge.mu < names.smallest() ? ", of its communicator, as between threads" : "") +
         "\n  from " + end(edge.from, edge.sent) + "\n  to   " + end(edge.to, edge.received) + '\n';
}

void write_ticks(JsonWriter& json, const std::string& key, std::optional<Ticks> ticks, const Names& names) {
  json.field(key + "_ticks", ticks);
  json.key(key + "_us");
  ticks ? json.value(names.resolution().microseconds(static_cast<double>(*ticks))) : json.null();
}

void write_figures(JsonWriter& json, const EdgeFigures& figures, Column column, const Names& names) {
  json.field("edges", figures.edges).field("backwards", figures.backward).field("violated", figures.violated);
  write_ticks(json, "smallest_delay", figure_of(figures.edges, figures.smallest_delay), names);
  if (figures.edges == 0) {
    json.key("worst").null();
    return;
  }
  const Edge& edge = figures.worst;
  json.key("worst").begin_object();
  json.field("sender", names.number(edge.from)).field("receiver", names.number(edge.to));
  json.field("sent", edge.sent.time[column].ticks()).field("received", edge.received.time[column].ticks());
  write_ticks(json, "delay", edge.delay(column), names);
  write_ticks(json, "minimum", edge.mu, names);
  json.field("sent_at", names.place(edge.sent)).field("received_at", names.place(edge.received));
  json.end_object();
}

void write(JsonWriter& json, std::string_view key, const EdgeFigures& figures, Column column, const Names& names) {
  json.key(key).begin_object();
  write_figures(json, figures, column, names);
  json.end_object();
}

void write_head(JsonWriter& json, const DelayModel& delays, const Names& names, const Subject& subject) {
  json.field("report_version", json_version).field("program", "clc-check").field("program_version", tool::version());
  json.field("complete", subject.complete);
  write_verdict(json, subject.verdict);
  json.field("ticks_per_second", names.resolution().per_second());
  json.key("minimum_delay").begin_object();
  write_ticks(json, "default", delays.default_delay(), names);
  write_ticks(json, "node", delays.node_delay(), names);
  json.field("single_pairs", delays.has_pairs());
  json.end_object();
}

std::string judgement_text(const Subject& subject) {
  std::string out = "Verdict: " + std::string(name_of(subject.verdict.judgement)) + '\n';
  for (const Reason& reason : subject.verdict.reasons)
    out += "  " + std::string(name_of(reason.judgement)) + ": " + reason.text + '\n';
  return out;
}

}  // namespace clc::check
