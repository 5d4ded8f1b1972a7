#include "program.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>

#include "clc/event_sink.hpp"
#include "message.hpp"
#include "run_filter.hpp"

namespace clc::test {

Program::Program(std::size_t processes, Resolution resolution) : clocks_(processes) {
  definitions_.resolution = resolution;
  std::vector<ProcessIndex> all;
  for (std::size_t p = 0; p < processes; ++p) all.push_back(definitions_.add_process(p, ""));
  definitions_.add_communicator(0, all);
}

std::size_t Program::add(ProcessIndex process, Role role, ProcessIndex peer, double true_time) {
  events_.push_back(message(role, {}, process, peer));  // the time is set when the clock is read
  true_time_.push_back(true_time);
  shown_.push_back(std::numeric_limits<double>::quiet_NaN());
  return events_.size() - 1;
}
std::size_t Program::internal(ProcessIndex process, double true_time) {
  return add(process, Role::internal, no_process, true_time);
}
std::size_t Program::send(ProcessIndex process, ProcessIndex to, double true_time) {
  return add(process, Role::send, to, true_time);
}
std::size_t Program::receive(ProcessIndex process, ProcessIndex from, double true_time) {
  return add(process, Role::receive, from, true_time);
}

void Program::record() {
  std::vector<Time> newest(clocks_.size(), Time::earliest());
  recorded_.clear();
  for (std::size_t e = 0; e < events_.size(); ++e) {
    const ProcessIndex p = events_[e].process;
    const double shown = std::isnan(shown_[e]) ? clocks_[p].at(true_time_[e]) : shown_[e];
    newest[p] = std::max(newest[p], Time(definitions_.resolution.ticks_of_microseconds(shown)));
    events_[e].time = newest[p];
    recorded_.push_back(newest[p]);
  }
  order_.resize(events_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::size_t a, std::size_t b) { return events_[a].time < events_[b].time; });
}

std::vector<Event> Program::trace() const {
  std::vector<Event> trace;
  for (const std::size_t e : order_) trace.push_back(events_[e]);
  return trace;
}

std::vector<std::pair<std::size_t, std::size_t>> Program::messages() const {
  std::map<std::pair<ProcessIndex, ProcessIndex>, std::deque<std::size_t>> sends;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t e = 0; e < events_.size(); ++e)
    if (events_[e].role == Role::send) sends[{events_[e].process, events_[e].peer}].push_back(e);
  for (std::size_t e = 0; e < events_.size(); ++e) {
    if (events_[e].role != Role::receive) continue;
    auto& waiting = sends[{events_[e].peer, events_[e].process}];
    pairs.emplace_back(waiting.front(), e);
    waiting.pop_front();
  }
  return pairs;
}

std::vector<std::size_t> Program::of(ProcessIndex process) const {
  std::vector<std::size_t> own;
  for (std::size_t e = 0; e < events_.size(); ++e)
    if (events_[e].process == process) own.push_back(e);
  return own;
}

Program::Corrected Program::corrected(const Parameters& parameters) const {
  const Run run = run_filter(parameters, definitions_, trace());
  if (!run.fault.empty()) throw std::runtime_error(run.fault);
  Corrected corrected;
  corrected.time.resize(events_.size());
  for (std::size_t k = 0; k < order_.size(); ++k) corrected.time[order_[k]] = microseconds(run.written[k]);
  corrected.lowest_gamma = run.analysis.regulation.gamma_course.lowest();
  corrected.mean_gamma = run.analysis.regulation.gamma_course.mean();
  corrected.not_quartz = run.analysis.regulation.not_quartz.has_value();
  corrected.by_b = run.analysis.regulation.regulator_b.below;
  corrected.by_c = run.analysis.regulation.regulator_c.below;
  corrected.analysis = run.analysis;
  corrected.largest_jump = definitions_.resolution.microseconds(run.analysis.largest_jump());
  return corrected;
}

Parameters forward() {
  Parameters parameters;
  parameters.min_delay_us = 0;
  parameters.amortization = false;
  parameters.wait_limit_s = 1e6;
  return parameters;
}

Parameters unregulated(Parameters parameters) {
  parameters.regulator_a = parameters.regulator_b = parameters.regulator_c = parameters.regulator_d = false;
  return parameters;
}

void run(const FiniteElements& elements, Program& program) {
  Random random(elements.seed);
  const std::size_t count = elements.columns * elements.rows;
  const auto neighbours = [&](std::size_t p) {
    std::vector<std::size_t> list;
    const std::size_t column = p % elements.columns;
    const std::size_t row = p / elements.columns;
    if (row > 0) list.push_back(p - elements.columns);
    if (column > 0) list.push_back(p - 1);
    if (column + 1 < elements.columns) list.push_back(p + 1);
    if (row + 1 < elements.rows) list.push_back(p + elements.columns);
    return list;
  };
  const auto computed = [&](double least) { return least * (1 + elements.unequal * random.real()); };

  std::vector<double> now(count);
  for (double& t : now) t = random.real(0, elements.borders);
  for (std::size_t step = 0; step < elements.steps; ++step) {
    std::map<std::pair<std::size_t, std::size_t>, double> arrival;
    for (std::size_t p = 0; p < count; ++p) {
      program.internal(static_cast<ProcessIndex>(p), now[p]);
      now[p] += computed(elements.borders);
      for (const std::size_t to : neighbours(p)) {
        now[p] += 1;
        program.send(static_cast<ProcessIndex>(p), static_cast<ProcessIndex>(to), now[p]);
        arrival[{p, to}] = now[p] + elements.delay + random.exponential(elements.jitter);
      }
      program.internal(static_cast<ProcessIndex>(p), now[p] += 1);
      now[p] += computed(elements.inside);
      program.internal(static_cast<ProcessIndex>(p), now[p]);
    }
    for (std::size_t p = 0; p < count; ++p) {
      for (const std::size_t from : neighbours(p)) {
        now[p] = std::max(now[p] + 1, arrival[{from, p}]);
        program.receive(static_cast<ProcessIndex>(p), static_cast<ProcessIndex>(from), now[p]);
      }
      now[p] += 1;
    }
  }
}

}  // namespace clc::test
