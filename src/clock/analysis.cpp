#include "clc/analysis.hpp"

#include <algorithm>
#include <bit>

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
      std::sort(tails_.begin(), tails_.end(), earlier);
      std::sort(heads_.begin(), heads_.end(), earlier);
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
    const auto lower_tails =
        static_cast<std::size_t>(std::partition_point(tails.begin(), tails.end(), below) - tails.begin());
    const auto lower_heads =
        static_cast<std::size_t>(std::partition_point(heads.begin(), heads.end(), below) - heads.begin());
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
    worst_between_nodes(late_tails, heads);
    per_node(tails, heads);
  }

  /// Counts the pairs of each node again, with their own delay.
  void per_node(std::span<const Stamp> tails, std::span<const Stamp> heads) {
    if (!has_nodes_) return;
    std::vector<Stamp> tails_by_node(tails.begin(), tails.end());
    std::vector<Stamp> heads_by_node(heads.begin(), heads.end());
    const auto by_node = [this](const Stamp& a, const Stamp& b) { return node(a) < node(b); };
    std::stable_sort(tails_by_node.begin(), tails_by_node.end(), by_node);
    std::stable_sort(heads_by_node.begin(), heads_by_node.end(), by_node);
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
      std::reverse(group_tails.begin(), group_tails.end());
      worst_in_node(group_tails, group_heads);
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
    std::sort(tails.begin(), tails.end());
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
        total_.note_worst(from.process, to.process, to.end, delay, pair->delay);
      }
    }
  }

  // The worst unlisted pair. Tails latest first: the first one that a head may be paired with is its
  // worst; what is passed over is the head itself, its own node in one step, and listed pairs.

  void worst_between_nodes(std::span<const Stamp> tails, std::span<const Stamp> heads) {
    std::vector<std::size_t> next_node(tails.size());  // the next tail that is not known to be of the same node
    for (std::size_t i = tails.size(); i-- > 0;)
      next_node[i] = i + 1 < tails.size() && node(tails[i]) != no_node && node(tails[i]) == node(tails[i + 1])
                         ? next_node[i + 1]
                         : i + 1;
    const Ticks mu = delays_.default_delay();
    for (const Stamp& head : heads) {
      if (subtract_saturating(head.time - tails.front().time, mu) >= total_.worst) return;
      for (std::size_t i = 0; i < tails.size();) {
        if (same_node(tails[i], head)) {
          i = next_node[i];
        } else if (tails[i].rank == head.rank || is_listed(tails[i], head)) {
          ++i;
        } else {
          note(tails[i], head, mu);
          break;
        }
      }
    }
  }

  void worst_in_node(std::span<const Stamp> tails, std::span<const Stamp> heads) {
    const Ticks mu = delays_.node_delay();
    for (const Stamp& head : heads) {
      if (subtract_saturating(head.time - tails.front().time, mu) >= total_.worst) return;
      const auto tail = std::find_if(tails.begin(), tails.end(), [&](const Stamp& stamp) {
        return stamp.rank != head.rank && !is_listed(stamp, head);
      });
      if (tail != tails.end()) note(*tail, head, mu);
    }
  }

  [[nodiscard]] NodeIndex node(const Stamp& stamp) const { return members_[stamp.rank].node; }
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
    total_.note_worst(members_[tail.rank].process, members_[head.rank].process, head.time, head.time - tail.time, mu);
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

Extent extent_of_all(std::span<const CollectiveMember> members) {
  Extent extent;
  std::array<Stamp, 2> latest{{{Time::earliest(), no_rank}, {Time::earliest(), no_rank}}};
  std::array<Stamp, 2> first{{{Time::latest(), no_rank}, {Time::latest(), no_rank}}};
  const auto keep = [](std::array<Stamp, 2>& two, const Stamp& stamp, auto before) {
    if (two[0].rank == no_rank || before(stamp, two[0])) {
      two[1] = two[0];
      two[0] = stamp;
    } else if (two[1].rank == no_rank || before(stamp, two[1])) {
      two[1] = stamp;
    }
  };
  std::uint64_t tails = 0;
  std::uint64_t heads = 0;
  std::uint64_t both = 0;
  for (Rank rank = 0; rank < members.size(); ++rank) {
    const CollectiveMember& member = members[rank];
    tails += member.tail;
    heads += member.head;
    both += member.tail && member.head;
    if (member.tail) keep(latest, {member.begin, rank}, later);
    if (member.head) keep(first, {member.end, rank}, earlier);
  }
  extent.edges = tails * heads - both;
  for (const Stamp& tail : latest)
    for (const Stamp& head : first)
      if (tail.rank != no_rank && head.rank != no_rank && tail.rank != head.rank) extent.note(tail, head);
  return extent;
}

Extent extent_of_prefix(std::span<const CollectiveMember> members) {
  Extent extent;
  std::uint64_t tails = 0;
  Stamp latest{Time::earliest(), no_rank};
  for (Rank rank = 0; rank < members.size(); ++rank) {
    const CollectiveMember& member = members[rank];
    if (member.head && tails != 0) {
      extent.edges += tails;
      extent.note(latest, {member.end, rank});
    }
    if (!member.tail) continue;
    ++tails;
    if (latest.rank == no_rank || latest.time < member.begin) latest = {member.begin, rank};
  }
  return extent;
}

}  // namespace

void Analysis::collective(CollectiveClass kind, Rank root, std::span<const CollectiveMember> members,
                          const DelayModel& delays) {
  ++collective_operations_;
  const auto edge = [&](const CollectiveMember& from, const CollectiveMember& to) {
    if (!from.tail || !to.head || from.process == to.process) return;
    collectives_.add(
        from.process, to.process, to.end, to.end - from.begin,
        delays.between(DelayModel::Place{from.process, from.node}, DelayModel::Place{to.process, to.node}));
  };
  if (kind == CollectiveClass::one_to_n || kind == CollectiveClass::n_to_one) {
    if (root >= members.size()) return;
    for (const CollectiveMember& member : members)
      kind == CollectiveClass::one_to_n ? edge(members[root], member) : edge(member, members[root]);
    return;
  }
  const Extent extent = kind == CollectiveClass::prefix ? extent_of_prefix(members) : extent_of_all(members);
  if (extent.edges == 0) return;
  collectives_.edges += extent.edges;
  if (delays.uniform())
    collectives_.note_worst(members[extent.tail].process, members[extent.head].process, members[extent.head].end,
                            extent.smallest_delay, delays.default_delay());
  const bool fine = extent.smallest_delay >= delays.largest();
  const bool best = subtract_saturating(extent.smallest_delay, delays.largest()) >= collectives_.worst;
  if (fine && (best || delays.uniform())) return;
  EdgeCounter(kind, members, delays, collectives_).run();
}

std::uint32_t Analysis::new_pair(ProcessIndex sender, ProcessIndex receiver) {
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
  pair_numbers_.add(hash_of(sender, receiver), number);
  return number;
}

void Movement::count_moved(Ticks shift, std::uint64_t count) noexcept {
  if (shift <= 0) return;
  moved += count;
  shifts[static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(shift))) - 1] += count;
}

void Movement::add(ProcessStatistics& p, std::span<const Corrected> run) {
  // Mostly the shift stays as it is: such events are counted together.
  std::size_t first = 0;  // with this shift
  Time last_recorded = p.last_recorded;
  Ticks last_shift = p.last_corrected - p.last_recorded;
  if (p.events == 0) {
    last_recorded = run.front().recorded;
    last_shift = run.front().time - last_recorded;
    if (last_shift > 0) {
      p.largest_shift = last_shift;
      p.largest_shift_at = last_recorded;
    }
  }
  Ticks smallest = smallest_distance;
  for (std::size_t i = p.events == 0 ? 1 : 0; i < run.size(); ++i) {
    const Corrected& event = run[i];
    const Ticks length = event.recorded - last_recorded;
    smallest = std::min(smallest, length);
    last_recorded = event.recorded;
    const Ticks shift = event.time - event.recorded;
    if (shift == last_shift) {
      ++exact_intervals;
      continue;
    }
    count_moved(last_shift, i - first);
    changed_interval(length, shift - last_shift);
    first = i;
    last_shift = shift;
    if (shift > p.largest_shift) {
      p.largest_shift = shift;
      p.largest_shift_at = event.recorded;
    }
  }
  count_moved(last_shift, run.size() - first);
  smallest_distance = smallest;
  events += run.size();
  p.events += run.size();
  p.last_recorded = run.back().recorded;
  p.last_corrected = run.back().time;
}

void Movement::merge(const Movement& other) noexcept {
  events += other.events;
  moved += other.moved;
  for (std::size_t k = 0; k < shifts.size(); ++k) shifts[k] += other.shifts[k];
  smallest_distance = std::min(smallest_distance, other.smallest_distance);
  exact_intervals += other.exact_intervals;
  stretched_ties += other.stretched_ties;
  small_errors.merge(other.small_errors);
  large_errors.merge(other.large_errors);
}

void Movement::remove_unmoved(std::uint64_t count) noexcept {
  events -= count;
  if (count > 0) exact_intervals -= count - 1;
}

void Analysis::released(std::span<const Corrected> events) {
  if (events.empty()) return;
  const ProcessIndex process = events.front().process;
  if (process >= processes_.size()) processes_.resize(std::size_t{process} + 1);
  movement_.add(processes_[process], events);
}

void Analysis::carried(ProcessIndex process, const ProcessStatistics& p, const Movement& movement) {
  if (process >= processes_.size() || processes_[process].largest_shift != 0) return;
  movement_.remove_unmoved(processes_[process].events);
  movement_.merge(movement);
  processes_[process] = p;
}

std::uint64_t Analysis::unresolved() const noexcept {
  std::uint64_t sum = 0;
  for (const CaseInfo& info : cases)
    if (info.severity == Severity::unresolved) sum += counted(info.which);
  return sum;
}

Analysis::RoundTrips Analysis::round_trips() const {
  RoundTrips trips;
  double sum = 0;
  for (const PairStatistics& there : pairs_) {
    if (there.sender >= there.receiver || there.messages == 0) continue;
    const std::uint32_t number = find_pair(there.receiver, there.sender);
    if (number == no_pair) continue;
    const PairStatistics& back = pairs_[number];
    if (back.messages == 0) continue;
    const double half = (static_cast<double>(there.smallest_delay) + static_cast<double>(back.smallest_delay)) / 2;
    if (trips.pairs == 0 || half < trips.smallest) trips.smallest = half;
    if (trips.pairs == 0 || half > trips.largest) trips.largest = half;
    ++trips.pairs;
    sum += half;
  }
  if (trips.pairs != 0) trips.average = sum / static_cast<double>(trips.pairs);
  return trips;
}

}  // namespace clc
