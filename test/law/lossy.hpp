// Traces that lost records, with what they lost: what the filter's code and the judge's find in them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "lost/ends.hpp"
#include "matching/lost/lost_records.hpp"

namespace clc::test {

struct Lossy {
  Definitions definitions;
  std::vector<Event> events;  // without those that are lost
  std::vector<Loss> losses;   // in order
};

inline lost::Ends ends_of(const Lossy& trace) {
  lost::Ends ends(std::uint64_t{1} << 30);
  for (const Event& event : trace.events) ends.add(event);
  static_cast<void>(ends.find(trace.definitions));
  return ends;
}

inline std::vector<Loss> judges(const Lossy& trace) {
  matching::LostRecords lost(true);
  for (const Event& event : trace.events) lost.add(event, event.time);
  lost.find(trace.definitions, 5, 1'000'000'000);
  std::vector<Loss> losses;
  for (const matching::LostRecord& each : lost.found())
    losses.push_back({each.sender, each.receiver, each.communicator, each.tag, each.other_end, each.send});
  std::ranges::sort(losses);
  return losses;
}

/// How losses that were found differ from those expected.
inline std::string differ(const std::vector<Loss>& found, const std::vector<Loss>& expected) {
  if (found == expected) return {};
  std::vector<Loss> wrong;
  std::vector<Loss> lacking;
  std::ranges::set_difference(found, expected, std::back_inserter(wrong));
  std::ranges::set_difference(expected, found, std::back_inserter(lacking));
  const Loss& first = wrong.empty() ? lacking[0] : wrong[0];
  return std::to_string(wrong.size()) + " losses are wrong and " + std::to_string(lacking.size()) +
         " lacking, as from " + std::to_string(first.sender) + " to " + std::to_string(first.receiver);
}

/// How what the filter's code finds differs from what the judge's does. right: one more if that is what was lost.
inline std::string differ_from_judge(const Lossy& trace, std::size_t& right) {
  const lost::Ends ends = ends_of(trace);
  right += ends.losses() == trace.losses ? 1U : 0U;
  const std::vector<Loss> judged = judges(trace);
  return ends.are_all_in(judged) ? "" : differ(ends.losses(), judged);
}

}  // namespace clc::test
