#include "clock/epochs.hpp"

#include <limits>
#include <tuple>

#include "trace/heap.hpp"

namespace clc {

namespace {

constexpr double power_units = 0x1p40;

}  // namespace

void EpochSummary::join(const EpochSummary& other) noexcept {
  smallest = std::min(smallest, other.smallest);
  largest = std::max(largest, other.largest);
  powers += other.powers;
  simple_offset = std::max(simple_offset, other.simple_offset);
  decaying = std::max(decaying, other.decaying);
  simple_time = std::max(simple_time, other.simple_time);
  jump = std::max(jump, other.jump);
  jumped += other.jumped;
  std::tie(proof, all_ahead) = std::min(std::tuple(proof, all_ahead), std::tuple(other.proof, other.all_ahead));
}

PerEpoch::PerEpoch(const Parameters& parameters, Recorder& analysis)
    : parameters_(parameters),
      is_on_(parameters.regulator_b || parameters.regulator_c || parameters.amortization),
      slope_(RegulatorC::slope(parameters.bounds(false).gamma_max)),
      analysis_(analysis),
      result_(result_of({})) {
  analysis_.regulation.quartz_at_first = parameters.quartz_at_first();
}

void PerEpoch::grow(std::size_t clocks) {
  OfClock state;
  take(state);
  state.is_taken = false;
  of_.resize(clocks, state);
}

// ---- heads ------------------------------------------------------------------------------------

void PerEpoch::enter(ClockIndex clock, Time bound) {
  OfClock& state = of_[clock];
  if (!state.is_read) {
    state.is_read = true;
    read_.push_back(clock);
  }
  const Epoch epoch = epochs_.of(bound);
  state.cut_end = epochs_.end(epoch);
  state.cut = epoch - Epochs::behind;
  state.is_taken = false;
  if (state.cut <= reached_) take(state);
}

void PerEpoch::take(OfClock& state) const noexcept {
  state.is_taken = true;
  EpochResult& own = state.result;
  const double gamma_max = result_.bounds.gamma_max;
  own.gamma_max = gamma_max;
  own.gamma_min = result_.bounds.gamma_min;
  own.gamma_b = result_.gamma_b;
  own.gamma = std::max(std::min(gamma_max, own.gamma_b), own.gamma_min);
  own.m = result_.m;
  own.calm = parameters_.regulator_c && !result_.is_quartz ? RegulatorC::calm(result_.m) : HUGE_VAL;
  own.jump = result_.jump;
  own.all_ahead = result_.all_ahead;
  own.proves = result_.all_ahead || (parameters_.regulator_c && state.in_cut.has_event && result_.is_quartz &&
                                     state.in_cut.offset > result_.longest_chain);
  own.is_regulated = own.proves || own.gamma_b < gamma_max;
}

// ---- events -----------------------------------------------------------------------------------

void PerEpoch::begin_entry(OfClock& state, Time corrected) {
  if (state.is_processed) state.older.push_back(state.newest);
  state.is_processed = true;
  state.newest = {};
  state.newest.epoch = epochs_.of(corrected);
  state.entry_end = epochs_.end(state.newest.epoch);
}

/// offset: D of the event before.
double PerEpoch::regulated(const OfClock& state, double offset) {
  const EpochResult& result = state.result;
  double gamma_c = result.gamma_max;
  if (offset > result.calm) {
    const Entry& before = state.newest;
    const double own = state.decaying - slope_ * simple_time(before.maximum, before.simple);
    gamma_c = RegulatorC::gamma(offset, std::max(result.m, own), result.gamma_max);
  }
  const double gamma = std::max(std::min(result.gamma, gamma_c), result.gamma_min);
  if (result.gamma_b < result.gamma_max) Recorder::regulated(analysis_.regulation.regulator_b, result.gamma_b);
  if (gamma_c < result.gamma_max) Recorder::regulated(analysis_.regulation.regulator_c, gamma_c);
  if (gamma < result.gamma_max) ++analysis_.regulation.events_below_gamma_max;
  return gamma;
}

/// By an event of that recorded time.
void PerEpoch::prove(Entry& entry, Time recorded, bool all_ahead) noexcept {
  if (recorded >= entry.proof) return;
  entry.proof = recorded;
  entry.all_ahead = all_ahead;
}

// ---- cuts -------------------------------------------------------------------------------------

/// Visits the entries of a clock up to the cut; returns the clock there.
template <class Visit>
PerEpoch::InCut PerEpoch::visit(const OfClock& state, Epoch cut, Visit visit) {
  InCut clock = state.in_cut;
  const auto look = [&](const Entry& entry) {
    if (entry.epoch > cut) return;
    clock.add(entry);
    visit(entry);
  };
  for (const Entry& entry : state.older) look(entry);
  if (state.is_processed) look(state.newest);
  return clock;
}

void PerEpoch::add(EpochSummary& events, const Entry& entry) const noexcept {
  events.simple_offset = std::max(events.simple_offset, entry.largest_simple);
  events.decaying = std::max(events.decaying, entry.decaying);
  events.simple_time = std::max(events.simple_time, simple_time(entry.maximum, entry.simple));
  events.jump = std::max(events.jump, entry.jump);
  EpochSummary proof;
  proof.proof = entry.proof;
  proof.all_ahead = entry.all_ahead;
  if (entry.proof != Time::latest()) [[unlikely]]
    events.join(proof);
}

EpochSummary PerEpoch::sum_up(Epoch cut) const {
  EpochSummary all = passed_;
  for (const ClockIndex index : read_) {
    const InCut clock = visit(of_[index], cut, [&](const Entry& entry) { add(all, entry); });
    all.jumped += clock.has_jumped ? 1 : 0;
    if (!clock.has_communicated) continue;
    all.smallest = std::min(all.smallest, clock.offset);
    all.largest = std::max(all.largest, clock.offset);
  }
  return all;
}

std::uint64_t PerEpoch::powers(Epoch cut, const EpochSummary& all) const {
  std::uint64_t sum = 0;
  if (all.largest <= 0) return sum;
  for (const ClockIndex index : read_) {
    const InCut clock = visit(of_[index], cut, [](const Entry&) {});
    if (clock.has_communicated)
      sum += static_cast<std::uint64_t>(
          std::llround(RegulatorB::sixteenth_power(clock.offset / all.largest) * power_units));
  }
  return sum;
}

PerEpoch::Result PerEpoch::result_of(const EpochSummary& all) const {
  Result result;
  result.is_quartz = parameters_.quartz_at_first() && all.proof == Time::latest();
  result.bounds = parameters_.bounds(result.is_quartz);
  const double gamma_max = result.bounds.gamma_max;
  const bool all_are_ahead = parameters_.regulator_b && all.smallest > 0 && all.smallest < HUGE_VAL;
  const double norm =
      needs_powers() ? all.largest * std::pow(static_cast<double>(all.powers) / power_units, 1.0 / 16) : all.largest;
  result.gamma_b = all_are_ahead ? RegulatorB::gamma(all.smallest, norm, gamma_max) : gamma_max;
  result.m = result.is_quartz ? all.simple_offset : std::max(0.0, all.decaying - slope_ * all.simple_time);
  result.longest_chain =
      RegulatorC::calm(all.simple_offset, static_cast<double>(std::max<std::uint64_t>(1, all.jumped)));
  result.all_ahead = result.is_quartz && all_are_ahead && RegulatorC::is_far_ahead(all.smallest, all.simple_offset);
  result.jump = all.jump;
  return result;
}

void PerEpoch::advance(Epoch cut, const EpochSummary& all) {
  reached_ = cut;
  result_ = result_of(all);
  for (const ClockIndex clock : read_) {
    OfClock& state = of_[clock];
    state.in_cut = visit(state, cut, [&](const Entry& entry) { add(passed_, entry); });
    while (!state.older.empty() && state.older.front().epoch <= cut) state.older.pop_front();
    if (!state.is_taken && state.cut <= cut) take(state);
  }
}

std::uint64_t PerEpoch::memory() const noexcept {
  std::uint64_t bytes = on_heap(of_) + on_heap(read_);
  for (const ClockIndex clock : read_) bytes += of_[clock].older.memory();
  return bytes;
}

EpochSummary PerEpoch::total() const { return sum_up(std::numeric_limits<Epoch>::max()); }

}  // namespace clc
