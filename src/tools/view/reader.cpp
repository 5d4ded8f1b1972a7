#include "view/reader.hpp"

#include <algorithm>
#include <array>

#include "clc/error.hpp"
#include "clc/io/batch.hpp"
#include "common/min_delay.hpp"
#include "common/program.hpp"
#include "lost/ends.hpp"
#include "matching/in_step.hpp"
#include "matching/pairing.hpp"
#include "trace/one_or_many.hpp"

namespace clc::view {

namespace {

/// Clocks were mapped before the correction, or the clock ran backwards, too. Of two corrections the last, which stands
/// first, tells.
bool may_become_earlier(const std::vector<std::string>& provenance) {
  constexpr std::array<std::string_view, 4> options{" --estimate", " --offsets", " --backwards", " --combine"};
  const auto line = std::ranges::find_if(provenance, tool::is_correction);
  return line != provenance.end() &&
         std::ranges::any_of(options, [&](std::string_view option) { return line->find(option) != std::string::npos; });
}

OpenedSource open(const std::string& path, SourceOptions source) {
  source.group_lines = false;
  source.any_order = true;  // a trace that is not sorted is shown, too
  return open_source(path, source);
}

/// For a trace that is read twice.
SourceOptions source_options(const std::string& path, const Options& options) {
  SourceOptions source = options.source;
  source.kept = tool::kept_if_read_once(path, source.format);
  return source;
}

tool::Provenance provenance_of(const std::string& path, const SourceOptions& source) {
  const OpenedSource head = open(path, source);
  return tool::provenance_in(*head.source, head.archive != nullptr);
}

/// Of a correction alone, unless it has mapped clocks, the recorded times tell what is lost.
lost::Times times_of(const Options& options, const tool::Provenance& header) {
  const bool corrected_alone = !options.before && header.corrections() != 0;
  return corrected_alone && header.offsets().empty() ? lost::Times::kept : lost::Times::own;
}

}  // namespace

/// Two traces of the same records, read in step.
class Reader::Pair final : public matching::StepObserver, private matching::PairObserver {
 public:
  Pair(Reader& reader, tool::Progress& progress)
      : reader_(reader),
        progress_(progress),
        pairing_({&reader.before_->source->definitions(), &reader.trace_.source->definitions()}, *this) {}

  void add(Column file, const Event& event, Body body, std::uint64_t place) override {
    if (file == recorded && !reader_.model_) reader_.start_model();
    if (file == recorded && reader_.window_ && !reader_.is_inside(event)) return;
    if (file == recorded) reader_.model_->expect(event);
    pairing_.add(file, event, body, place);
    if (file == corrected) reader_.sorted_so_far(event);
    if (file != corrected || (++reader_.events_ & 0xfffU) != 0) return;
    const Source& source = *reader_.trace_.source;
    progress_.show(source.bytes_read(), source.bytes_total(), reader_.events_);
  }
  void note(Column /*file*/, const Batch::Note& /*note*/) override {}
  void end(Column file) override { pairing_.end(file); }
  [[nodiscard]] bool waits(Column file) const override { return pairing_.waiting(file) > 0; }
  [[nodiscard]] std::uint64_t take_left_out() override {
    return reader_.window_ ? reader_.window_->take_left_out() : 0;
  }

 private:
  void matched(const std::array<matching::Sighting, matching::columns>& sightings) override {
    const Event& before = sightings[recorded].event;
    const matching::Sighting& own = sightings[corrected];
    reader_.add(before, {before.time, own.event.time}, reader_.trace_.source->decoder().decode(own.body));
  }
  void unmatched(Column file, Column /*missing_in*/, const matching::Sighting& sighting) override {
    ++reader_.unmatched_;
    if (file == recorded) reader_.model_->leave_out(sighting.event);
  }

  Reader& reader_;
  tool::Progress& progress_;
  matching::Pairing pairing_;
};

Reader::Reader(const Options& options)
    : options_(options),
      trace_source_(source_options(options.trace, options)),
      header_(provenance_of(options.trace, trace_source_)),
      before_source_(options.before ? source_options(*options.before, options) : trace_source_),
      lost_(options.before.value_or(options.trace), Parameters().max_memory, {}, times_of(options, header_)),
      trace_(open(options.trace, trace_source_)) {
  if (options.before) open_before();
  OpenedSource& recorded = before_ ? *before_ : trace_;
  if (header_.match() != Match::fifo && lost_.find(before_source_) && lost_.could_read_all())
    recorded.source = lost::marked(std::move(recorded.source), lost_.ends());
}

void Reader::open_before() {
  before_ = open(*options_.before, before_source_);
  const Resolution resolution = before_->source->definitions().resolution;
  const Resolution own = trace_.source->definitions().resolution;
  if (resolution.per_second() != own.per_second())
    throw InputError(input_name(*options_.before) + ": has " + std::to_string(resolution.per_second()) +
                     " ticks per second, " + input_name(options_.trace) + " has " + std::to_string(own.per_second()) +
                     "; expected two traces with the same records");
  const tool::PartOfTrace part = header_.part();
  if (!part.any()) return;
  const matching::Window window{resolution.ticks_of_seconds(part.from_s.value_or(0)),
                                part.to_s ? resolution.ticks_of_seconds(*part.to_s) : ticks_max};
  window_.emplace(window, header_.offsets(), before_->source->definitions());
}

bool Reader::is_inside(const Event& event) {
  using matching::InWindow;
  const InWindow::Place place = window_->next(event);
  if (place == InWindow::Place::before) {
    model_->expect(event);
    model_->add_ahead(event);
  }
  return place == InWindow::Place::inside;
}

Reader::~Reader() = default;

void Reader::read(tool::Progress& progress) {
  try {
    before_ ? read_two(progress) : read_one(progress);
  } catch (const InputError& error) {
    damage_ = tool::with_flags(error.what(), "clc-view");
  }
  if (!model_) start_model();
  model_->finish();
}

void Reader::read_one(tool::Progress& progress) {
  Source& source = *trace_.source;
  const BodyDecoder& decoder = source.decoder();
  Batch batch;
  for (bool more = true; more;) {
    more = source.read(batch);
    for (std::size_t i = 0; i < batch.events.size(); ++i) {
      const Event& event = batch.events[i];
      sorted_so_far(event);
      const Record record = decoder.decode(batch.bodies[i]);
      two_sides_ = two_sides_ || record.recorded;
      add(event, {record.recorded.value_or(event.time), event.time}, record);
    }
    events_ += batch.events.size();
    progress.show(source.bytes_read(), source.bytes_total(), events_);
  }
}

void Reader::read_two(tool::Progress& progress) {
  two_sides_ = true;
  Pair pair(*this, progress);
  matching::read_in_step({before_->source.get(), trace_.source.get()}, pair);
}

void Reader::sorted_so_far(const Event& event) {
  const ClockIndex clock = trace_.source->definitions().processes()[event.process].clock;
  if (clock >= largest_.size()) largest_.resize(clock + std::size_t{1}, Time::earliest());
  Time& largest = largest_[clock];  // where it was set back, its records count with that
  largest = std::max(largest, event.time);
  unsorted_ += largest < previous_ ? 1U : 0U;
  previous_ = largest;
}

void Reader::add(const Event& event, const Both<Time>& times, const Record& record) {
  if (!model_) start_model();
  model_->add(event, times, record.kind, record.text);
}

/// What a trace says of its minimum delays stands before its first record.
void Reader::start_model() {
  Parameters parameters = options_.parameters;
  tool::take_noted_delays(parameters, header_.programs());
  model_ = std::make_unique<Model>(parameters, definitions(), options_.window, options_.detail);
  if (window_) model_->take_as_part();
}

Verdict Reader::verdict() const {
  Evidence::Files files;
  files.corrected = two_sides_;
  files.complete = damage_.empty();
  files.mapped = may_become_earlier(header_.programs());
  files.ran_backwards = header_.direction() != tool::Direction::forwards;
  files.sorted = unsorted_ == 0;
  files.delta_given = header_.deltas().largest_us.has_value();
  files.same_records = unmatched_ == 0;
  files.remarks = (before_ ? *before_ : trace_).source->remarks();
  return tool::with_flags(model_->verdict(files));
}

std::vector<std::string> Reader::warnings() const {
  std::vector<std::string> lines = trace_.source->warnings();
  if (unsorted_ > 0)
    lines.push_back(input_name(options_.trace) + ": " + std::to_string(unsorted_) +
                    one_or_many(unsorted_, " record is earlier than its predecessor",
                                " records are earlier than their predecessors") +
                    "; messages may be matched wrongly: sort the trace, or use "
                    "clc-filter --sort-window");
  if (before_)
    for (std::string& line : before_->source->warnings()) lines.push_back(std::move(line));
  for (std::string& line : tool::unused_delays(options_.parameters, definitions())) lines.push_back(std::move(line));
  return lines;
}

}  // namespace clc::view
