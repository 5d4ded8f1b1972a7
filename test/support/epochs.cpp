#include "epochs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace clc::test {

namespace {

/// Offsets that are too large for 64 bits are cut off, as everywhere.
Ticks whole_ticks(double ticks) { return static_cast<Ticks>(std::floor(std::min(ticks, 0x1p62))); }

class Epochs {
 public:
  Epochs(const Parameters& parameters, const Definitions& definitions, std::span<const Event> events,
         const Reference& per_event)
      : parameters_(parameters),
        definitions_(definitions),
        recorded_(events),
        events_(events.begin(), events.end()),
        result_(per_event),
        windows_(events.size()),
        tails_(events.size()),
        proves_(events.size(), false),
        clocks_(definitions.processes().size()),
        width_(epoch_length(parameters, definitions)) {
    result_.simple.assign(events.size(), 0);
    result_.forward.assign(events.size(), 0);
    result_.jump.assign(events.size(), 0);
    result_.gamma.assign(events.size(), 2);
    result_.order.clear();
    result_.lowest_gamma = 1;
    for (const std::vector<Edge>* edges : {&per_event.edges, &per_event.disowned})
      for (const Edge& edge : *edges) tails_[edge.head].push_back(edge);
    for (std::size_t e = 0; e < events.size(); ++e) {
      Clock& clock = clock_of(e);
      if (!clock.events.empty()) events_[e].time = std::max(events_[e].time, events_[clock.events.back()].time);
      clock.events.push_back(e);
    }
  }

  Reference run() {
    while (sweep() || look_further()) {
    }
    if (result_.order.size() != events_.size()) throw std::logic_error("events wait in a circle");
    for (const auto& [last, cut] : cuts_)
      if (!(cut == cut_at(last))) throw std::logic_error("a cut was looked at too early");
    double cldiff = initial_difference();
    for (const double jump : result_.jump) cldiff = std::max(cldiff, jump);
    result_.clock_difference = cldiff;
    result_.amortized = result_.forward;
    if (parameters_.amortization) result_.amortized = amortized(definitions_, events_, result_, windows_);
    for (std::size_t e = 0; e < events_.size(); ++e)
      result_.written[e] = events_[e].time + static_cast<Ticks>(std::floor(result_.amortized[e]));
    return std::move(result_);
  }

 private:
  using Epoch = std::int64_t;
  struct Clock {
    std::vector<std::size_t> events;
    std::size_t processed = 0;  // number of them
    double length = 0;          // L_A of the newest processed event
    double raised = 0;          // largest LC - C + slope * (LC - origin) of its events
    double barrier = -std::numeric_limits<double>::infinity();
    [[nodiscard]] bool has_head() const { return processed < events.size(); }
    [[nodiscard]] std::size_t head() const { return events[processed]; }
    [[nodiscard]] std::size_t last() const { return events[processed - 1]; }
  };
  /// What is known of a cut.
  struct Cut {
    std::vector<double> ahead;          // LC' - C of the last event of each clock; 0: it has no event
    std::vector<double> communicating;  // the same of the clocks that have communicated
    double largest_simple = 0;          // largest LC - C
    double raised = 0;                  // largest LC - C + slope * (LC - origin)
    double newest = 0;                  // largest LC - origin
    double largest_jump = 0;
    std::size_t set_forward = 0;  // clocks that had a jump
    bool not_quartz = false;

    friend bool operator==(const Cut&, const Cut&) = default;
  };

  [[nodiscard]] ClockIndex clock_index(std::size_t e) const {
    return definitions_.processes()[events_[e].process].clock;
  }
  [[nodiscard]] Clock& clock_of(std::size_t e) { return clocks_[clock_index(e)]; }

  [[nodiscard]] double behind(std::size_t e) const { return static_cast<double>(events_[e].time - recorded_[e].time); }
  // LC' - C and LC - C of a processed event.
  [[nodiscard]] double ahead(std::size_t e) const { return result_.forward[e] + behind(e); }
  [[nodiscard]] double simply_ahead(std::size_t e) const { return result_.simple[e] + behind(e); }
  /// LC - origin of a processed event.
  [[nodiscard]] double since_origin(std::size_t e) const {
    return static_cast<double>(events_[e].time - events_[0].time) + result_.simple[e];
  }
  /// LC' of a processed event.
  [[nodiscard]] Time controlled(std::size_t e) const { return events_[e].time + whole_ticks(result_.forward[e]); }

  // -- epochs --
  [[nodiscard]] Epoch epoch_of(Time time) const { return (time - events_[0].time) / width_; }
  /// Before the event is processed: a time not after its LC'.
  [[nodiscard]] Time least(const Clock& clock) const {
    return std::max(controlled(clock.last()), events_[clock.head()].time);
  }
  /// The cut that the head of a clock asks for, which has had events. -1 and less: before all events.
  [[nodiscard]] Epoch wanted(const Clock& clock) const { return epoch_of(least(clock)) - 2; }

  [[nodiscard]] Cut cut_at(Epoch last) const {
    Cut cut;
    cut.ahead.resize(clocks_.size(), 0);
    std::vector<bool> communicated(clocks_.size(), false);
    std::vector<bool> jumped(clocks_.size(), false);
    for (const std::size_t e : result_.order) {
      if (epoch_of(controlled(e)) > last) continue;
      const ClockIndex clock = clock_index(e);
      cut.ahead[clock] = ahead(e);  // the events of each clock are in order
      if (events_[e].role != Role::internal) communicated[clock] = true;
      if (result_.jump[e] > 0) jumped[clock] = true;
      const double simple = simply_ahead(e);
      cut.largest_simple = std::max(cut.largest_simple, simple);
      cut.raised = std::max(cut.raised, simple + slope() * since_origin(e));
      cut.newest = std::max(cut.newest, since_origin(e));
      cut.largest_jump = std::max(cut.largest_jump, result_.jump[e]);
      cut.not_quartz = cut.not_quartz || proves_[e];
    }
    for (ClockIndex clock = 0; clock < clocks_.size(); ++clock)
      if (communicated[clock]) cut.communicating.push_back(cut.ahead[clock]);
    cut.set_forward = static_cast<std::size_t>(std::count(jumped.begin(), jumped.end(), true));
    return cut;
  }
  [[nodiscard]] const Cut& cut_for(const Clock& clock) const {
    const Epoch epoch = wanted(clock);
    return epoch < 0 ? nothing_ : cuts_.at(epoch);
  }

  // -- what goes on --
  [[nodiscard]] bool ready(const Clock& clock) const {
    for (const Edge& edge : tails_[clock.head()])
      if (!is_processed_[edge.tail]) return false;
    return clock.processed == 0 || wanted(clock) < 0 || cuts_.count(wanted(clock)) != 0;
  }
  bool sweep() {
    bool any = false;
    for (Clock& clock : clocks_) {
      while (clock.has_head() && ready(clock)) {
        step(clock);
        any = true;
      }
    }
    return any;
  }
  /// Nothing goes on. All events of the smallest cut that a head asks for, and was not looked at, are processed: the
  /// unprocessed event with the smallest LC' waits for nothing but a cut, so it stands two epochs behind that.
  bool look_further() {
    std::optional<Epoch> next;
    for (const Clock& clock : clocks_) {
      if (clock.processed == 0 || !clock.has_head()) continue;
      const Epoch epoch = wanted(clock);
      if (epoch >= 0 && cuts_.count(epoch) == 0) next = std::min(next.value_or(epoch), epoch);
    }
    if (!next) return false;
    cuts_.emplace(*next, cut_at(*next));
    return true;
  }

  // -- regulators [R 4.4], from a cut --
  [[nodiscard]] bool is_quartz(const Cut& cut) const { return parameters_.quartz_at_first() && !cut.not_quartz; }
  /// Of regulator C's m.
  [[nodiscard]] double slope() const { return 0.5 * (1 - parameters_.bounds(false).gamma_max); }

  /// own: D at the cut of the clock itself.
  [[nodiscard]] bool proves_other_clocks(const Cut& cut, double own) const {
    const auto far_ahead = [&](double d) { return d > 0 && d > 0.25 * cut.largest_simple; };
    if (parameters_.regulator_b && !cut.communicating.empty() &&
        std::all_of(cut.communicating.begin(), cut.communicating.end(), far_ahead))
      return true;
    const auto hops = static_cast<double>(std::max<std::size_t>(1, cut.set_forward));
    return parameters_.regulator_c && own > 1.2 * hops * cut.largest_simple;
  }
  [[nodiscard]] double gamma_b(const Cut& cut, double gamma_max) const {
    if (cut.communicating.empty()) return gamma_max;
    const auto [smallest, largest] = std::minmax_element(cut.communicating.begin(), cut.communicating.end());
    if (*smallest <= 0) return gamma_max;
    double norm = *largest;
    if (parameters_.norm == Norm::sixteenth) {
      double sum = 0;  // in units of the largest
      for (const double d : cut.communicating) sum += std::pow(d / *largest, 16);
      norm *= std::pow(sum, 1.0 / 16);
    }
    const double x = *smallest / norm;
    return gamma_max * (1 - x * x);
  }
  /// What the clock itself knows counts, too.
  [[nodiscard]] double gamma_c(const Cut& cut, const Clock& clock, double gamma_max) const {
    const double m =
        std::max({0.0, cut.raised - slope() * cut.newest, clock.raised - slope() * since_origin(clock.last())});
    if (m == 0) return 0;
    const double q = ahead(clock.last()) / m;
    if (q <= 1.2) return gamma_max;
    if (q >= 3.0) return 0;
    const double u = (q - 1.2) / (3.0 - 1.2);
    return gamma_max * (1 - u * u * (3 - 2 * u));
  }
  [[nodiscard]] double gamma(const Cut& cut, const Clock& clock, std::size_t e) {
    const double own = cut.ahead.empty() ? 0 : cut.ahead[clock_index(e)];
    const bool quartz = is_quartz(cut);
    proves_[e] = quartz && proves_other_clocks(cut, own);
    const Parameters::Bounds bounds = parameters_.bounds(quartz);
    double value = bounds.gamma_max;
    if (parameters_.regulator_b) value = std::min(value, gamma_b(cut, bounds.gamma_max));
    if (parameters_.regulator_c && !quartz) value = std::min(value, gamma_c(cut, clock, bounds.gamma_max));
    return std::max(value, bounds.gamma_min);
  }

  // -- the forward step [R eq. 4.10, 4.11]; where a clock was set back, in F = LC' - C^ --
  void step(Clock& clock) {
    const std::size_t e = clock.head();
    double local = 0;
    double simple = 0;
    if (clock.processed == 0) {
      clock.length = initial_length();
    } else {
      const std::size_t last = clock.last();
      const auto advance = static_cast<double>(events_[e].time - events_[last].time);
      const auto elapsed = static_cast<double>(recorded_[e].time - recorded_[last].time);
      const double delta =
          reference_delta(parameters_, definitions_, clock_index(e)).value_or(std::min(1.0, std::abs(elapsed)));
      double regulated = 0;
      if (ahead(last) > 0) {
        const double g = gamma(cut_for(clock), clock, e);
        result_.gamma[e] = g;
        result_.lowest_gamma = std::min(result_.lowest_gamma, g);
        regulated = result_.forward[last] - (1 - g) * elapsed + (elapsed - advance);
      }
      local = std::max({0.0, regulated, result_.forward[last] + (delta - advance)});
      simple = std::max(0.0, result_.simple[last] + (delta - advance));
    }
    double edge = -std::numeric_limits<double>::infinity();
    double simple_edge = edge;
    for (const Edge& tail : tails_[e]) {
      const auto apart = static_cast<double>(events_[tail.tail].time - events_[e].time + tail.mu);
      edge = std::max(edge, result_.forward[tail.tail] + apart);
      simple_edge = std::max(simple_edge, result_.simple[tail.tail] + apart);
    }
    result_.forward[e] = std::max(local, edge);
    result_.simple[e] = std::max(simple, simple_edge);
    result_.jump[e] = std::max(0.0, edge - local);
    const bool is_first = clock.processed == 0;
    if (!is_first && (result_.gamma[e] <= 1 || result_.jump[e] > 0)) lengthen(clock);
    windows_[e] = {local, clock.length, clock.barrier};
    result_.order.push_back(e);
    is_processed_[e] = true;
    clock.raised = std::max(clock.raised, simply_ahead(e) + slope() * since_origin(e));
    ++clock.processed;
  }
  /// The interval only grows, at events that ask a cut. What stood before the shorter one may be gone. Pre: the head is
  /// not processed.
  void lengthen(Clock& clock) const {
    const double length = std::max(initial_difference(), cut_for(clock).largest_jump) / error();
    if (length <= clock.length) return;
    const auto head = static_cast<double>(least(clock) - events_[0].time);
    clock.barrier = std::max(clock.barrier, head - std::ceil(clock.length));
    clock.length = length;
  }

  [[nodiscard]] double error() const { return parameters_.max_error_percent / 100; }
  [[nodiscard]] double initial_difference() const {
    return static_cast<double>(definitions_.resolution.ticks_of_microseconds(parameters_.clock_difference_us));
  }
  [[nodiscard]] double initial_length() const { return initial_difference() / error(); }

  const Parameters& parameters_;
  const Definitions& definitions_;
  std::span<const Event> recorded_;
  std::vector<Event> events_;  // with C^ for C
  Reference result_;
  std::vector<JumpWindow> windows_;
  std::vector<std::vector<Edge>> tails_;  // by head
  std::vector<bool> is_processed_ = std::vector<bool>(events_.size(), false);
  std::vector<bool> proves_;  // by event: used with its cut, it shows that clocks are no quartz
  std::vector<Clock> clocks_;
  Ticks width_;
  std::map<Epoch, Cut> cuts_;  // by their last epoch
  Cut nothing_;                // before all events
};

}  // namespace

Ticks epoch_length(const Parameters& parameters, const Definitions& definitions) {
  const auto cldiff = static_cast<double>(definitions.resolution.ticks_of_microseconds(parameters.clock_difference_us));
  return std::max<Ticks>(1, whole_ticks(std::min(cldiff / (parameters.max_error_percent / 100), 0x1p62) / 16));
}

Reference epochs(const Parameters& parameters, const Definitions& definitions, std::span<const Event> events,
                 const Reference& per_event) {
  return Epochs(parameters, definitions, events, per_event).run();
}

}  // namespace clc::test
