#include "matching/lost/whole_channel.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>

namespace clc::matching {

Ticks size_of_jump(const std::vector<WholeEnd>& ends) {
  std::vector<Ticks> apart;
  for (std::size_t k = 1; k < ends.size(); ++k) apart.push_back(ends[k].time - ends[k - 1].time);
  if (apart.empty()) return 1;
  std::sort(apart.begin(), apart.end());
  return std::min(std::max<Ticks>(apart[apart.size() / 2] / 2, 1), Ticks{1} << 34);
}

namespace {

using Cost = std::int64_t;             // a jump costs 4 quarters, each of half the jump's size
using Pairs = std::vector<WholePair>;  // first: of the side that has fewer
constexpr Cost impossible = std::numeric_limits<Cost>::max() / 4;
constexpr std::size_t slack = 8;
constexpr std::size_t most_at_once = std::size_t{1} << 20;  // pairs; if there are more, part by part
constexpr std::size_t ends_of_part = 512;                   // of the short side
constexpr std::size_t settled_of_part = 384;
constexpr std::size_t most_shifts = std::size_t{1} << 15;
constexpr Cost usual_weight = 256;

Ticks distance(const WholeEnd& a, const WholeEnd& b) { return a.time < b.time ? b.time - a.time : a.time - b.time; }

class Channel {
 public:
  Channel(const std::vector<WholeEnd>& short_side, const std::vector<WholeEnd>& long_side, const WholeRules& rules)
      : short_(short_side),
        long_(long_side),
        rules_(rules),
        jump_(size_of_jump(short_side)),
        unlike_(rules.only_alike ? impossible : 2 * jump_),
        most_(rules.clocks_go_on ? 2 * jump_ : jump_),
        turns_{turns_of(short_side), turns_of(long_side)},
        know_turns_(has_turns(short_side) || has_turns(long_side)),
        side_(side_by_times()),
        first_(side_ == Side::begin ? long_side.size() - short_side.size() : 0),
        dear_(has_turns(short_side) && !rules.clocks_go_on && !rules.steps_known),
        ends_together_(short_side.size() == long_side.size() ||
                       (!short_side.empty() && distance(short_side.back(), long_side.back()) / 4 <
                                                   distance(short_side.front(), long_side.front()))) {}

  [[nodiscard]] std::optional<WholeMatch> match(std::int64_t limit);

 private:
  /// A clock stands still from one pair to the other.
  [[nodiscard]] bool is_blind(WholePair a, WholePair b) const {
    return short_[a.first].time == short_[b.first].time || long_[a.second].time == long_[b.second].time;
  }
  /// By how much the delay grows, if that of the long side's end less that of the short side's counts as one.
  [[nodiscard]] Ticks growth(WholePair a, WholePair b) const {
    return subtract_saturating(long_[b.second].time - long_[a.second].time,
                               short_[b.first].time - short_[a.first].time);
  }
  [[nodiscard]] Cost between(WholePair a, WholePair b) const {
    if (is_blind(a, b)) return 0;
    const Ticks by = growth(a, b);
    const Ticks size = std::min(most_, by < 0 ? subtract_saturating(0, by) : by);
    if (size >= jump_) return weighed(size);
    if (!rules_.only_alike) return 2 * size;
    const Cost cost = 2 * size * weight_of_call(a, b) / usual_weight;
    return cost < 2 * jump_ ? cost : weighed(jump_);
  }
  /// A difference of less than a jump, where calls follow each other more closely than usual.
  [[nodiscard]] Cost weight_of_call(WholePair a, WholePair b) const {
    const Ticks closest = std::max<Ticks>(1, jump_ / 64);
    const Ticks half = (short_[b.first].time - short_[a.first].time) / 2;
    return jump_ * usual_weight / std::min(jump_, std::max(closest, half));
  }
  /// A difference of a jump or more.
  [[nodiscard]] Cost weighed(Ticks size) const { return 2 * size * weight_ / usual_weight; }
  [[nodiscard]] Cost of(WholePair pair) const {
    if (!rules_.bounds.empty()) {
      const auto& [from, ahead_of] = rules_.bounds[pair.first];
      if (pair.second < from || pair.second >= ahead_of) return impossible;
    }
    const std::uint64_t a = short_[pair.first].bytes;
    const std::uint64_t b = long_[pair.second].bytes;
    return a == 0 || b == 0 || a == b ? 0 : unlike_;
  }
  [[nodiscard]] Cost gap() const { return jump_; }

  // ---- turns ------------------------------------------------------------------------------------
  static bool has_turns(const std::vector<WholeEnd>& ends) { return !ends.empty() && ends.front().turn > 0; }
  static std::vector<std::size_t> turns_of(const std::vector<WholeEnd>& ends) {
    std::vector<std::size_t> turns;
    turns.reserve(ends.size());
    for (const WholeEnd& end : ends) turns.push_back(has_turns(ends) ? end.turn : turns.size());
    return turns;
  }
  [[nodiscard]] bool has_same_turns(WholePair a, WholePair b) const {
    return know_turns_ && turns_[0][b.first] - turns_[0][a.first] == turns_[1][b.second] - turns_[1][a.second];
  }
  /// Do turns tell that what is left out between is alone?
  [[nodiscard]] bool goes_by_turns(WholePair a, WholePair b) const {
    const std::size_t turns = turns_[0][b.first] - turns_[0][a.first];
    return know_turns_ && turns == turns_[1][b.second] - turns_[1][a.second] &&
           turns >= b.first - a.first + b.second - a.second - 1;
  }
  [[nodiscard]] Cost left_out(WholePair a, WholePair b) const {
    if (goes_by_turns(a, b)) return 0;
    if (b.first > a.first + 1) return gap_in_short(b.first - a.first - 1);
    if (b.second > a.second + 1) return inside();
    return know_turns_ ? gap() : 0;
  }
  [[nodiscard]] Cost inside() const { return dear_ ? 3 * gap() : gap(); }
  [[nodiscard]] Cost outside() const { return dear_ ? 2 * gap() : gap(); }
  /// At which side of the channel is all that is missing? If it is taken to be at the other one, the ends of the pairs
  /// are further apart in time than six jumps, and than ten times as far; or four times, if they are within two jumps.
  enum class Side : std::uint8_t { unknown, begin, end };
  [[nodiscard]] Side side_by_times() const {
    if (short_.size() < 8 || short_.size() == long_.size()) return Side::unknown;
    const auto apart = [&](std::size_t first) {
      return std::pair(distance(short_.front(), long_[first]),
                       distance(short_.back(), long_[first + short_.size() - 1]));
    };
    const auto [first, last] = apart(0);
    const auto [late_first, late_last] = apart(long_.size() - short_.size());
    const auto is_it = [&](Ticks right, Ticks wrong) {
      if (wrong <= 6 * jump_) return false;
      return right < wrong / 10 || (right < wrong / 4 && right < 2 * jump_);
    };
    if (!rules_.was_cut && is_it(std::max(late_first, late_last), std::min(first, last))) return Side::begin;
    return is_it(std::max(first, last), std::min(late_first, late_last)) ? Side::end : Side::unknown;
  }
  [[nodiscard]] Cost at_begin(std::size_t l) const {
    const std::size_t turn = has_turns(long_) ? turns_[1][l] : l + 1;
    if (side_ == Side::begin ? l == first_ : (has_turns(short_) ? turns_[0][0] : 1) == turn) return 0;
    if (l == first_) return outside();
    if (side_ == Side::unknown) return outside() + shifted({0, l});
    const bool is_nearer = distance(short_.front(), long_[l]) < distance(short_.front(), long_[first_]);
    return outside() + (is_nearer ? 1 : 2) * chance_;
  }
  [[nodiscard]] std::int64_t in_64ths(Cost cost) const { return cost / gap() * 64 + cost % gap() * 64 / gap(); }
  /// The least cost that is as many 64ths.
  [[nodiscard]] Cost least_of(std::int64_t parts) const {
    if (parts / 64 >= impossible / gap()) return impossible;
    return parts / 64 * gap() + (parts % 64 * gap() + 63) / 64;
  }
  [[nodiscard]] Cost at_end(std::size_t last) const { return dear_ && last + 1 < long_.size() ? outside() : 0; }
  /// The pair with that end of the short side whose turns are those of a pair, if more than one end is left out.
  [[nodiscard]] std::optional<WholePair> by_turns(WholePair pair, std::size_t s) const {
    if (!know_turns_ || s >= short_.size()) return std::nullopt;
    const std::size_t turns = turns_[0][s] - turns_[0][pair.first];
    if (turns == s - pair.first) return std::nullopt;  // none is free
    const std::size_t turn = turns_[1][pair.second] + turns;
    const auto from = turns_[1].begin() + static_cast<std::ptrdiff_t>(pair.second);
    const auto to = turns_[1].begin() + static_cast<std::ptrdiff_t>(std::min(long_.size(), pair.second + turns + 1));
    const auto found = std::lower_bound(from, to, turn);
    if (found == to || *found != turn) return std::nullopt;
    const WholePair next{s, static_cast<std::size_t>(found - turns_[1].begin())};
    return exists(next) && goes_by_turns(pair, next) ? std::optional(next) : std::nullopt;
  }
  [[nodiscard]] Cost gap_in_short(std::size_t ends) const {
    const Cost each = rules_.only_alike ? jump_ + weighed(most_) + chance_of_lone_ : 3 * jump_;
    return gap() + static_cast<Cost>(ends) * each;
  }
  /// That these ends of the short side are missing, and not others; of a call it is part of what each costs.
  [[nodiscard]] Cost lone() const { return rules_.only_alike ? 0 : chance_of_lone_; }
  // ---- chance -----------------------------------------------------------------------------------
  /// What a jump weighs, and what other matchings may cost less by chance, if this one is right.
  void take_chance(const Pairs& pairs);
  [[nodiscard]] std::vector<Cost> all_between(const Pairs& pairs, std::size_t later) const;
  /// From that pair on ends are shifted by as many as between two numbers.
  [[nodiscard]] Cost shifted(std::size_t from, std::size_t to, WholePair pair) const {
    const bool is_last = ends_together_ && pair.second == pair.first + long_.size() - short_.size();
    return is_last || from + 1 == to || to + 1 == from ? chance_of_one_ : chance_;
  }
  [[nodiscard]] Cost shifted(WholePair pair) const { return shifted(pair.first, pair.second, pair); }
  /// Does it cost more by chance?
  [[nodiscard]] bool takes_chance(const Pairs& pairs) const;
  [[nodiscard]] Cost shifted(WholePair a, WholePair b) const {
    const bool is_next = b == WholePair{a.first + 1, a.second + 1};
    if (is_next || goes_by_turns(a, b)) return 0;
    const bool is_jump = between(a, b) >= 2 * jump_;
    if (b.first > a.first + 1 && (b.second == a.second + 1 || rules_.only_alike))
      return is_jump || rules_.only_alike ? lone() : chance_of_one_;
    if (!is_jump) return 0;
    return shifted(b.first - a.first, b.second - a.second, b);
  }

  // ---- costs of all that follows a pair, by end of the short side and shift -----------------
  [[nodiscard]] std::size_t all_shifts() const { return long_.size() - short_.size() + 2 * slack + 1; }
  /// Ends of the short side from one on to another, and shifts from `lowest` less slack on.
  struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t lowest = 0;
    std::size_t shifts = 0;
  };
  [[nodiscard]] bool exists(WholePair pair) const {
    return pair.first < part_.end && pair.second < long_.size() && pair.second + slack >= pair.first + part_.lowest &&
           pair.second + slack - pair.first - part_.lowest < part_.shifts;
  }
  [[nodiscard]] std::size_t shift(WholePair pair) const { return pair.second + slack - pair.first - part_.lowest; }
  [[nodiscard]] std::size_t place(WholePair pair) const {
    return (pair.first - part_.begin) * part_.shifts + shift(pair);
  }
  [[nodiscard]] bool is_last_part() const { return part_.end == short_.size(); }
  struct Next {
    Cost cost = impossible;
    std::optional<WholePair> pair;  // none: the last one was matched
  };
  [[nodiscard]] Next after(WholePair pair) const;
  [[nodiscard]] Next first() const;
  /// False: all that is found costs that much at least.
  [[nodiscard]] bool fill(Cost most);
  struct Found {
    Cost cost = impossible;
    Pairs pairs = {};
  };
  /// The least that the channel costs; all of it, or part by part. The cost alone if it is not less than `most`.
  [[nodiscard]] Found search(Cost most);
  [[nodiscard]] Part first_part() const;
  [[nodiscard]] Part part_behind(WholePair pair) const;
  [[nodiscard]] Pairs in_order(std::size_t first) const;
  [[nodiscard]] Cost cost_but_end(const Pairs& in_order) const;
  [[nodiscard]] std::int64_t gain(Cost cost) const;
  [[nodiscard]] bool is_alike(const Pairs& pairs, std::size_t at_least) const;

  const std::vector<WholeEnd>& short_;
  const std::vector<WholeEnd>& long_;
  const WholeRules& rules_;
  Ticks jump_;
  Cost unlike_;
  Ticks most_;  // of a difference that counts
  std::array<std::vector<std::size_t>, 2> turns_;
  bool know_turns_;
  Side side_;                   // at which it lacks ends
  std::size_t first_;           // of the long side, to which the first of the short side belongs in order
  bool dear_;                   // to leave out ends of the long side where turns do not tell so
  bool ends_together_;          // the last ends are not much farther apart than the first ones
  Cost weight_ = usual_weight;  // of a jump
  Cost chance_of_one_ = 0;
  Cost chance_ = 0;
  Cost chance_of_lone_ = 0;  // that ends of the short side are missing
  Part part_;
  std::vector<Cost> costs_;          // of the part
  std::vector<std::uint32_t> best_;  // of the pairs of a short end from that shift on, the first shift that costs least
};

Channel::Next Channel::after(WholePair pair) const {
  Next best;
  const auto take = [&](WholePair next, Cost more) {
    if (const Cost cost = costs_[place(next)] + more; cost < best.cost) best = {cost, next};
  };
  const auto [s, l] = pair;
  // Most cost too much already with the least that is added.
  const auto take_by_cost = [&](WholePair next, Cost least = 0) {
    const Cost rest = costs_[place(next)];
    if (rest + least >= best.cost) return;
    const Cost more = between(pair, next) + left_out(pair, next);
    if (rest + more < best.cost) take(next, more + shifted(pair, next));
  };
  WholePair next{s + 1, l + 1};
  if (exists(next)) take_by_cost(next);
  const bool is_next_turn = s + 1 < short_.size() && turns_[0][s + 1] - turns_[0][s] == 1;
  const Cost inside = is_next_turn ? this->inside() : 0;
  for (++next.second; exists(next); ++next.second) {
    if (next.second > l + 2 && !is_blind(pair, next) && growth(pair, next) >= most_) break;
    take_by_cost(next, inside);
  }
  // All further ones are jumps.
  if (exists(next) &&
      costs_[place(next) - shift(next) + best_[place(next)]] + inside + between(pair, next) < best.cost) {
    const std::size_t from = next.second;
    const WholePair at_end{s + 1, s + 1 + long_.size() - short_.size()};
    next.second += best_[place(next)] - shift(next);
    std::array jumps{next, at_end, by_turns(pair, s + 1).value_or(next)};
    std::sort(jumps.begin(), jumps.end());
    for (const WholePair& other : jumps)
      if (other.second >= from && exists(other)) take_by_cost(other, inside);
  }
  const bool is_next_of_long = l + 1 < long_.size() && turns_[1][l + 1] - turns_[1][l] == 1;
  for (std::size_t lone = 1; lone <= slack; ++lone)
    if (const WholePair other{s + 1 + lone, l + 1}; exists(other))
      take_by_cost(other, is_next_of_long ? gap_in_short(lone) : 0);
  // If no end of the short side is missing for a while, no turn is free for another one of the long side.
  const std::size_t last = std::min(s + 1 + slack, part_.end - 1);
  if (turns_[0][last] - turns_[0][s] > last - s)
    for (std::size_t lone = 1; lone <= slack; ++lone)
      if (const auto other = by_turns(pair, s + 1 + lone); other && other->second > l + 1) take_by_cost(*other);
  for (std::size_t lone = 1; rules_.only_alike && lone <= slack; ++lone)
    for (std::size_t others = 1; others <= slack; ++others)
      if (const WholePair other{s + 1 + lone, l + 1 + others}; exists(other))
        take(other, between(pair, other) + gap_in_short(lone));
  if (const std::size_t lone = part_.end - s - 1; lone <= slack) {
    const Cost end = is_last_part() ? at_end(l) : 0;
    if (const Cost cost = lone == 0 ? end : gap_in_short(lone) + this->lone(); cost < best.cost)
      best = {cost, std::nullopt};
  }
  best.cost += of(pair);
  return best;
}

Channel::Next Channel::first() const {
  Next best;
  const auto take = [&](WholePair next, Cost more) {
    if (const Cost cost = costs_[place(next)] + more; cost < best.cost) best = {cost, next};
  };
  for (WholePair next{0, 0}; exists(next); ++next.second) take(next, at_begin(next.second));
  for (WholePair next{1, 0}; next.first <= slack && exists(next); ++next.first)
    take(next, gap_in_short(next.first) + lone());
  for (std::size_t lone = 1; rules_.only_alike && lone <= slack; ++lone)
    for (WholePair next{lone, 1}; next.second <= slack && exists(next); ++next.second) take(next, gap_in_short(lone));
  return best;
}

bool Channel::fill(Cost most) {
  const std::size_t shifts = part_.shifts;
  costs_.assign((part_.end - part_.begin) * shifts, impossible);
  best_.resize(costs_.size());
  std::size_t dear = 0;  // ends of the short side in a row, up to this one, with no pair that costs less
  for (std::size_t s = part_.end; s-- > part_.begin;) {
    const std::size_t row = (s - part_.begin) * shifts;
    for (std::size_t shift = shifts; shift-- > 0;) {
      const std::size_t at = row + shift;
      const std::size_t l = s + shift + part_.lowest;  // and slack
      if (l >= slack && l - slack < long_.size()) costs_[at] = after({s, l - slack}).cost;
      best_[at] = static_cast<std::uint32_t>(shift);
      if (shift + 1 < shifts && costs_[row + best_[at + 1]] < costs_[at]) best_[at] = best_[at + 1];
    }
    dear = costs_[row + best_[row]] < most ? 0 : dear + 1;
    if (dear > slack) return false;  // of so many in a row one has a pair
  }
  return true;
}

Channel::Part Channel::first_part() const {
  if (short_.size() <= most_at_once / all_shifts()) return {0, short_.size(), 0, all_shifts()};
  return {0, std::min(short_.size(), ends_of_part), 0, std::min(all_shifts(), most_shifts)};
}

/// With the shifts for which delays are as that of the pair, and those from its own on, twice as far as ends are
/// missing.
Channel::Part Channel::part_behind(WholePair pair) const {
  const std::size_t missing = long_.size() - short_.size();
  Part part{pair.first, std::min(short_.size(), pair.first + ends_of_part)};
  std::size_t lowest = pair.second < pair.first ? 0 : pair.second - pair.first;
  std::size_t highest = lowest + 2 * (missing * ends_of_part / short_.size() + 1);
  WholePair alike = pair;
  for (; alike.first < part.end; ++alike.first) {
    while (alike.second < long_.size() && growth(pair, alike) < 0) ++alike.second;
    const std::size_t shift = alike.second < alike.first ? 0 : alike.second - alike.first;
    lowest = std::min(lowest, shift);
    highest = std::max(highest, shift);
  }
  part.lowest = std::min(lowest, missing);
  part.shifts = std::min(std::min(highest, missing) - part.lowest + 2 * slack + 1, most_shifts);
  return part;
}

Channel::Found Channel::search(Cost most) {
  part_ = first_part();
  if (!fill(most)) return {most};
  Next next = first();
  Found found{next.cost};
  for (;;) {
    const std::size_t settled = is_last_part() ? short_.size() : part_.begin + settled_of_part;
    for (; next.pair && (found.pairs.empty() || found.pairs.back().first < settled); next = after(*next.pair))
      found.pairs.push_back(*next.pair);
    found.cost = std::min(found.cost, impossible);
    if (is_last_part() || found.cost >= std::min(most, impossible)) return found;
    const WholePair last = found.pairs.back();
    found.cost -= costs_[place(last)];
    part_ = part_behind(last);
    if (!fill(most)) return {most};
    next = after(last);
    found.cost += next.cost;
  }
}

std::vector<Cost> Channel::all_between(const Pairs& pairs, std::size_t later) const {
  std::vector<Cost> costs;
  std::optional<WholePair> before;
  for (WholePair pair : pairs) {
    pair.second += later;
    if (pair.second >= long_.size()) continue;
    if (before && !is_blind(*before, pair)) costs.push_back(between(*before, pair));
    before = pair;
  }
  return costs;
}

void Channel::take_chance(const Pairs& pairs) {
  const auto mean = [](const std::vector<Cost>& costs) {
    return costs.empty() ? 0 : std::accumulate(costs.begin(), costs.end(), 0.0) / static_cast<double>(costs.size());
  };
  const std::vector<Cost> costs = all_between(pairs, 0);
  const double here = mean(costs);
  const double there = mean(all_between(pairs, 1));
  const double most = static_cast<double>(2 * most_) * static_cast<double>(short_.size() + 1);
  const auto bit_of = [&](double usual) {
    return usual < there ? std::numbers::ln2 * usual * there / (there - usual) : most;
  };
  const double bit = bit_of(here);
  const double spread = here * std::sqrt(static_cast<double>(2 * costs.size()));
  chance_of_one_ = static_cast<Cost>(std::min({most, 4 * bit, spread}));
  chance_ =
      static_cast<Cost>(std::min(most, spread * std::sqrt(static_cast<double>(std::bit_width(all_shifts()) + 1))));
  chance_of_lone_ = static_cast<Cost>(std::min({most, 32 * bit, 5 * spread}));
  if (!rules_.clocks_go_on || costs.size() < 16) return;
  if (short_.size() == long_.size() && !rules_.only_alike) return;
  std::vector<Cost> small = costs;
  std::erase_if(small, [&](Cost cost) { return cost >= 2 * jump_; });
  const double bits =
      14 * bit_of(mean(small)) / static_cast<double>(2 * most_);  // as many as a jump should tell, in jumps
  weight_ = static_cast<Cost>(std::clamp(bits * bits, 1.0, 16.0) * static_cast<double>(usual_weight));
}

bool Channel::takes_chance(const Pairs& pairs) const {
  if (pairs.empty()) return false;
  const WholePair begin = pairs.front();
  const bool is_shifted = begin.first > 0 || (begin.second != first_ && at_begin(begin.second) > 0);
  const bool is_lone = begin.first > 0 && begin.second == first_;
  if (is_shifted && (is_lone ? chance_of_lone_ : shifted(first_ + begin.first, begin.second, begin)) > 0) return true;
  if (pairs.back().first + 1 < short_.size() && chance_of_lone_ > 0) return true;
  for (std::size_t k = 1; k < pairs.size(); ++k)
    if (shifted(pairs[k - 1], pairs[k]) > 0) return true;
  return false;
}

bool Channel::is_alike(const Pairs& pairs, std::size_t at_least) const {
  std::size_t jumps = 0;
  std::size_t seen = 0;
  for (std::size_t k = 1; k < pairs.size(); ++k) {
    if (is_blind(pairs[k - 1], pairs[k])) continue;
    ++seen;
    if (between(pairs[k - 1], pairs[k]) == weighed(most_) && !has_same_turns(pairs[k - 1], pairs[k])) ++jumps;
  }
  return seen >= at_least && seen >= (rules_.only_alike ? 4 : 16) * jumps;
}

/// The short side with that end of the long side and those behind it.
Pairs Channel::in_order(std::size_t first) const {
  Pairs pairs;
  for (std::size_t k = 0; k < short_.size(); ++k) pairs.emplace_back(k, first + k);
  return pairs;
}

/// In order, without what is left over at the end.
Cost Channel::cost_but_end(const Pairs& in_order) const {
  Cost cost = 0;
  for (std::size_t k = 0; k < in_order.size(); ++k) {
    cost = std::min(impossible, cost + of(in_order[k]));
    const Cost more = k > 0 ? between(in_order[k - 1], in_order[k]) + left_out(in_order[k - 1], in_order[k])
                            : at_begin(in_order[0].second);
    cost = std::min(impossible, cost + more);
  }
  return cost;
}

/// What that cost is less than that of first in, first out.
std::int64_t Channel::gain(Cost cost) const {
  const Cost end = short_.empty() ? 0 : at_end(short_.size() - 1);
  return (std::min(impossible, cost_but_end(in_order(0)) + end) - cost) / gap();
}

std::optional<WholeMatch> Channel::match(std::int64_t limit) {
  Pairs in_order = this->in_order(first_);
  // As many calls on both sides, unless their names or delays tell otherwise.
  const bool all_are_there = rules_.only_alike && short_.size() == long_.size();
  const auto with_end = [&](Cost cost) {
    return short_.empty() ? cost : std::min(impossible, cost + at_end(first_ + short_.size() - 1));
  };
  if (rules_.only_alike) {  // at first as few calls of the short side as possible are missing
    const auto ends = static_cast<Cost>(short_.size() + 1);
    chance_of_lone_ = std::min(2 * most_ * ends, impossible / 4 / ends);
  }
  Cost known = cost_but_end(in_order);
  const bool others = known >= gap();
  known = with_end(known);
  if (others) {
    const Cost most = least_of(limit);
    Found found = search(std::min(known, most));
    if (std::min(found.cost, known) >= impossible) return std::nullopt;
    if (found.cost >= most && most < known) return std::nullopt;
    take_chance(found.cost < known ? found.pairs : in_order);
    // Once more, now that it is known how irregular delays are at best, unless it costs no more.
    const bool is_as_usual = weight_ == usual_weight;
    if (!is_as_usual) known = with_end(cost_but_end(in_order));
    if (rules_.only_alike || !is_as_usual || (found.cost < known && takes_chance(found.pairs))) {
      found = search(std::min(known, most));
      if (found.cost >= most && most < known) return std::nullopt;
    }
    if (found.cost < known) {
      if (known == impossible || is_alike(found.pairs, 0))
        return WholeMatch{std::move(found.pairs), gain(found.cost), in_64ths(found.cost), in_64ths(chance_of_one_)};
      if (!all_are_there) return std::nullopt;
    }
  } else {
    take_chance(in_order);
  }
  const std::size_t enough = rules_.only_alike || side_ != Side::unknown ? 0 : 16;
  if (!all_are_there && !is_alike(in_order, enough)) return std::nullopt;
  return WholeMatch{std::move(in_order), gain(known), in_64ths(known), in_64ths(chance_of_one_)};
}

}  // namespace

void forget_early(std::vector<WholePair>& pairs, const std::vector<WholeEnd>& sends,
                  const std::vector<WholeEnd>& receives) {
  constexpr std::size_t around = 8;
  const Ticks jump = size_of_jump(receives.size() < sends.size() ? receives : sends);
  std::vector<Ticks> delays;
  delays.reserve(pairs.size());
  for (const auto& [send, receive] : pairs) delays.push_back(receives[receive].time - sends[send].time);
  std::vector<WholePair> left;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    bool early = k > 0 && k + 1 < pairs.size() && subtract_saturating(delays[k + 1], delays[k - 1]) < jump &&
                 subtract_saturating(delays[k - 1], delays[k + 1]) < jump;
    for (std::size_t other = k < around ? 0 : k - around; early && other < std::min(k + around + 1, pairs.size());
         ++other)
      early = other == k || subtract_saturating(delays[other], delays[k]) >= jump;
    if (!early) left.push_back(pairs[k]);
  }
  pairs = std::move(left);
}

std::optional<WholeMatch> match_whole(const std::vector<WholeEnd>& sends, const std::vector<WholeEnd>& receives,
                                      const WholeRules& rules, std::int64_t limit) {
  const bool fewer_receives = receives.size() < sends.size();
  std::optional<WholeMatch> match =
      fewer_receives ? Channel(receives, sends, rules).match(limit) : Channel(sends, receives, rules).match(limit);
  if (!match) return match;
  if (fewer_receives)
    for (WholePair& pair : match->pairs) std::swap(pair.first, pair.second);
  return match;
}

}  // namespace clc::matching
