#include "filter/input.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "clc/error.hpp"
#include "common/min_delay.hpp"
#include "common/program.hpp"
#include "common/values.hpp"
#include "estimation/estimation.hpp"
#include "report/losses.hpp"

namespace clc::filter {

const std::string* first_that_is_no_file(const Options& options) {
  const auto is_none = [](const std::string& input) { return !input.empty() && !tool::same_input_twice(input); };
  const std::vector<std::string>& further = options.source.further;
  if (is_none(options.input)) return &options.input;
  if (is_none(options.source.files_from)) return &options.source.files_from;
  const auto found = std::find_if(further.begin(), further.end(), is_none);
  return found == further.end() ? nullptr : &*found;
}

lost::Search search_for(const Options& options) {
  std::string refusal;
  if (options.match == Match::whole)
    refusal = "--match whole: " + input_name(options) +
              ": more sends, receives and calls than --max-memory holds; give --match resync";
  return {options.input, options.parameters.max_memory, std::move(refusal)};
}

Input::Input(Options& options, lost::Search& lost, std::shared_ptr<Threads> threads, OnPause on_pause)
    : options_(options), lost_(lost), threads_(std::move(threads)), on_pause_(std::move(on_pause)), opened_(open()) {
  const bool is_measured = !options_.estimate || *options_.estimate == sync::Method::measured;
  if (is_mapped_ && is_measured)
    recorded_delays_ =
        std::make_unique<tool::RecordedDelays>(map_, definitions(), options_.backwards && !options_.mean);
}

SourceOptions Input::source_options() const {
  SourceOptions from = options_.source;
  from.threads = threads_;
  from.sort_memory = options_.half_of_memory();
  from.output = options_.writing.output_format;
  from.as_input = options_.dry_run || !options_.writing.output_format;
  if (options_.online) from.on_pause = on_pause_;
  return from;
}

void Input::require_archive(const OpenedSource& opened) const {
  if (options_.write_offsets && !opened.archive)
    throw UsageError("--write-offsets: " + input_name(options_) + ": expected an OTF2 archive, found a " +
                     std::string(name_of(opened.format)) + " trace");
}

/// What can be read only once is kept, but not a list.
void Input::keep_inputs() {
  const std::string& list = options_.source.files_from;
  if (!list.empty() && !tool::same_input_twice(list))
    throw UsageError(clc::input_name(list) + ": expected a file, because the list is read twice; copy it");
  if (options_.several())
    options_.source.kept_inputs = std::make_shared<KeptInputs>();
  else
    options_.source.kept = tool::kept_if_read_once(options_.input, options_.source.format);
}

/// Before the definitions of a source change that sorts outside of the formats: a sink in a thread looks at them.
std::function<void()> Input::on_definitions() const {
  if (!threads_) return {};
  return [threads = threads_] { threads->drain(); };
}

OpenedSource Input::open() {
  tool::GivenOffsets given = tool::read_given_offsets(options_);
  if (options_.several() && !options_.match && !options_.two_passes() && first_that_is_no_file(options_) != nullptr)
    options_.parameters.match = options_.match_without_search();
  if (options_.reads_ahead()) keep_inputs();
  if (options_.two_passes()) {
    alignment_ = estimate(given.file());
  }
  OpenedSource opened = open_source(options_.input, source_options());
  require_archive(opened);
  if (Match& match = options_.parameters.match; match == Match::whole) {
    if (lost_.find(options_.source))
      opened.source = lost::marked(std::move(opened.source), lost_.ends());
    else if (!options_.match)
      match = options_.match_without_search();
  }
  if (options_.look_ahead_s) {
    estimate_ahead(opened);
    return opened;
  }
  Offsets offsets = std::move(alignment_.maps);
  if (options_.offsets && !options_.estimate)
    offsets = offsets_of_clocks(given.maps, opened.source->definitions(), *options_.offsets);
  map_ = offsets;
  if (offsets.empty() || options_.write_offsets) return opened;
  is_mapped_ = true;
  opened.source =
      aligned(std::move(opened.source), std::move(offsets), recorded_, options_.half_of_memory(), on_definitions());
  return opened;
}

/// For an estimate, as a trace that lacks ends of messages: with what a search tells, also where the correction does
/// not use it.
std::unique_ptr<Source> Input::open_again(const SourceOptions& from) {
  if (options_.parameters.match != Match::fifo) return lost_.open_marked(from);
  return std::move(open_source(options_.input, from).source);
}

/// The first pass.
tool::Alignment Input::estimate(const tool::OffsetsFile* file) {
  const SourceOptions from = tool::for_estimate(options_.source);
  const OpenedSource opened = open_source(options_.input, from);
  require_archive(opened);
  Parameters& p = options_.parameters;
  const tool::FirstPass pass = tool::first_pass(
      *opened.source, {input_name(options_), opened.archive && !from.clock_offsets}, options_, p, true,
      [&] { return open_again(from); }, file);
  const Definitions& definitions = opened.source->definitions();
  tool::Alignment found = tool::take(pass, program, options_.quiet, options_, definitions, p);
  if (!options_.match && p.match != Match::fifo) p.match = pass.match;
  if (options_.estimate && pass.lacks_records) p.clock_error_us = tool::chosen_difference(pass, true, definitions, p);
  return found;
}

/// One pass: the clocks are estimated while reading.
void Input::estimate_ahead(OpenedSource& opened) {
  tool::LookAhead settings;
  settings.seconds = *options_.look_ahead_s;
  settings.estimation = tool::estimation_options(options_, options_.parameters);
  if (settings.estimation.min_delay_us <= 0)
    settings.estimation.min_delay_us = tool::smallest_min_delay_us(opened.source->definitions());
  settings.write_map = options_.writing.provenance;
  settings.most_memory = options_.half_of_memory() / 2;
  settings.on_definitions = on_definitions();
  tool::MappedAhead mapped = tool::with_look_ahead(std::move(opened.source), settings, recorded_);
  opened.source = std::move(mapped.source);
  look_ahead_ = std::move(mapped.found);
  is_mapped_ = true;
}

namespace {

/// Do channels lack a record of a process that went on, by its own clock? One that was mapped by messages that are
/// matched wrongly ends earlier, by as much as is missing. clocks: those that were mapped, by process.
bool may_be_mapped_wrongly(const Analysis& analysis, const std::vector<EstimatedClock>& clocks, Resolution resolution) {
  std::vector<Ticks> ahead;
  for (const EstimatedClock& clock : clocks)
    ahead.push_back(std::isfinite(clock.last_us) ? resolution.ticks_of_microseconds(clock.last_us) : 0);
  return shifted_channels(analysis, clocks_apart(analysis), ahead) > 0;
}

}  // namespace

void Input::tell(RunFacts& facts, const Analysis& analysis, double min_delay_us) const {
  facts.alignment = alignment_.line;
  facts.clocks = alignment_.clocks;
  facts.measured = alignment_.measured;
  facts.doubts = alignment_.doubts;
  if (looks_ahead()) {
    tool::GrownMap found = look_ahead_();
    facts.clocks = std::move(found.clocks);
    facts.map.clocks = tool::mapped_clocks(facts.clocks);
    facts.alignment = "with a look-ahead of " + tool::shortest(*options_.look_ahead_s) + " s, " +
                      std::to_string(found.estimates) + (found.estimates == 1 ? " estimate" : " estimates");
    if (!found.steps.empty()) facts.alignment += "; " + found.steps;
    facts.doubts = std::move(found.doubts);
    if (facts.doubts.empty() && may_be_mapped_wrongly(analysis, facts.clocks, definitions().resolution))
      facts.doubts.push_back(
          "records are missing, and the look-ahead may have matched the messages after them off by one; use "
          "--estimate without --look-ahead");
  } else {
    facts.map = map_figures(analysis, min_delay_us);
  }
  facts.min_delay_chosen = options_.min_delay_auto && !definitions().min_delay;
  facts.input = options_.input;
  facts.format = name_of(opened_.format);
  facts.remarks = source().remarks();
  facts.bytes = source().bytes_read();
}

/// An estimate that is no better than the recorded times is not applied; what was measured is judged here.
MapFigures Input::map_figures(const Analysis& analysis, double min_delay_us) const {
  MapFigures figures = alignment_.binding;
  figures.clocks = tool::mapped_clocks(map_, definitions().resolution);
  if (recorded_delays_) tool::add_early(figures, analysis, *recorded_delays_, definitions(), min_delay_us);
  return figures;
}

}  // namespace clc::filter
