#include "random_trace.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <sstream>

namespace clc::test {

std::uint64_t Random::bits() {  // splitmix64
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::int64_t Random::integer(std::int64_t low, std::int64_t high) {
  const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + (range == 0 ? bits() : bits() % range));
}

double Random::real() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

double Random::exponential(double mean) { return -mean * std::log(1 - real()); }

double Clock::at(double true_time) const {
  double shown = offset + true_time * (1 + drift);
  if (wander != 0) shown += wander * std::sin(2 * 3.14159265358979323846 * true_time / wander_period);
  for (const Jump& jump : jumps)
    if (true_time >= jump.at) shown += jump.by;
  if (tick > 0) shown = std::floor((shown - phase) / tick) * tick + phase;
  return shown;
}

namespace {

constexpr std::size_t no_partner = static_cast<std::size_t>(-1);

struct Step {  // an event that happened
  Event event;
  double true_time = 0;
  bool lost = false;
};

class Generator {
 public:
  Generator(std::uint64_t seed, const TraceOptions& options)
      : random_(seed), more_random_(~seed), clock_random_(seed ^ 0x5deece66d), options_(options) {
    trace_.seed = seed;
  }

  RandomTrace run() {
    world();
    if (options_.chaos)
      chaos();
    else
      program();
    if (options_.defects) damage();
    clocks();
    record();
    return std::move(trace_);
  }

 private:
  // ---- processes, nodes, communicators, parameters ----
  void world() {
    Definitions& definitions = trace_.definitions;
    definitions.resolution =
        Resolution(random_.pick<std::int64_t>({1'000'000, 10'000'000, 1'000'000'000, 1'000'000'000}));
    count_ = static_cast<std::size_t>(random_.chance(0.8) ? random_.integer(2, 9) : random_.integer(10, 64));
    const bool nodes = random_.chance(0.3);
    const std::uint64_t stride = static_cast<std::uint64_t>(random_.pick<std::int64_t>({1, 1, 7}));
    const double shared = options_.shared_clocks || clock_random_.chance(0.2) ? clock_random_.real(0.2, 1) : 0;
    for (std::size_t p = 0; p < count_; ++p) {
      const std::string node = nodes ? "node" + std::to_string(random_.integer(0, 2)) : "";
      std::optional<ProcessIndex> clock;
      if (p > 0 && clock_random_.chance(shared)) {
        const auto other = static_cast<ProcessIndex>(clock_random_.index(p));
        const NodeIndex of_other = definitions.processes()[other].node;
        if ((of_other == no_node ? "" : definitions.nodes()[of_other]) == node) clock = other;
      }
      definitions.add_process(p * stride, "rank" + std::to_string(p), node, clock);
    }
    // Cores that are not synchronised.
    disagree_ = (options_.defects || options_.chaos) && clock_random_.chance(0.3);

    std::vector<ProcessIndex> all(count_);
    std::iota(all.begin(), all.end(), 0U);
    definitions.add_communicator(0, all);
    const std::int64_t more = random_.integer(0, 3);
    for (std::int64_t c = 1; c <= more; ++c) {
      std::vector<ProcessIndex> members = all;
      for (std::size_t i = members.size(); i > 1; --i) std::swap(members[i - 1], members[random_.index(i)]);
      members.resize(1 + random_.index(members.size()));
      const auto& before = definitions.communicators();
      const bool same = more_random_.chance(0.3);  // copies of a list share storage
      definitions.add_communicator(static_cast<std::uint64_t>(c) * 3,
                                   same ? before[more_random_.index(before.size())].members : Members(members));
    }

    if (more_random_.chance(0.3)) {
      std::vector<Ticks> own(definitions.communicators().size());
      for (Ticks& delay : own) delay = more_random_.chance(0.5) ? more_random_.integer(1, 3000) : 0;
      for (std::size_t c = 0; c < own.size(); ++c) {
        const Communicator communicator = definitions.communicators()[c];
        definitions.add_communicator(communicator.number, communicator.members, own[c]);
      }
    }

    Parameters& parameters = trace_.parameters;
    if (random_.chance(0.8)) {
      parameters.min_delay_us = random_.pick<double>({0, 0.3, 1, 2, 5, 5});
    } else if (random_.chance(0.5)) {
      definitions.min_delay = definitions.resolution.ticks_of_microseconds(3);
      if (nodes && random_.chance(0.5))
        definitions.node_min_delay = definitions.resolution.ticks_of_microseconds(random_.pick<double>({0, 0.5, 1}));
    }
    if (nodes && random_.chance(0.7)) parameters.node_delay_us = random_.pick<double>({0, 0.5, 1});
    for (std::int64_t i = random_.chance(0.3) ? random_.integer(1, 4) : 0; i > 0; --i)
      parameters.pair_delays.push_back({definitions.processes()[random_.index(count_)].number,
                                        definitions.processes()[random_.index(count_)].number, random_.real(0, 8)});
    if (random_.chance(0.3)) parameters.bandwidth_mb_s = random_.pick<double>({125, 500, 1000});
    parameters.max_error_percent = random_.pick<double>({0.5, 5, 20, 100});
    parameters.clock_difference_us = random_.pick<double>({1, 20, 200, 1000, 1e5});
    parameters.wait_limit_s =
        options_.defects || options_.chaos ? random_.pick<double>({0, 1e-4, 1e-3, 1e-2, 10}) : 1e6;
    parameters.validate();
  }

  // ---- a program in true time ----
  void program() {
    now_.assign(count_, 0);
    for (double& t : now_) t = random_.chance(0.2) ? random_.real(0, 500) : random_.real(0, 20);
    const std::size_t wanted = options_.events != 0  ? options_.events
                               : random_.chance(0.9) ? static_cast<std::size_t>(random_.integer(50, 400))
                                                     : static_cast<std::size_t>(random_.integer(400, 2000));
    const double messages = random_.real(0.1, 1);
    const double some = random_.chance(0.6) ? random_.real(0.005, 0.1) : 0;
    const double collectives = options_.non_blocking ? more_random_.real(0.05, 0.4) : some;
    mean_ = random_.pick<double>({2, 20, 20, 100});
    neighbours_ = random_.chance(0.3);
    delay_ = random_.pick<double>({1, 10, 100});

    some_unnamed_ = more_random_.chance(0.3);
    while (steps_.size() < wanted) {
      const double what = random_.real();
      if (what < collectives) {
        collective();
      } else if (random_.chance(messages)) {
        if (in_flight_.empty() || random_.chance(0.5))
          send();
        else
          receive(random_.index(in_flight_.size()));
      } else {
        happen(static_cast<ProcessIndex>(random_.index(count_)), Role::internal, 0);
      }
      if (!open_.empty() && random_.chance(0.2)) complete(random_.index(open_.size()));
    }
    while (!open_.empty()) complete(0);
    while (!in_flight_.empty()) receive(random_.index(in_flight_.size()));
  }

  std::size_t happen(ProcessIndex process, Role role, double not_before) {
    double& now = now_[process];
    // Some things happen at the same instant.
    if (!random_.chance(0.1)) now += random_.exponential(mean_);
    now = std::max(now, not_before);
    Step step;
    step.event.process = process;
    step.event.role = role;
    step.true_time = now;
    steps_.push_back(step);
    return steps_.size() - 1;
  }

  struct ChannelKey {
    ProcessIndex sender;
    ProcessIndex receiver;
    CommunicatorIndex communicator;
    std::int64_t tag;
    bool named;
    auto operator<=>(const ChannelKey&) const = default;
  };
  struct Channel {
    ChannelKey key;
    std::deque<std::size_t> sends;
  };

  void send() {
    ChannelKey key{};
    key.sender = static_cast<ProcessIndex>(random_.index(count_));
    if (random_.chance(0.01)) {
      key.receiver = key.sender;
    } else {
      const std::size_t step =
          neighbours_ ? random_.pick<std::size_t>({1, count_ - 1})
                      : static_cast<std::size_t>(random_.integer(1, static_cast<std::int64_t>(count_) - 1));
      key.receiver = static_cast<ProcessIndex>((key.sender + step) % count_);
    }
    key.communicator = random_.chance(0.8)
                           ? 0
                           : static_cast<CommunicatorIndex>(random_.index(trace_.definitions.communicators().size()));
    key.tag = random_.chance(0.7) ? 0 : random_.integer(-1, 2);
    // Only the tag of its own tells who receives it.
    key.named = !some_unnamed_ || more_random_.chance(0.5);
    if (!key.named) key.tag = next_tag_++;
    const std::size_t e = happen(key.sender, Role::send, 0);
    Event& event = steps_[e].event;
    event.peer = key.named ? key.receiver : no_process;
    event.communicator = key.communicator;
    event.tag = key.tag;
    event.bytes = random_.chance(0.3) ? 0 : static_cast<std::uint64_t>(random_.integer(1, 4000));
    for (Channel& channel : in_flight_) {
      if (channel.key != key) continue;
      channel.sends.push_back(e);
      return;
    }
    in_flight_.push_back({key, {e}});
  }

  double least_delay(ProcessIndex from, ProcessIndex to, std::uint64_t bytes, CommunicatorIndex communicator) const {
    return trace_.definitions.resolution.microseconds(
        static_cast<double>(reference_delay(trace_.parameters, trace_.definitions, from, to, bytes, communicator)));
  }

  void receive(std::size_t number) {
    Channel& channel = in_flight_[number];
    const ChannelKey key = channel.key;
    // Receives that are posted earlier may end later.
    const std::size_t overtakes =
        key.named && more_random_.chance(0.1) ? more_random_.index(channel.sends.size()) : std::size_t{0};
    const auto sent = channel.sends.begin() + static_cast<std::ptrdiff_t>(overtakes);
    const std::size_t s = *sent;
    channel.sends.erase(sent);
    if (channel.sends.empty()) {
      std::swap(channel, in_flight_.back());
      in_flight_.pop_back();
    }
    const double delay = random_.chance(0.3) ? 0 : random_.exponential(delay_);
    const std::size_t e = happen(
        key.receiver, Role::receive,
        steps_[s].true_time + least_delay(key.sender, key.receiver, steps_[s].event.bytes, key.communicator) + delay);
    Event& event = steps_[e].event;
    event.peer = key.named ? key.sender : no_process;
    event.communicator = key.communicator;
    event.tag = key.tag;
    event.bytes = steps_[s].event.bytes;
    event.overtakes = static_cast<std::uint16_t>(overtakes);
    order(s, e, event.bytes);
  }

  void order(std::size_t tail, std::size_t head, std::uint64_t bytes) {
    if (trace_.definitions.share_a_clock(steps_[tail].event.process, steps_[head].event.process)) return;
    causes_.push_back({tail, head,
                       reference_delay(trace_.parameters, trace_.definitions, steps_[tail].event.process,
                                       steps_[head].event.process, bytes, steps_[head].event.communicator)});
  }

  struct Call {
    CommunicatorIndex communicator = 0;
    std::int64_t id = 0;
    std::vector<std::size_t> begins;
  };

  void collective() {
    Call call;
    call.communicator = static_cast<CommunicatorIndex>(random_.index(trace_.definitions.communicators().size()));
    call.id = options_.non_blocking || random_.chance(0.4) ? next_call_++ : 0;
    for (const ProcessIndex p : trace_.definitions.communicators()[call.communicator].members) {
      call.begins.push_back(happen(p, Role::collective_begin, 0));
      steps_.back().event.tag = call.id;
    }
    open_.push_back(call);
    if (call.id == 0) complete(open_.size() - 1);  // blocking
  }

  void complete(std::size_t number) {
    const Call call = open_[number];
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(number));
    const auto& members = trace_.definitions.communicators()[call.communicator].members;
    const OperationInfo& operation = operations[random_.index(operations.size())];
    const auto root = static_cast<Rank>(random_.index(members.size()));
    const bool some_empty = random_.chance(0.3);
    std::vector<std::uint64_t> sent(members.size());
    std::vector<std::uint64_t> received(members.size());
    for (std::size_t r = 0; r < members.size(); ++r) {
      sent[r] = some_empty && random_.chance(0.4) ? 0 : static_cast<std::uint64_t>(random_.integer(1, 1000));
      received[r] = some_empty && random_.chance(0.4) ? 0 : static_cast<std::uint64_t>(random_.integer(1, 1000));
    }
    const auto before = [&](std::size_t s, std::size_t r) {
      if (s == r) return false;
      if (operation.operation != Operation::barrier && (sent[s] == 0 || received[r] == 0)) return false;
      switch (operation.kind) {
        case CollectiveClass::one_to_n:
          return s == root;
        case CollectiveClass::n_to_one:
          return r == root;
        case CollectiveClass::n_to_n:
          return true;
        case CollectiveClass::prefix:
          return s < r;
      }
      return false;
    };
    for (std::size_t r = 0; r < members.size(); ++r) {
      double earliest = 0;
      for (std::size_t s = 0; s < members.size(); ++s)
        if (before(s, r))
          earliest = std::max(
              earliest, steps_[call.begins[s]].true_time + least_delay(members[s], members[r], 0, call.communicator));
      if (random_.chance(0.5)) earliest += random_.exponential(delay_);
      const std::size_t e = happen(members[r], Role::collective_end, earliest);
      Event& event = steps_[e].event;
      event.communicator = call.communicator;
      event.operation = operation.operation;
      if (operation.rooted) event.root = root;
      event.tag = call.id;
      event.bytes = sent[r];
      event.received = received[r];
      for (std::size_t s = 0; s < members.size(); ++s)
        if (before(s, r)) order(call.begins[s], e, 0);
    }
  }

  // ---- events that have nothing to do with each other ----
  void chaos() {
    now_.assign(count_, 0);
    some_unnamed_ = more_random_.chance(0.3);
    mean_ = 20;
    const std::int64_t wanted =
        options_.events != 0 ? static_cast<std::int64_t>(options_.events) : random_.integer(20, 300);
    for (std::int64_t i = 0; i < wanted; ++i) {
      const auto p = static_cast<ProcessIndex>(random_.index(count_));
      const std::size_t e = happen(p,
                                   random_.pick({Role::internal, Role::send, Role::send, Role::receive, Role::receive,
                                                 Role::collective_begin, Role::collective_end}),
                                   0);
      Event& event = steps_[e].event;
      event.peer = static_cast<ProcessIndex>(random_.index(std::min<std::size_t>(count_, 3)));
      if (some_unnamed_ && more_random_.chance(0.5)) event.peer = no_process;
      event.communicator = static_cast<CommunicatorIndex>(random_.index(trace_.definitions.communicators().size()));
      event.operation = operations[random_.index(operations.size())].operation;
      event.root = static_cast<Rank>(random_.integer(0, static_cast<std::int64_t>(count_)));
      if (event.role == Role::collective_begin || event.role == Role::collective_end) event.tag = random_.integer(0, 2);
      event.bytes = static_cast<std::uint64_t>(random_.integer(0, 1) * random_.integer(0, 1000));
      event.received = static_cast<std::uint64_t>(random_.integer(0, 3));
      if (event.role == Role::receive && more_random_.chance(0.2))
        event.overtakes = static_cast<std::uint16_t>(more_random_.integer(1, 4));
    }
  }

  // ---- lost and damaged records ----
  void damage() {
    const double rate = random_.pick<double>({0.005, 0.03, 0.2});
    double last = 0;
    for (const Step& step : steps_) last = std::max(last, step.true_time);
    std::vector<double> ends(count_, std::numeric_limits<double>::infinity());
    std::vector<double> starts(count_, -1);
    for (std::size_t p = 0; p < count_; ++p) {
      if (random_.chance(0.1)) ends[p] = random_.real(0, last);
      if (random_.chance(0.1)) starts[p] = random_.real(0, last);
    }
    const bool lose_sends = random_.chance(0.6);
    const bool lose_receives = random_.chance(0.6);
    const bool lose_begins = random_.chance(0.4);
    const bool lose_ends = random_.chance(0.4);
    const bool disagree = random_.chance(0.3);
    const bool cut = random_.chance(0.5);
    for (Step& step : steps_) {
      Event& event = step.event;
      if (cut && (step.true_time > ends[event.process] || step.true_time < starts[event.process])) step.lost = true;
      if (!random_.chance(rate)) continue;
      switch (event.role) {
        case Role::internal:
          break;
        case Role::send:
          step.lost |= lose_sends;
          break;
        case Role::receive:
          step.lost |= lose_receives;
          break;
        case Role::collective_begin:
          step.lost |= lose_begins;
          break;
        case Role::collective_end:
          step.lost |= lose_ends;
          if (!disagree) break;
          switch (random_.integer(0, 3)) {
            case 0:
              event.operation = operations[random_.index(operations.size())].operation;
              if (info(event.operation).rooted) event.root = 0;
              break;
            case 1:
              event.root = static_cast<Rank>(random_.integer(0, 70));
              break;
            case 2:
              event.communicator =
                  static_cast<CommunicatorIndex>(random_.index(trace_.definitions.communicators().size()));
              break;
            default:
              event.tag = random_.integer(0, 3);
          }
      }
    }
    if (random_.chance(0.02)) {  // one process left
      const ProcessIndex only = static_cast<ProcessIndex>(random_.index(count_));
      for (Step& step : steps_) step.lost |= step.event.process != only;
    }
  }

  // ---- recording ----
  void clocks() {
    double last = 1;
    for (const Step& step : steps_) last = std::max(last, step.true_time);
    const int quality = static_cast<int>(random_.integer(0, 6));
    clocks_.resize(count_);
    for (Clock& clock : clocks_) {
      if (quality >= 1 || random_.chance(0.5))
        clock.offset = random_.real(-1, 1) * random_.pick<double>({1, 30, 300, 3000});
      if (quality >= 2) clock.drift = random_.real(-1, 1) * random_.pick<double>({1e-5, 1e-4, 1e-2});
      if (quality >= 3 && random_.chance(0.5)) {
        clock.wander = random_.real(0, 50);
        clock.wander_period = last * random_.real(0.1, 3);
      }
      if (quality >= 4)
        for (std::int64_t i = random_.integer(0, 3); i > 0; --i)
          clock.jumps.push_back({random_.real(0, last), random_.real(-1, 1) * random_.pick<double>({10, 500, 5000})});
      if (quality == 5 && random_.chance(0.2)) clock.drift = -1;  // stopped
      if (options_.coarse || quality == 6 || random_.chance(0.05)) {
        clock.tick = random_.pick<double>({5, 50, 50, 1000});
        clock.phase = options_.coarse || random_.chance(0.5) ? 0 : random_.real(0, clock.tick);
      }
      if (options_.coarse && clock.tick == 5) clock.offset = std::floor(clock.offset);
    }
  }

  /// Who records with whom on one clock.
  [[nodiscard]] std::size_t recorder(ProcessIndex process) const {
    return disagree_ ? process : trace_.definitions.processes()[process].clock;
  }

  void record() {
    const Resolution resolution = trace_.definitions.resolution;
    const std::int64_t epoch = random_.pick<std::int64_t>(
        {0, 0, -5 * resolution.per_second(), 1'700'000'000 * resolution.per_second(), random_.integer(-1000, 1000)});
    std::vector<std::vector<std::size_t>> own(count_);
    std::vector<std::int64_t> newest(count_, std::numeric_limits<std::int64_t>::min());
    std::vector<Time> recorded(count_, Time::earliest());
    std::vector<Time> maximum(steps_.size());  // of the records of the clock so far
    std::vector<std::size_t> happened(steps_.size());
    std::iota(happened.begin(), happened.end(), std::size_t{0});
    std::stable_sort(happened.begin(), happened.end(), [&](std::size_t a, std::size_t b) {
      const std::size_t of_a = recorder(steps_[a].event.process);
      const std::size_t of_b = recorder(steps_[b].event.process);
      return of_a != of_b ? of_a < of_b : steps_[a].true_time < steps_[b].true_time;
    });
    for (const std::size_t e : happened) {
      Step& step = steps_[e];
      const std::size_t p = recorder(step.event.process);
      const double shown = clocks_[p].at(step.true_time) * (static_cast<double>(resolution.per_second()) / 1e6);
      const std::int64_t time = epoch + static_cast<std::int64_t>(std::floor(shown));
      newest[p] = std::max(newest[p], time);
      step.event.time = Time(options_.set_back ? time : newest[p]);
      if (step.lost) continue;
      recorded[p] = std::max(recorded[p], step.event.time);
      maximum[e] = recorded[p];
      own[p].push_back(e);
    }
    std::vector<std::size_t> next(count_, 0);
    std::vector<std::size_t> place(steps_.size(), no_partner);
    for (;;) {
      Time earliest = Time::latest();
      std::vector<std::size_t> candidates;
      for (std::size_t p = 0; p < count_; ++p) {
        if (next[p] == own[p].size()) continue;
        const Time time = maximum[own[p][next[p]]];
        if (candidates.empty() || time < earliest) {
          candidates.clear();
          earliest = time;
        }
        if (time == earliest) candidates.push_back(p);
      }
      if (candidates.empty()) break;
      const std::size_t p = candidates[random_.index(candidates.size())];
      const std::size_t e = own[p][next[p]++];
      place[e] = trace_.events.size();
      trace_.events.push_back(steps_[e].event);
      trace_.true_time.push_back(steps_[e].true_time);
    }
    if (options_.defects || options_.chaos) return;
    for (Edge edge : causes_) {
      edge.tail = place[edge.tail];
      edge.head = place[edge.head];
      trace_.edges.push_back(edge);
    }
  }

  Random random_;
  Random more_random_;  // for what came later, so that the rest of a seed's trace stays
  Random clock_random_;
  TraceOptions options_;
  RandomTrace trace_;
  std::size_t count_ = 0;
  double mean_ = 1;   // time between two events of a process, microseconds
  double delay_ = 1;  // of a message beyond its least, microseconds
  bool neighbours_ = false;
  bool disagree_ = false;  // processes that share a clock do not
  std::vector<double> now_;
  std::vector<Step> steps_;
  std::vector<Channel> in_flight_;
  std::vector<Call> open_;
  std::int64_t next_call_ = 1;
  std::int64_t next_tag_ = 1000;
  bool some_unnamed_ = false;
  std::vector<Edge> causes_;
  std::vector<Clock> clocks_;
};

}  // namespace

RandomTrace random_trace(std::uint64_t seed, const TraceOptions& options) { return Generator(seed, options).run(); }

std::string RandomTrace::describe() const {
  std::ostringstream out;
  out << "seed " << seed << ": " << definitions.processes().size() << " processes, " << events.size() << " events, "
      << definitions.resolution.per_second() << " ticks/s";
  return out.str();
}

std::vector<std::size_t> shuffle_ties(const Definitions& definitions, std::span<const Event> events, Random& random) {
  std::vector<std::size_t> order;
  for (std::size_t begin = 0; begin < events.size();) {
    std::size_t end = begin;
    while (end < events.size() && events[end].time == events[begin].time) ++end;
    std::map<ProcessIndex, std::deque<std::size_t>> own;
    for (std::size_t e = begin; e < end; ++e) own[definitions.processes()[events[e].process].clock].push_back(e);
    while (!own.empty()) {
      auto next = own.begin();
      std::advance(next, static_cast<std::ptrdiff_t>(random.index(own.size())));
      order.push_back(next->second.front());
      next->second.pop_front();
      if (next->second.empty()) own.erase(next);
    }
    begin = end;
  }
  return order;
}

}  // namespace clc::test
