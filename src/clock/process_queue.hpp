// The buffer of events: one first-in-first-out queue per clock, from reading to emission.
//
//      begin          processed_end            end
//        |  processed      |  read, waiting     |
//        [.....................................)      indexes number all events of a clock, from 0
//
// Layout   Nodes are stored in leaves of 16. The processed part has a tree of blocks with 16 children each. A block
//          holds a *pending* affine shift that applies to all its events, so that an amortization touches O(log)
//          blocks instead of every event of its interval (clc-algorithm(7), Cost). If several processes use a clock,
//          the body of an event begins with its process, unless that is the first of them.
// Terms    x of an event: its corrected time so far, C + offset, relative to a reference time. A shift moves x to
//          x + max(0, slope * x + height). The slack of a tail is its limit minus its offset.
// Units    Ticks; offsets are doubles, never negative, and never decrease.
// Cost     40 bytes per event, 4 bytes of blocks, and the body.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "clc/event.hpp"
#include "clc/time.hpp"
#include "clock/offset.hpp"
#include "trace/fetch.hpp"
#include "trace/large_pages.hpp"
#include "trace/short_copy.hpp"

namespace clc {

/// Index of an event in its clock, from 0.
using EventIndex = std::uint64_t;
inline constexpr EventIndex no_event = ~EventIndex{0};

inline constexpr std::uint32_t no_edge = 0xffff'ffff;

/// Further roles, for events whose edge was given up: `Node::edge` names the message or call.
namespace released {
inline constexpr Role receive{5};
inline constexpr Role send{6};
inline constexpr Role collective_end{7};
}  // namespace released

/// A buffered event.
struct Node {
  Time recorded;                     ///< C
  double offset = 0;                 ///< LC' - C once processed, later LC^b - C; excludes pending shifts
  double limit = no_limit;           ///< upper bound of a tail's offset: min over heads (LC' - mu) - C
  std::uint64_t order_and_role = 0;  ///< and whether the body begins with the process
  std::uint32_t edge = no_edge;      ///< message or call this event belongs to
  std::uint32_t body_size = 0;

  static constexpr std::uint64_t names = 8;
  void set(std::uint64_t order, Role role) noexcept { order_and_role = order << 4 | static_cast<std::uint64_t>(role); }
  /// Position in the input, from 0.
  [[nodiscard]] std::uint64_t order() const noexcept { return order_and_role >> 4; }
  [[nodiscard]] bool names_process() const noexcept { return (order_and_role & names) != 0; }
  [[nodiscard]] Role role() const noexcept { return static_cast<Role>(order_and_role & 7); }
  /// Its edge was given up; edge: the message or call by which it is known from now on.
  void release(Role as, std::uint32_t edge_of) noexcept {
    order_and_role = (order_and_role & ~std::uint64_t{7}) | static_cast<std::uint64_t>(as);
    edge = edge_of;
  }
  /// True if the observer may need to know when it is emitted.
  [[nodiscard]] bool is_watched() const noexcept { return role() >= Role::collective_begin; }
  /// It is watched, or its body begins with the process.
  [[nodiscard]] bool is_unusual() const noexcept {
    return (order_and_role & (names | 7)) >= static_cast<std::uint64_t>(Role::collective_begin);
  }
};
static_assert(sizeof(Node) == 40, "events in memory are what bounds the filter's size");

/// x -> x + max(0, slope * x + height), x in ticks relative to the reference time of its owner.
struct Shift {
  double slope = 0;
  double height = 0;

  [[nodiscard]] bool none() const noexcept { return slope == 0 && height == 0; }
  [[nodiscard]] double at(double x) const noexcept {
    const double shift = slope * x + height;
    return shift > 0 ? shift : 0;
  }
  /// The same shift relative to a reference time that is `ticks` later.
  [[nodiscard]] Shift seen_from(double ticks) const noexcept { return {slope, height + slope * ticks}; }
  /// The composition: first this shift, then next.
  [[nodiscard]] Shift then(Shift next) const noexcept {
    return {slope + next.slope + slope * next.slope, height + next.height + next.slope * height};
  }
};

/// Leaves and body pages of all queues. Those that one queue frees are reused by others.
class QueuePool {
 public:
  static constexpr std::uint32_t leaf_events = 16;

  struct Leaf {
    std::array<Node, leaf_events> nodes;
  };
  struct Page {
    Page* next = nullptr;
    std::uint32_t capacity = 0;
    std::uint32_t used = 0;  // once it is full
    [[nodiscard]] char* data() noexcept { return reinterpret_cast<char*>(this + 1); }
  };

  /// Every clock holds at least one page, so pages are small if there are many clocks.
  explicit QueuePool(std::size_t clocks = 0) noexcept : page_bytes_(clocks <= 16384 ? 240 : 48) {}
  QueuePool(const QueuePool&) = delete;
  QueuePool& operator=(const QueuePool&) = delete;
  ~QueuePool();

  [[nodiscard]] Leaf* take_leaf();
  void give(Leaf* leaf) noexcept { free_leaves_.push_back(leaf); }
  [[nodiscard]] Page* take_page(std::uint32_t bytes);
  /// Takes pages back; their bytes remain readable until they are recycled.
  struct Retired {
    Page* newest = nullptr;
    Page* oldest = nullptr;
    Page* oversized = nullptr;  // for a body larger than other pages
  };
  void give(Page* page) noexcept;
  /// The pages taken back since the last call. The caller must recycle them.
  [[nodiscard]] Retired retired() noexcept { return std::exchange(retired_, {}); }
  void recycle(Retired& pages) noexcept;

  /// Bytes in use by queues.
  [[nodiscard]] std::uint64_t memory() const noexcept;

 private:
  std::uint32_t page_bytes_;  // including the header; a multiple of the cache line
  Arena arena_;
  std::vector<Leaf*> free_leaves_;
  std::size_t leaves_ = 0;
  Page* free_pages_ = nullptr;
  Retired retired_;
  std::uint64_t page_memory_ = 0;  // of pages in use
};

class alignas(64) ProcessQueue {
 public:
  explicit ProcessQueue(QueuePool& pool) noexcept : pool_(&pool) {}
  ProcessQueue(ProcessQueue&&) noexcept;
  ProcessQueue& operator=(ProcessQueue&&) = delete;
  ~ProcessQueue();

  [[nodiscard]] EventIndex begin() const noexcept { return begin_; }
  [[nodiscard]] EventIndex processed_end() const noexcept { return processed_end_; }
  [[nodiscard]] EventIndex end() const noexcept { return end_; }
  [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }
  [[nodiscard]] std::uint64_t waiting() const noexcept { return end_ - processed_end_; }

  /// Appends an event; copies the body.
  Node& append(Time recorded, std::uint64_t order, Role role, Body body) {
    const auto size = static_cast<std::uint32_t>(body.size());
    if (static_cast<std::size_t>(page_end_ - write_at_) < size) [[unlikely]]
      take_page(size);
    if (end_ % fanout == 0) take_leaf();
    Node& node = *newest_++;
    write_at_ = short_copy(write_at_, body.data(), size);
    ++end_;
    node.recorded = recorded;
    node.offset = 0;
    node.limit = no_limit;
    node.set(order, role);
    node.edge = no_edge;
    node.body_size = size;
    return node;
  }
  /// The same for a process that is not the first one of the clock.
  Node& append_of(ProcessIndex process, Time recorded, std::uint64_t order, Role role, Body body);
  // Prefetch the memory of the next event, and, in two steps, that of a buffered event and of the oldest one.
  [[gnu::always_inline]] void fetch_end() const noexcept {
    fetch(newest_);
    fetch(write_at_);
  }
  [[gnu::always_inline]] void fetch_leaf(EventIndex i) const noexcept {
    fetch(leaves_.get() + ((i >> fanout_bits) & leaf_mask_));
  }
  [[gnu::always_inline]] void fetch_limit(EventIndex i) const noexcept {
    if (i >= begin_ && i < end_) fetch(&raw(i).limit);
  }
  [[gnu::always_inline]] void fetch_front_leaf() const noexcept {
    fetch_leaf(begin_);
    fetch(read_at_);
  }
  [[gnu::always_inline]] void fetch_front() const noexcept {
    if (!empty()) fetch(&raw(begin_));
  }
  /// The next event to be processed. Pre: waiting() > 0.
  [[nodiscard]] Node& head() noexcept { return raw(processed_end_); }
  [[nodiscard]] const Node& head() const noexcept { return raw(processed_end_); }
  /// The head has been processed: its offset is set, and shifts apply to it from now on.
  void head_processed() {
    ++processed_end_;
    if (processed_end_ % QueuePool::leaf_events == 0) close_blocks();
  }
  /// The node itself. The offset of a processed event excludes pending shifts; see offset().
  [[nodiscard]] Node& raw(EventIndex i) noexcept { return leaf(i)->nodes[i % QueuePool::leaf_events]; }
  [[nodiscard]] const Node& raw(EventIndex i) const noexcept { return leaf(i)->nodes[i % QueuePool::leaf_events]; }

  /// Offset of a processed event, including all shifts. O(levels).
  [[nodiscard]] double offset(EventIndex i) const noexcept;
  /// Lowers the limit of a buffered tail and updates the slack of the blocks above it.
  void lower_limit(EventIndex i, double limit) noexcept {
    Node& node = raw(i);
    if (limit >= node.limit) return;
    node.limit = limit;
    if (i >> fanout_bits < processed_end_ >> fanout_bits) lower_slack(i, limit);
  }

  // ---- for the amortizer; x is relative to a reference time -----------------------------------
  [[nodiscard]] double x(EventIndex i, Time reference) const noexcept {
    return static_cast<double>(raw(i).recorded - reference) + offset(i);
  }
  /// First event in [begin, last) with x >= start; last if there is none. Galloping search from a hint.
  [[nodiscard]] EventIndex first_at(double start, Time reference, EventIndex last, EventIndex hint) const noexcept;
  /// Settles [first, last): pushes pending shifts down the paths to both ends, so that blocks inside are exact.
  void settle(EventIndex first, EventIndex last) noexcept;
  /// Moves events [first, last) by the line with the given slope through (x, y). Pre: settled.
  void shift(EventIndex first, EventIndex last, double slope, double x, double y, Time reference) noexcept;
  struct Cross {
    EventIndex tail = no_event;
    double x = 0;
    double y = 0;  ///< slack, at least 0
  };
  /// The cross, of all tails in [first, last), to which the line down from (x, y) is steepest, if it is steeper than
  /// `slope`; otherwise tail == no_event. A cross at x itself counts as infinitely steep if it is below y. Pre:
  /// settled.
  [[nodiscard]] Cross steepest(EventIndex first, EventIndex last, double x, double y, double slope,
                               Time reference) noexcept;
  /// Smallest slack of the tails in [first, last), at least 0, if below `bound`; else bound. Pre: settled.
  [[nodiscard]] double smallest_slack(EventIndex first, EventIndex last, double bound) noexcept;

  // ---- for the merge --------------------------------------------------------------------------
  /// The oldest processed events up to the end of their leaf, with all shifts applied; empty if there are none.
  [[nodiscard]] std::span<const Node> front_run() noexcept {
    if (begin_ == processed_end_) return {};
    if (!front_settled_) settle_front();
    const EventIndex end = std::min((begin_ | (fanout - 1)) + 1, processed_end_);
    return std::span(leaf(begin_)->nodes).subspan(begin_ % fanout, end - begin_);
  }
  /// Takes the body of the next event to be emitted: call once for each, in order. Valid until its page is recycled.
  [[nodiscard]] Body take_body(std::uint32_t size) noexcept {
    if (size == 0) return {};
    if (read_at_ == read_end_) leave_page();
    const Body body(read_at_, size);
    read_at_ += size;
    return body;
  }
  /// Removes events of the front run.
  void pop(std::size_t events) noexcept {
    if (events == 0) return;
    begin_ += events;
    if (begin_ % fanout != 0) return;
    pool_->give(leaf(begin_ - 1));
    front_settled_ = false;
  }

 private:
  static constexpr unsigned fanout_bits = 4;
  static_assert((1U << fanout_bits) == QueuePool::leaf_events);
  static constexpr EventIndex fanout = EventIndex{1} << fanout_bits;

  /// Summary of a block of processed events, exact except for shifts pending above it. Emitted events may still count
  /// in slack, which is a lower bound.
  struct Block {
    Time base;                // LC' of its last event, where shifts are largest: reference of last and pending
    double last = 0;          // x of its last event
    double slack = no_limit;  // lower bound of the slack of its tails
    Shift pending;            // to be applied to every event below
  };
  /// Blocks of one size: a ring buffer indexed by block number.
  struct Level {
    std::vector<Block> ring;
    EventIndex closed_begin = 0;  // block numbers [closed_begin, closed_end) exist
    EventIndex closed_end = 0;
    [[nodiscard]] Block& operator[](EventIndex number) noexcept { return ring[number & (ring.size() - 1)]; }
    [[nodiscard]] const Block& operator[](EventIndex number) const noexcept { return ring[number & (ring.size() - 1)]; }
  };
  static constexpr unsigned shift_of(std::size_t level) noexcept {
    return fanout_bits * (static_cast<unsigned>(level) + 1);
  }

  [[nodiscard]] QueuePool::Leaf* leaf(EventIndex i) const noexcept { return leaves_[(i >> fanout_bits) & leaf_mask_]; }
  [[nodiscard]] EventIndex first_block(std::size_t level) const noexcept { return begin_ >> shift_of(level); }
  void lower_slack(EventIndex i, double limit) noexcept;
  void take_page(std::uint32_t size);
  void take_leaf();
  void leave_page() noexcept;
  void grow_leaves();
  void close_blocks();
  void make_room(Level& level, std::size_t index);
  void push_down(std::size_t level, EventIndex number) noexcept;
  [[nodiscard]] bool is_closed(std::size_t level, EventIndex number) const noexcept {
    return number >= levels_[level].closed_begin && number < levels_[level].closed_end;
  }
  void summarize(std::size_t level, EventIndex number) noexcept;
  void settle_path(EventIndex i) noexcept;
  void summarize_path(EventIndex i) noexcept;
  void settle_front() noexcept;
  void add(std::size_t level, EventIndex number, Shift shift) noexcept;
  /// Level of the largest closed block that ends at `end` and contains no buffered event before `first`; -1: none.
  [[nodiscard]] int largest_level(EventIndex first, EventIndex end) const noexcept;
  /// State of the search of `steepest` from (x, y), with the best slope so far.
  struct Search {
    Time reference;
    double x;
    double y;
    double slope;
    Cross best;
  };
  void look_at(const Node& node, EventIndex i, Search& search) const noexcept;
  void look_into(std::size_t level, EventIndex number, Search& search) noexcept;
  void look_for_smallest(std::size_t level, EventIndex number, double& bound) noexcept;

  // Used when events are read: one cache line.
  EventIndex begin_ = 0;
  EventIndex processed_end_ = 0;
  EventIndex end_ = 0;
  Node* newest_ = nullptr;    // place of the next event, unless it begins a leaf
  char* write_at_ = nullptr;  // in the newest page
  char* page_end_ = nullptr;
  std::unique_ptr<QueuePool::Leaf*[]> leaves_;  // a ring buffer indexed by leaf number
  std::uint32_t leaf_mask_ = 0;
  bool front_settled_ = false;  // no shifts are pending for the leaf of begin_
  // Used when events are emitted, and by the amortizer: another cache line.
  QueuePool* pool_;
  QueuePool::Page* oldest_page_ = nullptr;
  QueuePool::Page* newest_page_ = nullptr;
  const char* read_at_ = nullptr;   // in the oldest page
  const char* read_end_ = nullptr;  // null while the oldest page is also the newest
  std::vector<Level> levels_;
};
static_assert(sizeof(ProcessQueue) == 128, "two cache lines: with very many processes, each is a miss");

}  // namespace clc
