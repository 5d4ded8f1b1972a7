// How well can clocks be read and synchronised here? The figures of the tables 1 to 7 of [T], beside those of [T].
//
//     mpirun -n 4 clc-record-measure        // clc-record --measure mpirun -n 4
//
// Rank 0 measures with each other rank in turn, while the others sleep.
#include <mpi.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "record/clock.hpp"
#include "record/evaluation.hpp"

namespace clc::record {

namespace {

constexpr int tag = 4712;
constexpr int samples_of_burst = 100;

std::uint64_t time_of_day() noexcept {
  timeval time{};
  ::gettimeofday(&time, nullptr);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000U + static_cast<std::uint64_t>(time.tv_usec);
}

/// The same of a single reading whose code and data have left the caches, as in a program between two events: the
/// median.
template <class Now, class Read>
double cold_cost(Now now, Read read) {
  constexpr std::size_t rounds = 25;
  std::vector<char> memory(std::size_t{1} << 26);
  std::vector<std::uint64_t> costs;
  unsigned char sum = 0;
  for (std::size_t i = 0; i < rounds; ++i) {
    for (std::size_t at = 0; at < memory.size(); at += 64) sum = static_cast<unsigned char>(sum + ++memory[at]);
    asm volatile("" ::"r"(sum));
    const std::uint64_t before = now();
    const std::uint64_t value = read();
    asm volatile("" ::"r"(value));
    costs.push_back(now() - before);
  }
  std::nth_element(costs.begin(), costs.begin() + rounds / 2, costs.end());
  return static_cast<double>(costs[rounds / 2]);
}

std::string processor() {
  std::FILE* const file = std::fopen("/proc/cpuinfo", "re");
  if (file == nullptr) return "unknown";
  char line[8192];
  std::string name = "unknown";
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::strncmp(line, "model name", 10) != 0) continue;
    const char* const value = std::strchr(line, ':');
    if (value != nullptr) name = value + 2;
    break;
  }
  std::fclose(file);
  name.erase(std::find(name.begin(), name.end(), '\n'), name.end());
  return name;
}

/// A burst of round trips, at the one that asks.
std::vector<RoundTrip> ask(const Clock& clock, int partner) {
  std::vector<RoundTrip> trips(samples_of_burst);
  char byte = 0;
  for (RoundTrip& trip : trips) {
    const std::uint64_t asked = clock.now();
    MPI_Send(&byte, 1, MPI_CHAR, partner, tag, MPI_COMM_WORLD);
    MPI_Recv(&byte, 1, MPI_CHAR, partner, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const std::uint64_t returned = clock.now();
    trip.asked = clock.nanoseconds(asked);
    trip.returned = clock.nanoseconds(returned);
  }
  std::vector<std::int64_t> times(2 * trips.size());
  MPI_Recv(times.data(), static_cast<int>(times.size()), MPI_INT64_T, partner, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (std::size_t i = 0; i < trips.size(); ++i) {
    trips[i].received = times[2 * i];
    trips[i].answered = times[2 * i + 1];
  }
  return trips;
}

void answer(const Clock& clock, int partner) {
  std::vector<std::int64_t> times;
  char byte = 0;
  for (int i = 0; i < samples_of_burst; ++i) {
    MPI_Recv(&byte, 1, MPI_CHAR, partner, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const std::uint64_t received = clock.now();
    const std::uint64_t answered = clock.now();
    MPI_Send(&byte, 1, MPI_CHAR, partner, tag, MPI_COMM_WORLD);
    times.push_back(clock.nanoseconds(received));
    times.push_back(clock.nanoseconds(answered));
  }
  MPI_Send(times.data(), static_cast<int>(times.size()), MPI_INT64_T, partner, tag, MPI_COMM_WORLD);
}

/// What all pairs of a class (same node, other nodes) have shown.
struct Pairs {
  std::vector<double> lengths;  ///< of round trips
  std::vector<double> errors;   ///< differences of offsets of two successive bursts
  int count = 0;
};

void measure_clock(const Clock& clock) {
  utsname system{};
  ::uname(&system);
  const bool counter = clock.uses_counter();
  const double megahertz = counter ? clock.megahertz() : 1000;
  const auto now = [&clock] { return clock.now(); };
  std::printf("Processor (T tables 2, 5: Pentium II 266, Athlon XP 1600, Pentium 4 2400 MHz; Linux 2.4)\n");
  std::printf("  %s, counter %s%.3f MHz, relative error q %.2g; %s %s\n", processor().c_str(),
              counter ? "" : "not used: stamps in ns, ", megahertz, clock.relative_error(), system.sysname,
              system.release);
  std::printf("Cost of a reading, counts (T table 1: PII 266, XP 1600)\n");
  std::printf("  gettimeofday         %8.1f   T: 402, 615\n", cost_of_reading(now, time_of_day));
  std::printf("  CLOCK_MONOTONIC_RAW  %8.1f   T: -\n", cost_of_reading(now, Clock::system_now));
  std::printf("  stamp                %8.1f   T (RDTSC): 25, 66\n", cost_of_reading(now, now));
  std::printf("  stamp as time        %8.1f   T (with a division): 236, 346\n",
              cost_of_reading(now, [&clock] { return static_cast<std::uint64_t>(clock.nanoseconds(clock.now())); }));
  const double cold_stamp = cold_cost(now, now);
  std::printf("The same with empty caches (T table 6: Pentium 4)\n");
  std::printf("  gettimeofday         %8.0f   T: 7876\n", cold_cost(now, time_of_day));
  std::printf("  stamp                %8.0f   T: 2828\n", cold_stamp);
  std::printf("  precision of a stamp %8.3f us   T: 1.18 us\n", cold_stamp / megahertz);
}

void print(const char* name, const Pairs& pairs) {
  if (pairs.count == 0) return;
  const HalfTrips half = half_trips(pairs.lengths);
  std::printf("Half round trips, %s: %d pairs, %zu samples, %zu beyond twice the shortest left out\n", name,
              pairs.count, half.count, half.count - half.kept);
  std::printf("                       mean       min       max   most frequent\n");
  std::printf("  here/us         %9.3f %9.3f %9.3f %9.3f\n", half.mean / 1000, half.shortest / 1000,
              half.longest / 1000, half.usual / 1000);
  std::printf("  T table 3/us           84        76        91   100 Mb/s Ethernet, shared\n");
  std::printf("  T table 4/us           54        53        56   100 Mb/s Ethernet, alone\n");
  std::printf("  distribution, %% from the shortest in steps of a tenth of it, last: beyond twice (T fig. 3)\n   ");
  for (const double share : distribution(pairs.lengths)) std::printf(" %5.1f", 100 * share);
  std::printf("\n  minimum delay by R 7.2: %.3f us\n", min_delay(pairs.lengths) / 1000);
  const auto [least, most] = std::minmax_element(pairs.errors.begin(), pairs.errors.end());
  std::printf("Errors of synchronisation, %s: offsets of successive bursts differ\n", name);
  std::printf("  here/us         min %.3f, max %.3f   T table 7: 0, 5\n", *least / 1000, *most / 1000);
}

void run() {
  constexpr int bursts = 10;
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Clock clock;
  const char* const stamp = std::getenv("CLC_RECORD_STAMP");
  clock.start(stamp == nullptr || std::strcmp(stamp, "clock") != 0);
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  MPI_Get_processor_name(name, &length);
  std::vector<char> names(static_cast<std::size_t>(size) * sizeof name);
  MPI_Allgather(name, sizeof name, MPI_CHAR, names.data(), sizeof name, MPI_CHAR, MPI_COMM_WORLD);
  if (rank == 0) measure_clock(clock);
  Pairs same;
  Pairs other;
  for (int partner = 1; partner < size; ++partner) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int done = 0; done == 0;) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done == 0) ::usleep(100);
    }
    if (rank != 0 && rank != partner) continue;
    Pairs& pairs = std::strcmp(name, &names[static_cast<std::size_t>(partner) * sizeof name]) == 0 ? same : other;
    ++pairs.count;
    double last = 0;
    for (int burst = 0; burst < bursts; ++burst) {
      if (rank != 0) {
        answer(clock, 0);
        continue;
      }
      const std::vector<RoundTrip> trips = ask(clock, partner);
      for (const RoundTrip& trip : trips) pairs.lengths.push_back(trip.length());
      const double now = offset(trips).value;
      if (burst > 0) pairs.errors.push_back(std::fabs(now - last));
      last = now;
    }
  }
  if (rank != 0) return;
  print("one node", same);
  print("other nodes", other);
  if (size == 1) std::printf("Half round trips: expected at least two processes\n");
}

}  // namespace

}  // namespace clc::record

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  clc::record::run();
  MPI_Finalize();
  return 0;
}
