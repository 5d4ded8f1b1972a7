#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "bytes/output_buffer.hpp"
#include "clc/error.hpp"
#include "clc/io/record.hpp"
#include "common/line_length.hpp"
#include "common/measurement_line.hpp"
#include "common/message_places.hpp"
#include "common/numbers.hpp"
#include "common/put.hpp"
#include "paje/body.hpp"
#include "paje/decimal.hpp"
#include "paje/paje.hpp"
#include "trace/hash.hpp"

namespace clc::formats {

namespace {

constexpr std::string_view a_line = "a line of a Paje trace";

/// The lines of a Paje trace again, with their new times.
///
/// Containers around processes have clocks of their own, and are destroyed at their recorded time. Their destruction
/// waits for that of the processes in them where it did so in the input. Where something inside is created before them,
/// because it moved to earlier times, they are created then.
class SameSink final : public Sink {
 public:
  explicit SameSink(std::unique_ptr<ByteSink> bytes) : out_(std::move(bytes)) {}

  void events(std::span<const Corrected> run) override {
    for (const Corrected& record : run) {
      Body rest;
      const paje::Parts parts = paje::take_apart(record.body, rest);
      if ((parts.flags & paje::inside) != 0) create_around(parts, record.time);
      if ((parts.flags & paje::opens) != 0) open(record.process);
      if ((parts.flags & paje::outer) != 0 && !begin_life(parts.container, parts.life)) continue;
      if ((parts.flags & paje::last) != 0) {
        if (const std::optional<ProcessIndex> process = first_open(parts.processes)) {
          held_[*process].push_back({order_++, record.time, record.recorded, std::string(record.body)});
          continue;
        }
      }
      write(parts, record.time, record.recorded);
      if ((parts.flags & paje::closes) != 0) close(record.process, record.time);
    }
  }

  void note(Body line) override {
    if (line.starts_with(paje::raw_line))
      write_line(line.substr(paje::raw_line.size()), {}, {}, false);
    else if (line.starts_with(paje::raw_unterminated_line))
      write_line(line.substr(paje::raw_unterminated_line.size()), {}, {}, true);
  }

  void flush() override { out_.flush(); }
  void close() override {
    std::vector<Held> rest;
    for (auto& [process, waiting] : held_) std::move(waiting.begin(), waiting.end(), std::back_inserter(rest));
    std::ranges::sort(rest, {}, &Held::order);
    for (const Held& held : rest) {
      Body behind;
      write(paje::take_apart(held.body, behind), held.time, held.recorded);
    }
    out_.close();
  }

 private:
  struct Held {
    std::uint64_t order;  ///< in which they came
    Time time;
    Time recorded;
    std::string body;
  };

  /// False: the container was created early.
  bool begin_life(std::uint64_t container, std::uint64_t life) {
    std::uint64_t& lives = lives_[container];
    if (lives > life) return false;
    lives = life + 1;
    return true;
  }
  void create_around(const paje::Parts& inner, Time time) {
    for (std::string_view around = inner.around; !around.empty();) {
      const paje::Outer outer = paje::take_outer(around);
      if (!begin_life(outer.container, outer.life)) continue;
      paje::Parts parts;
      parts.decimals = inner.decimals;
      parts.line = outer.line;
      parts.time_at = outer.time_at;
      parts.time_size = outer.time_size;
      write(parts, std::min(outer.recorded, time), outer.recorded);
    }
  }

  void open(ProcessIndex process) {
    if (open_.size() <= process) open_.resize(process + std::size_t{1});
    open_[process] = true;
  }
  void close(ProcessIndex process, Time now) {
    if (process < open_.size()) open_[process] = false;
    if (!held_.empty()) release(process, now);
  }
  [[nodiscard]] std::optional<ProcessIndex> first_open(const std::vector<ProcessIndex>& processes) const {
    const auto found = std::ranges::find_if(processes, [&](ProcessIndex p) { return p < open_.size() && open_[p]; });
    return found != processes.end() ? std::optional(*found) : std::nullopt;
  }
  /// What waited for the process goes on to wait for another one, or leaves.
  void release(ProcessIndex process, Time now) {
    auto released = held_.extract(process);
    if (released.empty()) return;
    std::ranges::sort(released.mapped(), {}, &Held::order);
    for (Held& held : released.mapped()) {
      Body rest;
      const paje::Parts parts = paje::take_apart(held.body, rest);
      if (const std::optional<ProcessIndex> other = first_open(parts.processes))
        held_[*other].push_back(std::move(held));
      else
        write(parts, std::max(held.time, now), held.recorded);
    }
  }

  void write(const paje::Parts& parts, Time time, Time recorded) {
    const bool whole = (parts.flags & paje::unterminated) == 0;
    if (time == recorded) return write_line(parts.line, {}, {}, !whole);
    const std::optional<paje::Decimal> before = paje::split(parts.line.substr(parts.time_at, parts.time_size));
    std::array<char, paje::longest_decimal> digits{};
    const char* const end = paje::put(digits.data(), time.ticks(), parts.decimals, before ? before->places() : 0);
    write_line(parts.line.substr(0, parts.time_at), {digits.data(), static_cast<std::size_t>(end - digits.data())},
               parts.line.substr(parts.time_at + parts.time_size), !whole);
  }

  /// A line in up to three parts. One without newline gets it when another line follows.
  void write_line(std::string_view a, std::string_view b, std::string_view c, bool no_newline) {
    char* to = out_.reserve(a.size() + b.size() + c.size() + 2);
    if (owes_newline_) *to++ = '\n';
    const char* const line = to;
    for (const std::string_view part : {a, b, c}) to = put(to, part);
    refuse_too_long({line, static_cast<std::size_t>(to - line)}, a_line);
    if (!no_newline) *to++ = '\n';
    owes_newline_ = no_newline;
    out_.commit(to);
  }

  OutputBuffer out_;
  std::vector<bool> open_;                         ///< processes whose container was created and not destroyed
  HashMap<ProcessIndex, std::vector<Held>> held_;  ///< by an open process that they wait for
  HashMap<std::uint64_t, std::uint64_t> lives_;    ///< of containers around processes: how often they were created
  std::uint64_t order_ = 0;
  bool owes_newline_ = false;
};

/// A new Paje trace from the records of another format.
class NewSink final : public Sink {
 public:
  NewSink(std::unique_ptr<ByteSink> bytes, const Definitions& definitions, const SinkOptions& options)
      : out_(std::move(bytes)),
        definitions_(definitions),
        decoder_(*options.decoder),
        keep_original_(options.keep_original),
        provenance_(options.provenance) {}

  void events(std::span<const Corrected> run) override {
    if (!begun_) begin();
    for (const Corrected& corrected : run) {
      time_ = corrected.time;
      end_ = created_.empty() ? time_ : std::max(end_, time_);
      if (created_.empty())
        for (ProcessIndex p = 0; p < definitions_.processes().size(); ++p) create(p);
      if (corrected.process >= created_.size() || !created_[corrected.process]) create(corrected.process);
      write(corrected, decoder_.decode(corrected.body));
    }
  }

  void note(Body line) override {
    if (!begun_) begin();
    if (line.starts_with("%provenance offset@")) {  // a point of a map that grows
      out_.append("# ");
      line.remove_prefix(std::string_view("%provenance ").size());
    } else if (is_measurement(plain_note(line))) {
      out_.append("# ");
      line = plain_note(line);
    } else if (!line.starts_with('#')) {
      return;
    }
    out_.append(line);
    out_.append("\n");
  }

  void flush() override {
    if (!begun_) begin();
    out_.flush();
  }

  void close() override {
    if (!begun_) begin();
    if (created_.empty())
      for (ProcessIndex p = 0; p < definitions_.processes().size(); ++p) create(p);
    time_ = end_;
    for (ProcessIndex p = 0; p < created_.size(); ++p) {
      if (!created_[p]) continue;
      char* to = start("5");
      to = put(to, " P ");
      finish(put_process(to, p));
    }
    out_.close();
  }

 private:
  struct Open {
    std::uint64_t functions = 0;    ///< entered and not left
    std::uint64_t collectives = 0;  ///< begun and not ended
  };

  void begin() {
    begun_ = true;
    std::int64_t power = 1;
    for (digits_ = 0; power < definitions_.resolution.per_second(); ++digits_) power *= 10;
    if (power != definitions_.resolution.per_second()) digits_ = most_digits;
    for (const std::string& line : provenance_) out_.append("# " + line + '\n');
    const std::string recorded = keep_original_ ? "%  Recorded date\n" : "";
    const auto define = [&](const char* name, const char* number, std::string_view fields, bool timed) {
      out_.append("%EventDef Paje" + std::string(name) + ' ' + number + '\n');
      for (std::size_t at = 0; at < fields.size();) {
        const std::size_t end = std::min(fields.find(',', at), fields.size());
        out_.append("%  ");
        out_.append(fields.substr(at, end - at));
        out_.append("\n");
        at = end + 1;
      }
      if (timed) out_.append(recorded);
      out_.append("%EndEventDef\n");
    };
    constexpr std::string_view type = "Alias string,Type string,Name string";
    constexpr std::string_view what = "Time date,Type string,Container string,Value string";
    define("DefineContainerType", "0", type, false);
    define("DefineStateType", "1", type, false);
    define("DefineEventType", "2", type, false);
    define("DefineLinkType", "3",
           "Alias string,Type string,StartContainerType string,EndContainerType string,Name string", false);
    define("CreateContainer", "4", "Time date,Alias string,Type string,Container string,Name string", false);
    define("DestroyContainer", "5", "Time date,Type string,Name string", false);
    define("PushState", "6", what, true);
    define("PopState", "7", "Time date,Type string,Container string", true);
    define("NewEvent", "8", what, true);
    define("StartLink", "9",
           "Time date,Type string,Container string,StartContainer string,Value string,Key string,Size int", true);
    define("EndLink", "10",
           "Time date,Type string,Container string,EndContainer string,Value string,Key string,Size int", true);
    out_.append(
        "0 P 0 Process\n"
        "1 F P Function\n"
        "1 C P \"Collective operation\"\n"
        "2 E P Event\n"
        "3 M 0 P P Message\n");
  }

  void create(ProcessIndex process) {
    require_process(definitions_, process);
    if (created_.size() <= process) created_.resize(process + std::size_t{1});
    if (open_.size() <= process) open_.resize(process + std::size_t{1});
    created_[process] = true;
    const Process& made = definitions_.processes()[process];
    char* to = start("4", made.name.size() + made.name.size());
    *to++ = ' ';
    to = put_process(to, process);
    to = put(to, " P 0 ");
    finish(made.name.empty() ? put_process(to, process) : put_quoted(to, made.name));
  }

  void write(const Corrected& corrected, const Record& record) {
    const Event& event = record.event;
    Open& open = open_[corrected.process];
    switch (record.kind) {
      case Kind::enter:
        ++open.functions;
        return state("6", "F", corrected, record, record.text.empty() ? "?" : record.text);
      case Kind::leave:
        if (open.functions == 0) return state("8", "E", corrected, record, "leave", record.text);
        --open.functions;
        return state("7", "F", corrected, record);
      case Kind::collective_begin:
        ++open.collectives;
        return state("6", "C", corrected, record, "collective");
      case Kind::collective_end:
        if (open.collectives == 0) return state("8", "E", corrected, record, info(event.operation).name);
        --open.collectives;
        return state("7", "C", corrected, record);
      case Kind::send:
      case Kind::receive:
        return link(corrected, record);
      case Kind::other:
        return state("8", "E", corrected, record, record.text.empty() ? "I" : record.text);
    }
  }

  void state(std::string_view number, std::string_view type, const Corrected& corrected, const Record& record,
             std::string_view value = {}, std::string_view more = {}) {
    char* to = start(number, value.size() + more.size());
    *to++ = ' ';
    to = put(to, type);
    *to++ = ' ';
    to = put_process(to, corrected.process);
    if (!value.empty()) {
      *to++ = ' ';
      if (more.empty()) {
        to = put_quoted(to, value);
      } else {
        *to++ = '"';
        to = put_inside(to, value);
        *to++ = ' ';
        to = put_inside(to, more);
        *to++ = '"';
      }
    }
    finish(put_recorded(to, corrected, record));
  }

  void link(const Corrected& corrected, const Record& record) {
    Event event = record.event;
    event.role = record.kind == Kind::send ? Role::send : Role::receive;
    char* to = start(event.role == Role::send ? "9" : "10", most_in_key);
    to = put(to, " M 0 ");
    to = put_process(to, corrected.process);
    *to++ = ' ';
    to = put(to, communicator_number(definitions_, event.communicator));
    *to++ = ':';
    to = put(to, event.tag);
    *to++ = ' ';
    to = put_key(to, places_.of(event, corrected.process));
    *to++ = ' ';
    to = put(to, event.bytes);
    finish(put_recorded(to, corrected, record));
  }

  // ---- parts of a line ----

  static constexpr unsigned most_digits = 12;
  static constexpr std::size_t room = 256;
  static constexpr std::size_t most_in_key = 5 * (longest_number + 1);

  /// The number of the event and the time; room for a line with `more` bytes of text.
  char* start(std::string_view number, std::size_t more = 0) {
    char* to = out_.reserve(room + more);
    to = put(to, number);
    *to++ = ' ';
    return put_time(to, time_);
  }
  void finish(char* to) {
    const char* const line = out_.reserve(0);
    refuse_too_long({line, static_cast<std::size_t>(to - line)}, a_line);
    *to++ = '\n';
    out_.commit(to);
  }
  char* put_time(char* to, Time time) const {
    const auto per_second = static_cast<std::uint64_t>(definitions_.resolution.per_second());
    const std::int64_t ticks = time.ticks();
    const std::uint64_t size = ticks < 0 ? 0 - static_cast<std::uint64_t>(ticks) : static_cast<std::uint64_t>(ticks);
    if (ticks < 0) *to++ = '-';
    to = put(to, size / per_second);
    if (digits_ == 0) return to;
    *to++ = '.';
    // Digit by digit: rest < 10^12.
    std::uint64_t rest = size % per_second;
    for (unsigned i = 0; i < digits_; ++i) {
      rest *= 10;
      *to++ = static_cast<char>('0' + rest / per_second);
      rest %= per_second;
    }
    if (rest != 0 && ticks < 0) {  // down: the digits are less than 1, because per_second <= 10^digits
      char* digit = to - 1;
      for (; *digit == '9'; --digit) *digit = '0';
      ++*digit;
    }
    return to;
  }
  char* put_process(char* to, ProcessIndex process) const {
    *to++ = 'p';
    return put(to, definitions_.processes()[process].number);
  }
  /// What a message is called at both of its ends, wherever they stand: SENDER:RECEIVER:COMMUNICATOR:TAG:NUMBER.
  char* put_key(char* to, const MessagePlace& place) const {
    const Channel& channel = place.channel;
    for (const ProcessIndex end : {channel.sender, channel.receiver}) {
      to = end == no_process ? put(to, "-") : put(to, process_number(definitions_, end));
      *to++ = ':';
    }
    to = put(to, definitions_.communicators()[channel.communicator].number);
    *to++ = ':';
    to = put(to, channel.tag);
    *to++ = ':';
    return put(to, place.before + 1);
  }
  char* put_recorded(char* to, const Corrected& corrected, const Record& record) const {
    if (!keep_original_) return to;
    *to++ = ' ';
    return put_time(to, record.recorded.value_or(corrected.recorded));
  }
  /// What a quoted field cannot hold is replaced.
  static char* put_inside(char* to, std::string_view text) {
    char* const end = put(to, text);
    std::replace(to, end, '"', '\'');
    std::replace_if(
        to, end, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    return end;
  }
  static char* put_quoted(char* to, std::string_view text) {
    *to++ = '"';
    to = put_inside(to, text);
    *to++ = '"';
    return to;
  }

  OutputBuffer out_;
  const Definitions& definitions_;
  const BodyDecoder& decoder_;
  bool keep_original_;
  std::vector<std::string> provenance_;
  MessagePlaces places_;
  std::vector<bool> created_;
  std::vector<Open> open_;
  Time time_;            ///< of the last record
  Time end_;             ///< the largest so far: a clock may be set back
  unsigned digits_ = 9;  ///< behind the decimal point
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<Sink> paje_sink(std::unique_ptr<ByteSink> bytes, const Definitions& definitions,
                                const SinkOptions& options) {
  if (options.body_format != Format::paje) return std::make_unique<NewSink>(std::move(bytes), definitions, options);
  if (options.keep_original)
    throw UsageError(
        "SinkOptions::keep_original: the lines of a Paje trace have no field for a second time; use another output "
        "format");
  return std::make_unique<SameSink>(std::move(bytes));
}

}  // namespace clc::formats
