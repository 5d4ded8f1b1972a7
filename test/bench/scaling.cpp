// A model of clc-filter-mpi on many processors: clc-bench-scaling TRACE [--in-order] [LATENCY_US...]
//
// Method   The parallel replay itself runs, all ranks in one program, over the events of a trace. Each rank has a clock
//          of its own that advances by what its work costs: so much for an event, an item, a message. Messages arrive
//          after the latency, standstills after waves over all ranks. The rank whose clock is behind goes on. So what
//          is counted (items, messages, waits, standstills) is that of the program, and only costs are assumed.
// Left out Reading and writing files, which need no other rank.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <queue>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clc/io/batch.hpp"
#include "clc/io/format.hpp"
#include "clc/io/source.hpp"
#include "clc/parameters.hpp"
#include "ranks/division.hpp"
#include "ranks/packed.hpp"
#include "ranks/replay.hpp"

namespace {

using namespace clc;

// Costs in microseconds: of an event 0.1, as measured for one rank; items and messages as assumed for the model of the
// design, and a message as MPI takes in memory.
constexpr double forward_us = 0.055;
constexpr double backward_us = 0.045;
constexpr double item_us = 0.02;
constexpr double message_us = 0.7;
constexpr unsigned waves = 1;  // as MpiExchange needs for a standstill

/// What all ranks share.
class World {
 public:
  World(unsigned ranks, double latency_us) : latency_(latency_us), of_(ranks), inboxes_(ranks) {}

  void charge(unsigned rank, double us) {
    if (is_charging) of_[rank].now += us;
  }
  void send(unsigned from, unsigned to, std::vector<ranks::Item> batch) {
    charge(from, message_us);
    ++messages;
    items += batch.size();
    inboxes_[to].push({of_[from].now + (is_charging ? latency_ : 0), messages, std::move(batch)});
    ++under_way_;
  }
  void deliver(unsigned rank, std::vector<ranks::Item>& to) {
    OfRank& own = of_[rank];
    while (!own.is_told && !inboxes_[rank].empty() && inboxes_[rank].top().arrival <= own.now) {
      const std::vector<ranks::Item>& batch = inboxes_[rank].top().items;
      charge(rank, message_us + item_us * static_cast<double>(batch.size()));
      to.insert(to.end(), batch.begin(), batch.end());
      inboxes_[rank].pop();
      --under_way_;
    }
  }
  bool is_quiet(unsigned rank, ranks::Standstill& standstill) {
    OfRank& own = of_[rank];
    if (own.is_told) {
      own.is_told = own.is_idle = false;
      standstill = joined_;
      return true;
    }
    own.is_idle = true;
    own.standstill = standstill;
    const auto is_idle = [](const OfRank& each) { return each.is_idle && !each.is_told; };
    if (under_way_ > 0 || !std::all_of(of_.begin(), of_.end(), is_idle)) return false;
    tell_all();
    return false;
  }
  /// The rank that goes on next.
  [[nodiscard]] unsigned next(const std::vector<bool>& over) {
    unsigned best = 0;
    double first = HUGE_VAL;
    for (unsigned rank = 0; rank < of_.size(); ++rank) {
      if (over[rank]) continue;
      double at = of_[rank].now;
      if (of_[rank].is_idle && !of_[rank].is_told) {
        if (inboxes_[rank].empty()) continue;
        at = std::max(at, inboxes_[rank].top().arrival);
      }
      if (at < first) best = rank, first = at;
    }
    if (first == HUGE_VAL) std::fprintf(stderr, "all ranks wait\n"), std::exit(1);
    OfRank& own = of_[best];
    if (own.is_idle && !own.is_told) own.is_idle = false;
    own.waited += first - own.now;
    own.now = first;
    return best;
  }
  [[nodiscard]] double last() const {
    double last = 0;
    for (const OfRank& each : of_) last = std::max(last, each.now);
    return last;
  }
  /// Share of the time in which ranks wait.
  [[nodiscard]] double waiting() const {
    double waited = 0;
    for (const OfRank& each : of_) waited += each.waited + last() - each.now;
    return waited / last() / static_cast<double>(of_.size());
  }

  bool is_charging = false;
  std::uint64_t messages = 0;
  std::uint64_t items = 0;
  std::uint64_t standstills = 0;

 private:
  struct Message {
    double arrival;
    std::uint64_t number;
    std::vector<ranks::Item> items;

    friend bool operator>(const Message& a, const Message& b) {
      return std::pair(a.arrival, a.number) > std::pair(b.arrival, b.number);
    }
  };
  struct OfRank {
    double now = 0;
    double waited = 0;
    bool is_idle = false;
    bool is_told = false;  // of a standstill, and does not know yet
    ranks::Standstill standstill;
  };

  void tell_all() {
    ++standstills;
    joined_ = of_.front().standstill;
    for (const OfRank& each : of_) joined_.join(each.standstill);
    const double steps = std::ceil(std::log2(static_cast<double>(of_.size())));
    const double told = last() + (is_charging ? waves * steps * (latency_ + 2 * message_us) : 0);
    for (OfRank& each : of_) {
      each.waited += told - each.now;
      each.now = told;
      each.is_told = true;
    }
  }

  double latency_;
  std::vector<OfRank> of_;
  std::vector<std::priority_queue<Message, std::vector<Message>, std::greater<>>> inboxes_;
  std::size_t under_way_ = 0;
  ranks::Standstill joined_;
};

class Port final : public ranks::Exchange {
 public:
  Port(World& world, unsigned rank, unsigned size) : world_(world), rank_(rank), outboxes_(size) {}
  [[nodiscard]] unsigned rank() const noexcept override { return rank_; }
  [[nodiscard]] unsigned size() const noexcept override { return static_cast<unsigned>(outboxes_.size()); }
  void post(unsigned to, const ranks::Item& item) override {
    Outbox& outbox = outboxes_[to];
    outbox.items.push_back(item);
    packed_.clear();
    ranks::pack(item, packed_);
    outbox.bytes += packed_.size();
    if (outbox.bytes >= ranks::batch_bytes) send(to);
  }
  void poll(std::vector<ranks::Item>& items) override {
    send_all();
    world_.deliver(rank_, items);
  }
  bool quiet(ranks::Standstill& standstill) override {
    send_all();
    return world_.is_quiet(rank_, standstill);
  }

 private:
  struct Outbox {
    std::vector<ranks::Item> items;
    std::size_t bytes = 0;
  };
  void send(unsigned to) {
    if (outboxes_[to].bytes == 0) return;
    world_.send(rank_, to, std::exchange(outboxes_[to], {}).items);
  }
  void send_all() {
    for (unsigned to = 0; to < outboxes_.size(); ++to) send(to);
  }

  World& world_;
  unsigned rank_;
  std::vector<Outbox> outboxes_;
  std::vector<char> packed_;
};

/// The events of a trace.
struct Trace {
  Definitions definitions;
  std::vector<Event> events;
  std::vector<std::vector<std::uint32_t>> of_clock;
};

Trace read(const std::string& path) {
  Trace trace;
  const OpenedSource opened = open_source(path);
  for (Batch batch; opened.source->read(batch);)
    trace.events.insert(trace.events.end(), batch.events.begin(), batch.events.end());
  trace.definitions = opened.source->definitions();
  trace.of_clock.resize(trace.definitions.processes().size());
  for (std::size_t e = 0; e < trace.events.size(); ++e)
    trace.of_clock[trace.definitions.processes()[trace.events[e].process].clock].push_back(
        static_cast<std::uint32_t>(e));
  return trace;
}

class Clocks final : public ranks::Input, public ranks::Output {
 public:
  Clocks(const Trace& trace, World& world, unsigned rank)
      : trace_(trace), world_(world), rank_(rank), at_(trace.of_clock.size()) {}
  bool next(ClockIndex clock, Event& event) override {
    const auto& list = trace_.of_clock[clock];
    if (at_[clock] == list.size()) return false;
    event = trace_.events[list[at_[clock]++]];
    world_.charge(rank_, forward_us);
    return true;
  }
  void rewind() override { at_.assign(at_.size(), 0); }
  void written(ProcessIndex, std::span<const CorrectedTime> events) override {
    world_.charge(rank_, backward_us * static_cast<double>(events.size()));
  }

 private:
  const Trace& trace_;
  World& world_;
  unsigned rank_;
  std::vector<std::size_t> at_;
};

/// Clocks by rank: by who sends messages to whom, or runs of clocks with about as many events each.
std::vector<unsigned> divide(const Trace& trace, unsigned ranks, bool in_order) {
  const auto& processes = trace.definitions.processes();
  std::vector<std::uint64_t> events(trace.of_clock.size());
  std::transform(trace.of_clock.begin(), trace.of_clock.end(), events.begin(),
                 [](const auto& list) { return list.size(); });
  std::vector<Traffic> traffic;
  for (const Event& event : trace.events)
    if (event.role == Role::send) traffic.push_back({processes[event.process].clock, processes[event.peer].clock, 1});
  std::vector<unsigned> owners =
      in_order ? divided_in_order(events, ranks) : ranks::divided_by_traffic(events, traffic, ranks);
  for (ProcessIndex p = 0; p < owners.size(); ++p) owners[p] = owners[processes[p].clock];
  return owners;
}

struct Run {
  double us = 0;
  double waiting = 0;
  std::uint64_t items = 0;
  std::uint64_t messages = 0;
  std::uint64_t standstills = 0;
};

Run run(const Trace& trace, const Parameters& parameters, unsigned ranks, double latency_us, bool in_order) {
  World world(ranks, latency_us);
  const std::vector<unsigned> owners = divide(trace, ranks, in_order);
  std::deque<Port> ports;
  std::deque<Clocks> clocks;
  std::deque<ranks::Replay> replays;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    ports.emplace_back(world, rank, ranks);
    clocks.emplace_back(trace, world, rank);
    replays.emplace_back(parameters, trace.definitions, owners, clocks.back(), clocks.back(), ports.back());
  }
  std::vector<bool> over(ranks);
  for (unsigned left = ranks; left > 0;) {
    const unsigned rank = world.next(over);
    if (replays[rank].is_counted())
      over[rank] = true, --left;
    else
      replays[rank].advance();
  }
  const std::uint64_t items = world.items;
  const std::uint64_t messages = world.messages;
  const std::uint64_t standstills = world.standstills;
  over.assign(ranks, false);
  world.is_charging = true;
  for (unsigned left = ranks; left > 0;) {
    const unsigned rank = world.next(over);
    if (!replays[rank].advance()) over[rank] = true, --left;
  }
  return {world.last(), world.waiting(), world.items - items, world.messages - messages,
          world.standstills - standstills};
}

int main_of(int argc, char** argv) {
  const Trace trace = read(argv[1]);
  Parameters parameters;
  const auto events = static_cast<double>(trace.events.size());
  std::printf("%zu events of %zu clocks\n", trace.events.size(), trace.of_clock.size());
  std::printf("%10s %6s %8s %8s %12s %16s %12s\n", "latency us", "ranks", "speedup", "waiting", "items/event",
              "messages/1000 ev.", "standstills");
  const bool in_order = argc > 2 && std::string_view(argv[2]) == "--in-order";
  std::vector<double> latencies;
  for (int i = in_order ? 3 : 2; i < argc; ++i) latencies.push_back(std::atof(argv[i]));
  if (latencies.empty()) latencies = {3, 30};
  for (const double latency : latencies) {
    const double serial = run(trace, parameters, 1, latency, in_order).us;
    for (const unsigned ranks : {2U, 8U, 16U, 32U, 64U}) {
      if (ranks > trace.of_clock.size()) break;
      const Run found = run(trace, parameters, ranks, latency, in_order);
      std::printf("%10g %6u %8.1f %7.0f%% %12.4f %16.2f %12lu\n", latency, ranks, serial / found.us,
                  100 * found.waiting, static_cast<double>(found.items) / events,
                  1000 * static_cast<double>(found.messages) / events, static_cast<unsigned long>(found.standstills));
      std::fflush(stdout);
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: clc-bench-scaling TRACE [--in-order] [LATENCY_US...]\n");
    return 2;
  }
  try {
    return main_of(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "clc-bench-scaling: %s\n", error.what());
    return 1;
  }
}
