#include "estimation/measurements.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "clc/error.hpp"
#include "trace/offsets.hpp"

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

/// The line starts with this word.
bool is(std::string_view line, std::string_view word) {
  return line.starts_with(word) &&
         (line.size() == word.size() || line[word.size()] == ' ' || line[word.size()] == '\t');
}

/// Without additional fields.
std::string_view first_fields(std::string_view line, int count) {
  std::size_t end = 0;
  for (int i = 0; i < count && end != std::string_view::npos; ++i)
    end = line.find_first_of(" \t", line.find_first_not_of(" \t", end));
  return line.substr(0, end);
}

/// The fifth field of a point is its error if it is a number; other fields mean nothing.
bool has_error(std::string_view line) {
  const std::string_view before = first_fields(line, 4);
  std::string_view field = first_fields(line, 5).substr(before.size());
  field.remove_prefix(std::min(field.size(), field.find_first_not_of(" \t")));
  double error = 0;
  return read_error(field, error) && field.empty();
}

sync::ClockIndex clock_of(std::uint64_t number, const Definitions& definitions, const std::string& line_of) {
  const auto process = definitions.find_process(number);
  if (!process) throw InputError(line_of + " line of process " + std::to_string(number) + ", which is not defined");
  return definitions.processes()[*process].clock;
}

}  // namespace

void add_points(const Offsets& offsets, const std::string& name, const Definitions& definitions,
                sync::Measurements& to) {
  for (const auto& [process, line] : offsets)
    for (const OffsetPoint& point : line.points())
      to.points.push_back({clock_of(process, definitions, name + ": %offset"), point});
}

void MeasurementLines::note(std::string_view line) {
  constexpr std::string_view in_paje = "#paje # ";  // a comment of a Paje trace
  if (line.starts_with(in_paje)) {
    line.remove_prefix(in_paje.size());
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  // A conversion keeps the recorded times.
  if (line.starts_with("%provenance clc-filter ") && line.find(" --no-correction") == std::string_view::npos)
    corrected_ = true;
  if (is(line, "%offset")) {
    offsets_ += first_fields(line, has_error(line) ? 5 : 4);
    offsets_ += '\n';
  }
  constexpr std::string_view word = "%sync";
  if (!is(line, word)) return;
  Numbers numbers{};
  std::string_view rest = line.substr(word.size());
  bool good = take_number(rest, numbers.process) && take_number(rest, numbers.reference);
  for (std::int64_t& time : numbers.times) good = good && take_number(rest, time);
  if (!good || !(rest.empty() || rest.front() == ' ' || rest.front() == '\t'))
    throw InputError(name_ + ": expected %sync PROCESS REFERENCE T1 T2 T3 T4, found '" + std::string(line) + "'");
  samples_.push_back(numbers);
}

sync::Measurements MeasurementLines::measurements(const Definitions& definitions) const {
  if (corrected_ && !(samples_.empty() && offsets_.empty()))
    throw InputError(name_ +
                     ": was corrected by clc-filter, its %sync lines are those of the recorded times; use the "
                     "recorded trace");
  sync::Measurements result;
  for (const Numbers& numbers : samples_) {
    const auto& [t1, t2, t3, t4] = numbers.times;
    const auto clock = [&](std::uint64_t number) { return clock_of(number, definitions, name_ + ": %sync"); };
    result.samples.push_back(
        {clock(numbers.process), clock(numbers.reference), Time(t1), Time(t2), Time(t3), Time(t4)});
  }
  std::istringstream lines(offsets_);
  try {
    add_points(parse_offsets(lines, name_ + ": %offset line"), name_, definitions, result);
  } catch (const UsageError& error) {
    throw InputError(error.what());
  }
  return result;
}

}  // namespace clc::tool
