// The buffer of a clock against a plain array: blocks of pending shifts have to act as if every event had been moved.
#include "clock/process_queue.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "clock/offset.hpp"
#include "for_seeds.hpp"
#include "random_trace.hpp"

namespace clc::test {
namespace {

constexpr double tolerance = 1e-6;

struct Plain {
  Time recorded;
  double offset = 0;
  double limit = no_limit;
  std::string body;
  [[nodiscard]] double x(Time reference) const { return static_cast<double>(recorded - reference) + offset; }
};

/// Does the same with both, and says where they differ first.
class Queues {
 public:
  explicit Queues(std::uint64_t seed) : random_(seed) {}

  std::string run() {
    for (int step = 0; step < 400 && fault_.empty(); ++step) {
      switch (random_.index(8)) {
        case 0:
        case 1:
          append();
          break;
        case 2:
        case 3:
          process();
          break;
        case 4:
          lower_limit();
          break;
        case 5:
          shift();
          break;
        case 6:
          look();
          break;
        default:
          pop();
      }
    }
    return fault_;
  }

 private:
  using Index = EventIndex;
  [[nodiscard]] Index begin() const { return queue_.begin(); }
  [[nodiscard]] Index processed() const { return queue_.processed_end(); }
  Index any(Index first, Index end) {
    return static_cast<Index>(random_.integer(static_cast<std::int64_t>(first), static_cast<std::int64_t>(end) - 1));
  }
  void equal(const char* what, Index i, double found, double expected) {
    if (std::abs(found - expected) <= tolerance || found == expected || !fault_.empty()) return;
    fault_ = std::string(what) + " " + std::to_string(i) + ": " + std::to_string(found) + ", expected " +
             std::to_string(expected);
  }

  void append() {
    for (std::size_t n = random_.index(40); n > 0; --n) {
      Plain event;
      now_ = now_ + random_.integer(0, 20);
      event.recorded = now_;
      event.body.assign(random_.chance(0.02) ? 400 : random_.index(30), static_cast<char>('a' + all_.size() % 26));
      queue_.append(event.recorded, all_.size(), Role::send, event.body);
      all_.push_back(event);
    }
  }

  /// Gives the next events their offsets; corrected times never decrease.
  void process() {
    for (std::size_t n = random_.index(60); n > 0 && queue_.waiting() > 0; --n) {
      Plain& event = all_[processed()];
      if (processed() > 0) {
        const Plain& before = all_[processed() - 1];
        event.offset = std::max(0.0, before.offset - 0.01 * static_cast<double>(event.recorded - before.recorded));
      }
      if (random_.chance(0.1)) event.offset += random_.real(0, 100);
      queue_.head().offset = event.offset;
      queue_.head_processed();
    }
  }

  void lower_limit() {
    for (std::size_t n = random_.index(20); n > 0 && !queue_.empty(); --n) {
      const Index i = any(begin(), queue_.end());
      const double limit = all_[i].offset + random_.real(0, 60);
      queue_.lower_limit(i, limit);
      all_[i].limit = std::min(all_[i].limit, limit);
    }
  }

  struct Range {
    Index first;
    Index last;
    Time reference;
    double start;
  };
  /// Events from some x on up to a processed event.
  Range range() {
    const Index last = any(begin(), processed());
    const Time reference = all_[last].recorded;
    const double start = all_[last].x(reference) - random_.real(0, 2000);
    const auto first = std::find_if(all_.begin() + static_cast<std::ptrdiff_t>(begin()),
                                    all_.begin() + static_cast<std::ptrdiff_t>(last),
                                    [&](const Plain& event) { return event.x(reference) >= start; });
    const auto expected = static_cast<Index>(first - all_.begin());
    const Index found = queue_.first_at(start, reference, last, any(0, last + 1));
    if (found != expected) equal("first", last, static_cast<double>(found), static_cast<double>(expected));
    return {expected, last, reference, start};
  }

  /// A line that rises from 0 at the start of the range.
  void shift() {
    if (begin() == processed()) return;
    const Range r = range();
    if (r.first >= r.last) return;
    const double slope = random_.chance(0.1) ? 0 : random_.real(0, 0.05);
    const double y = random_.chance(0.2) ? random_.real(0, 5) : 0;
    queue_.settle(r.first, r.last);
    queue_.shift(r.first, r.last, slope, r.start, y, r.reference);
    for (Index i = r.first; i < r.last; ++i)
      all_[i].offset += std::max(0.0, y + slope * (all_[i].x(r.reference) - r.start));
    // The event behind the range has moved at least as far.
    const double most = all_[r.last - 1].x(r.reference);
    for (Index i = r.last; i < processed() && all_[i].x(r.reference) < most; ++i) {
      const double up = most - all_[i].x(r.reference);
      queue_.settle(i, i + 1);
      queue_.shift(i, i + 1, 0, 0, up, r.reference);
      all_[i].offset += up;
    }
  }

  void look() {
    if (begin() == processed()) return;
    for (int n = 0; n < 10; ++n) {
      const Index i = any(begin(), processed());
      equal("offset of", i, queue_.offset(i), all_[i].offset);
    }
    const Range r = range();
    if (r.first >= r.last) return;
    queue_.settle(r.first, r.last);
    const double bound = random_.real(0, 80);
    double least = bound;
    for (Index i = r.first; i < r.last; ++i) least = std::min(least, cross(all_[i]));
    equal("smallest slack before", r.last, queue_.smallest_slack(r.first, r.last, bound), least);
    look_for_steepest(r);
  }

  static double cross(const Plain& event) { return std::max(0.0, event.limit - event.offset - lowering); }

  void look_for_steepest(const Range& r) {
    const double x = all_[r.last].x(r.reference) + 1;
    const double y = random_.real(0, 100);
    const double least = random_.real(0, 0.2);
    double steepest = least;
    for (Index i = r.first; i < r.last; ++i)
      if (cross(all_[i]) < y) steepest = std::max(steepest, (y - cross(all_[i])) / (x - all_[i].x(r.reference)));
    const ProcessQueue::Cross found = queue_.steepest(r.first, r.last, x, y, least, r.reference);
    equal("steepest line before", r.last, found.tail == no_event ? least : (y - found.y) / (x - found.x), steepest);
    if (found.tail != no_event) equal("cross of", found.tail, found.y, cross(all_[found.tail]));
  }

  void pop() {
    const std::size_t most = random_.index(50);
    for (std::size_t n = 0; n < most && fault_.empty();) {
      const auto run = queue_.front_run();
      if (run.empty()) break;
      const std::size_t some = std::min(run.size(), most - n);
      for (std::size_t k = 0; k < some; ++k) {
        const Plain& event = all_[begin() + k];
        equal("offset of the oldest,", begin() + k, run[k].offset, event.offset);
        if (queue_.take_body(run[k].body_size) != event.body) fault_ = "body " + std::to_string(begin() + k);
      }
      queue_.pop(some);
      n += some;
    }
    QueuePool::Retired pages = pool_.retired();
    pool_.recycle(pages);
  }

  Random random_;
  QueuePool pool_{1};
  ProcessQueue queue_{pool_};
  std::vector<Plain> all_;
  Time now_{1'000'000};
  std::string fault_;
};

}  // namespace

TEST_CASE("queue of a clock: as an array in which each event is moved by itself") {
  for_seeds(1, [](std::uint64_t seed) { return Queues(seed).run(); });
}

TEST_CASE("queue of a clock: takes memory back") {
  QueuePool pool(1);
  ProcessQueue queue(pool);
  const auto fill_and_empty = [&] {
    for (int i = 0; i < 10'000; ++i) {
      queue.append(Time(i), 0, Role::internal, "some bytes");
      queue.head_processed();
    }
    while (!queue.empty()) {
      for (const Node& node : queue.front_run()) static_cast<void>(queue.take_body(node.body_size));
      queue.pop(queue.front_run().size());
    }
    QueuePool::Retired pages = pool.retired();
    pool.recycle(pages);
  };
  fill_and_empty();
  const std::uint64_t empty = pool.memory();
  CHECK(empty < 1024);
  fill_and_empty();
  CHECK(pool.memory() == empty);
}

}  // namespace clc::test
