#include "clc/stage/merge.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace clc {

// ---- taking -----------------------------------------------------------------------------------

inline Time Merge::time_of(const Node& node, const Written& before) const noexcept {
  double offset = node.offset;
  if (node.limit < offset) [[unlikely]]
    offset = std::max(0.0, node.limit);
  const Ticks distance = node.recorded > before.recorded ? distance_ : 0;
  return std::max(node.recorded + written(offset), before.corrected + distance);
}

Merge::Key Merge::watermark(std::span<const ProcessQueue> queues, std::span<const Time> final_before,
                            Key bound) noexcept {
  for (ProcessIndex process = 0; process < queues.size(); ++process) {
    const ProcessQueue& queue = queues[process];
    if (queue.begin() < queue.processed_end() && final_before[process] != Time::latest())
      bound = std::min(bound, Key{final_before[process], 0});
    if (queue.waiting() > 0) {  // LC' >= C
      const Node& head = queue.head();
      bound = std::min(bound, Key{head.recorded, head.order()});
    }
  }
  return bound;
}

Merge::Key Merge::batch_bound(std::span<const ProcessQueue> queues, Key bound, std::uint64_t most) {
  std::uint64_t total = 0;
  for (const ProcessQueue& queue : queues) total += queue.processed_end() - queue.begin();
  if (total <= most) return bound;
  // The time before which that share of some events lies. Chosen at irregular distances: regular ones may be in step
  // with the lengths of the queues.
  constexpr std::uint64_t samples = 256;
  const std::uint64_t distance = 2 * (total / samples) + 1;
  std::uint64_t random = total;
  const auto next = [&] {
    random = random * 6364136223846793005U + 1442695040888963407U;
    return 1 + (random >> 33U) % distance;
  };
  sampled_.clear();
  std::uint64_t skip = next() - 1;
  for (const ProcessQueue& queue : queues) {
    EventIndex at = queue.begin() + skip;
    for (; at < queue.processed_end(); at += next()) sampled_.push_back(queue.raw(at).recorded);
    skip = at - queue.processed_end();
  }
  if (sampled_.empty()) return bound;
  const auto share = sampled_.begin() + static_cast<std::ptrdiff_t>(most * sampled_.size() / total);
  std::nth_element(sampled_.begin(), share, sampled_.end());
  return std::min(bound, Key{*share, 0});
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

/// The offset has come to its end.
bool cut_off(Time time, Time recorded) noexcept { return ticks_between(recorded, time) >= std::uint64_t{1} << 62U; }

}  // namespace

template <bool to_sort>
inline bool Merge::take(ProcessIndex process, ProcessQueue& queue, Key bound) {
  Written last = written_[process];
  const std::size_t first = count_;
  bool more = true;
  while (more && (to_sort || count_ < run_events)) {
    const std::span<const Node> run = queue.front_run();
    make_room(run.size());
    Corrected* const leaving = leaving_.data();
    std::uint64_t* const orders = orders_.data();
    std::size_t count = count_;
    const Node* node = run.data();
    for (const Node* const end = node + run.size(); node != end; ++node) {
      const Time time = time_of(*node, last);
      if (!(Key{time, node->order()} < bound)) break;
      if (is_above(node->limit, time - node->recorded)) [[unlikely]]
        analysis_.violation_left();
      if (time == Time::latest() || cut_off(time, node->recorded)) [[unlikely]]
        if (time != node->recorded || node->offset >= 1) analysis_.count(Case::time_saturated);
      last = {node->recorded, time};
      leaving[count] = {time, node->recorded, process, queue.take_body(node->body_size)};
      if constexpr (to_sort) orders[count] = node->order();
      ++count;
    }
    count_ = count;
    const auto taken = static_cast<std::size_t>(node - run.data());
    queue.pop(taken);
    more = taken > 0 && taken == run.size();
  }
  written_[process] = last;
  if (first == count_) return more;
  first_ = std::min(first_, leaving_[first].time);
  last_ = std::max(last_, last.corrected);
  analysis_.released(std::span(leaving_).subspan(first, count_ - first));
  return more;
}

void Merge::make_room(std::size_t events) {
  if (leaving_.size() - count_ >= events) [[likely]]
    return;
  const std::size_t room = std::max<std::size_t>(1024, count_ + events + count_ / 4);
  leaving_.resize(room);
  orders_.resize(room);
  places_.resize(room);
}

void Merge::gather(std::span<ProcessQueue> queues, Key bound) {
  count_ = 0;
  first_ = Time::latest();
  last_ = Time::earliest();
  for (ProcessIndex process = 0; process < queues.size(); ++process) {
    if (process + 12 < queues.size()) queues[process + 12].fetch_front_leaf();
    if (process + 6 < queues.size()) queues[process + 6].fetch_front();
    take<true>(process, queues[process], bound);
  }
}

// ---- order ------------------------------------------------------------------------------------

void Merge::sort() {
  if (count_ == 0) return;
  const std::span<const Corrected> leaving = std::span(leaving_).first(count_);
  const std::span<Place> places = std::span(places_).first(count_);
  // About one bucket an event.
  const auto ticks_from_first = [first = first_](Time time) { return ticks_between(first, time); };
  const auto width = [](std::uint64_t n) { return static_cast<int>(std::bit_width(n)); };
  const int shift = std::max(0, width(ticks_from_first(last_)) - width(count_));
  buckets_.assign(static_cast<std::size_t>(ticks_from_first(last_) >> shift) + 1, 0);
  std::uint32_t* const buckets = buckets_.data();
  for (const Corrected& event : leaving) ++buckets[ticks_from_first(event.time) >> shift];
  constexpr std::uint32_t crowd = 32;
  std::uint32_t largest = 0;
  std::uint32_t start = 0;
  for (std::uint32_t& bucket : buckets_) {
    largest = std::max(largest, bucket);
    start += std::exchange(bucket, start);
  }
  for (std::uint32_t i = 0; i < leaving.size(); ++i)
    places[buckets[ticks_from_first(leaving[i].time) >> shift]++] = {leaving[i].time, i};
  if (largest > crowd) {
    start = 0;
    for (const std::uint32_t end : buckets_) {  // each stands at its end now
      if (end - start > crowd)
        std::sort(places.begin() + start, places.begin() + end,
                  [this](const Place& a, const Place& b) { return before(a, b); });
      start = end;
    }
  }
  Time newest = Time::earliest();
  for (std::size_t i = 0; i < count_; ++i) {
    const Place place = places[i];
    if (place.time > newest) [[likely]] {
      newest = place.time;
      continue;
    }
    std::size_t to = i;
    for (; to > 0 && before(place, places[to - 1]); --to) places[to] = places[to - 1];
    places[to] = place;
  }
}

// ---- writing ----------------------------------------------------------------------------------

void Merge::write_run() {
  if (run_size_ > 0) sink_.events(std::span(run_).first(run_size_));
  run_size_ = 0;
}

void Merge::write() {
  const Corrected* const leaving = leaving_.data();
  const std::uint64_t* const orders = orders_.data();
  for (const Place& place : std::span(places_).first(count_)) {
    if (orders[place.leaving] >= next_note_) [[unlikely]]
      write_notes(orders[place.leaving]);
    run_[run_size_] = leaving[place.leaving];
    if (++run_size_ == run_.size()) write_run();
  }
  write_run();
  pool_.recycle();
}

void Merge::write_gathered() {
  if (count_ > 0) sink_.events(std::span(leaving_).first(count_));
  count_ = 0;
  pool_.recycle();
}

void Merge::pass_on(std::span<ProcessQueue> queues, Key bound) {
  for (ProcessIndex process = 0; process < queues.size(); ++process) {
    for (bool more = true; more;) {
      more = take<false>(process, queues[process], bound);
      if (count_ >= run_events) write_gathered();
    }
  }
  write_gathered();
}

void Merge::note(std::uint64_t order, Body line) {
  if (!sorted_) return sink_.note(line);
  if (notes_.empty()) next_note_ = order;
  notes_.push_back({order, std::string(line)});
}

void Merge::write_notes(std::uint64_t order) {
  write_run();
  for (; !notes_.empty() && notes_.front().order <= order; notes_.pop_front()) sink_.note(notes_.front().line);
  next_note_ = notes_.empty() ? no_note : notes_.front().order;
}

void Merge::finish() { write_notes(no_note); }

void Merge::release(std::span<ProcessQueue> queues, std::span<const Time> final_before, Time now, std::uint64_t order) {
  const Key bound = watermark(queues, final_before, {now, order});
  if (!sorted_) return pass_on(queues, bound);
  const std::uint64_t usual = std::max<std::uint64_t>(batch_events, 2 * queues.size());
  for (std::uint64_t most = usual;;) {
    const Key batch = batch_bound(queues, bound, most);
    gather(queues, batch);
    sort();
    write();
    if (!(batch < bound)) return;
    // Very many events at one time do not fit into a batch: take more at once.
    most = count_ == 0 ? 2 * most : usual;
  }
}

}  // namespace clc
