#include "report/judge.hpp"

#include <cmath>
#include <functional>

#include "report/format.hpp"

namespace clc {

namespace {

std::string percent(double share) { return four_digits(100 * share) + " %"; }

double share_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

double number(std::uint64_t count) { return static_cast<double>(count); }

bool are_telling(const RoundTripStatistics& trips) {
  constexpr double coarse = 8;  // a trip of fewer ticks of the clock is mostly rounding
  return trips.trips() >= verdict::enough && trips.smallest() >= coarse * number(trips.granularity());
}

/// Each rule adds the reason that it finds.
class Judge {
 public:
  explicit Judge(const VerdictFigures& figures) : f_(figures) {}

  Verdict judge() {
    laws();
    violations();
    saturated();
    nothing_to_match();
    records_late();
    given_up();
    left_on_both_sides();
    shifted_channels();
    clock_rates();
    map_contradicts();
    min_delay();
    growth();
    intervals();
    corrections();
    runs_ahead();
    clock_difference();
    for (const std::string& doubt : f_.doubts) add(Judgement::doubtful, "estimate", doubt, {});
    std::ranges::stable_sort(verdict_.reasons, std::ranges::greater(), &Reason::judgement);
    if (!verdict_.reasons.empty()) verdict_.judgement = verdict_.reasons.front().judgement;
    return std::move(verdict_);
  }

 private:
  void add(Judgement judgement, std::string_view key, std::string text,
           std::vector<std::pair<std::string_view, double>> figures) {
    verdict_.reasons.push_back({judgement, key, std::move(text), std::move(figures)});
  }

  void laws() {
    for (const std::string& law : f_.broken_laws)
      add(Judgement::bad, "law_broken", law + " is broken; correct the trace with clc-filter, and change nothing else",
          {});
  }

  void violations() {
    if (f_.violations == 0) return;
    std::string text =
        std::to_string(f_.violations) + " of " + std::to_string(f_.edges - f_.unjudged_edges) + " edges ";
    if (!f_.corrected)
      text += "violate the clock condition; correct the trace with clc-filter";
    else
      text += "violate the clock condition in the output" + why_left();
    add(Judgement::bad, "violations", std::move(text), {{"violations", number(f_.violations)}});
  }

  void saturated() {
    if (f_.saturated == 0) return;
    add(Judgement::bad, "times_saturated",
        std::to_string(f_.saturated) +
            " corrected times do not fit into 64 bits, so that edges between them may violate the clock condition; use "
            "a coarser resolution, or times that begin near 0",
        {{"times", number(f_.saturated)}});
  }

  [[nodiscard]] std::string why_left() const {
    switch (f_.missing.why_left) {
      case WhyLeft::late:
        return ": the clocks differ by more than Parameters::wait_limit_s; use a longer one, or map the clocks "
               "first, as an estimate does";
      case WhyLeft::shifted:
        return ": records are missing, and later ones were matched in their place; correct the complete trace with "
               "Parameters::match = Match::whole";
      case WhyLeft::memory:
        return ": waits were given up to limit memory; use a larger Parameters::max_memory";
      case WhyLeft::unknown:
        return "; check that the minimum delays are those of the correction; its report lists what was given up";
      case WhyLeft::told:
        break;
    }
    return "; see Report::write_text() for what was given up";
  }

  void nothing_to_match() {
    if (f_.clocks < 2 || f_.edges != 0) return;
    std::string text = "no messages or collective operations between " + std::to_string(f_.clocks) +
                       (f_.clocks < f_.processes ? " clocks" : " processes") +
                       " were found, so nothing can be corrected or checked; ";
    if (f_.remarks.empty()) {
      text += "expected sends and receives, or begins and ends of collective operations";
    } else {
      text += "the trace has ";
      for (std::size_t i = 0; i < f_.remarks.size(); ++i) text += (i == 0 ? "" : ", ") + f_.remarks[i];
      text += "; see clc-trace(5), or OTF2 ARCHIVES in clc-filter(1), for the kinds that count";
    }
    add(Judgement::doubtful, "no_edges", std::move(text),
        {{"processes", number(f_.processes)}, {"clocks", number(f_.clocks)}});
  }

  void records_late() {
    const double share = share_of(f_.missing.late, f_.missing.records);
    if (share <= verdict::late_doubtful) return;
    add(share > verdict::late_bad ? Judgement::bad : Judgement::doubtful, "late_records",
        percent(share) +
            " of the records came too late, and got the time that the input had reached; correct the trace "
            "when it is complete",
        {{"share", share}});
  }

  void given_up() {
    const auto judge = [&](std::string_view key, std::uint64_t part, std::uint64_t whole, const char* what,
                           Judgement judgement, const char* remedy) {
      const double share = share_of(part, whole);
      if (whole < verdict::enough || share <= verdict::given_up) return;
      add(judgement, key, std::to_string(part) + " of " + std::to_string(whole) + what + remedy, {{"share", share}});
    };
    // Waits for what never came did no harm, whatever ended them.
    const bool memory = f_.missing.why_left == WhyLeft::memory && f_.violations != 0;
    const bool late = f_.missing.why_left == WhyLeft::late;
    const Judgement judgement = late || memory ? Judgement::bad : Judgement::doubtful;
    const char* const missing =
        f_.missing.ended_early ? " in the part that was read" : "; are records or processes missing?";
    const char* const remedy = memory ? "; use a larger Parameters::max_memory"
                               : late ? "; use a longer Parameters::wait_limit_s"
                                      : missing;
    judge("receives_given_up", f_.missing.released, f_.missing.receives, " receives were released without their send",
          judgement, remedy);
    judge("collectives_given_up", f_.missing.incomplete, f_.missing.operations, " collective operations were given up",
          judgement, remedy);
    if (f_.missing.operations >= verdict::enough &&
        share_of(f_.missing.disagreeing, f_.missing.operations) > verdict::given_up)
      add(Judgement::doubtful, "operations_disagree",
          std::to_string(f_.missing.disagreeing) + " collective calls of " + std::to_string(f_.missing.operations) +
              " operations disagree with the other members on the operation or its root" + missing,
          {{"calls", number(f_.missing.disagreeing)}, {"operations", number(f_.missing.operations)}});
    judge("sends_lost", f_.missing.lost, f_.missing.sends, " sends were never received", Judgement::doubtful, missing);
  }

  /// Each was matched with an end that it does not belong to, unless records of both sides are missing.
  void left_on_both_sides() {
    if (f_.missing.left_on_both_sides == 0) return;
    const bool one = f_.missing.left_on_both_sides == 1;
    add(Judgement::doubtful, "left_on_both_sides",
        std::to_string(f_.missing.left_on_both_sides) + (one ? " channel has" : " channels have") +
            " both a send and a receive left over: either records of both sides are missing, or the messages between "
            "are matched wrongly; compare with Parameters::match = Match::fifo",
        {{"channels", number(f_.missing.left_on_both_sides)}});
  }

  void shifted_channels() {
    if (f_.missing.shifted_channels == 0) return;
    const bool one = f_.missing.shifted_channels == 1;
    add(Judgement::doubtful, "shifted_channels",
        "records of " + std::to_string(f_.missing.shifted_channels) + (one ? " channel" : " channels") +
            " are missing, and the messages after them are matched off by one; use Parameters::match = "
            "Match::whole, " +
            (f_.missing.can_resynchronise
                 ? "or Parameters::match = Match::resynchronise where the trace can be read only once"
                 : "with a larger Parameters::max_memory if a warning asks for it"),
        {{"channels", number(f_.missing.shifted_channels)}});
  }

  /// What a rate changes by less than a minimum delay is not known any better.
  void clock_rates() {
    const MappedClock* worst = nullptr;
    double most = f_.in_effect.min_delay_us;
    for (const MappedClock& clock : f_.map.clocks)
      if (const double beyond = std::abs(clock.change_us) - verdict::rate * clock.length_us; beyond > most) {
        worst = &clock;
        most = beyond;
      }
    if (worst == nullptr) return;
    const double ppm = 1e6 * worst->change_us / worst->length_us;
    add(Judgement::doubtful, "clock_rates",
        "the clock of process " + std::to_string(worst->process) + " was mapped at a rate of " + format("%.0f", ppm) +
            " ppm, by " + duration_text(std::abs(worst->change_us)) + " in " + duration_text(worst->length_us) +
            ", although clocks differ by at most " + four_digits(1e6 * verdict::rate) +
            " ppm; correct the trace without mapping the clocks, and check its resolution and whether clocks were set",
        {{"rate_ppm", ppm}});
    verdict_.reasons.back().process = worst->process;
  }

  /// Nothing is missing that ends could be matched wrongly for.
  [[nodiscard]] bool is_complete() const {
    return f_.missing.released + f_.missing.lost + f_.missing.incomplete + f_.missing.disagreeing == 0 &&
           !f_.missing.may_match_wrongly;
  }
  /// Offsets that are wrong in sign or of another run are as far from the clocks as the recorded times are.
  [[nodiscard]] bool contradicts(const MapFigures::Early& early) const {
    return early.mapped_us > early.recorded_us || (early.largest_us > verdict::early * f_.map.slack_us &&
                                                   2 * early.mapped_us > early.recorded_us && is_complete());
  }
  [[nodiscard]] bool one_contradicts() const {
    return f_.map.alone && f_.map.messages.largest_us > verdict::early * std::max(f_.map.others_us, f_.map.slack_us) &&
           is_complete();
  }

  void map_contradicts() {
    if (f_.edges < verdict::enough) return;
    const MapFigures& map = f_.map;
    const auto early = [](const char* end, const MapFigures::Early& of, const char* begin) {
      return end + duration_text(of.mapped_us) + begin + ", against " + duration_text(of.recorded_us) +
             " in recorded times";
    };
    std::string text;
    if (contradicts(map.messages))
      text = early("summed over pairs of processes, messages are received ", map.messages, " before they are sent");
    else if (f_.missing.incomplete + f_.missing.disagreeing == 0 && contradicts(map.operations))
      text = early("summed over processes, collective operations end ", map.operations, " before all have begun");
    else if (one_contradicts())
      text = "messages of process " + std::to_string(*map.alone) + " are received up to " +
             duration_text(map.messages.largest_us) + " before they are sent, those of all others up to " +
             duration_text(map.others_us);
    else if (map.below_mapped > 0)
      text = percent(map.below_mapped) +
             " of the binding edges are below the minimum delay in mapped times, by up to " +
             duration_text(map.below_worst_us) + ", against " + percent(map.below_recorded) + " in recorded times";
    else
      return;
    add(Judgement::doubtful, "map_contradicts",
        "the offsets by which the clocks were mapped contradict the trace: " + text +
            "; check whether the offsets have the wrong sign, are those of another run, are wrong at some "
            "time, or do not cover the trace",
        {{"early_us", map.messages.mapped_us},
         {"early_recorded_us", map.messages.recorded_us},
         {"operations_early_us", map.operations.mapped_us},
         {"operations_early_recorded_us", map.operations.recorded_us}});
  }

  [[nodiscard]] std::string remedy_by_delays(std::string remedy) const {
    return f_.missing.may_match_wrongly ? "records are missing, so messages may be matched wrongly" : std::move(remedy);
  }

  /// Of the minimum delays that round trips contradict.
  [[nodiscard]] bool lengths_take_most() const {
    return f_.in_effect.by_length && f_.trips.contradicted_delay() * f_.tick_us > 2 * f_.in_effect.min_delay_us;
  }

  /// What makes delays smaller.
  [[nodiscard]] std::string smaller_delay() const {
    if (f_.in_effect.by_length && f_.trips.near() == 0)
      return "use a larger Parameters::bandwidth_mb_s or a smaller Parameters::min_delay_us";
    return lengths_take_most() ? "use a larger Parameters::bandwidth_mb_s, as most of it is for the length of messages"
                               : "use a smaller Parameters::min_delay_us";
  }

  /// What to do where events move further than clock differences explain.
  [[nodiscard]] std::string remedy_for_far() const {
    std::string remedy = smaller_delay();
    if (f_.trips.near() == 0) {
      if (f_.in_effect.delta_given)
        remedy = "use a smaller Parameters::delta_us";
      else if (f_.in_effect.min_delay_us <= f_.tick_us && f_.in_effect.one_min_delay)
        remedy = "record with a finer resolution, as the minimum delay is only a tick";
    }
    return remedy + ", or check that messages are matched correctly";
  }

  void min_delay() {
    const RoundTripStatistics& trips = f_.trips;
    if (trips.trips() < verdict::enough) return;
    const double smallest = trips.smallest() * f_.tick_us;
    const auto figures = [&](std::uint64_t contradicted) {
      return std::vector<std::pair<std::string_view, double>>{{"min_delay_us", f_.in_effect.min_delay_us},
                                                              {"smallest_us", smallest},
                                                              {"round_trips", number(trips.trips())},
                                                              {"contradicted", number(contradicted)}};
    };
    const std::string by = ", the fastest takes " + duration_text(smallest) + " a message";
    const std::string remedy = "; " + smaller_delay() + ", or check the resolution of the trace";
    const auto proven = [&](std::uint64_t contradicted) {
      return contradicted - std::min(contradicted, 2 * trips.impossible());
    };
    const double near = share_of(proven(trips.near()), trips.trips());
    const double far = share_of(proven(trips.far()), trips.trips());
    const std::string name = f_.in_effect.one_min_delay
                                 ? "the minimum message delay of " + duration_text(f_.in_effect.min_delay_us)
                                 : "a minimum message delay";
    const auto too_large = [&](Judgement judgement, const std::string& trips_that, std::string_view do_what,
                               std::uint64_t contradicted) {
      add(judgement, "min_delay_too_large",
          name + " is too large: " + trips_that + " of " + std::to_string(trips.trips()) + " round trips " +
              std::string(do_what) + by + remedy,
          figures(contradicted));
    };
    constexpr std::string_view by_half = "take less than half of it";
    if (far > verdict::contradicted_bad)
      too_large(Judgement::bad, percent(far), by_half, trips.far());
    else if (near > verdict::contradicted_doubtful)
      too_large(Judgement::doubtful, percent(near), "are faster", trips.near());
    else if (proven(trips.far()) >= verdict::contradicted_by_half)
      too_large(Judgement::doubtful, std::to_string(trips.far()), by_half, trips.far());
    else if (f_.in_effect.one_min_delay && f_.in_effect.min_delay_us * verdict::min_delay_far_below < smallest &&
             f_.worst_violation_us > verdict::rounding_ticks * f_.tick_us && are_telling(trips))
      add(Judgement::doubtful, "min_delay_too_small",
          name + " is less than 1/800 of half the fastest round trip, " + duration_text(smallest) + "; " +
              remedy_by_delays("use a larger Parameters::min_delay_us, or check the resolution of the trace"),
          figures(0));
  }

  /// What clocks and messages can account for.
  [[nodiscard]] double expected_us() const {
    return f_.clock_difference_us + f_.in_effect.min_delay_us + verdict::drift * f_.length_us;
  }

  /// What to do about corrections larger than that.
  [[nodiscard]] std::string remedy_for_large(std::string usual) const {
    const double tick = number(f_.trips.granularity()) * f_.tick_us;
    if (f_.trips.trips() < verdict::enough || tick <= f_.in_effect.min_delay_us) return usual;
    return "clocks tick only every " + duration_text(tick) + ", a message may take " +
           duration_text(f_.in_effect.min_delay_us) +
           (f_.in_effect.gamma_min > 0 ? "; use Parameters::gamma_min = 0, and do not" : "; do not") +
           " rely on intervals shorter than a tick";
  }

  void growth() {
    if (f_.edges < verdict::enough || f_.growth_us <= verdict::correction_far * expected_us()) return;
    const double share = f_.length_us > 0 ? f_.growth_us / f_.length_us : 0;
    if (share <= verdict::growth_doubtful) return;
    add(share > verdict::growth_bad ? Judgement::bad : Judgement::doubtful, "trace_grew",
        "the trace became " + percent(share) + " longer, " + duration_text(f_.length_us) + " became " +
            duration_text(f_.length_us + f_.growth_us) + ", more than clock differences explain; " +
            remedy_for_large(remedy_for_far()),
        {{"share", share}, {"growth_us", f_.growth_us}});
  }

  void intervals() {
    const double apart = std::max(0.0, f_.clock_difference_us - f_.clock_change_us);
    const double explained = f_.length_us > 0 ? apart / f_.length_us : 0;
    if (f_.edges < verdict::enough || f_.interval_error <= verdict::interval_error + explained) return;
    add(Judgement::doubtful, "interval_errors",
        "local intervals changed by " + percent(f_.interval_error) + " of their total length; " +
            remedy_for_large(std::string("check Parameters::min_delay_us, ") +
                             (f_.in_effect.by_length ? "Parameters::bandwidth_mb_s, " : "") +
                             (f_.in_effect.delta_given ? "Parameters::delta_us, " : "") +
                             "Parameters::clock_difference_us and Parameters::max_error_percent, and whether clocks "
                             "were set or run at different rates"),
        {{"changed_percent", 100 * f_.interval_error}});
  }

  [[nodiscard]] bool corrections_are_large() const {
    return f_.edges >= verdict::enough && f_.largest_correction_us > verdict::correction_far * expected_us();
  }

  void corrections() {
    if (!corrections_are_large()) return;
    add(Judgement::doubtful, "corrections_too_large",
        "the largest correction is " + duration_text(f_.largest_correction_us) +
            ", the largest clock difference that delays show " + duration_text(f_.clock_difference_us) + "; " +
            remedy_for_large(remedy_for_far()),
        {{"largest_us", f_.largest_correction_us}, {"clock_difference_us", f_.clock_difference_us}});
  }

  [[nodiscard]] bool has_found(std::string_view key) const {
    return std::ranges::find(verdict_.reasons, key, &Reason::key) != verdict_.reasons.end();
  }

  [[nodiscard]] std::string remedy_for_ahead() const {
    const bool mapped = !f_.map.clocks.empty() || !f_.doubts.empty();  // or nothing could be mapped
    if (has_found("min_delay_too_large") || f_.in_effect.delta_given || f_.in_effect.by_length ||
        (mapped && f_.in_effect.as_thesis))
      return remedy_for_far();
    const std::string map = "map the clocks first, as an estimate does";
    const std::string rule = "use Parameters::rule = Rule::thesis";
    return mapped ? rule : f_.in_effect.as_thesis ? map : map + ", or " + rule;
  }

  void runs_ahead() {
    const double apart = f_.clock_difference_us + f_.in_effect.min_delay_us;
    if (f_.edges < verdict::enough || f_.ahead_us <= verdict::ahead * apart || corrections_are_large()) return;
    add(Judgement::doubtful, "runs_ahead",
        "all processes of a group that messages connect have moved by at least " + duration_text(f_.ahead_us) +
            ", although clocks differ by at most " + duration_text(apart) +
            ": corrected clocks run ahead of all recorded ones; " +
            remedy_for_large(remedy_by_delays(remedy_for_ahead())),
        {{"ahead_us", f_.ahead_us}, {"clock_difference_us", apart}});
  }

  void clock_difference() {
    if (!f_.corrected) return;
    if (f_.in_effect.max_error_percent > verdict::max_error_percent)
      add(Judgement::doubtful, "max_error",
          "Parameters::max_error_percent = " + four_digits(f_.in_effect.max_error_percent) +
              " allows large errors of local intervals; use the default or a smaller value",
          {{"max_error_percent", f_.in_effect.max_error_percent}});
    if (f_.largest_jump_us <= verdict::jump_beyond_start * f_.in_effect.clock_difference_start_us) return;
    // None of these is a difference of the clocks.
    if (f_.largest_jump_us > verdict::correction_far * expected_us()) return;
    if (has_found("min_delay_too_large") || (has_found("map_contradicts") && !f_.missing.may_match_wrongly)) return;
    add(Judgement::doubtful, "clock_difference",
        "clocks are " + duration_text(f_.largest_jump_us) + " apart, Parameters::clock_difference_us was " +
            duration_text(f_.in_effect.clock_difference_start_us) +
            ", so the first intervals changed by more than Parameters::max_error_percent; " +
            remedy_by_delays("use Parameters::clock_difference_us = " + format("%.0f", std::ceil(f_.largest_jump_us))),
        {{"largest_us", f_.largest_jump_us}, {"start_us", f_.in_effect.clock_difference_start_us}});
  }

  const VerdictFigures& f_;
  Verdict verdict_;
};

}  // namespace

void RunAhead::grow(ProcessIndex last) {
  if (last < shifts_.size()) return;
  shifts_.resize(last + std::size_t{1});
  connected_.grow(shifts_.size());
}

void RunAhead::connect(ProcessIndex a, ProcessIndex b) {
  grow(std::max(a, b));
  connected_.join(a, b);
}

void RunAhead::moved(ProcessIndex process, Ticks shift) {
  connect(process, all_connected_ ? 0 : definitions_.processes()[process].clock);
  shifts_[process] = shift;
}

Ticks RunAhead::most() {
  struct Group {
    std::size_t size = 0;
    Ticks least = ticks_max;
    Ticks most = ticks_min;
  };
  std::vector<Group> groups(shifts_.size());
  for (std::size_t process = 0; process < shifts_.size(); ++process) {
    if (!shifts_[process]) continue;
    Group& own = groups[connected_.first_of(static_cast<ProcessIndex>(process))];
    ++own.size;
    own.least = std::min(own.least, *shifts_[process]);
    own.most = std::max(own.most, *shifts_[process]);
  }
  Ticks most = 0;
  for (const Group& group : groups)
    if (group.size > 1) most = std::max({most, group.least, subtract_saturating(0, group.most)});
  return most;
}

Verdict judge(const VerdictFigures& figures) { return Judge(figures).judge(); }

std::string four_digits(double value) { return format("%.4g", value); }

std::string duration_text(double us) {
  const double size = std::abs(us);
  return size < 1e4   ? four_digits(us) + " us"
         : size < 1e6 ? four_digits(us / 1e3) + " ms"
                      : four_digits(us / 1e6) + " s";
}

double RoundTripStatistics::most_frequent() const noexcept {
  if (trips_ == 0) return 0;
  const auto fullest = static_cast<std::size_t>(std::ranges::max_element(classes_) - classes_.begin());
  constexpr std::size_t each = std::size_t{1} << class_bits;  // of a power of two
  return std::ldexp(static_cast<double>(each + fullest % each), static_cast<int>(fullest / each) - int{class_bits});
}

std::optional<ThesisMinDelays> thesis_min_delays(const RoundTripStatistics& trips, double tick_us) {
  if (!are_telling(trips)) return std::nullopt;
  return ThesisMinDelays{0.9 * trips.most_frequent() / 4 * tick_us, 1.2 * trips.smallest() * tick_us};
}

std::optional<double> advised_min_delay(const RoundTripStatistics& trips, double tick_us, double smallest_delay_us) {
  constexpr double part = 0.8;
  if (!are_telling(trips)) return std::nullopt;
  double advice = part * trips.smallest() * tick_us;
  if (smallest_delay_us > 0) advice = std::min(advice, smallest_delay_us);
  const double unit = std::pow(10, std::floor(std::log10(advice)) - 3);
  return std::floor(advice / unit) * unit;
}

}  // namespace clc
