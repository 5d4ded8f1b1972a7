#include "clock/waits.hpp"

namespace clc {

void Waits::end_overdue(Time now) {
  while (!waits_.empty() && waits_.front().since + limit_ < now) {
    const Wait wait = waits_.front();
    waits_.pop_front();
    if (!observer_.waits_still(wait)) continue;
    const bool misses = observer_.misses_a_record(wait);
    if (misses) observer_.end_wait(wait);
    if (!misses || (wait.collective && observer_.waits_still(wait))) blocked_.push_back(wait);
  }
  while (!blocked_.empty() && blocked_.front().since + limit_ + limit_ < now) {
    const Wait wait = blocked_.front();
    blocked_.pop_front();
    if (observer_.waits_still(wait)) observer_.end_wait(wait);
  }
  if (now >= late) longest_ = Time::latest();
  patience_ = longest_;
  if (!waits_.empty()) patience_ = std::min(patience_, waits_.front().since + limit_);
  if (!blocked_.empty()) patience_ = std::min(patience_, blocked_.front().since + limit_ + limit_);
}

void Waits::end_all() {
  blocked_.insert(blocked_.end(), waits_.begin(), waits_.end());
  waits_.clear();
  for (const bool circles : {false, true}) {
    for (const Wait& wait : blocked_)
      if (observer_.waits_still(wait) && (circles || observer_.misses_a_record(wait))) observer_.end_wait(wait);
  }
  blocked_.clear();
}

std::optional<Wait> Waits::take_oldest() {
  for (std::deque<Wait>* waits : {&blocked_, &waits_}) {
    while (!waits->empty()) {
      const Wait wait = waits->front();
      waits->pop_front();
      if (observer_.waits_still(wait)) return wait;
    }
  }
  return std::nullopt;
}

void Waits::forget_finished() {
  const auto is_finished = [this](const Wait& wait) { return !observer_.waits_still(wait); };
  for (std::deque<Wait>* waits : {&waits_, &blocked_})
    while (!waits->empty() && is_finished(waits->front())) waits->pop_front();
  if (waits_.size() < 2 * kept_ + 1024) return;
  std::erase_if(waits_, is_finished);
  kept_ = waits_.size();
}

}  // namespace clc
