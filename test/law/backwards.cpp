// The clock run backwards, both ways, and over a window: the laws, and equality with the plain reference.
//
//     CLC_TRACES=10000 clc-test-law      more traces
//     CLC_SEED=4711 clc-test-law         this trace only
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "compare.hpp"
#include "filter/replayed.hpp"
#include "for_seeds.hpp"
#include "random_trace.hpp"
#include "reference.hpp"
#include "run_filter.hpp"

namespace clc::test {
namespace {

/// What belongs together in a trace, found without any hurry.
struct Together {
  std::vector<std::pair<std::size_t, std::size_t>> messages;  ///< send, receive
  struct Call {
    std::ptrdiff_t begin;  ///< -1: none
    std::size_t end;
  };
  std::vector<std::vector<Call>> operations;  ///< complete ones whose members agree
};

void find_messages(std::span<const Event> events, Together& together) {
  using Key = std::tuple<ProcessIndex, ProcessIndex, CommunicatorIndex, std::int64_t>;
  struct Channel {
    std::map<std::size_t, std::size_t> sends;  // event by number
    std::map<std::size_t, std::size_t> receives;
  };
  std::map<Key, Channel> channels;
  for (std::size_t e = 0; e < events.size(); ++e) {
    const Event& event = events[e];
    if (event.role != Role::send && event.role != Role::receive) continue;
    const bool named = event.peer != no_process;
    Channel& channel = channels[{named ? sender_of(event) : no_process, named ? receiver_of(event) : no_process,
                                 event.communicator, event.tag}];
    if (event.role == Role::send) {
      channel.sends.emplace(channel.sends.size(), e);
      continue;
    }
    // The receive takes the smallest number that is free, after leaving out those of the receives that it overtakes.
    std::size_t number = 0;
    for (std::size_t left = event.overtakes;; ++number) {
      if (channel.receives.contains(number)) continue;
      if (left-- == 0) break;
    }
    channel.receives.emplace(number, e);
  }
  for (const auto& [key, channel] : channels)
    for (const auto& [number, send] : channel.sends)
      if (const auto receive = channel.receives.find(number); receive != channel.receives.end())
        together.messages.emplace_back(send, receive->second);
}

void find_operations(const Definitions& definitions, std::span<const Event> events, Together& together) {
  std::vector<bool> used(events.size());
  std::map<std::tuple<CommunicatorIndex, ProcessIndex>, std::vector<Together::Call>> calls;
  for (std::size_t e = 0; e < events.size(); ++e) {
    if (events[e].role != Role::collective_end) continue;
    std::ptrdiff_t begin = -1;
    for (std::size_t b = e; b-- > 0 && begin < 0;)
      if (events[b].role == Role::collective_begin && events[b].process == events[e].process &&
          events[b].tag == events[e].tag)
        begin = static_cast<std::ptrdiff_t>(b);
    if (begin >= 0 && used[static_cast<std::size_t>(begin)]) begin = -1;  // the newest one only
    if (begin >= 0) used[static_cast<std::size_t>(begin)] = true;
    calls[{events[e].communicator, events[e].process}].push_back({begin, e});
  }
  for (CommunicatorIndex c = 0; c < definitions.communicators().size(); ++c) {
    const Members& members = definitions.communicators()[c].members;
    if (members.size() < 2) continue;
    for (std::size_t k = 0;; ++k) {
      std::vector<Together::Call> operation;
      for (const ProcessIndex member : members)
        if (const auto& own = calls[{c, member}]; k < own.size()) operation.push_back(own[k]);
      if (operation.size() < members.size()) break;
      const Event& first = events[operation.front().end];
      const bool agree = std::all_of(operation.begin(), operation.end(), [&](const Together::Call& call) {
        const Event& event = events[call.end];
        return event.operation == first.operation && (!info(event.operation).rooted || event.root == first.root);
      });
      if (agree) together.operations.push_back(std::move(operation));
    }
  }
}

Together together_in(const RandomTrace& trace) {
  Together together;
  find_messages(trace.events, together);
  find_operations(trace.definitions, trace.events, together);
  return together;
}

/// The trace from its end: negated times, exchanged roles, and what belongs together numbered.
struct Mirror {
  Parameters parameters;
  Definitions definitions;
  std::vector<Event> events;
  std::vector<std::ptrdiff_t> original;  ///< -1: added
};

Operation opposite(Operation operation) {
  const std::map<Operation, Operation> pairs{
      {Operation::bcast, Operation::reduce},     {Operation::reduce, Operation::bcast},
      {Operation::scatter, Operation::gather},   {Operation::gather, Operation::scatter},
      {Operation::scatterv, Operation::gatherv}, {Operation::gatherv, Operation::scatterv},
      {Operation::barrier, Operation::allreduce}};
  const auto found = pairs.find(operation);
  return found == pairs.end() ? operation : found->second;
}

void mirror_operation(const RandomTrace& trace, const std::vector<Together::Call>& operation, std::int64_t& number,
                      std::map<std::size_t, std::vector<Event>>& made, Definitions& definitions) {
  const Event& what = trace.events[operation.front().end];
  const Communicator& of = trace.definitions.communicators()[what.communicator];
  std::vector<ProcessIndex> members(of.members.begin(), of.members.end());
  if (info(what.operation).kind == CollectiveClass::prefix) std::reverse(members.begin(), members.end());
  const CommunicatorIndex own =
      definitions.add_communicator(1'000'000'000 + static_cast<std::uint64_t>(number), members, of.min_delay);
  for (const Together::Call& call : operation) {
    Event begins = trace.events[call.end];
    begins.role = Role::collective_begin;
    begins.tag = ++number;
    Event ends = trace.events[call.end];
    ends.communicator = own;
    ends.tag = number;
    const bool barrier = ends.operation == Operation::barrier;
    const std::uint64_t sent = ends.bytes;
    ends.bytes = barrier ? 1 : ends.received;
    ends.received = barrier ? 1 : sent;
    ends.operation = opposite(ends.operation);
    if (call.begin < 0) ends.received = 0;
    made[call.end].push_back(begins);
    if (call.begin >= 0) ends.time = trace.events[static_cast<std::size_t>(call.begin)].time;
    made[call.begin < 0 ? call.end : static_cast<std::size_t>(call.begin)].push_back(ends);
  }
}

/// By the largest time of each clock so far, as clocks that are set back demand.
void sort(Mirror& mirror) {
  std::map<ClockIndex, Time> maxima;
  std::vector<std::pair<Time, std::size_t>> order;
  for (std::size_t e = 0; e < mirror.events.size(); ++e) {
    const Event& event = mirror.events[e];
    Time& maximum = maxima.emplace(mirror.definitions.processes()[event.process].clock, event.time).first->second;
    maximum = std::max(maximum, event.time);
    order.emplace_back(maximum, e);
  }
  std::sort(order.begin(), order.end());
  const Mirror before = mirror;
  for (std::size_t e = 0; e < order.size(); ++e) {
    mirror.events[e] = before.events[order[e].second];
    mirror.original[e] = before.original[order[e].second];
  }
}

Mirror mirror_of(const RandomTrace& trace, const Together& together) {
  Mirror mirror{trace.parameters, trace.definitions, {}, {}};
  for (PairDelay& pair : mirror.parameters.pair_delays) std::swap(pair.from, pair.to);
  std::map<std::size_t, std::vector<Event>> made;
  std::int64_t number = 0;
  for (const auto& [send, receive] : together.messages) {
    ++number;
    for (const std::size_t e : {send, receive}) {
      Event event = trace.events[e];
      event.role = e == send ? Role::receive : Role::send;
      event.tag = number;
      event.overtakes = 0;
      event.bytes = trace.events[send].bytes;
      made[e] = {event};
    }
  }
  for (const auto& operation : together.operations)
    mirror_operation(trace, operation, number, made, mirror.definitions);
  for (std::size_t e = trace.events.size(); e-- > 0;) {
    if (!made.contains(e)) {
      Event event;
      event.process = trace.events[e].process;
      event.time = trace.events[e].time;
      made[e] = {event};
    }
    for (std::size_t i = 0; i < made[e].size(); ++i) {
      mirror.events.push_back(made[e][i]);
      mirror.events.back().time = Time(-1 - mirror.events.back().time.ticks());
      mirror.original.push_back(i == 0 ? static_cast<std::ptrdiff_t>(e) : -1);
    }
  }
  sort(mirror);
  return mirror;
}

/// Collects what is written; a body is the number of its event.
class Written final : public EventSink {
 public:
  explicit Written(std::span<const Event> events)
      : times(events.size()),
        seen(events.size()),
        events_(events),
        set_back_(!std::is_sorted(events.begin(), events.end(),
                                  [](const Event& a, const Event& b) { return a.time < b.time; })) {}
  void events(std::span<const Corrected> run) override {
    for (const Corrected& event : run) {
      const auto e = static_cast<std::size_t>(std::stoul(std::string(event.body)));
      if (seen[e]) fault = "event " + std::to_string(e) + " is written twice";
      if (event.recorded != events_[e].time || event.process != events_[e].process)
        fault = "event " + std::to_string(e) + " has another recorded time or process";
      if (!order.empty() && (set_back_ ? event.time < times[order.back()]
                                       : std::pair(event.time, e) < std::pair(times[order.back()], order.back())))
        fault = "not sorted at event " + std::to_string(e);
      if (notes != std::max(notes, e / 100)) fault = "a note comes early";
      if (notes < e / 100) fault = "a note comes late";
      times[e] = event.time;
      seen[e] = true;
      order.push_back(e);
    }
  }
  void note(Body line) override {
    if (line != std::to_string(notes)) fault = "note " + std::string(line);
    ++notes;
  }
  std::vector<Time> times;
  std::vector<bool> seen;
  std::vector<std::size_t> order;
  std::size_t notes = 0;
  std::string fault;

 private:
  std::span<const Event> events_;
  bool set_back_;  ///< a clock was
};

struct Replay {
  Written written;
  Analysis analysis;
};

Replay replay(const RandomTrace& trace, filter::Options options) {
  options.parameters = trace.parameters;
  Replay result{Written(trace.events), {}};
  filter::Replayed replayed(options, trace.definitions, result.written, {});
  Random random(trace.seed);
  bool whole = true;
  std::vector<std::string> texts(trace.events.size());
  for (std::size_t e = 0; e < texts.size(); ++e) texts[e] = std::to_string(e);
  for (std::size_t e = 0; e < texts.size() && whole;) {
    Batch batch;
    std::vector<Time> times;
    const std::size_t end = std::min(texts.size(), e + static_cast<std::size_t>(random.integer(1, 50)));
    std::vector<std::string> lines;
    lines.reserve(2);
    for (; e < end; ++e) {
      if (e % 100 == 0 && e > 0) {
        lines.push_back(std::to_string(e / 100 - 1));
        batch.notes.push_back({batch.events.size(), lines.back()});
      }
      batch.events.push_back(trace.events[e]);
      batch.bodies.emplace_back(texts[e]);
      times.push_back(trace.events[e].time);
    }
    whole = replayed.record(batch, times);
  }
  replayed.correct(whole, options.parameters, {}, 0);
  result.analysis = replayed.analysis();
  return result;
}

struct AllWays {
  Replay forwards;
  Replay backwards;
  Replay both;
};

AllWays replay_all_ways(const RandomTrace& trace) {
  filter::Options forwards;
  forwards.from_s = 0;
  filter::Options backwards;
  backwards.backwards = true;
  filter::Options both = backwards;
  both.mean = true;
  return {replay(trace, forwards), replay(trace, backwards), replay(trace, both)};
}

/// Law 1 of the edges, law 3 of the events that were written.
std::string laws(const RandomTrace& trace, const std::vector<Edge>& edges, const Written& written) {
  for (const Edge& edge : edges)
    if (written.times[edge.head] - written.times[edge.tail] < edge.mu)
      return "law 1" + at_event(edge.tail) + " ->" + at_event(edge.head);
  std::vector<std::ptrdiff_t> last(trace.definitions.processes().size(), -1);
  for (std::size_t e = 0; e < trace.events.size(); ++e) {
    if (!written.seen[e]) continue;
    const ClockIndex clock = trace.definitions.processes()[trace.events[e].process].clock;
    const auto before = std::exchange(last[clock], static_cast<std::ptrdiff_t>(e));
    if (before < 0) continue;
    const auto b = static_cast<std::size_t>(before);
    if (written.times[e] < written.times[b]) return "law 3: order" + at_event(e);
    if (trace.events[e].time != trace.events[b].time && written.times[e] == written.times[b])
      return "law 3: distinct" + at_event(e);
  }
  return {};
}

const std::vector<std::pair<const char*, TraceOptions>>& kinds_both_ways() {
  static const std::vector<std::pair<const char*, TraceOptions>> list{
      {"sound", {}},
      {"coarse", {.coarse = true}},
      {"non-blocking", {.non_blocking = true}},
      {"shared clocks", {.non_blocking = true, .shared_clocks = true}},
      {"damaged", {.defects = true}},
      {"chaos", {.chaos = true}},
      {"set back", {.set_back = true}},
      {"set back, shared clocks", {.non_blocking = true, .shared_clocks = true, .set_back = true}},
      {"set back, damaged", {.defects = true, .set_back = true}}};
  return list;
}

/// Edges of the mirror in force, as edges of the trace.
std::vector<Edge> turned(const Reference& reference, const Mirror& mirror) {
  std::vector<Edge> edges;
  for (const Edge& edge : reference.edges)
    if (mirror.original[edge.tail] >= 0 && mirror.original[edge.head] >= 0)
      edges.push_back({static_cast<std::size_t>(mirror.original[edge.head]),
                       static_cast<std::size_t>(mirror.original[edge.tail]), edge.mu});
  return edges;
}

TEST_CASE("backwards: laws 1 to 3, and equal to the plain reference of the negated trace") {
  for (const auto& [name, options] : kinds_both_ways()) {
    DYNAMIC_SECTION(name) {
      const TraceOptions& kind = options;
      for_seeds(4, [&](std::uint64_t seed) -> std::string {
        const RandomTrace trace = random_trace(seed, kind);
        const Mirror mirror = mirror_of(trace, together_in(trace));
        const Reference expected = reference(mirror.parameters, mirror.definitions, mirror.events);
        filter::Options backwards;
        backwards.backwards = true;
        const Replay run = replay(trace, backwards);
        if (!run.written.fault.empty()) return run.written.fault;
        if (run.written.order.size() != trace.events.size()) return "events are missing";
        const bool sound = !kind.defects && !kind.chaos;
        if (std::string fault = laws(trace, sound ? trace.edges : turned(expected, mirror), run.written);
            !fault.empty())
          return fault;
        const std::vector<double> allowed = rounding_errors(mirror.events, expected.written);
        for (std::size_t i = 0; i < mirror.events.size(); ++i) {
          if (mirror.original[i] < 0) continue;
          const auto e = static_cast<std::size_t>(mirror.original[i]);
          if (run.written.times[e] > trace.events[e].time) return "law 2 reversed" + at_event(e);
          const Ticks off = Time(-1 - run.written.times[e].ticks()) - expected.written[i];
          if (std::abs(static_cast<double>(off)) > 1 + allowed[i])
            return "written " + std::to_string(off) + " ticks off the reference" + at_event(e);
        }
        return {};
      });
    }
  }
}

TEST_CASE("both ways: the mean, laws 1 and 3, and forwards as without a recording") {
  for (const auto& [name, options] : kinds_both_ways()) {
    DYNAMIC_SECTION(name) {
      const TraceOptions& kind = options;
      for_seeds(4, [&](std::uint64_t seed) -> std::string {
        const RandomTrace trace = random_trace(seed, kind);
        const AllWays all = replay_all_ways(trace);
        const Replay& forwards = all.forwards;  // clang 14 lets no lambda use a structured binding
        const Replay& backwards = all.backwards;
        const Replay& both = all.both;
        for (const Replay* run : {&forwards, &backwards, &both}) {
          if (!run->written.fault.empty()) return run->written.fault;
          if (run->written.order.size() != trace.events.size()) return "events are missing";
        }
        const bool sound = !kind.defects && !kind.chaos;
        if (sound) {
          const Run plain = run_filter(trace.parameters, trace.definitions, trace.events);
          if (plain.written != forwards.written.times) return "forwards is not as without a recording";
        }
        for (std::size_t e = 0; e < trace.events.size(); ++e) {
          const auto f = static_cast<double>(forwards.written.times[e] - trace.events[e].time);
          const auto b = static_cast<double>(backwards.written.times[e] - trace.events[e].time);
          const auto mean = static_cast<double>(both.written.times[e] - trace.events[e].time);
          if (mean != std::floor((f + b) / 2)) return "not the mean" + at_event(e);
        }
        std::vector<Edge> edges = trace.edges;
        if (!sound) {
          const Mirror mirror = mirror_of(trace, together_in(trace));
          edges = turned(reference(mirror.parameters, mirror.definitions, mirror.events), mirror);
          std::erase_if(edges, [&](const Edge& edge) {  // those in force in both directions
            return forwards.written.times[edge.head] - forwards.written.times[edge.tail] < edge.mu;
          });
        }
        return laws(trace, edges, both.written);
      });
    }
  }
}

/// The edges of messages and operations that are whole in the window, and what crosses its borders.
std::vector<Edge> inside(const RandomTrace& trace, const std::vector<bool>& in, std::uint64_t& crossing) {
  const Together together = together_in(trace);
  std::vector<bool> whole(trace.events.size());
  for (const auto& [send, receive] : together.messages) {
    whole[send] = whole[receive] = in[send] && in[receive];
    crossing += in[send] != in[receive];
  }
  for (const auto& operation : together.operations) {
    const auto counts = [&](bool value) {
      return std::any_of(operation.begin(), operation.end(), [&](const Together::Call& call) {
        return in[call.end] == value || (call.begin >= 0 && in[static_cast<std::size_t>(call.begin)] == value);
      });
    };
    crossing += counts(true) && counts(false);
    for (const Together::Call& call : operation) {
      whole[call.end] = !counts(false);
      if (call.begin >= 0) whole[static_cast<std::size_t>(call.begin)] = !counts(false);
    }
  }
  std::vector<Edge> edges;
  for (const Edge& edge : trace.edges)
    if (whole[edge.tail] && whole[edge.head]) edges.push_back(edge);
  return edges;
}

/// The trace without some of its records, which are internal events then, and with what is known of that in the others.
/// lost: how many ends of messages, and for each lost call the least recorded time of the ends of the others.
RandomTrace lossy(RandomTrace trace, std::uint64_t& lost_ends, std::multiset<Time>& lost_calls) {
  Random random(trace.seed + 1);
  const Together together = together_in(trace);
  std::vector<Event>& events = trace.events;
  std::set<std::size_t> gone;
  std::set<std::tuple<CommunicatorIndex, std::int64_t, ProcessIndex>> overtaken;  // by tag and receiver
  const auto channel_of = [](const Event& event) {
    return std::tuple(event.communicator, event.tag, receiver_of(event));
  };
  for (const Event& event : events)
    if (event.role == Role::receive && (event.overtakes > 0 || event.peer == no_process))
      overtaken.insert(channel_of(event));
  for (const auto& [send, receive] : together.messages) {
    if (events[receive].peer == no_process || events[send].peer == no_process) continue;
    if (overtaken.contains(channel_of(events[receive]))) continue;
    const bool is_lost = random.real(0, 1) < 0.1;
    for (const std::size_t e : {send, receive}) events[e].other_end = is_lost ? OtherEnd::missing : OtherEnd::present;
    if (!is_lost) continue;
    gone.insert(random.real(0, 1) < 0.5 ? send : receive);
    ++lost_ends;
  }
  std::map<std::pair<CommunicatorIndex, ProcessIndex>, std::vector<std::size_t>> calls;
  for (std::size_t e = 0; e < events.size(); ++e)
    if (events[e].role == Role::collective_end) calls[{events[e].communicator, events[e].process}].push_back(e);
  for (const auto& operation : together.operations) {
    if (operation.size() < 3 || random.real(0, 1) > 0.2) continue;
    const auto which = static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(operation.size()) - 1));
    Time least = Time::latest();
    for (std::size_t k = 0; k < operation.size(); ++k) {
      if (k != which) events[operation[k].end].absent = 1;
      if (k != which) least = std::min(least, events[operation[k].end].time);
      if (k == which) gone.insert(operation[k].end);
      if (k == which && operation[k].begin >= 0) gone.insert(static_cast<std::size_t>(operation[k].begin));
    }
    lost_calls.insert(least);
  }
  for (const auto& [member, ends] : calls) {
    std::uint16_t missed = 0;
    for (const std::size_t e : ends)
      if (gone.contains(e))
        ++missed;
      else
        events[e].missed = std::exchange(missed, std::uint16_t{0});
  }
  for (const std::size_t e : gone) {
    Event event;
    event.time = events[e].time;
    event.process = events[e].process;
    events[e] = event;
  }
  std::erase_if(trace.edges, [&](const Edge& edge) { return gone.contains(edge.tail) || gone.contains(edge.head); });
  return trace;
}

TEST_CASE("lost records that are told: backwards, both ways and forwards from a recording, as without one") {
  const std::vector<std::pair<const char*, TraceOptions>> kinds{{"sound", {}},
                                                                {"coarse", {.coarse = true}},
                                                                {"non-blocking", {.non_blocking = true}},
                                                                {"set back", {.set_back = true}}};
  for (const auto& [name, options] : kinds) {
    DYNAMIC_SECTION(name) {
      const TraceOptions& kind = options;
      for_seeds(4, [&](std::uint64_t seed) -> std::string {
        std::uint64_t lost_ends = 0;
        std::multiset<Time> lost_calls;
        RandomTrace trace = lossy(random_trace(seed, kind), lost_ends, lost_calls);
        trace.parameters.match = Match::whole;
        const Run plain = run_filter(trace.parameters, trace.definitions, trace.events);
        const auto [forwards, backwards, both] = replay_all_ways(trace);
        if (plain.written != forwards.written.times) return "forwards is not as without a recording";
        for (const Replay* run : {&forwards, &backwards, &both}) {
          if (!run->written.fault.empty()) return run->written.fault;
          if (std::string fault = laws(trace, trace.edges, run->written); !fault.empty()) return fault;
          const Analysis& analysis = run->analysis;
          const auto counted = [&](Case which) { return analysis.counted(which); };
          if (counted(Case::send_without_receive) + counted(Case::receive_without_send) != lost_ends ||
              analysis.losses().size() != lost_ends)
            return "other lost ends of messages";
          std::multiset<Time> told;
          for (const LostCall& call : analysis.lost_calls()) told.insert(call.recorded);
          if (counted(Case::collective_incomplete) != lost_calls.size() || told != lost_calls)
            return "other lost calls";
          for (const Case which : {Case::operation_mismatch, Case::wait_in_circle, Case::late_member})
            if (counted(which) != plain.analysis.counted(which)) return "other cases than without a recording";
        }
        return {};
      });
    }
  }
}

TEST_CASE("a window: its events alone, laws 1 and 3, and what crosses its borders is told apart") {
  for_seeds(4, [](std::uint64_t seed) -> std::string {
    RandomTrace trace = random_trace(seed, {.non_blocking = seed % 2 == 0});
    if (trace.events.empty()) return {};
    const Resolution resolution = trace.definitions.resolution;
    const Time first = trace.events.front().time;
    const double length = resolution.seconds(static_cast<double>(trace.events.back().time - first));
    Random random(seed);
    filter::Options options;
    options.from_s = length * random.real(0, 0.6);
    options.to_s = *options.from_s + length * random.real(0.1, 0.5);
    options.backwards = seed % 3 == 0;
    options.mean = seed % 3 == 1;
    trace.parameters.wait_limit_s = 2 * length + 1;  // the trace is read to its end
    const Time from = first + resolution.ticks_of_seconds(*options.from_s);
    const Time to = first + resolution.ticks_of_seconds(*options.to_s);
    std::vector<bool> in;
    for (const Event& event : trace.events) in.push_back(event.time >= from && event.time <= to);
    const Replay run = replay(trace, options);
    if (!run.written.fault.empty()) return run.written.fault;
    if (run.written.seen != in) return "other events than those of the window";
    std::uint64_t crossing = 0;
    const std::vector<Edge> edges = inside(trace, in, crossing);
    if (run.analysis.counted(Case::crosses_window) != crossing)
      return std::to_string(run.analysis.counted(Case::crosses_window)) + " cross the window, expected " +
             std::to_string(crossing);
    if (run.analysis.unresolved() != 0) return "something is missing";
    return laws(trace, edges, run.written);
  });
}

}  // namespace
}  // namespace clc::test
