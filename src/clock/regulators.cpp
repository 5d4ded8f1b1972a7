#include "clock/regulators.hpp"

#include <bit>

#include "clock/offset.hpp"

namespace clc {

void RegulatorB::grow(std::size_t processes) {
  if (processes <= of_.size()) return;
  const std::size_t size = std::bit_ceil(processes);
  of_.resize(size);
  tree_.clear();
  changed_.clear();
  for (ProcessIndex process = 0; process < size; ++process) {
    of_[process].changed = of_[process].offset >= 0;
    if (of_[process].changed) changed_.push_back(process);
  }
}

RegulatorB::Sums RegulatorB::join(const Sums& a, const Sums& b) const noexcept {
  Sums sums;
  sums.smallest = std::min(a.smallest, b.smallest);
  sums.largest = std::max(a.largest, b.largest);
  if (norm_ == Norm::maximum) {
    sums.norm = sums.largest;
  } else if (sums.largest > 0) {
    // In units of the largest offset, so that no power overflows.
    const auto scaled = [&](const Sums& part) { return part.norm * sixteenth_power(part.largest / sums.largest); };
    sums.norm = scaled(a) + scaled(b);
  }
  return sums;
}

void RegulatorB::update_tree() {
  const std::size_t size = of_.size();
  if (tree_.empty()) tree_.assign(2 * size, Sums{});
  for (const ProcessIndex process : changed_) {
    of_[process].changed = false;
    const double offset = of_[process].offset;
    tree_[size + process] = {offset, offset, norm_ == Norm::maximum ? offset : (offset > 0 ? 1.0 : 0.0)};
    for (std::size_t i = (size + process) / 2; i > 0; i /= 2) tree_[i] = join(tree_[2 * i], tree_[2 * i + 1]);
  }
  changed_.clear();
}

void RegulatorC::look(Time recorded, double simple_offset) noexcept {
  const bool raised = simple_offset > m_at(recorded, simple_offset);
  if (raised) {
    raised_ = simple_offset;
    raised_at_ = recorded;
  } else if (recorded <= lowest_until_) {
    return;
  }
  if (quartz_) {
    lowest_ = raised_;
  } else {
    // While m falls by a 64th of its height.
    lowest_until_ = recorded + whole(raised_ / 64 / slope_);
    lowest_ = m_at(lowest_until_, raised_);
    if (lowest_ == 0) lowest_until_ = Time::latest();
  }
  if (on_) calm_ = calm(lowest_, hops_);
}

void RegulatorC::look_further() noexcept {
  if (!quartz_) lowest_until_ = Time::earliest();  // look at the next event
  if (on_) calm_ = quartz_ ? calm(lowest_, hops_) : 0;
}

}  // namespace clc
