#include "ranks/mpi/exchange.hpp"

#include <chrono>
#include <limits>
#include <thread>
#include <type_traits>
#include <utility>

namespace clc::ranks {

namespace {

static_assert(std::is_trivially_copyable_v<Item>);
static_assert(sizeof(long) == sizeof(std::int64_t), "times travel as MPI_LONG_INT");

constexpr std::size_t batch_items = 512;
constexpr unsigned polls_per_batch = 4;  // a poll comes about every 512 events, or more often
constexpr unsigned patience = 100;       // calls
constexpr std::chrono::microseconds rest(50);
constexpr int tag = 0;
constexpr int nobody = std::numeric_limits<int>::max();

}  // namespace

MpiExchange::MpiExchange(MPI_Comm communicator) {
  int rank = 0;
  int size = 0;
  MPI_Comm_dup(communicator, &communicator_);
  MPI_Comm_rank(communicator_, &rank);
  MPI_Comm_size(communicator_, &size);
  rank_ = static_cast<unsigned>(rank);
  outbox_.resize(static_cast<std::size_t>(size));
}

MpiExchange::~MpiExchange() {
  for (Batch& batch : sending_) MPI_Wait(&batch.request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&communicator_);
}

void MpiExchange::post(unsigned to, const Item& item) {
  outbox_[to].push_back(item);
  if (outbox_[to].size() >= batch_items) send(to);
}

void MpiExchange::send(unsigned to) {
  if (outbox_[to].empty()) return;
  own_[0] += static_cast<std::int64_t>(outbox_[to].size());
  Batch& batch = sending_.emplace_back();
  batch.items = std::exchange(outbox_[to], {});
  MPI_Isend(batch.items.data(), static_cast<int>(batch.items.size() * sizeof(Item)), MPI_BYTE, static_cast<int>(to),
            tag, communicator_, &batch.request);
}

void MpiExchange::send_all() {
  polls_ = 0;
  for (unsigned to = 0; to < outbox_.size(); ++to) send(to);
}

void MpiExchange::poll(std::vector<Item>& items) {
  if (++polls_ >= polls_per_batch) send_all();
  for (;;) {
    int found = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag, communicator_, &found, &status);
    if (found == 0) break;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    const std::size_t before = items.size();
    const std::size_t count = static_cast<std::size_t>(bytes) / sizeof(Item);
    items.resize(before + count);
    idle_ = 0;
    MPI_Recv(items.data() + before, bytes, MPI_BYTE, status.MPI_SOURCE, tag, communicator_, MPI_STATUS_IGNORE);
    own_[1] += static_cast<std::int64_t>(count);
  }
  while (!sending_.empty()) {
    int over = 0;
    MPI_Test(&sending_.front().request, &over, MPI_STATUS_IGNORE);
    if (over == 0) break;
    sending_.pop_front();
  }
}

void MpiExchange::join_wave(const Waiting& oldest) {
  in_wave_ = true;
  joined_ = own_;
  const bool waits = oldest.clock != no_process;
  oldest_ = {static_cast<long>(oldest.time.ticks()), waits ? static_cast<int>(oldest.clock) : nobody};
  MPI_Iallreduce(joined_.data(), sums_.data(), 2, MPI_INT64_T, MPI_SUM, communicator_, &wave_[0]);
  MPI_Iallreduce(&oldest_, &oldest_of_all_, 1, MPI_LONG_INT, MPI_MINLOC, communicator_, &wave_[1]);
}

bool MpiExchange::quiet(Waiting& oldest) {
  send_all();
  if (!in_wave_) join_wave(oldest);
  int over = 0;
  MPI_Testall(2, wave_.data(), &over, MPI_STATUSES_IGNORE);
  if (over == 0) {
    // Other programs may need the processor, and so may other processes of this one.
    if (++idle_ < patience)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(rest);
    return false;
  }
  in_wave_ = false;
  const Sums before = std::exchange(before_, sums_);
  if (sums_[0] != sums_[1] || sums_ != before) return false;
  before_ = {-1, -1};
  oldest = {};
  if (oldest_of_all_.clock != nobody)
    oldest = {Time(oldest_of_all_.time), static_cast<ClockIndex>(oldest_of_all_.clock)};
  return true;
}

}  // namespace clc::ranks
