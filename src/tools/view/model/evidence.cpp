#include "view/model/evidence.hpp"

#include <algorithm>
#include <cmath>

#include "matching/laws.hpp"

namespace clc::view {

using matching::Law;

void Evidence::event(ProcessIndex process, const Both<Time>& times, const Both<Time>* last) {
  if (shifts_.size() <= process) shifts_.resize(process + std::size_t{1});
  first_ = std::min(first_, times[recorded]);
  first_corrected_ = std::min(first_corrected_, times[corrected]);
  for (const Column side : sides) latest_[side] = std::max(latest_[side], times[side]);
  const Ticks shift = times[corrected] - times[recorded];
  shifts_[process] = shift;
  moved_ = moved_ || shift != 0;
  earlier_ = earlier_ || shift < 0;
  largest_correction_ = std::max(largest_correction_, shift);
  largest_to_earlier_ = std::max(largest_to_earlier_, subtract_saturating(0, shift));
  if (last == nullptr) return;
  const Ticks before = times[recorded] - (*last)[recorded];
  const Ticks after = times[corrected] - (*last)[corrected];
  disorder_ = disorder_ || after < 0 || (after == 0 && before != 0);
  set_back_ = set_back_ || before < 0;
  if (before < 0) return;
  local_time_ += static_cast<double>(before);
  changed_time_ += std::fabs(static_cast<double>(subtract_saturating(after, before)));
}

void Evidence::message(const matching::Message& message, const matching::Edge& edge) {
  if (message.within_clock) return;
  trips_.message(message, edge.mu);
  for (const Column side : sides) messages_[side].add(edge, side);
}

void Evidence::collective(const matching::Collective& operation, const Both<matching::EdgeFigures>& figures,
                          const DelayModel& delays) {
  operations_ += operation.members.size() == operation.size;
  trips_.collective(operation, delays);
  for (const Column side : sides) collectives_[side].add(figures[side]);
}

void Evidence::add_correction(VerdictFigures& figures, const Definitions& definitions,
                              const matching::Leftovers& leftovers, const Files& files) const {
  const auto us = [&](Ticks ticks) { return definitions.resolution.microseconds(static_cast<double>(ticks)); };
  const bool was_good = messages_[recorded].violated + collectives_[recorded].violated + incomplete_.violated == 0;
  const auto broken = [&](Law law) { figures.broken_laws.emplace_back(matching::info(law).title); };
  if (earlier_ && !files.mapped) broken(Law::not_earlier);
  if (disorder_) broken(Law::order);
  if (files.complete && leftovers.disagreements == 0 && was_good && moved_ && !files.mapped) broken(Law::unchanged);
  if (!files.same_records) broken(Law::same_records);
  if (!files.sorted) broken(Law::sorted);
  figures.missing.why_left = WhyLeft::unknown;
  figures.in_effect.delta_given = files.delta_given;
  figures.interval_error = local_time_ > 0 ? changed_time_ / local_time_ : 0;
  if (figures.processes != 0) {
    figures.length_us = us(latest_[recorded] - first_);
    figures.growth_us = us(latest_[corrected] - latest_[recorded]) + us(first_ - first_corrected_);
  }
  figures.largest_correction_us =
      us(files.ran_backwards ? std::max(largest_correction_, largest_to_earlier_) : largest_correction_);
  figures.ahead_us = us(trips_.run_ahead(definitions, shifts_, operations_ != 0));
  ClockDifference difference = trips_.clock_difference();
  for (const auto* edges : {&messages_, &collectives_}) difference.smallest_delay((*edges)[recorded].smallest_delay);
  figures.clock_difference_us = us(difference.largest());
  if (!set_back_) figures.clock_change_us = us(difference.change());
}

Verdict Evidence::judged(const Definitions& definitions, const DelayModel& delays, const matching::Leftovers& leftovers,
                         const Files& files) const {
  VerdictFigures figures =
      matching::matching_figures(leftovers, {messages_[recorded], collectives_[recorded], incomplete_}, operations_,
                                 delays, trips_, definitions.resolution);
  figures.corrected = files.corrected;
  figures.missing.ended_early = !files.complete;
  figures.processes =
      shifts_.size() - static_cast<std::size_t>(std::count(shifts_.begin(), shifts_.end(), std::nullopt));
  figures.clocks =
      definitions.clocks_of([&](ProcessIndex process) { return process < shifts_.size() && shifts_[process]; });
  figures.violations = messages_[corrected].violated + collectives_[corrected].violated;
  figures.remarks = files.remarks;
  if (files.corrected) add_correction(figures, definitions, leftovers, files);
  return judge(figures);
}

}  // namespace clc::view
