#include <array>
#include <sstream>
#include <utility>

#include "common/values.hpp"
#include "report.hpp"
#include "report_parts.hpp"
#include "table.hpp"
#include "trace/one_or_many.hpp"
#include "words.hpp"

namespace clc::check {

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
  std::string out = "\nPairs of successive receives from two senders: " + grouped(order.pairs) +
                    "; the message sent later was taken first in " + grouped(order.turned[recorded]) + " before, " +
                    grouped(order.turned[corrected]) + " after\n";
  if (check.has_truth())
    out += "  with true times " + grouped(order.turned[truth]) +
           "; sends in the wrong order: " + grouped(order.wrong[recorded]) + " before, " +
           grouped(order.wrong[corrected]) + " after\n";
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
  const Names names(side, check.begin(), check.delays());
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
  const Names names(side, check.begin(), check.delays());
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
