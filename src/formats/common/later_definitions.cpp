#include "common/later_definitions.hpp"

#include "common/words.hpp"

namespace clc::formats {

namespace {

std::string node_of(const Process& process, const Definitions& all) {
  return process.node == no_node ? std::string() : all.nodes()[process.node];
}

}  // namespace

std::optional<Redefinition> LaterDefinitions::change(std::string_view line, const Definitions& read) {
  std::string_view rest = trimmed(line);
  const std::string_view word = next_field(rest);
  if (word != "%process" && word != "%group") return std::nullopt;
  std::uint64_t number = 0;
  if (!to_number(next_field(rest), number)) return std::nullopt;
  Redefinition change;
  change.of_process = word == "%process";
  const std::optional<std::uint32_t> index =
      change.of_process ? now_.find_process(number) : now_.find_communicator(number);
  if (!index) return std::nullopt;
  change.index = *index;
  if (change.of_process) {
    const Process& process = read.processes()[*index];
    change.name = process.name;
    change.node = node_of(process, read);
  } else {
    const Communicator& communicator = read.communicators()[*index];
    change.members = communicator.members;
    change.min_delay = communicator.min_delay;
  }
  const std::uint64_t key = key_of(change.of_process, *index);
  if (!waiting_.contains(key) && is_in_effect(change)) return std::nullopt;
  ++waiting_[key];
  if (change.min_delay > now_.largest_delay_to_come) now_.largest_delay_to_come = change.min_delay;
  return change;
}

bool LaterDefinitions::is_in_effect(const Redefinition& change) const {
  if (change.of_process) {
    const Process& process = now_.processes()[change.index];
    return process.name == change.name && node_of(process, now_) == change.node;
  }
  const Communicator& communicator = now_.communicators()[change.index];
  return communicator.members == change.members && communicator.min_delay == change.min_delay;
}

void LaterDefinitions::grow(const Definitions& read) {
  // Without a change there nothing may be written: other threads may look at it.
  const std::uint64_t memory = read.memory();
  if (memory == now_.source_memory && read.processes().size() == now_.processes().size() &&
      read.communicators().size() == now_.communicators().size())
    return;
  now_.grow(read);
  now_.source_memory = memory;
}

void LaterDefinitions::make(const Redefinition& change, const Definitions& read) {
  if (change.of_process)
    now_.add_process(now_.processes()[change.index].number, change.name, change.node);
  else
    now_.replace(change.index, change.members, change.min_delay);
  now_.source_memory = read.memory();
  const auto waiting = waiting_.find(key_of(change.of_process, change.index));
  if (--waiting->second == 0) waiting_.erase(waiting);
}

}  // namespace clc::formats
