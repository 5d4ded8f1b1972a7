#include <algorithm>
#include <array>
#include <utility>

#include "clc/error.hpp"
#include "clc/io/record.hpp"
#include "common/batch.hpp"
#include "common/checksum.hpp"
#include "common/definition_lines.hpp"
#include "common/line_reader.hpp"
#include "common/number_index.hpp"
#include "common/words.hpp"
#include "paje/body.hpp"
#include "paje/decimal.hpp"
#include "paje/definitions.hpp"
#include "paje/paje.hpp"
#include "paje/world.hpp"

namespace clc::formats {

namespace {

using namespace paje;

/// The name of an event, for messages and records.
std::string printable(std::string_view name) {
  constexpr std::size_t longest = 64;
  if (name.starts_with("Paje")) name.remove_prefix(4);
  std::string result(name.substr(0, longest));
  for (char& letter : result)
    if (static_cast<unsigned char>(letter) <= ' ' || static_cast<unsigned char>(letter) >= 0x7f) letter = '?';
  return result;
}

/// The record behind the line, if there is one.
class PajeDecoder final : public BodyDecoder {
 public:
  [[nodiscard]] Record decode(Body body) const override {
    Body record;
    static_cast<void>(take_apart(body, record));
    return record.empty() ? Record{} : body_decoder().decode(record);
  }
};

class PajeSource final : public LineReader {
 public:
  PajeSource(std::string name, std::unique_ptr<ByteSource> bytes, const SourceOptions& options)
      : LineReader(std::move(name), std::move(bytes)),
        units_per_second_(options.units_per_second),
        records_(options.converts(Format::paje)) {
    while (end_ == buffer_.begin() && fault_.empty() && LineReader::more()) {
    }
    if (!fault_.empty()) throw InputError(fault_);
    if (buffer_.size() == 0)
      throw InputError(name_ + ": is empty, expected a Paje trace; check the program that wrote it");
    read_header();
    in_header_ = false;
    if (definitions_.empty() && !fault_.empty()) throw InputError(fault_);
  }

  [[nodiscard]] const BodyDecoder& decoder() const noexcept override { return decoder_; }

  [[nodiscard]] std::vector<std::string> remarks() const override {
    if (topology_links_ == 0) return {};
    return {std::to_string(topology_links_) + " links describe the platform of a simulation; they are ignored"};
  }
  [[nodiscard]] std::vector<std::string> warnings() const override {
    std::vector<std::string> all;
    if (finer_ > 0)
      all.push_back(name_ + ": " + std::to_string(finer_) + " times are finer than a tick of 1/" +
                    std::to_string(definitions().resolution.per_second()) +
                    " s; finer digits are lost in corrected times");
    if (world_.late() > 0)
      all.push_back(name_ + ": " + std::to_string(world_.late()) +
                    " containers had events before a type of links made them part of a process; these events are not "
                    "corrected with it. Define all types before the containers");
    return all;
  }

 private:
  /// Where a note of the batch stands in the arena.
  struct NotePlace {
    std::size_t before;
    std::size_t at;
    std::size_t size;
    std::uint64_t line;
  };

  bool more() override {
    if (LineReader::more()) return true;
    if (!fault_.empty() || (!in_definition_ && !definitions_.empty())) return false;
    fail(in_definition_ ? "found the end of the trace in the definition of Paje" + made_.name +
                              ", expected \"%EndEventDef\"; the trace is incomplete, write or copy it again"
                        : "found the end of the trace, expected \"%EventDef NAME NUMBER\"; check that this is a Paje "
                          "trace");
    return true;
  }

  std::size_t parse(Batch& batch, std::size_t most) override {
    resize_records(batch, most);
    arena_.clear();
    notes_.clear();
    ends_.clear();
    const char* at = buffer_.begin();
    while (at < end_ && notes_.size() < batch_size) {
      const char* const end = find_newline(at);
      const Body line(at, static_cast<std::size_t>(end - at));
      tokenize(line);
      if (fields_.empty() || fields_[0].text.starts_with('%') || in_definition_) {
        if (!definition_line(line)) break;
        note_line(line, end);
      } else {
        const Definition* const definition = definition_of(fields_[0].text);
        if (definition == nullptr) break;
        if (!definition->timed()) {
          if (definition->defines()) define(*definition);
          note_line(line, end);
        } else {
          if (most == ends_.size() && settled_) break;
          Event event;
          if (!read_time(*definition, event)) break;
          if (most == ends_.size()) break;
          if (!read_event(*definition, line, end, event)) break;
          const std::size_t number = ends_.size() - 1;
          batch.events[number] = event;
          batch.places[number] = line_;
        }
      }
      at = end + 1;
      ++line_;
    }
    if (!fault_.empty() && at < end_) fault_ += truncated_hint(find_newline(at));
    consume_lines(at);
    const std::size_t count = ends_.size();
    resize_records(batch, count);
    std::size_t begin = 0;
    for (std::size_t i = 0; i < count; ++i) {
      begin = ends_[i].first;
      batch.bodies[i] = Body(arena_).substr(begin, ends_[i].second - begin);
    }
    for (const NotePlace& note : notes_)
      batch.notes.push_back({note.before, Body(arena_).substr(note.at, note.size), note.line});
    return count;
  }

  // ---- lines ----

  struct Token {
    std::string_view text;  ///< without quotes
    std::size_t at = 0;     ///< in the line
  };

  /// Fields between blanks, or between quotes; a # outside of quotes begins a comment.
  void tokenize(std::string_view line) {
    fields_.clear();
    std::size_t at = 0;
    while (at < line.size()) {
      const char c = line[at];
      if (is_blank(c)) {
        ++at;
      } else if (c == '#') {
        return;
      } else if (c == '"') {
        const std::size_t end = std::min(line.find('"', at + 1), line.size());
        fields_.push_back({line.substr(at + 1, end - at - 1), at + 1});
        at = end + 1;
      } else {
        std::size_t end = at + 1;
        while (end < line.size() && !is_blank(line[end]) && line[end] != '#') ++end;
        fields_.push_back({line.substr(at, end - at), at});
        at = end;
      }
    }
  }

  void note(std::string_view first, std::string_view second = {}) {
    notes_.push_back({ends_.size(), arena_.size(), first.size() + second.size(), line_});
    arena_.append(first).append(second);
  }
  void note_line(std::string_view line, const char* end) {
    note(unterminated(end) ? raw_unterminated_line : raw_line, line);
  }
  /// A definition in the words of the text format.
  bool define_line(const std::string& line) {
    if (const std::string wrong = lines_.take(line); !wrong.empty()) return fail(wrong);
    note(line);
    return true;
  }

  bool fail(const std::string& what) {
    fault_ = describe(line_) + ": " + what;
    return false;
  }

  [[nodiscard]] std::string_view text(const Definition& definition, Field field) const {
    const std::size_t position = definition.position(field);
    return position == 0 || position >= fields_.size() ? std::string_view() : fields_[position].text;
  }

  // ---- the header ----

  /// %EventDef, its fields, %EndEventDef; comments and empty lines.
  bool definition_line(std::string_view line) {
    if (fields_.empty()) return true;
    if (!fields_[0].text.starts_with('%'))
      return fail("found " + in_quotes(trimmed(line)) + " in the definition of Paje" + made_.name +
                  ", expected a field (\"% Time date\") or \"%EndEventDef\"; the trace is damaged or no Paje trace");
    // The word behind the percent sign may stand by itself.
    std::array<std::string_view, 3> words{};
    std::size_t count = 0;
    for (const Token& token : fields_) {
      std::string_view word = token.text;
      if (count == 0 && word.starts_with('%')) word.remove_prefix(1);
      if (!word.empty() && count < words.size()) words[count++] = word;
    }
    if (words[0] == "EventDef") {
      if (in_definition_)
        return fail("found a definition inside that of Paje" + made_.name +
                    ", expected \"%EndEventDef\"; the trace is damaged");
      if (words[2].empty())
        return fail("found " + in_quotes(trimmed(line)) + ", expected \"%EventDef NAME NUMBER\"; correct the line");
      made_ = {};
      made_.kind = kind_of(words[1]);
      made_.name = printable(words[1]);
      made_number_ = words[2];
      in_definition_ = true;
    } else if (words[0] == "EndEventDef") {
      if (!in_definition_)
        return fail(
            "found \"%EndEventDef\" outside of a definition, expected \"%EventDef\" before it; the trace is "
            "damaged");
      if (!made_.lacks().empty())
        return fail("found no field " + std::string(made_.lacks()) + " in the definition of Paje" + made_.name +
                    ", expected one; add it or rename the event");
      in_definition_ = false;
      definitions_.insert_or_assign(made_number_, std::move(made_));
      made_ = {};
    } else if (in_definition_) {
      if (words[1].empty())
        return fail("found " + in_quotes(trimmed(line)) + " in the definition of Paje" + made_.name +
                    ", expected a name and a type such as \"% Time date\"; correct the line");
      if (made_.fields > most_fields)
        return fail("found more than " + std::to_string(most_fields) + " fields in the definition of Paje" +
                    made_.name + ", expected fewer; check that the trace is not damaged");
      const Field field = field_of(words[0]);
      const bool fits = field != Field::recorded || words[1] == "date";
      if (field != Field::other && fits && !made_.has(field))
        made_.at[static_cast<std::size_t>(field)] = static_cast<std::uint8_t>(made_.fields);
      ++made_.fields;
    }
    return true;  // other lines with a percent sign are carried
  }

  const Definition* definition_of(std::string_view number) {
    const auto known = definitions_.find(number);
    if (known != definitions_.end()) return &known->second;
    if (definitions_.empty())
      fail("found " + in_quotes(number) +
           ", expected \"%EventDef NAME NUMBER\" before all events; check that this is a "
           "Paje trace");
    else
      fail("found event " + in_quotes(number) +
           ", expected the number of an \"%EventDef\" above; correct or remove the "
           "line");
    return nullptr;
  }

  void define(const Definition& d) {
    const std::string_view alias = text(d, Field::alias);
    const std::string_view name = text(d, Field::name);
    switch (d.kind) {
      case Kind::define_container_type:
        world_.define_container_type(alias, name);
        break;
      case Kind::define_link_type:
        world_.define_link_type(alias, name, text(d, Field::start_container_type), text(d, Field::end_container_type));
        break;
      case Kind::define_value:
        if (records_) world_.define_value(text(d, Field::type), alias, name);
        break;
      default:
        world_.define_type(alias, name);
    }
  }

  // ---- events ----

  /// The first time of the trace settles the resolution: its digits, from nanoseconds to picoseconds.
  bool settle(const Decimal& first) {
    settled_ = true;
    if (!in_header_) {  // the resolution was asked for before there was a time
      for (decimals_ = 0; scale(decimals_) < definitions().resolution.per_second();) ++decimals_;
      return true;
    }
    const std::int64_t digits = first.places();
    decimals_ = 0;
    const auto fits = [&](unsigned decimals) {
      const std::optional<std::int64_t> time = scaled(first, decimals);
      return time && *time < (std::int64_t{1} << 62) && *time > -(std::int64_t{1} << 62);
    };
    constexpr std::int64_t usual = 1'000'000'000;
    while (scale(decimals_) < usual ||
           (decimals_ < digits && scale(decimals_) < Resolution::highest && fits(decimals_ + 1)))
      ++decimals_;
    return define_line("%resolution " + std::to_string(scale(decimals_)));
  }
  /// Ticks per second.
  [[nodiscard]] std::int64_t scale(unsigned decimals) const noexcept {
    std::int64_t ticks = units_per_second_;
    for (unsigned i = 0; i < decimals; ++i) ticks *= 10;
    return ticks;
  }

  bool read_time(const Definition& definition, Event& event) {
    const std::string_view field = text(definition, Field::time);
    const std::optional<Decimal> time = split(field);
    if (!time)
      return fail(found(field, "time") + " of Paje" + definition.name +
                  ", expected a decimal number; correct or remove the line");
    if (!settled_ && !settle(*time)) return false;
    const std::optional<std::int64_t> ticks = scaled(*time, decimals_);
    if (!ticks)
      return fail(found(field, "time") + ", expected one that fits into 64 bits at " +
                  std::to_string(definitions().resolution.per_second()) +
                  " ticks per second; check the line, or the unit of time with SourceOptions::units_per_second");
    finer_ += time->places() > static_cast<std::int64_t>(decimals_) && is_finer(*time);
    event.time = Time(*ticks);
    return true;
  }
  [[nodiscard]] bool is_finer(const Decimal& time) const noexcept {
    const std::int64_t more = time.places() - static_cast<std::int64_t>(decimals_);
    const std::string_view tail =
        time.fraction.substr(time.fraction.size() - std::min(static_cast<std::size_t>(more), time.fraction.size()));
    return tail.find_first_not_of('0') != std::string_view::npos;
  }

  bool read_event(const Definition& definition, std::string_view line, const char* end, Event& event) {
    parts_.flags = unterminated(end) ? static_cast<unsigned>(paje::unterminated) : 0U;
    parts_.decimals = decimals_;
    parts_.line = line;
    const Token& time = fields_[definition.position(Field::time)];
    parts_.time_at = time.at;
    parts_.time_size = time.text.size();
    parts_.processes.clear();
    record_ = {};
    ContainerIndex container = no_container;
    switch (definition.kind) {
      case Kind::create_container:
        if (!create(definition, event.time, container)) return false;
        break;
      case Kind::destroy_container:
        if (!destroy(definition, container)) return false;
        break;
      case Kind::start_link:
      case Kind::end_link: {
        const bool start = definition.kind == Kind::start_link;
        if (!find(definition, start ? Field::start_container : Field::end_container, container)) return false;
        break;
      }
      default:
        if (!find_any(definition, container)) return false;
    }
    if (definition.kind != Kind::create_container) world_.container(container).used = true;
    if (!process_of(container, event.process)) return false;
    const bool is_link = definition.kind == Kind::start_link || definition.kind == Kind::end_link;
    if (is_link && !link(definition, container, event)) return false;
    if (records_) make_record(definition, container, event);
    const std::size_t begin = arena_.size();
    append(arena_, parts_);
    if (records_) encode_body(record_, arena_);
    ends_.emplace_back(begin, arena_.size());
    return true;
  }

  bool find(const Definition& definition, Field field, ContainerIndex& container) {
    const std::string_view word = text(definition, field);
    container = world_.find_container(word);
    if (container != no_container) return true;
    return fail(found(word, paje::name_of(field)) + " of Paje" + definition.name +
                ", expected a container that was created above; correct or remove the line");
  }
  /// The container of any event; the root when it names none.
  bool find_any(const Definition& definition, ContainerIndex& container) {
    for (const Field field : {Field::container, Field::start_container, Field::end_container})
      if (definition.has(field)) return find(definition, field, container);
    container = root;
    return true;
  }

  bool create(const Definition& definition, Time time, ContainerIndex& container) {
    const std::string_view alias = text(definition, Field::alias);
    const std::string_view name = text(definition, Field::name);
    if (alias.empty() && name.empty())
      return fail("found no name of the container, expected one; correct or remove the line");
    ContainerIndex parent = root;
    if (!text(definition, Field::container).empty() && !find(definition, Field::container, parent)) return false;
    const Created created = world_.create(alias, name, text(definition, Field::type), parent);
    container = created.container;
    const Container& made = world_.container(container);
    if (made.owner != container) return true;
    parts_.flags |= opens;
    if (!records_ && created.fresh) add_creations(container, time);
    return true;
  }
  /// The containers around processes have clocks of their own: what is inside may be created first in the output.
  void add_creations(ContainerIndex container, Time time) {
    around_ = world_.around(container);
    if (!around_.empty()) parts_.flags |= inside;
    parts_.around = around_;
    const Container& made = world_.container(container);
    if (made.linked) return;
    parts_.flags |= outer;
    parts_.container = container;
    parts_.life = made.lives;
    std::string creation;
    append(creation, Outer{container, made.lives, time, parts_.time_at, parts_.time_size, parts_.line});
    world_.set_creation(container, std::move(creation));
  }

  bool destroy(const Definition& definition, ContainerIndex& container) {
    if (!find(definition, definition.has(Field::name) ? Field::name : Field::alias, container)) return false;
    const Container& gone = world_.container(container);
    if (gone.owner == container) parts_.flags |= closes;
    parts_.processes = world_.destroy(container);
    if (!parts_.processes.empty()) parts_.flags |= last;
    return true;
  }

  /// A number for a name, the given one unless it is taken. Numbers must not depend on the order of the records, which
  /// corrections change.
  template <class IsTaken>
  [[nodiscard]] static std::uint64_t free_number(std::string_view name, std::optional<std::uint64_t> given,
                                                 IsTaken is_taken) {
    constexpr std::uint64_t names = 1'000'000'000;
    const std::uint64_t mark = checksum(name);
    // A taken number: on in steps that differ from name to name, so that many names of one number cost no more than
    // others. Steps that neither 2 nor 5 divides come to all numbers.
    const std::uint64_t step = mark / names % (names / 10) * 10 + 1;
    std::uint64_t number = given.value_or(names + mark % names);
    while (is_taken(number)) number = names + (number + step) % names;
    return number;
  }

  bool process_of(ContainerIndex container, ProcessIndex& process) {
    Container& owner = world_.container(world_.container(container).owner);
    process = owner.process;
    if (process != no_process) return true;
    const std::uint64_t number =
        free_number(owner.identifier, world_.stated_number(owner.identifier),
                    [&](std::uint64_t known) { return definitions().find_process(known).has_value(); });
    process = owner.process = static_cast<ProcessIndex>(lines_.process_count());
    lines_.set_further_memory(world_.memory());
    return define_line(process_line(number, as_name(owner.name)));
  }

  /// Both ends name only themselves: the clock matches them by type (a communicator), value and key (the tag).
  bool link(const Definition& definition, ContainerIndex container, Event& event) {
    const std::string_view value = text(definition, Field::value);
    if (world_.is_topology(text(definition, Field::type), value, container)) {
      topology_links_ += definition.kind == Kind::start_link ? 1U : 0U;
      return true;
    }
    const std::string_view word = text(definition, Field::type);
    Type& type = world_[world_.type(word)];
    if (type.communicator == no_communicator) {
      type.communicator = static_cast<CommunicatorIndex>(lines_.communicator_count());
      const std::optional<std::uint64_t> given =
          type.link_number == no_number ? std::nullopt : std::optional<std::uint64_t>(type.link_number);
      const std::uint64_t number = free_number(
          word, given, [&](std::uint64_t known) { return lines_.communicator(known) != NumberIndex::none; });
      if (!define_line("%group " + std::to_string(number))) return false;
    }
    event.role = definition.kind == Kind::start_link ? Role::send : Role::receive;
    event.communicator = type.communicator;
    key_.assign(value).append(1, '\0').append(text(definition, Field::key));
    event.tag = static_cast<std::int64_t>(checksum(key_));
    if (!to_number(text(definition, Field::size), event.bytes)) event.bytes = 0;
    return true;
  }

  void make_record(const Definition& definition, ContainerIndex container, const Event& event) {
    record_.event = event;
    record_.recorded = recorded(definition);
    const bool own = world_.container(container).owner == container;
    words_.clear();
    if (event.role != Role::internal) {
      record_.kind = event.role == Role::send ? clc::Kind::send : clc::Kind::receive;
      words_.append("key=").append(text(definition, Field::key));
    } else if (definition.kind == Kind::push_state && own) {
      record_.kind = clc::Kind::enter;
      words_ = world_.value(text(definition, Field::type), text(definition, Field::value));
    } else if (definition.kind == Kind::pop_state && own) {
      record_.kind = clc::Kind::leave;
    } else {
      record_.kind = clc::Kind::other;
      words_.append("I ").append(definition.name);
      for (std::size_t i = 1; i < fields_.size(); ++i) {
        const bool is_time =
            i == definition.position(Field::time) || (record_.recorded && i == definition.position(Field::recorded));
        if (!is_time) words_.append(1, ' ').append(fields_[i].text);
      }
    }
    record_.text = words_;
  }

  /// What the sink wrote beside a corrected time. What is no time is a field like others.
  [[nodiscard]] std::optional<Time> recorded(const Definition& definition) const {
    if (!definition.has(Field::recorded)) return {};
    const std::optional<Decimal> time = split(text(definition, Field::recorded));
    const std::optional<std::int64_t> ticks = time ? scaled(*time, decimals_) : std::nullopt;
    return ticks ? std::optional(Time(*ticks)) : std::nullopt;
  }

  PajeDecoder decoder_;
  std::int64_t units_per_second_;
  bool records_;  ///< bodies end with a record
  World world_;
  std::uint64_t topology_links_ = 0;
  ByString<Definition> definitions_;
  bool in_definition_ = false;
  Definition made_;
  std::string made_number_;
  bool in_header_ = true;  ///< before the first record
  bool settled_ = false;   ///< resolution and decimals_ are known
  unsigned decimals_ = 9;  ///< 10^decimals_ ticks are one unit of the trace's time
  std::uint64_t finer_ = 0;
  std::vector<Token> fields_;
  std::string arena_;  ///< bodies and notes of the batch
  std::vector<NotePlace> notes_;
  std::vector<std::pair<std::size_t, std::size_t>> ends_;  ///< begin and end of each body in the arena
  Parts parts_;
  std::string around_;
  Record record_;
  std::string key_;
  std::string words_;
};

}  // namespace

bool is_paje(std::string_view start) noexcept {
  if (start.starts_with('#')) return !start.starts_with("#Paraver");
  if (!start.starts_with('%')) return false;
  start.remove_prefix(1);
  return next_field(start).starts_with("EventDef");
}

std::unique_ptr<Reader> paje_source(std::string name, std::unique_ptr<ByteSource> bytes, const SourceOptions& options) {
  return std::make_unique<PajeSource>(std::move(name), std::move(bytes), options);
}

}  // namespace clc::formats
