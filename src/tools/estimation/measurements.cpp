#include "estimation/measurements.hpp"

#include <charconv>
#include <optional>

#include "clc/error.hpp"
#include "formats/common/measurement_line.hpp"
#include "trace/one_or_many.hpp"
#include "trace/printable.hpp"

namespace clc::tool {

namespace {

template <class Number>
bool take_number(std::string_view& text, Number& number) {
  if (text.empty() || (text.front() != ' ' && text.front() != '\t')) return false;
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

sync::ClockIndex clock_of(std::uint64_t number, const Definitions& definitions, const std::string& where,
                          const std::string& line) {
  const auto process = definitions.find_process(number);
  if (process) return definitions.processes()[*process].clock;
  throw InputError(where + ": found process " + std::to_string(number) + " in '" + line +
                   "', expected a process of the trace; correct or remove the line");
}

std::string sync_line(std::uint64_t process, std::uint64_t reference, const std::array<std::int64_t, 4>& times) {
  std::string line = "%sync " + std::to_string(process) + ' ' + std::to_string(reference);
  for (const std::int64_t time : times) (line += ' ') += std::to_string(time);
  return line;
}

}  // namespace

void PointsOfClocks::add(const ProcessPoint& point, const std::string& where) {
  const auto& [process, at] = point;
  const ClockIndex clock = clock_of(process, definitions_, where, offset_line(process, at));
  if (const auto other = first_.add({clock, at}, process))
    throw InputError(
        where + ": " +
        (*other == process ? contradicting_offset(point, "the trace") : contradicting_offset(point, *other)));
  const auto [known, is_new] = place_.try_emplace({clock, at.time}, to_.size());
  if (is_new)
    to_.push_back({clock, at});
  else if (at.has_error())
    to_[known->second].point.error = at.error;
}

void PointsOfClocks::add(const Offsets& offsets, const std::string& name) {
  for (const auto& [process, line] : offsets)
    for (const OffsetPoint& point : line.points()) add({process, point}, name);
}

void MeasurementLines::note(const Batch::Note& note) {
  const std::string_view line = formats::plain_note(note.line);
  if (line.starts_with("%provenance clc-filter ") || line.starts_with("%provenance clc-filter-mpi "))
    note_program(line);
  if (!formats::is_measurement(line)) return;
  any_ = true;
  if (corrected()) return;  // no method uses them
  if (formats::has_first_word(line, "%offset"))
    note_offset(line, note.place);
  else
    note_sync(line, note.place);
}

/// A conversion keeps the times that it reads; --write-offsets those of the records, which readers map then, unless
/// they ignore the clock offsets.
void MeasurementLines::note_program(std::string_view line) {
  const auto has = [&](std::string_view option) {
    const std::size_t at = line.find(option);
    return at != std::string_view::npos && (at + option.size() == line.size() || line[at + option.size()] == ' ');
  };
  if (has(" --write-offsets")) {
    if (!trace_.ignores_clock_offsets && times_ == Times::recorded) times_ = Times::mapped;
    can_ignore_ = can_ignore_ || !any_program_;
  } else if (has(" --no-correction")) {
    trace_.ignores_clock_offsets = has(" --ignore-clock-offsets");
  } else {
    times_ = Times::corrected;
  }
  any_program_ = true;
}

void MeasurementLines::note_offset(std::string_view line, std::uint64_t place) {
  const std::optional<ProcessPoint> point = read_offset_line(line);
  if (!point) throw InputError(where(place) + ": " + unreadable_offset_line(line));
  if (const auto other = places_.add(*point, place))
    throw InputError(where(place) + ": " +
                     contradicting_offset(*point, *other == 0 ? "an earlier line" : source_.describe(*other)));
  points_.push_back({place, *point});
}

void MeasurementLines::note_sync(std::string_view line, std::uint64_t place) {
  Numbers numbers{};
  numbers.place = place;
  std::string_view rest = line.substr(std::string_view("%sync").size());
  bool good = take_number(rest, numbers.process) && take_number(rest, numbers.reference);
  for (std::int64_t& time : numbers.times) good = good && take_number(rest, time);
  constexpr std::size_t longest = 100;
  if (!good || !(rest.empty() || rest.front() == ' ' || rest.front() == '\t'))
    throw InputError(where(place) + ": found '" + printable(line, longest) +
                     "', expected %sync PROCESS REFERENCE T1 T2 T3 T4; correct or remove the line");
  samples_.push_back(numbers);
}

void MeasurementLines::add_to(std::vector<sync::Sample>& samples, PointsOfClocks& points,
                              const Definitions& definitions, std::vector<std::string>& warnings) const {
  if (corrected() && any_) {
    const bool is_mapped = times_ == Times::mapped;
    throw InputError(trace_.name +
                     (is_mapped ? ": its clock offsets, by clc-filter --write-offsets, map the times"
                                : ": was corrected by clc-filter") +
                     ", its %sync lines are those of the recorded times; use " +
                     (is_mapped && can_ignore_ ? "SourceOptions::clock_offsets = false" : "the recorded trace"));
  }
  std::string first;
  std::size_t impossible = 0;
  for (const Numbers& numbers : samples_) {
    const auto& [t1, t2, t3, t4] = numbers.times;
    const auto line = [&] { return sync_line(numbers.process, numbers.reference, numbers.times); };
    const auto clock = [&](std::uint64_t number) {
      return clock_of(number, definitions, where(numbers.place), line());
    };
    const sync::Sample sample{clock(numbers.process), clock(numbers.reference), Time(t1), Time(t2), Time(t3), Time(t4)};
    if (sample.usable())
      samples.push_back(sample);
    else if (++impossible == 1)
      first = where(numbers.place) + ": found '" + line() + "', expected T1 <= T4, T2 <= T3 and T3 - T2 <= T4 - T1; ";
  }
  if (impossible == 1) warnings.push_back(first + "this round trip is left out");
  if (impossible > 1)
    warnings.push_back(first + "this round trip and " + std::to_string(impossible - 1) +
                       one_or_many(impossible - 1, " other", " others") + " like it are left out");
  for (const auto& [place, point] : points_) points.add(point, where(place));
}

}  // namespace clc::tool
