#include "ranks/cuts.hpp"

namespace clc::ranks {

void Cuts::tell(Standstill& own) const {
  own.waits_for_cut = are_under_way();
  if (stage_ == Stage::powers)
    own.summary.powers = epochs_.powers(cut_, summary_);
  else
    own.summary = epochs_.sum_up(stage_ == Stage::ask ? likely() : cut_);
}

bool Cuts::go_on(const Standstill& all) {
  if (stage_ == Stage::ask) {
    cut_ = all.needed;
    stage_ = Stage::sum_up;
    if (cut_ != likely()) return false;
  }
  if (stage_ == Stage::powers)
    summary_.powers = all.summary.powers;
  else
    summary_ = all.summary;
  const bool is_complete = stage_ == Stage::powers || !epochs_.needs_powers();
  stage_ = is_complete ? Stage::ask : Stage::powers;
  if (!is_complete) return false;
  ++count_;
  epochs_.advance(cut_, summary_);
  return true;
}

}  // namespace clc::ranks
