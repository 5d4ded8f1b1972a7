#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "clc/event.hpp"
#include "clc/report.hpp"
#include "report/json.hpp"
#include "report/judge.hpp"
#include "report/losses.hpp"
#include "report/order.hpp"
#include "report/regulators.hpp"
#include "trace/delay.hpp"

namespace clc {

class Report::Json {
 public:
  Json(const Report& report, std::ostream& out) : r_(report), a_(report.analysis_), json_(out) {}

  void write() {
    json_.begin_object();
    json_.field("report_version", json_version);
    json_.field("program", r_.facts_.program).field("program_version", r_.facts_.version);
    json_.field("options", r_.facts_.options);
    if (!r_.facts_.alignment.empty()) json_.field("alignment", r_.facts_.alignment);
    if (!r_.facts_.clocks.empty()) estimated_clocks();
    write_measured(json_, r_.facts_.measured);
    write_verdict(json_, r_.verdict_);
    trace();
    parameters();
    json_.key("violations").begin_object();
    violations("messages", a_.messages());
    violations("collectives", a_.collectives());
    json_.field("left", a_.violations_left());
    json_.end_object();
    pairs();
    processes();
    clock_difference();
    round_trips();
    json_.field("smallest_distance_us", known_us(a_.smallest_distance()));
    intervals();
    corrections();
    regulators();
    json_.key("cases").begin_object();
    for (const CaseInfo& info : cases) json_.field(info.name, a_.counted(info.which));
    json_.end_object();
    losses();
    lost_calls();
    steps_back();
    json_.field("unresolved", a_.unresolved());
    run();
    json_.end_object();
  }

 private:
  [[nodiscard]] double us(double ticks) const { return r_.definitions_.resolution.microseconds(ticks); }
  [[nodiscard]] double us(Ticks ticks) const { return us(static_cast<double>(ticks)); }
  [[nodiscard]] std::optional<double> known_us(Ticks ticks) const {
    return ticks == ticks_max ? std::nullopt : std::optional(us(ticks));
  }
  [[nodiscard]] std::uint64_t number(ProcessIndex index) const { return number_of(index, r_.definitions_); }

  void trace() {
    json_.key("trace").begin_object();
    json_.field("input", r_.facts_.input).field("format", r_.facts_.format);
    json_.field("ended_early", figure_of(r_.facts_.error.size(), std::string_view(r_.facts_.error)));
    json_.field("remarks", r_.facts_.remarks);
    json_.field("ticks_per_second", r_.definitions_.resolution.per_second());
    json_.field("events", a_.events()).field("processes", r_.definitions_.processes().size());
    json_.field("clocks", r_.definitions_.clocks());
    json_.field("messages", a_.messages().edges).field("old_messages", a_.old_messages());
    json_.field("messages_within_clocks", a_.messages_within_clocks());
    json_.field("collective_operations", a_.collective_operations());
    json_.end_object();
  }

  void parameters() {
    const Parameters& p = r_.parameters_;
    json_.key("parameters").begin_object();
    json_.field("min_delay_us", us(r_.min_delay_)).field("node_delay_us", p.node_delay_us);
    json_.key("pair_delays").objects(p.pair_delays, [&](const PairDelay& pair) {
      json_.field("from", pair.from).field("to", pair.to).field("us", pair.microseconds);
    });
    json_.field("max_error_percent", p.max_error_percent).field("clock_difference_us", p.clock_difference_us);
    json_.field("bandwidth_mb_s", p.bandwidth_mb_s);
    const Parameters::Bounds bounds = p.bounds(a_.regulation.quartz_at_first && !a_.regulation.not_quartz);
    json_.field("regulators_as", p.rule == Parameters::Rule::thesis ? "thesis" : "evidence");
    json_.field("gamma_max", bounds.gamma_max).field("gamma_min", bounds.gamma_min);
    json_.field("regulators", p.regulators()).field("norm", p.norm == Norm::maximum ? "max" : "16");
    json_.field("order", p.order == Parameters::Order::events ? "events" : "epochs");
    json_.field("delta_us", p.delta_us);
    json_.key("process_deltas").objects(p.process_deltas, [&](const ProcessDelta& own) {
      json_.field("process", own.process).field("us", own.microseconds);
    });
    json_.field("match", name_of(p.match));
    json_.field("amortization", p.amortization).field("wait_limit_s", p.wait_limit_s);
    json_.field("max_memory_bytes", p.max_memory);
    json_.end_object();
  }

  void violations(std::string_view name, const Violations& found) {
    json_.key(name).begin_object();
    json_.field("edges", found.edges).field("violated", found.violated).field("backwards", found.backwards);
    json_.key("worst");
    if (found.edges == 0 || found.worst_sender == no_process) {
      json_.null();
    } else {
      json_.begin_object();
      json_.field("sender", number(found.worst_sender)).field("receiver", number(found.worst_receiver));
      json_.field("delay_us", us(found.worst_delay)).field("margin_us", us(found.worst));
      json_.field("received_ticks", found.worst_time.ticks());
      json_.end_object();
    }
    json_.end_object();
  }

  void losses() {
    json_.key("losses");
    write_losses(json_, a_.losses(), r_.definitions_);
  }

  void lost_calls() {
    json_.key("lost_calls").objects(a_.lost_calls(), [&](const LostCall& call) {
      json_.field("process", number(call.process));
      json_.field("communicator", number_of_communicator(call.communicator, r_.definitions_));
      json_.field("operation", info(call.operation).name).field("others_end_ticks", call.recorded.ticks());
    });
  }

  void steps_back() {
    json_.key("steps_back").objects(a_.steps_back(), [&](const StepBack& step) {
      json_.field("process", number(step.process)).field("before_ticks", step.before.ticks());
      json_.field("after_ticks", step.after.ticks()).field("size_us", us(step.size()));
    });
  }

  void pairs() {
    std::vector<const PairStatistics*> pairs = worst_first(a_.pairs());
    std::erase_if(pairs, [](const PairStatistics* pair) { return pair->messages == 0; });
    json_.key("pairs").objects(pairs, [&](const PairStatistics* pair) {
      json_.field("sender", number(pair->sender)).field("receiver", number(pair->receiver));
      json_.field("messages", pair->messages).field("violated", pair->violated);
      json_.field("smallest_delay_us", us(pair->smallest_delay)).field("margin_us", us(pair->worst));
    });
    json_.key("other_pairs").begin_object();
    json_.field("messages", a_.other_pairs().messages).field("violated", a_.other_pairs().violated);
    json_.end_object();
  }

  void estimated_clocks() {
    json_.key("estimated_clocks").objects(r_.facts_.clocks, [&](const EstimatedClock& clock) {
      json_.field("number", clock.process).field("first_us", clock.first_us).field("last_us", clock.last_us);
      json_.field("rate_ppm", clock.rate_ppm).field("deviation_us", clock.deviation_us);
      json_.field("error_us", clock.error_us).field("bound_us", clock.bound_us);
      json_.field("partners", clock.partners).field("note", clock.note);
    });
  }

  void processes() {
    json_.key("processes").begin_array();
    for (ProcessIndex i = 0; i < a_.processes().size(); ++i) {
      const ProcessStatistics& process = a_.processes()[i];
      if (process.events == 0) continue;
      json_.begin_object();
      json_.field("number", number(i));
      json_.field("name", i < r_.definitions_.processes().size() ? r_.definitions_.processes()[i].name : std::string());
      json_.field("events", process.events);
      json_.field("last_difference_us", us(process.last_corrected - process.last_recorded));
      json_.field("largest_correction_us", us(process.largest_shift));
      json_.field("largest_correction_ticks", figure_of(process.largest_shift != 0, process.largest_shift_at.ticks()));
      json_.end_object();
    }
    json_.end_array();
  }

  void clock_difference() {
    json_.key("clock_difference").begin_object();
    json_.field("largest_us", us(a_.largest_jump())).field("start_us", us(a_.clock_difference_start));
    json_.field("used_us", us(a_.clock_difference));
    json_.field("advice_cldiff_us", r_.advised_clock_difference_us());
    json_.end_object();
  }

  void round_trips() {
    const Analysis::RoundTrips trips = a_.round_trips();
    json_.key("message_delay").begin_object();
    json_.field("pairs", trips.pairs);
    json_.field("smallest_us", figure_of(trips.pairs, us(trips.smallest)));
    json_.field("average_us", figure_of(trips.pairs, us(trips.average)));
    json_.field("largest_us", figure_of(trips.pairs, us(trips.largest)));
    const RoundTripStatistics& brief = a_.short_trips();
    json_.field("round_trips", brief.trips()).field("contradicted", brief.near());
    json_.field("far_contradicted", brief.far()).field("granularity_us", us(static_cast<double>(brief.granularity())));
    json_.field("shortest_us", figure_of(brief.trips(), us(brief.smallest())));
    json_.field("most_frequent_trip_us", figure_of(brief.trips(), us(brief.most_frequent())));
    json_.field("advice_mmd_us", r_.advised_min_delay_us());
    const auto rules = thesis_min_delays(brief, r_.definitions_.resolution.microseconds(1));
    json_.field("frequent_mmd_us", rules ? std::optional(rules->frequent_us) : std::nullopt);
    json_.field("balanced_mmd_us", rules ? std::optional(rules->balanced_us) : std::nullopt);
    json_.end_object();
  }

  void intervals() {
    const IntervalClass& small = a_.small_errors();
    const IntervalClass& large = a_.large_errors();
    const std::uint64_t count = a_.exact_intervals() + small.count + large.count;
    const auto errors = [&](double sum, double largest, std::uint64_t of) {
      json_.field("average_percent", figure_of(of, 100 * (sum / static_cast<double>(of))));
      json_.field("largest_percent", figure_of(of, 100 * largest));
    };
    json_.key("intervals").begin_object();
    json_.field("changed_percent", 100 * a_.changed_share());
    json_.field("count", count).field("exact", a_.exact_intervals()).field("stretched_ties", a_.stretched_ties());
    const auto group = [&](std::string_view name, const IntervalClass& found) {
      json_.key(name).begin_object();
      json_.field("count", found.count);
      errors(found.sum, found.largest, found.count);
      json_.end_object();
    };
    group("up_to_0.1_percent", small);
    group("above_0.1_percent", large);
    errors(small.sum + large.sum, std::max(small.largest, large.largest), count);
    kind("at_receives", Analysis::IntervalKind::at_receive);
    kind("at_other_events", Analysis::IntervalKind::at_other);
    kind("until_raised", Analysis::IntervalKind::until_raised);
    kind("after_raised", Analysis::IntervalKind::later);
    const std::optional<double> bound = r_.interval_error_bound();
    json_.field("bound_percent", bound ? std::optional(100 * *bound) : std::nullopt);
    const std::optional<double> theorem = r_.theorem_17_bound();
    json_.field("theorem_17_percent", theorem ? std::optional(100 * *theorem) : std::nullopt);
    json_.field("send_to_receive_us", known_us(a_.send_to_receive()));
    json_.end_object();
  }

  void kind(std::string_view name, Analysis::IntervalKind which) {
    json_.key(name);
    if (!a_.knows_kinds()) {
      json_.null();
      return;
    }
    const IntervalErrors errors = a_.interval_errors(which);
    json_.begin_object();
    json_.field("count", errors.count).field("stretched_ties", errors.stretched_ties);
    json_.field("average_us", figure_of(errors.count, us(errors.average())));
    json_.field("largest_us", figure_of(errors.count, us(errors.largest)));
    const std::uint64_t with_share = errors.count - errors.stretched_ties;
    json_.field("average_percent", figure_of(with_share, 100 * errors.relative_average()));
    json_.field("largest_percent", figure_of(with_share, 100 * errors.relative_largest));
    json_.end_object();
  }

  void steepest() {
    const SteepestPiece& piece = a_.steepest();
    json_.key("steepest");
    if (piece.gradient > 0) {
      json_.begin_object().field("gradient_percent", 100 * piece.gradient).field("process", number(piece.process));
      json_.field("ticks", piece.time.ticks()).end_object();
    } else {
      json_.null();
    }
    json_.field("steep_percent", 100 * a_.steep_share());
  }

  void correction_course() {
    json_.field("largest_spread_us", us(a_.correction_course().widest()));
    json_.key("spread").begin_array();
    double at = 0;
    for (const CorrectionCourse::Range& range : a_.correction_course().ranges()) {
      if (range.any())
        json_.begin_object()
            .field("at_s", r_.definitions_.resolution.seconds(at))
            .field("spread_us", us(range.width()))
            .end_object();
      at += a_.correction_course().distance();
    }
    json_.end_array();
  }

  void corrections() {
    json_.key("corrections").begin_object();
    json_.field("moved", a_.moved()).field("jumps", a_.jumps()).field("largest_jump_us", us(a_.largest_jump()));
    const ProcessStatistics* const largest = most_moved(a_.processes());
    const bool any = largest != nullptr;
    json_.field("largest_us", any ? us(largest->largest_shift) : 0);
    if (any) {
      json_.field("largest_process", number(static_cast<ProcessIndex>(largest - a_.processes().data())));
      json_.field("largest_ticks", largest->largest_shift_at.ticks());
    } else {
      json_.key("largest_process").null().key("largest_ticks").null();
    }
    steepest();
    correction_course();
    json_.field("max_shift_us", r_.facts_.max_shift_us);
    json_.field("beyond_max_shift", r_.facts_.beyond_max_shift);
    json_.key("histogram").begin_array();
    for (std::size_t k = 0; k < Analysis::shift_classes; ++k) {
      if (a_.shifts()[k] == 0) continue;
      json_.begin_object();
      json_.field("from_us", us(std::ldexp(1.0, static_cast<int>(k))));
      json_.field("below_us", us(std::ldexp(1.0, static_cast<int>(k) + 1)));
      json_.field("events", a_.shifts()[k]);
      json_.end_object();
    }
    json_.end_array();
    json_.end_object();
  }

  void regulators() {
    json_.key("regulators").begin_object();
    write_regulators(json_, regulator_figures(a_, r_.parameters_));
    course();
    json_.end_object();
  }

  void course() {
    json_.key("course").begin_array();
    const double length = a_.regulation.gamma_course.length();
    double from = 0;
    for (const GammaCourse::Span& span : a_.regulation.gamma_course.spans()) {
      const double to = from + length;
      if (span.events != 0) {
        json_.begin_object();
        json_.field("from_s", r_.definitions_.resolution.seconds(from));
        json_.field("to_s", r_.definitions_.resolution.seconds(to)).field("events", span.events);
        json_.field("mean_gamma", 1 - span.sum_below / static_cast<double>(span.events));
        json_.field("lowest_gamma", span.lowest);
        json_.end_object();
      }
      from = to;
    }
    json_.end_array();
  }

  void run() {
    json_.key("run").begin_object();
    json_.field("peak_buffered_events", a_.peak_events()).field("peak_buffered_bytes", a_.peak_bytes());
    if (r_.facts_.live) {
      const LiveFacts& live = *r_.facts_.live;
      json_.key("online").begin_object().field("transfer_us", live.transfer_us);
      json_.field("largest_stay_us", live.largest_stay_us).field("lag_us", live.lag_us);
      json_.field("late_by_us", live.late_by_us).end_object();
    }
    json_.field("wall_s", r_.facts_.seconds).field("read_bytes", r_.facts_.bytes);
    json_.field("events_per_s", r_.facts_.seconds > 0 ? static_cast<double>(a_.events()) / r_.facts_.seconds : 0.0);
    json_.end_object();
  }

  const Report& r_;
  const Analysis& a_;
  JsonWriter json_;
};

void Report::write_json(std::ostream& out) const { Json(*this, out).write(); }

}  // namespace clc
