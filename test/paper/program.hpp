// Programs in true time, their recording with bad clocks, and their correction by the filter, for the
// checks against the thesis [R].
#pragma once

#include <string>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "clc/event_sink.hpp"
#include "clc/parameters.hpp"
#include "random_trace.hpp"

namespace clc::test {

/// A parallel program that is written down event by event. Times in microseconds of true time.
class Program {
 public:
  explicit Program(std::size_t processes, Resolution resolution = Resolution(Resolution::highest));

  /// Something happens in a process; times of one process must not fall. Returns the event's number.
  std::size_t internal(ProcessIndex process, double true_time);
  std::size_t send(ProcessIndex process, ProcessIndex to, double true_time);
  std::size_t receive(ProcessIndex process, ProcessIndex from, double true_time);

  /// Sets the clock of a process: what it shows, in microseconds, as a function of true time.
  Clock& clock(ProcessIndex process) { return clocks_[process]; }
  /// Instead of what the clock shows: the time of one event, in microseconds.
  void shown(std::size_t event, double time) { shown_[event] = time; }

  /// Records: times from the clocks, sorted; ties in the order of writing down.
  void record();

  // ---- after record; by number of event --------------------------------------------------------
  [[nodiscard]] double true_time(std::size_t event) const { return true_time_[event]; }
  [[nodiscard]] double recorded(std::size_t event) const { return microseconds(recorded_[event]); }
  [[nodiscard]] const Event& event(std::size_t event) const { return events_[event]; }
  [[nodiscard]] std::size_t size() const { return events_.size(); }
  [[nodiscard]] std::size_t processes() const { return clocks_.size(); }
  /// Matched messages: numbers of send and receive.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> messages() const;
  /// Numbers of the events of a process, in order.
  [[nodiscard]] std::vector<std::size_t> of(ProcessIndex process) const;

  struct Corrected {
    std::vector<double> time;  ///< by number of event, microseconds
    double lowest_gamma = 1;
    double mean_gamma = 1;
    bool not_quartz = false;  ///< proved by the trace
    std::uint64_t by_b = 0;   ///< events for which regulator B requested less than gamma_max
    std::uint64_t by_c = 0;   ///< the same of regulator C
    double largest_jump = 0;  ///< microseconds
    Analysis analysis;
  };
  /// What the filter makes of it.
  [[nodiscard]] Corrected corrected(const Parameters& parameters) const;

  [[nodiscard]] const Definitions& definitions() const { return definitions_; }
  [[nodiscard]] std::vector<Event> trace() const;

 private:
  std::size_t add(ProcessIndex process, Role role, ProcessIndex peer, double true_time);
  [[nodiscard]] double microseconds(Time time) const {
    return definitions_.resolution.microseconds(static_cast<double>(time.ticks()));
  }

  Definitions definitions_;
  std::vector<Clock> clocks_;
  std::vector<Event> events_;
  std::vector<double> true_time_;
  std::vector<double> shown_;
  std::vector<Time> recorded_;
  std::vector<std::size_t> order_;  // numbers of events as sorted
};

/// Forward clock only, minimum message delay of one tick.
[[nodiscard]] Parameters forward();
/// The same without regulators.
[[nodiscard]] Parameters unregulated(Parameters parameters);

/// [R 6.3.3]: on a grid of processes, steps of: compute the borders, send them to the neighbours, compute
/// the inside, receive the neighbours' borders.
struct FiniteElements {
  std::size_t columns = 3;
  std::size_t rows = 3;
  std::size_t steps = 50;
  double borders = 200;  ///< microseconds of computing, least
  double inside = 800;   ///< the same
  double unequal = 0.1;  ///< random part of computing, relative
  double delay = 50;     ///< least of a message
  double jitter = 50;    ///< mean of its random part
  std::uint64_t seed = 1;
};
void run(const FiniteElements& elements, Program& program);

}  // namespace clc::test
