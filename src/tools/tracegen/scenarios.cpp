#include "scenarios.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <string>
#include <utility>

#include "clc/error.hpp"
#include "trace/flat_map.hpp"

namespace clc::tracegen {

namespace {

constexpr CommunicatorIndex world_communicator = 0;

[[nodiscard]] double per_second(const Settings& settings) {
  return static_cast<double>(settings.resolution.per_second());
}
[[nodiscard]] Ticks ticks_of(const Settings& settings, double microseconds) {
  return settings.resolution.ticks_of_microseconds(microseconds);
}
/// Records of one message, both ends.
[[nodiscard]] double events_per_message(const Settings& settings) { return settings.regions ? 6 : 2; }

/// Number and length of rounds from --events, --duration and --rate. fixed_period: ticks, 0: from the rate.
void plan_rounds(const Settings& settings, Plan& plan, double events_per_round, double fixed_period = 0) {
  events_per_round = std::max(events_per_round, 1.0);
  const bool by_time = settings.duration_s && !settings.events;
  if (fixed_period > 0) {
    plan.period = fixed_period;
  } else if (settings.duration_s && settings.events) {
    plan.period =
        *settings.duration_s * per_second(settings) * events_per_round / static_cast<double>(*settings.events);
  } else {
    plan.period = events_per_round / settings.rate.value() * per_second(settings);
  }
  const double rounds = by_time ? *settings.duration_s * per_second(settings) / plan.period
                                : static_cast<double>(settings.events.value()) / events_per_round;
  plan.rounds = static_cast<std::uint64_t>(std::ceil(std::max(1.0, rounds - 1e-6)));
  const double duration = static_cast<double>(plan.rounds) * plan.period;
  if (duration > 9e15)  // exact in a double
    throw UsageError("the run would last longer than 9e15 ticks: choose a larger --rate or a smaller --resolution");
  plan.duration = static_cast<Ticks>(duration);
}

/// Steps in a round of a program that has no iterations: enough to make a round worth its cost, but few enough
/// for at least 64 rounds.
[[nodiscard]] double steps_per_round(const Settings& settings, const Plan& plan, double events_per_step) {
  const double events = settings.events ? static_cast<double>(*settings.events) : *settings.duration_s * *settings.rate;
  const double most = std::max(1024.0, 4.0 * plan.processes);
  return std::clamp(std::floor(events / events_per_step / 64), 1.0, most);
}

[[nodiscard]] Ticks planned(const Plan& plan, double rounds) { return static_cast<Ticks>(plan.period * rounds); }

[[nodiscard]] std::vector<ProcessIndex> everybody(std::uint32_t processes) {
  std::vector<ProcessIndex> members(processes);
  std::iota(members.begin(), members.end(), ProcessIndex{0});
  return members;
}

/// Rows and columns of the grid: as given, or as square as the number of processes allows.
void plan_grid(const Settings& settings, Plan& plan) {
  if (settings.grid) {
    plan.rows = settings.grid->first;
    plan.columns = settings.grid->second;
  } else {
    const std::uint32_t n = plan.processes;
    std::uint32_t rows = 1;
    for (std::uint32_t i = 1; i <= n / i; ++i)
      if (n % i == 0) rows = i;
    plan.rows = rows;
    plan.columns = n / rows;
  }
  plan.processes = plan.rows * plan.columns;
}

// ---- halo, finite-elements ----------------------------------------------------------------------

/// A grid of processes that exchange with their neighbours once per iteration [R 6.3.3].
class Grid final : public Program {
 public:
  Grid(const Settings& settings, Plan& plan, bool torus) : torus_(torus), settings_(settings) {
    plan_grid(settings, plan);
    const std::uint32_t n = plan.processes;
    neighbours_.resize(n);
    std::uint64_t links = 0;
    for (std::uint32_t row = 0; row < plan.rows; ++row)
      for (std::uint32_t column = 0; column < plan.columns; ++column) {
        auto& own = neighbours_[row * plan.columns + column];
        const auto place = [&](std::uint32_t r, std::uint32_t c) { return r * plan.columns + c; };
        const bool vertical = plan.rows > 1;
        const bool horizontal = plan.columns > 1;
        own[0] = vertical && (torus || row > 0) ? place((row + plan.rows - 1) % plan.rows, column) : no_process;
        own[1] = vertical && (torus || row + 1 < plan.rows) ? place((row + 1) % plan.rows, column) : no_process;
        own[2] =
            horizontal && (torus || column > 0) ? place(row, (column + plan.columns - 1) % plan.columns) : no_process;
        own[3] =
            horizontal && (torus || column + 1 < plan.columns) ? place(row, (column + 1) % plan.columns) : no_process;
        for (const ProcessIndex neighbour : own) links += neighbour != no_process;
      }
    arrivals_.resize(n);
    const double calls = settings.regions ? (torus ? 2.0 : 4.0) : 0.0;
    double events = static_cast<double>(links) * events_per_message(settings) + calls * n;
    if (settings.allreduce_every > 0) events += n * (settings.regions ? 4.0 : 2.0) / settings.allreduce_every;
    plan.communicators.push_back(everybody(n));
    plan_rounds(settings, plan, events);
    plan_ = &plan;
    allreduce_.operation = Operation::allreduce;
    allreduce_.communicator = world_communicator;
    allreduce_.members.resize(n);
    for (ProcessIndex p = 0; p < n; ++p) {
      allreduce_.members[p].process = p;
      allreduce_.members[p].sent = allreduce_.members[p].received = 8;
    }
  }

  Ticks round(World& world, std::uint64_t k) override {
    const std::uint32_t n = world.processes();
    const Ticks shortest = planned(*plan_, 1.0 / 16);
    const double border = torus_ ? 0.6 : 0.2;  // of the period, when the messages leave
    const auto start = static_cast<double>(k);
    for (ProcessIndex p = 0; p < n; ++p) {
      if (!world.takes_part(p)) continue;
      const double noise = 0.1 * world.random().uniform();
      world.compute_until(p, planned(*plan_, start + border + noise), shortest);
      for (std::size_t direction = 0; direction < 4; ++direction) {
        const ProcessIndex to = neighbours_[p][direction];
        if (to == no_process || !world.takes_part(to)) continue;
        arrivals_[to][direction] =
            world.send(p, to, world_communicator, static_cast<std::int32_t>(direction), settings_.messages.bytes);
      }
      if (!torus_) {
        const double imbalance = 0.1 * world.random().uniform();
        world.compute_until(p, planned(*plan_, start + 0.8 + imbalance), shortest);
      }
    }
    for (ProcessIndex p = 0; p < n; ++p) {
      if (!world.takes_part(p)) continue;
      for (std::size_t direction = 0; direction < 4; ++direction) {
        const ProcessIndex from = neighbours_[p][direction];
        if (from == no_process || !world.takes_part(from)) continue;
        const std::size_t opposite = direction ^ 1;  // sent the other way
        world.receive(p, from, world_communicator, static_cast<std::int32_t>(opposite), settings_.messages.bytes,
                      arrivals_[p][opposite]);
      }
    }
    if (settings_.allreduce_every > 0 && (k + 1) % settings_.allreduce_every == 0 && world.complete()) {
      world.begin(allreduce_);
      world.end(allreduce_);
    }
    return world.earliest(planned(*plan_, start));
  }

 private:
  bool torus_;
  const Settings& settings_;
  const Plan* plan_ = nullptr;
  std::vector<std::array<ProcessIndex, 4>> neighbours_;  // up, down, left, right
  std::vector<std::array<Ticks, 4>> arrivals_;           // by the direction in which the message travels
  World::Collective allreduce_;
};

// ---- ring ---------------------------------------------------------------------------------------

class Ring final : public Program {
 public:
  Ring(const Settings& settings, Plan& plan) : settings_(settings), plan_(plan) {
    plan.communicators.push_back(everybody(plan.processes));
    plan_rounds(settings, plan, plan.processes * (events_per_message(settings) + (settings.regions ? 2 : 0)));
  }

  Ticks round(World& world, std::uint64_t k) override {
    here_.clear();
    for (ProcessIndex p = 0; p < world.processes(); ++p)
      if (world.takes_part(p)) here_.push_back(p);
    const Ticks start = planned(plan_, static_cast<double>(k));
    const Ticks next = planned(plan_, static_cast<double>(k) + 1);
    if (here_.size() < 2) return std::max(world.frontier(), start);
    // The token starts at the first process and comes back to it.
    const Ticks shortest = planned(plan_, 1.0 / 16 / static_cast<double>(here_.size()));
    Ticks arrival = 0;
    for (std::size_t i = 0; i <= here_.size(); ++i) {
      const ProcessIndex p = here_[i % here_.size()];
      const ProcessIndex before = here_[(i + here_.size() - 1) % here_.size()];
      if (i > 0) {
        world.idle_until(p, posted_);
        world.receive(p, before, world_communicator, 0, settings_.messages.bytes, arrival);
      } else {
        world.idle_until(p, world.frontier());
      }
      if (i == here_.size()) break;
      const double share =
          (static_cast<double>(i) + 0.4 + 0.2 * world.random().uniform()) / static_cast<double>(here_.size());
      world.compute_until(p, start + static_cast<Ticks>(share * static_cast<double>(next - start)), shortest);
      posted_ = world.now(p);
      arrival = world.send(p, here_[(i + 1) % here_.size()], world_communicator, 0, settings_.messages.bytes);
    }
    return world.now(here_.front());
  }

 private:
  const Settings& settings_;
  const Plan& plan_;
  std::vector<ProcessIndex> here_;
  Ticks posted_ = 0;  // a receive is posted when its message leaves
};

// ---- pairs --------------------------------------------------------------------------------------

class Pairs final : public Program {
 public:
  Pairs(const Settings& settings, Plan& plan) : settings_(settings), plan_(plan) {
    plan.communicators.push_back(everybody(plan.processes));
    const double messages = plan.processes - plan.processes % 2;
    plan_rounds(settings, plan, messages * events_per_message(settings) + (settings.regions ? messages : 0));
  }

  Ticks round(World& world, std::uint64_t k) override {
    const Ticks shortest = planned(plan_, 1.0 / 16);
    for (ProcessIndex p = 0; p + 1 < world.processes(); p += 2) {
      const ProcessIndex q = p + 1;
      if (!world.takes_part(p) || !world.takes_part(q)) continue;
      world.idle_until(q, world.frontier());
      world.compute_until(p, planned(plan_, static_cast<double>(k) + 0.5 + 0.2 * world.random().uniform()), shortest);
      const Ticks ping = world.send(p, q, world_communicator, 1, settings_.messages.bytes);
      world.receive(q, p, world_communicator, 1, settings_.messages.bytes, ping);
      world.compute_until(q, 0, shortest);
      const Ticks pong = world.send(q, p, world_communicator, 2, settings_.messages.bytes);
      world.receive(p, q, world_communicator, 2, settings_.messages.bytes, pong);
    }
    Ticks frontier = ticks_max;
    for (ProcessIndex p = 0; p + 1 < world.processes(); p += 2)
      if (world.takes_part(p) && world.takes_part(p + 1))
        frontier = std::min({frontier, world.now(p), world.now(p + 1)});
    return frontier == ticks_max ? planned(plan_, static_cast<double>(k)) : frontier;
  }

 private:
  const Settings& settings_;
  const Plan& plan_;
};

// ---- master-worker ------------------------------------------------------------------------------

/// Workers ask (tag 1) with the result of their last work, the master answers (tag 2) in the order of arrival.
class MasterWorker final : public Program {
 public:
  MasterWorker(const Settings& settings, Plan& plan) : settings_(settings), plan_(plan) {
    plan.communicators.push_back(everybody(plan.processes));
    const double workers = plan.processes - 1;
    const double events = workers * (2 * events_per_message(settings) + (settings.regions ? 2 : 0));
    const double cycles = steps_per_round(settings, plan, events / workers);  // of all workers together
    plan_rounds(settings, plan, events / workers * cycles);
    cycle_ = plan.period / cycles * workers;
    for (const PartOfRun& absence : settings.defects.absences)
      if (absence.process == 0)
        throw UsageError("master-worker: process 0 is the master and has to take part all the time");
  }

  Ticks round(World& world, std::uint64_t k) override {
    if (k == 0)
      for (ProcessIndex worker = 1; worker < world.processes(); ++worker)
        ask(world, worker, 0.9 * world.random().uniform());
    serve(world, planned(plan_, static_cast<double>(k) + 1));
    return std::max(world.now(0), planned(plan_, static_cast<double>(k) + 1));
  }
  void finish(World& world) override { serve(world, ticks_max); }

 private:
  struct Request {
    Ticks arrival;
    Ticks sent;
    ProcessIndex worker;
    friend bool operator<(const Request& a, const Request& b) {
      return a.arrival != b.arrival ? a.arrival > b.arrival : a.worker > b.worker;
    }
  };

  /// The worker computes for that many cycles, then sends its request, unless its time is over.
  void ask(World& world, ProcessIndex worker, double cycles) {
    const auto duration = static_cast<double>(plan_.duration);
    const double wanted = (static_cast<double>(world.now(worker)) + cycles * cycle_) / duration;
    const double at = world.next_presence(worker, wanted);
    if (at >= 1) return;
    if (at > wanted) world.idle_until(worker, static_cast<Ticks>(at * duration));
    world.enter_program(worker);
    world.compute_until(worker, static_cast<Ticks>(at * duration), 1);
    const Ticks sent = world.now(worker);
    requests_.push({world.send(worker, 0, world_communicator, 1, settings_.messages.bytes), sent, worker});
  }
  void serve(World& world, Ticks until) {
    while (!requests_.empty() && requests_.top().arrival < until) {
      const Request request = requests_.top();
      requests_.pop();
      world.idle_until(0, request.arrival);
      world.receive(0, request.worker, world_communicator, 1, settings_.messages.bytes, request.arrival);
      const Ticks posted = world.now(0);
      const Ticks answered = world.send(0, request.worker, world_communicator, 2, settings_.messages.bytes);
      world.idle_until(request.worker, posted);
      world.receive(request.worker, 0, world_communicator, 2, settings_.messages.bytes, answered);
      ask(world, request.worker, 0.5 + 0.4 * world.random().exponential());
    }
  }

  const Settings& settings_;
  const Plan& plan_;
  double cycle_ = 0;  // ticks from one request of a worker to the next
  std::priority_queue<Request> requests_;
};

// ---- random -------------------------------------------------------------------------------------

/// Messages between any two processes at random times; what is received may have been overtaken by messages
/// of other tags or communicators. A tenth of the records is internal.
class RandomMessages final : public Program {
 public:
  static constexpr std::uint32_t communicators = 4;

  RandomMessages(const Settings& settings, Plan& plan) : settings_(settings), plan_(plan) {
    for (std::uint32_t i = 0; i < communicators; ++i) {
      plan.communicators.push_back(everybody(plan.processes));
      auto& members = plan.communicators.back();
      std::rotate(members.begin(), members.begin() + i % plan.processes, members.end());
    }
    const double per_step = 0.9 * events_per_message(settings) + 0.2;
    const double steps = steps_per_round(settings, plan, per_step);
    plan_rounds(settings, plan, per_step * steps);
    gap_ = plan.period / steps;
  }

  Ticks round(World& world, std::uint64_t k) override {
    const Ticks end = planned(plan_, static_cast<double>(k) + 1);
    here_.clear();
    for (ProcessIndex p = 0; p < world.processes(); ++p)
      if (world.takes_part(p)) here_.push_back(p);
    while (true) {
      const auto next = static_cast<Ticks>(next_step_);
      if (next >= end) break;
      receive_until(world, next);
      next_step_ += gap_ * world.random().exponential();
      step(world, next);
    }
    receive_until(world, end);
    return end;
  }
  void finish(World& world) override { receive_until(world, ticks_max); }

 private:
  struct Message {
    Ticks due;
    std::uint64_t number;
    ProcessIndex from;
    ProcessIndex to;
    CommunicatorIndex communicator;
    std::int32_t tag;
    std::uint64_t bytes;
    friend bool operator<(const Message& a, const Message& b) {
      return a.due != b.due ? a.due > b.due : a.number > b.number;
    }
  };

  void step(World& world, Ticks time) {
    Random& random = world.random();
    if (here_.size() < 2) return;
    const auto count = static_cast<std::uint32_t>(here_.size());
    const std::uint32_t chosen = random.below(count);
    const ProcessIndex from = here_[chosen];
    world.idle_until(from, time);
    if (random.chance(0.1)) {
      Point point;
      for (int i = 0; i < 2; ++i) {
        world.recorder().add(from, world.now(from), point);
        world.idle_until(from, world.now(from) + world.overhead());
      }
      return;
    }
    static constexpr std::array<std::int32_t, 8> tags{0, 1, 2, 3, 77, 4711, 2147483647, -1};
    Message message{};
    message.number = number_++;
    message.from = from;
    message.to = here_[(chosen + 1 + random.below(count - 1)) % count];
    message.communicator = random.below(communicators);
    message.tag = tags[random.below(tags.size())];
    message.bytes = settings_.messages.bytes == 0 ? 0 : random.next() % (2 * settings_.messages.bytes + 1);
    message.due = world.send(from, message.to, message.communicator, message.tag, message.bytes);
    // Received at once, or some time later.
    if (random.chance(0.5)) message.due += static_cast<Ticks>(gap_ * 4 * random.exponential());
    // What has the same key does not overtake: first in, first out.
    const std::uint64_t key = (std::uint64_t{from} * world.processes() + message.to) * 64 +
                              std::uint64_t{message.communicator} * 16 + static_cast<std::uint64_t>(message.tag & 7) +
                              (message.tag == 4711 ? 8 : 0) + (message.tag == 77 ? 8 : 0);
    Ticks& last = *last_.insert(key).first;
    message.due = last = std::max(last, message.due);
    messages_.push(message);
  }
  void receive_until(World& world, Ticks until) {
    while (!messages_.empty() && messages_.top().due < until) {
      const Message message = messages_.top();
      messages_.pop();
      world.idle_until(message.to, message.due);
      world.receive(message.to, message.from, message.communicator, message.tag, message.bytes, message.due);
    }
  }

  const Settings& settings_;
  const Plan& plan_;
  double gap_ = 0;  // mean time between two steps
  double next_step_ = 0;
  std::uint64_t number_ = 0;
  std::vector<ProcessIndex> here_;
  std::priority_queue<Message> messages_;
  FlatMap<std::uint64_t, Ticks> last_;  // latest receive by key
};

// ---- collectives --------------------------------------------------------------------------------

/// In each round one layer of communicators that share no process is chosen; each of them performs an operation.
class Collectives final : public Program {
 public:
  Collectives(const Settings& settings, Plan& plan) : settings_(settings), plan_(plan) {
    const std::uint32_t n = plan.processes;
    const auto add = [&](std::size_t layer, std::vector<ProcessIndex> members) {
      if (members.empty()) return;
      if (layers_.size() <= layer) layers_.resize(layer + 1);
      layers_[layer].push_back(plan.communicators.size());
      plan.communicators.push_back(std::move(members));
    };
    const auto those = [&](auto belongs) {
      std::vector<ProcessIndex> members;
      for (ProcessIndex p = 0; p < n; ++p)
        if (belongs(p)) members.push_back(p);
      return members;
    };
    add(0, everybody(n));
    add(1, those([&](ProcessIndex p) { return p < n / 2; }));
    add(1, those([&](ProcessIndex p) { return p >= n / 2; }));
    auto even = those([&](ProcessIndex p) { return p % 2 == 0; });
    std::ranges::reverse(even);
    add(2, std::move(even));
    add(2, those([&](ProcessIndex p) { return p % 2 == 1; }));
    for (ProcessIndex p = 0; p + 1 < n; p += 2) add(3, {p, p + 1});
    add(4, {0});  // alone
    Random random(settings.seed, 0xc0117);
    for (std::size_t layer = 5; layer < 8; ++layer) {
      auto some = those([&](ProcessIndex) { return random.chance(0.5); });
      for (std::size_t i = some.size(); i > 1; --i)
        std::swap(some[i - 1], some[random.below(static_cast<std::uint32_t>(i))]);
      add(layer, std::move(some));
    }
    double members = 0;
    std::size_t used = 0;
    for (const auto& layer : layers_) {
      used += !layer.empty();
      for (const std::size_t i : layer) members += static_cast<double>(plan.communicators[i].size());
    }
    std::erase_if(layers_, [](const auto& layer) { return layer.empty(); });
    members /= static_cast<double>(used);
    const double blocking = settings.regions ? 4 : 2;
    const double two_at_a_time = settings.regions ? 12 : 4;
    // A step has one blocking operation or two non-blocking ones.
    pair_chance_ = settings.nonblocking / (2 - settings.nonblocking);
    plan_rounds(settings, plan, members * (blocking + pair_chance_ * (two_at_a_time - blocking)));
    current_ = everybody_as_it_is(plan.communicators.size());
    next_number_ = plan.communicators.size();
  }

  Ticks round(World& world, std::uint64_t k) override {
    Random& random = world.random();
    const auto& layer = layers_[random.below(static_cast<std::uint32_t>(layers_.size()))];
    for (const std::size_t i : layer) {
      const auto& processes = plan_.communicators[i];
      if (!std::ranges::all_of(processes, [&](ProcessIndex p) { return world.takes_part(p); })) continue;
      perform(world, k, i, processes);
    }
    // Those who had nothing to do go on, so that the others' records can leave.
    const Ticks next = planned(plan_, static_cast<double>(k) + 0.25);
    for (ProcessIndex p = 0; p < world.processes(); ++p) world.idle_until(p, next);
    return world.earliest(next);
  }

 private:
  [[nodiscard]] static std::vector<CommunicatorIndex> everybody_as_it_is(std::size_t size) {
    std::vector<CommunicatorIndex> numbers(size);
    std::iota(numbers.begin(), numbers.end(), CommunicatorIndex{0});
    return numbers;
  }

  void perform(World& world, std::uint64_t k, std::size_t which, const std::vector<ProcessIndex>& processes) {
    Random& random = world.random();
    for (const ProcessIndex process : processes)
      world.idle_until(process, planned(plan_, static_cast<double>(k) + 0.3 + 0.4 * random.uniform()));
    if (!random.chance(pair_chance_)) {
      prepare(random, first_, which, processes);
      world.begin(first_);
      world.end(first_);
    } else {
      // Two at a time, and the one that began last may be waited for first.
      prepare(random, first_, which, processes);
      prepare(random, second_, which, processes);
      second_.lost = first_.lost;  // a member loses both, as often as it loses one of a blocking one
      first_.call = next_call();
      second_.call = next_call();
      world.begin(first_);
      world.begin(second_);
      const bool swapped = random.chance(0.5);
      world.end(swapped ? second_ : first_);
      world.end(swapped ? first_ : second_);
    }
    if (first_.lost == no_rank && (first_.call == 0 || second_.lost == no_rank)) return;
    // The members no longer agree on how many operations there were: go on with a duplicate.
    current_[which] = static_cast<CommunicatorIndex>(next_number_++);
    world.recorder().communicator(current_[which], processes);
  }

  /// Draws operation, root and lengths.
  void prepare(Random& random, World::Collective& call, std::size_t which, const std::vector<ProcessIndex>& processes) {
    const OperationInfo& what = operations[next_operation_++ % operations.size()];
    const auto size = static_cast<Rank>(processes.size());
    const std::uint64_t bytes = settings_.messages.bytes;
    call.operation = what.operation;
    call.communicator = current_[which];
    call.root = what.rooted ? random.below(size) : no_rank;
    call.call = 0;
    call.lost = size > 1 && random.chance(settings_.defects.lose_members) ? random.below(size) : no_rank;
    call.begin_lost = random.chance(0.5);
    call.members.assign(size, {});
    // Where lengths may differ from member to member, some are 0.
    const bool uneven = what.operation == Operation::scatterv || what.operation == Operation::gatherv ||
                        what.operation == Operation::allgatherv || what.operation == Operation::alltoallv ||
                        what.operation == Operation::alltoallw || what.operation == Operation::reduce_scatter;
    for (Rank rank = 0; rank < size; ++rank) {
      World::Member& member = call.members[rank];
      member.process = processes[rank];
      const bool everybody_sends = what.kind != CollectiveClass::one_to_n;
      const bool everybody_receives = what.kind != CollectiveClass::n_to_one;
      if (what.operation == Operation::barrier) continue;
      if (everybody_sends || rank == call.root) member.sent = bytes;
      if (everybody_receives || rank == call.root) member.received = bytes;
      if (uneven && random.chance(0.2)) member.sent = 0;
      if (uneven && random.chance(0.2)) member.received = 0;
    }
  }
  [[nodiscard]] std::int32_t next_call() {
    last_call_ = last_call_ == std::numeric_limits<std::int32_t>::max() ? 1 : last_call_ + 1;
    return last_call_;
  }

  const Settings& settings_;
  const Plan& plan_;
  double pair_chance_ = 0;                        // probability that a step has two operations
  std::vector<std::vector<std::size_t>> layers_;  // indexes into plan.communicators
  std::vector<CommunicatorIndex> current_;        // number in use for each of plan.communicators
  std::size_t next_number_ = 0;
  std::size_t next_operation_ = 0;
  std::int32_t last_call_ = 0;
  World::Collective first_;
  World::Collective second_;
};

// ---- coarse-clock -------------------------------------------------------------------------------

/// [R 6.3.2]: a token 0 -> n-1 -> 0 every tick, each hop exactly the delay. Process i sends upwards at the moment
/// at which its clock ticks, i delays and i ticks of the trace after process 0; the token comes one tick of
/// the trace before that. So every message upwards seems to take delay - tick, every message downwards -delay.
class CoarseClock final : public Program {
 public:
  CoarseClock(const Settings& settings, Plan& plan) : settings_(settings) {
    const std::uint32_t n = plan.processes;
    if (settings.rate) throw UsageError("coarse-clock: --rate follows from --tick, one token per tick");
    tick_ = ticks_of(settings, settings.tick_us.value());
    delay_ = std::max<Ticks>(1, ticks_of(settings, settings.messages.delay_us.value()));
    const Ticks round_trip = 2 * Ticks{n - 1} * (delay_ + 1) + 2;
    if (tick_ <= round_trip)
      throw UsageError("coarse-clock: the token needs " + std::to_string(round_trip) +
                       " ticks of the trace, more than one --tick: choose a smaller --delay or fewer --processes");
    plan.communicators.push_back(everybody(n));
    plan_rounds(settings, plan, 4.0 * (n - 1), static_cast<double>(tick_));
    plan.clocks.resize(n);
    for (ProcessIndex p = 0; p < n; ++p) {
      plan.clocks[p].offset_ticks = -static_cast<double>(p);
      plan.clocks[p].tick_phase = phase(p) - static_cast<Ticks>(p);
    }
  }

  Ticks round(World& world, std::uint64_t k) override {
    const std::uint32_t last = world.processes() - 1;
    const Ticks start = (static_cast<Ticks>(k) + 1) * tick_;
    const auto hop = [&](ProcessIndex from, ProcessIndex to, Ticks sent) {
      world.message(from, sent, Kind::send, to, world_communicator, 0, settings_.messages.bytes);
      world.message(to, sent + delay_, Kind::receive, from, world_communicator, 0, settings_.messages.bytes);
      return sent + delay_;
    };
    for (ProcessIndex p = 0; p < last; ++p) hop(p, p + 1, start + phase(p));
    Ticks here = start + phase(last);
    for (ProcessIndex p = last; p > 0; --p) here = hop(p, p - 1, here);
    return here;
  }

 private:
  [[nodiscard]] Ticks phase(ProcessIndex p) const { return delay_ + static_cast<Ticks>(p) * (delay_ + 1); }

  const Settings& settings_;
  Ticks tick_ = 0;
  Ticks delay_ = 0;
};

// ---- scenario2 ----------------------------------------------------------------------------------

/// [R 5.3, scenario 2]: every period both processes send to each other, delay 0; C0 = t, C1 = t (1 + rho) - D.
class Scenario2 final : public Program {
 public:
  Scenario2(const Settings& settings, Plan& plan) : settings_(settings) {
    if (plan.processes != 2) throw UsageError("scenario2 has 2 processes");
    if (settings.rate) throw UsageError("scenario2: --rate follows from --period, 4 records each");
    const Ticks period = ticks_of(settings, settings.period_us.value());
    if (period < 1) throw UsageError("scenario2: --period is shorter than a tick of the trace");
    plan.communicators.push_back(everybody(2));
    plan_rounds(settings, plan, 4, static_cast<double>(period));
    plan.clocks.resize(2);
    plan.clocks[1].offset_ticks = -settings.lag_us.value() * per_second(settings) / 1e6;
    plan.clocks[1].rate = settings.rho_ppm.value() * 1e-6;
    period_ = period;
  }

  Ticks round(World& world, std::uint64_t k) override {
    const Ticks time = static_cast<Ticks>(k) * period_;
    for (ProcessIndex p = 0; p < 2; ++p)
      world.message(p, time, Kind::send, 1 - p, world_communicator, 0, settings_.messages.bytes);
    for (ProcessIndex p = 0; p < 2; ++p)
      world.message(p, time, Kind::receive, 1 - p, world_communicator, 0, settings_.messages.bytes);
    return time;
  }

 private:
  const Settings& settings_;
  Ticks period_ = 0;
};

template <class Made, auto... more>
std::unique_ptr<Program> make(const Settings& settings, Plan& plan) {
  return std::make_unique<Made>(settings, plan, more...);
}

/// By Scenario.
constexpr std::array<std::unique_ptr<Program> (*)(const Settings&, Plan&), scenarios.size()> makers{
    make<Grid, true>,     make<Grid, false>, make<Ring>,        make<Pairs>,     make<MasterWorker>,
    make<RandomMessages>, make<Collectives>, make<CoarseClock>, make<Scenario2>,
};

}  // namespace

std::unique_ptr<Program> make_program(const Settings& settings, Plan& plan) {
  plan.processes = settings.processes.value();
  std::unique_ptr<Program> program = makers[static_cast<std::size_t>(settings.scenario)](settings, plan);
  plan.clocks.resize(plan.processes);
  return program;
}

}  // namespace clc::tracegen
