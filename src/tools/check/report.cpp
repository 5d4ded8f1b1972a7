#include "report.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "common/program.hpp"
#include "common/values.hpp"
#include "report/json.hpp"
#include "trace/one_or_many.hpp"
#include "words.hpp"

namespace clc::check {

namespace {

/// Rows of words in columns: the first column to the left, the others to the right.
class Table {
 public:
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      if (widths.size() < row.size()) widths.resize(row.size(), 0);
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string out;
    for (const auto& row : rows_) {
      out += ' ';
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string padding(widths[i] - row[i].size(), ' ');
        const bool last = i + 1 == row.size();
        if (i == 0)
          out += ' ' + row[i] + (last ? "" : padding);
        else
          out += "  " + padding + row[i];
      }
      out += '\n';
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// What both reports need to know about the trace.
class Names {
 public:
  /// first: time from which seconds are counted.
  Names(const Side& side, Time first) : side_(&side), first_(first) {}
  [[nodiscard]] Resolution resolution() const { return side_->definitions->resolution; }
  [[nodiscard]] std::uint64_t number(ProcessIndex process) const {
    return side_->definitions->processes()[process].number;
  }
  /// Number and name of a process, printable on a terminal.
  [[nodiscard]] std::string process(ProcessIndex index) const {
    constexpr std::size_t longest = 40;
    const Process& process = side_->definitions->processes()[index];
    std::string number = std::to_string(process.number);
    if (process.name.empty() || process.name == number) return number;
    std::string name = process.name.substr(0, longest);
    for (char& letter : name)
      if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) letter = '?';
    return number + ' ' + name + (process.name.size() > longest ? "..." : "");
  }
  /// Below that, only a communicator has a delay of its own; to be set.
  void set_smallest(const DelayModel& delays) {
    smallest_ = std::min(delays.default_delay(), delays.node_delay());
    for (const DelayModel::Pair& pair : delays.pairs()) smallest_ = std::min(smallest_, pair.delay);
  }
  [[nodiscard]] Ticks smallest() const noexcept { return smallest_; }
  /// Ticks, and seconds since the first event.
  [[nodiscard]] std::string time(Time time) const {
    return std::to_string(time.ticks()) + " (" + digits(resolution().seconds(static_cast<double>(time - first_))) +
           " s)";
  }
  [[nodiscard]] std::string us(double ticks) const { return digits(resolution().microseconds(ticks)); }
  [[nodiscard]] std::string us(Ticks ticks) const { return us(static_cast<double>(ticks)); }
  [[nodiscard]] std::string both(Ticks ticks) const { return both_units(ticks, resolution()); }
  [[nodiscard]] std::string place(const Stamp& stamp) const { return side_->describe(stamp.place[recorded]); }

 private:
  const Side* side_;
  Time first_;
  Ticks smallest_ = 0;
};

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
  json.key("losses").begin_array();
  for (const LostRecord& record : lost ? lost->found() : std::vector<LostRecord>()) {
    json.begin_object();
    json.field("sender", names.number(record.sender)).field("receiver", names.number(record.receiver));
    json.field("communicator", number_of(record.communicator, side)).field("tag", record.tag);
    json.field("missing", record.send ? "send" : "receive").field("other_end_ticks", record.other_end.ticks());
    json.end_object();
  }
  json.end_array();
  json.key("lost_calls").begin_array();
  for (const LostCall& call : lost ? lost->lost_calls() : std::vector<LostCall>()) {
    json.begin_object();
    json.field("process", names.number(call.process)).field("communicator", number_of(call.communicator, side));
    json.field("operation", info(call.operation).name).field("others_end_ticks", call.others.ticks());
    json.end_object();
  }
  json.end_array();
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

/// The worst edge in words; nothing when it is not violated.
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

std::string shown_of(std::size_t shown, std::size_t all) {
  return shown == all ? std::string() : " (" + grouped(shown) + " of " + grouped(all) + ", all with --all-pairs)";
}

std::string pairs_text(const TraceCheck& check, const Names& names, const Subject& subject) {
  const std::vector<PairFigures> pairs = check.pairs();
  if (pairs.empty()) return {};
  const std::size_t shown = subject.all_pairs ? pairs.size() : std::min(pairs.size(), pairs_shown);
  std::string out = "\nMessages by pair, worst first" + shown_of(shown, pairs.size()) + '\n';
  Table table;
  table.row({"from -> to", "messages", "backward", "violated", "smallest/us", "mean/us", "largest/us"});
  for (std::size_t i = 0; i < shown; ++i) {
    const PairFigures& pair = pairs[i];
    table.row({names.process(pair.edges.worst.from) + " -> " + names.process(pair.edges.worst.to),
               grouped(pair.edges.edges), grouped(pair.edges.backward), grouped(pair.edges.violated),
               names.us(pair.edges.smallest_delay), names.us(pair.sum / static_cast<double>(pair.edges.edges)),
               names.us(pair.largest_delay)});
  }
  if (check.other_pairs().edges != 0)
    table.row({"other pairs", grouped(check.other_pairs().edges), grouped(check.other_pairs().backward),
               grouped(check.other_pairs().violated), names.us(check.other_pairs().smallest_delay), "", ""});
  return out + table.text();
}

/// Smallest, average and largest of half the smallest round trips.
struct RoundTrips {
  double smallest = 0;
  double average = 0;
  double largest = 0;
};

RoundTrips round_trips(const std::vector<BothWays>& pairs) {
  RoundTrips result;
  if (pairs.empty()) return result;
  result.smallest = result.largest = pairs.front().half_round_trip();
  for (const BothWays& pair : pairs) {
    const double half = pair.half_round_trip();
    result.smallest = std::min(result.smallest, half);
    result.largest = std::max(result.largest, half);
    result.average += half / static_cast<double>(pairs.size());
  }
  return result;
}

std::string both_ways_text(const TraceCheck& check, const Names& names, const Subject& subject) {
  const std::vector<BothWays> pairs = check.both_ways();
  if (pairs.empty()) return {};
  const std::size_t shown = subject.all_pairs ? pairs.size() : std::min(pairs.size(), pairs_shown);
  std::string out = "\nPairs with messages in both directions, largest clock difference first" +
                    shown_of(shown, pairs.size()) +
                    "\n  clock difference: b - a, exact to half the round trip if the clocks do not drift\n";
  Table table;
  table.row({"a, b", "smallest a -> b/us", "smallest b -> a/us", "half round trip/us", "clock difference/us"});
  for (std::size_t i = 0; i < shown; ++i) {
    const BothWays& pair = pairs[i];
    table.row({names.process(pair.first) + ", " + names.process(pair.second), names.us(pair.forth), names.us(pair.back),
               names.us(pair.half_round_trip()), names.us(pair.clock_difference())});
  }
  const RoundTrips halves = round_trips(pairs);
  return out + table.text() + "  Half the smallest round trip over all pairs: smallest " + names.us(halves.smallest) +
         " us, average " + names.us(halves.average) + " us, largest " + names.us(halves.largest) + " us\n";
}

void write_pairs(JsonWriter& json, const TraceCheck& check, const Names& names, const Subject& subject) {
  const std::vector<PairFigures> pairs = check.pairs();
  json.field("pairs_with_messages", pairs.size()).key("pairs").begin_array();
  for (std::size_t i = 0; i < (subject.all_pairs ? pairs.size() : std::min(pairs.size(), pairs_shown)); ++i) {
    const PairFigures& pair = pairs[i];
    json.begin_object();
    json.field("sender", names.number(pair.edges.worst.from)).field("receiver", names.number(pair.edges.worst.to));
    json.field("messages", pair.edges.edges).field("backwards", pair.edges.backward);
    json.field("violated", pair.edges.violated);
    write_ticks(json, "smallest_delay", pair.edges.smallest_delay, names);
    json.field("mean_delay_us", names.resolution().microseconds(pair.sum / static_cast<double>(pair.edges.edges)));
    write_ticks(json, "largest_delay", pair.largest_delay, names);
    write_ticks(json, "worst_margin", pair.edges.worst_margin, names);
    json.end_object();
  }
  json.end_array();
}

void write_both_ways(JsonWriter& json, const TraceCheck& check, const Names& names, const Subject& subject) {
  const std::vector<BothWays> both = check.both_ways();
  json.key("both_ways").begin_object().field("pairs", both.size());
  const RoundTrips halves = round_trips(both);
  const auto half = [&](double ticks) { return figure_of(both.size(), names.resolution().microseconds(ticks)); };
  json.field("smallest_half_round_trip_us", half(halves.smallest));
  json.field("average_half_round_trip_us", half(halves.average));
  json.field("largest_half_round_trip_us", half(halves.largest));
  json.key("list").begin_array();
  for (std::size_t i = 0; i < (subject.all_pairs ? both.size() : std::min(both.size(), pairs_shown)); ++i) {
    const BothWays& pair = both[i];
    json.begin_object().field("a", names.number(pair.first)).field("b", names.number(pair.second));
    write_ticks(json, "smallest_a_to_b", pair.forth, names);
    write_ticks(json, "smallest_b_to_a", pair.back, names);
    json.field("half_round_trip_us", names.resolution().microseconds(pair.half_round_trip()));
    json.field("clock_difference_us", names.resolution().microseconds(pair.clock_difference()));
    json.end_object();
  }
  json.end_array().end_object();
}

}  // namespace

std::string text_report(const TraceCheck& check, const Side& side, const Subject& subject) {
  Names names(side, check.first());
  names.set_smallest(check.delays());
  std::string out = subject.trace + ": " + grouped(check.events()) + " events of " +
                    grouped(side.definitions->processes().size()) + " processes";
  if (check.events() != 0)
    out += " in " + digits(names.resolution().seconds(static_cast<double>(check.latest() - check.earliest()))) + " s";
  out += ", " + std::to_string(names.resolution().per_second()) + " ticks per second\n";
  if (!subject.complete) out += "Damaged: figures cover only the readable part\n";
  const Sortedness& order = check.sortedness();
  if (order.unsorted == 0)
    out += "Sorted by time: yes\n";
  else
    out += "Sorted by time: NO, " + grouped(order.unsorted) +
           one_or_many(order.unsorted, " record; first process ", " records; first process ") +
           names.process(order.process) + " at " + names.time(order.after) + " after " +
           std::to_string(order.before.ticks()) + " (" + side.describe(order.place) + ")\n";
  if (const Sortedness& back = check.set_back(); back.unsorted != 0)
    out += "Clocks set back: " + grouped(back.unsorted) +
           one_or_many(back.unsorted, " time; first process ", " times; first process ") + names.process(back.process) +
           " at " + names.time(back.after) + " after " + std::to_string(back.before.ticks()) + " (" +
           side.describe(back.place) + ")\n";
  out += "Minimum message delay: " + minimum_delay(check.delays(), names) + '\n';
  out += judgement_text(subject);

  const std::uint64_t edges = check.messages().edges + check.collectives().edges;
  const std::uint64_t violated = check.messages().violated + check.collectives().violated;
  out += "Clock condition: ";
  if (violated == 0)
    out += "holds (" + grouped(edges) + " edges)\n";
  else
    out += "VIOLATED (" + grouped(violated) + " of " + grouped(edges) + " edges)\n";

  Table table;
  table.row({"", "edges", "backward", "violated", "smallest delay/us"});
  table.row(row_of("messages", check.messages(), names));
  table.row(row_of("collective operations (" + grouped(check.operations()) + ")", check.collectives(), names));
  if (check.incomplete().edges != 0) table.row(row_of("incomplete operations, not judged", check.incomplete(), names));
  out += '\n' + table.text();
  std::string worst = worst_of("message", check.messages(), recorded, names);
  worst += worst_of("pair of a collective operation", check.collectives(), recorded, names);
  if (!worst.empty()) out += '\n' + worst;
  return out + pairs_text(check, names, subject) + both_ways_text(check, names, subject) +
         not_matched_text(check.leftovers(), subject) + lost_text(check.lost(), side, names);
}

std::string json_report(const TraceCheck& check, const Side& side, const Subject& subject) {
  Names names(side, check.first());
  names.set_smallest(check.delays());
  std::ostringstream out;
  JsonWriter json(out);
  json.begin_object();
  write_head(json, check.delays(), names, subject);
  json.field("trace", subject.trace).field("events", check.events());
  json.field("processes", side.definitions->processes().size());
  json.field("first", figure_of(check.events(), check.earliest().ticks()));
  json.field("last", figure_of(check.events(), check.latest().ticks()));
  json.field("sorted", check.sortedness().unsorted == 0).field("unsorted_records", check.sortedness().unsorted);
  json.field("clocks_set_back", check.set_back().unsorted);
  json.field("clock_condition", check.clock_condition_holds());
  write(json, "messages", check.messages(), recorded, names);
  json.key("collectives").begin_object().field("operations", check.operations());
  write_figures(json, check.collectives(), recorded, names);
  json.end_object();
  write(json, "incomplete_collectives", check.incomplete(), recorded, names);
  write_not_matched(json, check.leftovers(), subject);
  write_lost(json, check.lost(), side, names);
  write_pairs(json, check, names, subject);
  write_both_ways(json, check, names, subject);
  json.end_object();
  return std::move(out).str();
}

namespace {

struct ErrorLine {
  std::string_view key;
  std::string_view title;
  const std::array<ErrorFigures, 2>* figures;
  bool relative;
};

std::array<ErrorLine, 5> error_lines(const TruthErrors& errors) {
  return {{{"message_delays", "message delays, us", &errors.delays, false},
           {"message_delays_inside_nodes", "... inside nodes, us", &errors.within_nodes, false},
           {"message_delays_between_nodes", "... between nodes, us", &errors.between_nodes, false},
           {"intervals", "local intervals, us", &errors.intervals, false},
           {"relative_intervals", "local intervals, %", &errors.relative_intervals, true}}};
}

std::string percent(double share) { return digits(share * 100) + " %"; }

std::string intervals_text(const IntervalErrors& intervals, const Side& side, const Names& names, bool mapped) {
  std::string out = "\nRelative errors of intervals between successive events of a process\n";
  Table table;
  table.row({"", "count", "average", "largest"});
  const auto row = [&](std::string title, std::uint64_t count, double average, double largest) {
    table.row(
        {std::move(title), grouped(count), count == 0 ? "-" : percent(average), count == 0 ? "-" : percent(largest)});
  };
  row("0 %", intervals.exact, 0, 0);
  row("up to 0.1 %", intervals.small.count, intervals.small.average(), intervals.small.largest);
  row("above 0.1 %", intervals.large.count, intervals.large.average(), intervals.large.largest);
  row("all", intervals.all.count(), intervals.all.mean(), intervals.all.largest());
  out += table.text();
  if (intervals.count() != 0) {
    out += "  ";
    if (intervals.all.count() != 0)
      out += "99 % of them at most " + percent(intervals.all.quantile(0.99)) + ", root mean square " +
             percent(intervals.all.rms()) + ", ";
    out += "largest change " + names.us(intervals.largest_change) + " us\n";
  }
  if (intervals.zero_widened != 0)
    out += "  " + grouped(intervals.zero_widened) + " intervals of length 0 became longer\n";
  if (intervals.largest_in != no_process)
    out += "  largest before the event of process " + names.process(intervals.largest_in) +
           (mapped ? " mapped to " : " recorded at ") + names.time(intervals.largest_at.time[recorded]) + ", " +
           side.describe(intervals.largest_at.place[recorded]) + '\n';
  return out;
}

/// Why a law is not judged.
std::string_view exemption(const LawInfo& law, const CorrectionCheck& check, bool complete) {
  if (law.law == Law::not_earlier) return "does not apply, the results forwards and backwards are combined";
  if (!complete) return "not judged, the traces were not read to their ends";
  if (check.moves_apart()) return "does not apply, --delta moves events that are closer";
  if (check.leftovers().disagreements != 0) return "does not apply, members disagree on collective operations";
  if (check.violated_as_recorded()) return "does not apply, the trace has violations";
  return "does not apply, a clock was set back";
}

std::string verdict_text(const LawInfo& law, const CorrectionCheck& check, bool complete) {
  const Verdict& verdict = check.verdict(law.law);
  std::string out = check.title(law) + ": ";
  if (!verdict.applies) return out + std::string(exemption(law, check, complete)) + '\n';
  const std::string unit = ' ' + std::string(law.unit);
  if (verdict.broken == 0)
    return out + (complete ? "ok (" : "not judged to the end, ok so far (") + grouped(verdict.checked) + unit + ")\n";
  return out + "BROKEN (" + grouped(verdict.broken) + " of " + grouped(verdict.checked) + unit +
         ")\n  first: " + verdict.first + '\n';
}

std::string edges_text(const CorrectionCheck& check, const Names& names) {
  const EdgesByKind& before = check.edges(recorded);
  const EdgesByKind& after = check.edges(corrected);
  const std::string as = check.mapped() ? " mapped" : " recorded";
  Table table;
  table.row({"", "edges", "backward", "violated", "smallest delay/us"});
  const auto rows = [&](const std::string& title, EdgeFigures EdgesByKind::*kind, bool always) {
    if ((before.*kind).edges == 0 && !always) return;
    table.row(row_of(title + ',' + as, before.*kind, names));
    table.row(row_of(title + ", corrected", after.*kind, names));
  };
  rows("messages", &EdgesByKind::messages, true);
  rows("collective operations (" + grouped(check.operations()) + ")", &EdgesByKind::collectives, true);
  rows("incomplete operations, exempt from the laws", &EdgesByKind::incomplete, false);
  rows("beyond the wait limit, exempt from the laws", &EdgesByKind::given_up, false);
  std::string out = '\n' + table.text();
  out += worst_of("message as" + as, before.messages, recorded, names);
  out += worst_of("pair of a collective operation as" + as, before.collectives, recorded, names);
  return out;
}

std::string correction_text(const CorrectionCheck& check, const Names& names) {
  const LargestCorrection& largest = check.largest_correction();
  std::string out =
      "\nCorrection: " + grouped(check.moved()) + one_or_many(check.moved(), " event moved", " events moved");
  if (check.events() != 0) out += ", largest " + names.both(largest.shift);
  if (largest.process != no_process)
    out += "\n  process " + names.process(largest.process) + (check.mapped() ? ", mapped to " : ", recorded at ") +
           names.time(largest.at.time[recorded]) + ", " + names.place(largest.at);
  return out + '\n';
}

std::string receive_order_text(const CorrectionCheck& check) {
  const ReceiveOrderFigures& order = check.receive_order();
  if (order.pairs == 0) return {};
  std::string out = "\nOf " + grouped(order.pairs) +
                    " successive receives from two senders, so many took the message sent later first: before " +
                    grouped(order.turned[recorded]) + ", after " + grouped(order.turned[corrected]) + '\n';
  if (check.has_truth())
    out += "  in truth " + grouped(order.turned[truth]) + "; the order of sends is wrong before in " +
           grouped(order.wrong[recorded]) + ", after in " + grouped(order.wrong[corrected]) + '\n';
  return out;
}

std::string truth_text(const TruthErrors& errors, const Names& names) {
  std::string out =
      "\nErrors against the truth (99 %: at most " + digits(100 * ErrorFigures::quantile_accuracy) + " % too high)\n";
  Table table;
  table.row({"", "count", "mean", "RMS", "99 %", "largest"});
  for (const Column column : {recorded, corrected}) {
    const OffsetErrors& offsets = errors.offsets[column];
    const auto show = [&](double error) {
      return offsets.count() == 0 ? std::string("-") : digits(names.resolution().microseconds(error));
    };
    table.row({std::string("offsets, us") + (column == recorded ? ", before" : ", after"), grouped(offsets.count()),
               "-", show(offsets.rms()), "-", show(offsets.largest())});
  }
  const bool by_class = errors.within_nodes[recorded].count() != 0 && errors.between_nodes[recorded].count() != 0;
  for (const ErrorLine& line : error_lines(errors)) {
    const bool is_class = line.figures == &errors.within_nodes || line.figures == &errors.between_nodes;
    if (is_class && !by_class) continue;
    for (const Column column : {recorded, corrected}) {
      const ErrorFigures& figures = (*line.figures)[column];
      const auto show = [&](double error) {
        if (figures.count() == 0) return std::string("-");
        return digits(line.relative ? error * 100 : names.resolution().microseconds(error));
      };
      table.row({std::string(line.title) + (column == recorded ? ", before" : ", after"), grouped(figures.count()),
                 show(figures.mean()), show(figures.rms()), show(figures.quantile(0.99)), show(figures.largest())});
    }
  }
  out += table.text();
  if (errors.faster != 0)
    out += "  " + grouped(errors.faster) + " messages were faster than the minimum message delay: use a smaller -mmd\n";
  return out;
}

void write_laws(JsonWriter& json, const CorrectionCheck& check) {
  json.key("laws").begin_object();
  for (const LawInfo& law : laws) {
    const Verdict& verdict = check.verdict(law.law);
    json.key(law.name).begin_object().field("applies", verdict.applies).field("holds", verdict.holds());
    json.field("checked", verdict.checked).field("broken", verdict.applies ? verdict.broken : 0);
    if (!verdict.holds()) json.field("first", verdict.first);
    json.end_object();
  }
  json.end_object();
}

void write_edges(JsonWriter& json, const CorrectionCheck& check, Column column, const Names& names) {
  const EdgesByKind& edges = check.edges(column);
  json.key(column == recorded ? "edges_recorded" : "edges_corrected").begin_object();
  write(json, "messages", edges.messages, column, names);
  json.key("collectives").begin_object().field("operations", check.operations());
  write_figures(json, edges.collectives, column, names);
  json.end_object();
  write(json, "incomplete_collectives", edges.incomplete, column, names);
  write(json, "beyond_wait_limit", edges.given_up, column, names);
  json.end_object();
}

void write_correction(JsonWriter& json, const CorrectionCheck& check, const Names& names) {
  const LargestCorrection& largest = check.largest_correction();
  json.key("correction").begin_object().field("events_moved", check.moved());
  write_ticks(json, "largest", figure_of(check.events(), largest.shift), names);
  if (largest.process != no_process) {
    json.field("process", names.number(largest.process));
    json.field("recorded", largest.at.time[recorded].ticks());
    json.field("at", names.place(largest.at));
  } else {
    json.key("process").null().key("recorded").null().key("at").null();
  }
  json.end_object();
}

void write_intervals(JsonWriter& json, const IntervalErrors& intervals, const Names& names) {
  json.key("intervals").begin_object().field("count", intervals.all.count()).field("exact", intervals.exact);
  json.field("stretched_ties", intervals.zero_widened);
  const auto kind = [&](std::string_view key, const IntervalErrors::Class& figures) {
    json.key(key).begin_object().field("count", figures.count);
    json.field("average_percent", figure_of(figures.count, 100 * figures.average()));
    json.field("largest_percent", figure_of(figures.count, 100 * figures.largest)).end_object();
  };
  kind("up_to_0.1_percent", intervals.small);
  kind("above_0.1_percent", intervals.large);
  const auto percent_of_all = [&](double error) { return figure_of(intervals.all.count(), 100 * error); };
  json.field("average_percent", percent_of_all(intervals.all.mean()));
  json.field("rms_percent", percent_of_all(intervals.all.rms()));
  json.field("quantile_99_percent", percent_of_all(intervals.all.quantile(0.99)));
  json.field("largest_percent", percent_of_all(intervals.all.largest()));
  write_ticks(json, "largest_change", figure_of(intervals.count(), intervals.largest_change), names);
  json.end_object();
}

void write_receive_order(JsonWriter& json, const CorrectionCheck& check) {
  const ReceiveOrderFigures& order = check.receive_order();
  json.key("receive_order").begin_object().field("pairs", order.pairs);
  json.field("turned_before", order.turned[recorded]).field("turned_after", order.turned[corrected]);
  if (check.has_truth())
    json.field("turned_in_truth", order.turned[truth])
        .field("wrong_before", order.wrong[recorded])
        .field("wrong_after", order.wrong[corrected]);
  json.end_object();
}

void write_truth_errors(JsonWriter& json, const TruthErrors& errors, const Names& names) {
  json.key("truth_errors").begin_object().field("quantile_accuracy", ErrorFigures::quantile_accuracy);
  json.field("messages_faster_than_minimum", errors.faster);
  json.key("offsets").begin_object().field("unit", "us");
  for (const Column column : {recorded, corrected}) {
    const OffsetErrors& offsets = errors.offsets[column];
    const auto show = [&](double error) { return figure_of(offsets.count(), names.resolution().microseconds(error)); };
    json.key(column == recorded ? "before" : "after").begin_object().field("count", offsets.count());
    json.field("rms", show(offsets.rms())).field("largest", show(offsets.largest())).end_object();
  }
  json.end_object();
  for (const ErrorLine& line : error_lines(errors)) {
    json.key(line.key).begin_object().field("unit", line.relative ? "1" : "us");
    for (const Column column : {recorded, corrected}) {
      const ErrorFigures& figures = (*line.figures)[column];
      const auto show = [&](double error) {
        return figure_of(figures.count(), line.relative ? error : names.resolution().microseconds(error));
      };
      json.key(column == recorded ? "before" : "after").begin_object().field("count", figures.count());
      json.field("mean", show(figures.mean())).field("rms", show(figures.rms()));
      json.field("quantile_99", show(figures.quantile(0.99))).field("largest", show(figures.largest()));
      json.end_object();
    }
    json.end_object();
  }
  json.end_object();
}

}  // namespace

std::string text_report(const CorrectionCheck& check, const Side& side, const Subject& subject) {
  Names names(side, check.begin());
  names.set_smallest(check.delays());
  std::string out = subject.trace + " -> " + subject.corrected + ": " + grouped(check.events()) + " events of " +
                    grouped(side.definitions->processes().size()) + " processes, " +
                    std::to_string(names.resolution().per_second()) + " ticks per second\n";
  if (!subject.complete) out += "Damaged: figures cover only the readable part\n";
  out += "Minimum message delay: " + minimum_delay(check.delays(), names) + '\n';
  if (check.mapped()) out += "Clocks were mapped before the correction: the laws hold relative to mapped times\n";
  if (subject.part.any())
    out += "Window: seconds " + tool::shortest(subject.part.from_s.value_or(0)) + " to " +
           (subject.part.to_s ? tool::shortest(*subject.part.to_s) : "the end") + " of the recorded trace; " +
           grouped(check.crossing()) + " messages and operations cross its begin\n";
  if (check.direction() == tool::Direction::backwards) out += "The clock ran backwards: events become earlier\n";
  out += judgement_text(subject) + '\n';
  for (const LawInfo& law : laws) out += verdict_text(law, check, subject.complete);
  out += edges_text(check, names) + correction_text(check, names) +
         intervals_text(check.intervals(), side, names, check.mapped()) + receive_order_text(check);
  if (check.has_truth()) out += truth_text(check.truth_errors(), names);
  return out + not_matched_text(check.leftovers(), subject) + lost_text(check.lost(), side, names);
}

std::string json_report(const CorrectionCheck& check, const Side& side, const Subject& subject) {
  Names names(side, check.begin());
  names.set_smallest(check.delays());
  std::ostringstream out;
  JsonWriter json(out);
  json.begin_object();
  write_head(json, check.delays(), names, subject);
  json.field("recorded", subject.trace).field("corrected", subject.corrected);
  if (check.has_truth()) json.field("truth", subject.truth);
  if (subject.part.from_s) json.field("from_s", *subject.part.from_s);
  if (subject.part.to_s) json.field("to_s", *subject.part.to_s);
  if (subject.part.any()) json.field("crosses_begin", check.crossing());
  json.field("events", check.events()).field("processes", side.definitions->processes().size());
  json.field("mapped", check.mapped()).field("laws_hold", check.laws_hold());
  write_laws(json, check);
  for (const Column column : {recorded, corrected}) write_edges(json, check, column, names);
  write_not_matched(json, check.leftovers(), subject);
  write_lost(json, check.lost(), side, names);
  write_correction(json, check, names);
  write_intervals(json, check.intervals(), names);
  write_receive_order(json, check);
  if (check.has_truth()) write_truth_errors(json, check.truth_errors(), names);
  json.end_object();
  return std::move(out).str();
}

}  // namespace clc::check
