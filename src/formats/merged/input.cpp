#include "merged/input.hpp"

#include "common/words.hpp"

namespace clc::formats {

namespace {

/// A line that defines a process or communicator.
struct Line {
  bool process = false;
  std::uint64_t number = 0;
  std::string_view rest;
};

Line split(std::string_view line) {
  Line split;
  split.rest = trimmed(line);
  split.process = next_field(split.rest) == "%process";
  static_cast<void>(to_number(next_field(split.rest), split.number));
  return split;
}

std::string_view node_name(const Definitions& definitions, const Process& process) {
  return process.node == no_node ? std::string_view() : std::string_view(definitions.nodes()[process.node]);
}

bool same_members(const Definitions& a, const Members& members_a, const Definitions& b, const Members& members_b) {
  const auto number_in = [](const Definitions& all) {
    return [&all](ProcessIndex member) { return all.processes()[member].number; };
  };
  return std::ranges::equal(members_a.list(), members_b.list(), {}, number_in(a), number_in(b));
}

/// What a line says of a process; empty: nothing.
struct Fields {
  std::string_view name;
  std::string_view node;
  std::string_view clock;  ///< a number
};

Fields fields_of(std::string_view rest) {
  Fields fields;
  bool is_first = true;
  for (std::string_view word = next_field(rest); !word.empty(); word = next_field(rest), is_first = false) {
    if (word.starts_with("node="))
      fields.node = word.substr(5);
    else if (word.starts_with("clock="))
      fields.clock = word.substr(6);
    else if (is_first)
      fields.name = word;
  }
  return fields;
}

bool same_name_and_node(const Fields& fields, const Definitions& all, const Process& known) {
  return (fields.name.empty() || fields.name == known.name) &&
         (fields.node.empty() || fields.node == node_name(all, known));
}

/// A line with a name and no clock says that the process with this number has its own.
bool same_clock(const Fields& fields, std::uint64_t number, const Definitions& all, ProcessIndex known) {
  if (all.clock_of == ClockOf::location || (fields.name.empty() && fields.clock.empty())) return true;
  std::uint64_t of = number;
  if (!fields.clock.empty()) static_cast<void>(to_number(fields.clock, of));
  const ClockIndex clock = all.processes()[known].clock;
  if (of == number) return clock == known || all.clock_of == ClockOf::node;
  const std::optional<ProcessIndex> other = all.find_process(of);
  return other && all.processes()[*other].clock == clock;
}

}  // namespace

void Input::read(Batch& buffer) {
  stretches_.clear();
  stretch_ = 0;
  do {
    for (Note& note : notes_) note.before = 0;
    if (ended_) return;
    try {
      ended_ = !source_->read(buffer);
    } catch (...) {
      ended_ = true;
      throw;
    }
    make_stretches(buffer);
  } while (stretches_.empty());
}

void Input::make_stretches(const Batch& buffer) {
  const std::size_t count = buffer.events.size();
  keep_rows(buffer);
  auto note = buffer.notes.begin();
  for (std::size_t first = 0;;) {
    for (; note != buffer.notes.end() && note->before == first; ++note)
      notes_.push_back({stretches_.size(), {std::string(note->line), note->place}});
    if (first == count) return;
    const std::size_t most = note == buffer.notes.end() ? count : note->before;
    static_cast<void>(raises(buffer.events[first]));
    std::size_t end = first + 1;
    while (end < most && !raises(buffer.events[end])) ++end;
    stretches_.push_back({rows_.data() + first, rows_.data() + end, processes_, communicators_});
    first = end;
  }
}

bool Input::raises(const Event& event) noexcept {
  // One more than no_process is 0.
  const ProcessIndex most_processes = std::max(event.process + 1, event.peer + 1);
  const CommunicatorIndex most_communicators = event.communicator + 1;
  if (most_processes <= processes_ && most_communicators <= communicators_) [[likely]]
    return false;
  processes_ = std::max(most_processes, processes_);
  communicators_ = std::max(most_communicators, communicators_);
  return true;
}

/// Copies what the next read of the source overwrites.
void Input::keep_rows(const Batch& buffer) {
  rows_.clear();
  arena_.clear();
  // What it had before is freed only with all other memory, so it at least doubles.
  if (buffer.events.size() > rows_.capacity()) rows_.reserve(std::max(buffer.events.size(), 2 * rows_.capacity()));
  for (std::size_t i = 0; i < buffer.events.size(); ++i) {
    const Event& event = buffer.events[i];
    Body body = buffer.bodies[i];
    if (!binary_) {
      encoding_.clear();
      Record record = source_->decoder().decode(body);
      record.event.peer = event.peer;
      record.event.communicator = event.communicator;
      static_cast<void>(encode_body(record, encoding_));
      char* const begin = arena_.room(encoding_.size());
      arena_.take(std::copy(encoding_.begin(), encoding_.end(), begin));
      body = {begin, encoding_.size()};
    }
    rows_.push_back({event, body, buffer.places[i]});
  }
}

std::optional<std::uint32_t> Input::known(std::string_view line, const DefinitionLines& all) const {
  const Line own = split(line);
  const std::uint32_t index = own.process ? all.process(own.number) : all.communicator(own.number);
  if (index == NumberIndex::none) return std::nullopt;
  return index;
}

bool Input::agrees(std::string_view line, const Definitions& all, std::uint32_t known) {
  const Line own = split(line);
  if (own.process) {
    const Fields fields = fields_of(own.rest);
    return same_name_and_node(fields, all, all.processes()[known]) && same_clock(fields, own.number, all, known);
  }
  const auto& own_all = definitions().communicators();
  for (; communicators_seen_ < own_all.size(); ++communicators_seen_)
    communicator_numbers_.add(own_all[communicators_seen_].number, communicators_seen_);
  const std::uint32_t here = communicator_numbers_.find(own.number);
  if (here == NumberIndex::none) return false;
  const Communicator& other = all.communicators()[known];
  if (own_all[here].members.empty()) return true;
  return own_all[here].min_delay == other.min_delay &&
         same_members(definitions(), own_all[here].members, all, other.members);
}

std::string Input::contradiction(std::string_view line, const Definitions& all, const std::string& other) const {
  const Line own = split(line);
  const std::string number = std::to_string(own.number);
  if (!own.process)
    return name_ + ": found communicator " + number + " with other members or another minimum delay than in " + other +
           ", expected one communicator for each number; give it another number";
  const Process& known = all.processes()[*all.find_process(own.number)];
  const std::string node(node_name(all, known));
  const Process& clock = all.processes()[known.clock];
  return name_ + ": found process " + number + " as " + in_quotes(trimmed(own.rest)) + ", expected " +
         in_quotes(known.name + (node.empty() ? "" : " node=" + node) +
                   (clock.number == known.number ? "" : " clock=" + std::to_string(clock.number))) +
         " as in " + other +
         (same_name_and_node(fields_of(own.rest), all, known) ? "; name the same clock in all traces"
                                                              : "; give different processes different numbers");
}

}  // namespace clc::formats
