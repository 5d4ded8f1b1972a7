// Under mpirun: a parallel replay of random traces gives the times that a single rank gives.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "random_trace.hpp"
#include "ranks/mpi/exchange.hpp"
#include "ranks/replay.hpp"

namespace clc::test {
namespace {

class Alone final : public ranks::Exchange {
 public:
  [[nodiscard]] unsigned rank() const noexcept override { return 0; }
  [[nodiscard]] unsigned size() const noexcept override { return 1; }
  void post(unsigned /*to*/, const ranks::Item& /*item*/) override {}
  void poll(std::vector<ranks::Item>& /*items*/) override {}
  bool quiet(ranks::Standstill& /*standstill*/) override { return true; }
};

class Events final : public ranks::Input, public ranks::Output {
 public:
  explicit Events(const RandomTrace& trace)
      : times(trace.definitions.processes().size()), clocks_(times.size()), places_(times.size()) {
    for (const Event& event : trace.events)
      clocks_[trace.definitions.processes()[event.process].clock].push_back(event);
  }
  bool next(ClockIndex clock, Event& event) override {
    if (places_[clock] == clocks_[clock].size()) return false;
    event = clocks_[clock][places_[clock]++];
    return true;
  }
  void rewind() override { std::fill(places_.begin(), places_.end(), 0); }
  void written(ProcessIndex process, std::span<const CorrectedTime> events) override {
    for (const CorrectedTime& event : events) times[process].push_back(event.corrected);
  }

  std::vector<std::vector<Time>> times;  ///< by process

 private:
  std::vector<std::vector<Event>> clocks_;
  std::vector<std::size_t> places_;
};

/// True if the times of this rank's processes are those of a single rank.
bool is_same(const RandomTrace& trace, MPI_Comm communicator) {
  const std::size_t processes = trace.definitions.processes().size();
  const std::vector<unsigned> none(processes);
  Events expected(trace);
  Alone alone;
  ranks::Replay single(trace.parameters, trace.definitions, none, expected, expected, alone);
  while (single.advance()) {
  }
  ranks::MpiExchange exchange(communicator);
  std::vector<unsigned> owners(processes);
  for (ProcessIndex p = 0; p < processes; ++p) owners[p] = trace.definitions.processes()[p].clock % exchange.size();
  Events found(trace);
  ranks::Replay replay(trace.parameters, trace.definitions, owners, found, found, exchange);
  while (replay.advance()) {
  }
  bool same = true;
  for (ProcessIndex p = 0; p < processes; ++p)
    if (owners[p] == exchange.rank()) same = same && found.times[p] == expected.times[p];
  return same;
}

bool is_named(const RandomTrace& trace) {
  return std::none_of(trace.events.begin(), trace.events.end(), [](const Event& event) {
    return (event.role == Role::send || event.role == Role::receive) && event.peer == no_process;
  });
}

}  // namespace
}  // namespace clc::test

int main(int argc, char** argv) {
  using namespace clc::test;
  MPI_Init(&argc, &argv);
  const char* const traces = std::getenv("CLC_TRACES");
  const std::uint64_t last = traces == nullptr ? 30 : std::strtoull(traces, nullptr, 10);
  int failed = 0;
  for (std::uint64_t seed = 1; seed <= last; ++seed) {
    for (const TraceOptions& kind :
         {TraceOptions{}, {.non_blocking = true}, {.shared_clocks = true}, {.defects = true}, {.chaos = true}}) {
      const RandomTrace trace = random_trace(seed, kind);
      if (!is_named(trace) || is_same(trace, MPI_COMM_WORLD)) continue;
      std::printf("not the times of a single rank: %s\n", trace.describe().c_str());
      failed = 1;
    }
  }
  int all = 0;
  MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return all;
}
