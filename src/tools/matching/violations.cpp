#include "matching/violations.hpp"

namespace clc::matching {

namespace {

/// Groups that stand for one clock are numbered from here on, those that stand for a node from 0.
constexpr std::uint32_t first_clock_group = 0x8000'0000;

}  // namespace

CollectiveJudge::CollectiveJudge(const Parameters& parameters, const Definitions& definitions, const DelayModel& delays)
    : definitions_(&definitions), delays_(&delays) {
  for (const PairDelay& pair : parameters.pair_delays) special_.insert(pair.from);
}

EdgeFigures CollectiveJudge::judge(const Collective& operation, Column column) {
  EdgeFigures figures;
  const OperationInfo& what = info(operation.operation);
  if (!operation.agreed || (what.rooted && operation.root >= operation.size)) return figures;
  column_ = column;
  prefix_ = what.kind == CollectiveClass::prefix;
  gather_ends(operation);
  if (operation.own_delay > 0) {
    add_pairs(tails_, heads_, operation.own_delay, figures);
    return figures;
  }
  if (!special_.empty()) add_special_pairs(figures);
  if (delays_->node_delay() == delays_->default_delay())
    add_pairs(tails_, heads_, delays_->default_delay(), figures);
  else
    add_pairs_by_node(figures);
  return figures;
}

void CollectiveJudge::gather_ends(const Collective& operation) {
  const CollectiveClass kind = info(operation.operation).kind;
  const bool barrier = operation.operation == Operation::barrier;
  tails_.clear();
  heads_.clear();
  for (const Member& member : operation.members) {
    const bool root = member.rank == operation.root;
    bool tail = member.has_begin && (barrier || member.sent > 0);
    bool head = barrier || member.received > 0;
    if (kind == CollectiveClass::one_to_n) {
      tail = tail && root;
      head = head && !root;
    } else if (kind == CollectiveClass::n_to_one) {
      tail = tail && !root;
      head = head && root;
    }
    if (tail) tails_.push_back({member.begin.time[column_], first_clock_group + member.clock, false, &member});
    if (head) heads_.push_back({member.end.time[column_], first_clock_group + member.clock, tail, &member});
  }
}

void CollectiveJudge::add_special_pairs(EdgeFigures& figures) {
  const auto special = [&](const End& end) {
    return special_.contains(definitions_->processes()[end.member->process].number);
  };
  const auto own_delays = std::partition(tails_.begin(), tails_.end(), [&](const End& tail) { return !special(tail); });
  for (auto tail = own_delays; tail != tails_.end(); ++tail) {
    for (const End& head : heads_) {
      if (head.group == tail->group || (prefix_ && head.member->rank <= tail->member->rank)) continue;
      const Member& from = *tail->member;
      const Member& to = *head.member;
      const Ticks mu = delays_->between({from.process, from.node}, {to.process, to.node});
      figures.add({from.process, to.process, from.begin, to.end, mu}, column_);
    }
  }
  tails_.erase(own_delays, tails_.end());
  for (End& head : heads_)
    if (special(head)) head.both = false;
}

/// Pairs of different nodes are all pairs, less those inside each node.
void CollectiveJudge::add_pairs_by_node(EdgeFigures& figures) {
  const auto node = [](const End& end) { return end.member->node; };
  const auto by_node = [&](const End& a, const End& b) { return node(a) < node(b); };
  Counts between = count(tails_, heads_, delays_->default_delay());
  std::stable_sort(tails_.begin(), tails_.end(), by_node);
  std::stable_sort(heads_.begin(), heads_.end(), by_node);
  auto head = heads_.begin();
  for (auto tail = tails_.begin(); tail != tails_.end();) {
    const NodeIndex here = node(*tail);
    if (here == no_node) break;
    const auto tails_end = std::find_if(tail, tails_.end(), [&](const End& end) { return node(end) != here; });
    head = std::find_if(head, heads_.end(), [&](const End& end) { return node(end) >= here; });
    const auto heads_end = std::find_if(head, heads_.end(), [&](const End& end) { return node(end) != here; });
    const std::span<End> node_tails(tail, tails_end);
    const std::span<End> node_heads(head, heads_end);
    const Counts inside = count(node_tails, node_heads, delays_->default_delay());
    between -= inside;
    add_pairs(node_tails, node_heads, delays_->node_delay(), figures);
    tail = tails_end;
    head = heads_end;
  }
  between.add_to(figures);
  for (std::vector<End>* ends : {&tails_, &heads_})
    for (End& end : *ends)
      if (node(end) != no_node) end.group = node(end);
  note_worst(tails_, heads_, delays_->default_delay(), figures);
}

void CollectiveJudge::add_pairs(std::span<End> tails, std::span<End> heads, Ticks mu, EdgeFigures& figures) {
  count(tails, heads, mu).add_to(figures);
  note_worst(tails, heads, mu, figures);
}

/// Pairs of different clocks are all pairs, less those on each clock.
CollectiveJudge::Counts CollectiveJudge::count(std::span<End> tails, std::span<End> heads, Ticks mu) {
  Counts counts = count_all(tails, heads, mu);
  if (!definitions_->shares_clocks() || counts.edges == 0) return counts;
  const auto by_clock = [](const End& a, const End& b) { return a.member->clock < b.member->clock; };
  std::vector<End> on_clocks(tails.begin(), tails.end());
  std::vector<End> ends(heads.begin(), heads.end());
  std::stable_sort(on_clocks.begin(), on_clocks.end(), by_clock);
  std::stable_sort(ends.begin(), ends.end(), by_clock);
  auto head = ends.begin();
  for (auto tail = on_clocks.begin(); tail != on_clocks.end();) {
    const auto other = [&](const End& end) { return end.member->clock != tail->member->clock; };
    const auto tails_end = std::find_if(tail, on_clocks.end(), other);
    head = std::find_if(head, ends.end(), [&](const End& end) { return end.member->clock >= tail->member->clock; });
    const auto heads_end = std::find_if(head, ends.end(), other);
    counts -= count_all({tail, tails_end}, {head, heads_end}, mu);
    tail = tails_end;
    head = heads_end;
  }
  return counts;
}

CollectiveJudge::Counts CollectiveJudge::count_all(std::span<End> tails, std::span<End> heads, Ticks mu) {
  Counts counts;
  if (tails.empty() || heads.empty()) return counts;
  std::sort(tails.begin(), tails.end(), [](const End& a, const End& b) { return a.time < b.time; });
  if (prefix_) return count_prefix(tails, heads, mu);
  counts.edges = tails.size() * heads.size();
  for (const End& head : heads) {
    const auto late = [&](Ticks limit) {
      const auto first = std::partition_point(tails.begin(), tails.end(),
                                              [&](const End& tail) { return head.time - tail.time >= limit; });
      return static_cast<std::uint64_t>(tails.end() - first);
    };
    counts.backward += late(0);
    counts.violated += late(mu);
    if (head.both) {  // less the pair of the process with itself
      const Ticks own = head.time - head.member->begin.time[column_];
      --counts.edges;
      counts.backward -= own < 0;
      counts.violated -= own < mu;
    }
  }
  return counts;
}

/// Tails sorted by time. A tree of counts over the tails by time, in which tails enter by rank.
CollectiveJudge::Counts CollectiveJudge::count_prefix(std::span<End> tails, std::span<End> heads, Ticks mu) {
  Counts counts;
  std::sort(heads.begin(), heads.end(), [](const End& a, const End& b) { return a.member->rank < b.member->rank; });
  tree_.assign(tails.size() + 1, 0);
  entry_.resize(tails.size());
  for (std::size_t i = 0; i < tails.size(); ++i) entry_[i] = static_cast<std::uint32_t>(i);
  std::sort(entry_.begin(), entry_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return tails[a].member->rank < tails[b].member->rank; });
  std::size_t entered = 0;
  for (const End& head : heads) {
    for (; entered < tails.size() && tails[entry_[entered]].member->rank < head.member->rank; ++entered)
      for (std::size_t i = entry_[entered] + std::size_t{1}; i < tree_.size(); i += i & (~i + 1)) ++tree_[i];
    const auto late = [&](Ticks limit) {
      const auto first = std::partition_point(tails.begin(), tails.end(),
                                              [&](const End& tail) { return head.time - tail.time >= limit; });
      std::uint64_t early = 0;
      for (auto i = static_cast<std::size_t>(first - tails.begin()); i > 0; i -= i & (~i + 1)) early += tree_[i];
      return entered - early;
    };
    counts.edges += entered;
    counts.backward += late(0);
    counts.violated += late(mu);
  }
  return counts;
}

/// For prefix, tails and heads in any order. The latest tail before a head is what binds it, or the
/// latest of another group, if that one is of the head's own.
void CollectiveJudge::note_worst(std::span<const End> tails, std::span<const End> heads, Ticks mu,
                                 EdgeFigures& figures) const {
  if (tails.empty() || heads.empty()) return;
  const auto by_rank = [](const End* a, const End* b) { return a->member->rank < b->member->rank; };
  std::vector<const End*> tail_order;
  std::vector<const End*> head_order;
  for (const End& tail : tails) tail_order.push_back(&tail);
  for (const End& head : heads) head_order.push_back(&head);
  if (prefix_) {
    std::sort(tail_order.begin(), tail_order.end(), by_rank);
    std::sort(head_order.begin(), head_order.end(), by_rank);
  }
  const End* latest = nullptr;
  const End* latest_elsewhere = nullptr;  // of another group than latest
  std::size_t entered = 0;
  for (const End* head : head_order) {
    for (; entered < tail_order.size() && (!prefix_ || tail_order[entered]->member->rank < head->member->rank);
         ++entered) {
      const End* tail = tail_order[entered];
      if (latest == nullptr || tail->time > latest->time) {
        if (latest != nullptr && latest->group != tail->group) latest_elsewhere = latest;
        latest = tail;
      } else if (tail->group != latest->group && (latest_elsewhere == nullptr || tail->time > latest_elsewhere->time)) {
        latest_elsewhere = tail;
      }
    }
    const End* tail = latest != nullptr && latest->group == head->group ? latest_elsewhere : latest;
    if (tail == nullptr) continue;
    figures.note({tail->member->process, head->member->process, tail->member->begin, head->member->end, mu},
                 head->time - tail->time);
  }
}

}  // namespace clc::matching
