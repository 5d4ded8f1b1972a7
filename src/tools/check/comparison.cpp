#include "comparison.hpp"

#include <algorithm>

#include "clc/io/record.hpp"
#include "trace/printable.hpp"

namespace clc::check {

namespace {

std::string differ(std::string_view what, const std::string& a, const std::string& b) {
  return std::string(what) + ' ' + a + " against " + b;
}
std::string differ(std::string_view what, auto a, auto b) { return differ(what, std::to_string(a), std::to_string(b)); }

/// Archives and merged traces always name it.
constexpr std::string_view default_resolution = "%resolution 1000000000";

std::string in_quotes(std::string_view text) { return '\'' + printable(text) + '\''; }

}  // namespace

std::string difference(const Side& a, const Sighting& in_a, const Side& b, const Sighting& in_b) {
  const Record left = a.decoder->decode(in_a.body);
  const Record right = b.decoder->decode(in_b.body);
  if (left.kind != right.kind) return differ("kind", static_cast<int>(left.kind), static_cast<int>(right.kind));
  if (left.text != right.text) return differ("text", in_quotes(left.text), in_quotes(right.text));
  if (right.recorded) {
    const Time expected = left.recorded.value_or(in_a.event.time);
    if (*right.recorded != expected) return differ("recorded time kept", expected.ticks(), right.recorded->ticks());
  } else if (left.recorded) {
    return "recorded time not kept";
  }
  // The role decides which fields mean something.
  const Event& x = in_a.event;
  const Event& y = in_b.event;
  if (x.role != y.role) return "role";
  const auto process = [](const Side& side, ProcessIndex index) {
    const auto& all = side.definitions->processes();
    return index < all.size() ? std::to_string(all[index].number) : std::string("-");
  };
  const auto communicator = [](const Side& side, CommunicatorIndex index) {
    const auto& all = side.definitions->communicators();
    return index < all.size() ? std::to_string(all[index].number) : std::string("-");
  };
  const bool message = x.role == Role::send || x.role == Role::receive;
  const bool end = x.role == Role::collective_end;
  if (message && process(a, x.peer) != process(b, y.peer))
    return differ("peer", process(a, x.peer), process(b, y.peer));
  if ((message || end) && communicator(a, x.communicator) != communicator(b, y.communicator))
    return differ("communicator", communicator(a, x.communicator), communicator(b, y.communicator));
  if (end && x.operation != y.operation)
    return differ("operation", std::string(info(x.operation).name), std::string(info(y.operation).name));
  if (end && x.root != y.root) return differ("root", x.root, y.root);
  if (x.role != Role::internal && x.tag != y.tag) return differ("tag", x.tag, y.tag);
  if ((message || end) && x.bytes != y.bytes) return differ("bytes", x.bytes, y.bytes);
  if (end && x.received != y.received) return differ("bytes received", x.received, y.received);
  if (x.role == Role::receive && x.overtakes != y.overtakes) return differ("overtakes", x.overtakes, y.overtakes);
  return {};
}

void LineComparison::add(Column file, std::size_t trace, std::string_view line, bool may_lack, Verdict& verdict) {
  // Archives do not know where among other notes these were.
  constexpr std::array definitions{"%process ", "%group ", "%resolution ", "%min-delay "};
  if (std::ranges::any_of(definitions, [line](const char* word) { return line.starts_with(word); })) {
    const auto entry = definitions_.try_emplace(std::string(line)).first;
    std::int64_t& more = entry->second;
    if (file == recorded ? more < 0 : more > 0) verdict.judge(true, [] { return std::string(); });
    more += file == recorded ? 1 : -1;
    if (more == 0) definitions_.erase(entry);
    if (file == recorded && into_archive_) replace_process(line);
    return;
  }
  Notes& notes = notes_[trace];
  notes[file].push_back({std::string(line), may_lack});
  while (!notes[recorded].empty() && !notes[corrected].empty()) {
    const Note& before = notes[recorded].front();
    const std::string& after = notes[corrected].front().line;
    const bool lacks = before.may_lack && before.line != after;
    if (!lacks) {
      verdict.judge(before.line == after,
                    [&] { return "line " + in_quotes(before.line) + " became " + in_quotes(after); });
      notes[corrected].pop_front();
    }
    notes[recorded].pop_front();
  }
}

void LineComparison::replace_process(std::string_view line) {
  constexpr std::string_view word = "%process ";
  if (!line.starts_with(word)) return;
  std::string& current = processes_[std::string(line.substr(0, line.find(' ', word.size())))];
  if (!current.empty()) ++replaced_[current];
  current = line;
}

void LineComparison::missing(Column file, const std::string& line, Verdict& verdict) {
  verdict.judge(false, [&] {
    return "line " + in_quotes(line) +
           (file == recorded ? " is missing in the corrected trace" : " is not in the recorded trace");
  });
}

void LineComparison::finish(bool complete, InWindow& window, Verdict& verdict) {
  if (!complete) return;
  for (const auto& [line, more] : definitions_) {
    const auto replaced = replaced_.find(line);
    const bool may_lack = replaced != replaced_.end() && more <= replaced->second;
    if (line != default_resolution) notes_[0][more > 0 ? recorded : corrected].push_back({line, may_lack});
  }
  for (const auto& [trace, notes] : notes_)
    for (const Column file : {recorded, corrected})
      for (const auto& [line, may_lack] : notes[file])
        if (file == corrected || (!may_lack && !window.may_miss(line))) missing(file, line, verdict);
}

}  // namespace clc::check
