// Bursts of round trips, before and after the program [T 2.2; R 3.4, 7.2]: a binomial tree, so that P processes need
// log P rounds. The raw samples become %sync lines.
#include <sys/syscall.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "record/recorder.hpp"

namespace clc::record {

namespace {

constexpr int tag = 4711;
constexpr int most_samples = 200;
constexpr int least_samples = 20;
constexpr double longest = 0.2;  ///< seconds for a pair, once it has enough samples

struct Sample {
  std::uint64_t t[4];
};

/// Not touched by libraries that fake the clock.
double true_seconds() noexcept {
  timespec time{};
  static_cast<void>(::syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &time));
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

/// Does a node run more processes than it has processors?
void Recorder::look_around() noexcept {
  MPI_Comm node = MPI_COMM_NULL;
  int neighbours = 1;
  PMPI_Comm_split_type(own_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  if (node != MPI_COMM_NULL) {
    PMPI_Comm_size(node, &neighbours);
    PMPI_Comm_free(&node);
  }
  int own = neighbours > ::sysconf(_SC_NPROCESSORS_ONLN) ? 1 : 0;
  int any = 0;
  PMPI_Allreduce(&own, &any, 1, MPI_INT, MPI_MAX, own_);
  crowded_ = any != 0;
}

void Recorder::synchronise(const char* moment) noexcept {
  static double ended = 0;
  if (own_ == MPI_COMM_NULL) return;
  if (const double early = ended + apart - true_seconds(); early > 0 && std::strcmp(moment, "after") == 0)
    ::usleep(static_cast<useconds_t>(1e6 * early));
  if (std::getenv("CLC_RECORD_TRUTH") != nullptr) note_truth(moment);
  for (int reach = 1; reach < size_; reach *= 2) {
    // Where processes share processors, one pair at a time, while all others sleep.
    for (int first = 0; first < (crowded_ ? reach : 1); ++first) {
      wait_for_all();
      const int parent = rank_ < reach ? rank_ : rank_ - reach;
      if (rank_ >= 2 * reach || (crowded_ && parent != first)) continue;
      if (rank_ >= reach)
        measure_pair(parent, false);
      else if (rank_ + reach < size_)
        measure_pair(rank_ + reach, true);
    }
  }
  wait_for_all();
  ended = true_seconds();
}

/// For tests with faked clocks: what the clock shows, and the time that no library fakes.
void Recorder::note_truth(const char* moment) noexcept {
  constexpr int attempts = 200;
  std::uint64_t shown = 0;
  std::int64_t real = 0;
  std::uint64_t least = UINT64_MAX;
  for (int i = 0; i < attempts; ++i) {
    timespec time{};
    const std::uint64_t before = clock_.now();
    static_cast<void>(::syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &time));
    const std::uint64_t after = clock_.now();
    if (after - before >= least) continue;
    least = after - before;
    shown = before + least / 2;
    real = static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
  }
  char line[200];
  std::snprintf(line, sizeof line, "# clc-record truth %s: process %d time %lld is %lld", moment, rank_,
                static_cast<long long>(clock_.nanoseconds(shown)), static_cast<long long>(real));
  note(line);
}

/// A barrier that leaves the processors to others.
void Recorder::wait_for_all() noexcept {
  constexpr useconds_t pause = 100;
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ibarrier(own_, &request);
  for (int done = 0;;) {
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    ::usleep(pause);
  }
}

/// The parent asks, the child answers with its times at the end.
void Recorder::measure_pair(int partner, bool parent) noexcept {
  std::vector<Sample> samples(most_samples);
  int count = 0;
  if (!parent) {
    for (int more = 1; more != 0;) {
      PMPI_Recv(&more, 1, MPI_INT, partner, tag, own_, MPI_STATUS_IGNORE);
      const std::uint64_t received = clock_.now();
      if (more == 0) break;
      const std::uint64_t answered = clock_.now();
      PMPI_Send(&more, 1, MPI_INT, partner, tag, own_);
      if (count < most_samples) samples[static_cast<std::size_t>(count++)] = {{0, received, answered, 0}};
    }
    PMPI_Send(samples.data(), static_cast<int>(sizeof(Sample)) * count, MPI_BYTE, partner, tag, own_);
    // Stamps are counts of this process: it writes its times itself.
    std::vector<Sample> asked(static_cast<std::size_t>(count));
    PMPI_Recv(asked.data(), static_cast<int>(sizeof(Sample)) * count, MPI_BYTE, partner, tag, own_, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; ++i) {
      const auto index = static_cast<std::size_t>(i);
      char line[160];
      std::snprintf(
          line, sizeof line, "%%sync %d %d %lld %lld %lld %lld", rank_, partner,
          static_cast<long long>(asked[index].t[0]), static_cast<long long>(clock_.nanoseconds(samples[index].t[1])),
          static_cast<long long>(clock_.nanoseconds(samples[index].t[2])), static_cast<long long>(asked[index].t[3]));
      const Guard guard(*this);
      if (i == 0) flush();
      writer_.note(line);
    }
    return;
  }
  const double start = true_seconds();
  for (int more = 1; more != 0;) {
    more = count < most_samples && (count < least_samples || true_seconds() - start < longest) ? 1 : 0;
    const std::uint64_t asked = clock_.now();
    PMPI_Send(&more, 1, MPI_INT, partner, tag, own_);
    if (more == 0) break;
    PMPI_Recv(&more, 1, MPI_INT, partner, tag, own_, MPI_STATUS_IGNORE);
    samples[static_cast<std::size_t>(count++)] = {{asked, 0, 0, clock_.now()}};
  }
  std::vector<Sample> answers(static_cast<std::size_t>(count));
  PMPI_Recv(answers.data(), static_cast<int>(sizeof(Sample)) * count, MPI_BYTE, partner, tag, own_, MPI_STATUS_IGNORE);
  std::vector<double>& lengths =
      on_node_[static_cast<std::size_t>(partner)] ? round_trips_.of_node : round_trips_.of_others;
  for (int i = 0; i < count; ++i) {
    Sample& sample = samples[static_cast<std::size_t>(i)];
    sample.t[0] = static_cast<std::uint64_t>(clock_.nanoseconds(sample.t[0]));
    sample.t[3] = static_cast<std::uint64_t>(clock_.nanoseconds(sample.t[3]));
    lengths.push_back(static_cast<double>(sample.t[3] - sample.t[0]));
  }
  PMPI_Send(samples.data(), static_cast<int>(sizeof(Sample)) * count, MPI_BYTE, partner, tag, own_);
}

/// Round trips of processes that share processors contain switches between them: messages may be far faster. No minimum
/// delay is known then.
void Recorder::choose_min_delay() noexcept {
  if (crowded_) {
    if (rank_ == 0) writer_.note("# clc-record: more processes than processors, so no minimum delay is known");
    return;
  }
  const auto known = [](double delay) { return delay > 0 ? delay : HUGE_VAL; };
  double own[] = {known(min_delay(round_trips_.of_others)), known(min_delay(round_trips_.of_node))};
  double least[2] = {};
  PMPI_Allreduce(own, least, 2, MPI_DOUBLE, MPI_MIN, own_);
  for (double& delay : least) delay = std::isinf(delay) ? 0 : delay;
  const std::string line = min_delay_line(least[0], least[1]);
  if (rank_ == 0 && !line.empty()) writer_.note(line);
}

}  // namespace clc::record
