#include "run_filter.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <string_view>

#include "random_trace.hpp"
#include "trace/group_sink.hpp"

namespace clc::test {

namespace {

class Recorder : public EventSink, public GroupSink {
 public:
  Recorder(const Definitions& definitions, std::span<const Event> events, const std::vector<std::string>& bodies,
           const RunOptions& options, Run& run)
      : taken_(options.taken.empty() ? events : options.taken),
        bodies_(bodies),
        order_(options.order),
        most_held_(options.held),
        run_(run),
        own_(definitions.processes().size()) {
    for (std::size_t e = 0; e < events.size(); ++e) {
      own_.resize(std::max<std::size_t>(own_.size(), events[e].process + std::size_t{1}));  // defined on the way
      own_[events[e].process].push_back(e);
    }
    next_.resize(own_.size());
    run_.written.resize(events.size());
  }

  [[nodiscard]] Order order() const noexcept override { return order_; }
  [[nodiscard]] std::size_t held() const noexcept override { return most_held_; }
  void leave(Leaving& leaving) override {
    held_.push_back(&leaving);
    write_all_but(most_held_);
  }
  void drain() noexcept override { write_all_but(0); }
  void events(std::span<const Corrected> run) override {
    if (run.empty()) fault("an empty run");
    for (const Corrected& corrected : run) take(corrected);
  }
  void note(Body line) override { notes.push_back({std::string(line), run_.output.size()}); }
  [[nodiscard]] bool holds_nothing() const noexcept { return held_.empty(); }

  struct Note {
    std::string line;
    std::size_t before;  // in output order
  };
  std::vector<Note> notes;

 private:
  void write_all_but(std::size_t count) {
    for (; held_.size() > count; held_.pop_front()) held_.front()->write(*this);
  }
  void take(const Corrected& corrected) {
    if (corrected.process >= own_.size()) return fault("an unknown process left");
    if (next_[corrected.process] == own_[corrected.process].size()) return fault("an event left twice");
    const std::size_t e = own_[corrected.process][next_[corrected.process]++];
    if (corrected.recorded != taken_[e].time) fault("wrong recorded time of event " + std::to_string(e));
    if (corrected.body != bodies_[e]) fault("wrong body of event " + std::to_string(e));
    if (order_ == Order::all && !run_.output.empty()) {
      const std::size_t last = run_.output.back();
      if (corrected.time < run_.written[last]) fault("output not sorted at event " + std::to_string(e));
      if (corrected.time == run_.written[last] && e < last)
        fault("tie not in input order at event " + std::to_string(e));
    }
    run_.written[e] = corrected.time;
    run_.output.push_back(e);
  }

  void fault(const std::string& what) {
    if (run_.fault.empty()) run_.fault = what;
  }

  std::span<const Event> taken_;
  const std::vector<std::string>& bodies_;
  Order order_;
  std::size_t most_held_;
  std::deque<Leaving*> held_;
  Run& run_;
  std::vector<std::vector<std::size_t>> own_;
  std::vector<std::size_t> next_;
};

}  // namespace

Run run_filter(const Parameters& given, const Definitions& definitions, std::span<const Event> events,
               const RunOptions& options) {
  Parameters parameters = given;
  if (const char* order = std::getenv("CLC_ORDER"); order != nullptr && std::string_view(order) == "epochs")
    parameters.order = Parameters::Order::epochs;
  Random random(options.disturb);
  std::vector<std::string> bodies;
  bodies.reserve(events.size());
  for (std::size_t e = 0; e < events.size(); ++e)
    bodies.push_back(" body " + std::to_string(e) + std::string(random.index(40) + options.body_bytes, '.'));

  struct Note {
    std::string line;
    std::size_t before;  // in input order
  };
  std::vector<Note> notes;
  Run run;
  Recorder recorder(definitions, events, bodies, options, run);
  Filter filter(parameters, definitions, recorder);
  const auto maybe_note = [&](std::size_t before) {
    while (options.disturb != 0 && random.chance(0.1)) {
      notes.push_back({"# note " + std::to_string(notes.size()), before});
      filter.note(notes.back().line);
    }
  };
  auto change = options.changes.begin();
  for (std::size_t e = 0; e < events.size();) {
    maybe_note(e);
    std::size_t length = options.disturb == 0 || random.chance(0.5) ? 1 : random.index(50);
    length = std::min(length, events.size() - e);
    for (; change != options.changes.end() && change->first <= e; ++change) change->second();
    if (change != options.changes.end()) length = std::min(length, change->first - e);
    if (options.proof) {
      if (const std::optional<Time> bound = options.proof(e)) static_cast<void>(filter.advance(*bound));
      length = 1;
    }
    if (length == 1) {
      filter.push(events[e], std::string(bodies[e]));  // the body ends with the call
    } else {
      const std::vector<Body> views(bodies.begin() + static_cast<std::ptrdiff_t>(e),
                                    bodies.begin() + static_cast<std::ptrdiff_t>(e + length));
      filter.push(events.subspan(e, length), views);
    }
    e += length;
    if (options.disturb != 0 && random.chance(0.1)) filter.flush();
  }
  maybe_note(events.size());
  filter.finish();
  run.analysis = filter.analysis();
  if (!recorder.holds_nothing()) run.fault = "the sink holds something after finish";
  if (!run.fault.empty()) return run;

  if (run.output.size() != events.size()) {
    run.fault = std::to_string(events.size() - run.output.size()) + " events never left";
    return run;
  }
  if (recorder.notes.size() != notes.size()) {
    run.fault = "wrong number of notes";
    return run;
  }
  for (std::size_t k = 0; k < notes.size(); ++k) {
    // A note leaves right before the first event that was pushed after it.
    const auto first =
        std::find_if(run.output.begin(), run.output.end(), [&](std::size_t e) { return e >= notes[k].before; });
    const bool in_place = options.order == EventSink::Order::each_process ||
                          run.analysis.counted(Case::note_early) > 0 ||
                          recorder.notes[k].before == static_cast<std::size_t>(first - run.output.begin());
    if (recorder.notes[k].line != notes[k].line || !in_place) {
      run.fault = "note " + std::to_string(k) + " is not in its place";
      return run;
    }
  }
  return run;
}

}  // namespace clc::test
