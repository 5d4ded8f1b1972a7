// The clock: any trace and any parameters, against the plain reference. A flag in the input makes times and delays of
// any size: then the reference, which counts in plain floating-point numbers, is no measure, and only the guarantees
// are asked for. The same where definitions change between events, which the reference does not know. The judge, which
// matches on its own, must find the same edges in all of them.
#include <algorithm>
#include <cmath>

#include "clock/offset.hpp"
#include "compare.hpp"
#include "figures.hpp"
#include "fuzz.hpp"
#include "matching/edges.hpp"
#include "matching/violations.hpp"
#include "run_filter.hpp"

namespace {

using namespace clc;

/// A definition that comes ahead of an event.
struct Change {
  std::size_t before;
  bool of_process;
  std::uint64_t number;
  const char* node;
  std::vector<ProcessIndex> members;
  Ticks own_delay;

  void make(Definitions& definitions) const {
    if (of_process)
      definitions.add_process(number, "q", node);
    else
      definitions.add_communicator(number, members, own_delay);
  }
};

struct Input {
  Definitions definitions;  // ahead of the first event
  Parameters parameters;
  std::vector<Event> events;
  std::vector<Change> changes;
  Definitions last;  // with all changes
  bool extreme = false;
  std::uint64_t disturb = 0;
};

double microseconds(fuzz::Numbers& numbers, bool extreme) {
  if (extreme && numbers.flag())
    return static_cast<double>(numbers.number()) * numbers.pick({1e-12, 1e-3, 1.0, 1e6, 1e200});
  return static_cast<double>(numbers.bytes(numbers.flag() ? 1 : 2)) * numbers.pick({1e-3, 0.25, 1.0, 16.0});
}

double part(fuzz::Numbers& numbers) {
  return numbers.pick({0.0, 0.5, 0.9, 0.98, 1 - 2e-5, 1.0, static_cast<double>(numbers.byte()) / 255});
}

Parameters parameters(fuzz::Numbers& numbers, const Definitions& definitions, bool extreme) {
  Parameters p;
  const std::uint8_t which = numbers.byte();
  if ((which & 1U) != 0) p.min_delay_us = microseconds(numbers, extreme);
  if ((which & 2U) != 0) p.clock_difference_us = microseconds(numbers, extreme);
  if ((which & 4U) != 0) p.max_error_percent = numbers.pick({0.5, 5.0, 10.0, 100.0, 1e-3});
  if ((which & 8U) != 0) p.delta_us = microseconds(numbers, extreme);
  if ((which & 16U) != 0) p.wait_limit_s = numbers.pick({1e-6, 1.0, 1e-6, 1e12}) * static_cast<double>(numbers.byte());
  if ((which & 32U) != 0) {
    p.gamma_max = part(numbers);
    p.gamma_min = std::min(*p.gamma_max, part(numbers));
    const std::uint8_t regulators = numbers.byte();
    if ((regulators & 64U) != 0) p.gamma_min.reset();
    if ((regulators & 128U) != 0) p.rule = Parameters::Rule::thesis;
    p.regulator_a = (regulators & 1U) != 0;
    p.regulator_b = (regulators & 2U) != 0;
    p.regulator_c = (regulators & 4U) != 0;
    p.regulator_d = (regulators & 8U) != 0;
    if ((regulators & 16U) != 0) p.norm = Norm::sixteenth;
    p.amortization = (regulators & 32U) == 0;
  }
  if ((which & 64U) != 0) {
    p.bandwidth_mb_s = numbers.pick({1.0, 100.0, 1e-3, extreme ? 1e-300 : 10.0});
    if (numbers.flag()) p.node_delay_us = microseconds(numbers, extreme);
  }
  if ((which & 128U) != 0)
    for (std::size_t n = numbers.below(3); n > 0; --n)
      p.pair_delays.push_back({numbers.below(definitions.processes().size()),
                               numbers.below(definitions.processes().size()), microseconds(numbers, extreme)});
  if ((which & 24U) == 24)
    for (std::size_t n = numbers.below(3); n > 0; --n)
      p.process_deltas.push_back({numbers.below(definitions.processes().size()), microseconds(numbers, extreme)});
  return p;
}

std::vector<ProcessIndex> some_of(std::size_t processes, std::uint8_t set) {
  std::vector<ProcessIndex> members;
  for (std::size_t i = processes; i-- > 0;)
    if ((unsigned{set} >> i & 1U) != 0) members.push_back(static_cast<ProcessIndex>(i));
  return members;
}

/// Definitions that are replaced, or come late.
Change read_change(fuzz::Numbers& numbers, const Input& c) {
  constexpr std::size_t most = 8;
  Change change{c.events.size(), numbers.flag(), 0, "", {}, 0};
  if (change.of_process) {
    change.number = numbers.below(std::min(c.last.processes().size() + 1, most));
    change.node = numbers.pick<const char*>({"", "n0", "n1"});
  } else {
    change.number = numbers.below(std::min(c.last.communicators().size() + 1, most));
    change.members = some_of(c.last.processes().size(), numbers.byte());
    change.own_delay = numbers.flag() ? static_cast<Ticks>(numbers.bytes(c.extreme ? 8 : 1) >> 1U) : 0;
  }
  return change;
}

Input read_input(fuzz::Numbers& numbers) {
  Input c;
  c.extreme = numbers.below(4) == 3;
  c.disturb = numbers.below(8);
  c.definitions.resolution =
      Resolution(numbers.pick<std::int64_t>({1'000'000, 1'000'000'000, 1000, 1, 1'000'000'000'000, 2'500'001'159}));
  const std::size_t processes = 1 + numbers.below(5);
  std::vector<ProcessIndex> all;
  for (std::size_t i = 0; i < processes; ++i)
    all.push_back(c.definitions.add_process(i, "p", numbers.pick<const char*>({"", "n0", "n1"})));
  c.definitions.add_communicator(0, all);
  for (std::size_t n = numbers.below(3); n > 0; --n) {
    const std::vector<ProcessIndex> members = some_of(processes, numbers.byte());
    const Ticks own = numbers.flag() ? static_cast<Ticks>(numbers.bytes(c.extreme ? 8 : 1) >> 1U) : 0;
    c.definitions.add_communicator(n, members, own);
  }
  if (numbers.flag()) c.definitions.min_delay = static_cast<Ticks>(numbers.bytes(c.extreme ? 8 : 2) >> 1U);
  c.parameters = parameters(numbers, c.definitions, c.extreme);
  c.last = c.definitions;

  std::int64_t time = static_cast<std::int64_t>(numbers.pick<std::uint64_t>({0, 1'000'000, std::uint64_t{1} << 63U}));
  constexpr std::size_t most_events = 64;
  while (!numbers.empty() && c.events.size() < most_events) {
    Event event;
    const std::uint8_t what = numbers.byte();
    if (what == 0xff) {
      c.changes.push_back(read_change(numbers, c));
      c.changes.back().make(c.last);
      continue;
    }
    const std::size_t known = c.last.processes().size();
    if (what == 0xfe) {  // the clock of the newest event is set back
      if (c.events.empty()) continue;
      event.process = c.events.back().process;
      const std::uint64_t by = c.extreme ? numbers.number() : numbers.bytes(2);
      const std::uint64_t room = ticks_between(Time::earliest(), Time(time));
      event.time = Time(static_cast<std::int64_t>(static_cast<std::uint64_t>(time) - std::min(by, room)));
      c.events.push_back(event);
      continue;
    }
    event.process = static_cast<ProcessIndex>((what >> 3U) % known);
    event.role = static_cast<Role>((what & 7U) % 5);
    if (c.extreme && numbers.flag()) {
      // Forwards by any number, as far as there is room.
      const std::uint64_t room = static_cast<std::uint64_t>(ticks_max) - static_cast<std::uint64_t>(time);
      time = static_cast<std::int64_t>(static_cast<std::uint64_t>(time) + std::min(room, numbers.number()));
    } else {
      time = add_saturating(time, static_cast<Ticks>(numbers.bytes(numbers.pick({0U, 1U, 1U, 2U}))));
    }
    event.time = Time(time);
    if (event.role != Role::internal) {
      const std::uint8_t key = numbers.byte();
      event.communicator = static_cast<CommunicatorIndex>((key & 3U) % c.last.communicators().size());
      event.tag = key >> 2U & 1U;
      if (event.role == Role::send || event.role == Role::receive) {
        event.peer = static_cast<ProcessIndex>((key >> 3U & 7U) % known);
        if ((key & 64U) != 0) event.peer = no_process;
        if ((key & 128U) != 0) event.bytes = c.extreme ? numbers.number() : numbers.bytes(2);
        if (event.role == Role::receive) event.overtakes = event.bytes & 3U;
      } else if (event.role == Role::collective_end) {
        event.operation = operations[numbers.below(operations.size())].operation;
        if (info(event.operation).rooted) event.root = static_cast<Rank>(key >> 3U & 7U);
        event.bytes = key >> 6U & 1U;
        event.received = key >> 7U & 1U;
      }
    }
    c.events.push_back(event);
  }
  return c;
}

/// What holds for any times: nothing earlier than recorded, the order in a process. Times end at 64 bits.
void require_guarantees(const Input& c, const test::Run& run) {
  std::vector<Time> last(c.last.processes().size(), Time::earliest());
  for (std::size_t e = 0; e < c.events.size(); ++e) {
    fuzz::require(run.written[e] >= c.events[e].time, "an event is moved to before its recorded time");
    fuzz::require(run.written[e] >= last[c.events[e].process], "the order in a process is lost");
    last[c.events[e].process] = run.written[e];
  }
}

/// No offset is so large that it was rounded, and no line so steep that it shows the rounding of those under it. An
/// offset that was cut off at the end of times may have been.
bool is_exact(const Input& c, const test::Run& run) {
  if (run.analysis.counted(Case::time_saturated) > 0) return false;
  for (const double error : test::rounding_errors(c.events, run.written))
    if (error >= lowering / 16) return false;
  for (std::size_t e = 0; e < c.events.size(); ++e)
    if (ticks_between(c.events[e].time, run.written[e]) >= std::uint64_t{1} << 50U) return false;
  return true;
}

/// The edges of a trace as the judge matches them, in recorded and in corrected times.
class Judge final : private matching::EdgeObserver {
 public:
  Judge(const Input& c, const test::Run& run)
      : definitions_(c.definitions),
        delays_(c.parameters, definitions_),
        judge_(c.parameters, definitions_, delays_),
        matcher_(definitions_, *this) {
    auto change = c.changes.begin();
    for (std::size_t e = 0; e < c.events.size(); ++e) {
      for (; change != c.changes.end() && change->before <= e; ++change) change->make(definitions_);
      matching::Stamp stamp;
      stamp.time[matching::recorded] = c.events[e].time;
      stamp.time[matching::corrected] = run.written[e];
      matcher_.add(c.events[e], stamp);
    }
    matcher_.finish();
  }

  using Figures = std::array<matching::EdgeFigures, 2>;  ///< recorded, corrected
  [[nodiscard]] const Figures& messages() const noexcept { return messages_; }
  [[nodiscard]] const Figures& collectives() const noexcept { return collectives_; }
  /// Those of them that belong to operations which some members never finished.
  [[nodiscard]] const Figures& incomplete() const noexcept { return incomplete_; }

 private:
  void message(const matching::Message& message) override {
    const matching::Edge edge{message.sender, message.receiver, message.sent, message.received,
                              matching::min_delay_of(message, delays_)};
    for (const matching::Column column : {matching::recorded, matching::corrected}) messages_[column].add(edge, column);
  }
  void collective(const matching::Collective& operation) override {
    for (const matching::Column column : {matching::recorded, matching::corrected})
      collectives_[column].add(judge_.judge(operation, column));
  }
  void incomplete(const matching::Collective& operation) override {
    collective(operation);
    for (const matching::Column column : {matching::recorded, matching::corrected})
      incomplete_[column].add(judge_.judge(operation, column));
  }

  Definitions definitions_;
  DelayModel delays_;
  matching::CollectiveJudge judge_;
  matching::Matcher matcher_;
  Figures messages_;
  Figures collectives_;
  Figures incomplete_;
};

void require_same(const Violations& filter, const Judge::Figures& judge, const std::string& what) {
  const matching::EdgeFigures& recorded = judge[matching::recorded];
  const auto same = [&](std::uint64_t a, std::uint64_t b, const char* figure) {
    if (a != b)
      fuzz::broken("filter and judge count " + what + " that are " + figure + ": " + std::to_string(a) + " and " +
                   std::to_string(b));
  };
  same(filter.edges, recorded.edges, "edges");
  same(filter.backwards, recorded.backward, "received before sent");
  same(filter.violated, recorded.violated, "violated");
  fuzz::require(filter.worst == recorded.worst_margin, "filter and judge have other worst margins");
}

/// Filter and judge have the same edges, given up or not, but in operations that some members never finished: what
/// comes too late for one of these is in the judge's figures only.
void require_judgement(const Input& c, const test::Run& run) {
  const auto none_of = [&](std::initializer_list<Case> given_up) {
    return std::all_of(given_up.begin(), given_up.end(), [&](Case which) { return run.analysis.counted(which) == 0; });
  };
  const Judge judge(c, run);
  if (!none_of({Case::forgotten_channel})) return;
  if (run.analysis.old_messages() == 0) require_same(run.analysis.messages(), judge.messages(), "messages");
  if (judge.incomplete()[matching::recorded].edges == 0 || none_of({Case::wait_in_circle, Case::late_member}))
    require_same(run.analysis.collectives(), judge.collectives(), "pairs of collective operations");
  if (!is_exact(c, run)) return;
  const std::uint64_t left = judge.messages()[matching::corrected].violated +
                             judge.collectives()[matching::corrected].violated -
                             judge.incomplete()[matching::corrected].violated;
  if (left != run.analysis.violations_left())
    fuzz::broken("filter and judge count violations that are left: " + std::to_string(run.analysis.violations_left()) +
                 " and " + std::to_string(left));
}

test::Run filtered(const Input& c, test::RunOptions options) {
  Definitions definitions = c.definitions;
  for (const Change& change : c.changes)
    options.changes.emplace(change.before, [&definitions, &change] { change.make(definitions); });
  test::Run run = test::run_filter(c.parameters, definitions, c.events, options);
  if (!run.fault.empty()) fuzz::broken(run.fault);
  return run;
}

/// By the order-free rules: the guarantees, and the same edges but for those that are given up.
void require_epochs(Input c) {
  c.parameters.order = Parameters::Order::epochs;
  const test::Run run = filtered(c, {.disturb = c.disturb});
  require_guarantees(c, run);
  require_judgement(c, run);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Numbers numbers(data, size);
  const Input c = read_input(numbers);
  const test::Run run = filtered(c, {.disturb = c.disturb});
  require_guarantees(c, run);
  require_judgement(c, run);
  require_epochs(c);
  if (c.extreme || !c.changes.empty()) {
    const test::Run other = filtered(c, {.disturb = c.disturb + 8, .held = c.disturb % 4});
    require_guarantees(c, other);
    // Larger ones are rounded to the safe side.
    if (is_exact(c, run) && is_exact(c, other))
      fuzz::require(run.written == other.written, "the correction depends on how events are pushed");
    return 0;
  }
  const test::Reference expected = test::reference(c.parameters, c.definitions, c.events);
  if (const std::string fault = test::compare(expected, run, c.events); !fault.empty()) fuzz::broken(fault);
  if (const std::string fault = test::compare_figures(run, expected, c.parameters, c.definitions, c.events);
      !fault.empty())
    fuzz::broken(fault);
  return 0;
}
