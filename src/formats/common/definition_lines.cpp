#include "common/definition_lines.hpp"

#include <algorithm>

#include "common/words.hpp"

namespace clc::formats {

namespace {

[[nodiscard]] constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

constexpr std::string_view node_word = "node=";
constexpr std::string_view clock_word = "clock=";
constexpr std::string_view delay_word = "min-delay=";

}  // namespace

std::string as_field(std::string_view text) {
  std::string field(text);
  for (char& letter : field)
    if (static_cast<unsigned char>(letter) <= ' ' || letter == 0x7f) letter = '_';
  return field;
}

std::string as_name(std::string_view text) {
  std::string name = as_field(text);
  for (const std::string_view word : {node_word, clock_word})
    if (name.starts_with(word)) name[word.size() - 1] = '_';
  return name;
}

std::string process_line(std::uint64_t number, std::string_view name, std::string_view node,
                         std::optional<std::uint64_t> clock) {
  std::string line = "%process " + std::to_string(number);
  if (!name.empty()) line.append(1, ' ').append(name);
  if (!node.empty()) line.append(1, ' ').append(node_word).append(node);
  if (clock) line.append(1, ' ').append(clock_word).append(std::to_string(*clock));
  return line;
}

std::string unknown_process(std::uint64_t number) {
  return "process " + std::to_string(number) + " is not defined, expected a line \"%process " + std::to_string(number) +
         " NAME\" before its first use; add it to the head of the trace";
}

std::string unknown_communicator(std::uint64_t number) {
  return "communicator " + std::to_string(number) + " is not defined, expected a line \"%group " +
         std::to_string(number) + " MEMBERS...\" before its first use; add it to the head of the trace";
}

bool has_additional_fields(std::string_view line) {
  std::string_view rest = trimmed(line);
  const std::string_view word = next_field(rest);
  const auto is_known = [word](std::string_view field) {
    if (word == "%process") return field.starts_with(node_word) || field.starts_with(clock_word);
    if (word == "%group") return !is_letter(field.front()) || field.starts_with(delay_word);
    return word == "%min-delay" && field.starts_with(node_word);
  };
  static_cast<void>(next_field(rest));                          // the number
  if (word == "%process") static_cast<void>(next_field(rest));  // the name, if there is one
  std::string_view field = next_field(rest);
  while (!field.empty() && is_known(field)) field = next_field(rest);
  return !field.empty();
}

std::string DefinitionLines::take(std::string_view line) {
  std::string_view rest = trimmed(line);
  if (rest.empty() || rest.front() != '%') return {};
  const std::string_view word = next_field(rest);
  if (on_change_ && !announced_ && (word == "%process" || word == "%group")) {
    announced_ = true;
    on_change_();
  }
  if (word == "%process" || word == "%group") {
    std::string wrong = word == "%process" ? process(rest) : group(rest);
    definitions_.source_memory = further_memory_ + processes_.memory() + communicators_.memory();
    return wrong;
  }
  if (word == "%resolution") return resolution(rest);
  if (word == "%min-delay") return min_delay(rest);
  if (word == "%clc-trace")
    return "found a second header " + in_quotes(trimmed(line)) +
           ", expected one trace in a file; split the file before this line and read the parts one by one";
  return {};
}

bool DefinitionLines::replaces(std::string_view line) const {
  std::string_view rest = trimmed(line);
  const std::string_view word = next_field(rest);
  const NumberIndex* const known = word == "%process" ? &processes_ : word == "%group" ? &communicators_ : nullptr;
  std::uint64_t number = 0;
  return known != nullptr && to_number(next_field(rest), number) && known->find(number) != NumberIndex::none;
}

std::string DefinitionLines::resolution(std::string_view rest) {
  const std::string_view field = next_field(rest);
  std::int64_t value = 0;
  if (!to_number(field, value) || value < Resolution::lowest || value > Resolution::highest)
    return found(field, "resolution") + ", expected ticks per second from " + std::to_string(Resolution::lowest) +
           " to " + std::to_string(Resolution::highest) + "; correct the line";
  if (definitions_.resolution.per_second() == value && (resolution_given_ || !header_)) return {};
  if (resolution_given_ || !header_)
    return "found a resolution of " + std::to_string(value) + " ticks per second after " +
           (resolution_given_ ? "one of " : "records with ") + std::to_string(definitions_.resolution.per_second()) +
           ", expected one resolution before the first record; remove the line or convert the times";
  definitions_.resolution = Resolution(value);
  resolution_given_ = true;
  return {};
}

std::string DefinitionLines::min_delay(std::string_view rest) {
  const std::string_view field = next_field(rest);
  std::int64_t value = 0;
  if (!to_number(field, value) || value < 0)
    return found(field, "minimum message delay") + ", expected ticks, 0 or more; correct or remove the line";
  std::optional<Ticks> in_node;
  for (std::string_view more = next_field(rest); !more.empty(); more = next_field(rest)) {
    if (!more.starts_with("node=")) continue;
    Ticks delay = 0;
    if (!to_number(more.substr(5), delay) || delay < 0)
      return found(more.substr(5), "minimum message delay within a node") +
             ", expected ticks, 0 or more; correct or remove it";
    in_node = delay;
  }
  if (definitions_.min_delay == value && definitions_.node_min_delay == in_node) return {};
  if (!header_)
    return "found a minimum message delay after the first record, expected it before; move the line up or remove "
           "it";
  definitions_.min_delay = value;
  definitions_.node_min_delay = in_node;
  return {};
}

std::string DefinitionLines::process(std::string_view rest) {
  const std::string_view field = next_field(rest);
  std::uint64_t number = 0;
  if (!to_number(field, number))
    return found(field, "process number") + ", expected a number from 0 to 18446744073709551615; correct the line";
  std::string_view name = next_field(rest);
  std::string_view node;
  std::string_view clock;
  const auto take = [&](std::string_view word) {
    if (word.starts_with(node_word)) node = word.substr(node_word.size());
    if (word.starts_with(clock_word)) clock = word.substr(clock_word.size());
    return word.starts_with(node_word) || word.starts_with(clock_word);
  };
  if (take(name)) name = {};
  for (std::string_view more = next_field(rest); !more.empty(); more = next_field(rest)) take(more);
  std::optional<ProcessIndex> of_clock;
  if (!clock.empty()) {
    if (std::string wrong = find_clock(number, clock, of_clock); !wrong.empty()) return wrong;
  }
  const ProcessIndex index = definitions_.add_process(number, name, node, of_clock);
  processes_.add(number, index);
  return {};
}

std::string DefinitionLines::find_clock(std::uint64_t number, std::string_view word,
                                        std::optional<ProcessIndex>& clock) const {
  std::uint64_t value = 0;
  if (!to_number(word, value))
    return found(word, "clock of process " + std::to_string(number)) + ", expected a process number; correct the line";
  const ProcessIndex known = processes_.find(number);
  if (value == number && known == NumberIndex::none) return {};
  const ProcessIndex of_clock = processes_.find(value);
  if (of_clock == NumberIndex::none)
    return "clock of process " + std::to_string(number) + ": " + unknown_process(value);
  if (known == NumberIndex::none || definitions_.clock_of != ClockOf::process) {
    clock = of_clock;
    return {};
  }
  const auto& processes = definitions_.processes();
  if (processes[known].clock == processes[of_clock].clock) return {};
  return "found process " + std::to_string(number) + " on the clock of process " + std::to_string(value) +
         " although it was defined on another, expected \"clock=\" in its first line; correct the line";
}

std::string DefinitionLines::group(std::string_view rest) {
  const std::string_view field = next_field(rest);
  std::uint64_t number = 0;
  if (!to_number(field, number))
    return found(field, "communicator number") + ", expected a number from 0 to 18446744073709551615; correct the line";
  std::vector<ProcessIndex> members;
  std::int64_t min_delay = 0;
  std::string_view further;  // the first field that means nothing here
  for (std::string_view member = next_field(rest); !member.empty(); member = next_field(rest)) {
    if (member.starts_with(delay_word)) {
      member.remove_prefix(delay_word.size());
      if (!to_number(member, min_delay) || min_delay < 0)
        return found(member, "minimum message delay of communicator " + std::to_string(number)) +
               ", expected ticks, 0 or more; correct or remove it";
      min_delay = std::max<std::int64_t>(min_delay, 1);  // 0 is none of its own
      continue;
    }
    std::uint64_t value = 0;
    if (!to_number(member, value)) {
      if (!further.empty()) continue;
      further = member;
      if (is_letter(member.front())) continue;
      return found(member, "member of communicator " + std::to_string(number)) +
             ", expected a process number; correct the line";
    }
    if (!further.empty())
      return found(member, "member of communicator " + std::to_string(number)) + " after " + in_quotes(further) +
             ", expected all members before additional fields; correct the line";
    const ProcessIndex index = processes_.find(value);
    if (index == NumberIndex::none)
      return "member of communicator " + std::to_string(number) + ": " + unknown_process(value);
    members.push_back(index);
  }
  std::vector<ProcessIndex> sorted = members;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    return "found process " + std::to_string(definitions_.processes()[*twice].number) +
           " twice among the members of communicator " + std::to_string(number) +
           ", expected each member once; correct the line";
  communicators_.add(number, definitions_.add_communicator(number, members, min_delay));
  return {};
}

}  // namespace clc::formats
