#include "view/model/arrows.hpp"

#include <tuple>
#include <utility>

namespace clc::view {

namespace {

auto key_of(const Arrow& a) {
  return std::tuple(a.sent[recorded], a.from, a.to, a.received[recorded], a.bytes, a.sent[corrected],
                    a.received[corrected]);
}

}  // namespace

void sort_by_sending(std::vector<Arrow>& arrows) {
  std::sort(arrows.begin(), arrows.end(), [](const Arrow& a, const Arrow& b) { return key_of(a) < key_of(b); });
}

void Arrows::add(const Arrow& arrow) {
  ++seen_;
  if (seen_ <= most) {
    arrows_.push_back(arrow);
    return;
  }
  const auto random = [this] {
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;
    return random_ >> 33U;
  };
  if (seen_ == most + 1) {
    // From here on a sample: every message has the same chance to be in it.
    for (const Arrow& a : arrows_) worst_.add(a);
    for (std::size_t i = 0; i < sampled; ++i) std::swap(arrows_[i], arrows_[i + random() % (most - i)]);
    arrows_.resize(sampled);
    arrows_.shrink_to_fit();
  }
  worst_.add(arrow);
  if (const std::uint64_t place = random() % seen_; place < sampled) arrows_[place] = arrow;
}

void Arrows::finish() {
  arrows_.insert(arrows_.end(), worst_.arrows().begin(), worst_.arrows().end());
  worst_ = {};
  sort_by_sending(arrows_);
  if (!all())  // the worst ones may be in the sample, too
    arrows_.erase(std::unique(arrows_.begin(), arrows_.end(),
                              [](const Arrow& a, const Arrow& b) { return key_of(a) == key_of(b); }),
                  arrows_.end());
}

}  // namespace clc::view
