#include "lost/rule.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <numeric>
#include <optional>

namespace clc::lost {

namespace {

using Cost = std::int64_t;
using Costs = std::vector<Cost>;
using Partners = std::vector<std::uint32_t>;
constexpr Cost never = std::numeric_limits<Cost>::max() / 4;
constexpr Ticks longest_half = Ticks{1} << 34;  // so that no sum overflows
constexpr std::size_t differences_each = 16;    // for each jump, and for first in, first out
constexpr std::size_t differences_of_calls = 4;
constexpr double bits_of_one = 4;     // of luck: that ends are shifted by one, 1 time in 16
constexpr double bits_of_fewer = 32;  // that more ends are missing than must be
constexpr double spreads_of_fewer = 5;
constexpr double bits_of_jump = 14;              // that a jump has to tell
constexpr Ticks longest_plain = Ticks{1} << 40;  // so that no sum overflows
constexpr double most_stretched = 16;            // so that no sum overflows
constexpr Ticks closest_calls = 64;              // of a jump
constexpr Cost in_full = 256;                    // a jump that is not stretched
constexpr std::size_t matches_around = 8;        // on each side
constexpr std::size_t piece_ends = 512;
constexpr std::size_t certain_ends = 384;  // of a piece
constexpr std::size_t most_width = std::size_t{1} << 15;

std::uint64_t apart(const End& a, const End& b) {
  return a.time < b.time ? ticks_between(a.time, b.time) : ticks_between(b.time, a.time);
}

/// How a matching goes on: so many of the fewer ends are left out before the next match, and of the others.
using Step = std::uint32_t;
constexpr Step no_more = std::numeric_limits<Step>::max();
constexpr std::uint32_t bits_of_others = 27;  // a row has fewer columns than whole_states or most_width
constexpr Step step(std::size_t fewer, std::size_t others) noexcept {
  return static_cast<Step>(fewer << bits_of_others | others);
}

/// Searches from the last ends to the first ones.
class CheapestMatching {
 public:
  CheapestMatching(std::span<const End> fewer, std::span<const End> more, Unlike unlike, Clocks clocks,
                   std::span<const Range> ranges, bool was_cut, KnownPieces* known)
      : fewer_(fewer),
        more_(more),
        ranges_(ranges),
        known_(known),
        half_(half_gap(fewer)),
        most_(clocks == Clocks::go_on ? 2 * half_ : half_),
        unlike_cost_(unlike == Unlike::unusual ? 2 * half_ : never),
        have_turns_(has_turns(fewer) || has_turns(more)),
        is_counted_(has_turns(fewer) && clocks == Clocks::may_be_set),
        fewer_turns_(turns_of(fewer)),
        more_turns_(turns_of(more)),
        plain_gaps_(plain_gaps()),
        missing_(more.size() - fewer.size()),
        by_times_(by_times(was_cut)),
        first_(by_times_.value_or(0)),
        likely_at_end_(fewer.size() == more.size() ||
                       (!fewer.empty() && apart(fewer.back(), more.back()) / 4 < apart(fewer[0], more[0]))) {}

  /// None: they cost as much as most, or more.
  [[nodiscard]] Partners cheapest(Cost most);
  /// Until learn_from has found what luck there is: of calls, no more than their operations and roots require.
  void leave_out_as_few_as_possible() noexcept {
    learnt_.luck_of_fewer =
        std::min(jump() * static_cast<Cost>(fewer_.size() + 1), never / 4 / static_cast<Cost>(fewer_.size() + 1));
  }
  /// Matched in order, what costs least unless delays tell otherwise: first in, first out, or the last ones together.
  [[nodiscard]] Matched in_order() const;
  /// What these partners cost; where they are all there, none is left out between them.
  [[nodiscard]] Cost in_order_cost() const { return in_order_cost(first_); }
  /// In how many places first in, first out costs more than that. in_order: what in order costs.
  [[nodiscard]] std::int64_t gain(Cost cost, Cost in_order) const {
    const Cost others = first_ == 0 ? in_order : std::min(never, in_order_cost(0) + in_order_end(0));
    return (others - cost) / place();
  }
  [[nodiscard]] Cost least() const noexcept { return least_; }
  [[nodiscard]] Cost luck_of_one() const noexcept { return learnt_.luck_of_one; }
  /// What jumps have to cost, and of another matching what it may cost less by chance, if these partners are right.
  void learn_from(const Partners& partners);
  /// Costs are higher since then.
  [[nodiscard]] bool is_stretched() const noexcept { return learnt_.stretch > in_full; }
  /// Do they cost more with that luck?
  [[nodiscard]] bool has_luck(const Partners& partners) const;
  /// Of successive delays, if each of the others came so many later; without those that tell nothing.
  struct Changes {
    double mean = 0;
    double mean_below_jump = 0;  // of those that are less than one
    std::size_t count = 0;
  };
  [[nodiscard]] Changes changes(const Partners& partners, std::size_t shift) const;
  /// Of the last ends of the others, if they are left out in order.
  [[nodiscard]] Cost in_order_end() const noexcept { return in_order_end(first_); }
  /// A cost as Matched has it.
  [[nodiscard]] Cost shown(Cost cost) const noexcept {
    return cost / place() * cost_of_half + cost % place() * cost_of_half / place();
  }
  /// The least that is shown as that much.
  [[nodiscard]] Cost hidden(std::int64_t shown) const noexcept {
    if (shown / cost_of_half >= never / place()) return never;
    return shown / cost_of_half * place() + (shown % cost_of_half * place() + cost_of_half - 1) / cost_of_half;
  }
  [[nodiscard]] bool clocks_go_on() const noexcept { return most_ > half_; }
  /// Ends that are left out at one place only cost as much.
  [[nodiscard]] Cost place() const noexcept { return half_; }
  /// That all that is missing is missing at the beginning or at the end?
  [[nodiscard]] bool times_tell() const noexcept { return by_times_.has_value(); }
  /// Are most successive delays alike?
  [[nodiscard]] bool is_steady(const Partners& partners, std::size_t least_differences) const;

 private:
  /// What the rest costs after a match of one of the fewer ends with each of the others.
  struct Row {
    Costs cost;
    std::vector<std::uint32_t> least;  // which of that and all later ones costs least; of several, the first
  };
  struct Choice {
    Cost cost = never;
    Step step = no_more;
    void offer(Cost other, Step by) noexcept {
      if (other < cost) *this = {other, by};
    }
  };

  /// Of the fewer ends, those that are matched at a time, and by how many the others can be shifted.
  struct Piece {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t lowest = 0;  // shift of the first column, plus most_extra
    std::size_t width = 0;
  };
  struct Match {
    std::size_t i, j;
  };

  /// Where times tell that all that is missing is missing at the beginning or at the end: of the others, the one to
  /// which the first of the fewer belongs.
  [[nodiscard]] std::optional<std::size_t> by_times(bool was_cut) const noexcept {
    constexpr std::size_t least_by_times = 8;
    if (missing_ == 0 || fewer_.size() < least_by_times) return std::nullopt;
    const auto apart_from = [&](std::size_t first) {
      return std::minmax({apart(fewer_[0], more_[first]), apart(fewer_.back(), more_[first + fewer_.size() - 1])});
    };
    const auto [near, far] = apart_from(0);
    const auto [late_near, late_far] = apart_from(missing_);
    // Few repetitions may be the difference of clocks.
    const auto jump = static_cast<std::uint64_t>(half_);
    const auto are_right = [&](std::uint64_t right, std::uint64_t wrong) {
      return wrong > 6 * jump && (right < wrong / 10 || (right < 2 * jump && right < wrong / 4));
    };
    if (!was_cut && are_right(late_far, near)) return missing_;
    if (are_right(far, late_near)) return 0;
    return std::nullopt;
  }

  // In the row of the i-th of the fewer ends, the j-th of the others has the column j - i, less the lowest shift.
  [[nodiscard]] std::size_t column(std::size_t i, std::size_t j) const noexcept {
    return j + most_extra - piece_.lowest - i;
  }
  [[nodiscard]] bool is_possible(std::size_t i, std::size_t j) const noexcept {
    return i < piece_.end && j < more_.size() && column(i, j) < piece_.width;
  }
  [[nodiscard]] bool is_in_range(std::size_t i, std::size_t j) const noexcept {
    return ranges_.empty() || (j >= ranges_[i].first && j < ranges_[i].last);
  }
  [[nodiscard]] Row& row(std::size_t i) noexcept { return rows_[i - row_]; }
  /// never: they cannot be matched.
  [[nodiscard]] Cost rest(std::size_t i, std::size_t j) noexcept {
    return column(i, j) < piece_.width ? row(i).cost[column(i, j)] : never;
  }
  /// After a match with that one of the others or a later one.
  [[nodiscard]] Cost least_rest(std::size_t i, std::size_t j) noexcept {
    return column(i, j) < piece_.width ? row(i).cost[row(i).least[column(i, j)]] : never;
  }
  /// That or more, after a match of that one of the others with that of the fewer ends or a later one.
  [[nodiscard]] Cost bound(std::size_t i, std::size_t j) const noexcept {
    return i < piece_.end && column(i, j) < piece_.width ? bounds_[i - row_][column(i, j)] : never;
  }

  /// Matched in order from that one of the others on.
  [[nodiscard]] Cost in_order_cost(std::size_t first) const;
  [[nodiscard]] Cost in_order_end(std::size_t first) const noexcept {
    return fewer_.empty() ? 0 : behind(fewer_.size() - 1 + first);
  }

  [[nodiscard]] bool stands_still(std::size_t i, std::size_t j, std::size_t next_i, std::size_t next_j) const noexcept {
    return fewer_[i].time == fewer_[next_i].time || more_[j].time == more_[next_j].time;
  }
  [[nodiscard]] Ticks difference(std::size_t i, std::size_t j, std::size_t next_i, std::size_t next_j) const noexcept {
    return subtract_saturating(more_[next_j].time - more_[j].time, fewer_[next_i].time - fewer_[i].time);
  }
  [[nodiscard]] Cost change(std::size_t i, std::size_t j, std::size_t next_i, std::size_t next_j) const noexcept {
    if (stands_still(i, j, next_i, next_j)) return 0;
    const Cost apart = 2 * std::abs(std::clamp(difference(i, j, next_i, next_j), -most_, most_));
    const Cost cost = are_calls() && apart < 2 * half_ ? of_calls(apart, i, next_i) : apart;
    return cost < 2 * half_ ? cost : stretched(cost);
  }
  /// Of calls that follow each other closely, delays are closer.
  [[nodiscard]] Cost of_calls(Cost apart, std::size_t i, std::size_t next_i) const noexcept {
    const Ticks gap = fewer_[next_i].time - fewer_[i].time;
    const Ticks jump = std::clamp(gap / 2, std::max<Ticks>(1, half_ / closest_calls), half_);
    return std::min(2 * half_, apart * (half_ * in_full / jump) / in_full);
  }
  [[nodiscard]] Cost jump() const noexcept { return stretched(2 * most_); }
  [[nodiscard]] Cost stretched(Cost cost) const noexcept { return cost * learnt_.stretch / in_full; }
  /// What the ends from a match on may cost less by chance, if they are shifted by so many more or less than before.
  /// That the last ones belong together is as likely as a shift by one, unless they are more than four times as far
  /// apart in time as the first ones.
  [[nodiscard]] Cost luck_of(std::size_t shift, std::size_t i, std::size_t j) const noexcept {
    const bool at_end = likely_at_end_ && j == i + missing_;
    return at_end || shift == 1 ? learnt_.luck_of_one : learnt_.luck;
  }
  /// Ends are left out ahead of a match, after another one whose delay differs so.
  [[nodiscard]] Cost luck_of(Cost change, std::size_t shift, std::size_t i, std::size_t j) const noexcept {
    return change >= 2 * half_ ? luck_of(shift, i, j) : 0;
  }
  [[nodiscard]] Cost lengths(std::size_t i, std::size_t j) const noexcept {
    const std::uint64_t a = fewer_[i].bytes;
    const std::uint64_t b = more_[j].bytes;
    return a != b && a != 0 && b != 0 ? unlike_cost_ : 0;
  }
  [[nodiscard]] bool are_calls() const noexcept { return unlike_cost_ == never; }
  /// That many of the fewer ends are left out. Each call costs more than its difference of delays can, and the luck,
  /// so that none is left out only to have no difference.
  [[nodiscard]] Cost extra(std::size_t ends) const noexcept {
    return place() + (half_ + (are_calls() ? jump() + learnt_.luck_of_fewer : 2 * half_)) * static_cast<Cost>(ends);
  }
  /// That these are left out, and not others: of messages.
  [[nodiscard]] Cost luck_of_extra() const noexcept { return are_calls() ? 0 : learnt_.luck_of_fewer; }
  /// The same between two matches whose delays differ so. A single delay that is unusual also looks like ends that are
  /// missing, one of each side.
  [[nodiscard]] Cost luck_of_extra(Cost change) const noexcept {
    return are_calls() || change >= 2 * half_ ? luck_of_extra() : learnt_.luck_of_one;
  }

  [[nodiscard]] static std::vector<std::uint32_t> turns_of(std::span<const End> ends) {
    std::vector<std::uint32_t> turns;
    turns.reserve(ends.size());
    for (const End& end : ends)
      turns.push_back(has_turns(ends) ? end.turn : static_cast<std::uint32_t>(turns.size()) + 1);
    return turns;
  }
  [[nodiscard]] std::uint32_t fewer_turns(std::size_t i, std::size_t to) const noexcept {
    return fewer_turns_[to] - fewer_turns_[i];
  }
  [[nodiscard]] std::uint32_t more_turns(std::size_t j, std::size_t to) const noexcept {
    return more_turns_[to] - more_turns_[j];
  }
  /// As many turns on both sides.
  [[nodiscard]] bool turns_are_alike(std::size_t i, std::size_t j, std::size_t next_i, std::size_t next_j) const {
    return have_turns_ && fewer_turns(i, next_i) == more_turns(j, next_j);
  }
  /// The end of the others that is as many turns on as the next one of the fewer; none: an end behind the last.
  [[nodiscard]] std::size_t alike_turn(std::size_t i, std::size_t j, std::size_t next_i) const;
  /// Others are left out, where turns are not alike.
  [[nodiscard]] Cost others_place() const noexcept { return is_counted_ ? 3 * half_ : place(); }
  /// So are the first ones.
  [[nodiscard]] Cost ahead(std::size_t j) const noexcept {
    if (first_ > 0 ? j == first_ : fewer_turns_[0] == more_turns_[j]) return 0;
    const Cost cost = is_counted_ ? 2 * half_ : place();
    if (j == first_) return cost;
    if (!by_times_) return cost + luck_of(j, 0, j);
    return cost + (apart(fewer_[0], more_[j]) < apart(fewer_[0], more_[first_]) ? learnt_.luck : 2 * learnt_.luck);
  }
  /// So are those behind a match of the last of the fewer ends.
  [[nodiscard]] Cost behind(std::size_t j) const noexcept {
    return is_counted_ && j + 1 < more_.size() ? 2 * half_ : 0;
  }
  /// The piece ends with that match, or leaves out the ends behind it.
  [[nodiscard]] Cost last(std::size_t i, std::size_t j) const noexcept {
    const std::size_t left = piece_.end - 1 - i;
    if (left > 0) return extra(left) + luck_of_extra();
    return is_last() ? behind(j) : 0;
  }
  /// What is left out between two matches.
  [[nodiscard]] Cost left_out(std::size_t i, std::size_t j, std::size_t next_i, std::size_t next_j) const;

  /// Costs are never negative, and of several choices of the same cost the first one is taken.
  [[nodiscard]] static bool may_be_less(Cost at_least, const Choice& best) noexcept { return at_least < best.cost; }

  /// At least, of all that goes on from one of the fewer ends: one of so many has a match.
  [[nodiscard]] Cost least_from(std::size_t i) noexcept {
    if (i + most_extra >= piece_.end) return 0;
    Cost least = never;
    for (std::size_t k = i; k <= i + most_extra; ++k) least = std::min(least, row(k).cost[row(k).least[0]]);
    return least;
  }

  [[nodiscard]] Choice begin();
  [[nodiscard]] Choice after(std::size_t i, std::size_t j);
  void leave_out_others(std::size_t i, std::size_t j, Choice& best);
  void leave_out_both(std::size_t i, std::size_t j, Choice& best);
  void leave_out_fewer(std::size_t i, std::size_t j, Choice& best);
  /// Nothing is known to be missing right behind that one of the fewer ends, of messages: what follows is simple.
  [[nodiscard]] bool is_plain(std::size_t i) const noexcept {
    const std::size_t last = i + 1 + most_extra;
    return ranges_.empty() && !are_calls() && last < piece_.end && fewer_turns(i, last) == last - i &&
           fewer_[i].time != fewer_[i + 1].time && fewer_[i + 2].time - fewer_[i].time < longest_plain;
  }
  /// From each of the others to the next one, where these are a turn apart, and some time; none: less than any.
  [[nodiscard]] std::vector<Ticks> plain_gaps() const {
    std::vector<Ticks> gaps(more_.size(), -longest_plain);
    for (std::size_t j = 0; j + 1 < more_.size(); ++j)
      if (const Ticks gap = more_[j + 1].time - more_[j].time; gap > 0 && more_turns(j, j + 1) == 1)
        gaps[j] = std::min(gap, 2 * longest_plain);
    return gaps;
  }
  /// The columns of a row.
  struct Columns {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  /// Those of ends that are there.
  [[nodiscard]] Columns columns(std::size_t i) const noexcept {
    const std::size_t begin = most_extra - std::min(most_extra, i + piece_.lowest);
    const std::size_t first = i + begin + piece_.lowest - most_extra;
    return {begin, std::min(piece_.width, begin + more_.size() - std::min(more_.size(), first))};
  }
  Columns fill_in_order(std::size_t i, Columns all);
  void fill_column(std::size_t i, std::size_t at);
  void fill_row(std::size_t i);
  /// The rows of the piece. False: the rest costs as much as most, or more.
  [[nodiscard]] bool fill(Cost most);
  [[nodiscard]] Piece first_piece() const noexcept;
  [[nodiscard]] Piece piece_from(Match match) const noexcept;
  /// Behind a match, or ahead of the first one: from there on, up to the match with which the next piece begins.
  Match follow(Match at, Step next, Partners& partners) const;
  /// The piece, from that match on or, the first one, from none. None: it costs as much as most, or more.
  [[nodiscard]] std::optional<KnownPieces::Piece> cheapest_piece(std::optional<Match> from, Cost most);
  [[nodiscard]] std::optional<KnownPieces::Piece> known_piece(std::optional<Match> from, Cost most);
  [[nodiscard]] bool has_known_turns() const;
  /// That part of the piece, the last rows of which the next one decides.
  [[nodiscard]] std::size_t cut() const noexcept { return piece_.begin + certain_ends; }
  [[nodiscard]] bool is_last() const noexcept { return piece_.end == fewer_.size(); }

  std::span<const End> fewer_;
  std::span<const End> more_;
  std::span<const Range> ranges_;
  KnownPieces* known_;  // nullptr: none
  Ticks half_;
  Ticks most_;  // a difference of delays from there on is a jump
  Cost unlike_cost_;
  bool have_turns_;  // one side at least
  bool is_counted_;  // turns tell where others can be left out; a jump may be a step
  std::vector<std::uint32_t> fewer_turns_;
  std::vector<std::uint32_t> more_turns_;
  std::vector<Ticks> plain_gaps_;  // behind each of the others
  std::size_t missing_;            // of the fewer ends
  std::optional<std::size_t> by_times_;
  std::size_t first_;  // of the others, to which the first of the fewer belongs in order
  bool likely_at_end_;
  std::array<Row, most_extra + 2> rows_;  // from the current one on
  std::array<Costs, 3> bounds_;           // as rows
  std::size_t row_ = 0;                   // the current one
  Piece piece_;
  std::vector<Step> steps_;                   // after each match of the piece
  std::array<Costs, most_extra + 1> at_cut_;  // of the rows from there on, as rows
  // By learn_from.
  struct Learnt {
    Cost stretch = in_full;  // of jumps
    Cost luck_of_one = 0;
    Cost luck = 0;
    Cost luck_of_fewer = 0;  // that some of the fewer ends are left out
  };
  Learnt learnt_;
  Cost least_ = never;
};

std::size_t CheapestMatching::alike_turn(std::size_t i, std::size_t j, std::size_t next_i) const {
  const std::uint32_t on = fewer_turns(i, next_i);
  if (!have_turns_) return more_.size();
  // Each has a later turn than the one before.
  const auto last = more_turns_.begin() + static_cast<std::ptrdiff_t>(std::min(more_.size(), j + on + 1));
  const auto found = std::lower_bound(more_turns_.begin() + static_cast<std::ptrdiff_t>(j), last, more_turns_[j] + on);
  const bool is_there = found != last && *found == more_turns_[j] + on;
  return is_there ? static_cast<std::size_t>(found - more_turns_.begin()) : more_.size();
}

Cost CheapestMatching::left_out(std::size_t i, std::size_t j, std::size_t next_i, std::size_t next_j) const {
  const std::size_t fewer = next_i - i - 1;
  if (turns_are_alike(i, j, next_i, next_j) && fewer_turns(i, next_i) - fewer - 1 >= next_j - j - 1) return 0;
  if (fewer > 0) return extra(fewer);
  if (next_j > j + 1) return others_place();
  return have_turns_ ? place() : 0;
}

/// The next match leaves out some of the others, or none.
void CheapestMatching::leave_out_others(std::size_t i, std::size_t j, Choice& best) {
  if (i + 1 == piece_.end) return;
  const std::uint32_t on = fewer_turns(i, i + 1);  // more than 1: ends are missing
  const auto offer = [&](std::size_t next) {
    const Cost place = on > 1 ? left_out(i, j, i + 1, next) : others_place();
    const Cost changes = change(i, j, i + 1, next);
    const Cost luck = place > 0 ? luck_of(changes, next - j - 1, i + 1, next) : 0;
    best.offer(rest(i + 1, next) + place + changes + luck, step(0, next - j - 1));
  };
  std::size_t to = j + 1;
  if (to == more_.size()) return;
  if (const Cost rest = this->rest(i + 1, to); may_be_less(rest, best)) {
    const bool is_alike = !have_turns_ || on == more_turns(j, to);
    best.offer(rest + (is_alike ? 0 : place()) + change(i, j, i + 1, to), step(0, 0));
  }
  const Cost place = on > 1 ? 0 : others_place();  // at least
  for (++to; is_possible(i + 1, to); ++to) {
    if (to > j + 2 && !stands_still(i, j, i + 1, to) && difference(i, j, i + 1, to) >= most_) break;
    if (may_be_less(rest(i + 1, to) + place, best)) offer(to);
  }
  // All further ones are jumps.
  if (!may_be_less(least_rest(i + 1, to) + place + jump() + (on > 1 ? 0 : learnt_.luck_of_one), best)) return;
  const std::size_t from = column(i + 1, to);
  const std::size_t next = to + (row(i + 1).least[from] - from);
  const std::size_t alike = on > 1 ? alike_turn(i, j, i + 1) : more_.size();
  const std::size_t last = i + 1 + missing_;
  std::array further{std::min(next, last), std::max(next, last), alike};
  if (on > 1) std::sort(further.begin(), further.end());
  for (const std::size_t other : further)
    if (other >= to && is_possible(i + 1, other)) offer(other);
}

/// The next match leaves out some of the fewer ones.
void CheapestMatching::leave_out_fewer(std::size_t i, std::size_t j, Choice& best) {
  const std::size_t end = std::min({most_extra + 1, column(i, j) + 1, piece_.end - 1 - i});
  const bool others_are_missing = j + 1 < more_.size() && more_turns(j, j + 1) > 1;
  // The more are left out, the more delays differ.
  Cost least = others_are_missing ? 0 : extra(1) + std::min(learnt_.luck_of_one, luck_of_extra());
  if (!are_calls() && !others_are_missing && may_be_less(bound(i + 2, j + 1) + least, best)) {
    const bool differs = !stands_still(i, j, i + 2, j + 1) && difference(i, j, i + 2, j + 1) < 0;
    least += differs ? change(i, j, i + 2, j + 1) : 0;
  }
  if (others_are_missing || may_be_less(bound(i + 2, j + 1) + least, best))
    for (std::size_t left = 1; left < end; ++left, least += others_are_missing ? 0 : 3 * half_) {
      const Cost rest = row(i + 1 + left).cost[column(i, j) - left];
      if (!may_be_less(rest + least, best)) continue;
      const Cost left_out = others_are_missing ? this->left_out(i, j, i + 1 + left, j + 1) : extra(left);
      const Cost changes = change(i, j, i + 1 + left, j + 1);
      const Cost luck = left_out > 0 ? luck_of_extra(changes) : 0;
      best.offer(rest + left_out + changes + luck, step(left, 0));
    }
  // Or some of both, if turns tell that they are alone.
  const std::size_t last = std::min(i + 1 + most_extra, piece_.end - 1);
  if (fewer_turns(i, last) == last - i) return;
  for (std::size_t left = 1; i + 1 + left <= last; ++left) {
    const std::size_t next = i + 1 + left;
    if (fewer_turns(i, next) == left + 1) continue;
    const std::size_t to = alike_turn(i, j, next);
    if (!is_possible(next, to) || to == j + 1 || left_out(i, j, next, to) > 0) continue;
    best.offer(rest(next, to) + change(i, j, next, to), step(left, to - j - 1));
  }
}

/// The next match leaves out some of both, which are calls.
void CheapestMatching::leave_out_both(std::size_t i, std::size_t j, Choice& best) {
  for (std::size_t left = 1; left <= most_extra; ++left)
    for (std::size_t others = 1; others <= most_extra; ++others) {
      const std::size_t next = i + 1 + left;
      const std::size_t to = j + 1 + others;
      if (!is_possible(next, to) || !may_be_less(rest(next, to) + extra(left), best)) continue;
      best.offer(rest(next, to) + extra(left) + change(i, j, next, to), step(left, others));
    }
}

CheapestMatching::Choice CheapestMatching::after(std::size_t i, std::size_t j) {
  Choice best;
  leave_out_others(i, j, best);
  leave_out_fewer(i, j, best);
  if (are_calls()) leave_out_both(i, j, best);
  if (piece_.end - 1 - i <= most_extra) best.offer(last(i, j), no_more);
  best.cost += lengths(i, j);
  return best;
}

void CheapestMatching::fill_column(std::size_t i, std::size_t at) {
  const std::size_t j = i + at + piece_.lowest - most_extra;
  if (!is_in_range(i, j)) return;
  const Choice best = after(i, j);
  rows_[0].cost[at] = std::min(best.cost, never);
  steps_[(i - piece_.begin) * piece_.width + at] = best.step;
}

/// A match of most ends is followed by one that leaves out none. If the end is plain, a few bounds tell that this costs
/// least, of most columns; the others are filled as ever. Returns which were filled.
CheapestMatching::Columns CheapestMatching::fill_in_order(std::size_t i, Columns all) {
  const std::size_t begin = std::max<std::size_t>(all.begin, 1);
  const std::size_t end = std::max(begin, all.end - std::min<std::size_t>(all.end, 3));
  const Cost* const next = rows_[1].cost.data();
  const std::uint32_t* const least = rows_[1].least.data();
  const Cost* const without_next = bounds_[2].data();
  const Ticks gap = fewer_[i + 1].time - fewer_[i].time;
  const Ticks two_gaps = fewer_[i + 2].time - fewer_[i].time;
  const Ticks half = half_;
  const Ticks most = most_;
  const Cost one_is_left_out = others_place() + learnt_.luck_of_one;
  const Cost more_are_left_out = one_is_left_out + jump();
  const Cost fewer_are_left_out = extra(1) + std::min(learnt_.luck_of_one, luck_of_extra());
  const Cost each = 2 * (learnt_.stretch / in_full);  // at least, of a difference of half or more
  const std::size_t first = i + piece_.lowest - most_extra;
  const Ticks* const gaps = plain_gaps_.data();
  Cost* const cost = rows_[0].cost.data();
  Step* const steps = steps_.data() + (i - piece_.begin) * piece_.width;
  for (std::size_t at = begin; at < end; ++at) {
    const Ticks own = gaps[first + at];
    const Ticks difference = std::abs(own - gap);
    const Ticks without_one = own + gaps[first + at + 1] - gap;
    const Ticks without_two = without_one + gaps[first + at + 2];
    const Ticks with_less = two_gaps - own;
    const Cost in_order = next[at] + 2 * difference;
    if (difference < half && without_one >= half && without_two >= most &&
        next[at + 1] + one_is_left_out + each * std::min(without_one, most) >= in_order &&
        next[least[at + 2]] + more_are_left_out >= in_order &&
        without_next[at - 1] + fewer_are_left_out + (with_less >= half ? each * std::min(with_less, most) : 0) >=
            in_order) {
      cost[at] = std::min(in_order + lengths(i, first + at), never);
      steps[at] = step(0, 0);
    } else {
      fill_column(i, at);
    }
  }
  return {begin, end};
}

void CheapestMatching::fill_row(std::size_t i) {
  std::rotate(rows_.begin(), rows_.end() - 1, rows_.end());
  std::rotate(bounds_.begin(), bounds_.end() - 1, bounds_.end());
  row_ = i;
  const std::size_t width = piece_.width;
  Row& own = row(i);
  own.cost.assign(width, never);
  own.least.resize(width);
  const Columns all = columns(i);
  const Columns filled = is_plain(i) ? fill_in_order(i, all) : Columns{all.end, all.end};
  for (std::size_t at = all.begin; at < std::min(filled.begin, all.end); ++at) fill_column(i, at);
  for (std::size_t at = filled.end; at < all.end; ++at) fill_column(i, at);
  std::size_t least = width - 1;
  for (std::size_t at = width; at-- > 0;) {
    if (own.cost[at] <= own.cost[least]) least = at;
    own.least[at] = static_cast<std::uint32_t>(least);
  }
  bounds_[0] = own.cost;
  if (i + 1 == piece_.end) return;
  const Cost left_out = 3 * half_;
  for (std::size_t at = 1; at < width; ++at) bounds_[0][at] = std::min(bounds_[0][at], bounds_[1][at - 1] + left_out);
}

/// The first match.
CheapestMatching::Choice CheapestMatching::begin() {
  Choice best;
  for (std::size_t j = 0; is_possible(0, j); ++j) best.offer(rest(0, j) + ahead(j), step(0, j));
  for (std::size_t i = 1; i <= most_extra && is_possible(i, 0); ++i)
    best.offer(rest(i, 0) + extra(i) + luck_of_extra(), step(i, 0));
  if (!are_calls()) return best;
  for (std::size_t i = 1; i <= most_extra; ++i)
    for (std::size_t j = 1; j <= most_extra && is_possible(i, j); ++j) best.offer(rest(i, j) + extra(i), step(i, j));
  return best;
}

CheapestMatching::Changes CheapestMatching::changes(const Partners& partners, std::size_t shift) const {
  double sum = 0;
  double sum_below_jump = 0;
  std::size_t below_jump = 0;
  Changes all;
  std::optional<std::size_t> before;
  for (std::size_t i = 0; i < partners.size(); ++i) {
    if (partners[i] == no_partner || partners[i] + shift >= more_.size()) continue;
    const std::size_t j = partners[i] + shift;
    if (before && !stands_still(*before, partners[*before] + shift, i, j)) {
      const Cost cost = change(*before, partners[*before] + shift, i, j);
      sum += static_cast<double>(cost);
      ++all.count;
      if (cost < 2 * half_) {
        sum_below_jump += static_cast<double>(cost);
        ++below_jump;
      }
    }
    before = i;
  }
  if (all.count > 0) all.mean = sum / static_cast<double>(all.count);
  if (below_jump > 0) all.mean_below_jump = sum_below_jump / static_cast<double>(below_jump);
  return all;
}

void CheapestMatching::learn_from(const Partners& partners) {
  const auto [right, below_jump, count] = changes(partners, 0);
  const double wrong = changes(partners, 1).mean;
  const auto most = static_cast<double>(jump()) * static_cast<double>(fewer_.size() + 1);
  const auto bit_of = [&](double mean) {
    return mean < wrong ? std::numbers::ln2 * mean * wrong / (wrong - mean) : most;
  };
  const double bit = bit_of(right);
  const double spread = right * std::sqrt(static_cast<double>(2 * count));
  const double alignments = std::sqrt(static_cast<double>(1 + std::bit_width(missing_ + 2 * most_extra + 1)));
  learnt_.luck_of_one = static_cast<Cost>(std::min({most, bits_of_one * bit, spread}));
  learnt_.luck = static_cast<Cost>(std::min(most, spread * alignments));
  learnt_.luck_of_fewer = static_cast<Cost>(std::min({most, bits_of_fewer * bit, spreads_of_fewer * spread}));
  if (clocks_go_on() && count >= differences_each && (missing_ > 0 || are_calls())) {
    const double needed = bits_of_jump * bit_of(below_jump) / static_cast<double>(jump());
    learnt_.stretch =
        static_cast<Cost>(std::clamp(needed * needed, 1.0, most_stretched) * static_cast<double>(in_full));
  }
}

bool CheapestMatching::has_luck(const Partners& partners) const {
  std::optional<std::size_t> before;
  for (std::size_t i = 0; i < partners.size(); ++i) {
    if (partners[i] == no_partner) continue;
    const std::size_t j = partners[i];
    const std::size_t left = before ? i - *before - 1 : i;
    const std::size_t from = before ? partners[*before] + 1 : first_;
    const std::size_t others = std::max(j, from) - std::min(j, from);
    const std::size_t shift = std::max(left, others) - std::min(left, others);
    const bool only_fewer = left > 0 && others == 0;
    const Cost changes = before ? change(*before, partners[*before], i, j) : 2 * half_;
    const bool is_shifted = before ? left + others > 0 && left_out(*before, partners[*before], i, j) > 0
                                   : left > 0 || (others > 0 && ahead(j) > 0);
    if (is_shifted && (only_fewer ? luck_of_extra(changes) : luck_of(changes, shift, i, j)) > 0) return true;
    before = i;
  }
  return partners.back() == no_partner && learnt_.luck_of_fewer > 0;
}

// ---- pieces -----------------------------------------------------------------------------------

/// The whole channel, if it has few states.
CheapestMatching::Piece CheapestMatching::first_piece() const noexcept {
  const std::size_t width = missing_ + 2 * most_extra + 1;
  if (fewer_.size() <= whole_states / width) return {0, fewer_.size(), 0, width};
  return {0, std::min(fewer_.size(), piece_ends), 0, std::min(width, most_width)};
}

/// The others can be shifted as by the match, and as they have to be if delays stay as they are.
CheapestMatching::Piece CheapestMatching::piece_from(Match match) const noexcept {
  const Ticks delay = more_[match.j].time - fewer_[match.i].time;
  const std::size_t end = std::min(fewer_.size(), match.i + piece_ends);
  const std::size_t own = match.j - std::min(match.i, match.j);
  std::size_t lowest = own;
  std::size_t highest = own + 2 * (missing_ * piece_ends / fewer_.size() + 1);
  std::size_t j = match.j;
  for (std::size_t i = match.i; i < end; ++i) {
    while (j < more_.size() && subtract_saturating(more_[j].time - fewer_[i].time, delay) < 0) ++j;
    lowest = std::min(lowest, j - std::min(i, j));
    highest = std::max(highest, j - std::min(i, j));
  }
  lowest = std::min(lowest, missing_);
  return {match.i, end, lowest, std::min(std::min(highest, missing_) - lowest + 2 * most_extra + 1, most_width)};
}

bool CheapestMatching::fill(Cost most) {
  steps_.assign((piece_.end - piece_.begin) * piece_.width, no_more);
  for (std::size_t i = piece_.end; i-- > piece_.begin;) {
    fill_row(i);
    if (i - cut() < at_cut_.size()) at_cut_[i - cut()] = row(i).cost;
    if (least_from(i) >= most) return false;
  }
  return true;
}

CheapestMatching::Match CheapestMatching::follow(Match at, Step next, Partners& partners) const {
  while (next != no_more && (is_last() || at.i + 1 <= cut())) {
    at.i += (next >> bits_of_others) + 1;
    at.j += (next & ((Step{1} << bits_of_others) - 1)) + 1;
    partners[at.i - piece_.begin] = static_cast<std::uint32_t>(at.j);
    next = steps_[(at.i - piece_.begin) * piece_.width + column(at.i, at.j)];
  }
  return at;
}

std::optional<KnownPieces::Piece> CheapestMatching::cheapest_piece(std::optional<Match> from, Cost most) {
  if (!fill(most)) return std::nullopt;
  const Choice next = from ? Choice{rest(from->i, from->j), steps_[column(from->i, from->j)]} : begin();
  KnownPieces::Piece piece{next.cost, 0, Partners(piece_.end - piece_.begin, no_partner)};
  if (from) piece.partners[0] = static_cast<std::uint32_t>(from->j);
  const Match last = follow(from.value_or(Match{~std::size_t{0}, ~std::size_t{0}}), next.step, piece.partners);
  piece.partners.resize(last.i + 1 - piece_.begin);
  if (!is_last() && next.cost < never) piece.behind = at_cut_[last.i - cut()][column(last.i, last.j)];
  return piece;
}

/// Are the turns of the piece as they were at first? Those of a later one only count from one end to the next.
bool CheapestMatching::has_known_turns() const {
  const std::vector<std::uint32_t>& known = known_->turns;
  const std::uint32_t later = piece_.begin == 0 ? 0 : fewer_turns_[piece_.begin] - known[piece_.begin];
  for (std::size_t i = piece_.begin; i < piece_.end; ++i)
    if (fewer_turns_[i] - known[i] != later) return false;
  return true;
}

std::optional<KnownPieces::Piece> CheapestMatching::known_piece(std::optional<Match> from, Cost most) {
  const bool is_whole = !from && is_last();
  if (known_ == nullptr || is_whole) return cheapest_piece(from, most);
  if (known_->turns.empty()) known_->turns = fewer_turns_;
  if (!has_known_turns()) return cheapest_piece(from, most);
  const KnownPieces::Key key{static_cast<Cost>(piece_.begin),
                             static_cast<Cost>(from ? from->j : 0),
                             learnt_.stretch,
                             learnt_.luck_of_one,
                             learnt_.luck,
                             learnt_.luck_of_fewer};
  if (const auto known = known_->pieces.find(key); known != known_->pieces.end()) return known->second;
  const std::optional<KnownPieces::Piece> piece = cheapest_piece(from, most);
  if (piece) known_->pieces.emplace(key, *piece);
  return piece;
}

Partners CheapestMatching::cheapest(Cost most) {
  least_ = never;
  Partners partners(fewer_.size(), no_partner);
  Cost least = 0;
  std::optional<Match> at;
  for (piece_ = first_piece();; piece_ = piece_from(*at)) {
    const std::optional<KnownPieces::Piece> piece = known_piece(at, most);
    if (!piece) return {};
    std::copy(piece->partners.begin(), piece->partners.end(),
              partners.begin() + static_cast<std::ptrdiff_t>(piece_.begin));
    least += piece->cost;
    if (is_last() || least >= std::min(most, never)) break;
    least -= piece->behind;
    at = Match{piece_.begin + piece->partners.size() - 1, piece->partners.back()};
  }
  least_ = std::min(least, never);
  return partners;
}

Cost CheapestMatching::in_order_cost(std::size_t first) const {
  const auto goes_on = [&](std::size_t k, std::size_t j) {
    return left_out(k, j, k + 1, j + 1) + change(k, j, k + 1, j + 1);
  };
  Cost sum = 0;
  for (std::size_t k = 0, j = first; k < fewer_.size(); ++k, ++j)
    sum = is_in_range(k, j) ? std::min(never, sum + lengths(k, j) + (k > 0 ? goes_on(k - 1, j - 1) : ahead(j))) : never;
  return sum;
}

Matched CheapestMatching::in_order() const {
  Matched all = first_in_first_out(fewer_.size());
  for (std::uint32_t& partner : all.partners) partner += static_cast<std::uint32_t>(first_);
  return all;
}

bool CheapestMatching::is_steady(const Partners& partners, std::size_t least_differences) const {
  std::size_t jumps = 0;
  std::size_t differences = 0;
  std::optional<std::size_t> before;
  for (std::size_t i = 0; i < partners.size(); ++i) {
    if (partners[i] == no_partner) continue;
    if (before && !stands_still(*before, partners[*before], i, partners[i])) {
      ++differences;
      const bool is_jump = change(*before, partners[*before], i, partners[i]) == jump();
      jumps += is_jump && !turns_are_alike(*before, partners[*before], i, partners[i]) ? 1U : 0U;
    }
    before = i;
  }
  const std::size_t each = are_calls() ? differences_of_calls : differences_each;
  return differences >= std::max(least_differences, each * jumps);
}

}  // namespace

Ticks half_gap(std::span<const End> ends) {
  if (ends.size() < 2) return 1;
  std::vector<Ticks> gaps;
  gaps.reserve(ends.size() - 1);
  for (std::size_t k = 1; k < ends.size(); ++k) gaps.push_back(ends[k].time - ends[k - 1].time);
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return std::clamp<Ticks>(*middle / 2, 1, longest_half);
}

Matched first_in_first_out(std::size_t ends) {
  Matched all{true, Partners(ends), 0, 0};
  std::iota(all.partners.begin(), all.partners.end(), 0U);
  return all;
}

Matched match(std::span<const End> fewer, std::span<const End> more, Unlike unlike, Clocks clocks,
              std::span<const Range> ranges, std::int64_t most_cost, bool was_cut, KnownPieces* known) {
  CheapestMatching search(fewer, more, unlike, clocks, ranges, was_cut, known);
  const bool are_calls = unlike == Unlike::impossible;
  if (are_calls) search.leave_out_as_few_as_possible();
  // Irregular delays do not tell that some of them are missing.
  const bool are_as_many_calls = are_calls && fewer.size() == more.size();
  Matched in_order = search.in_order();
  Cost cost = search.in_order_cost();
  if (cost >= search.place()) {  // any other matching leaves out ends at some place, or turns are not alike here
    cost = std::min(never, cost + search.in_order_end());
    const Cost most = search.hidden(most_cost);
    Partners cheapest = search.cheapest(most);
    if (std::min(search.least(), cost) >= most) return {};
    search.learn_from(search.least() < cost ? cheapest : in_order.partners);
    if (search.is_stretched()) cost = std::min(never, search.in_order_cost() + search.in_order_end());
    if (are_calls || search.is_stretched() || (search.least() < cost && search.has_luck(cheapest))) {
      cheapest = search.cheapest(most);
      if (std::min(search.least(), cost) >= most) return {};
    }
    if (search.least() < cost) {
      if (cost == never || search.is_steady(cheapest, 0))
        return {true, std::move(cheapest), search.gain(search.least(), cost), search.shown(search.least()),
                search.shown(search.luck_of_one())};
      if (!are_as_many_calls) return {};
    }
  } else {
    cost += search.in_order_end();
    search.learn_from(in_order.partners);
  }
  in_order.gain = search.gain(cost, cost);
  in_order.cost = search.shown(cost);
  in_order.luck = search.shown(search.luck_of_one());
  if (are_as_many_calls || search.is_steady(in_order.partners, are_calls || search.times_tell() ? 0 : differences_each))
    return in_order;
  return {};
}

void leave_out_early(std::span<const End> fewer, std::span<const End> more, bool more_are_receives, Matched& matched) {
  const Ticks jump = half_gap(fewer);
  std::vector<std::size_t> which;
  std::vector<Ticks> delays;
  for (std::size_t i = 0; i < matched.partners.size(); ++i) {
    if (matched.partners[i] == no_partner) continue;
    const Ticks apart = more[matched.partners[i]].time - fewer[i].time;
    which.push_back(i);
    delays.push_back(more_are_receives ? apart : subtract_saturating(0, apart));
  }
  for (std::size_t k = 1; k + 1 < delays.size(); ++k) {
    // A clock that is set there stays ahead or behind.
    if (std::abs(std::max(subtract_saturating(delays[k + 1], delays[k - 1]), ticks_min + 1)) >= jump) continue;
    const std::size_t last = std::min(k + matches_around, delays.size() - 1);
    std::size_t other = k - std::min(k, matches_around);
    while (other <= last && (other == k || subtract_saturating(delays[other], delays[k]) >= jump)) ++other;
    if (other > last) matched.partners[which[k]] = no_partner;
  }
}

}  // namespace clc::lost
