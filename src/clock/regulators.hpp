// The four regulators of the controlled logical clock [R 4.4]. Each limits how fast the offset D of a process
// decreases: gamma in [0, 1] is the rate of the corrected clock relative to the recorded one.
//
//     gamma = max(min(gamma_A, gamma_B, gamma_C), gamma_D)
//
// While clocks count as quartz clocks (`Parameters::quartz_at_first`), A and D have other bounds, C requests nothing,
// and B and C look for proof that they are not. On proof, the controller calls `any_clock` on each regulator once.
//
// Place    The controller queries them before it processes an event and updates them afterwards, in the fixed
//          processing order of the filter.
// Units    Offsets in ticks.
// To add one: implement the same interface (gamma from state, idle while it is gamma_max, observe after an event), see
// "How to add" in CONTRIBUTING.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "clc/indexes.hpp"
#include "clc/parameters.hpp"
#include "clc/time.hpp"
#include "trace/fetch.hpp"

namespace clc {

/// Upper bound: clocks that drift less than (1 - gamma_max)/2 never push LC' ahead of the fastest clock
/// [R theorem 7].
class RegulatorA {
 public:
  explicit RegulatorA(Parameters::Bounds bounds) : gamma_(bounds.gamma_max) {}
  [[nodiscard]] double gamma() const noexcept { return gamma_; }

 private:
  double gamma_;
};

/// Necessary regulation: when every process is ahead of its own clock, LC' is ahead of them all [R theorem 8].
/// x = min_i D_i / |D|, gamma_B = gamma_max (1 - x^2) [R fig. 4.10], over the processes that have communicated.
/// Cost: none while one of them has D = 0; otherwise O(log processes) per changed offset, by a tree of minima and
/// norms. Sums of 16th powers are recomputed up the tree, because a running sum would suffer from cancellation.
class RegulatorB {
 public:
  RegulatorB(const Parameters& p, Parameters::Bounds bounds)
      : on_(p.regulator_b), norm_(p.norm), gamma_max_(bounds.gamma_max) {}
  void any_clock(Parameters::Bounds bounds) noexcept { gamma_max_ = bounds.gamma_max; }

  /// True if gamma() is gamma_max.
  [[nodiscard]] bool idle() const noexcept { return behind_ > 0; }
  [[nodiscard]] double gamma() {
    if (idle()) return gamma_max_;
    update_tree();
    const Sums& all = tree_[1];
    const double norm = norm_ == Norm::maximum ? all.norm : all.largest * std::pow(all.norm, 1.0 / 16);
    return gamma(all.smallest, norm, gamma_max_);
  }
  /// The same where min_i D_i and |D| are known.
  [[nodiscard]] static double gamma(double smallest, double norm, double gamma_max) noexcept {
    const double x = norm > 0 ? smallest / norm : 0;
    return gamma_max * (1 - x * x);
  }
  [[nodiscard]] static double sixteenth_power(double ratio) noexcept {
    const double ratio2 = ratio * ratio;
    const double ratio4 = ratio2 * ratio2;
    const double ratio8 = ratio4 * ratio4;
    return ratio8 * ratio8;
  }
  /// min_i D_i at the last gamma(). Pre: not idle.
  [[nodiscard]] double smallest() const noexcept { return tree_[1].smallest; }
  void grow(std::size_t processes);
  /// Prefetches the state of a process that will soon have an event.
  [[gnu::always_inline]] void fetch(ProcessIndex process) const noexcept { clc::fetch(&of_[process]); }
  /// The offset of a process after an event. The process counts from its first event that communicates.
  [[gnu::always_inline]] void observe(ProcessIndex process, double offset, bool communicates) {
    if (!on_) return;
    Member& member = of_[process];
    if (!(offset > 0 && member.offset > 0)) {
      if (member.offset == offset) return;
      if (!begin_or_end(member, offset, communicates)) return;
    }
    member.offset = offset;
    if (member.changed) [[likely]]
      return;
    member.changed = true;
    changed_.push_back(ProcessIndex{process});  // a copy: the argument stays in a register
  }

 private:
  struct Member {
    double offset = -1;    // -1: has not communicated
    bool changed = false;  // in changed_
  };
  struct Sums {
    double smallest = HUGE_VAL;
    double largest = 0;
    double norm = 0;  // maximum, or sum of 16th powers in units of `largest`
  };
  /// The offset of a process begins or ends to be above 0. False: it has not communicated yet.
  [[nodiscard, gnu::noinline]] bool begin_or_end(Member& member, double offset, bool communicates) noexcept {
    if (member.offset < 0) {
      if (!communicates) return false;
      member.offset = 0;
      if (any_) ++behind_;
      any_ = true;
    }
    if ((offset > 0) != (member.offset > 0)) behind_ += offset > 0 ? -1 : 1;
    return true;
  }
  void update_tree();
  [[nodiscard]] Sums join(const Sums& a, const Sums& b) const noexcept;

  bool on_;
  Norm norm_;
  double gamma_max_;
  bool any_ = false;           // a process has communicated
  std::ptrdiff_t behind_ = 1;  // number of these with D = 0; 1 before the first one
  std::vector<Member> of_;
  std::vector<ProcessIndex> changed_;  // leaves not yet updated in the tree
  std::vector<Sums> tree_;             // root at 1, leaf of process i at size/2 + i
};

/// Sufficient regulation: q = D_i / m, where m estimates the largest difference of two clocks from the simple
/// clock: m decays with slope (1 - gamma_max)/2 from the offset E = LC - C at its last raise [R alg. 4, 4.4.5].
/// gamma_C falls from gamma_max at q = 1.2 to 0 at q = 3.0 as a cubic with level ends [R fig. 4.11].
/// While clocks count as quartz clocks, m is the largest E so far and does not decay, and C only checks whether D_i is
/// larger than a chain of messages explains: each hop adds at most m, and a chain without a cycle has no more hops than
/// there are processes that were ever advanced. A larger D_i proves that a cycle of messages has run ahead of its
/// clocks. Cost: two comparisons per event and one per query while a lower bound of m suffices.
class RegulatorC {
 public:
  RegulatorC(const Parameters& p, Parameters::Bounds bounds, bool quartz)
      : on_(p.regulator_c),
        quartz_(quartz),
        gamma_max_(bounds.gamma_max),
        slope_(quartz ? 0 : slope(gamma_max_)),
        calm_(on_ ? 0 : HUGE_VAL) {}
  void any_clock(Parameters::Bounds bounds) noexcept {
    quartz_ = false;
    hops_ = 1;
    gamma_max_ = bounds.gamma_max;
    slope_ = slope(gamma_max_);
    look_further();
  }
  /// A process was advanced for the first time.
  void another_hop() noexcept {
    if (!quartz_) return;
    hops_ = ++jumped_;
    look_further();
  }

  /// True if gamma(offset) is gamma_max.
  [[nodiscard]] bool idle(double offset) const noexcept { return offset <= calm_; }
  [[nodiscard]] double gamma(double offset) const noexcept {
    if (idle(offset) || quartz_) return gamma_max_;
    return gamma(offset, m_at(recorded_, simple_offset_), gamma_max_);
  }
  /// The same where m is known.
  [[nodiscard]] static double gamma(double offset, double m, double gamma_max) noexcept {
    if (offset <= calm(m)) return gamma_max;
    if (m <= 0) return 0;
    if (offset >= 3.0 * m) return 0;
    const double t = (offset / m - 1.2) / 1.8;
    return gamma_max * (1 - t * t * (3 - 2 * t));
  }
  /// It asks for nothing up to that D; while clocks count as quartz clocks, of a chain of so many messages.
  [[nodiscard]] static double calm(double m, double hops = 1) noexcept { return 1.2 * hops * m; }
  /// How fast m decays.
  [[nodiscard]] static double slope(double gamma_max) noexcept { return 0.5 * (1 - gamma_max); }
  /// While clocks count as quartz clocks: true if the offset of a process, or offsets of at least `least` of all
  /// processes, prove that they are not.
  [[nodiscard]] bool beyond_chains(double offset) const noexcept { return !idle(offset); }
  [[nodiscard]] bool far_ahead(double least) const noexcept { return is_far_ahead(least, raised_); }
  /// The same where the largest E is known.
  [[nodiscard]] static bool is_far_ahead(double least, double largest) noexcept { return least > 0.25 * largest; }
  /// An event with recorded time C and simple offset E was processed.
  void observe(Time recorded, double simple_offset) noexcept {
    recorded_ = recorded;
    simple_offset_ = simple_offset;
    if (simple_offset > lowest_ || recorded > lowest_until_) [[unlikely]]
      look(recorded, simple_offset);
  }

 private:
  /// m at an event. raised_ is E at the last raise, the amount by which LC was ahead of C there.
  [[nodiscard]] double m_at(Time recorded, double simple_offset) const noexcept {
    if (raised_ == 0) return 0;
    const double since = static_cast<double>(recorded - raised_at_) + (simple_offset - raised_);
    return std::max(0.0, raised_ - slope_ * std::max(0.0, since));
  }
  void look(Time recorded, double simple_offset) noexcept;
  void look_further() noexcept;

  bool on_;
  bool quartz_;
  double hops_ = 1;    // maximum of a chain of messages; 1 if clocks do not count as quartz clocks
  double jumped_ = 0;  // number of processes that were ever advanced
  double gamma_max_;
  double slope_;
  double calm_;  // idle up to this offset: calm(lowest_, hops_), or infinite if switched off
  double raised_ = 0;
  Time raised_at_;
  double lowest_ = 0;  // lower bound of m until the recorded time lowest_until_
  Time lowest_until_ = Time::latest();
  Time recorded_;  // of the last event
  double simple_offset_ = 0;
};

/// Lower bound: limits the error that B and C may cause [R 4.4.6].
class RegulatorD {
 public:
  explicit RegulatorD(Parameters::Bounds bounds) : gamma_(bounds.gamma_min) {}
  [[nodiscard]] double gamma() const noexcept { return gamma_; }

 private:
  double gamma_;
};

}  // namespace clc
