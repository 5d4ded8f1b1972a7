#include "filter_mpi/figures.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <string_view>

#include "filter_mpi/partners.hpp"
#include "report/json.hpp"
#include "report/losses.hpp"
#include "report/regulators.hpp"
#include "trace/first_losses.hpp"

namespace clc::filter_mpi {

void Figures::add(std::span<const CorrectedTime> written) noexcept {
  std::uint64_t others = 0;
  Ticks largest = largest_shift;
  for (const auto& [recorded, corrected] : written) {
    others += recorded != corrected ? 1U : 0U;
    largest = std::max(largest, corrected - recorded);
  }
  events += written.size();
  moved += others;
  largest_shift = largest;
}

void Figures::join(MpiPartners& partners) {
  std::vector<std::int64_t> own;
  for (const std::uint64_t figure : {events, moved, items}) own.push_back(static_cast<std::int64_t>(figure));
  for (const std::uint64_t figure : counted) own.push_back(static_cast<std::int64_t>(figure));
  const std::vector<std::int64_t> sums = partners.sum(own);
  auto next = sums.begin();
  for (std::uint64_t* const figure : {&events, &moved, &items}) *figure = static_cast<std::uint64_t>(*next++);
  for (std::uint64_t& figure : counted) figure = static_cast<std::uint64_t>(*next++);
  for (const auto& given : partners.all({largest_shift})) largest_shift = std::max(largest_shift, given.front());
  join_regulation(partners);
  join_losses(partners);
}

void Figures::join_losses(MpiPartners& partners) {
  std::vector<std::int64_t> own;
  for (const Loss& loss : losses)
    own.insert(own.end(), {loss.sender, loss.receiver, loss.communicator, loss.tag, loss.recorded.ticks(), loss.send});
  FirstLosses all;
  for (const auto& given : partners.all(own))
    for (std::size_t i = 0; i < given.size(); i += 6)
      all.add({static_cast<ProcessIndex>(given[i]), static_cast<ProcessIndex>(given[i + 1]),
               static_cast<CommunicatorIndex>(given[i + 2]), given[i + 3], Time(given[i + 4]), given[i + 5] != 0});
  losses = all.sorted();
}

void Figures::join_regulation(MpiPartners& partners) {
  using Regulation = ranks::Replay::Regulation;
  using Words = std::array<std::int64_t, sizeof(Regulation) / sizeof(std::int64_t)>;
  const auto own = std::bit_cast<Words>(regulation);
  regulation = {};
  for (const auto& given : partners.all({own.begin(), own.end()})) {
    Words words{};
    std::copy(given.begin(), given.end(), words.begin());
    regulation.join(std::bit_cast<Regulation>(words));
  }
}

namespace {

RegulatorFigures figures_of(const ranks::Replay::Regulation& found, const Parameters& parameters) {
  RegulatorFigures figures{found.b, found.c, found.events_below_gamma_max, {}, parameters.quartz_at_first(), {}, true};
  if (found.gamma.events > 0) figures.gamma = {found.gamma.mean(), found.gamma.lowest};
  if (found.events.proof != Time::latest()) figures.not_quartz = NotQuartz{found.events.proof, found.events.all_ahead};
  return figures;
}

}  // namespace

std::uint64_t Figures::unresolved() const noexcept {
  std::uint64_t sum = 0;
  for (const CaseInfo& info : cases)
    if (info.severity == Severity::unresolved) sum += counted[static_cast<std::size_t>(info.which)];
  return sum;
}

void write_text(std::ostream& out, const Figures& figures, const Definitions& definitions, const RunFacts& facts) {
  const auto us = [&](double ticks) { return definitions.resolution.microseconds(ticks); };
  out << "clc-filter-mpi " << facts.version << ' ' << facts.options << '\n'
      << "input                " << facts.input << '\n'
      << "processes            " << facts.processes << '\n'
      << "locations            " << definitions.processes().size() << '\n'
      << "events               " << figures.events << '\n'
      << "events moved         " << figures.moved << ", by at most " << us(static_cast<double>(figures.largest_shift))
      << " us\n"
      << "items exchanged      " << figures.items << '\n'
      << "cuts summed up       " << figures.regulation.cuts << '\n'
      << "clock difference     " << us(figures.regulation.events.jump) << " us at most, -cldiff was "
      << facts.parameters.clock_difference_us << " us\n"
      << "unresolved           " << figures.unresolved() << '\n';
  out << "regulators\n";
  write_regulators(out, figures_of(figures.regulation, facts.parameters), facts.parameters, figures.events);
  if (!facts.error.empty()) out << "ENDED EARLY: " << facts.error << '\n';
  if (!facts.alignment.empty()) out << "clocks               " << facts.alignment << '\n';
  for (const CaseInfo& info : cases)
    if (const std::uint64_t count = figures.counted[static_cast<std::size_t>(info.which)]; count > 0)
      out << "  " << count << ' ' << info.prose_of(count) << '\n';
  for (const Loss& loss : std::span(figures.losses).first(std::min(figures.losses.size(), most_losses_shown)))
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
      .field("cuts", figures.regulation.cuts)
      .field("unresolved", figures.unresolved());
  json.key("clock_difference").begin_object();
  const double largest = definitions.resolution.microseconds(figures.regulation.events.jump);
  json.field("largest_us", largest).field("start_us", facts.parameters.clock_difference_us);
  json.field("used_us", std::max(largest, facts.parameters.clock_difference_us)).end_object();
  json.key("regulators").begin_object();
  write_regulators(json, figures_of(figures.regulation, facts.parameters));
  json.end_object();
  if (!facts.error.empty()) json.field("ended_early", facts.error);
  if (!facts.alignment.empty()) json.field("alignment", facts.alignment);
  json.key("cases").begin_object();
  for (const CaseInfo& info : cases) json.field(info.name, figures.counted[static_cast<std::size_t>(info.which)]);
  json.end_object().key("losses");
  write_losses(json, figures.losses, definitions);
  json.field("remarks", facts.remarks).end_object();
  out << '\n';
}

}  // namespace clc::filter_mpi
