#include "filter_mpi/figures.hpp"

#include <algorithm>

#include "filter_mpi/partners.hpp"
#include "report/json.hpp"
#include "report/losses.hpp"

namespace clc::filter_mpi {

void Figures::add(Time recorded, Time corrected) noexcept {
  ++events;
  moved += recorded != corrected ? 1U : 0U;
  largest_shift = std::max(largest_shift, corrected - recorded);
}

void Figures::join(MpiPartners& partners) {
  std::vector<std::int64_t> own;
  for (const std::uint64_t figure : {events, moved, items, jumps_beyond})
    own.push_back(static_cast<std::int64_t>(figure));
  for (const std::uint64_t figure : counted) own.push_back(static_cast<std::int64_t>(figure));
  const std::vector<std::int64_t> sums = partners.sum(own);
  auto next = sums.begin();
  for (std::uint64_t* const figure : {&events, &moved, &items, &jumps_beyond})
    *figure = static_cast<std::uint64_t>(*next++);
  for (std::uint64_t& figure : counted) figure = static_cast<std::uint64_t>(*next++);
  for (const auto& given : partners.all({largest_shift})) largest_shift = std::max(largest_shift, given.front());
}

std::uint64_t Figures::unresolved() const noexcept {
  std::uint64_t sum = 0;
  for (const CaseInfo& info : cases)
    if (info.severity == Severity::unresolved) sum += counted[static_cast<std::size_t>(info.which)];
  return sum;
}

void write_text(std::ostream& out, const Figures& figures, const Definitions& definitions, const RunFacts& facts) {
  const auto us = [&](Ticks ticks) { return definitions.resolution.microseconds(static_cast<double>(ticks)); };
  out << "clc-filter-mpi " << facts.version << ' ' << facts.options << '\n'
      << "input                " << facts.input << '\n'
      << "processes            " << facts.processes << '\n'
      << "locations            " << definitions.processes().size() << '\n'
      << "events               " << figures.events << '\n'
      << "events moved         " << figures.moved << ", by at most " << us(figures.largest_shift) << " us\n"
      << "items exchanged      " << figures.items << '\n'
      << "jumps beyond -cldiff " << figures.jumps_beyond << '\n'
      << "unresolved           " << figures.unresolved() << '\n';
  if (!facts.error.empty()) out << "ENDED EARLY: " << facts.error << '\n';
  if (!facts.alignment.empty()) out << "clocks               " << facts.alignment << '\n';
  for (const CaseInfo& info : cases)
    if (const std::uint64_t count = figures.counted[static_cast<std::size_t>(info.which)]; count > 0)
      out << "  " << count << ' ' << info.prose << '\n';
  for (const Loss& loss : facts.losses.first(std::min(facts.losses.size(), most_losses_shown)))
    out << "  " << words_of(loss, definitions) << '\n';
  for (const std::string& remark : facts.remarks) out << "  " << remark << '\n';
}

void write_json(std::ostream& out, const Figures& figures, const Definitions& definitions, const RunFacts& facts) {
  JsonWriter json(out);
  json.begin_object()
      .field("program", "clc-filter-mpi")
      .field("version", facts.version)
      .field("options", facts.options)
      .field("input", facts.input)
      .field("processes", facts.processes)
      .field("locations", definitions.processes().size())
      .field("events", figures.events)
      .field("events_moved", figures.moved)
      .field("largest_shift_us", definitions.resolution.microseconds(static_cast<double>(figures.largest_shift)))
      .field("items_exchanged", figures.items)
      .field("jumps_beyond_cldiff", figures.jumps_beyond)
      .field("unresolved", figures.unresolved());
  if (!facts.error.empty()) json.field("ended_early", facts.error);
  if (!facts.alignment.empty()) json.field("alignment", facts.alignment);
  json.key("cases").begin_object();
  for (const CaseInfo& info : cases) json.field(info.name, figures.counted[static_cast<std::size_t>(info.which)]);
  json.end_object().key("losses");
  write_losses(json, facts.losses, definitions);
  json.field("remarks", facts.remarks).end_object();
  out << '\n';
}

}  // namespace clc::filter_mpi
