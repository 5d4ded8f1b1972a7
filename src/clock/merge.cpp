#include "clock/merge.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace clc {

// ---- taking -----------------------------------------------------------------------------------

inline Time Merge::time_of(const Node& node) noexcept {
  double offset = node.offset;
  if (node.limit < offset) [[unlikely]]
    offset = std::max(0.0, node.limit);
  return node.recorded + written(offset);
}

Merge::Key Merge::watermark(std::span<const ProcessQueue> queues, std::span<const Time> final_before,
                            Key bound) noexcept {
  for (ClockIndex clock = 0; clock < queues.size(); ++clock) {
    const ProcessQueue& queue = queues[clock];
    if (queue.begin() < queue.processed_end() && final_before[clock] != Time::latest())
      bound = std::min(bound, Key{final_before[clock], 0});
    if (queue.waiting() > 0) {  // LC' >= C
      const Node& head = queue.head();
      bound = std::min(bound, Key{head.recorded, head.order()});
    }
  }
  return bound;
}

std::uint64_t Merge::most_until(Time time) {
  // What is read after a release is recorded at its time or later.
  while (!reached_.empty() && reached_.front().time <= time) reached_.pop_front();
  return reached_.empty() ? ~std::uint64_t{0} : reached_.front().order - analysis_.emitted();
}

Merge::Key Merge::batch_bound(std::span<const ProcessQueue> queues, Key bound, std::uint64_t most) {
  if (most_until(bound.time) <= most) return bound;
  std::uint64_t total = 0;
  for (const ProcessQueue& queue : queues) total += queue.processed_end() - queue.begin();
  if (total <= most) return bound;
  // The place before which that share of some events lies. Chosen at irregular distances: regular ones may be in step
  // with the lengths of the queues.
  constexpr std::uint64_t samples = 256;
  const std::uint64_t distance = 2 * (total / samples) + 1;
  std::uint64_t random = total;
  const auto next = [&] {
    random = random * 6364136223846793005U + 1442695040888963407U;
    return 1 + (random >> 33U) % distance;
  };
  sampled_.clear();
  std::uint64_t taken = 0;
  std::uint64_t skip = next() - 1;
  for (const ProcessQueue& queue : queues) {
    EventIndex at = queue.begin() + skip;
    for (; at < queue.processed_end(); at += next()) {
      ++taken;
      // Samples beyond the bound only count. No correction lowers a time, so mostly the recorded one suffices.
      if (const Node& node = queue.raw(at); node.recorded <= bound.time)
        sampled_.push_back({node.recorded + whole(queue.offset(at)), node.order()});
    }
    skip = at - queue.processed_end();
  }
  const std::uint64_t share = most * taken / total;
  if (share >= sampled_.size()) return bound;
  const auto place = sampled_.begin() + static_cast<std::ptrdiff_t>(share);
  std::nth_element(sampled_.begin(), place, sampled_.end());
  return std::min(bound, *place);
}

namespace {

/// Whether a tail is written above its limit.
bool is_above(double limit, Ticks shift) noexcept {
  if (static_cast<double>(shift) + 2 < limit) [[likely]]
    return false;
  // A limit beyond 2^52 ticks may be too low: it was rounded to the safe side.
  const Ticks rounding = limit < 0x1p52 ? 0 : whole(limit * 0x1p-51);
  return shift > add_saturating(written(std::max(0.0, limit)), rounding);
}

/// The body begins with the process.
void name_process(Corrected& event) noexcept {
  std::memcpy(&event.process, event.body.data(), sizeof event.process);
  event.body.remove_prefix(sizeof event.process);
}

void released_of_one(std::span<const Corrected> events, Recorder::Roles roles, std::size_t until_raised,
                     Recorder& analysis) {
  analysis.released(events, roles, until_raised);
}

void released_of_several(std::span<const Corrected> events, Recorder::Roles roles, std::size_t until_raised,
                         Recorder& analysis) {
  while (!events.empty()) {
    const auto end = std::find_if(events.begin(), events.end(),
                                  [&](const Corrected& event) { return event.process != events.front().process; });
    const auto count = static_cast<std::size_t>(end - events.begin());
    analysis.released(events.first(count), roles.first(count), until_raised);
    events = events.subspan(count);
    roles = roles.subspan(count);
    until_raised -= std::min(until_raised, count);
  }
}

/// An offset of at least that many ticks has come to its end.
constexpr std::uint64_t end_of_offsets = std::uint64_t{1} << 62U;

/// Counts events whose times are as late as times can be, or whose offsets have come to their end.
[[gnu::noinline]] void count_saturated(std::span<const Node> nodes, const Corrected* events, Recorder& analysis) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    const Time time = events[i].time;
    if (time == Time::latest() || ticks_between(node.recorded, time) >= end_of_offsets)
      if (time != node.recorded || node.offset >= 1) analysis.count(Case::time_saturated);
  }
}

}  // namespace

Merge::Merge(EventSink& sink, QueuePool& pool, const Distances& distances, SetBack& set_back, WriteObserver& observer,
             Recorder& analysis)
    : sink_(sink),
      groups_(dynamic_cast<GroupSink*>(&sink)),
      sorted_(sink.order() == EventSink::Order::all),
      pool_(pool),
      distances_(distances),
      set_back_(set_back),
      observer_(observer),
      analysis_(analysis),
      gathered_((groups_ == nullptr ? 0 : groups_->held()) + 1) {}

Merge::~Merge() {
  // The sink may be gone after finish.
  if (!finished_ && gathered_.size() > 1) drain();
  for (Gathered& gathered : gathered_) pool_.recycle(gathered.pages);
}

[[gnu::noinline]] bool Merge::take_unusual(ClockIndex clock, EventIndex index, const Node& node, Corrected& event) {
  if (node.is_watched()) observer_.written(clock, index, node, event.time);
  if (node.names_process()) name_process(event);
  return node.names_process();
}

[[gnu::noinline]] void Merge::left_above(ClockIndex clock, EventIndex index, const Node& node) {
  if (!observer_.judges(clock, index, node)) analysis_.violation_left();
}

template <bool to_sort>
inline bool Merge::take(ClockIndex clock, ProcessQueue& queue, Key bound, Gathered& gathered) {
  if (set_back_.of(clock)) [[unlikely]]
    return take_of<to_sort, true>(clock, queue, bound, gathered);
  return take_of<to_sort, false>(clock, queue, bound, gathered);
}

/// set_back: the clock was.
template <bool to_sort, bool set_back>
inline bool Merge::take_of(ClockIndex clock, ProcessQueue& queue, Key bound, Gathered& gathered) {
  Written last = written_[clock];
  const Ticks distance = distances_.written(clock);
  const std::size_t first = gathered.size();
  const EventIndex first_index = queue.begin();
  bool more = true;
  bool shared = false;
  while (more && (to_sort || gathered.size() < Gathered::run_events)) {
    const std::span<const Node> run = queue.front_run();
    gathered.make_room(run.size());
    Corrected* const events = gathered.events();
    std::uint64_t* const orders = gathered.orders();
    std::size_t count = gathered.size();
    const std::size_t before_run = count;
    std::uint64_t shifts = 0;  // all bits of them
    const Node* node = run.data();
    for (const Node* const end = node + run.size(); node != end; ++node) {
      const Time own = time_of(*node);
      Time time = own;
      if (own <= last.corrected) [[unlikely]]
        time = std::max(own, last.corrected + (node->recorded > last.recorded ? distance : 0));
      Time recorded = node->recorded;
      if constexpr (set_back) {
        recorded = set_back_.recorded(clock, queue.begin() + static_cast<EventIndex>(node - run.data()), recorded);
        const Time before =
            count > first ? events[count - 1].recorded : set_back_.written(clock).value_or(last.recorded);
        if (recorded != before) time = std::max(time, last.corrected + distance);
      }
      if (!(Key{time, node->order()} < bound)) break;
      if (time > own && is_above(node->limit, time - node->recorded)) [[unlikely]]
        left_above(clock, queue.begin() + static_cast<EventIndex>(node - run.data()), *node);
      last = {node->recorded, time};
      shifts |= ticks_between(node->recorded, time);
      events[count] = {time, recorded, clock, queue.take_body(node->body_size)};
      orders[count] = node->order_and_role;
      if (node->is_unusual()) [[unlikely]]
        shared |= take_unusual(clock, queue.begin() + static_cast<EventIndex>(node - run.data()), *node, events[count]);
      ++count;
    }
    const auto taken = static_cast<std::size_t>(node - run.data());
    if (shifts >= end_of_offsets || last.corrected == Time::latest()) [[unlikely]]
      count_saturated(run.first(taken), events + before_run, analysis_);
    gathered.resize(count);
    queue.pop(taken);
    more = taken > 0 && taken == run.size();
  }
  written_[clock] = last;
  if (first == gathered.size()) return more;
  if constexpr (set_back) {
    set_back_.written(clock) = gathered.events()[gathered.size() - 1].recorded;
    set_back_.forget(clock, queue.begin());
  }
  if constexpr (to_sort) gathered.added(first);
  const std::span<const Corrected> taken(gathered.events() + first, gathered.size() - first);
  const Recorder::Roles roles(gathered.orders() + first, taken.size());
  const std::uint64_t until_raised = analysis_.until_raised(clock, first_index);
  (shared ? released_of_several : released_of_one)(taken, roles, until_raised, analysis_);
  return more;
}

void Merge::gather(std::span<ProcessQueue> queues, Key bound, Gathered& gathered) {
  for (ClockIndex clock = 0; clock < queues.size(); ++clock) {
    if (clock + 12 < queues.size()) queues[clock + 12].fetch_front_leaf();
    if (clock + 6 < queues.size()) queues[clock + 6].fetch_front();
    take<true>(clock, queues[clock], bound, gathered);
  }
}

// ---- leaving ----------------------------------------------------------------------------------

namespace {

std::uint64_t memory_of(const Gathered::Note& note) noexcept { return sizeof(note) + note.line.size(); }

}  // namespace

Gathered& Merge::next_gathered() {
  Gathered& gathered = gathered_[at_];
  pool_.recycle(gathered.pages);
  gathered.clear();
  return gathered;
}

void Merge::let_go(Gathered& gathered) {
  if (gathered.empty()) return;
  for (; !notes_.empty() && notes_.front().order <= gathered.newest(); notes_.pop_front()) {
    note_memory_ -= memory_of(notes_.front());
    gathered.notes.push_back(std::move(notes_.front()));
  }
  gathered.pages = pool_.retired();
  if (groups_ != nullptr)
    groups_->leave(gathered);
  else
    gathered.write(sink_);
  if (gathered_.size() == 1) pool_.recycle(gathered.pages);
  at_ = (at_ + 1) % gathered_.size();
}

void Merge::pass_on(std::span<ProcessQueue> queues, Key bound) {
  Gathered& gathered = gathered_.front();
  const auto write = [&] {
    if (!gathered.empty()) sink_.events({gathered.events(), gathered.size()});
    gathered.clear();
    QueuePool::Retired pages = pool_.retired();
    pool_.recycle(pages);
  };
  gathered.clear();
  for (ClockIndex clock = 0; clock < queues.size(); ++clock) {
    for (bool more = true; more;) {
      more = take<false>(clock, queues[clock], bound, gathered);
      if (gathered.size() >= Gathered::run_events) write();
    }
  }
  write();
}

void Merge::note(std::uint64_t order, Body line) {
  if (!sorted_) return sink_.note(line);
  if (notes_.empty() && order == analysis_.emitted()) {  // nothing stands ahead of it
    drain();
    return sink_.note(line);
  }
  notes_.push_back({order, std::string(line)});
  note_memory_ += memory_of(notes_.back());
}

std::uint64_t Merge::let_notes_go() {
  if (notes_.empty()) return 0;
  const std::uint64_t left = notes_.size();
  drain();
  for (; !notes_.empty(); notes_.pop_front()) sink_.note(notes_.front().line);
  note_memory_ = 0;
  return left;
}

void Merge::finish() {
  drain();
  static_cast<void>(let_notes_go());
  finished_ = true;
}

void Merge::release(std::span<ProcessQueue> queues, std::span<const Time> final_before, Time now, std::uint64_t order) {
  const Key bound = watermark(queues, final_before, {now, order});
  if (!sorted_) return pass_on(queues, bound);
  if (reached_.empty() || reached_.back().order != order) reached_.push_back({now, order});
  const std::uint64_t usual = std::max<std::uint64_t>(batch_events, 2 * queues.size());
  for (std::uint64_t most = usual;;) {
    const Key batch = batch_bound(queues, bound, most);
    Gathered& gathered = next_gathered();
    gather(queues, batch, gathered);
    let_go(gathered);
    if (!(batch < bound)) return;
    // Times may all lie beyond what the samples tell: take more at once.
    most = gathered.empty() ? 2 * most : usual;
  }
}

}  // namespace clc
