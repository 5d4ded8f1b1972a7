#include "merged/merged.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory_resource>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "clc/error.hpp"
#include "clc/io/record.hpp"
#include "common/batch.hpp"
#include "common/definition_lines.hpp"
#include "common/words.hpp"
#include "merged/arena.hpp"
#include "merged/heads.hpp"
#include "merged/input.hpp"
#include "merged/streams.hpp"
#include "trace/large_pages.hpp"
#include "trace/one_or_many.hpp"
#include "trace/short_copy.hpp"

namespace clc::formats {

namespace {

/// Batch::places carry the number of the trace in the upper bits.
constexpr unsigned place_bits = 44;
constexpr std::size_t most_inputs = std::size_t{1} << (64 - place_bits);

/// A note ahead of the first record of all traces.
struct HeaderNote {
  std::string line;
  std::uint64_t place = 0;  ///< as Batch::Note has it
  std::size_t trace = 0;
};

class MergedSource final : public Source {
 public:
  MergedSource(std::vector<MergedInput> inputs, MergedOptions options);

  [[nodiscard]] const Definitions& definitions() const noexcept override { return lines_.definitions(); }
  bool read(Batch& batch) override;
  [[nodiscard]] const BodyDecoder& decoder() const noexcept override { return body_decoder(); }
  [[nodiscard]] std::string describe(std::uint64_t place) const override {
    return inputs_[static_cast<std::size_t>(place >> place_bits)].describe(place &
                                                                           ((std::uint64_t{1} << place_bits) - 1));
  }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept override { return bytes_read_; }
  [[nodiscard]] std::uint64_t bytes_total() const noexcept override { return bytes_total_; }
  [[nodiscard]] std::vector<std::string> warnings() const override;
  [[nodiscard]] std::vector<std::string> remarks() const override;

 private:
  static constexpr std::size_t batch_size = 4096;
  static constexpr std::size_t most_told = 8;  ///< lines that differ by the name of the trace only

  void take_headers();
  /// Reads the next records of a trace. False: it has no more.
  bool fetch(std::size_t number);
  /// Of the next record.
  [[nodiscard]] Time time_of(std::size_t number) const noexcept {
    return streams_[number].used_up() ? inputs_[number].stretch().row->event.time : streams_[number].time();
  }
  void failed(const std::string& message);
  bool give_header(Batch& batch);
  bool take_records(Batch& batch);
  void append(std::size_t number, Batch& batch);
  [[nodiscard]] std::size_t append_some(std::size_t number, Time until, Batch& batch);
  bool take_turn(std::size_t number, Batch& batch);
  bool read_on(std::size_t number, Batch& batch);
  void begin(std::size_t number);
  /// The notes ahead of the next record. False: one of them has to wait until the records before it have left.
  bool give_notes(Input& input, Batch& batch);
  bool give_note(Input& input, TraceNote note, Batch& batch);
  /// True if the line is to be passed on. Throws InputError.
  bool accept(Input& input, const std::string& line);
  void take(const Input& input, const std::string& line);
  [[nodiscard]] Body kept(const Event& event, Body body, bool renumbered);
  void learn(Input& input, std::size_t processes, std::size_t communicators);
  void see_process(std::size_t number, ProcessIndex process);
  [[noreturn]] void end_with_failures() const;

  std::pmr::monotonic_buffer_resource memory_{large_page, large_page_memory()};  ///< of the records of all inputs
  std::vector<Input> inputs_;
  Streams streams_;
  MergedOptions options_;
  DefinitionLines lines_;
  Heads heads_;
  std::optional<std::size_t> empty_;  ///< the first trace, when its records are used up; it is read before others leave
  std::deque<HeaderNote> header_;     ///< notes before the first record
  std::deque<std::string> given_;     ///< the notes of the batch
  std::size_t taken_ = 0;             ///< records of the batch
  Batch buffer_;                      ///< for Input::read
  Arena arena_{memory_};              ///< bodies of the batch
  std::set<std::pair<std::string, std::size_t>> provenance_;  ///< lines, and how often a trace had them before
  std::vector<std::size_t> last_input_;                       ///< by process: whose record came last
  std::vector<std::size_t> defined_by_process_;
  std::vector<std::size_t> defined_by_communicator_;
  std::vector<std::string> mixed_;  ///< warnings
  std::set<ProcessIndex> told_;     ///< in them
  std::size_t further_mixed_ = 0;
  std::string fault_;  ///< thrown by the next read
  std::uint64_t bytes_read_ = 0;
  std::uint64_t bytes_total_ = 0;
};

MergedSource::MergedSource(std::vector<MergedInput> inputs, MergedOptions options)
    : streams_(inputs.size()), options_(std::move(options)) {
  if (inputs.size() > most_inputs)
    throw InputError(std::to_string(inputs.size()) + " traces, expected at most " + std::to_string(most_inputs) +
                     "; merge parts of them first");
  const Definitions& first = inputs.front().source->definitions();
  std::optional<Ticks> min_delay;
  std::optional<Ticks> node_min_delay;
  bool by_node = false;
  bool sized = true;
  for (const MergedInput& input : inputs) {
    const Definitions& own = input.source->definitions();
    if (own.resolution.per_second() != first.resolution.per_second())
      throw InputError(input.name + ": found a resolution of " + std::to_string(own.resolution.per_second()) +
                       " ticks per second, expected " + std::to_string(first.resolution.per_second()) + " as in " +
                       inputs.front().name + "; convert the times of one of them");
    if (own.min_delay) {
      const Ticks in_node = own.node_min_delay.value_or(*own.min_delay);
      min_delay = std::min(*own.min_delay, min_delay.value_or(*own.min_delay));
      node_min_delay = std::min(in_node, node_min_delay.value_or(in_node));
      by_node |= own.node_min_delay.has_value();
    }
    sized &= input.source->bytes_total() != 0;
    bytes_total_ += input.source->bytes_total();
  }
  if (!sized) bytes_total_ = 0;
  lines_.set_clock_of(options_.clock_of);
  header_.push_back({"%resolution " + std::to_string(first.resolution.per_second())});
  if (min_delay)
    header_.push_back({"%min-delay " + std::to_string(*min_delay) +
                       (by_node ? " node=" + std::to_string(*node_min_delay) : std::string())});
  for (const HeaderNote& note : header_)
    if (const std::string wrong = lines_.take(note.line); !wrong.empty())
      throw InputError(inputs.front().name + ": " + wrong);
  inputs_.reserve(inputs.size());
  for (MergedInput& input : inputs) inputs_.emplace_back(std::move(input), memory_);
  take_headers();
  lines_.on_change(options_.on_definitions);
}

/// All definitions ahead of the first records come first.
void MergedSource::take_headers() {
  Batch notes;
  std::vector<Head> heads;
  for (std::size_t number = 0; number < inputs_.size(); ++number) {
    bool more = fetch(number);
    try {
      static_cast<void>(give_notes(inputs_[number], notes));
    } catch (const InputError& error) {
      failed(error.what());
      more = false;
    }
    if (more) heads.push_back({time_of(number), number});
    for (std::size_t i = 0; i < given_.size(); ++i)
      header_.push_back({std::move(given_[i]), notes.notes[i].place, number});
    given_.clear();
    notes.clear();
  }
  heads_ = Heads(heads, inputs_.size());
}

void MergedSource::failed(const std::string& message) {
  if (!options_.keep_going && inputs_.size() > 1)
    throw InputError(message + "; with SourceOptions::keep_going the other traces are read");
  if (!options_.keep_going) throw InputError(message);
  options_.failures.push_back(message);
}

bool MergedSource::fetch(std::size_t number) {
  Input& input = inputs_[number];
  Stream& stream = streams_[number];
  if (const std::optional<Entries::Taken> taken = stream.taken()) input.taken(*taken);
  // Behind entries, something else comes.
  if (!stream.entries() && stream.begin(input.ready(), streams_.indexes(number, input.indexes()))) return true;
  stream = Stream();
  const std::uint64_t before = input.bytes_read();
  std::string fault;
  try {
    input.read(buffer_);
  } catch (const InputError& error) {
    fault = error.what();
  }
  bytes_read_ += input.bytes_read() - before;
  if (!fault.empty()) failed(fault);
  return !input.used_up();
}

bool MergedSource::read(Batch& batch) {
  batch.notes.clear();  // records stay until others are written over them
  taken_ = 0;
  arena_.clear();
  // Since the last batch, other data may have displaced all traces from the caches.
  if (inputs_.size() <= batch_size / 4) streams_.fetch_all();
  given_.clear();
  lines_.begin_batch();
  const bool more = give_header(batch) || take_records(batch);
  resize_records(batch, taken_);
  if (more || taken_ > 0 || !batch.notes.empty()) return true;
  if (!fault_.empty()) throw InputError(fault_);
  if (!options_.failures.empty()) end_with_failures();
  return false;
}

bool MergedSource::give_header(Batch& batch) {
  while (!header_.empty() && given_.size() < batch_size) {
    given_.push_back(std::move(header_.front().line));
    batch.notes.push_back({0, given_.back(), header_.front().place, header_.front().trace});
    header_.pop_front();
  }
  return !given_.empty();
}

/// Records of all traces in order; from pipes, those that are there before others have to be waited for. False: there
/// are no more.
bool MergedSource::take_records(Batch& batch) {
  while (fault_.empty() && !heads_.empty() && taken_ < batch_size) {
    if (empty_ && bytes_total_ == 0 && taken_ > 0) break;
    if (empty_) {
      if (!read_on(*std::exchange(empty_, std::nullopt), batch)) break;
      continue;
    }
    try {
      if (!take_turn(heads_.first(), batch)) break;
    } catch (const InputError& error) {  // a definition that contradicts another trace
      if (options_.keep_going) {
        failed(error.what());
        heads_.pop();
      } else {
        fault_ = error.what();
      }
    }
  }
  return fault_.empty() && !heads_.empty();
}

/// The first trace, whose records are used up. False: a note at its end has to wait until the records before it have
/// left.
bool MergedSource::read_on(std::size_t number, Batch& batch) {
  try {
    if (fetch(number)) {
      heads_.replace(time_of(number));
    } else if (give_notes(inputs_[number], batch)) {
      heads_.pop();
    } else {
      empty_ = number;
      return false;
    }
  } catch (const InputError& error) {
    fault_ = error.what();
  }
  return true;
}

/// Passes on the records of the first trace up to the next note, or to the next record of another trace. False: a note
/// has to wait until the records before it have left.
bool MergedSource::take_turn(std::size_t number, Batch& batch) {
  Input& input = inputs_[number];
  Stream& stream = streams_[number];
  if (stream.used_up()) {
    if (!give_notes(input, batch)) return false;
    begin(number);
  }
  append(number, batch);
  if (stream.used_up() && input.used_up())
    empty_ = number;
  else
    heads_.replace(time_of(number));
  return true;
}

/// The next stretch of a trace. Throws InputError.
void MergedSource::begin(std::size_t number) {
  Input& input = inputs_[number];
  const Stretch& stretch = input.stretch();
  learn(input, stretch.processes, stretch.communicators);
  streams_[number].begin(stretch.row, stretch.end, streams_.indexes(number, input.indexes()));
  input.begin_stretch();
}

void MergedSource::end_with_failures() const {
  const std::vector<std::string>& all = options_.failures;
  std::string message = all.front();
  if (all.size() > 1)
    message += "; " + std::to_string(all.size() - 1) +
               one_or_many(all.size() - 1, " other trace cannot be read whole:", " other traces cannot be read whole:");
  for (std::size_t i = 1; i < std::min(all.size(), most_told); ++i)
    message += (i == 1 ? " " : ", ") + all[i].substr(0, all[i].find(": "));
  if (all.size() > most_told) message += ", ...";
  throw InputError(message);
}

bool MergedSource::give_notes(Input& input, Batch& batch) {
  while (const TraceNote* const note = input.next_note()) {
    if (taken_ > 0 && lines_.replaces(note->line)) return false;
    if (!give_note(input, *note, batch)) return false;
    input.drop_note();
  }
  return true;
}

bool MergedSource::give_note(Input& input, TraceNote note, Batch& batch) {
  if (!accept(input, note.line)) return true;
  given_.push_back(std::move(note.line));
  const auto number = static_cast<std::uint64_t>(&input - inputs_.data());
  batch.notes.push_back({taken_, given_.back(), note.place == 0 ? 0 : number << place_bits | note.place, number});
  return true;
}

bool MergedSource::accept(Input& input, const std::string& line) {
  std::string_view rest = trimmed(line);
  if (!rest.starts_with('%')) return true;
  const std::string_view word = next_field(rest);
  if (word == "%clc-trace" || word == "%resolution" || word == "%min-delay") return false;
  if (word == "%provenance") {
    // Two runs of a program with the same options; a point of a map counts once.
    const std::size_t before = trimmed(rest).starts_with("offset") ? 0 : input.times_before(line);
    return provenance_.emplace(line, before).second;
  }
  if (word != "%process" && word != "%group") return true;
  const auto number = static_cast<std::size_t>(&input - inputs_.data());
  std::vector<std::size_t>& definers = word == "%process" ? defined_by_process_ : defined_by_communicator_;
  if (const std::optional<std::uint32_t> known = input.known(line, lines_)) {
    if (input.agrees(line, lines_.definitions(), *known)) return false;
    const Definitions& all = lines_.definitions();
    const bool open =
        word == "%group" ? all.communicators()[*known].members.empty() : all.processes()[*known].name.empty();
    if (definers[*known] != number && !open)
      throw InputError(input.contradiction(line, lines_.definitions(), inputs_[definers[*known]].name()));
  }
  take(input, line);
  if (const std::optional<std::uint32_t> index = input.known(line, lines_); index && *index < definers.size())
    definers[*index] = number;
  const std::size_t count = word == "%process" ? lines_.process_count() : lines_.communicator_count();
  definers.resize(count, number);
  return true;
}

void MergedSource::take(const Input& input, const std::string& line) {
  const std::string wrong = lines_.take(line);
  if (!wrong.empty()) throw InputError(input.name() + ": " + wrong);
}

/// The records of a trace that come before those of all others.
void MergedSource::append(std::size_t number, Batch& batch) {
  Stream& stream = streams_[number];
  const Time until = heads_.until();
  streams_.fetch_run(heads_.second());
  std::size_t more = 0;
  do {
    if (taken_ == batch.events.size()) resize_records(batch, std::max<std::size_t>(64, 2 * taken_));
    more = append_some(number, until, batch);
  } while (more > 0 && !stream.used_up() && taken_ < batch_size && stream.time() < until);
  streams_.place(number);
}

/// As many of them as the batch has room for. Returns how many.
std::size_t MergedSource::append_some(std::size_t number, Time until, Batch& batch) {
  const std::uint64_t tag = std::uint64_t{number} << place_bits;
  const bool followed = options_.parts && options_.parts->followed();
  Event* const events = batch.events.data() + taken_;
  Body* const bodies = batch.bodies.data() + taken_;
  std::uint64_t* const places = batch.places.data() + taken_;
  const Stream::Columns to{events, places, std::min(batch.events.size(), batch_size) - taken_};
  const std::size_t count = streams_[number].take(until, to, [&](std::size_t i, Body body, bool renumbered) {
    bodies[i] = kept(events[i], body, renumbered);
    places[i] |= tag;
    const ProcessIndex process = events[i].process;
    if (process >= last_input_.size() || last_input_[process] != number) [[unlikely]]
      see_process(number, process);
    if (followed) options_.parts->read(process);
  });
  taken_ += count;
  return count;
}

/// A copy of the body beside those of the records around it, with the indexes of all.
Body MergedSource::kept(const Event& event, Body body, bool renumbered) {
  char* const begin = arena_.room(body.size() + longest_renumbering);
  char* const end = renumbered ? binary::renumber(body, event, begin) : short_copy(begin, body.data(), body.size());
  arena_.take(end);
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// The first processes and communicators of a trace, at least that many. As many as are known, because then traces with
/// the same definitions have the same indexes.
void MergedSource::learn(Input& input, std::size_t processes, std::size_t communicators) {
  const Definitions& own = input.definitions();
  const auto known = [&input](std::uint32_t index, std::string_view what, std::uint64_t number) {
    if (index != NumberIndex::none) return index;
    throw InputError(input.name() + ": found records of " + std::string(what) + ' ' + std::to_string(number) +
                     " without its definition, which another trace contradicts; correct the definition");
  };
  IndexTable& indexes = input.indexes();
  while (indexes.processes() < own.processes().size()) {
    const std::uint64_t number = own.processes()[indexes.processes()].number;
    const std::uint32_t index = lines_.process(number);
    if (index == NumberIndex::none && indexes.processes() >= processes) break;
    indexes.add_process(known(index, "process", number));
  }
  while (indexes.communicators() < own.communicators().size()) {
    const std::uint64_t number = own.communicators()[indexes.communicators()].number;
    const std::uint32_t index = lines_.communicator(number);
    if (index == NumberIndex::none && indexes.communicators() >= communicators) break;
    indexes.add_communicator(known(index, "communicator", number));
  }
}

/// A process may go on in another trace, but not alternate.
void MergedSource::see_process(std::size_t number, ProcessIndex process) {
  if (process >= last_input_.size()) last_input_.resize(lines_.process_count(), most_inputs);
  std::size_t& last = last_input_[process];
  const std::size_t before = std::exchange(last, number);
  if (options_.parts && options_.parts->followed()) options_.parts->begin(process, number);
  if (before == most_inputs || !inputs_[number].returns(process)) {
    inputs_[number].visits(process);
    return;
  }
  if (!told_.insert(process).second) return;
  if (mixed_.size() == most_told) {
    ++further_mixed_;
    return;
  }
  mixed_.push_back(inputs_[number].name() + ": records of process " +
                   std::to_string(definitions().processes()[process].number) + " alternate with records in " +
                   inputs_[before].name() +
                   "; they are merged by time, but if these are two processes, give them different numbers");
}

std::vector<std::string> MergedSource::warnings() const {
  std::vector<std::string> all;
  std::size_t further = 0;
  for (const Input& input : inputs_)
    for (std::string& line : input.warnings()) {
      if (all.size() < most_told)
        all.push_back(std::move(line));
      else
        ++further;
    }
  if (further > 0)
    all.push_back(std::to_string(further) +
                  one_or_many(further, " warning of other traces is", " warnings of other traces are") + " not shown");
  all.insert(all.end(), mixed_.begin(), mixed_.end());
  if (further_mixed_ > 0)
    all.push_back(std::to_string(further_mixed_) + " other processes have records that alternate between traces");
  return all;
}

std::vector<std::string> MergedSource::remarks() const {
  std::set<std::string> all;
  for (const Input& input : inputs_)
    for (std::string& line : input.remarks()) all.insert(std::move(line));
  return {all.begin(), all.end()};
}

}  // namespace

std::unique_ptr<Source> merged(std::vector<MergedInput> inputs, MergedOptions options) {
  return std::make_unique<MergedSource>(std::move(inputs), std::move(options));
}

}  // namespace clc::formats
