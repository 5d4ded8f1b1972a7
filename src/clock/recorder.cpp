#include "clock/recorder.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <iterator>

#include "clock/process_queue.hpp"

namespace clc {

namespace {

/// One end of edges: begin of a tail or end of a head, and which member it is.
struct Stamp {
  Time time;
  Rank rank;
};

bool earlier(const Stamp& a, const Stamp& b) { return a.time < b.time; }
bool later(const Stamp& a, const Stamp& b) { return b.time < a.time; }

/// Pairs of tails and heads with C(head) - C(tail) < limit; both sorted by time. O(tails + heads).
std::uint64_t count_below(std::span<const Stamp> tails, std::span<const Stamp> heads, Ticks limit) {
  std::uint64_t count = 0;
  std::size_t first = 0;  // the first tail that is too late for the head
  for (const Stamp& head : heads) {
    while (first < tails.size() && head.time - tails[first].time >= limit) ++first;
    count += tails.size() - first;
  }
  return count;
}

/// Counts the edges of one collective operation that violate the clock condition.
///
/// Sorted by time, the pairs below a limit are counted in one sweep. So all pairs are counted with the
/// default delay, then the pairs of each node again with theirs, then the listed pairs one by one.
class EdgeCounter {
 public:
  EdgeCounter(CollectiveClass kind, std::span<const CollectiveMember> members, const DelayModel& delays,
              Violations& total)
      : kind_(kind), members_(members), delays_(delays), total_(total) {
    for (Rank rank = 0; rank < members.size(); ++rank) {
      if (members[rank].node != no_node) has_nodes_ = true;
      if (members[rank].tail) tails_.push_back({members[rank].begin, rank});
      if (members[rank].head) heads_.push_back({members[rank].end, rank});
    }
  }

  void run() {
    if (kind_ == CollectiveClass::prefix) {
      halves(0, static_cast<Rank>(members_.size()), tails_, heads_);
    } else {
      std::ranges::sort(tails_, earlier);
      std::ranges::sort(heads_, earlier);
      block(tails_, heads_);
      leave_out_own();
    }
    listed_pairs();
    total_.backwards += backwards_;
    total_.violated += violated_;
  }

 private:
  /// Sorts both by time, having counted the edges from lower to higher ranks among them.
  void halves(Rank first, Rank last, std::span<Stamp> tails, std::span<Stamp> heads) {
    if (last - first < 2) return;
    const Rank middle = first + (last - first) / 2;
    const auto below = [middle](const Stamp& stamp) { return stamp.rank < middle; };
    const auto lower_tails = static_cast<std::size_t>(std::ranges::partition_point(tails, below) - tails.begin());
    const auto lower_heads = static_cast<std::size_t>(std::ranges::partition_point(heads, below) - heads.begin());
    halves(first, middle, tails.first(lower_tails), heads.first(lower_heads));
    halves(middle, last, tails.subspan(lower_tails), heads.subspan(lower_heads));
    block(tails.first(lower_tails), heads.subspan(lower_heads));
    std::inplace_merge(tails.begin(), tails.begin() + static_cast<std::ptrdiff_t>(lower_tails), tails.end(), earlier);
    std::inplace_merge(heads.begin(), heads.begin() + static_cast<std::ptrdiff_t>(lower_heads), heads.end(), earlier);
  }

  /// All pairs of tails and heads, sorted by time.
  void block(std::span<const Stamp> tails, std::span<const Stamp> heads) {
    if (tails.empty() || heads.empty()) return;
    backwards_ += count_below(tails, heads, 0);
    violated_ += count_below(tails, heads, delays_.default_delay());
    if (delays_.uniform()) return;
    std::vector<Stamp> late_tails(tails.rbegin(), tails.rend());  // latest first
    worst_pair(
        late_tails, heads, delays_.default_delay(),
        [this](const Stamp& a, const Stamp& b) { return same_node(a, b) || same_clock(a, b); },
        [this](const Stamp& a, const Stamp& b) { return node(a) != no_node ? same_node(a, b) : same_clock(a, b); });
    per_node(tails, heads);
  }

  /// Counts the pairs of each node again, with their own delay.
  void per_node(std::span<const Stamp> tails, std::span<const Stamp> heads) {
    if (!has_nodes_) return;
    std::vector<Stamp> tails_by_node(tails.begin(), tails.end());
    std::vector<Stamp> heads_by_node(heads.begin(), heads.end());
    const auto by_node = [this](const Stamp& a, const Stamp& b) { return node(a) < node(b); };
    std::ranges::stable_sort(tails_by_node, by_node);
    std::ranges::stable_sort(heads_by_node, by_node);
    for (std::size_t t = 0, h = 0; t < tails_by_node.size();) {
      const NodeIndex here = node(tails_by_node[t]);
      if (here == no_node) break;  // the highest index: known nodes are done
      std::size_t t_end = t;
      while (t_end < tails_by_node.size() && node(tails_by_node[t_end]) == here) ++t_end;
      while (h < heads_by_node.size() && node(heads_by_node[h]) < here) ++h;
      std::size_t h_end = h;
      while (h_end < heads_by_node.size() && node(heads_by_node[h_end]) == here) ++h_end;
      const std::span<Stamp> group_tails(tails_by_node.data() + t, t_end - t);
      const std::span<const Stamp> group_heads(heads_by_node.data() + h, h_end - h);
      violated_ += count_below(group_tails, group_heads, delays_.node_delay());
      violated_ -= count_below(group_tails, group_heads, delays_.default_delay());
      std::ranges::reverse(group_tails);
      const auto one_clock = [this](const Stamp& a, const Stamp& b) { return same_clock(a, b); };
      worst_pair(group_tails, group_heads, delays_.node_delay(), one_clock, one_clock);
      t = t_end;
      h = h_end;
    }
  }

  /// A member's begin is no tail of its own end.
  void leave_out_own() {
    for (const CollectiveMember& member : members_) {
      if (!member.tail || !member.head) continue;
      const Ticks delay = member.end - member.begin;
      backwards_ -= delay < 0;
      violated_ -= delay < base(member, member);
    }
  }

  /// Pairs with a delay of their own: counted with the delay of everybody else so far.
  void listed_pairs() {
    if (!delays_.has_pairs()) return;
    std::vector<std::pair<std::uint64_t, Rank>> tails;  // process number, rank
    for (const Stamp& tail : tails_) tails.emplace_back(delays_.number_of(members_[tail.rank].process), tail.rank);
    std::ranges::sort(tails);
    const std::vector<DelayModel::Pair>& listed = delays_.pairs();
    for (const Stamp& head : heads_) {
      const CollectiveMember& to = members_[head.rank];
      const std::uint64_t number = delays_.number_of(to.process);
      for (auto pair = std::lower_bound(listed.begin(), listed.end(), number,
                                        [](const DelayModel::Pair&a, std::uint64_t b) { return a.to < b; });
           pair != listed.end() && pair->to == number; ++pair) {
        const auto entry = std::lower_bound(tails.begin(), tails.end(), std::pair(pair->from, Rank{0}));
        if (entry == tails.end() || entry->first != pair->from) continue;
        const Rank rank = entry->second;
        if (kind_ == CollectiveClass::prefix ? rank >= head.rank : rank == head.rank) continue;
        const CollectiveMember& from = members_[rank];
        const Ticks delay = to.end - from.begin;
        violated_ -= delay < base(from, to);
        violated_ += delay < pair->delay;
        if (from.clock == to.clock) continue;
        note_worst(total_, from.process, to.process, to.end, delay, pair->delay);
      }
    }
  }

  // The worst unlisted pair. Tails latest first: the first one that a head may be paired with is its
  // worst; what is passed over is its own clock and its own node, each in one step, and listed pairs.

  /// For each tail the next one that is not known to be like it.
  template <class Alike>
  [[nodiscard]] static std::vector<std::size_t> next_of_others(std::span<const Stamp> tails, Alike alike) {
    std::vector<std::size_t> next(tails.size());
    for (std::size_t i = tails.size(); i-- > 0;)
      next[i] = i + 1 < tails.size() && alike(tails[i], tails[i + 1]) ? next[i + 1] : i + 1;
    return next;
  }

  /// The worst pair whose delay is mu, but for pairs that are `apart`: those have another delay, or order nothing.
  /// Tails that are `alike` are apart from the same heads.
  template <class Apart, class Alike>
  void worst_pair(std::span<const Stamp> tails, std::span<const Stamp> heads, Ticks mu, const Apart& apart,
                  const Alike& alike) {
    const std::vector<std::size_t> next = next_of_others(tails, alike);
    for (const Stamp& head : heads) {
      if (subtract_saturating(head.time - tails.front().time, mu) >= total_.worst) return;
      for (std::size_t i = 0; i < tails.size();) {
        if (apart(tails[i], head)) {
          i = next[i];
        } else if (is_listed(tails[i], head)) {
          ++i;
        } else {
          note(tails[i], head, mu);
          break;
        }
      }
    }
  }

  [[nodiscard]] NodeIndex node(const Stamp& stamp) const { return members_[stamp.rank].node; }
  [[nodiscard]] bool same_clock(const Stamp& a, const Stamp& b) const {
    return members_[a.rank].clock == members_[b.rank].clock;
  }
  [[nodiscard]] bool same_node(const Stamp& a, const Stamp& b) const {
    return node(a) != no_node && node(a) == node(b);
  }
  [[nodiscard]] bool is_listed(const Stamp& tail, const Stamp& head) const {
    return delays_.has_pairs() && delays_.is_pair(members_[tail.rank].process, members_[head.rank].process);
  }
  /// The delay of a pair that is not listed.
  [[nodiscard]] Ticks base(const CollectiveMember& from, const CollectiveMember& to) const {
    return from.node != no_node && from.node == to.node ? delays_.node_delay() : delays_.default_delay();
  }
  void note(const Stamp& tail, const Stamp& head, Ticks mu) {
    note_worst(total_, members_[tail.rank].process, members_[head.rank].process, head.time, head.time - tail.time, mu);
  }

  CollectiveClass kind_;
  std::span<const CollectiveMember> members_;
  const DelayModel& delays_;
  Violations& total_;
  bool has_nodes_ = false;
  std::vector<Stamp> tails_;
  std::vector<Stamp> heads_;
  std::uint64_t backwards_ = 0;  // unsigned throughout: what is taken away was counted before
  std::uint64_t violated_ = 0;
};

/// How many edges a collective operation of many senders and receivers has, and the fastest of them.
struct Extent {
  std::uint64_t edges = 0;
  Ticks smallest_delay = ticks_max;
  Rank tail = no_rank;
  Rank head = no_rank;

  void note(const Stamp& from, const Stamp& to) noexcept {
    if (tail != no_rank && to.time - from.time >= smallest_delay) return;
    smallest_delay = to.time - from.time;
    tail = from.rank;
    head = to.rank;
  }
};

/// The first two, of different clocks.
class FirstTwo {
 public:
  explicit FirstTwo(std::span<const CollectiveMember> members) : members_(members) {}
  template <class Before>
  void keep(const Stamp& stamp, Before before) {
    if (two_[0].rank == no_rank || before(stamp, two_[0])) {
      if (two_[0].rank != no_rank && !same_clock(stamp, two_[0])) two_[1] = two_[0];
      two_[0] = stamp;
    } else if (!same_clock(stamp, two_[0]) && (two_[1].rank == no_rank || before(stamp, two_[1]))) {
      two_[1] = stamp;
    }
  }
  [[nodiscard]] const Stamp* begin() const noexcept { return two_.data(); }
  [[nodiscard]] const Stamp* end() const noexcept {
    return two_.data() + (two_[0].rank != no_rank) + (two_[1].rank != no_rank);
  }
  [[nodiscard]] bool same_clock(const Stamp& a, const Stamp& b) const noexcept {
    return members_[a.rank].clock == members_[b.rank].clock;
  }

 private:
  std::span<const CollectiveMember> members_;
  std::array<Stamp, 2> two_{{{Time::earliest(), no_rank}, {Time::earliest(), no_rank}}};
};

Extent extent_of_all(std::span<const CollectiveMember> members) {
  Extent extent;
  FirstTwo latest(members);
  FirstTwo first(members);
  std::uint64_t tails = 0;
  std::uint64_t heads = 0;
  std::uint64_t both = 0;
  for (Rank rank = 0; rank < members.size(); ++rank) {
    const CollectiveMember& member = members[rank];
    tails += member.tail;
    heads += member.head;
    both += member.tail && member.head;
    if (member.tail) latest.keep({member.begin, rank}, later);
    if (member.head) first.keep({member.end, rank}, earlier);
  }
  extent.edges = tails * heads - both;
  for (const Stamp& tail : latest)
    for (const Stamp& head : first)
      if (!latest.same_clock(tail, head)) extent.note(tail, head);
  return extent;
}

Extent extent_of_prefix(std::span<const CollectiveMember> members) {
  Extent extent;
  std::uint64_t tails = 0;
  FirstTwo latest(members);
  for (Rank rank = 0; rank < members.size(); ++rank) {
    const CollectiveMember& member = members[rank];
    if (member.head) {
      extent.edges += tails;
      const Stamp head{member.end, rank};
      const auto* const tail =
          std::ranges::find_if(latest, [&](const Stamp& stamp) { return !latest.same_clock(stamp, head); });
      if (tail != latest.end()) extent.note(*tail, head);
    }
    if (!member.tail) continue;
    ++tails;
    latest.keep({member.begin, rank}, later);
  }
  return extent;
}

/// Pairs of begins and ends of members that share a clock: they order nothing.
Violations pairs_within_clocks(CollectiveClass kind, std::span<const CollectiveMember> members,
                               const DelayModel& delays) {
  std::vector<CollectiveMember> by_clock(members.begin(), members.end());
  std::ranges::stable_sort(by_clock, {}, &CollectiveMember::clock);
  Violations within;
  for (auto first = by_clock.begin(); first != by_clock.end();) {
    const auto end = std::find_if(first, by_clock.end(),
                                  [&](const CollectiveMember& member) { return member.clock != first->clock; });
    if (end - first > 1) {
      const std::span<const CollectiveMember> of_clock(first, end);
      within.edges += (kind == CollectiveClass::prefix ? extent_of_prefix(of_clock) : extent_of_all(of_clock)).edges;
      EdgeCounter(kind, of_clock, delays, within).run();
    }
    first = end;
  }
  return within;
}

}  // namespace

namespace {

/// What the ordered pairs of one operation showed.
struct Pairs {
  Ticks smallest_delay = ticks_max;  ///< between clocks; ticks_max: there are none
  std::uint64_t disagree = 0;        ///< pairs within a clock that end before they begin
};

/// Adds the ordered pairs of one operation.
Pairs add_collective(Violations& total, CollectiveClass kind, Rank root, std::span<const CollectiveMember> members,
                     const DelayModel& delays, bool shared) {
  Pairs pairs;
  const auto edge = [&](const CollectiveMember& from, const CollectiveMember& to) {
    if (!from.tail || !to.head || from.process == to.process) return;
    if (from.clock == to.clock) {
      pairs.disagree += to.end < from.begin;
      return;
    }
    pairs.smallest_delay = std::min(pairs.smallest_delay, to.end - from.begin);
    add(total, from.process, to.process, to.end, to.end - from.begin,
        delays.between(DelayModel::Place{from.process, from.node}, DelayModel::Place{to.process, to.node}));
  };
  if (kind == CollectiveClass::one_to_n || kind == CollectiveClass::n_to_one) {
    if (root >= members.size()) return pairs;
    for (const CollectiveMember& member : members)
      kind == CollectiveClass::one_to_n ? edge(members[root], member) : edge(member, members[root]);
    return pairs;
  }
  const Extent extent = kind == CollectiveClass::prefix ? extent_of_prefix(members) : extent_of_all(members);
  Violations within;
  if (shared) within = pairs_within_clocks(kind, members, delays);
  pairs.disagree = within.backwards;
  if (extent.edges == within.edges) return pairs;
  pairs.smallest_delay = extent.smallest_delay;
  total.edges += extent.edges - within.edges;
  if (delays.uniform())
    note_worst(total, members[extent.tail].process, members[extent.head].process, members[extent.head].end,
               extent.smallest_delay, delays.default_delay());
  const bool fine = extent.smallest_delay >= delays.largest();
  const bool best = subtract_saturating(extent.smallest_delay, delays.largest()) >= total.worst;
  if (fine && (best || delays.uniform())) return pairs;
  EdgeCounter(kind, members, delays, total).run();
  total.backwards -= within.backwards;
  total.violated -= within.violated;
  return pairs;
}

}  // namespace

namespace {

void widen(std::span<GammaCourse::Span> spans) noexcept {
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const GammaCourse::Span span = spans[i];
    spans[i] = GammaCourse::Span{};
    spans[i / 2].merge(span);
  }
}

}  // namespace

void GammaRecorder::change(GammaCourse& course, Time time, double gamma) noexcept {
  course.spans_[course.span_].merge(course.counted());
  course.events_ = 0;
  course.gamma_ = gamma;
  const std::uint64_t since = time < course.start_ ? 0 : ticks_between(course.start_, time);
  while (since >> course.shift_ >= GammaCourse::most_spans) {
    widen(course.spans_);
    ++course.shift_;
  }
  course.span_ = since >> course.shift_;
  course.span_ticks_ = std::uint64_t{1} << course.shift_;
  const auto start = static_cast<std::uint64_t>(course.start_.ticks());
  course.span_start_ = Time(static_cast<std::int64_t>(start + (course.span_ << course.shift_)));
}

void Recorder::collective(CollectiveClass kind, Rank root, std::span<const CollectiveMember> members,
                          const DelayModel& delays, bool shared) {
  ++collective_operations_;
  const Pairs pairs = add_collective(collectives_, kind, root, members, delays, shared);
  count(Case::clock_disagrees, pairs.disagree);
  if (observer != nullptr) [[unlikely]]
    observer->operation(kind, root, members);
  if (delays.of_communicator()) {
    smallest_own_delay_ = std::min(smallest_own_delay_, pairs.smallest_delay);
    return;
  }
  smallest_collective_delay_ = std::min(smallest_collective_delay_, pairs.smallest_delay);
  if (kind == CollectiveClass::n_to_n) add_trip(members, delays);
}

void Recorder::add_trip(std::span<const CollectiveMember> members, const DelayModel& delays) {
  std::array<const CollectiveMember*, 2> shortest{};
  const auto duration = [](const CollectiveMember& member) { return member.end - member.begin; };
  for (const CollectiveMember& member : members) {
    if (!member.tail || !member.head) continue;
    const bool shorter = shortest[0] == nullptr || duration(member) < duration(*shortest[0]);
    if (shortest[0] != nullptr && shortest[0]->clock == member.clock) {  // no trip between clocks
      if (shorter) shortest[0] = &member;
    } else if (shorter) {
      shortest = {&member, shortest[0]};
    } else if (shortest[1] == nullptr || duration(member) < duration(*shortest[1])) {
      shortest[1] = &member;
    }
  }
  if (shortest[1] == nullptr) return;
  const DelayModel::Place a{shortest[0]->process, shortest[0]->node};
  const DelayModel::Place b{shortest[1]->process, shortest[1]->node};
  RoundTripRecorder::add(short_trips_, add_saturating(duration(*shortest[0]), duration(*shortest[1])), 0,
                         add_saturating(delays.between(a, b), delays.between(b, a)));
}

void Recorder::follow_cycle(const PairStatistics& pair, Ticks mu) {
  const std::size_t processes = std::size_t{std::max(pair.sender, pair.receiver)} + 1;
  if (chains_.size() < processes) chains_.resize(std::max(processes, 2 * chains_.size()));
  const Chain& before = chains_[pair.sender];
  const Time sent = pair.last_received - pair.last_delay;
  Chain chain{pair.last_received, pair.last_delay, mu, 0, 1, pair.sender};
  if (before.hops != 0 && before.hops < chains_.size() && before.received <= sent) {
    chain.delays = add_saturating(before.delays, pair.last_delay);
    chain.mus = add_saturating(before.mus, mu);
    chain.between = add_saturating(before.between, sent - before.received);
    chain.hops = before.hops + 1;
    chain.origin = before.origin;
  }
  if (chain.origin == pair.receiver) {
    RoundTripRecorder::add(short_trips_, chain.delays, chain.between, chain.mus, chain.hops);
    chain.hops = 0;
  }
  chains_[pair.receiver] = chain;
}

void Recorder::collective_left(CollectiveClass kind, Rank root, std::span<const CollectiveMember> members,
                               const DelayModel& delays, bool shared) {
  Violations left;
  static_cast<void>(add_collective(left, kind, root, members, delays, shared));
  violations_left_ += left.violated;
}

std::uint32_t Recorder::new_pair(ProcessIndex sender, ProcessIndex receiver) {
  if (pairs_.size() >= pair_limit) return no_pair;
  if (!pair_numbers_.holds(pairs_.size() + 1)) {
    pair_numbers_.rebuild(static_cast<std::uint32_t>(pairs_.size()), [this](std::uint32_t number) {
      return hash_of(pairs_[number].sender, pairs_[number].receiver);
    });
  }
  if (pairs_.size() == pairs_.capacity())
    pairs_.reserve(64 + pairs_.size() + pairs_.size() / 4);  // many: less to spare
  PairStatistics& pair = pairs_.emplace_back();
  pair.sender = sender;
  pair.receiver = receiver;
  const auto number = static_cast<std::uint32_t>(pairs_.size() - 1);
  pair.reverse = find_pair(receiver, sender);
  if (pair.reverse != no_pair) pairs_[pair.reverse].reverse = number;
  pair_numbers_.add(hash_of(sender, receiver), number);
  return number;
}

void Recorder::count_moved(Ticks shift, std::uint64_t count) noexcept {
  if (shift == 0) return;
  movement_.moved += count;
  movement_.shifts[static_cast<std::size_t>(std::bit_width(magnitude(shift) >> 1U))] += count;
}

void Recorder::step_back(const StepBack& step) {
  count(Case::clock_set_back);
  const auto larger = [](const StepBack& a, const StepBack& b) { return a.size() > b.size(); };
  if (steps_back_.size() == most_steps_back) {
    if (!larger(step, steps_back_.back())) return;
    steps_back_.pop_back();
  }
  steps_back_.insert(std::upper_bound(steps_back_.begin(), steps_back_.end(), step, larger), step);
}

// ---- movement ---------------------------------------------------------------------------------

/// Of the moments every other one remains.
void CourseRecorder::widen(CorrectionCourse& course) noexcept {
  auto& ranges = course.ranges_;
  constexpr std::size_t half = CorrectionCourse::most_moments / 2;
  for (std::size_t i = 0; i < half; ++i) ranges[i] = ranges[2 * i];
  std::fill(ranges.begin() + half, ranges.end(), CorrectionCourse::Range{});
  ++course.shift_;
}

void CourseRecorder::add_moments(CorrectionCourse& course, Time since, Ticks correction, std::span<const Corrected> run,
                                 bool sorted) noexcept {
  if (!sorted && run.size() > 1) {
    for (std::size_t i = 0; i < run.size(); ++i) {
      add_moments(course, since, correction, run.subspan(i, 1), true);
      since = run[i].recorded;
      correction = run[i].time - since;
    }
    return;
  }
  reach(course, run.back().recorded);
  const std::uint64_t end = first_from(course, run.back().recorded);
  for (std::uint64_t k = first_from(course, since); k < end; ++k) {
    const auto from_start = k << course.shift_;
    const auto later = std::ranges::partition_point(run, [&](const Corrected& event) {
      return event.recorded <= course.start_ || ticks_between(course.start_, event.recorded) <= from_start;
    });
    course.ranges_[k].add(later == run.begin() ? correction : std::prev(later)->time - std::prev(later)->recorded);
  }
}

void Recorder::raised(ClockIndex clock, std::uint64_t index) {
  if (clock >= raised_.size()) raised_.resize(clock + std::size_t{1}, never);
  raised_[clock] = index + 1;
}

void Recorder::note_growth(const Corrected& event, double length, double growth) noexcept {
  const double gradient = (growth - 1) / length;
  if (gradient > wanted_gradient) movement_.steep_time += length;
  SteepestPiece& steepest = movement_.steepest;
  const bool earlier = std::pair(event.recorded, event.process) < std::pair(steepest.time, steepest.process);
  if (gradient > steepest.gradient || (gradient == steepest.gradient && earlier))
    steepest = {gradient, event.process, event.recorded};
  noted_gradient_ = std::min(wanted_gradient, steepest.gradient);
}

inline void Recorder::changed_interval(const Corrected& event, Ticks length, Ticks change, std::size_t kind) noexcept {
  auto& changed_of = movement_.changed[kind];
  if (length < 0) [[unlikely]] {  // no interval: the clock was set back
    movement_.local_time -= static_cast<double>(length);
    --movement_.intervals[kind >= kind_of(false, true)];
    movement_.at_receives -= kind % 2;
    return;
  }
  const double size = std::abs(static_cast<double>(change));
  const double error = length == 0 ? 0 : size / static_cast<double>(length);
  Changed& changed = length == 0 ? changed_of[of_tie] : error <= 1e-3 ? changed_of[small] : changed_of[large];
  ++changed.count;
  changed.sum += size;
  changed.largest = std::max(changed.largest, size);
  changed.relative_sum += error;
  changed.relative_largest = std::max(changed.relative_largest, error);
  if (change > 1 && error > noted_gradient_) note_growth(event, static_cast<double>(length), size);
}

namespace {

/// A set of roles. Repeated, so that the bits above the role in Node::order_and_role do not matter.
constexpr std::uint32_t roles_of(std::initializer_list<Role> list) noexcept {
  std::uint32_t set = 0;
  for (const Role role : list) set |= 0x0101'0101U << static_cast<unsigned>(role);
  return set;
}
constexpr std::uint32_t heads =
    roles_of({Role::receive, Role::collective_end, released::receive, released::collective_end});
constexpr bool is_one(std::uint32_t of, std::uint64_t order_and_role) noexcept {
  return (of >> (order_and_role & 31U) & 1U) != 0;
}

}  // namespace

void Recorder::add_movement(ProcessStatistics& p, std::span<const Corrected> run, Roles roles, bool raised) {
  // Mostly the shift stays as it is: such events are counted together.
  std::size_t first = 0;  // with this shift
  Time last_recorded = p.last_recorded;
  Ticks last_shift = p.last_corrected - p.last_recorded;
  const std::size_t begin = p.events == 0 ? 1 : 0;
  if (begin == 1) {  // no interval ends here
    movement_.at_receives -= is_one(heads, roles.front());
    movement_.first_recorded = std::min(movement_.first_recorded, run.front().recorded);
    movement_.first_corrected = std::min(movement_.first_corrected, run.front().time);
    last_recorded = run.front().recorded;
    last_shift = run.front().time - last_recorded;
    if (last_shift != 0) {
      p.largest_shift = last_shift;
      p.largest_shift_at = last_recorded;
    }
  }
  CourseRecorder::add(movement_.course, last_recorded, last_shift, run, steps_back_.empty());
  auto smallest = static_cast<std::uint64_t>(movement_.smallest_distance);  // a step back is larger than any distance
  for (std::size_t i = begin; i < run.size(); ++i) {
    const Corrected& event = run[i];
    const Ticks length = event.recorded - last_recorded;
    smallest = std::min(smallest, static_cast<std::uint64_t>(length));
    last_recorded = event.recorded;
    const Ticks shift = event.time - event.recorded;
    if (shift == last_shift) continue;
    if (length < 0) movement_.first_recorded = std::min(movement_.first_recorded, event.recorded);
    count_moved(last_shift, i - first);
    changed_interval(event, length, shift - last_shift, kind_of(is_one(heads, roles[i]), raised));
    first = i;
    last_shift = shift;
    if (magnitude(shift) > magnitude(p.largest_shift)) {
      p.largest_shift = shift;
      p.largest_shift_at = event.recorded;
    }
  }
  count_moved(last_shift, run.size() - first);
  movement_.intervals[raised] += run.size() - begin;
  movement_.smallest_distance = static_cast<Ticks>(smallest);
  const Time start = p.events == 0 ? run.front().recorded : p.last_recorded;
  movement_.local_time += static_cast<double>(run.back().recorded - start);
  movement_.events += run.size();
  p.events += run.size();
  p.last_recorded = run.back().recorded;
  p.last_corrected = run.back().time;
}

/// In parts, between the events that are no records of the trace.
void Recorder::released_counted(std::span<const Corrected> events, Roles roles, std::size_t until_raised) {
  if (roles.empty()) {
    if (!events.empty()) movement_.knows_kinds = false;
    no_roles_.resize(events.size());
    roles = no_roles_;
  }
  const auto is_counted = [&](const Corrected& event) { return uncounted.empty() || event.body != uncounted; };
  while (!events.empty()) {
    const auto end = std::find_if_not(events.begin(), events.end(), is_counted);
    const auto count = static_cast<std::size_t>(end - events.begin());
    add_released(events.first(count), roles, until_raised);
    if (end == events.end()) return;
    movement_.at_receives -= is_one(heads, roles[count]);
    ++emitted_uncounted_;
    events = events.subspan(count + 1);
    roles = roles.subspan(count + 1);
    until_raised -= std::min(until_raised, count + 1);
  }
}

void Recorder::add_released(std::span<const Corrected> events, Roles roles, std::size_t until_raised) {
  if (events.empty()) return;
  const ProcessIndex process = events.front().process;
  if (process >= processes_.size()) processes_.resize(std::size_t{process} + 1);
  while (!events.empty()) {
    const std::size_t count = until_raised == 0 ? events.size() : std::min(until_raised, events.size());
    add_movement(processes_[process], events.first(count), roles, until_raised == 0);
    events = events.subspan(count);
    roles = roles.subspan(count);
    until_raised -= std::min(until_raised, count);
  }
}

}  // namespace clc
