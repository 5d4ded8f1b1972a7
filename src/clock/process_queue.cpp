#include "clock/process_queue.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <new>

namespace clc {

namespace {

/// Height of the cross at a tail with that slack; in a block, no cross is lower than that at its slack.
double cross_at(double slack) noexcept { return std::max(0.0, slack - lowering); }
double cross_of(const Node& node) noexcept { return cross_at(node.limit - node.offset); }

}  // namespace

// ---- pool -------------------------------------------------------------------------------------

QueuePool::~QueuePool() { recycle(retired_); }

QueuePool::Leaf* QueuePool::take_leaf() {
  if (free_leaves_.empty()) {
    if (free_leaves_.capacity() == leaves_) free_leaves_.reserve(2 * leaves_ + 32);  // give() must not throw
    ++leaves_;
    return new (arena_.take(sizeof(Leaf))) Leaf;
  }
  Leaf* leaf = free_leaves_.back();
  free_leaves_.pop_back();
  return leaf;
}

QueuePool::Page* QueuePool::take_page(std::uint32_t bytes) {
  Page* page = free_pages_;
  if (bytes > page_bytes_) {  // an oversized body has a page of its own
    page = new (::operator new(sizeof(Page) + bytes)) Page;
    page->capacity = bytes;
  } else if (page != nullptr) {
    free_pages_ = page->next;
    fetch(free_pages_);
    page->next = nullptr;
    page->used = 0;
  } else {
    page = new (arena_.take(sizeof(Page) + page_bytes_)) Page;
    page->capacity = page_bytes_;
  }
  page_memory_ += sizeof(Page) + page->capacity;
  return page;
}

void QueuePool::give(Page* page) noexcept {
  page_memory_ -= sizeof(Page) + page->capacity;
  if (page->capacity != page_bytes_) {
    page->next = std::exchange(retired_.oversized, page);
    return;
  }
  if (retired_.newest == nullptr) retired_.oldest = page;
  page->next = std::exchange(retired_.newest, page);
}

void QueuePool::recycle(Retired& pages) noexcept {
  if (pages.newest != nullptr) {
    pages.oldest->next = free_pages_;
    free_pages_ = std::exchange(pages.newest, nullptr);
  }
  while (pages.oversized != nullptr) ::operator delete(std::exchange(pages.oversized, pages.oversized->next));
}

std::uint64_t QueuePool::memory() const noexcept {
  return (leaves_ - free_leaves_.size()) * sizeof(Leaf) + page_memory_;
}

// ---- queue ------------------------------------------------------------------------------------

ProcessQueue::ProcessQueue(ProcessQueue&& other) noexcept
    : begin_(other.begin_),
      processed_end_(other.processed_end_),
      end_(other.end_),
      newest_(other.newest_),
      write_at_(other.write_at_),
      page_end_(other.page_end_),
      leaves_(std::move(other.leaves_)),
      leaf_mask_(other.leaf_mask_),
      front_settled_(other.front_settled_),
      pool_(other.pool_),
      oldest_page_(other.oldest_page_),
      newest_page_(other.newest_page_),
      read_at_(other.read_at_),
      read_end_(other.read_end_),
      levels_(std::move(other.levels_)) {
  other.begin_ = other.end_ = other.processed_end_ = 0;
  other.oldest_page_ = other.newest_page_ = nullptr;
}

ProcessQueue::~ProcessQueue() {
  // Leaves and small pages belong to the pool's arena; oversized pages do not.
  while (oldest_page_ != nullptr) {
    QueuePool::Page* page = oldest_page_;
    oldest_page_ = page->next;
    pool_->give(page);
  }
}

void ProcessQueue::grow_leaves() {
  const std::uint32_t capacity = leaves_ ? 2 * (leaf_mask_ + 1) : 4;
  auto wider = std::make_unique<QueuePool::Leaf*[]>(capacity);
  if (leaves_)
    for (EventIndex number = begin_ >> fanout_bits; number < (end_ + fanout - 1) >> fanout_bits; ++number)
      wider[number & (capacity - 1)] = leaves_[number & leaf_mask_];
  leaves_ = std::move(wider);
  leaf_mask_ = capacity - 1;
}

void ProcessQueue::take_page(std::uint32_t size) {
  QueuePool::Page* page = pool_->take_page(size);
  if (newest_page_ != nullptr) {
    newest_page_->used = static_cast<std::uint32_t>(write_at_ - newest_page_->data());
    if (oldest_page_ == newest_page_) read_end_ = write_at_;
    newest_page_->next = page;
  } else {
    oldest_page_ = page;
    read_at_ = page->data();
  }
  newest_page_ = page;
  write_at_ = page->data();
  page_end_ = page->data() + page->capacity;
}

void ProcessQueue::take_leaf() {
  if (!leaves_ || (end_ >> fanout_bits) - (begin_ >> fanout_bits) > leaf_mask_) grow_leaves();
  QueuePool::Leaf* leaf = pool_->take_leaf();
  leaves_[(end_ >> fanout_bits) & leaf_mask_] = leaf;
  newest_ = leaf->nodes.data();
}

Node& ProcessQueue::append_of(ProcessIndex process, Time recorded, std::uint64_t order, Role role, Body body) {
  const auto size = static_cast<std::uint32_t>(sizeof process + body.size());
  if (static_cast<std::size_t>(page_end_ - write_at_) < size) take_page(size);
  std::memcpy(write_at_, &process, sizeof process);
  write_at_ += sizeof process;
  Node& node = append(recorded, order, role, body);
  node.order_and_role |= Node::names;
  node.body_size = size;
  return node;
}

void ProcessQueue::make_room(Level& level, std::size_t index) {
  const EventIndex oldest = std::max(level.closed_begin, std::min(first_block(index), level.closed_end));
  if (level.closed_end - oldest < level.ring.size()) return;
  std::vector<Block> wider(std::max<std::size_t>(2, level.ring.size() * 2));
  for (EventIndex number = oldest; number < level.closed_end; ++number)
    wider[number & (wider.size() - 1)] = level[number];
  level.ring = std::move(wider);
}

void ProcessQueue::close_blocks() {
  for (std::size_t level = 0;; ++level) {
    if (processed_end_ % (EventIndex{1} << shift_of(level)) != 0) return;
    const EventIndex number = (processed_end_ >> shift_of(level)) - 1;
    // A larger block that reaches over the front would not pay for itself.
    if (level > 0 && (number << shift_of(level)) < begin_) return;
    if (levels_.size() <= level) levels_.emplace_back();
    Level& blocks = levels_[level];
    if (blocks.closed_end != number) blocks.closed_begin = blocks.closed_end = number;
    make_room(blocks, level);
    blocks.closed_end = number + 1;
    Block& block = blocks[number];
    block = Block{};
    if (level == 0) {
      const Node& last = raw(processed_end_ - 1);
      block.base = last.recorded + whole(last.offset);
    } else {
      block.base = levels_[level - 1][((number + 1) << fanout_bits) - 1].base;
    }
    summarize(level, number);
  }
}

void ProcessQueue::summarize(std::size_t level, EventIndex number) noexcept {
  Block& block = levels_[level][number];
  block.slack = no_limit;
  if (level == 0) {
    const QueuePool::Leaf& nodes = *leaf(number << fanout_bits);
    double slack = no_limit;
    for (const Node& node : nodes.nodes) slack = std::min(slack, node.limit - node.offset);
    block.slack = slack;
    block.last = static_cast<double>(nodes.nodes.back().recorded - block.base) + nodes.nodes.back().offset;
  } else {
    const Level& children = levels_[level - 1];
    const EventIndex end = (number + 1) << fanout_bits;
    for (EventIndex child = std::max(number << fanout_bits, first_block(level - 1)); child < end; ++child)
      block.slack = std::min(block.slack, children[child].slack);
    block.last = static_cast<double>(children[end - 1].base - block.base) + children[end - 1].last;
  }
  const double at_last = block.pending.at(block.last);
  block.last += at_last;
  block.slack -= at_last;
}

// ---- shifts -----------------------------------------------------------------------------------

void ProcessQueue::add(std::size_t level, EventIndex number, Shift shift) noexcept {
  Block& block = levels_[level][number];
  const double at_last = shift.at(block.last);
  block.last += at_last;
  block.slack -= at_last;
  block.pending = block.pending.then(shift);
}

void ProcessQueue::push_down(std::size_t level, EventIndex number) noexcept {
  Block& block = levels_[level][number];
  if (block.pending.none()) return;
  const Shift pending = std::exchange(block.pending, Shift{});
  if (level == 0) {
    const Time base = block.base;
    double slack = no_limit;  // exact again
    double last = 0;
    for (Node& node : leaf(number << fanout_bits)->nodes) {
      const auto x = static_cast<double>(node.recorded - base);
      node.offset += pending.at(x + node.offset);
      slack = std::min(slack, node.limit - node.offset);
      last = x + node.offset;
    }
    block.slack = slack;
    block.last = last;
    return;
  }
  const EventIndex end = (number + 1) << fanout_bits;
  for (EventIndex child = std::max(number << fanout_bits, first_block(level - 1)); child < end; ++child)
    add(level - 1, child, pending.seen_from(static_cast<double>(levels_[level - 1][child].base - block.base)));
}

void ProcessQueue::settle_path(EventIndex i) noexcept {
  for (std::size_t level = levels_.size(); level-- > 0;)
    if (is_closed(level, i >> shift_of(level))) push_down(level, i >> shift_of(level));
}

void ProcessQueue::summarize_path(EventIndex i) noexcept {
  for (std::size_t level = 0; level < levels_.size(); ++level)
    if (is_closed(level, i >> shift_of(level))) summarize(level, i >> shift_of(level));
}

void ProcessQueue::settle_front() noexcept {
  settle_path(begin_);
  front_settled_ = true;
}

void ProcessQueue::settle(EventIndex first, EventIndex last) noexcept {
  if (first >= last) return;
  settle_path(first);
  settle_path(last - 1);
}

int ProcessQueue::largest_level(EventIndex first, EventIndex end) const noexcept {
  int found = -1;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    if (end % (EventIndex{1} << shift_of(level)) != 0) break;
    const EventIndex number = (end >> shift_of(level)) - 1;
    if ((number << shift_of(level)) < first && first != begin_) break;
    if ((number + 1) << shift_of(level) <= first || !is_closed(level, number)) break;
    found = static_cast<int>(level);
  }
  return found;
}

void ProcessQueue::shift(EventIndex first, EventIndex last, double slope, double x, double y, Time reference) noexcept {
  // Steep lines magnify rounding errors of x: take x from a reference next to the line.
  const double nearby = std::floor(x);
  reference = reference + static_cast<Ticks>(nearby);
  const Shift shift{slope, y - slope * (x - nearby)};
  if (first >= last || shift.none()) return;
  EventIndex end = last;
  while (end > first) {
    const int level = largest_level(first, end);
    if (level < 0) {
      Node& node = raw(--end);
      node.offset += shift.at(static_cast<double>(node.recorded - reference) + node.offset);
    } else {
      const auto l = static_cast<std::size_t>(level);
      const EventIndex number = (end >> shift_of(l)) - 1;
      add(l, number, shift.seen_from(static_cast<double>(levels_[l][number].base - reference)));
      const EventIndex start = number << shift_of(l);
      end = std::max(first, start);
    }
  }
  summarize_path(first);
  summarize_path(last - 1);
  front_settled_ = false;
}

// ---- values -----------------------------------------------------------------------------------

double ProcessQueue::offset(EventIndex i) const noexcept {
  const Node& node = raw(i);
  double offset = node.offset;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const EventIndex number = i >> shift_of(level);
    if (!is_closed(level, number)) break;
    const Block& block = levels_[level][number];
    if (!block.pending.none()) offset += block.pending.at(static_cast<double>(node.recorded - block.base) + offset);
  }
  return offset;
}

void ProcessQueue::lower_slack(EventIndex i, double limit) noexcept {
  const Node& node = raw(i);
  double offset = node.offset;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const EventIndex number = i >> shift_of(level);
    if (!is_closed(level, number)) return;
    Block& block = levels_[level][number];
    if (!block.pending.none()) offset += block.pending.at(static_cast<double>(node.recorded - block.base) + offset);
    if (limit - offset >= block.slack) return;  // so it is above
    block.slack = limit - offset;
  }
}

EventIndex ProcessQueue::first_at(double start, Time reference, EventIndex last, EventIndex hint) const noexcept {
  EventIndex low = begin_;  // everything before low lies before start
  EventIndex high = last;   // everything from high on does not
  EventIndex at = std::clamp(hint, begin_, last);
  if (at < last && x(at, reference) < start) {
    low = at + 1;
    for (EventIndex step = 1; low + step < last; step *= 2) {
      if (x(low + step, reference) >= start) {
        high = low + step;
        break;
      }
      low += step + 1;
    }
  } else {
    high = at;
    for (EventIndex step = 1; high > begin_ && high - begin_ > step; step *= 2) {
      if (x(high - step, reference) < start) {
        low = high - step + 1;
        break;
      }
      high -= step;
    }
  }
  while (low < high) {
    const EventIndex middle = low + (high - low) / 2;
    if (x(middle, reference) < start)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// ---- crosses ----------------------------------------------------------------------------------

void ProcessQueue::look_at(const Node& node, EventIndex i, Search& search) const noexcept {
  if (node.limit == no_limit) return;
  const double y = cross_of(node);
  if (y >= search.y) return;
  const double distance = search.x - (static_cast<double>(node.recorded - search.reference) + node.offset);
  if (distance <= grain) {
    if (search.best.tail == no_event || search.best.x < search.x || y < search.best.y) {
      search.best = {i, search.x, y};
      search.slope = std::numeric_limits<double>::infinity();
    }
  } else if (search.y - y > search.slope * distance) {
    search.best = {i, search.x - distance, y};
    search.slope = (search.y - y) / distance;
  }
}

void ProcessQueue::look_into(std::size_t level, EventIndex number, Search& search) noexcept {
  push_down(level, number);
  if (level == 0) {
    const EventIndex start = number << fanout_bits;
    for (EventIndex i = start + fanout; i-- > std::max(start, begin_);) look_at(raw(i), i, search);
    return;
  }
  const EventIndex first = std::max(number << fanout_bits, first_block(level - 1));
  for (EventIndex child = (number + 1) << fanout_bits; child-- > first;) {
    const Block& block = levels_[level - 1][child];
    const double distance = search.x - (static_cast<double>(block.base - search.reference) + block.last);
    const double y = cross_at(block.slack);
    if (y >= search.y || (distance > grain && search.y - y <= search.slope * distance)) continue;
    look_into(level - 1, child, search);
  }
  summarize(level, number);
}

ProcessQueue::Cross ProcessQueue::steepest(EventIndex first, EventIndex last, double x, double y, double slope,
                                           Time reference) noexcept {
  Search search{reference, x, y, slope, {}};
  EventIndex end = last;
  while (end > first) {
    const int level = largest_level(first, end);
    if (level < 0) {
      --end;
      look_at(raw(end), end, search);
      continue;
    }
    const auto l = static_cast<std::size_t>(level);
    const EventIndex number = (end >> shift_of(l)) - 1;
    const Block& block = levels_[l][number];
    const double distance = x - (static_cast<double>(block.base - reference) + block.last);
    if (distance > grain && y <= search.slope * distance) break;  // nothing further left can be steeper
    const double cross = cross_at(block.slack);
    if (cross < y && (distance <= grain || y - cross > search.slope * distance)) look_into(l, number, search);
    end = std::max(first, number << shift_of(l));
  }
  return search.best;
}

void ProcessQueue::look_for_smallest(std::size_t level, EventIndex number, double& bound) noexcept {
  if (bound <= 0 || cross_at(levels_[level][number].slack) >= bound) return;
  push_down(level, number);
  if (level == 0) {
    const EventIndex start = number << fanout_bits;
    for (EventIndex i = std::max(start, begin_); i < start + fanout; ++i) bound = std::min(bound, cross_of(raw(i)));
    return;
  }
  const EventIndex first = std::max(number << fanout_bits, first_block(level - 1));
  for (EventIndex child = (number + 1) << fanout_bits; child-- > first;) look_for_smallest(level - 1, child, bound);
  summarize(level, number);
}

double ProcessQueue::smallest_slack(EventIndex first, EventIndex last, double bound) noexcept {
  EventIndex end = last;
  while (end > first && bound > 0) {
    const int level = largest_level(first, end);
    if (level < 0) {
      --end;
      bound = std::min(bound, cross_of(raw(end)));
      continue;
    }
    const auto l = static_cast<std::size_t>(level);
    const EventIndex number = (end >> shift_of(l)) - 1;
    look_for_smallest(l, number, bound);
    end = std::max(first, number << shift_of(l));
  }
  return bound;
}

// ---- leaving ----------------------------------------------------------------------------------

void ProcessQueue::leave_page() noexcept {
  while (read_at_ == read_end_) {
    QueuePool::Page* page = oldest_page_;
    oldest_page_ = page->next;
    pool_->give(page);
    read_at_ = oldest_page_->data();
    read_end_ = oldest_page_ == newest_page_ ? nullptr : read_at_ + oldest_page_->used;
  }
}

}  // namespace clc
