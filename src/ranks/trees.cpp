#include "ranks/trees.hpp"

#include <algorithm>

#include "clock/bound.hpp"
#include "clock/offset.hpp"

namespace clc::ranks {

void BestTwo::insert(const Entry& entry) noexcept {
  const auto better = [this](const Entry& a, const Entry& b) {
    const Moment one = moment(a.time, a.offset);
    const Moment other = moment(b.time, b.offset);
    return latest_ ? one > other : one < other;
  };
  auto* const end = entries_.begin() + size_;
  if (std::any_of(entries_.begin(), end, [&](const Entry& other) { return other.process == entry.process; })) return;
  std::size_t place = 0;
  while (place < size_ && !better(entry, entries_[place])) ++place;
  std::move_backward(entries_.begin() + place, end, end + 1);
  entries_[place] = entry;
  size_ = std::min<std::size_t>(size_ + 1, 2);
}

const BestTwo::Entry* BestTwo::besides(ProcessIndex process) const noexcept {
  for (std::size_t i = 0; i < size_; ++i)
    if (entries_[i].process != process) return &entries_[i];
  return nullptr;
}

Tree::Tree(const Place& place, std::vector<Posted>& posts, std::vector<Item>& answers)
    : place_(place),
      posts_(posts),
      answers_(answers),
      own_(static_cast<std::size_t>(std::ranges::lower_bound(place.ranks, place.rank) - place.ranks.begin())) {}

// ---- the tree ---------------------------------------------------------------------------------

// Binomial: the parent of a place is the place without its lowest bit.

namespace {

std::size_t parent_of(std::size_t place) noexcept { return place & (place - 1); }

template <class Visit>
void for_each_child(std::size_t place, std::size_t ranks, Visit visit) {
  for (std::size_t bit = 1; place + bit < ranks && (place & bit) == 0; bit *= 2) visit(place + bit);
}

}  // namespace

std::size_t Tree::children_of(std::size_t place) const noexcept {
  std::size_t children = 0;
  for_each_child(place, place_.ranks.size(), [&](std::size_t /*child*/) { ++children; });
  return children;
}

Tree::Instance& Tree::at(std::uint64_t number) {
  while (number - first_ >= instances_.size()) instances_.emplace_back();
  Instance& found = instances_[static_cast<std::size_t>(number - first_)];
  found.number = number;
  return found;
}

Tree::Instance& Tree::at(std::uint64_t number, Operation operation, ProcessIndex root) {
  Instance& found = at(number);
  if (found.started) return found;
  found.started = true;
  found.operation = operation;
  found.root = root;
  switch (info(operation).kind) {
    case CollectiveClass::one_to_n:
      found.begins.way = Way::down;
      found.ends.way = Way::up;
      break;
    case CollectiveClass::n_to_one:
      found.begins.way = Way::up;
      found.ends.way = Way::down;
      break;
    default:
      break;
  }
  const std::size_t ranks = place_.ranks.size();
  std::size_t top = 0;
  if (info(operation).rooted) {
    const auto owner = std::ranges::lower_bound(place_.ranks, place_.owners[root]);
    top = static_cast<std::size_t>(owner - place_.ranks.begin());
  }
  found.place = (own_ + ranks - top) % ranks;
  for (Flow* const flow : {&found.begins, &found.ends}) {
    flow->open = place_.local;
    if (flow->way != Way::down) flow->below = children_of(found.place);
  }
  return found;
}

/// A local member has come. is_source: the one that the others wait for, if that goes down.
void Tree::contribute(Instance& instance, Flow& flow, bool is_source) {
  --flow.open;
  if (flow.way != Way::down)
    pass_up_if_complete(instance, flow);
  else if (is_source)
    learn(instance, flow);
}

void Tree::pass_up_if_complete(Instance& instance, Flow& flow) {
  if (flow.open > 0 || flow.below > 0 || flow.passed_up) return;
  flow.passed_up = true;
  if (instance.place == 0)
    learn(instance, flow);
  else
    post(instance, flow, parent_of(instance.place));
}

void Tree::learn(Instance& instance, Flow& flow) {
  flow.known = true;
  if (flow.way != Way::up)
    for_each_child(instance.place, place_.ranks.size(), [&](std::size_t child) { post(instance, flow, child); });
  if (&flow == &instance.ends) answer(instance);
}

/// Its best two, or the message that it has none.
void Tree::post(const Instance& instance, const Flow& flow, std::size_t place) {
  const std::size_t ranks = place_.ranks.size();
  Item item;
  item.kind = &flow == &instance.begins ? Item::Kind::begins : Item::Kind::ended;
  item.operation = instance.operation;
  item.channel = {no_process, instance.root, place_.communicator, 0};
  item.number = instance.number;
  const unsigned to = place_.ranks[(own_ + ranks - instance.place + place) % ranks];
  const auto count = std::max<std::size_t>({flow.best.size(), flow.simple.size(), flow.recorded.size(), 1});
  for (std::size_t i = 0; i < count; ++i) {
    if (i < flow.best.size()) {
      item.channel.sender = flow.best[i].process;
      item.time = flow.best[i].time;
      item.offset = flow.best[i].offset;
    }
    if (i < flow.simple.size()) {
      item.simple_sender = flow.simple[i].process;
      item.simple_time = flow.simple[i].time;
      item.simple_offset = flow.simple[i].offset;
    }
    if (i < flow.recorded.size()) {
      item.recorded_sender = flow.recorded[i].process;
      item.recorded = flow.recorded[i].time;
    }
    item.is_complete = i + 1 == count;
    posts_.push_back({to, item});
  }
}

// ---- begins and ends --------------------------------------------------------------------------

bool Tree::take_part(const Item& part) {
  Instance& instance = at(part.number, part.operation, part.channel.receiver);
  const bool is_source = part.channel.sender == instance.root;
  const bool orders = part.is_tail && (instance.begins.way != Way::down || is_source);
  if (orders) {
    instance.begins.best.insert({part.channel.sender, part.time, part.offset});
    instance.begins.simple.insert({part.channel.sender, part.time, part.simple_offset});
    instance.begins.recorded.insert({part.channel.sender, part.recorded, 0});
  }
  if (part.is_tail) instance.tails.push_back(part);
  const bool before = instance.begins.known;
  contribute(instance, instance.begins, is_source);
  const bool learnt = instance.begins.known != before;
  if (part.is_tail && !orders) {  // nothing limits it
    answers_.push_back(part);
    answers_.back().offset = no_limit;
    instance.tails.pop_back();
  }
  if (instance.ends.known) answer(instance);
  close();
  return learnt;
}

bool Tree::arrive(const Item& item) {
  Instance& instance = at(item.number, item.operation, item.channel.receiver);
  Flow& flow = item.kind == Item::Kind::begins ? instance.begins : instance.ends;
  if (item.channel.sender != no_process) flow.best.insert({item.channel.sender, item.time, item.offset});
  if (item.simple_sender != no_process) flow.simple.insert({item.simple_sender, item.simple_time, item.simple_offset});
  if (item.recorded_sender != no_process) flow.recorded.insert({item.recorded_sender, item.recorded, 0});
  if (!item.is_complete) return false;
  const bool before = instance.begins.known;
  if (flow.way == Way::down || flow.passed_up) {
    learn(instance, flow);
  } else {
    --flow.below;
    pass_up_if_complete(instance, flow);
  }
  const bool learnt = instance.begins.known != before;
  close();
  return learnt;
}

bool is_head(const Event& event, Rank member) noexcept {
  const bool receives = event.operation == Operation::barrier || event.received > 0;
  return receives && can_be_head(info(event.operation).kind, member, event.root);
}

bool Tree::ready(const Event& event, Rank member, std::uint64_t number) {
  return !is_head(event, member) || at(number).begins.known;
}

Bound Tree::bound(const Event& event, Rank member, std::uint64_t number) {
  const Flow& begins = at(number).begins;
  if (!is_head(event, member) || !begins.known) return {};
  const BestTwo::Entry* const tail = begins.best.besides(event.process);
  const BestTwo::Entry* const simple = begins.simple.besides(event.process);
  if (tail == nullptr || simple == nullptr) return {};
  return {true, add_saturating(tail->time - event.time, place_.delay), tail->offset,
          add_saturating(simple->time - event.time, place_.delay), simple->offset};
}

std::optional<Ticks> Tree::processed(const Event& event, Rank member, std::uint64_t number, double offset,
                                     Time recorded) {
  Instance& instance = at(number);
  std::optional<Ticks> smallest;
  if (is_head(event, member) && instance.begins.known) {
    instance.ends.best.insert({event.process, event.time, offset});
    if (const BestTwo::Entry* const tail = instance.begins.recorded.besides(event.process))
      smallest = recorded - tail->time;
  }
  contribute(instance, instance.ends, event.process == instance.root);
  close();
  return smallest;
}

void Tree::answer(Instance& instance) {
  for (const Item& tail : instance.tails) {
    double limit = no_limit;
    if (const BestTwo::Entry* const head = instance.ends.best.besides(tail.channel.sender)) {
      const Ticks apart = subtract_saturating(head->time - tail.time, place_.delay);
      limit = std::max(tail.offset, plus_at_most(head->offset, apart));
    }
    answers_.push_back(tail);
    answers_.back().offset = limit;
  }
  instance.tails.clear();
}

void Tree::close() {
  while (!instances_.empty()) {
    const Instance& oldest = instances_.front();
    if (!oldest.started || !oldest.begins.is_over() || !oldest.ends.is_over()) return;
    instances_.pop_front();
    ++first_;
  }
}

}  // namespace clc::ranks
