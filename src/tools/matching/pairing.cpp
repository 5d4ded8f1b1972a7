#include "matching/pairing.hpp"

#include <utility>

namespace clc::matching {

Pairing::Pairing(std::vector<const Definitions*> definitions, PairObserver& observer)
    : definitions_(std::move(definitions)), observer_(&observer) {}

std::size_t Pairing::line_of(Column file, ProcessIndex process) {
  std::vector<std::size_t>& known = lines_of_file_[file];
  while (known.size() <= process) {
    const std::uint64_t number = definitions_[file]->processes()[known.size()].number;
    const auto [entry, fresh] = line_by_number_.try_emplace(number, lines_.size());
    if (fresh) lines_.emplace_back();
    known.push_back(entry->second);
  }
  return known[process];
}

std::optional<Column> Pairing::missing_for(Column file, const Line& line) const noexcept {
  for (std::size_t other = 0; other < definitions_.size(); ++other)
    if (other != file && ended_[other] && line[other].empty()) return static_cast<Column>(other);
  return std::nullopt;
}

void Pairing::add(Column file, const Event& event, Body body, std::uint64_t place) {
  Line& line = lines_[line_of(file, event.process)];
  if (line[file].empty()) {
    bool complete = true;
    for (std::size_t other = 0; other < definitions_.size(); ++other)
      complete = complete && (other == file || !line[other].empty());
    if (complete) {
      std::array<Sighting, columns> sightings{};
      for (std::size_t other = 0; other < definitions_.size(); ++other)
        sightings[other] = other == file ? Sighting{event, body, place} : line[other].front().sighting();
      observer_->matched(sightings);
      for (std::size_t other = 0; other < definitions_.size(); ++other) {
        if (other == file) continue;
        line[other].pop_front();
        --waiting_[other];
      }
      return;
    }
    if (const auto missing = missing_for(file, line)) {
      observer_->unmatched(file, *missing, {event, body, place});
      return;
    }
  }
  line[file].push_back({event, std::string(body), place});
  ++waiting_[file];
}

void Pairing::end(Column file) {
  ended_[file] = true;
  for (Line& line : lines_) {
    for (std::size_t other = 0; other < definitions_.size(); ++other) {
      const auto waiting = static_cast<Column>(other);
      const auto missing = missing_for(waiting, line);
      if (!missing) continue;
      for (const Kept& kept : line[waiting]) observer_->unmatched(waiting, *missing, kept.sighting());
      waiting_[waiting] -= line[waiting].size();
      line[waiting].clear();
    }
  }
}

}  // namespace clc::matching
