#include <algorithm>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include "report.hpp"
#include "report_parts.hpp"
#include "table.hpp"
#include "trace/one_or_many.hpp"
#include "words.hpp"

namespace clc::check {

namespace {

/// Those that are listed.
template <class Pair>
std::span<const Pair> shown_of(const std::vector<Pair>& pairs, const Subject& subject) {
  return std::span(pairs).first(subject.all_pairs ? pairs.size() : std::min(pairs.size(), pairs_shown));
}

std::string count_of(std::size_t shown, std::size_t all) {
  return shown == all ? std::string() : " (" + grouped(shown) + " of " + grouped(all) + ", all with --all-pairs)";
}

std::string pairs_text(const TraceCheck& check, const Names& names, const Subject& subject) {
  const std::vector<PairFigures> pairs = check.pairs();
  if (pairs.empty()) return {};
  const std::span<const PairFigures> shown = shown_of(pairs, subject);
  std::string out = "\nMessages by pair, worst first" + count_of(shown.size(), pairs.size()) + '\n';
  Table table;
  table.row({"from -> to", "messages", "backward", "violated", "smallest/us", "mean/us", "largest/us"});
  for (const PairFigures& pair : shown)
    table.row({names.process(pair.edges.worst.from) + " -> " + names.process(pair.edges.worst.to),
               grouped(pair.edges.edges), grouped(pair.edges.backward), grouped(pair.edges.violated),
               names.us(pair.edges.smallest_delay), names.us(pair.sum / static_cast<double>(pair.edges.edges)),
               names.us(pair.largest_delay)});
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
  const std::span<const BothWays> shown = shown_of(pairs, subject);
  std::string out = "\nPairs with messages in both directions, largest clock difference first" +
                    count_of(shown.size(), pairs.size()) +
                    "\n  clock difference: b - a, exact to half the round trip if the clocks do not drift\n";
  Table table;
  table.row({"a, b", "smallest a -> b/us", "smallest b -> a/us", "half round trip/us", "clock difference/us"});
  for (const BothWays& pair : shown)
    table.row({names.process(pair.first) + ", " + names.process(pair.second), names.us(pair.forth), names.us(pair.back),
               names.us(pair.half_round_trip()), names.us(pair.clock_difference())});
  const RoundTrips halves = round_trips(pairs);
  return out + table.text() + "  Half the smallest round trip over all pairs: smallest " + names.us(halves.smallest) +
         " us, average " + names.us(halves.average) + " us, largest " + names.us(halves.largest) + " us\n";
}

void write_pairs(JsonWriter& json, const TraceCheck& check, const Names& names, const Subject& subject) {
  const std::vector<PairFigures> pairs = check.pairs();
  json.field("pairs_with_messages", pairs.size()).key("pairs");
  json.objects(shown_of(pairs, subject), [&](const PairFigures& pair) {
    json.field("sender", names.number(pair.edges.worst.from)).field("receiver", names.number(pair.edges.worst.to));
    json.field("messages", pair.edges.edges).field("backwards", pair.edges.backward);
    json.field("violated", pair.edges.violated);
    write_ticks(json, "smallest_delay", pair.edges.smallest_delay, names);
    json.field("mean_delay_us", names.resolution().microseconds(pair.sum / static_cast<double>(pair.edges.edges)));
    write_ticks(json, "largest_delay", pair.largest_delay, names);
    write_ticks(json, "worst_margin", pair.edges.worst_margin, names);
  });
}

void write_both_ways(JsonWriter& json, const TraceCheck& check, const Names& names, const Subject& subject) {
  const std::vector<BothWays> both = check.both_ways();
  json.key("both_ways").begin_object().field("pairs", both.size());
  const RoundTrips halves = round_trips(both);
  const auto half = [&](double ticks) { return figure_of(both.size(), names.resolution().microseconds(ticks)); };
  json.field("smallest_half_round_trip_us", half(halves.smallest));
  json.field("average_half_round_trip_us", half(halves.average));
  json.field("largest_half_round_trip_us", half(halves.largest));
  json.key("list").objects(shown_of(both, subject), [&](const BothWays& pair) {
    json.field("a", names.number(pair.first)).field("b", names.number(pair.second));
    write_ticks(json, "smallest_a_to_b", pair.forth, names);
    write_ticks(json, "smallest_b_to_a", pair.back, names);
    json.field("half_round_trip_us", names.resolution().microseconds(pair.half_round_trip()));
    json.field("clock_difference_us", names.resolution().microseconds(pair.clock_difference()));
  });
  json.end_object();
}

}  // namespace

std::string text_report(const TraceCheck& check, const Side& side, const Subject& subject) {
  const Names names(side, check.first(), check.delays());
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
  const Names names(side, check.first(), check.delays());
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

}  // namespace clc::check
