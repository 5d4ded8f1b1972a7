#include "world.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>

#include "sync/matcher.hpp"

namespace clc::test {

namespace {

/// Records in true time.
class Program {
 public:
  Program(World& world, const WorldOptions& options) : world_(world), options_(options), random_(options.seed) {
    now_.assign(options.processes, 0.0);
  }

  void exchange(ProcessIndex from, ProcessIndex to) {
    const double sent = step(from);
    record(from, sent, Role::send, to);
    double arrival = sent + World::delay + options_.uneven * (from * 5 % options_.processes) / options_.processes;
    if (options_.jitter > 0) arrival += std::exponential_distribution<double>(1 / options_.jitter)(random_);
    now_[to] = std::max(now_[to] + 300, arrival);
    record(to, now_[to], Role::receive, from);
  }
  void neighbours(std::uint32_t apart) {
    const std::uint32_t n = options_.processes;
    std::vector<double> sent(n);
    for (ProcessIndex p = 0; p < n; ++p)
      for (const ProcessIndex to : {(p + apart) % n, (p + n - apart) % n}) record(p, sent[p] = step(p), Role::send, to);
    const std::vector<double> before = now_;
    for (ProcessIndex p = 0; p < n; ++p) {
      std::vector<std::pair<double, ProcessIndex>> arrivals;
      for (const ProcessIndex from : {(p + apart) % n, (p + n - apart) % n}) {
        double arrival = sent_to(from, p) + World::delay;
        if (options_.jitter > 0) arrival += std::exponential_distribution<double>(1 / options_.jitter)(random_);
        arrivals.emplace_back(arrival, from);
      }
      std::sort(arrivals.begin(), arrivals.end());
      for (const auto& [arrival, from] : arrivals) {
        now_[p] = std::max(now_[p] + 300, arrival);
        record(p, now_[p], Role::receive, from);
      }
    }
  }
  void allreduce() {
    double last = 0;
    for (ProcessIndex p = 0; p < options_.processes; ++p) {
      record(p, step(p), Role::collective_begin, no_process);
      last = std::max(last, now_[p]);
    }
    for (ProcessIndex p = 0; p < options_.processes; ++p) {
      now_[p] = last + World::delay + static_cast<double>(random_() % 100);
      record(p, now_[p], Role::collective_end, no_process);
    }
  }
  void rest(double least) {
    for (double& now : now_) now += least + static_cast<double>(random_() % 4000);
  }

 private:
  double step(ProcessIndex process) { return now_[process] += 500 + static_cast<double>(random_() % 200); }
  double sent_to(ProcessIndex from, ProcessIndex to) const {
    for (auto event = world_.events.rbegin(); event != world_.events.rend(); ++event)
      if (event->role == Role::send && event->process == from && event->peer == to)
        return static_cast<double>(event->bytes);
    return 0;
  }
  void record(ProcessIndex process, double time, Role role, ProcessIndex peer) {
    Event event;
    event.process = process;
    event.role = role;
    event.peer = peer;
    event.communicator = 0;
    event.operation = Operation::barrier;
    event.bytes = static_cast<std::uint64_t>(std::llround(time));  // the true time, until the clock is read
    world_.events.push_back(event);
  }

  World& world_;
  const WorldOptions& options_;
  std::mt19937_64 random_;
  std::vector<double> now_;
};

void read_clocks(World& world) {
  for (Event& event : world.events) event.time = world.reading(event.process, static_cast<double>(event.bytes));
  std::stable_sort(world.events.begin(), world.events.end(),
                   [](const Event& a, const Event& b) { return a.time < b.time; });
}

/// Mapped clocks at 21 true times.
template <class Visit>
void for_each_moment(const World& world, const sync::Estimate& estimate, Visit visit) {
  for (int i = 0; i <= 20; ++i) {
    std::vector<double> mapped;
    for (ProcessIndex p = 0; p < world.offsets.size(); ++p)
      mapped.push_back(static_cast<double>(estimate.clocks[p].map.at(world.reading(p, world.last * i / 20)).ticks()));
    visit(mapped);
  }
}

}  // namespace

Time World::reading(ProcessIndex process, double t) const {
  double swing = wave == 0 ? 0 : wave * std::sin(6.283185307179586 * t / last + process);
  if (!slews.empty()) {
    const double span = last / 20;
    double end = span * (process + 0.5) / static_cast<double>(slews.size());
    double begin = 0;
    for (const double rate : slews[process]) {
      swing += rate * (std::clamp(t, begin, end) - begin);
      begin = end;
      end += span;
    }
  }
  return Time(10'000'000 + std::llround(t + rates[process] * t + offsets[process] + swing));
}

World make_world(const WorldOptions& options) {
  World world;
  std::vector<ProcessIndex> members;
  for (std::uint32_t p = 0; p < options.processes; ++p)
    members.push_back(world.definitions.add_process(p, "rank" + std::to_string(p)));
  world.definitions.add_communicator(0, members);
  std::mt19937_64 random(options.seed + 1000);
  const auto within = [&](double size) { return std::uniform_real_distribution<double>(-size, size)(random); };
  for (std::uint32_t p = 0; p < options.processes; ++p) {
    world.offsets.push_back(within(options.offset));
    world.rates.push_back(within(options.drift));
  }
  Program program(world, options);
  for (int round = 0; round < options.rounds; ++round) {
    if (options.one_way) {
      for (std::uint32_t p = 0; p < options.processes; ++p) program.exchange(p, (p + 1) % options.processes);
    } else {
      program.neighbours(1);
      program.neighbours(2);
      if (options.allreduce) program.allreduce();
    }
    program.rest(options.rest);
  }
  std::stable_sort(world.events.begin(), world.events.end(), [](const Event& a, const Event& b) {
    return a.bytes < b.bytes;  // true times: the order of each process
  });
  world.wave = options.wave;
  world.last = static_cast<double>(world.events.back().bytes);
  if (options.slew > 0)
    for (std::uint32_t p = 0; p < options.processes; ++p) {
      std::vector<double>& rates = world.slews.emplace_back();
      for (int span = 0; span <= 20; ++span)
        rates.push_back(world.slews.size() <= options.slewed ? within(options.slew) : 0);
    }
  read_clocks(world);
  return world;
}

World changed(const World& world, const Change& change) {
  World result = world;
  const std::size_t n = world.offsets.size();
  std::vector<ProcessIndex> place(n);
  std::iota(place.begin(), place.end(), ProcessIndex{0});
  if (!change.place.empty()) place = change.place;
  for (std::size_t p = 0; p < n; ++p) {
    result.offsets[place[p]] = world.offsets[p] + (change.offset.empty() ? 0 : change.offset[p]);
    result.rates[place[p]] = world.rates[p] + (change.rate.empty() ? 0 : change.rate[p]);
  }
  for (Event& event : result.events) {
    event.process = place[event.process];
    if (event.peer != no_process) event.peer = place[event.peer];
  }
  read_clocks(result);
  return result;
}

sync::Estimate estimate(const World& world, sync::Method method, double min_delay_us, Transfer transfer) {
  sync::Collector collector;
  sync::Matcher matcher(world.definitions, collector, transfer);
  for (const Event& event : world.events) matcher.add(event);
  sync::Options options;
  options.method = method;
  options.min_delay_us = min_delay_us;
  return sync::estimate(collector, matcher.records(), world.offsets.size(), world.definitions.resolution, options,
                        {world.samples, world.points});
}

double rms_error(const World& world, const sync::Estimate& estimate) {
  double sum = 0;
  double count = 0;
  for_each_moment(world, estimate, [&](const std::vector<double>& mapped) {
    const auto size = static_cast<double>(mapped.size());
    const double mean = std::accumulate(mapped.begin(), mapped.end(), 0.0) / size;
    for (const double time : mapped) sum += (time - mean) * (time - mean);
    count += size;
  });
  return std::sqrt(sum / count);
}

double rms_error_of(const World& world, const sync::Estimate& estimate, ProcessIndex process) {
  double sum = 0;
  double count = 0;
  for_each_moment(world, estimate, [&](const std::vector<double>& mapped) {
    const double mean = std::accumulate(mapped.begin(), mapped.end(), 0.0) / static_cast<double>(mapped.size());
    sum += (mapped[process] - mean) * (mapped[process] - mean);
    ++count;
  });
  return std::sqrt(sum / count);
}

double beyond_bounds(const World& world, const sync::Estimate& estimate) {
  const auto reference = estimate.references.at(0);
  double beyond = -HUGE_VAL;
  for_each_moment(world, estimate, [&](const std::vector<double>& mapped) {
    for (std::size_t p = 0; p < mapped.size(); ++p)
      beyond = std::max(beyond, std::abs(mapped[p] - mapped[reference]) - 1000 * estimate.clocks[p].bound_us);
  });
  return beyond;
}

double worst_error(const World& world, const sync::Estimate& estimate) {
  double worst = 0;
  for_each_moment(world, estimate, [&](const std::vector<double>& mapped) {
    const auto [low, high] = std::minmax_element(mapped.begin(), mapped.end());
    worst = std::max(worst, *high - *low);
  });
  return worst;
}

void check_added(const sync::Estimate& before, const sync::Estimate& after, const Change& change) {
  REQUIRE(before.clocks.size() == change.offset.size());
  for (std::size_t p = 0; p < change.offset.size(); ++p) {
    CHECK(after.clocks[p].first_us - before.clocks[p].first_us == Approx(change.offset[p] / 1000).margin(0.5));
    CHECK(after.clocks[p].rate_ppm - before.clocks[p].rate_ppm == Approx(change.rate[p] * 1e6).margin(5));
  }
}

}  // namespace clc::test
