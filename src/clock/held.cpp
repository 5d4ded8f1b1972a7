#include "clock/held.hpp"

#include "clock/heads.hpp"

namespace clc {

namespace {

const Bound a_jump{true, 0, offset_max, 0, 0};

}  // namespace

void Held::begin(Time origin) {
  epochs_ = Epochs(origin, heads_.lanes.release.first_length());
  heads_.lanes.controllers.per_epoch->regulation().begin(epochs_);
}

bool Held::holds(ClockIndex clock, const Node& head) {
  ControllerOf<PerEpoch>& controller = *heads_.lanes.controllers.per_epoch;
  PerEpoch& regulation = controller.regulation();
  if (!regulation.is_on()) return false;
  regulation.read(clock, head.recorded);
  if (regulation.is_taken(clock)) return false;
  const bool has_edge = head.edge != no_edge && (head.role() == Role::receive || head.role() == Role::collective_end);
  if (regulation.ready(clock, controller.may_ask(clock, has_edge ? a_jump : Bound{}))) return false;
  ask(regulation.needs(clock));
  return true;
}

void Held::ask(Epoch cut) {
  if (cut >= next_) return;
  next_ = cut;
  from_ = epochs_.end(cut + Epochs::behind - 1);
}

/// It may be processed with LC' from before from_.
bool Held::holds_back(ClockIndex clock) const {
  const Lanes& lanes = heads_.lanes;
  const ProcessQueue& queue = lanes.queues[clock];
  if (queue.waiting() == 0) return false;
  const Node& head = queue.head();
  if (head.recorded >= from_ || heads_.ready(head) || !heads_.misses_a_record(head)) return false;
  return lanes.controllers.newest(clock) < from_;
}

bool Held::is_held_back() {
  const auto clocks = static_cast<ClockIndex>(heads_.lanes.queues.size());
  for (ClockIndex looked_at = 0; looked_at < clocks; ++looked_at) {
    if (holds_back(witness_)) return true;
    witness_ = witness_ + 1 < clocks ? witness_ + 1 : 0;
  }
  return false;
}

void Held::finish() {
  const EpochSummary all = heads_.lanes.controllers.per_epoch->regulation().total();
  if (all.proof != Time::latest()) heads_.lanes.analysis.regulation.not_quartz = NotQuartz{all.proof, all.all_ahead};
}

bool Held::look_further() {
  if (next_ == none || (heads_.lanes.input.now < from_ && !ended_) || is_held_back()) return false;
  PerEpoch& regulation = heads_.lanes.controllers.per_epoch->regulation();
  EpochSummary all = regulation.sum_up(next_);
  if (regulation.needs_powers()) all.powers = regulation.powers(next_, all);
  regulation.advance(next_, all);
  next_ = none;
  // Those that wait for an edge wait on, and may ask for a later cut.
  for (ClockIndex clock = 0; clock < heads_.lanes.queues.size(); ++clock)
    if (heads_.lanes.queues[clock].waiting() > 0 && !regulation.is_taken(clock)) ask(regulation.needs(clock));
  for (const ClockIndex clock : held_) heads_.wake(clock);
  held_.clear();
  return true;
}

}  // namespace clc
