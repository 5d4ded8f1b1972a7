#include "common/order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <exception>
#include <numeric>
#include <optional>
#include <queue>
#include <span>

#include "common/batch.hpp"
#include "common/decorator.hpp"
#include "common/entries.hpp"
#include "common/held_notes.hpp"
#include "trace/time_order.hpp"

namespace clc::formats {

namespace {

__extension__ using Wide = __int128;

std::string decimal(Wide number) {
  constexpr std::uint64_t part = 1'000'000'000'000'000'000;
  if (number < part) return std::to_string(static_cast<std::uint64_t>(number));
  const std::string low = std::to_string(static_cast<std::uint64_t>(number % part));
  return decimal(number / part) + std::string(18 - low.size(), '0') + low;
}

/// Microseconds, rounded up to 10^-6 of one, without superfluous zeros.
std::string microseconds(Ticks ticks, Resolution resolution) {
  const Wide per_second = resolution.per_second();
  const Wide millionths = (Wide{ticks} * 1'000'000'000'000 + per_second - 1) / per_second;
  std::string fraction = decimal(millionths % 1'000'000);
  fraction.insert(0, 6 - fraction.size(), '0');
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  const std::string whole = decimal(millionths / 1'000'000);
  return fraction.empty() ? whole : whole + '.' + fraction;
}

/// What is known of the latest record so far.
struct Latest {
  Time time = Time::earliest();
  std::uint64_t place = 0;
};

std::string found_late(const Source& source, Time time, std::uint64_t place, const Latest& latest) {
  return source.describe(place) + ": found time " + std::to_string(time.ticks()) + " after time " +
         std::to_string(latest.time.ticks()) + " (" + source.describe(latest.place) + "), ";
}

/// A record that stands too late, and how far behind records are in all.
class Disorder {
 public:
  /// maxima: of the processes so far, as far as they are known; without, the window named may be too wide.
  Disorder(const Source& source, Time time, std::uint64_t place, const Latest& latest, RunningMaxima maxima)
      : where_(found_late(source, time, place, latest)), latest_(latest.time), maxima_(std::move(maxima)) {}

  void see(std::span<const Event> events) {
    for (const Event& event : events) {
      const Time time = maxima_.next(event);
      latest_ = std::max(latest_, time);
      largest_ = std::max(largest_, latest_ - time);
    }
  }

  /// Reads the rest of a file, so that the window named suffices for it; other input may have no end. more: there is a
  /// rest.
  [[nodiscard]] std::string message(const std::string& expected, Source& source, bool more) {
    const bool file = source.bytes_total() != 0;
    try {
      Batch batch;
      while (file && more) {
        more = source.read(batch);
        see(batch.events);
      }
    } catch (const InputError&) {  // what stands behind damage cannot be read with any window
    }
    return where_ + expected + "; sort the trace, or accept the disorder with SourceOptions::sort_window_us " +
           microseconds(largest_, source.definitions().resolution) + (file ? "" : " (it suffices up to here)");
  }

 private:
  std::string where_;
  Time latest_;
  RunningMaxima maxima_;
  Ticks largest_ = 0;
};

class CheckedSource final : public Decorator, public Entries {
 public:
  explicit CheckedSource(std::unique_ptr<Source> source)
      : Decorator(std::move(source)), entries_(dynamic_cast<Entries*>(&inner())) {}

  [[nodiscard]] Ready ready() const override {
    if (entries_ == nullptr || fault_) return {};
    Ready ready = entries_->ready();
    ready.after = latest_.time;
    return ready;
  }
  void taken(const Taken& taken) override {
    entries_->taken(taken);
    latest_ = {taken.time, taken.place};
    Event last;
    last.time = taken.time;
    last.process = taken.process;
    reached_.note(std::span(&last, 1), taken.time,
                  [this](ProcessIndex process) { return definitions().processes()[process].clock; });
  }

  bool read(Batch& batch) override {
    if (fault_) {
      batch.clear();
      throw InputError(fault_->message("expected records sorted by time", inner(), more_));
    }
    more_ = inner().read(batch);
    const std::size_t count = batch.events.size();
    const auto clock_of = [this](ProcessIndex process) { return definitions().processes()[process].clock; };
    std::size_t i = 0;
    for (Time last = latest_.time;; ++i) {
      const std::size_t first = i;
      while (i < count && batch.events[i].time >= last) last = batch.events[i++].time;
      if (i > first) latest_ = {last, batch.places[i - 1]};
      reached_.note(std::span<const Event>(batch.events).first(i), last, clock_of);
      if (i == count) return more_;
      if (!reached_.by(clock_of(batch.events[i].process), last)) break;
    }
    fault_.emplace(inner(), batch.events[i].time, batch.places[i], latest_, RunningMaxima());
    fault_->see(std::span(batch.events).subspan(i));
    resize_records(batch, i);
    while (!batch.notes.empty() && batch.notes.back().before > i) batch.notes.pop_back();
    return i > 0 || !batch.notes.empty() || read(batch);
  }

 private:
  Entries* entries_;  ///< of the inner source; null: it has none
  Reached reached_;
  Latest latest_;
  bool more_ = true;
  std::optional<Disorder> fault_;  ///< thrown by the next read
};

struct Timed {
  Time time;
  std::uint32_t index;
};

/// Sorts the records of a batch by digits of their times.
class SortingByTime {
 public:
  /// The first `count` of times; equal ones in the order of their indexes.
  void sort(const std::vector<Time>& times, std::size_t count, std::vector<Timed>& sorted) {
    sorted.resize(count);
    Time least = times.front();
    Time most = least;
    bool in_order = true;
    for (std::uint32_t i = 0; i < count; ++i) {
      sorted[i] = {times[i], i};
      in_order = in_order && times[i] >= most;
      least = std::min(least, times[i]);
      most = std::max(most, times[i]);
    }
    if (in_order) return;
    const auto bits = static_cast<int>(std::bit_width(ticks_between(least, most)));
    constexpr std::size_t few = 64;
    if (count < few || bits > 4 * digit)
      std::stable_sort(sorted.begin(), sorted.end(), [](const Timed& a, const Timed& b) { return a.time < b.time; });
    else
      for (int shift = 0; shift < bits; shift += digit) sort_digit(sorted, least, shift);
  }

 private:
  static constexpr int digit = 9;  // bits
  static constexpr std::uint64_t last = (1U << digit) - 1;

  void sort_digit(std::vector<Timed>& sorted, Time least, int shift) {
    const auto digit_of = [&](const Timed& one) { return (ticks_between(least, one.time) >> shift) & last; };
    places_.fill(0);
    for (const Timed& one : sorted) ++places_[digit_of(one)];
    std::exclusive_scan(places_.begin(), places_.end(), places_.begin(), std::uint32_t{0});
    other_.resize(sorted.size());
    for (const Timed& one : sorted) other_[places_[digit_of(one)]++] = one;
    sorted.swap(other_);
  }

  std::array<std::uint32_t, last + 1> places_{};
  std::vector<Timed> other_;
};

class SortingSource final : public Decorator {
 public:
  SortingSource(std::unique_ptr<Source> source, Ticks window, std::uint64_t most_memory,
                std::function<void()> on_definitions)
      : Decorator(std::move(source)),
        window_(window),
        most_memory_(most_memory),
        notes_(inner().definitions(), std::move(on_definitions)) {}
  SortingSource(std::unique_ptr<Source> source, std::function<Time()> complete, std::uint64_t most_memory,
                std::function<void()> on_definitions)
      : Decorator(std::move(source)),
        complete_(std::move(complete)),
        window_(ticks_max),
        most_memory_(most_memory),
        notes_(inner().definitions(), std::move(on_definitions)) {}

  /// Of the records that have left.
  [[nodiscard]] const Definitions& definitions() const noexcept override { return notes_.definitions(); }

  bool read(Batch& batch) override {
    batch.clear();
    notes_.forget_given();
    forget_empty_chunks();
    for (;;) {
      if (!waiting_.empty() && (waiting_.top().time <= bound() || memory_ + notes_.memory() > most_memory_)) {
        emit(batch);
        return true;
      }
      if (ended_) break;
      if (waiting_.empty() && !notes_.empty()) {  // nothing has to leave before them
        notes_.give_all(batch);
        return true;
      }
      take();
    }
    notes_.give_all(batch);
    if (fault_) {
      if (!batch.notes.empty()) return true;
      std::rethrow_exception(fault_);
    }
    return false;
  }

 private:
  static constexpr std::size_t batch_size = 4096;
  static constexpr std::size_t early_batch_size = 256;
  static constexpr std::size_t most_kept = 4;  // free chunks with their memory

  /// Records of one batch of the inner source; used again when all were handed out.
  struct Chunk {
    std::string bytes;
    std::vector<Event> events;
    std::vector<Body> bodies;
    std::vector<std::uint64_t> places;
    std::vector<Timed> order;  ///< of its records
    std::size_t next = 0;      ///< in that order, the first that was not handed out
    std::uint64_t first = 0;   ///< sequence number of its first record
    std::uint64_t memory = 0;

    [[nodiscard]] bool empty() const noexcept { return next == order.size(); }
  };
  /// The next record of a chunk.
  struct Waiting {
    explicit Waiting(Chunk* of)
        : time(of->order[of->next].time), chunk(of), index(of->order[of->next].index), sequence(of->first + index) {}
    Time time;  ///< largest time of its process so far
    Chunk* chunk;
    std::size_t index;
    std::uint64_t sequence;
  };
  /// Where a chunk came in the input; it may be in use again for later records.
  struct Place {
    std::uint64_t first;
    const Chunk* chunk;
    [[nodiscard]] bool has_left() const noexcept { return chunk->first != first || chunk->empty(); }
  };
  struct Later {
    bool operator()(const Waiting& a, const Waiting& b) const noexcept {
      return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
    }
  };

  /// Reads one batch of the inner source into the heap.
  void take() {
    bool more = false;
    try {
      more = inner().read(incoming_);
    } catch (const InputError&) {
      fault_ = std::current_exception();
      ended_ = true;
      return;
    }
    ended_ = !more;
    const std::uint64_t first = sequence_;
    const std::size_t count = fitting(incoming_.events);
    notes_.keep(incoming_, count, first);
    if (count > 0) waiting_.push(Waiting(&add_chunk(first, count)));
    sequence_ += count;
    if (disorder_) {
      const std::string expected =
          "expected disorder of at most " + microseconds(window_, definitions().resolution) + " us";
      fault_ = std::make_exception_ptr(InputError(disorder_->message(expected, inner(), more)));
    }
  }

  /// Of the first records of what was read.
  Chunk& add_chunk(std::uint64_t first, std::size_t count) {
    if (free_.empty()) free_.push_back(all_.emplace_back(std::make_unique<Chunk>()).get());
    Chunk& chunk = *free_.back();
    free_.pop_back();
    chunk.first = first;
    chunk.next = 0;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) bytes += incoming_.bodies[i].size();
    chunk.bytes.clear();
    chunk.bytes.reserve(bytes);
    // All of them: a source finds its batch with as many of each.
    chunk.events.swap(incoming_.events);
    chunk.bodies.swap(incoming_.bodies);
    chunk.places.swap(incoming_.places);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = chunk.bytes.size();
      chunk.bytes.append(chunk.bodies[i]);
      chunk.bodies[i] = Body(chunk.bytes.data() + at, chunk.bodies[i].size());
    }
    sorting_.sort(times_, count, chunk.order);
    chunk.memory = bytes + count * (sizeof(Event) + sizeof(Body) + sizeof(std::uint64_t) + 2 * sizeof(Timed));
    memory_ += chunk.memory;
    in_order_.push_back({first, &chunk});
    return chunk;
  }

  /// How many of the events lie within the window; notes the first that does not.
  std::size_t fitting(const std::vector<Event>& events) {
    times_.clear();
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Time time = maxima_.next(events[i]);
      times_.push_back(time);
      if (time < gone_.time) {
        fault_ = std::make_exception_ptr(SortMemoryExceeded(
            found_late(inner(), time, incoming_.places[i], gone_) + "which was emitted before the end of its " +
            "sort window because more than " + std::to_string(most_memory_) +
            " bytes were buffered, expected less disorder; raise SourceOptions::sort_memory, or sort the trace"));
        ended_ = true;
        return i;
      }
      if (time >= latest_.time) {
        latest_ = {time, incoming_.places[i]};
      } else if (latest_.time - time > window_) {
        disorder_.emplace(inner(), time, incoming_.places[i], latest_, maxima_);
        disorder_->see(std::span(events).subspan(i));
        ended_ = true;
        return i;
      }
    }
    return events.size();
  }

  /// What is not later need not wait for others.
  [[nodiscard]] Time bound() const {
    if (ended_) return Time::latest();
    return complete_ ? complete_() : latest_.time - window_;
  }

  /// Gives the notes before a record. False: definitions change there, so the batch ends.
  bool give_notes(const Waiting& next, Batch& batch) {
    if (notes_.empty()) [[likely]]
      return true;
    const HeldNotes::Next record{next.chunk->events[next.index], next.sequence, in_order_.front().first};
    if (notes_.changes_before(record)) {
      if (!batch.events.empty()) return false;
      notes_.change_before(record, batch);
    }
    notes_.give_before(next.sequence, batch);
    return true;
  }

  void emit(Batch& batch) {
    const bool early = waiting_.top().time > bound();
    const Time bound = early ? Time::latest() : this->bound();
    const std::size_t most = early ? early_batch_size : batch_size;
    while (batch.events.size() < most && !waiting_.empty() && waiting_.top().time <= bound) {
      Waiting next = waiting_.top();
      Chunk& chunk = *next.chunk;
      waiting_.pop();
      for (;;) {
        if (!give_notes(next, batch)) return waiting_.push(next);
        if (early) gone_ = {next.time, chunk.places[next.index]};
        batch.events.push_back(chunk.events[next.index]);
        batch.bodies.push_back(chunk.bodies[next.index]);
        batch.places.push_back(chunk.places[next.index]);
        ++chunk.next;
        if (chunk.empty()) {
          empty_.push_back(&chunk);
          while (!in_order_.empty() && in_order_.front().has_left()) in_order_.pop_front();
          break;
        }
        next = Waiting(&chunk);
        if (batch.events.size() == most || next.time > bound || (!waiting_.empty() && Later()(next, waiting_.top()))) {
          waiting_.push(next);
          break;
        }
      }
    }
  }

  /// What the last batch pointed into.
  void forget_empty_chunks() {
    for (Chunk* const chunk : empty_) {
      memory_ -= chunk->memory;
      if (free_.size() >= most_kept) *chunk = {};
      free_.push_back(chunk);
    }
    empty_.clear();
  }

  std::function<Time()> complete_;  ///< in place of the window
  Ticks window_;
  std::uint64_t most_memory_;
  std::uint64_t memory_ = 0;
  Batch incoming_;
  std::vector<std::unique_ptr<Chunk>> all_;
  std::vector<Chunk*> empty_;  ///< since the last batch
  std::vector<Chunk*> free_;
  std::deque<Place> in_order_;  ///< of the chunks; the first one has records that have not left
  SortingByTime sorting_;
  std::priority_queue<Waiting, std::vector<Waiting>, Later> waiting_;
  HeldNotes notes_;
  std::uint64_t sequence_ = 0;
  RunningMaxima maxima_;
  std::vector<Time> times_;  ///< of the batch that was read
  Latest latest_;
  Latest gone_;  ///< the latest record that left before the end of its window
  bool ended_ = false;
  std::optional<Disorder> disorder_;
  std::exception_ptr fault_;  ///< thrown when everything before it has been delivered
};

}  // namespace

std::unique_ptr<Source> checked(std::unique_ptr<Source> inner) {
  return std::make_unique<CheckedSource>(std::move(inner));
}

std::unique_ptr<Source> sorted_within(std::unique_ptr<Source> inner, Ticks window, std::uint64_t most_memory,
                                      std::function<void()> on_definitions) {
  return std::make_unique<SortingSource>(std::move(inner), window, most_memory, std::move(on_definitions));
}

std::unique_ptr<Source> sorted_until(std::unique_ptr<Source> inner, std::function<Time()> complete,
                                     std::uint64_t most_memory, std::function<void()> on_definitions) {
  return std::make_unique<SortingSource>(std::move(inner), std::move(complete), most_memory, std::move(on_definitions));
}

}  // namespace clc::formats
