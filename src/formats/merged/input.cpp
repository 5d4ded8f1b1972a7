#include "merged/input.hpp"

#include <algorithm>

#include "clc/io/batch.hpp"
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

}  // namespace

void Input::begin_rows() noexcept {
  next_ = rows_.data();
  end_ = rows_.data() + rows_.size();
  ready_ = next_;
}

void Input::read(Batch& buffer) {
  rows_.clear();
  arena_.clear();
  begin_rows();
  do {
    for (Note& note : notes_) note.before = 0;
    if (ended_) return;
    try {
      ended_ = !source_->read(buffer);
    } catch (...) {
      ended_ = true;
      throw;
    }
    for (const Batch::Note& note : buffer.notes) notes_.push_back({note.before, std::string(note.line)});
  } while (buffer.events.empty());
  // What it had before is freed only with all other memory, so it at least doubles.
  if (buffer.events.size() > rows_.capacity()) rows_.reserve(std::max(buffer.events.size(), 2 * rows_.capacity()));
  for (std::size_t i = 0; i < buffer.events.size(); ++i)
    rows_.push_back({buffer.events[i], buffer.bodies[i], buffer.places[i]});
  begin_rows();
}

std::optional<std::uint32_t> Input::known(std::string_view line, const DefinitionLines& all) const {
  const Line own = split(line);
  const std::uint32_t index = own.process ? all.process(own.number) : all.communicator(own.number);
  if (index == NumberIndex::none) return std::nullopt;
  return index;
}

bool Input::agrees(std::string_view line, const Definitions& all, std::uint32_t known) {
  Line own = split(line);
  if (own.process) {
    const Process& other = all.processes()[known];
    for (std::string_view word = next_field(own.rest), first = word; !word.empty(); word = next_field(own.rest)) {
      if (word.starts_with("node=")) {
        if (word.substr(5) != node_name(all, other)) return false;
      } else if (word.data() == first.data() && !word.starts_with("clock=")) {
        if (word != other.name) return false;
      }
    }
    return true;
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
  return name_ + ": found process " + number + " as " + quoted(trimmed(own.rest)) + ", expected " +
         quoted(known.name + (node.empty() ? "" : " node=" + node)) + " as in " + other +
         "; give different processes different numbers";
}

}  // namespace clc::formats
