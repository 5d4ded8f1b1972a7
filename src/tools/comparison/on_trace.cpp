#include "comparison/on_trace.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "clc/filter.hpp"
#include "clc/io/batch.hpp"
#include "common/nowhere.hpp"
#include "common/program.hpp"
#include "comparison/figures_text.hpp"
#include "estimation/estimation.hpp"
#include "formats/common/aligned.hpp"
#include "lost/search.hpp"
#include "report/json.hpp"

namespace clc::comparison {

namespace {

/// Runs the clock on the mapped trace and notes its figures.
void run_clock(OnTrace& row, lost::Search& lost, const SourceOptions& options, const sync::Options& estimation,
               Offsets offsets) {
  std::unique_ptr<Source> source = lost.open_marked(options);
  RecordedTimes recorded;
  tool::Nowhere nowhere;
  WithRecorded restored(nowhere, recorded);
  const bool is_mapped = !offsets.empty();
  if (is_mapped) source = aligned(std::move(source), std::move(offsets), recorded);
  EventSink& sink = is_mapped ? static_cast<EventSink&>(restored) : nowhere;
  Parameters parameters;
  if (estimation.min_delay_us > 0) parameters.min_delay_us = estimation.min_delay_us;
  parameters.bandwidth_mb_s = estimation.bandwidth_mb_s;
  if (lost.find(options)) parameters.match = Match::whole;
  parameters.uncounted_body = source->added_body();
  Filter filter(parameters, source->definitions(), sink);
  Batch batch;
  for (bool more = true; more;) {
    more = source->read(batch);
    filter.push(batch.events, batch.bodies);
  }
  filter.finish();
  const Analysis& analysis = filter.analysis();
  const auto us = [&](Ticks ticks) {
    return source->definitions().resolution.microseconds(static_cast<double>(ticks));
  };
  row.records = analysis.events();
  row.edges = analysis.messages().edges + analysis.collectives().edges;
  row.unmatched = analysis.counted(Case::send_without_receive) + analysis.counted(Case::receive_without_send);
  row.violated = analysis.messages().violated + analysis.collectives().violated;
  row.worst_us =
      us(std::max<Ticks>(0, subtract_saturating(0, std::min(analysis.messages().worst, analysis.collectives().worst))));
  row.moved = analysis.moved();
  for (const ProcessStatistics& process : analysis.processes())
    row.largest_correction_us = std::max(row.largest_correction_us, us(process.largest_shift));
  row.local_error_percent = 100 * analysis.changed_share();
}

/// The map that the method finds.
Offsets estimate(OnTrace& row, const std::string& path, lost::Search& lost, SourceOptions source,
                 sync::Options options) {
  source.any_order = true;
  source.as_input = true;
  const OpenedSource opened = open_source(path, source);
  options.method = *row.method;
  options.always = true;
  const tool::Again again = [&] { return lost.open_marked(source); };
  const sync::Estimate found =
      tool::first_pass(*opened.source, {input_name(path), opened.archive && !source.clock_offsets}, options, false,
                       false, again)
          .estimate;
  const auto& processes = opened.source->definitions().processes();
  row.applies = !found.failure || found.failure->cause != sync::NoSolution::Cause::not_measured;
  if (found.failure) row.failure = tool::failure_text(found, opened.source->definitions());
  Offsets offsets;
  for (std::size_t i = 0; i < found.clocks.size(); ++i) {
    const sync::ClockEstimate& clock = found.clocks[i];
    if (!clock.map.points().empty()) offsets.emplace(processes[i].number, clock.map);
    if (sync::is_known(clock.flag) && std::isfinite(clock.error_us))
      row.error_us = std::max(row.error_us.value_or(0), clock.error_us);
  }
  return offsets;
}

}  // namespace

std::vector<OnTrace> compare_on(const std::string& path, SourceOptions source, const sync::Options& estimation) {
  source.kept = tool::kept_if_read_once(path, source.format);
  source.any_order = false;
  lost::Search lost(path, Parameters().max_memory);
  static_cast<void>(lost.find(source));
  std::vector<OnTrace> rows(1);
  for (std::size_t i = 0; i < tool::estimation_methods().size(); ++i)
    rows.emplace_back().method = static_cast<sync::Method>(i);
  for (OnTrace& row : rows) {
    const double start = cpu_ns();
    Offsets offsets;
    if (row.method) offsets = estimate(row, path, lost, source, estimation);
    if (row.method) row.cpu_ns = cpu_ns() - start;
    if (!row.failure.empty()) continue;
    run_clock(row, lost, source, estimation, std::move(offsets));
    if (!row.method) row.cpu_ns = cpu_ns() - start;
  }
  std::erase_if(rows, [](const OnTrace& row) { return !row.applies; });
  return rows;
}

void write_text(std::ostream& out, const std::vector<OnTrace>& rows, const std::string& name) {
  const OnTrace& none = rows.front();
  out << "clc-sync " << tool::version() << " --compare " << name << ": " << none.records << " records, " << none.edges
      << " edges";
  if (none.unmatched > 0) out << "; " << none.unmatched << " sends and receives lack their other end";
  out << "\n\n"
      << "                    after the estimate alone          with the clock behind            CPU time\n"
      << "method            below/%   worst/us   error/us    moved/%  largest/us    local/%   ns per record\n";
  const auto share = [](std::uint64_t part, std::uint64_t all) {
    return all == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(all);
  };
  for (const OnTrace& row : rows) {
    if (!row.failure.empty()) continue;
    std::string line(name_of(row.method));
    line.resize(15, ' ');
    line += cell(digits(share(row.violated, row.edges)), 10) + cell(digits(row.worst_us), 11);
    line += cell(row.error_us ? digits(*row.error_us) : "-", 11) + cell(digits(share(row.moved, row.records)), 11);
    line += cell(digits(row.largest_correction_us), 12) + cell(digits(row.local_error_percent), 11);
    const double records = row.records == 0 ? 1 : static_cast<double>(row.records);
    out << line << cell(digits(row.cpu_ns / records), 16) << '\n';
  }
  out << '\n';
  for (const OnTrace& row : rows)
    if (!row.failure.empty()) out << name_of(row.method) << " has no solution: " << row.failure << '\n';
}

void write_json(std::ostream& out, const std::vector<OnTrace>& rows, const std::string& name) {
  JsonWriter json(out);
  json.begin_object().field("program", "clc-sync").field("program_version", tool::version()).field("trace", name);
  json.field("records", rows.front().records).field("edges", rows.front().edges);
  json.field("unmatched", rows.front().unmatched).key("methods").objects(rows, [&](const OnTrace& row) {
    json.field("method", name_of(row.method)).field("solved", row.failure.empty());
    if (!row.failure.empty()) {
      json.field("failure", row.failure);
      return;
    }
    json.field("violated", row.violated).field("worst_us", row.worst_us).field("error_us", row.error_us);
    json.field("moved", row.moved).field("largest_correction_us", row.largest_correction_us);
    json.field("local_error_percent", row.local_error_percent);
    json.field("cpu_ns", row.cpu_ns);
  });
  json.end_object();
  out << '\n';
}

}  // namespace clc::comparison
