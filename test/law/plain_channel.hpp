// The rule of a channel of which all ends are known, in plain form: it looks at all matchings that there are.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "lost/rule.hpp"

namespace clc::test {

/// All matchings, in the order in which those are taken that cost the same.
class Plain {
 public:
  /// May an end of the side with fewer belong to that of the other one?
  using May = std::function<bool(std::size_t, std::size_t)>;

  /// only_alike: of calls; ends of different bytes never belong together. clocks: those of both processes.
  Plain(const std::vector<lost::End>& fewer, const std::vector<lost::End>& more, bool only_alike = false,
        lost::Clocks clocks = lost::Clocks::may_be_set, May may = {}, bool was_cut = false)
      : fewer_(fewer),
        more_(more),
        only_alike_(only_alike),
        go_on_(clocks == lost::Clocks::go_on),
        counted_(!fewer.empty() && fewer[0].turn != 0 && clocks == lost::Clocks::may_be_set),
        may_(std::move(may)) {
    std::vector<Ticks> gaps;
    for (std::size_t k = 1; k < fewer.size(); ++k) gaps.push_back(fewer[k].time - fewer[k - 1].time);
    std::sort(gaps.begin(), gaps.end());
    if (!gaps.empty()) half_ = std::clamp<Ticks>(gaps[gaps.size() / 2] / 2, 1, Ticks{1} << 34);
    most_ = go_on_ ? 2 * half_ : half_;
    is_known = only_alike;
    if (fewer.empty()) return;
    first_ = by_times(was_cut);
    std::vector<std::uint32_t> in_order(fewer.size());
    std::iota(in_order.begin(), in_order.end(), static_cast<std::uint32_t>(first_.value_or(0)));
    best_ = in_order;
    const auto ends = static_cast<Ticks>(fewer.size() + 1);
    if (only_alike) luck_of_fewer_ = std::min(2 * most_ * ends, never / 4 / ends);
    Ticks known = least_ = cost(in_order);
    std::vector<std::uint32_t> partners;
    const Ticks at_end = more.size() > fewer.size() + first_.value_or(0) ? last_ones() : 0;
    const bool may_be_others = known == never || known - at_end >= half_;
    if (may_be_others) go_on(partners, 0);
    find_luck();
    if (!may_be_others) stretch_ = 256;
    if (least_ < known || stretch_ > 256 || (only_alike && may_be_others)) {  // once more, with it
      least_ = known = cost(in_order);
      best_ = in_order;
      go_on(partners, 0);
    }
    const std::size_t each = only_alike ? 4 : 16;
    const std::size_t enough = least_ < known || only_alike || first_ ? 0 : 16;
    is_known = least_ < never && (known == never || differences(best_) >= std::max(enough, each * jumps(best_)));
    if (is_known || !only_alike || fewer.size() != more.size() || known == never) return;
    is_known = true;
    best_ = in_order;
    least_ = known;
  }
  bool is_known = false;
  [[nodiscard]] const std::vector<std::uint32_t>& partners() const { return best_; }
  /// What others may cost less by chance, of the same unit.
  [[nodiscard]] Ticks shown_luck() const { return luck_ / half_ * 64 + luck_ % half_ * 64 / half_; }
  /// In 64ths of half a jump.
  [[nodiscard]] Ticks shown_cost() const { return least_ / half_ * 64 + least_ % half_ * 64 / half_; }

 private:
  void go_on(std::vector<std::uint32_t>& partners, std::size_t next) {
    const std::size_t i = partners.size();
    if (i < fewer_.size()) {
      for (std::size_t j = next; j < more_.size(); ++j) add(partners, 1, static_cast<std::uint32_t>(j));
      for (std::size_t left = 1; left <= 8 && i + left < fewer_.size() && next < more_.size(); ++left)
        add(partners, left + 1, static_cast<std::uint32_t>(next));
      for (std::size_t left = 1; only_alike_ && left <= 8 && i + left < fewer_.size(); ++left)
        for (std::size_t j = next + 1; j < std::min(more_.size(), next + 9); ++j)
          add(partners, left + 1, static_cast<std::uint32_t>(j));
      for (std::size_t left = 1; !partners.empty() && left <= 8 && i + left < fewer_.size(); ++left)
        for (std::size_t j = next + 1; j < more_.size(); ++j)
          if (are_alone({i - 1, next - 1, i + left, j})) add(partners, left + 1, static_cast<std::uint32_t>(j));
    }
    const bool any = std::any_of(partners.begin(), partners.end(), [](auto j) { return j != lost::no_partner; });
    if (!any || fewer_.size() - i > 8) return;
    std::vector<std::uint32_t> all = partners;
    all.resize(fewer_.size(), lost::no_partner);
    if (const Ticks sum = cost(all); sum < least_) {
      least_ = sum;
      best_ = all;
    }
  }
  static constexpr Ticks never = ticks_max / 4;
  /// So many of the fewer ends on, with the last of them matched.
  void add(std::vector<std::uint32_t>& partners, std::size_t ends, std::uint32_t j) {
    const std::size_t i = partners.size() + ends - 1;
    if (j + 8 < i || j > i + more_.size() - fewer_.size() + 8) return;
    partners.resize(partners.size() + ends - 1, lost::no_partner);
    partners.push_back(j);
    go_on(partners, j + 1);
    partners.resize(partners.size() - ends);
  }
  /// Ends of two successive matches.
  struct Two {
    std::size_t i, j, next_i, next_j;
  };
  [[nodiscard]] std::vector<Two> successive(const std::vector<std::uint32_t>& partners) const {
    std::vector<Two> all;
    std::optional<std::size_t> before;
    for (std::size_t i = 0; i < partners.size(); ++i) {
      if (partners[i] == lost::no_partner) continue;
      if (before) all.push_back({*before, partners[*before], i, partners[i]});
      before = i;
    }
    return all;
  }
  [[nodiscard]] static std::size_t turns(const std::vector<lost::End>& ends, std::size_t from, std::size_t to) {
    return ends[0].turn == 0 ? to - from : ends[to].turn - ends[from].turn;
  }
  [[nodiscard]] bool have_turns() const { return fewer_[0].turn != 0 || more_[0].turn != 0; }
  [[nodiscard]] bool same_turns(const Two& two) const {
    return have_turns() && turns(fewer_, two.i, two.next_i) == turns(more_, two.j, two.next_j);
  }
  /// The ends between.
  [[nodiscard]] bool are_alone(const Two& two) const {
    const std::size_t between = two.next_i - two.i - 1 + two.next_j - two.j - 1;
    return same_turns(two) && turns(fewer_, two.i, two.next_i) > between;
  }
  [[nodiscard]] Ticks left_out(std::size_t fewer, std::size_t more) const {
    const Ticks jump = 2 * most_ * stretch_ / 256;
    const Ticks each = only_alike_ ? half_ + jump + luck_of_fewer_ : 3 * half_;
    if (fewer > 0) return half_ + static_cast<Ticks>(fewer) * each;
    if (more > 0) return counted_ ? 3 * half_ : half_;
    return have_turns() ? half_ : 0;
  }
  /// Of calls, it is part of what each costs.
  [[nodiscard]] Ticks lone() const { return only_alike_ ? 0 : luck_of_fewer_; }
  [[nodiscard]] Ticks last_ones() const { return counted_ ? 2 * half_ : 0; }
  [[nodiscard]] bool tells(const Two& two) const {
    return fewer_[two.i].time != fewer_[two.next_i].time && more_[two.j].time != more_[two.next_j].time;
  }
  /// What the difference of two delays costs, unless it is a jump, and jumps are stretched.
  [[nodiscard]] Ticks change(const Two& two) const {
    const Ticks before = more_[two.j].time - fewer_[two.i].time;
    const Ticks after = more_[two.next_j].time - fewer_[two.next_i].time;
    const Ticks twice = 2 * std::min(most_, after > before ? after - before : before - after);
    if (!only_alike_ || twice >= 2 * half_) return twice;
    const Ticks own = (fewer_[two.next_i].time - fewer_[two.i].time) / 2;
    const Ticks jump = own > half_ ? half_ : std::max({own, half_ / 64, Ticks{1}});
    return std::min(2 * half_, twice * (256 * half_ / jump) / 256);
  }
  [[nodiscard]] std::size_t differences(const std::vector<std::uint32_t>& partners) const {
    const auto all = successive(partners);
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const Two& two) { return tells(two); }));
  }
  [[nodiscard]] std::size_t jumps(const std::vector<std::uint32_t>& partners) const {
    const auto all = successive(partners);
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const Two& two) {
      return tells(two) && change(two) == 2 * most_ && !same_turns(two);
    }));
  }
  /// What successive delays cost on average if each match is with an end that comes so many later.
  [[nodiscard]] std::pair<double, double> mean_and_number(std::size_t later, bool without_jumps = false) const {
    double sum = 0;
    double number = 0;
    std::optional<std::size_t> before;
    for (std::size_t i = 0; i < best_.size(); ++i) {
      if (best_[i] == lost::no_partner || best_[i] + later >= more_.size()) continue;
      const Two two{before.value_or(i), best_[before.value_or(i)] + later, i, best_[i] + later};
      if (before && tells(two) && !(without_jumps && change(two) >= 2 * half_)) {
        sum += static_cast<double>(change(two));
        ++number;
      }
      before = i;
    }
    return {number == 0 ? 0 : sum / number, number};
  }
  /// If the best matching is right.
  void find_luck() {
    const auto [right, number] = mean_and_number(0);
    const double wrong = mean_and_number(1).first;
    most_luck_ = 2 * static_cast<double>(most_) * static_cast<double>(fewer_.size() + 1);
    const double bit = right < wrong ? std::numbers::ln2 * right * wrong / (wrong - right) : most_luck_;
    spread_ = right * std::sqrt(2 * number);
    luck_ = static_cast<Ticks>(std::min({most_luck_, 4 * bit, spread_}));
    luck_of_fewer_ = static_cast<Ticks>(std::min({most_luck_, 32 * bit, 5 * spread_}));
    const double small = mean_and_number(0, true).first;
    const double bit_of_small = small < wrong ? std::numbers::ln2 * small * wrong / (wrong - small) : most_luck_;
    const double bits = 14 * bit_of_small / (2 * static_cast<double>(most_));
    if (go_on_ && number >= 16 && (fewer_.size() < more_.size() || only_alike_))
      stretch_ = static_cast<Ticks>(256 * std::min(16.0, std::max(1.0, bits * bits)));
  }
  static std::size_t apart(std::size_t a, std::size_t b) { return a < b ? b - a : a - b; }
  static std::size_t bits_of(std::size_t number) {
    std::size_t bits = 0;
    while (number >= std::size_t{1} << bits) ++bits;
    return bits;
  }
  [[nodiscard]] Ticks luck_of_many() const {
    const double bits = static_cast<double>(bits_of(more_.size() - fewer_.size() + 17)) + 1;
    return static_cast<Ticks>(std::min(most_luck_, spread_ * std::sqrt(bits)));
  }
  /// Of a match, by so many ends from where it would be.
  [[nodiscard]] Ticks luck_of(std::size_t shift, std::size_t i, std::size_t j) const {
    if (most_luck_ == 0) return 0;  // not known yet
    const bool at_end = fewer_.size() == more_.size() ||
                        apart_in_time(fewer_.back(), more_.back()) / 4 < apart_in_time(fewer_.front(), more_.front());
    if (at_end && i + more_.size() == j + fewer_.size()) return luck_;
    return shift == 1 ? luck_ : luck_of_many();
  }
  static Ticks apart_in_time(const lost::End& a, const lost::End& b) {
    return std::max(a.time, b.time) - std::min(a.time, b.time);
  }
  /// Where the fewer ends begin if times tell that all others are missing at one side of the channel.
  [[nodiscard]] std::optional<std::size_t> by_times(bool was_cut) const {
    const std::size_t missing = more_.size() - fewer_.size();
    if (missing == 0 || fewer_.size() < 8) return {};
    const auto far = [&](std::size_t first, auto least_or_most) {
      return least_or_most(apart_in_time(fewer_.front(), more_[first]),
                           apart_in_time(fewer_.back(), more_[first + fewer_.size() - 1]));
    };
    const auto least = [](Ticks a, Ticks b) { return std::min(a, b); };
    const auto most = [](Ticks a, Ticks b) { return std::max(a, b); };
    for (const auto& [right, wrong] : {std::pair(missing, std::size_t{0}), std::pair(std::size_t{0}, missing)}) {
      if (was_cut && right > 0) continue;
      if (far(wrong, least) > 6 * half_ && (far(right, most) < far(wrong, least) / 10 ||
                                            (far(right, most) < 2 * half_ && far(right, most) < far(wrong, least) / 4)))
        return right;
    }
    return {};
  }
  /// In front of a first match of the first of the fewer ends.
  [[nodiscard]] Ticks ahead(std::size_t j) const {
    const std::size_t first = first_.value_or(0);
    const std::size_t own_turn = fewer_[0].turn == 0 ? 1 : fewer_[0].turn;
    const std::size_t turn = more_[0].turn == 0 ? j + 1 : more_[j].turn;
    if (first > 0 ? j == first : own_turn == turn) return 0;
    const Ticks place = counted_ ? 2 * half_ : half_;
    if (j == first) return place;
    if (!first_) return place + luck_of(j, 0, j);
    const bool is_nearer = apart_in_time(fewer_[0], more_[j]) < apart_in_time(fewer_[0], more_[first]);
    return most_luck_ == 0 ? place : place + (is_nearer ? 1 : 2) * luck_of_many();
  }
  [[nodiscard]] Ticks cost(const std::vector<std::uint32_t>& partners) const {
    Ticks sum = 0;
    for (const Two& two : successive(partners)) {
      if (tells(two)) sum += change(two) < 2 * half_ ? change(two) : change(two) * stretch_ / 256;
      if (are_alone(two)) continue;
      sum += left_out(two.next_i - two.i - 1, two.next_j - two.j - 1);
      const bool jumps = tells(two) && change(two) >= 2 * half_;
      if (two.next_i > two.i + 1 && (two.next_j == two.j + 1 || only_alike_))
        sum += jumps || only_alike_ ? lone() : luck_;
      else if (two.next_i + two.next_j > two.i + two.j + 2 && jumps)
        sum += luck_of(apart(two.next_i - two.i, two.next_j - two.j), two.next_i, two.next_j);
    }
    std::size_t first = 0;
    while (partners[first] == lost::no_partner) ++first;
    if (first != 0)
      sum += left_out(first, 0) + (partners[first] == 0 || only_alike_
                                       ? lone()
                                       : luck_of(apart(first, partners[first]), first, partners[first]));
    if (first == 0) sum += ahead(partners[0]);
    std::size_t last = partners.size();
    while (partners[last - 1] == lost::no_partner) --last;
    if (last < partners.size()) sum += left_out(partners.size() - last, 0) + lone();
    if (last == partners.size() && partners.back() + 1 < more_.size()) sum += last_ones();
    for (std::size_t i = 0; i < partners.size(); ++i) {
      if (partners[i] == lost::no_partner) continue;
      if (may_ && !may_(i, partners[i])) return never;
      const std::uint64_t a = fewer_[i].bytes;
      const std::uint64_t b = more_[partners[i]].bytes;
      if (a != 0 && b != 0 && a != b && only_alike_) return never;
      if (a != 0 && b != 0 && a != b) sum += 2 * half_;
    }
    return sum;
  }

  const std::vector<lost::End>& fewer_;
  const std::vector<lost::End>& more_;
  bool only_alike_;
  bool go_on_;
  bool counted_;
  May may_;
  std::optional<std::size_t> first_;
  Ticks half_ = 1;
  Ticks most_ = 1;       // of a difference
  Ticks stretch_ = 256;  // of differences that are jumps
  Ticks luck_ = 0;
  Ticks luck_of_fewer_ = 0;
  double spread_ = 0;
  double most_luck_ = 0;
  Ticks least_ = 0;
  std::vector<std::uint32_t> best_;
};

}  // namespace clc::test
