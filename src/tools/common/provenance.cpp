#include "common/provenance.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <system_error>

#include "clc/error.hpp"
#include "clc/io/batch.hpp"
#include "common/formats.hpp"
#include "common/min_delay.hpp"
#include "common/values.hpp"

namespace clc::tool {

void Provenance::note(std::string_view line) {
  constexpr std::string_view mark = "%provenance ";
  constexpr std::string_view point = "offset ";
  constexpr std::string_view grown = "offset@";
  constexpr std::size_t most = 8;
  if (!line.starts_with(mark)) return;
  line.remove_prefix(mark.size());
  if (line.starts_with(point)) {
    if (corrections_ == 1) offsets_ += '%' + std::string(line) + '\n';
  } else if (line.starts_with(grown)) {
    line.remove_prefix(grown.size());
    int correction = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), correction);
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    if (error == std::errc()) grown_[correction] += "%offset" + std::string(line) + '\n';
  } else if (programs_.size() < most) {
    programs_.emplace_back(line);
    corrections_ += is_correction(programs_.back()) ? 1 : 0;
  }
}

bool Provenance::grows() const { return newest_correction().str().find(" --look-ahead ") != std::string::npos; }

Offsets Provenance::offsets() const {
  try {
    const auto own = grown_.find(corrections_);
    std::istringstream lines(offsets_ + (own == grown_.end() || !grows() ? std::string() : own->second));
    return parse_offsets(lines, "provenance");
  } catch (const InputError&) {
    return {};  // written by someone else
  }
}

std::istringstream Provenance::newest_correction() const {
  const auto newest = std::find_if(programs_.begin(), programs_.end(), is_correction);
  return newest == programs_.end() ? std::istringstream() : std::istringstream(*newest);
}

std::vector<std::string> Provenance::newest_runs() const {
  std::vector<std::string> runs;
  for (const std::string& line : programs_) {
    if (corrects(line.substr(0, line.find(' ')))) runs.push_back(line);
    if (is_correction(line)) break;
  }
  return runs;
}

Direction Provenance::direction() const {
  std::istringstream words = newest_correction();
  std::string word;
  while (words >> word) {
    if (word == "--backwards") return Direction::backwards;
    if (word == "--combine") return Direction::both;
  }
  return Direction::forwards;
}

PartOfTrace Provenance::part() const {
  for (const std::string& run : newest_runs()) {
    PartOfTrace part;
    std::istringstream words(run);
    std::string word;
    try {
      while (words >> word) {
        if (word == "--from" && words >> word) part.from_s = at_least_zero("--from", word, "seconds");
        if (word == "--to" && words >> word) part.to_s = at_least_zero("--to", word, "seconds");
      }
    } catch (const UsageError&) {  // written by someone else
    }
    if (part.any()) return part;
  }
  return {};
}

bool Provenance::ends_at_damage() const {
  const std::vector<std::string> runs = newest_runs();
  return !runs.empty() && std::none_of(runs.begin(), runs.end(), [](const std::string& run) {
    return (run + ' ').find(" --keep-going ") != std::string::npos;
  });
}

NotedClocks Provenance::clocks() const {
  std::istringstream words = newest_correction();
  NotedClocks clocks;
  std::string word;
  try {
    while (words >> word) {
      if (word == "--clock-of" && words >> word) clocks.clock_of = clock_of("--clock-of", word);
      if (word == "--mmd-threads" && words >> word)
        clocks.thread_delay_us = at_least_zero("--mmd-threads", word, "microseconds");
    }
  } catch (const UsageError&) {  // written by someone else
  }
  return clocks;
}

std::optional<Match> Provenance::match() const {
  std::istringstream words = newest_correction();
  std::optional<Match> match;
  std::string word;
  while (words >> word) {
    if (word == "-maxerr") match = Match::fifo;  // as long as corrections did not name their rule
    if (word == "--match" && words >> word)
      for (const Match rule : {Match::resynchronise, Match::whole})
        if (word == name_of(rule)) match = rule;
  }
  return match;
}

std::optional<double> Provenance::wait_limit_s() const {
  std::istringstream words = newest_correction();
  std::string word;
  try {
    while (words >> word)
      if (word == "--wait-limit" && words >> word) return at_least_zero("--wait-limit", word, "seconds");
  } catch (const UsageError&) {  // written by someone else
  }
  return std::nullopt;
}

Deltas Provenance::deltas() const {
  std::istringstream words = newest_correction();
  Deltas deltas;
  std::string word;
  try {
    while (words >> word) {
      if (word != "--delta" || !(words >> word)) continue;
      const double us = at_least_zero("--delta", word.substr(word.find('=') + 1), "microseconds");
      deltas.least_us = std::min(us, deltas.least_us.value_or(us));
      deltas.largest_us = std::max(us, deltas.largest_us.value_or(us));
    }
  } catch (const UsageError&) {  // written by someone else
  }
  return deltas;
}

Provenance provenance_in(Source& source, bool is_archive) {
  Provenance provenance;
  try {
    Batch batch;
    for (bool more = true; more;) {
      more = source.read(batch);
      for (const Batch::Note& note : batch.notes) provenance.note(note.line);
      if (is_archive || (!batch.events.empty() && !provenance.grows())) break;
    }
  } catch (const InputError&) {
  }
  return provenance;
}

Offsets read_offsets(const std::string& name) {
  std::ifstream file(name);
  if (!file) {
    const int error = errno;
    std::string message = name + ": cannot be opened: " + std::generic_category().message(error);
    if (error == ENOENT) message += "; check the name";
    if (error == EACCES) message += "; check the permissions";
    throw InputError(message);
  }
  Offsets offsets = parse_offsets(file, name, SameTime::must_agree);
  if (file.bad()) throw InputError(name + ": cannot be read; check that it is a file");
  return offsets;
}

std::vector<std::string> provenance_of(const Offsets& offsets) {
  std::vector<std::string> lines;
  for (const auto& [process, line] : offsets)
    for (OffsetPoint point : line.points()) {
      point.error = OffsetPoint::unknown;  // of how times were mapped nothing is unknown
      lines.push_back(offset_line(process, point).substr(1));
    }
  return lines;
}

}  // namespace clc::tool
